"""Answers and their streams as Python sees them: what goes in and comes out, threads, and named targets."""

from __future__ import annotations

import copy
import json
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest
import toolwire
from toolwire import (
    AnthropicDialect,
    AssistantMessage,
    BedrockDialect,
    ChatDialect,
    GeminiDialect,
    JsonError,
    LossError,
    LossWarning,
    Response,
    ResponsesDialect,
    Rollout,
    ShapeError,
    ToolCall,
    UnsupportedError,
    Usage,
)

CHAT = ChatDialect()
DIALECTS = [ChatDialect, ResponsesDialect, AnthropicDialect, GeminiDialect, BedrockDialect]
CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
BODY: dict[str, Any] = {
    "id": "r1",
    "object": "chat.completion",
    "created": 1,
    "model": "m-1",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Grüße", "tool_calls": [CALL]},
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {
        "prompt_tokens": 9,
        "completion_tokens": 4,
        "total_tokens": 13,
        "prompt_tokens_details": {"cached_tokens": 2},
    },
}
ANSWER = CHAT.parse_response(BODY)


def stream() -> bytes:
    return b"".join(CHAT.stream_events(ANSWER))


def test_an_answer_says_who_what_why_and_what_it_cost() -> None:
    assert ANSWER.message == AssistantMessage("Grüße", tool_calls=[ToolCall("c1", "read", '{"path": "a"}')])
    assert (ANSWER.id, ANSWER.model, ANSWER.dialect) == ("r1", "m-1", "chat")
    assert (ANSWER.finish_reason, ANSWER.native_finish_reason) == ("tool_calls", "tool_calls")
    assert ANSWER.usage == Usage(7, 4, 2)
    assert (ANSWER.complete, ANSWER.unfinished, ANSWER.error) == (True, (), None)
    assert ANSWER.native == BODY
    assert ANSWER.native_outcomes() == ()


def test_a_body_may_be_bytes_text_a_mapping_or_an_object_of_an_sdk() -> None:
    from openai.types.chat import ChatCompletion

    text = json.dumps(BODY)
    forms = [text, text.encode(), bytearray(text.encode()), memoryview(text.encode()), ChatCompletion(**BODY)]
    for form in forms:
        assert CHAT.parse_response(form).message == ANSWER.message
        assert CHAT.parse_response(form).usage == ANSWER.usage


def test_a_lone_surrogate_is_warned_about() -> None:
    body = copy.deepcopy(BODY)
    body["choices"][0]["message"]["content"] = "\ud800"
    with pytest.warns(LossWarning, match=r"^choices\[0\].message.content: surrogate.replaced: "):
        assert CHAT.parse_response(body).message.content == "\N{REPLACEMENT CHARACTER}"


def test_a_lone_surrogate_in_a_stream_is_warned_about_where_it_stood() -> None:
    event = b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n'
    parser = CHAT.stream_parser()
    for _ in range(3):
        parser.feed(event % rb"x\ud83d\ude00")
    with pytest.warns(LossWarning, match=r"^events\[3\].choices\[0\].delta.content: surrogate.replaced: ") as caught:
        parser.feed(event % rb"\ud800")
    assert len(caught) == 1
    assert parser.finish().message.content == "x\U0001f600" * 3 + "\N{REPLACEMENT CHARACTER}"


def test_an_error_is_no_answer() -> None:
    with pytest.raises(ShapeError, match=r"^error: "):
        CHAT.parse_response({"error": {"message": "overloaded"}})
    with pytest.raises(JsonError):
        CHAT.parse_response(b"{")


def test_a_call_that_its_provider_cut_is_never_given_out_as_whole() -> None:
    body = copy.deepcopy(BODY)
    choice = body["choices"][0]
    choice["finish_reason"] = "length"
    choice["message"]["tool_calls"].append({**CALL, "id": "c2", "function": {"name": "read", "arguments": '{"pa'}})
    answer = CHAT.parse_response(body)
    assert answer.message == ANSWER.message
    assert answer.unfinished == (ToolCall("c2", "read", '{"pa'),)
    assert not answer.complete
    with pytest.raises(ShapeError, match=r"^complete: "):
        CHAT.render_response(answer)


def test_the_own_wire_gets_its_own_body_back_and_a_changed_answer_is_written_anew() -> None:
    assert CHAT.render_response(ANSWER).body == BODY
    assert CHAT.render_response(ANSWER).losses == ()
    said = ANSWER.replace(message=AssistantMessage("other"), finish_reason="stop", native_finish_reason=None)
    body = CHAT.render_response(said).body
    assert body["choices"][0]["message"]["content"] == "other"
    assert "tool_calls" not in body["choices"][0]["message"]
    assert CHAT.render_response(ANSWER.to_dict()) == CHAT.render_response(ANSWER)


