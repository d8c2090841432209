"""An answer behind its request: which messages count as read, and the next request in every wire."""

from __future__ import annotations

from typing import Any

import pytest
import toolwire
from toolwire import (
    AssistantMessage,
    Request,
    Response,
    ShapeError,
    Tool,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
    reply,
)

DIALECTS: dict[str, Any] = {
    "chat": toolwire.ChatDialect(),
    "responses": toolwire.ResponsesDialect(),
    "anthropic": toolwire.AnthropicDialect(),
    "gemini": toolwire.GeminiDialect(),
    "bedrock": toolwire.BedrockDialect(),
}
CALLS = [ToolCall("c1", "probe", '{"n":1}'), ToolCall("c2", "probe", '{"n":2}')]
HAND = Response(AssistantMessage("I look.", tool_calls=CALLS), "r1", "m", "tool_calls", usage=Usage(3, 4))
TOOLS = [Tool("probe", "looks", {"type": "object", "properties": {"n": {"type": "integer"}}})]
PLAIN = Request(
    [
        UserMessage("go"),
        AssistantMessage("First.", tool_calls=[ToolCall("c0", "probe", '{"n":0}')]),
        ToolMessage("c0", "nothing", "probe", is_error=False),
    ],
    "m",
    TOOLS,
    sampling={"max_tokens": 99},
)


def request_of(wire: str) -> Request:
    """The request as that wire reads it."""
    dialect = DIALECTS[wire]
    request: Request = dialect.parse_request(dialect.render_request(PLAIN).body)
    return request


def answer_of(wire: str) -> Response:
    """The answer as that wire reads it."""
    dialect = DIALECTS[wire]
    response: Response = dialect.parse_response(dialect.render_response(HAND).body)
    return response


@pytest.mark.parametrize("asked", DIALECTS)
@pytest.mark.parametrize("answered", DIALECTS)
def test_the_next_request_in_every_wire(asked: str, answered: str) -> None:
    request, response = request_of(asked), answer_of(answered)
    assert [call.name for call in response.message.tool_calls] == ["probe", "probe"]
    longer = reply(request, response)
    assert longer.messages[:-1] == request.messages
    assert longer.added == (None if asked == answered else (len(request.messages),))
    calls = longer.messages[-1].tool_calls
    results = [
        ToolMessage(calls[0].id, "bad", "probe", is_error=True),
        ToolMessage(calls[1].id, "fine", "probe", is_error=False),
    ]
    whole = longer.replace(messages=[*longer.messages, *results])
    at = len(longer.messages)
    assert whole.added == ((at, at + 1) if asked == answered else (at - 1, at, at + 1))
    for target, dialect in DIALECTS.items():
        read = dialect.parse_request(dialect.render_request(whole).body)
        *_, turn, failed, worked = read.messages
        assert turn.content == "I look."
        assert [call.id for call in turn.tool_calls] == [failed.tool_call_id, worked.tool_call_id]
        says = target in ("anthropic", "gemini", "bedrock")
        assert failed.is_error is (True if says else None)
        assert worked.is_error is not True
        assert failed.content == ("bad" if says else "Tool execution failed:\nbad")
        if target == asked == answered:
            # As the provider said it.
            assert turn == longer.messages[-1]
            assert turn.identity == response.message.identity


def test_what_was_changed_is_no_longer_of_its_wire() -> None:
    request, response = request_of("chat"), answer_of("chat")
    assert reply(request, response).added is None
    changed = response.replace(message=AssistantMessage("other"))
    assert changed.dialect == "chat"
    assert reply(request, changed).added == (len(request.messages),)
    assert reply(request, response.replace(native=None)).added == (len(request.messages),)
    assert reply(PLAIN, response).added is None
    once = reply(request, HAND)
    assert reply(once, response).added == (len(request.messages),)
    assert reply(once, HAND).added == (len(request.messages), len(request.messages) + 1)


