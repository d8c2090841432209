"""What `toolwire.diff` names, in which order, and how it is shown."""

from __future__ import annotations

import copy
import pickle
import time
from typing import Any

import pytest
import toolwire
from hypothesis import given
from strategies import messages
from toolwire import (
    AssistantMessage,
    Change,
    Request,
    ShapeError,
    TextPart,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
    diff,
)

CALLS = [ToolCall("c1", "read", '{"path": "a"}'), ToolCall("c2", "read", '{"path": "b"}')]
TURN = AssistantMessage("I look.", tool_calls=CALLS)
MESSAGES = [UserMessage("go"), TURN, ToolMessage("c1", "no such file", is_error=True), ToolMessage("c2", "text")]
REQUEST = Request(MESSAGES, "m", [Tool("read"), Tool("write")], sampling={"temperature": 1})


def with_message(at: int, **fields: Any) -> list[Any]:
    messages = list(MESSAGES)
    messages[at] = messages[at].replace(**fields)
    return messages


def test_nothing_changed() -> None:
    for a, b in ((REQUEST, REQUEST.replace()), (MESSAGES, list(MESSAGES)), ([], []), (REQUEST, REQUEST.to_dict())):
        assert not diff(a, b)
        assert diff(a, b) == toolwire.Diff()
        assert str(diff(a, b)) == ""


def test_a_lost_outcome_comes_first_and_is_one_line() -> None:
    lost = REQUEST.replace(messages=with_message(2, is_error=None, content="no such files"), model="n")
    made = diff(REQUEST, lost)
    assert made
    assert made.changes[0] == Change("changed", "messages[2].is_error", True, None)
    assert str(made).splitlines() == [
        "messages[2].is_error: True -> None",
        "messages[2].content: 'no such file' -> 'no such files'",
        "model: 'm' -> 'n'",
    ]


@pytest.mark.parametrize("pair", [(True, False), (False, None), (None, True), (None, False)])
def test_three_states_stay_three(pair: tuple[bool | None, bool | None]) -> None:
    a, b = (with_message(3, is_error=outcome) for outcome in pair)
    assert diff(a, b).changes == (Change("changed", "messages[3].is_error", *pair),)


def test_a_message_that_came_moves_no_other() -> None:
    longer = [UserMessage("first"), *MESSAGES, ToolMessage("c3", "x" * 500, is_error=False), UserMessage("thanks")]
    made = diff(MESSAGES, longer)
    assert [(c.kind, c.path, c.after) for c in made.changes] == [
        ("added", "messages[5]", longer[5]),
        ("added", "messages[0]", longer[0]),
        ("added", "messages[6]", longer[6]),
    ]
    gone = diff(longer, MESSAGES)
    assert [(c.kind, c.path, c.before) for c in gone.changes] == [
        ("removed", "messages[5]", longer[5]),
        ("removed", "messages[0]", longer[0]),
        ("removed", "messages[6]", longer[6]),
    ]
    lines = str(made).splitlines()
    assert lines[0].startswith("messages[5]: added: result of 'c3', which succeeded: 'xxx")
    assert lines[1] == "messages[0]: added: user: 'first'"
    assert max(map(len, lines)) < 140


def test_a_result_is_found_by_its_call_where_others_went() -> None:
    fewer = [MESSAGES[0], TURN, ToolMessage("c2", "other text", is_error=True)]
    made = diff(MESSAGES, fewer)
    assert [(c.kind, c.path) for c in made.changes] == [
        ("changed", "messages[2].is_error"),
        ("removed", "messages[2]"),
        ("changed", "messages[2].content"),
    ]


def test_members_have_paths_of_their_own() -> None:
    call = CALLS[1].replace(arguments='{"path": "c"}')
    turn = TURN.replace(tool_calls=[CALLS[0], call], extra={"chat": {"a b": 1, "c": [1, {"d": None}]}})
    b = REQUEST.replace(
        messages=[UserMessage([TextPart("go"), TextPart("on")]), turn, *MESSAGES[2:]],
        tools=[Tool("read", "reads"), Tool("list")],
        sampling={"temperature": 1.0, "top_p": 0.5},
        tool_choice="required",
    )
    assert [(c.kind, c.path) for c in diff(REQUEST, b).changes] == [
        ("changed", "messages[0].content"),
        ("changed", "messages[1].tool_calls[1].arguments"),
        ("changed", "messages[1].extra"),
        ("changed", "tools[0].description"),
        ("removed", "tools[1]"),
        ("added", "tools[1]"),
        ("changed", "tool_choice"),
        ("changed", "sampling.temperature"),
        ("changed", "sampling.top_p"),
    ]
    c = b.replace(messages=[b.messages[0], turn.replace(extra={"chat": {"a b": 2, "c": [1, {"d": 1}]}}), *MESSAGES[2:]])
    assert [change.path for change in diff(b, c).changes] == [
        'messages[1].extra.chat["a b"]',
        "messages[1].extra.chat.c[1].d",
    ]