@pytest.mark.parametrize("wrong", [{"complete": True}, {"complete": None}, {}])
def test_nobody_takes_a_cut_answer_for_a_whole_one(wrong: dict[str, Any]) -> None:
    cut: dict[str, Any] = {"message": {"role": "assistant"}, "unfinished": [{"id": "c", "name": "f", "arguments": "{"}]}
    with pytest.raises(ShapeError, match=r"^complete: expected false"):
        Response.from_dict({**cut, **wrong})
    with pytest.raises(ShapeError, match=r"^complete: expected false"):
        Response(AssistantMessage(), error="overloaded", **wrong)
    answer = Response.from_dict({**cut, "complete": False})
    for write in (CHAT.render_response, CHAT.stream_events):
        with pytest.raises(ShapeError, match=r"^complete: "):
            write(answer)


def test_every_split_gives_the_same_answer() -> None:
    data = stream()
    for size in (1, 2, 3, 7, 64, len(data)):
        parser = CHAT.stream_parser()
        assert parser.dialect == "chat"
        for at in range(0, len(data), size):
            assert parser.feed(data[at : at + size]) is None
        answer = parser.finish()
        assert (answer.message, answer.usage, answer.finish_reason) == (ANSWER.message, ANSWER.usage, "tool_calls")
        assert answer.complete
        assert parser.finish() == answer


def test_a_cut_stream_is_never_complete_and_its_open_call_is_not_in_the_message() -> None:
    data = stream()
    unfinished = 0
    for end in range(len(data) - len(b"data: [DONE]\n\n")):
        parser = CHAT.stream_parser()
        parser.feed(data[:end])
        answer = parser.finish()
        assert not answer.complete
        unfinished += len(answer.unfinished)
        assert not answer.unfinished or answer.message.tool_calls == ()
    assert unfinished


def test_a_parser_takes_buffers_of_bytes_and_nothing_else() -> None:
    data = stream()
    parser = CHAT.stream_parser()
    parser.feed(bytearray(data[:10]))
    parser.feed(memoryview(data)[10:])
    assert parser.finish().complete
    for wrong in (data.decode(), None, 3, [data]):
        with pytest.raises(ShapeError, match=r"^\$: expected bytes, not "):
            parser.feed(wrong)
        with pytest.raises(ShapeError, match=r"^\$: expected bytes, not "):
            CHAT.is_terminal_event(wrong)


def test_an_event_that_cannot_be_read_is_named_and_ends_the_reading() -> None:
    events = CHAT.stream_events(ANSWER)
    parser = CHAT.stream_parser()
    parser.feed(events[0])
    with pytest.raises(JsonError, match=r"^events\[1\]"):
        parser.feed(b"data: {\n\n")
    with pytest.raises(ShapeError):
        parser.feed(b"".join(events[1:]))
    assert not parser.finish().complete


def test_the_last_event_ends_the_turn() -> None:
    events = CHAT.stream_events(ANSWER)
    assert [CHAT.is_terminal_event(event) for event in events] == [False] * (len(events) - 1) + [True]
    assert not CHAT.is_terminal_event(b"")
    assert not CHAT.is_terminal_event(b"data: \xff\n\n")


def test_a_parser_equals_itself_alone() -> None:
    parser = CHAT.stream_parser()
    assert parser == parser
    assert parser != CHAT.stream_parser()
    for take in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            take(parser)
    with pytest.raises(TypeError):
        toolwire.StreamParser()


