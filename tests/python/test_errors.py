"""Every kind of error has one class and one row here, and every loss code has its sentence."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
import toolwire
from toolwire import (
    AnthropicDialect,
    ArgumentsError,
    AssistantMessage,
    ChatDialect,
    JournalError,
    JsonError,
    LimitError,
    LossError,
    LossWarning,
    MarkerError,
    PairingError,
    Request,
    ResultError,
    ShapeError,
    SystemMessage,
    ToolCall,
    ToolMessage,
    ToolwireError,
    UnsupportedError,
    UserMessage,
    _core,
    convert,
)

CHAT = ChatDialect()


def tool_turn(arguments: str, **result: Any) -> Request:
    call = ToolCall("c1", "read", arguments)
    return Request([UserMessage("hi"), AssistantMessage(tool_calls=[call]), ToolMessage("c1", "x", **result)])


# kind, class, path, what raises it
ROWS: list[tuple[str, type[ToolwireError], str, Callable[[], object]]] = [
    ("Syntax", JsonError, "$", lambda: CHAT.parse_request(b'{"messages": [}')),
    ("Limit", LimitError, "$", lambda: CHAT.parse_request(b"[" * 100_000)),
    ("Shape", ShapeError, "content[1].type", lambda: UserMessage(["a", {"type": "b"}])),
    (
        "Marker",
        MarkerError,
        "messages[0]._vf_is_error",
        lambda: CHAT.seal({"messages": [{"role": "tool", "tool_call_id": "c", "content": "x", "_vf_is_error": 1}]}),
    ),
    (
        "Result",
        ResultError,
        "isError",
        lambda: ToolMessage.from_mcp({"content": [], "isError": "true"}, tool_call_id="c"),
    ),
    (
        "Pairing",
        PairingError,
        "messages[0].tool_call_id",
        lambda: AnthropicDialect().render_request(Request([ToolMessage("c1", "x")])),
    ),
    (
        "Arguments",
        ArgumentsError,
        "messages[1].tool_calls[0].arguments",
        lambda: AnthropicDialect().render_request(tool_turn("not JSON")),
    ),
    (
        "Unsupported",
        UnsupportedError,
        "messages[1]",
        lambda: AnthropicDialect().render_request(Request([UserMessage("hi"), SystemMessage("now")])),
    ),
    (
        "Loss",
        LossError,
        "messages[2]",
        lambda: CHAT.render_request(tool_turn("{}", is_error=True), strict=True),
    ),
    ("Journal", JournalError, "line 1", lambda: toolwire.resume(__file__)),
]


def test_every_kind_has_one_class_and_one_row() -> None:
    kinds = _core.error_kinds()
    assert {kind: cls.__name__ for kind, cls, _, _ in ROWS} == kinds
    assert len(ROWS) == len(kinds) == len(set(kinds.values()))
    classes = {cls.__name__ for cls in ToolwireError.__subclasses__()}
    assert classes == set(kinds.values())
    assert classes <= set(toolwire.__all__)


@pytest.mark.parametrize(("kind", "cls", "path", "act"), ROWS, ids=[row[0] for row in ROWS])
def test_rows(kind: str, cls: type[ToolwireError], path: str, act: Callable[[], object]) -> None:
    with pytest.raises(cls) as caught:
        act()
    error = caught.value
    assert type(error) is cls
    assert isinstance(error, ValueError)
    assert str(error).startswith(f"{error.path}: ")
    assert error.path.startswith(path)
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), back.path) == (cls, str(error), error.path)


@pytest.mark.parametrize(
    ("sentence", "path"),
    [
        ("$: expected an object", "$"),
        ("messages[2].content[0].tool_use_id: expected a string", "messages[2].content[0].tool_use_id"),
        ("[3].x: no", "[3].x"),
        ('a["b: c"].d: no', 'a["b: c"].d'),
        ('["\\"]: x"][0]: no', '["\\"]: x"][0]'),
        ("cache-control: no", "cache-control"),
        ("line 7: no", "line 7"),
        ("line 7.message.content[0]: no", "line 7.message.content[0]"),
        ("line seven: no", "$"),
        ("no path here", "$"),
        ("", "$"),
    ],
)
def test_the_path_is_read_from_the_sentence(sentence: str, path: str) -> None:
    assert ToolwireError(sentence).path == path


def test_a_loss_error_holds_every_loss() -> None:
    request = tool_turn("{}", is_error=True)
    losses = CHAT.render_request(request).losses
    assert losses
    with pytest.raises(LossError) as caught:
        CHAT.render_request(request, strict=True)
    assert caught.value.losses == losses
    assert pickle.loads(pickle.dumps(caught.value)).losses == losses
    assert LossError("x: y").losses == ()


def test_a_loss_warning_holds_its_loss() -> None:
    body = {"messages": [{"role": "user", "content": "hi", "_vf_is_error": True}]}
    with pytest.warns(LossWarning) as caught:
        CHAT.seal(body)
    [warning] = caught
    assert warning.message.loss == toolwire.Loss(
        "marker.misplaced", "messages[0]._vf_is_error", warning.message.loss.detail
    )
    assert str(warning.message) == str(warning.message.loss)
    back = pickle.loads(pickle.dumps(warning.message))
    assert (str(back), back.loss) == (str(warning.message), warning.message.loss)
    # It points at the caller, not at us.
    assert warning.filename == __file__


def test_content_is_never_quoted() -> None:
    secret = "sk-very-secret"
    bodies: list[Any] = [
        {"messages": secret},
        {"messages": [{"role": secret, "content": "x"}]},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": [secret]}}]}]},
        {"messages": [{"role": "tool", "tool_call_id": {secret: 1}, "content": secret}]},
        f'{{"messages": {secret}',
        {"messages": [{"role": "user", "content": {secret}}]},
    ]
    for body in bodies:
        with pytest.raises(ToolwireError) as caught:
            CHAT.parse_request(body)
        assert secret not in str(caught.value)


def test_every_loss_code_has_a_sentence() -> None:
    assert _core.loss_codes() == toolwire.LOSS_CODES
    assert len(toolwire.LOSS_CODES) > 30
    for code, sentence in toolwire.LOSS_CODES.items():
        assert code == code.lower()
        assert sentence[0].isupper() or sentence.startswith("`")
        assert sentence.endswith(".")
        assert toolwire.Loss(code, "$", "x").code == code
    with pytest.raises(ShapeError, match=r"^code: "):
        toolwire.Loss("no.such", "$", "x")


def test_unknown_dialects_are_refused() -> None:
    for wrong in ("cohere2", "", 1, None, object(), "\ud800"):
        with pytest.raises(ShapeError, match=r"^source: "):
            convert({}, source=wrong, target="chat")  # type: ignore[arg-type]
        with pytest.raises(ShapeError, match=r"^target: "):
            convert({}, source="chat", target=wrong)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError):
        convert({}, source="mcp", target="chat")
