"""The rules across fields that types cannot say: pairing, order, emptiness, what a failing result holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Body = dict[str, Any]

MARKER = "_vf_is_error"


def chat(body: Body) -> list[str]:
    found: list[str] = []
    pending: list[str] = []
    for i, message in enumerate(body["messages"]):
        if message["role"] == "tool":
            if message["tool_call_id"] in pending:
                pending.remove(message["tool_call_id"])
            else:
                found.append(f"messages[{i}]: answers no open call")
            continue
        if pending:
            found.append(f"messages[{i}]: {message['role']} before the results of {pending}")
            pending = []
        if message["role"] == "assistant":
            pending = [call["id"] for call in message.get("tool_calls") or []]
            said = message.get("content") is not None or message.get("refusal")
            if len(set(pending)) < len(pending):
                found.append(f"messages[{i}]: one call id twice")
            if not said and not pending:
                found.append(f"messages[{i}]: an assistant that says and calls nothing")
    if pending:
        found.append(f"calls without a result: {pending}")
    return found + _marked(body)


OUTPUT_OF = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "shell_call": "shell_call_output",
}


def responses(body: Body) -> list[str]:
    found: list[str] = []
    open_calls: dict[str, str] = {}
    items = body["input"] if isinstance(body["input"], list) else []
    for i, item in enumerate(items):
        kind = item.get("type")
        if kind in OUTPUT_OF:
            if item["call_id"] in open_calls:
                found.append(f"input[{i}]: one call id twice")
            open_calls[item["call_id"]] = OUTPUT_OF[kind]
        elif kind in OUTPUT_OF.values():
            if open_calls.pop(item["call_id"], None) != kind:
                found.append(f"input[{i}]: {kind} answers no open call of its kind")
        elif kind == "reasoning":
            follower = items[i + 1] if i + 1 < len(items) else None
            if follower is None or follower.get("role") in ("user", "system", "developer"):
                found.append(f"input[{i}]: reasoning without the item it belongs to")
            if body.get("store") is False and not item.get("encrypted_content"):
                found.append(f"input[{i}]: store is false, which needs encrypted_content")
    if open_calls:
        found.append(f"calls without an output: {sorted(open_calls)}")
    return found + _marked(body)


def anthropic(body: Body) -> list[str]:
    found: list[str] = []
    messages = body["messages"]
    for i, message in enumerate(messages):
        blocks = _blocks(message)
        behind_results = False
        for j, block in enumerate(blocks):
            place = f"messages[{i}].content[{j}]"
            if block["type"] == "text" and not block["text"].strip():
                found.append(f"{place}: blank text")
            if block["type"] != "tool_result" or message["role"] != "user":
                behind_results = True
                continue
            found += [f"{place}: {problem}" for problem in _anthropic_result(block)]
            if behind_results:
                found.append(f"{place}: a result behind other content")
        if message["role"] == "assistant":
            follows = messages[i + 1 : i + 2]
            answers = _blocks(follows[0]) if follows and follows[0]["role"] == "user" else []
            calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
            results = [block["tool_use_id"] for block in answers if block["type"] == "tool_result"]
            if sorted(calls) != sorted(results):
                found.append(f"messages[{i + 1}]: results {results} for calls {calls}")
        behind_turn = i > 0 and messages[i - 1]["role"] == "assistant"
        if not behind_turn and any(block["type"] == "tool_result" for block in blocks):
            found.append(f"messages[{i}]: a result behind no assistant turn")
        if message["role"] == "system" and (i == 0 or messages[i - 1]["role"] == "system"):
            found.append(f"messages[{i}]: a system message out of place")
    return found + _marked(body)


def _blocks(message: Body) -> list[Body]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _anthropic_result(block: Body) -> list[str]:
    if not block.get("is_error"):
        return []
    content = block.get("content", "")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    found = []
    if not any(part.get("text", "").strip() for part in parts):
        found.append("a failing result without text")
    if any(part["type"] != "text" for part in parts):
        found.append("a failing result with more than text")
    return found


def mcp(body: Body) -> list[str]:
    found = []
    old = body["protocol"] < "2026-07-28"
    results = [body["result"]] if "result" in body else [entry["result"] for entry in body.get("results", [])]
    for result in results:
        if result.get("resultType", "complete") == "input_required" and ("isError" in result or "content" in result):
            found.append("input_required is no completed call and declares no outcome")
        if "is_error" in result:
            found.append("the wire spelling is isError")
        if old and not isinstance(result.get("structuredContent", {}), dict):
            found.append("structuredContent must be an object in this protocol")
        if old and "resultType" in result:
            found.append("resultType does not exist in this protocol")
    return found


def _marked(body: Body) -> list[str]:
    """The private marker never reaches a provider."""

    def places(node: Any, place: str) -> list[str]:
        if isinstance(node, dict):
            here = [f"{place}.{MARKER}: the private marker"] if MARKER in node else []
            return here + [found for key, value in node.items() for found in places(value, f"{place}.{key}")]
        if isinstance(node, list):
            return [found for i, value in enumerate(node) for found in places(value, f"{place}[{i}]")]
        return []

    return places(body, "$")


LINT: dict[str, Callable[[Body], list[str]]] = {
    "chat": chat,
    "responses": responses,
    "anthropic": anthropic,
    "mcp": mcp,
}
