"""The manners of every exported class: whoever adds a class adds a sample here, or this fails."""

from __future__ import annotations

import copy
import inspect
import pickle
import tempfile
from pathlib import Path
from typing import Any

import pytest
import toolwire
from toolwire import (
    AnthropicDialect,
    AssistantMessage,
    AudioPart,
    BedrockDialect,
    ChatDialect,
    FilePart,
    GeminiDialect,
    ImagePart,
    Journal,
    Loss,
    MessageGraph,
    MessageNode,
    NativeOutcome,
    NativePart,
    Rendered,
    Request,
    Response,
    ResponsesDialect,
    ResumeReport,
    Rollout,
    SystemMessage,
    TextPart,
    Tool,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)

EXTRA = {"chat": {"cache_control": {"type": "ephemeral", "n": [1, 2.5, None, True]}}}
CALL = ToolCall("c1", "read", '{"path": "a"}')
LOSS = Loss("name.dropped", "messages[0].name", "no place for it")

# Two objects per class that differ, the first with every field set.
SAMPLES: dict[str, tuple[Any, Any]] = {
    "AnthropicDialect": (AnthropicDialect(), None),
    "AssistantMessage": (
        AssistantMessage("Hi 'you'\n", "because", [CALL], [{"type": "x", "data": "abc"}], EXTRA),
        AssistantMessage(),
    ),
    "AudioPart": (AudioPart("aGk=", "audio/wav", EXTRA), AudioPart("aGk=", "audio/mp3")),
    "BedrockDialect": (BedrockDialect("palmyra"), BedrockDialect()),
    "ChatDialect": (ChatDialect("mistral"), ChatDialect()),
    "FilePart": (
        FilePart(data="aGk=", media_type="application/pdf", filename="a.pdf", extra=EXTRA),
        FilePart(file_id="f"),
    ),
    "GeminiDialect": (GeminiDialect("gemini-2"), GeminiDialect()),
    "ImagePart": (ImagePart("https://x/y.png", "high", EXTRA), ImagePart("https://x/y.png")),
    "Loss": (LOSS, Loss("name.dropped", "messages[1].name", "no place for it")),
    "MessageNode": (
        MessageNode(3, AssistantMessage("yes"), 2, True, 1769000000.25, {"n": [1, None]}, [Tool("read", "reads")]),
        MessageNode(0, UserMessage("hi")),
    ),
    "NativeOutcome": (
        NativeOutcome("mcp_call", "m1", "messages[0].provider_state[0]", True, "went wrong"),
        NativeOutcome("mcp_call", None, "messages[0].provider_state[0]"),
    ),
    "NativePart": (
        NativePart("anthropic", {"type": "search_result", "n": 1}, EXTRA),
        NativePart("chat", {"type": "x"}),
    ),
    "Rendered": (Rendered({"messages": [], "n": 1}, (LOSS,), "m"), Rendered(b'{"messages":[],"n":1}')),
    "Request": (
        Request(
            [UserMessage("hi"), AssistantMessage(tool_calls=[CALL]), ToolMessage("c1", "x", is_error=True)],
            "m",
            [Tool("read", parameters={"type": "object"})],
            {"type": "function", "name": "read"},
            True,
            False,
            {"temperature": 0.5, "max_tokens": 7},
            "chat",
            {"chat": {"user": "u"}},
            [2],
            ["messages[0].content"],
        ),
        Request([]),
    ),
    "Response": (
        Response(
            AssistantMessage("Hi", tool_calls=[CALL]),
            "r1",
            "m-1",
            "tool_calls",
            "tool_use",
            Usage(3, 4, 1, 2),
            False,
            [ToolCall("c2", "read", '{"pa')],
            {"type": "overloaded_error"},
            "anthropic",
            {"id": "r1", "content": [{"type": "text", "text": "Hi"}]},
        ),
        Response(AssistantMessage("Hi")),
    ),
    "ResponsesDialect": (ResponsesDialect(), None),
    "ResumeReport": (ResumeReport(7, 1, 120, 9), ResumeReport(7, 1)),
    "SystemMessage": (SystemMessage("be kind", True, EXTRA), SystemMessage("be kind")),
    "TextPart": (TextPart('it\'s "text" \U0001f600', EXTRA), TextPart("")),
    "Tool": (
        Tool("read", "reads", {"type": "object"}, True, "custom", "ns", {"type": "text"}, EXTRA),
        Tool("read"),
    ),
    "ToolCall": (ToolCall("c1", "read", "{}", "custom", "ns", EXTRA), CALL),
    "ToolMessage": (ToolMessage("c1", ["a", ImagePart("u")], "read", False, EXTRA), ToolMessage("c1", "a")),
    "Usage": (Usage(2**63, 4, 1, 2), Usage(3, 0)),
    "UserMessage": (UserMessage([TextPart("a"), {"type": "text", "text": "b"}, "c"], EXTRA), UserMessage("a")),
}

with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.jsonl") as journal:
    pass