def test_what_has_no_member_to_name_is_named_as_a_whole() -> None:
    one, other = (TURN.replace(extra={"chat": fields}) for fields in ({"x": None, "y": 1}, {"y": 1}))
    assert one != other
    assert [change.path for change in diff([one], [other]).changes] == ["messages[0]"]
    a, b = (REQUEST.replace(extra={"chat": fields}) for fields in ({"x": None, "y": 1}, {"y": 1}))
    assert [change.path for change in diff(a, b).changes] == ["extra"]


def test_messages_alone_are_compared_where_one_side_has_nothing_else() -> None:
    assert not diff(REQUEST, MESSAGES)
    assert not diff([message.to_dict() for message in MESSAGES], REQUEST)


def test_a_report_shows_where_long_texts_part_and_nothing_of_a_terminal() -> None:
    head = "The same words again and again. " * 200
    a, b = ([ToolMessage("c", head + tail + "." * 900)] for tail in ("\x1b[2Jone", "two"))
    line = str(diff(a, b))
    assert line.startswith("messages[0].content: at character 6400: ...'")
    assert "\x1b" not in line
    assert r"\x1b[2Jone" in line
    assert len(line) < 200
    assert diff(a, b).changes[0].before == head + "\x1b[2Jone" + "." * 900


def test_what_a_conversion_cost() -> None:
    body = toolwire.ChatDialect().render_request(REQUEST, include_internal=True).body
    sealed = toolwire.ChatDialect().seal(body)
    parse = toolwire.ChatDialect().parse_request
    assert str(diff(parse(body), parse(sealed))).splitlines() == [
        "messages[2].is_error: True -> None",
        "messages[2].content: 'no such file' -> 'Tool execution failed:\\nno such file'",
    ]


def test_a_diff_is_a_value() -> None:
    made = diff(REQUEST, REQUEST.replace(messages=with_message(2, is_error=None)))
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made
    assert hash(made) == hash(copy.copy(made))
    for thing, name in ((made, "changes"), (made.changes[0], "path")):
        with pytest.raises(AttributeError):
            setattr(thing, name, ())
    with pytest.raises(AttributeError):
        toolwire.NoSuchThing  # noqa: B018


@given(messages(), messages())
def test_there_is_a_difference_exactly_where_two_messages_differ(a: dict[str, Any], b: dict[str, Any]) -> None:
    one, other = (Request.from_dict({"messages": [plain]}).messages for plain in (a, b))
    assert bool(diff(one, other)) == (one != other)
    assert not diff(one, [copy.copy(one[0])])


def test_what_is_no_conversation_is_refused() -> None:
    for wrong in ({"messages": 3}, [{"role": "nobody"}], 3):
        with pytest.raises(ShapeError):
            diff(wrong, [])  # type: ignore[arg-type]


def test_deep_values_and_long_conversations() -> None:
    deep: Any = 1
    for _ in range(400):
        deep = [deep]
    a, b = (TURN.replace(extra={"chat": {"x": deep, "y": y}}) for y in (1, 2))
    assert [change.path for change in diff([a], [b]).changes] == ["messages[0].extra.chat.y"]
    assert len(diff([a], [TURN.replace(extra={"chat": {"x": [deep]}})]).changes) == 3

    long = [m for n in range(5000) for m in (UserMessage("continue"), ToolMessage(f"c{n}", str(n), is_error=True))]
    other = [m.replace(content=m.content + "!") if n % 2 else m for n, m in enumerate(long)]
    start = time.perf_counter()
    assert len(diff(long, other).changes) == 5000
    assert not diff(long, list(long))
    print(f"10,000 messages: {time.perf_counter() - start:.2f} s")
