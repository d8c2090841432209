"""Copies: what `replace` changes, what follows from it, and copies of what Python cannot hold."""

from __future__ import annotations

import copy
import pickle
import sys
import time
from typing import Any

import pytest
from toolwire import (
    AssistantMessage,
    ChatDialect,
    ImagePart,
    Loss,
    NativePart,
    Request,
    Tool,
    ToolMessage,
    UserMessage,
)

CHAT = ChatDialect()
CALLS = [{"id": f"c{n}", "type": "function", "function": {"name": "f", "arguments": "{}"}} for n in range(2)]
BODY: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"role": "tool", "tool_call_id": "c0", "content": "x"},
    ],
}
MORE = ToolMessage("c1", "y", is_error=True)


def test_a_message_that_was_not_read_is_added() -> None:
    request = CHAT.parse_request(BODY)
    assert request.added is None
    longer = request.replace(messages=[*request.messages, MORE])
    assert longer.added == (3,)
    assert longer.messages == (*request.messages, MORE)
    assert longer.replace(model="n").added == (3,)
    assert longer.replace(messages=longer.messages).added == (3,)
    # An added message stays one, wherever it moves; those that were read stay read.
    assert longer.replace(messages=[MORE, *request.messages]).added == (0,)
    assert longer.replace(messages=[*longer.messages, MORE, request.messages[0]]).added == (3, 4)
    assert longer.replace(messages=request.messages).added == ()
    edited = request.messages[2].replace(is_error=True)
    assert request.replace(messages=[*request.messages[:2], edited]).added == (2,)


def test_messages_taken_out_or_kept() -> None:
    request = CHAT.parse_request(BODY)
    assert request.replace(messages=request.messages[:2]).added == ()
    assert request.replace(messages=request.messages).added is None
    assert request.replace(messages=[m.to_dict() for m in request.messages]).added is None
    assert request.replace(tools=[Tool("f")]).added is None
    if sys.version_info >= (3, 13):
        assert copy.replace(request, messages=[*request.messages, MORE]).added == (3,)
    assert request.__replace__(messages=[*request.messages, MORE]).added == (3,)


def test_the_caller_knows_better() -> None:
    request = CHAT.parse_request(BODY)
    messages = [*request.messages, MORE]
    assert request.replace(messages=messages, added=[0, 3]).added == (0, 3)
    assert request.replace(messages=messages, added=None).added is None
    assert request.replace(added=()).added == ()
    by_hand = Request(request.messages)
    assert by_hand.replace(messages=messages).added is None
    assert request.replace(messages=messages, dialect=None).added is None


def test_added_is_a_field_like_others() -> None:
    request = Request([UserMessage("a")], dialect="chat", added=[0])
    assert "added=(0,)" in repr(request)
    assert request.to_dict()["added"] == [0]
    assert request != Request([UserMessage("a")], dialect="chat")
    assert pickle.loads(pickle.dumps(request)).added == (0,)
    for wrong in ([-1], ["0"], [0.5], 3):
        with pytest.raises(ValueError, match=r"^added"):
            Request([UserMessage("a")], added=wrong)  # type: ignore[arg-type]


def test_many_messages_take_no_square_of_their_time() -> None:
    request = Request([UserMessage(str(n)) for n in range(20_000)], dialect="chat")
    start = time.perf_counter()
    turned = request.replace(messages=[MORE, *reversed(request.messages)])
    assert turned.added == (0,)
    # Each with each would be 400 million comparisons.
    assert time.perf_counter() - start < 20


LONG = b"9" * 5000
HUGE = b'{"messages":[{"role":"user","content":"a","x":1e400}],"seed":' + LONG + b',"temperature":1e400}'


def held() -> list[Any]:
    """Objects with numbers that Python has no value for."""
    request = CHAT.parse_request(HUGE)
    message = request.messages[0]
    rendered = CHAT.render_request(request)
    schema = b'{"messages":[],"tools":[{"type":"function","function":{"name":"f","parameters":{"maximum":1e400}}}]}'
    return [request, message, rendered, CHAT.parse_request(schema).tools[0]]


@pytest.mark.parametrize("n", range(4))
def test_numbers_that_python_cannot_hold(n: int) -> None:
    thing = held()[n]
    with pytest.raises(ValueError, match=r"no double|more digits"):
        thing.to_dict()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(thing, protocol))
        assert back == thing
        assert hash(back) == hash(thing)
    assert "..." in repr(thing)
    assert copy.copy(thing) == copy.deepcopy(thing) == copy.deepcopy([thing])[0] == thing
    assert thing.replace() == thing.__replace__() == thing


def test_other_fields_beside_such_numbers() -> None:
    request, message, rendered, tool = held()
    other = request.replace(model="m")
    assert other.model == "m"
    written = CHAT.render_request(other).to_bytes()
    assert b'"model":"m"' in written
    assert written.count(b"1e400") == 2
    assert LONG in written
    assert message.replace(content="b") != message
    assert message.replace(content="b").replace(content="a") == message
    assert tool.replace(name="g").replace(name="f") == tool
    loss = Loss("name.dropped", "x", "y")
    assert rendered.replace(losses=[loss]).to_bytes() == rendered.to_bytes()
    assert rendered.replace(losses=[loss]).losses == (loss,)
    assert rendered.replace(body={"a": 1}).body == {"a": 1}


def test_the_spelling_of_numbers_survives() -> None:
    body = b'{"messages":[],"seed":1.50,"n":1E2}'
    request = CHAT.parse_request(body)
    for same in (request.replace(), pickle.loads(pickle.dumps(request)), request.replace(stream=None)):
        assert CHAT.render_request(same).to_bytes() == body


def test_nesting_at_the_limit() -> None:
    deep = CHAT.parse_request(b'{"messages":[],"x":' + b"[" * 511 + b"]" * 511 + b"}")
    assert deep.replace(model="m").replace(model=None) == deep
    rendered = CHAT.render_request(deep)
    assert rendered.replace(losses=()) == rendered
    assert pickle.loads(pickle.dumps(rendered)) == rendered
    less = CHAT.parse_request(b'{"messages":[],"x":' + b"[" * 500 + b"]" * 500 + b"}")
    assert pickle.loads(pickle.dumps(less)) == less


def test_replace_keeps_nested_spellings() -> None:
    image = ImagePart("https://x/y.png", "high")
    assert image.replace(url="u") == ImagePart("u", "high")
    assert image.replace(detail=None) == ImagePart("https://x/y.png")
    assert NativePart("chat", {"a": [1, None]}).replace(dialect="mcp") == NativePart("mcp", {"a": [1, None]})
    text = "x" * 100_000
    assert ToolMessage("c", text).replace(is_error=True).content is text
    assert AssistantMessage("a", tool_calls=[]).replace(content=None) == AssistantMessage()
