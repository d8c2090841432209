"""A step of the script as the provider's answer on each wire, whole and as a stream."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

MODEL = "scripted-model"
Json = dict[str, Any]


def sse(payload: Json, event: str = "") -> bytes:
    return (f"event: {event}\n" if event else "").encode() + f"data: {json.dumps(payload)}\n\n".encode()


class Wire(ABC):
    """One request, and how it is answered."""

    def __init__(self, body: Json) -> None:
        self.body = body
        self.turns = self.count()

    def count(self) -> int:
        """The assistant turns in the request."""
        return sum(message["role"] == "assistant" for message in self.body["messages"])

    def calls(self, step: Json) -> Iterator[tuple[str, str, Any]]:
        """The calls of a step: id, the name by which the request declares the tool, arguments."""
        declared = [tool.get("function", tool).get("name", "") for tool in self.body.get("tools") or []]
        for index, (name, arguments) in enumerate(step.get("calls", [])):
            known = next((tool for tool in declared if tool.endswith(f"_{name}")), name)
            yield f"call_{self.turns}_{index}", known, arguments

    @abstractmethod
    def whole(self, step: Json) -> Json: ...

    @abstractmethod
    def events(self, step: Json) -> Iterator[bytes]: ...


class Chat(Wire):
    def whole(self, step: Json) -> Json:
        message = {"role": "assistant", "content": step.get("text")}
        calls = [
            {
                "id": call,
                "type": "function",
                "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
            }
            for call, name, given in self.calls(step)
        ]
        if calls:
            message["tool_calls"] = calls
        finish = "tool_calls" if calls else "stop"
        return {
            **self.head("chat.completion"),
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }

    def events(self, step: Json) -> Iterator[bytes]:
        whole = self.whole(step)
        choice, head = whole["choices"][0], self.head("chat.completion.chunk")
        delta = choice["message"]
        if "tool_calls" in delta:
            delta["tool_calls"] = [{"index": index, **call} for index, call in enumerate(delta["tool_calls"])]
        yield sse({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        yield sse({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
        yield sse({**head, "choices": [], "usage": whole["usage"]})
        yield b"data: [DONE]\n\n"

    def head(self, kind: str) -> Json:
        return {"id": f"cmpl_{self.turns}", "object": kind, "created": 1, "model": MODEL}


class Anthropic(Wire):
    def whole(self, step: Json) -> Json:
        content: list[Json] = [{"type": "text", "text": step["text"]}] if "text" in step else []
        content += [
            {"type": "tool_use", "id": call, "name": name, "input": given} for call, name, given in self.calls(step)
        ]
        return {
            "id": f"msg_{self.turns}",
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": content,
            "stop_reason": "tool_use" if "calls" in step else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }

    def events(self, step: Json) -> Iterator[bytes]:
        whole = self.whole(step)
        named: list[tuple[str, Json]] = [("message_start", {"message": {**whole, "content": [], "stop_reason": None}})]
        for index, block in enumerate(whole["content"]):
            if block["type"] == "text":
                empty = {**block, "text": ""}
                delta = {"type": "text_delta", "text": block["text"]}
            else:
                empty = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            named += [
                ("content_block_start", {"index": index, "content_block": empty}),
                ("content_block_delta", {"index": index, "delta": delta}),
                ("content_block_stop", {"index": index}),
            ]
        last = {"delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None}, "usage": {"output_tokens": 5}}
        named += [("message_delta", last), ("message_stop", {})]
        for event, payload in named:
            yield sse({"type": event, **payload}, event)


class Responses(Wire):
    def count(self) -> int:
        # A turn is a run of items that are neither a person's nor a tool's output.
        turns, inside = 0, False
        for item in self.body["input"] if isinstance(self.body["input"], list) else []:
            kind = item.get("type", "message")
            assistant = item.get("role") == "assistant" if kind == "message" else not kind.endswith("_output")
            turns += assistant and not inside
            inside = assistant
        return turns

    def whole(self, step: Json) -> Json:
        output: list[Json] = []
        if "text" in step:
            part = {"type": "output_text", "text": step["text"], "annotations": []}
            message = {"type": "message", "id": f"msg_{self.turns}", "role": "assistant", "status": "completed"}
            output.append({**message, "content": [part]})
        output += [
            {
                "type": "function_call",
                "id": call.replace("call", "fc"),
                "call_id": call,
                "name": name,
                "arguments": json.dumps(given),
                "status": "completed",
            }
            for call, name, given in self.calls(step)
        ]
        return {
            "id": f"resp_{self.turns}",
            "object": "response",
            "created_at": 1,
            "model": MODEL,
            "status": "completed",
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": {
                "input_tokens": 10,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 15,
            },
        }

    def events(self, step: Json) -> Iterator[bytes]:
        whole = self.whole(step)
        begun = {**whole, "status": "in_progress", "output": [], "usage": None}
        named: list[tuple[str, Json]] = [("response.created", {"response": begun})]
        for index, item in enumerate(whole["output"]):
            named.append(("response.output_item.done", {"output_index": index, "item": item}))
        named.append(("response.completed", {"response": whole}))
        for number, (event, payload) in enumerate(named):
            yield sse({"type": event, "sequence_number": number, **payload}, event)