# One object of each class that is no value: it changes, or is about an object that does.
STATEFUL: dict[str, Any] = {
    "Journal": journal,
    "MessageGraph": MessageGraph(),
    "PendingTurn": MessageGraph().prepare([UserMessage("secret")]),
    "Rollout": Rollout("chat"),
    "StreamParser": ChatDialect().stream_parser(),
    "Turn": Rollout("chat").receive(b'{"messages": [{"role": "user", "content": "secret"}]}'),
}

CLASSES = sorted(
    name
    for name in toolwire.__all__
    if inspect.isclass(getattr(toolwire, name))
    and not issubclass(getattr(toolwire, name), (Exception, Warning))
    and name not in STATEFUL
)
EVERY = [
    pytest.param(sample, id=f"{name}-{n}") for name, pair in SAMPLES.items() for n, sample in enumerate(pair) if sample
]
NAMES = {name: getattr(toolwire, name) for name in toolwire.__all__}


def is_dialect(sample: Any) -> bool:
    return type(sample).__name__.endswith("Dialect")


def test_every_class_has_a_sample() -> None:
    assert sorted(SAMPLES) == CLASSES


@pytest.mark.parametrize("name", [*CLASSES, *STATEFUL])
def test_a_class_knows_where_it_lives(name: str) -> None:
    cls = getattr(toolwire, name)
    assert (cls.__module__, cls.__qualname__) == ("toolwire", name)
    assert cls.__doc__


@pytest.mark.parametrize(("name", "sample"), STATEFUL.items())
def test_a_stateful_class_says_what_it_does_and_shows_no_content(name: str, sample: Any) -> None:
    assert type(sample) is getattr(toolwire, name)
    for member, value in inspect.getmembers(type(sample), lambda value: not inspect.isclass(value)):
        if not member.startswith("_"):
            assert value.__doc__, member
            assert not callable(value) or inspect.signature(value) is not None
    assert repr(sample).startswith(f"<{name} ")
    assert "secret" not in repr(sample)
    with pytest.raises(AttributeError):
        sample.anything = 1


@pytest.mark.parametrize("name", CLASSES)
def test_a_value_can_be_made(name: str) -> None:
    cls = getattr(toolwire, name)
    assert inspect.signature(cls) is not None
    assert cls.__text_signature__.startswith("(")


@pytest.mark.parametrize("sample", EVERY)
def test_repr_evaluates_back(sample: Any) -> None:
    assert eval(repr(sample), NAMES) == sample


@pytest.mark.parametrize("sample", EVERY)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(sample: Any, protocol: int) -> None:
    back = pickle.loads(pickle.dumps(sample, protocol))
    assert back == sample
    assert type(back) is type(sample)
    assert repr(back) == repr(sample)


@pytest.mark.parametrize("sample", EVERY)
def test_copies(sample: Any) -> None:
    assert copy.copy(sample) == sample
    assert copy.deepcopy(sample) == sample
    assert copy.deepcopy([sample]) == [sample]


@pytest.mark.parametrize("sample", EVERY)
def test_equality_and_hash(sample: Any) -> None:
    twin = eval(repr(sample), NAMES)
    assert twin == sample
    assert (twin != sample) is False
    assert hash(twin) == hash(sample)
    assert len({twin, sample}) == 1
    assert sample != object()
    assert sample != repr(sample)
    assert sample.__eq__(1) is NotImplemented


@pytest.mark.parametrize("name", [name for name in CLASSES if not name.endswith("Dialect")])
def test_other_fields_are_another_object(name: str) -> None:
    full, other = SAMPLES[name]
    assert full != other


@pytest.mark.parametrize("sample", EVERY)
def test_frozen(sample: Any) -> None:
    for name in [*sample.__match_args__, "role", "anything"] if not is_dialect(sample) else ["name", "anything"]:
        with pytest.raises(AttributeError):
            setattr(sample, name, 1)
        with pytest.raises(AttributeError):
            delattr(sample, name)


