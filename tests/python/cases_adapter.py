"""Between the regression cases and the package: the functions their runner calls, over the public API alone.

A wire that the package does not know makes the runner skip the cases that need it, see `dialect`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import toolwire
from toolwire.integrations.langchain import tool_message

DIALECTS = {
    "chat": "ChatDialect",
    "responses": "ResponsesDialect",
    "anthropic": "AnthropicDialect",
    "gemini": "GeminiDialect",
    "bedrock": "BedrockDialect",
}


def dialect(name: str) -> Any:
    """The dialect of this name; an AttributeError of this module, which means a skip, if there is none."""
    cls = getattr(toolwire, DIALECTS.get(name, ""), None)
    if cls is None:
        raise AttributeError(f"no dialect {name}", name=f"dialect {name}", obj=sys.modules[__name__])
    return cls()


def parse(name: str, body: Any) -> Any:
    if name == "mcp":
        return toolwire.ToolMessage.from_mcp(body, tool_call_id="call_1")
    if name == "langchain":
        return tool_message(body)
    return dialect(name).parse_request(body)


def convert(source: str, target: str, body: Any) -> Any:
    dialect(source), dialect(target)
    return toolwire.convert(body, source=source, target=target).body


def convert_mcp(call: Any, result: Any, target: str) -> Any:
    """A user turn, the assistant's call, and the MCP result that answers it."""
    name = call["function"]["name"]
    answer = toolwire.ToolMessage.from_mcp(result, tool_call_id=call["id"], name=name)
    called = {"id": call["id"], "name": name, "arguments": call["function"]["arguments"]}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        answer.to_dict(),
    ]
    request = toolwire.Request.from_dict({"model": "m", "messages": messages})
    return dialect(target).render_request(request).body


def sse(name: str, chunks: Iterable[bytes]) -> dict[str, Any]:
    """The answer that a stream adds up to."""
    parser = dialect(name).stream_parser()
    for chunk in chunks:
        parser.feed(chunk)
    answer = parser.finish()
    calls = [call.to_dict() for call in answer.message.tool_calls]
    return {
        "text": answer.message.content or "",
        "tool_calls": [{key: call[key] for key in ("id", "name", "arguments")} for call in calls],
        "finish_reason": answer.finish_reason,
        "complete": answer.complete,
        "usage": answer.usage and answer.usage.to_dict(),
    }


def prepare_outbound(body: Any) -> Any:
    return toolwire.ChatDialect().seal(body)


def message_hash(name: str, message: Any) -> str:
    """The identity of one message of a wire; `anthropic_result` is one tool_result block."""
    if name == "anthropic_result":
        name, message = "anthropic", {"role": "user", "content": [message]}
    messages = [message]
    body = {"model": "m", "input": messages} if name == "responses" else {"model": "m", "messages": messages}
    if name == "anthropic":
        body["max_tokens"] = 1
    (parsed,) = parse(name, body).messages
    return str(toolwire.message_hash(parsed))


def args_hash(text: str) -> str:
    call = {"id": "c1", "name": "f", "arguments": text}
    turn = {"role": "assistant", "content": None, "tool_calls": [call]}
    return str(toolwire.message_hash(toolwire.AssistantMessage.from_dict(turn)))


def make_error() -> Exception:
    """An error as the package raises it."""
    orphan = {"role": "tool", "tool_call_id": "gone", "content": "x"}
    try:
        toolwire.convert({"model": "m", "messages": [orphan]}, source="chat", target="anthropic")
    except toolwire.ToolwireError as error:
        return error
    raise AssertionError("an orphan result was converted")


class Trace:
    """A rollout over Chat Completions: what each request states and what was answered."""

    def __init__(self, graph: toolwire.MessageGraph) -> None:
        self.graph = graph

    def turn(self, body: Any, answer: Any) -> int:
        request = parse("chat", body)
        (message,) = parse("chat", {"model": "m", "messages": [answer]}).messages
        return self.graph.prepare(request.messages, request.tools).commit(message)

    def view(self) -> dict[str, Any]:
        branches = self.graph.branches
        nodes = [{**_message(node.message.to_dict()), "hash": node.identity} for node in self.graph]
        return {"nodes": nodes, "branches": len(branches), "paths": [list(branch) for branch in branches]}


def trace() -> Trace:
    return Trace(toolwire.MessageGraph())


def save(trace: Trace) -> str:
    return trace.graph.to_jsonl()


def load(blob: str) -> Trace:
    return Trace(toolwire.MessageGraph.from_jsonl(blob))


def view(parsed: Any) -> dict[str, Any]:
    """The neutral view: who said what, which calls, which outcomes."""
    messages = [parsed] if isinstance(parsed, toolwire.ToolMessage) else list(parsed.messages)
    outcomes = [
        {"call_id": m.tool_call_id, "is_error": m.is_error, "text": _text(m.to_dict()["content"])}
        for m in messages
        if isinstance(m, toolwire.ToolMessage)
    ]
    for native in parsed.native_outcomes() if isinstance(parsed, toolwire.Request) else ():
        outcomes.append({"call_id": native.id, "is_error": native.is_error, "text": native.detail or ""})
    return {"messages": [_message(m.to_dict()) for m in messages], "outcomes": outcomes}


def _message(plain: dict[str, Any]) -> dict[str, Any]:
    seen = {"role": plain["role"], "text": _text(plain.get("content"))}
    seen |= {key: plain[key] for key in ("is_error", "tool_call_id", "name") if plain.get(key) is not None}
    if plain.get("tool_calls"):
        seen["tool_calls"] = [{k: call[k] for k in ("id", "name", "arguments")} for call in plain["tool_calls"]]
    return seen


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part["type"] == "text")
    return content or ""