@pytest.mark.parametrize(
    ("wire", "body"), [("responses", {"model": "m", "input": "go"}), ("gemini", {"contents": "go"})]
)
def test_a_conversation_spelled_as_one_text_grows(wire: str, body: dict[str, Any]) -> None:
    dialect = DIALECTS[wire]
    longer = reply(dialect.parse_request(body), answer_of(wire))
    read = dialect.parse_request(dialect.render_request(longer).body)
    assert [message.role for message in read.messages] == ["user", "assistant"]
    assert read.messages[1] == longer.messages[1]


def test_an_answer_that_did_not_come_whole_is_refused() -> None:
    cut = HAND.replace(complete=False, unfinished=[CALLS[0]])
    with pytest.raises(ShapeError, match=r"^complete: the answer did not come whole: its calls must not be run$"):
        reply(PLAIN, cut)


def test_plain_spellings_do() -> None:
    assert reply(PLAIN.to_dict(), HAND.to_dict()) == reply(PLAIN, HAND)
    assert PLAIN.messages == PLAIN.replace().messages
    with pytest.raises(ShapeError):
        reply({}, HAND)
    with pytest.raises(ShapeError):
        reply(PLAIN, {})


def test_calls_of_gemini_that_state_no_id_get_those_of_their_place() -> None:
    gemini = DIALECTS["gemini"]

    def turn(*names: str, **part: Any) -> dict[str, Any]:
        return {"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}, **part} for name in names]}

    responses = [{"functionResponse": {"name": "read", "response": {"output": "x"}}}]
    contents = [{"role": "user", "parts": [{"text": "go"}]}, turn("read"), {"role": "user", "parts": responses}]
    answer = {
        "candidates": [{"content": turn("read", "read", "list", thoughtSignature="c2ln"), "finishReason": "STOP"}],
        "responseId": "r-7",
    }
    request, response = gemini.parse_request({"contents": contents}), gemini.parse_response(answer)
    longer = reply(request, response)
    assert longer.added is None
    calls = longer.messages[-1].tool_calls
    assert [call.id for call in calls] != [call.id for call in response.message.tool_calls]
    results = [ToolMessage(call.id, f"result {n}", is_error=n == 1 or None) for n, call in enumerate(calls)]
    whole = longer.replace(messages=[*longer.messages, *results])
    body = gemini.render_request(whole).body
    # Nobody said an id, so none is sent.
    assert body["contents"][:4] == [*contents, answer["candidates"][0]["content"]]
    assert [part["functionResponse"] for part in body["contents"][4]["parts"]] == [
        {"name": "read", "response": {"output": "result 0"}},
        {"name": "read", "response": {"error": "result 1"}},
        {"name": "list", "response": {"output": "result 2"}},
    ]
    read = gemini.parse_request(body)
    assert read.messages[: len(longer.messages)] == longer.messages
    assert [m.tool_call_id for m in read.messages[-3:]] == [call.id for call in calls]
    # Another turn later, and in another wire.
    again = reply(whole, response)
    ids = [
        call.id for message in again.messages if isinstance(message, AssistantMessage) for call in message.tool_calls
    ]
    assert len(set(ids)) == len(ids) == 7
    chat = toolwire.ChatDialect()
    foreign = reply(chat.parse_request({"messages": [{"role": "user", "content": "go"}]}), response)
    assert foreign.added == (1,)
    assert len({call.id for call in foreign.messages[1].tool_calls}) == 3


def test_an_id_that_is_taken_is_not_given_again() -> None:
    gemini = DIALECTS["gemini"]
    stated = {"role": "model", "parts": [{"functionCall": {"id": "call_1_0", "name": "read", "args": {}}}]}
    result = {"functionResponse": {"id": "call_1_0", "name": "read", "response": {"output": "x"}}}
    body = {"contents": [{"parts": [{"text": "go"}]}, stated, {"role": "user", "parts": [result]}]}
    silent = {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]}
    longer = reply(gemini.parse_request(body), gemini.parse_response({"candidates": [{"content": silent}]}))
    read = gemini.parse_request({"contents": [*body["contents"], silent]})
    assert longer.messages == read.messages
    assert longer.messages[-1].tool_calls[0].id != "call_1_0"
