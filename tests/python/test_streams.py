"""Streams beside the official SDKs: their clients, fed the same bytes, see the same answer, in recorded streams and in ours."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
import toolwire

openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")
pydantic = pytest.importorskip("pydantic")

TESTS = Path(__file__).parent.parent
DIALECTS = {
    "chat": toolwire.ChatDialect(),
    "responses": toolwire.ResponsesDialect(),
    "anthropic": toolwire.AnthropicDialect(),
}
# What the SDKs do not read, or read in another way.
NOT_IN_SDKS = {
    "anthropic/text_without_names",  # events go by their names alone
    "chat/calls_under_one_index",
    "chat/calls_whole_without_index",
    "chat/empty_first_chunk",
    "chat/reasoning_details",  # several pieces of a detail become one for each
    "chat/text_crlf_and_comments",  # a comment behind an id counts as an event
    "chat/two_choices",  # the second one may not come first
    "responses/output_not_repeated",  # the last event is all that counts
}


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


STREAMS = sorted(path for wire in DIALECTS for path in (TESTS / "streams" / wire).glob("*.sse"))
COMPLETE = [path for path in STREAMS if json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["complete"]]
ANSWERS = sorted(p for wire in DIALECTS for p in (TESTS / "answers" / wire).glob("*.json") if "." not in p.stem)


def parse(wire: str, stream: bytes, size: int) -> Any:
    parser = DIALECTS[wire].stream_parser()
    for start in range(0, len(stream), size):
        parser.feed(stream[start : start + size])
    return parser.finish()


def client(wire: str, stream: bytes) -> Any:
    """An official client whose every request is answered with this stream."""
    sdk = anthropic if wire == "anthropic" else openai
    base = next(cls for cls in sdk.DefaultHttpxClient.__mro__ if cls.__module__.split(".")[0] in ("httpx", "httpx2"))
    httpx = importlib.import_module(base.__module__.split(".")[0])
    headers = {"content-type": "text/event-stream"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, content=stream))
    made = anthropic.Anthropic if wire == "anthropic" else openai.OpenAI
    return made(api_key="none", http_client=httpx.Client(transport=transport), max_retries=0)


def by_sdk(wire: str, stream: bytes) -> dict[str, Any]:
    """What the accumulator of the official SDK makes of a stream."""
    hello: list[Any] = [{"role": "user", "content": "Hello"}]
    if wire == "chat":
        with client(wire, stream).chat.completions.stream(model="m", messages=hello) as events:
            for _ in events:
                pass
            whole = events._state.current_completion_snapshot.to_dict(mode="json", warnings=False)
        message = whole["choices"][0]["message"]
        calls = [
            (call["id"], inner["name"], inner.get("arguments", inner.get("input")))
            for call in message.get("tool_calls") or []
            for inner in [call.get("function") or call["custom"]]
        ]
        texts, ended = [message.get("content")], whole["choices"][0]["finish_reason"]
    elif wire == "responses":
        with client(wire, stream).responses.stream(model="m", input="Hello") as events:
            whole = None
            for event in events:
                if event.type in ("response.completed", "response.incomplete"):
                    whole = event.response.to_dict(mode="json", warnings=False)
        assert whole is not None
        calls = [
            (item["call_id"], item["name"], item.get("arguments", item.get("input")))
            for item in whole["output"]
            if item["type"] in ("function_call", "custom_tool_call")
        ]
        messages = [item for item in whole["output"] if item["type"] == "message"]
        texts = [part.get("text") for item in messages for part in item["content"]]
        ended = (whole["incomplete_details"] or {}).get("reason") or whole["status"]
    else:
        with client(wire, stream).messages.stream(model="m", messages=hello, max_tokens=1) as events:
            whole = events.get_final_message().to_dict(mode="json", warnings=False)
        calls = [(b["id"], b["name"], b["input"]) for b in whole["content"] if b["type"] == "tool_use"]
        texts = [block["text"] for block in whole["content"] if block["type"] == "text"]
        ended = whole["stop_reason"]
    usage = whole.get("usage")
    return {
        "id": whole["id"],
        "model": whole["model"],
        "text": "".join(text or "" for text in texts),
        "calls": calls,
        "ended": ended,
        "usage": DIALECTS[wire].parse_response(minimal(wire, usage)).usage,
    }


def minimal(wire: str, usage: Any) -> dict[str, Any]:
    """A body with these counts, which the other tests of the core hold against those of the host framework."""
    message = {"role": "assistant", "content": "x"}
    if wire == "chat":
        return {"choices": [{"message": message}], "usage": usage}
    return {"role": "assistant", "content": [], "output": [], "usage": usage}


def ours(wire: str, response: Any) -> dict[str, Any]:
    calls = [(call.id, call.name, call.arguments) for call in response.message.tool_calls]
    return {
        "id": response.id,
        "model": response.model,
        "text": response.message.content or "",
        "calls": [(*call[:2], json.loads(call[2])) for call in calls] if wire == "anthropic" else calls,
        "ended": response.native_finish_reason,
        "usage": response.usage,
    }


@pytest.mark.parametrize("path", [p for p in COMPLETE if named(p) not in NOT_IN_SDKS], ids=named)
def test_the_sdk_sees_the_same_in_a_recorded_stream(path: Path) -> None:
    wire, stream = path.parent.name, path.read_bytes()
    response = parse(wire, stream, 7)
    assert response.complete
    assert ours(wire, response) == by_sdk(wire, stream)


def whole_answers() -> list[Any]:
    read = [(path, DIALECTS[path.parent.name].parse_response(path.read_bytes())) for path in ANSWERS]
    read += [(path, parse(path.parent.name, path.read_bytes(), 1000)) for path in COMPLETE]
    return [pytest.param(response, wire, id=f"{named(path)}-{wire}") for path, response in read for wire in DIALECTS]


@pytest.mark.filterwarnings("ignore::toolwire.LossWarning")
@pytest.mark.parametrize(("response", "wire"), whole_answers())
def test_the_sdk_takes_what_is_written(response: Any, wire: str) -> None:
    """The body is one of the SDK's own type, the stream is understood by its accumulator, and both say the same."""
    try:
        body = DIALECTS[wire].render_response(response).body
    except toolwire.UnsupportedError:
        pytest.skip("what a provider ran itself has no form elsewhere")
    if response.dialect != wire:
        answer(wire).validate_python(body, strict=True)
    events = DIALECTS[wire].stream_events(response)
    if not (wire == "chat" and "custom" in json.dumps(body)):
        for event in events:
            data = event.decode().split("data: ", 1)[1].strip()
            if data != "[DONE]" and response.dialect != wire:
                event_of(wire).validate_json(data, strict=True)
    stream = b"".join(events)
    read = parse(wire, stream, 7)
    assert read.complete
    sdk = by_sdk(wire, stream)
    assert ours(wire, read) == sdk
    assert ours(wire, DIALECTS[wire].parse_response(body)) == sdk


def answer(wire: str) -> Any:
    if wire == "chat":
        return pydantic.TypeAdapter(importlib.import_module("openai.types.chat").ChatCompletion)
    if wire == "responses":
        return pydantic.TypeAdapter(importlib.import_module("openai.types.responses").Response)
    return pydantic.TypeAdapter(anthropic.types.Message)


def event_of(wire: str) -> Any:
    if wire == "chat":
        return pydantic.TypeAdapter(importlib.import_module("openai.types.chat").ChatCompletionChunk)
    if wire == "responses":
        return pydantic.TypeAdapter(importlib.import_module("openai.types.responses").ResponseStreamEvent)
    return pydantic.TypeAdapter(anthropic.types.RawMessageStreamEvent)