def test_threads_may_share_a_parser() -> None:
    """Whole events from many threads: none is lost, and asking in between does not disturb."""
    head, *_, done = CHAT.stream_events(Response(AssistantMessage("x"), "r", "m", "stop"))
    end = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    piece = b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n'
    long = piece % (b"y" * 300_000)
    parser = CHAT.stream_parser()
    parser.feed(head)

    def feed(event: bytes) -> None:
        for _ in range(50):
            parser.feed(event)
            parser.finish()

    before = len(parser.finish().message.content or "")
    # The long ones are read without the interpreter, the short ones with it.
    threads = [threading.Thread(target=feed, args=(piece % b"z",)) for _ in range(3)]
    threads += [threading.Thread(target=lambda: [parser.feed(long) for _ in range(5)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    parser.feed(end)
    parser.feed(done)
    answer = parser.finish()
    assert answer.complete
    assert len(answer.message.content or "") == before + 150 + 10 * 300_000


def test_targets_by_name() -> None:
    assert toolwire.TARGETS["gemini-2"] == "gemini"
    assert toolwire.TARGETS["palmyra"] == "bedrock"
    assert set(toolwire.TARGETS.values()) <= {cls.name for cls in DIALECTS}
    assert len(toolwire.TARGETS_AS_OF) == len("2026-11-30")
    classes = {cls.name: cls for cls in DIALECTS}
    for name, dialect in toolwire.TARGETS.items():
        made = classes[dialect](name)
        assert made.target == name
        assert made == classes[dialect](target=name) != classes[dialect]()
        assert repr(made) == f"{classes[dialect].__name__}({name!r})"
        assert len({made, classes[dialect](), pickle.loads(pickle.dumps(made))}) == 2


@pytest.mark.parametrize("cls", DIALECTS)
def test_a_target_of_another_wire_is_refused(cls: Any) -> None:
    own = ", ".join(name for name, dialect in toolwire.TARGETS.items() if dialect == cls.name) or "none"
    for wrong in ("no such", "", "\ud800", 3, cls):
        with pytest.raises(
            ShapeError, match=rf"^target: expected the name of a target of {cls.name}, which has {own}$"
        ):
            cls(wrong)
    foreign = next(name for name, dialect in toolwire.TARGETS.items() if dialect != cls.name)
    with pytest.raises(UnsupportedError, match=rf"^target: {foreign} is a target of .*; {cls.name} has {own}$"):
        cls(foreign)


@pytest.mark.parametrize("cls", [GeminiDialect, BedrockDialect])
def test_a_rollout_follows_three_wires_only(cls: Any) -> None:
    for named in (cls, cls(), cls.name):
        with pytest.raises(UnsupportedError, match=rf"^dialect: .*not {cls.name}$"):
            Rollout(named)
    for other in (ChatDialect, ResponsesDialect, AnthropicDialect):
        assert Rollout(other).dialect == other.name


@pytest.mark.parametrize("cls", DIALECTS)
def test_a_stream_in_which_nothing_came_is_an_empty_answer(cls: Any) -> None:
    answer = cls().stream_parser().finish()
    assert (answer.message.content, answer.message.tool_calls) == (None, ())
    assert (answer.complete, answer.error) == (False, None)


@pytest.mark.parametrize("cls", [ChatDialect, ResponsesDialect, AnthropicDialect, GeminiDialect])
def test_an_error_that_is_sent_as_it_is_ends_the_stream(cls: Any) -> None:
    error = b'{"error": {"message": "bad gateway"}}'
    parser = cls().stream_parser()
    parser.feed(b": here it comes\n\n")
    parser.feed(error)
    answer = parser.finish()
    assert (answer.error, answer.complete) == ({"message": "bad gateway"}, False)
    assert cls().is_terminal_event(error)


def test_what_stands_beside_the_turn_is_lost_on_another_wire() -> None:
    body = copy.deepcopy(BODY)
    body["system_fingerprint"] = "fp_1"
    body["choices"].append({**body["choices"][0], "index": 1})
    answer = CHAT.parse_response(body)
    assert CHAT.render_response(answer, strict=True).losses == ()
    lost = [(loss.code, loss.path) for loss in AnthropicDialect().render_response(answer).losses]
    assert lost[-2:] == [("field.dropped", "system_fingerprint"), ("field.dropped", "choices[1]")]
    with pytest.raises(toolwire.LossError):
        GeminiDialect().render_response(answer, strict=True)


def test_what_is_there_is_in_the_folder_of_streams() -> None:
    """The recorded streams, through the class."""
    folder = Path(__file__).parent.parent / "streams"
    for file in sorted(folder.glob("*/*.sse")):
        cls = next(cls for cls in DIALECTS if cls.name == file.parent.name)
        parser = cls().stream_parser()
        try:
            parser.feed(file.read_bytes())
        except toolwire.ToolwireError:
            continue
        answer = parser.finish()
        assert Response.from_dict(answer.to_dict()) == answer


@pytest.mark.filterwarnings("ignore::toolwire.LossWarning")
@pytest.mark.parametrize("wire", [ChatDialect, ResponsesDialect, AnthropicDialect, GeminiDialect, BedrockDialect])
def test_no_marker_leaves_in_an_answer(wire: Any) -> None:
    block = {"type": "text", "text": "x", "_vf_is_error": False}
    body = {"role": "assistant", "content": [block], "stop_reason": "end_turn", "_vf_is_error": True}
    call = ToolCall(id="a", name="f", arguments='{"\\u005fvf_is_error":true,"n":1}')
    by_hand = Response(AssistantMessage(tool_calls=[call]), finish_reason="tool_calls", id="r", model="m")
    for response in (AnthropicDialect().parse_response(body), by_hand):
        rendered = wire().render_response(response)
        assert not any("_vf_is_error" in found for found in _objects(rendered.body))
        stream = b"".join(wire().stream_events(response))
        parser = wire().stream_parser()
        parser.feed(stream)
        assert not any("_vf_is_error" in found for found in _objects(parser.finish().native))
    if wire is AnthropicDialect:
        with pytest.raises(LossError):
            wire().render_response(AnthropicDialect().parse_response(body), strict=True)


def _objects(value: Any) -> list[Any]:
    """Every object in a body."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value] * isinstance(value, dict) + [found for member in inner for found in _objects(member)]