@pytest.mark.parametrize("sample", [p for p in EVERY if not is_dialect(p.values[0])])
def test_match_args_are_the_positional_fields(sample: Any) -> None:
    signature = inspect.signature(type(sample))
    positional = [p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert list(type(sample).__match_args__) == positional
    values = [getattr(sample, name) for name in positional]
    if positional:
        assert type(sample)(*values) == sample


@pytest.mark.parametrize("sample", [p for p in EVERY if not is_dialect(p.values[0])])
def test_keyword_construction(sample: Any) -> None:
    names = list(inspect.signature(type(sample)).parameters)
    values = {name: getattr(sample, name) for name in names}
    assert type(sample)(**values) == sample


@pytest.mark.parametrize("sample", [p for p in EVERY if not is_dialect(p.values[0])])
def test_signature_defaults_are_what_a_left_out_field_shows(sample: Any) -> None:
    for parameter in inspect.signature(type(sample)).parameters.values():
        if parameter.default is not parameter.empty:
            least = SAMPLES[type(sample).__name__][1]
            shown = getattr(least, parameter.name)
            if parameter.name in repr(least):
                continue
            assert shown == parameter.default or (parameter.default is None and shown in ((), {}))


@pytest.mark.parametrize("sample", [p for p in EVERY if not is_dialect(p.values[0])])
def test_dict_round_trip(sample: Any) -> None:
    plain = sample.to_dict()
    assert type(plain) is dict
    assert type(sample).from_dict(plain) == sample
    # A fresh dict each time: the object cannot be changed through it.
    plain.clear()
    assert sample.to_dict() != {}


@pytest.mark.parametrize("name", [name for name in CLASSES if not name.endswith("Dialect")])
def test_replace(name: str) -> None:
    full, _ = SAMPLES[name]
    assert full.replace() == full
    assert full.__replace__() == full
    with pytest.raises(TypeError):
        full.replace(no_such_field=1)


def test_replace_changes_one_field() -> None:
    message = ToolMessage("c1", "a", "read", True)
    assert message.replace(is_error=None) == ToolMessage("c1", "a", "read")
    assert message == ToolMessage("c1", "a", "read", True)


@pytest.mark.parametrize("name", [name for name in CLASSES if not name.endswith("Dialect")])
def test_unknown_arguments_are_refused(name: str) -> None:
    with pytest.raises(TypeError):
        getattr(toolwire, name)(no_such_field=1)


@pytest.mark.parametrize("name", [*CLASSES, *STATEFUL])
def test_no_subclasses(name: str) -> None:
    with pytest.raises(TypeError):
        type("Sub", (getattr(toolwire, name),), {})


@pytest.mark.parametrize(
    ("cls", "tag", "value"),
    [
        (SystemMessage, "role", "system"),
        (UserMessage, "role", "user"),
        (AssistantMessage, "role", "assistant"),
        (ToolMessage, "role", "tool"),
        (TextPart, "type", "text"),
        (ImagePart, "type", "image_url"),
        (AudioPart, "type", "audio"),
        (FilePart, "type", "file"),
        (NativePart, "type", "native"),
    ],
)
def test_tags(cls: Any, tag: str, value: str) -> None:
    assert getattr(cls, tag) == value
    assert getattr(SAMPLES[cls.__name__][0], tag) == value
    assert SAMPLES[cls.__name__][0].to_dict()[tag] == value


def test_patterns() -> None:
    match SAMPLES["ToolMessage"][0]:
        case ToolMessage(call_id, (TextPart(text), ImagePart(url)), name, False):
            assert (call_id, text, url, name) == ("c1", "a", "u", "read")
        case _:
            pytest.fail("no match")


def test_sequences_are_tuples() -> None:
    request = SAMPLES["Request"][0]
    assert isinstance(request.messages, tuple)
    assert isinstance(request.tools, tuple)
    assert isinstance(request.replaced, tuple)
    assert isinstance(request.messages[1].tool_calls, tuple)
    assert isinstance(request.messages[1].provider_state, tuple)
    assert isinstance(SAMPLES["UserMessage"][0].content, tuple)
    assert isinstance(SAMPLES["Rendered"][0].losses, tuple)


def test_opaque_json_is_fresh() -> None:
    message = SAMPLES["AssistantMessage"][0]
    message.extra["chat"].clear()
    message.provider_state[0].clear()
    assert message == eval(repr(message), NAMES)
    assert message.extra == EXTRA
    assert message.extra is not message.extra


def test_large_text_is_kept_once() -> None:
    text = "x" * 100_000
    message = ToolMessage("c1", text)
    assert message.content is text
    call = ToolCall("c1", "f", text)
    assert call.arguments is text
    read = ChatDialect().parse_request({"model": "m", "messages": [{"role": "user", "content": text}]})
    assert read.messages[0].content is read.messages[0].content
    assert read.messages is read.messages


def test_outcome_has_three_states() -> None:
    said = {outcome: ToolMessage("c", "x", is_error=outcome) for outcome in (True, False, None)}
    assert [message.is_error for message in said.values()] == [True, False, None]
    assert len(set(said.values())) == 3
    assert [sorted(message.to_dict()) for message in said.values()][2] == ["content", "role", "tool_call_id"]


def test_identity_is_hexadecimal_and_sees_failure() -> None:
    failed, worked, silent = (ToolMessage("c", "x", is_error=outcome) for outcome in (True, False, None))
    assert len(failed.identity) == 64
    assert int(failed.identity, 16) >= 0
    assert failed.identity != worked.identity == silent.identity
    assert toolwire.message_hash(failed) == failed.identity


def test_numbers_keep_their_kind() -> None:
    value = {"type": "x", "int": 2**70, "float": 1.0, "big": 1e300, "zero": -0.0, "flag": True, "none": None}
    back = NativePart("chat", value).value
    assert back == value
    assert [type(item) for item in back.values()] == [type(item) for item in value.values()]


def test_import_is_light() -> None:
    import subprocess
    import sys

    heavy = "pydantic", "mcp", "openai", "anthropic", "asyncio", "inspect", "dataclasses"
    code = f"import sys, toolwire; print([name for name in {heavy!r} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_everything_exported_exists() -> None:
    assert sorted(toolwire.__all__) == sorted(set(toolwire.__all__))
    assert all(hasattr(toolwire, name) for name in toolwire.__all__)
    assert toolwire.__version__.count(".") == 2
