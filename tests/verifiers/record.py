"""Makes real traces with the host framework and writes the records that it saves of them into this folder.

    python tests/verifiers/record.py

needs an environment with `verifiers==0.4.0` (and nothing of ours). Every trace is written twice: `<name>.full.json` is
`Trace.to_record()`, `<name>.saved.json` the same without nulls, as a line of `traces.jsonl` holds it.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
VERSION = "0.4.0"
IMAGE = "data:image/png;base64,iVBORw0KGgo="


def call(ident: str, arguments: str) -> dict[str, Any]:
    return {"id": ident, "type": "function", "function": {"name": "read", "arguments": arguments}}


def new_trace(name: str) -> Any:
    import verifiers.v1 as vf

    return vf.Trace(
        id=name,
        agent=vf.AgentInfo(config=vf.AgentConfig()),
        task=vf.TraceTask(type="Task", data=vf.TaskData(idx=0, prompt="go")),
        timing={"start": 0.0},
    )


class Rollout:
    """Turns of one trace, each a request body of a wire and the answer to it."""

    def __init__(self, name: str, dialect: Any) -> None:
        self.trace, self.dialect, self.used = new_trace(name), dialect, 100

    def turn(self, body: dict[str, Any], answer: dict[str, Any], *, tokens: bool = False) -> int:
        from verifiers.v1.graph import prepare_turn
        from verifiers.v1.types import AssistantMessage, Response

        request = self.dialect.parse_request(body)
        pending = prepare_turn(self.trace, request.messages, request.tools)
        message = AssistantMessage.model_validate(answer)
        response = Response(id="r", created=0, model="m", message=message, finish_reason="stop")
        if tokens:
            response.tokens = self.tokens(pending)
        return int(pending.commit(response))

    def tokens(self, pending: Any) -> Any:
        """Three tokens a message, the last of them its template, and two that were sampled."""
        from verifiers.v1.types import TurnTokens

        known = [t for n in pending.prefix_node_ids for t in self.trace.nodes[n].token_ids]
        spans: list[tuple[int, int] | None] = [None] * len(pending.prefix_node_ids)
        for _ in pending.tail:
            spans.append((len(known), len(known) + 3))
            known += range(self.used, self.used + 3)
            self.used += 3
        return TurnTokens(
            prompt_ids=known,
            completion_ids=[7, 8],
            completion_logprobs=[-0.12345678, -1.5],
            message_spans=spans,
            is_content=[n % 3 != 2 for n in range(len(known))],
        )


def chat() -> Any:
    """Tools, parallel calls, an image, a compaction (a second root), a retry of an answer (equal siblings)."""
    from verifiers.v1.dialects import ChatDialect

    rollout = Rollout("chat", ChatDialect())
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    tools = [
        {"type": "function", "function": {"name": "read", "description": "reads", "parameters": schema}},
        {"type": "function", "function": {"name": "stop", "strict": True}},
    ]
    history: list[dict[str, Any]] = [
        {"role": "system", "content": "be kind"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": IMAGE}}],
        },
    ]
    calls = [call("c1", '{"path": "a"}'), call("c2", '{"path":"b"}')]
    typed = [{"id": c["id"], "name": "read", "arguments": c["function"]["arguments"]} for c in calls]
    answer = {"content": None, "reasoning_content": "two files", "tool_calls": typed}
    rollout.turn({"messages": history, "tools": tools}, answer, tokens=True)
    history += [
        {"role": "assistant", "content": None, "reasoning_content": "two files", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "same", "name": "read"},
        {"role": "tool", "tool_call_id": "c2", "content": "same"},
    ]
    rollout.turn({"messages": history, "tools": tools}, {"content": "done"}, tokens=True)
    rollout.turn({"messages": history, "tools": tools}, {"content": "done"})
    rollout.turn({"messages": [*history[:2], {"role": "user", "content": ""}], "tools": tools}, {"content": ""})
    summary = [{"role": "user", "content": "what was said so far: \u00fc \U0001f600"}]
    last = rollout.turn({"messages": summary, "tools": tools}, {"content": "go on"})
    rollout.turn({"messages": summary}, {"content": "no tools"})
    return rollout.trace, last


def responses() -> Any:
    """Provider state, a custom tool with a format, a namespace, a tool that the provider runs."""
    from verifiers.v1.dialects import ResponsesDialect

    rollout = Rollout("responses", ResponsesDialect())
    tools = [
        {"type": "custom", "name": "shell", "description": "runs", "format": {"type": "text"}},
        {"type": "web_search", "search_context_size": "low"},
        {"type": "namespace", "name": "files", "tools": [{"type": "function", "name": "read", "parameters": {}}]},
    ]
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA=="}
    items: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    custom = {"id": "c1", "type": "custom", "name": "shell", "arguments": "ls -l"}
    rollout.turn(
        {"input": items, "tools": tools}, {"content": None, "tool_calls": [custom], "provider_state": [reasoning]}
    )
    items += [
        reasoning,
        {"type": "custom_tool_call", "call_id": "c1", "name": "shell", "input": "ls -l"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "a.txt"},
    ]
    named = {"id": "c2", "name": "read", "namespace": "files", "arguments": "{}"}
    last = rollout.turn({"input": items, "tools": tools}, {"content": "reading", "tool_calls": [named]})
    return rollout.trace, last


def main() -> int:
    found = importlib.metadata.version("verifiers")
    if found != VERSION:
        print(f"this needs verifiers {VERSION}, not {found}", file=sys.stderr)
        return 2
    from verifiers.v1.semantic import ParentLink

    for make in (chat, responses):
        trace, last = make()
        trace.nodes[last].semantic_parents.append(ParentLink(node=0, type="subagent_return"))
        trace.nodes[last].advantages = [0.5, -0.25]
        for n, node in enumerate(trace.nodes):
            node.timestamp = 1769000000.125 + n
        full = trace.to_record()
        saved = json.loads(trace.model_dump_json(exclude_none=True, exclude={"nodes": {"__all__": {"routed_experts"}}}))
        for style, record in ("full", full), ("saved", saved):
            text = json.dumps(record, indent=1, ensure_ascii=True)
            (FOLDER / f"{trace.id}.{style}.json").write_text(text + "\n", encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
