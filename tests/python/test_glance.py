"""A caller's object is read in one of two ways, and nobody can tell which: at a glance, or by its dump."""

from __future__ import annotations

import enum
import gc
import weakref
from typing import Annotated, Any, Literal

import pydantic
import pytest
import toolwire
from hypothesis import given
from messages import build
from pydantic import BaseModel, ConfigDict, Field, RootModel, computed_field, field_serializer, model_serializer
from strategies import messages
from toolwire._models import is_unsaid

pytestmark = pytest.mark.filterwarnings("ignore::toolwire.LossWarning")


class Slow:
    """An object that only has a dump, which no glance is cast at."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def model_dump(self, **options: Any) -> Any:
        return self.model.model_dump(**options)


class SlowDict(dict):  # type: ignore[type-arg]
    """Not exactly a dict."""


def outcome(message: Any) -> tuple[str, str]:
    try:
        return "identity", toolwire.message_hash(message)
    except toolwire.ToolwireError as error:
        return type(error).__name__, str(error)


@given(messages())
def test_a_dict_has_one_identity(message: dict[str, Any]) -> None:
    assert outcome(message) == outcome(SlowDict(message)) == outcome(build(message))


DAMAGED: list[Any] = [
    {},
    {"role": "tool"},
    {"role": "tool", "tool_call_id": "c", "content": 5},
    {"role": "tool", "tool_call_id": "c", "content": "x", "is_error": "no"},
    {"role": "tool", "tool_call_id": "c", "content": "x", "colour": "red"},
    {"role": "tool", "tool_call_id": "c", "content": "x", "name": None, "is_error": None},
    {"role": "tool", "tool_call_id": None, "content": "x"},
    {"role": "user", "content": None},
    {"role": "user", "content": [{"type": "text", "text": None}]},
    {"role": "user", "content": [{"type": "text", "text": "x", "extra": None}]},
    {"role": "user", "content": [None]},
    {"role": "user", "content": ("x",)},
    {"role": "user", "content": "\ud800"},
    {"role": "user", "content": "\ud83d\ude00"},
    {"role": "user", "cont\udc00ent": "x"},
    {"role": "user", 5: "x"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "name": "f", "arguments": "{}", "type": None}]},
    {"role": "assistant", "content": None, "provider_state": [{"type": "x", "n": 2.0, "deep": [[[[None, True]]]]}]},
    {"role": "assistant", "content": None, "provider_state": [{"type": "x", "n": float("nan")}]},
    {"role": "assistant", "content": None, "provider_state": ["x"]},
]


@pytest.mark.parametrize("message", DAMAGED)
def test_a_dict_is_refused_in_the_same_words(message: dict[Any, Any]) -> None:
    assert outcome(message) == outcome(SlowDict(message))


def test_depth_has_one_limit() -> None:
    for depth in (10, 15, 16, 17, 100, 200, 5000):
        value: Any = []
        for _ in range(depth):
            value = [value]
        message = {"role": "assistant", "content": None, "provider_state": [{"type": "x", "deep": value}]}
        assert outcome(message) == outcome(SlowDict(message))


# Models


class Text(BaseModel):
    type: Literal["text"] = "text"
    text: str


class Source(BaseModel):
    url: str


class Image(BaseModel):
    type: Literal["image_url"] = "image_url"
    image_url: Source


class Result(BaseModel):
    role: Literal["tool"] = "tool"
    tool_call_id: str
    content: str | list[Annotated[Text | Image, Field(discriminator="type")]]
    name: str | None = None
    is_error: bool | None = None


class Call(BaseModel):
    id: str
    type: Literal["function", "custom"] = "function"
    name: str
    namespace: str | None = None
    arguments: str


class Turn(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[Call] | None = None
    provider_state: list[dict[str, Any]] | None = None


class Instructions(BaseModel):
    role: Literal["system"] = "system"
    content: str | list[Text]


class Prompt(BaseModel):
    role: Literal["user"] = "user"
    content: str | list[Text | Image]


CLASSES = {"tool": Result, "assistant": Turn, "system": Instructions, "user": Prompt}


@given(messages())
def test_a_model_has_one_identity(message: dict[str, Any]) -> None:
    try:
        model = CLASSES[message["role"]].model_validate({k: v for k, v in message.items() if k != "extra"})
    except ValueError:
        return
    assert outcome(model) == outcome(Slow(model))


class Loud(str):
    pass


class Word(str, enum.Enum):
    YES = "yes"


class Wider(Text):
    colour: str = "red"


class Aliased(Result):
    content: str = Field(serialization_alias="text")


class Hidden(Result):
    name: str | None = Field(default=None, exclude=True)


class Silent(Result):
    """Left out of a dump where nobody said, as in the host framework with the integration."""

    is_error: bool | None = Field(default=None, strict=True, exclude_if=is_unsaid)


class Discreet(Result):
    is_error: bool | None = Field(default=None, exclude_if=lambda value: value is True)


class Shouting(Result):
    @field_serializer("content")
    def shout(self, content: Any) -> Any:
        return content.upper()


class Rewritten(Result):
    @model_serializer
    def whole(self) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": self.tool_call_id, "content": "rewritten"}


class Computed(Result):
    @computed_field  # type: ignore[prop-decorator]
    @property
    def is_late(self) -> bool:
        return True


class Open(Result):
    model_config = ConfigDict(extra="allow")


class Dumping(Result):
    def model_dump(self, **options: Any) -> Any:
        return {**super().model_dump(**options), "content": "dumped"}


class Parts(RootModel[list[Text]]):
    pass


class Rooted(BaseModel):
    role: Literal["user"] = "user"
    content: Parts


class Bare(BaseModel):
    role: str = "user"
    content: Any


RESULT: dict[str, Any] = {"tool_call_id": "c", "content": "x"}

MODELS: dict[str, Any] = {
    "plain": Result(**RESULT),
    "failed": Result(**RESULT, is_error=True),
    "parts": Result(**{**RESULT, "content": [Text(text="a"), Image(image_url=Source(url="data:,"))]}),
    "a surrogate": Result.model_construct(**{**RESULT, "content": "\ud800"}),
    "a subclass of str": Result.model_construct(**{**RESULT, "content": Loud("x")}),
    "an enum": Result.model_construct(**{**RESULT, "content": Word.YES}),
    "bytes": Result.model_construct(**{**RESULT, "content": b"x"}),
    "a tuple": Result.model_construct(**{**RESULT, "content": (Text(text="a"),)}),
    "a dict for a model": Result.model_construct(**{**RESULT, "content": [{"type": "text", "text": "a"}]}),
    "a wider part": Result.model_construct(**{**RESULT, "content": [Wider(text="a")]}),
    "another tag": Result.model_construct(**{**RESULT, "content": [Text.model_construct(type="image_url", text="a")]}),
    "a model elsewhere": Result.model_construct(**{**RESULT, "tool_call_id": Text(text="a")}),
    "a model in a dict": Turn.model_construct(provider_state=[{"type": "x", "part": Wider(text="a")}]),
    "a float": Turn(provider_state=[{"type": "x", "n": 1.5}]),
    "nulls of the provider": Turn(provider_state=[{"type": "x", "n": None}]),
    "a missing field": Result.model_construct(content="x"),
    "a field too many": Result.model_construct(**RESULT, colour="red"),
    "an alias": Aliased(**RESULT),
    "a hidden field": Hidden(**RESULT, name="n"),
    "an outcome left out": Silent(**RESULT),
    "an outcome of silence": Silent(**RESULT, is_error=True),
    "a failure left out": Discreet(**RESULT, is_error=True),
    "a field serializer": Shouting(**RESULT),
    "a model serializer": Rewritten(**RESULT),
    "a computed field": Computed(**RESULT),
    "extra fields": Open(**RESULT, colour="red"),
    "a dump of its own": Dumping(**RESULT),
    "a root model": Rooted(content=Parts([Text(text="a")])),
    "any": Bare(content="x"),
    "any model": Bare(content=[Text(text="a")]),
    "no role": Bare(role="nobody", content="x"),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_what_it_dumps(name: str) -> None:
    assert outcome(MODELS[name]) == outcome(Slow(MODELS[name]))


def test_what_the_dump_says_counts() -> None:
    """So that the comparison above is not of two equal mistakes."""
    said = {name: outcome(toolwire.ToolMessage("c", text)) for name, text in [("a field serializer", "X")]}
    said["a model serializer"] = outcome(toolwire.ToolMessage("c", "rewritten"))
    said["a dump of its own"] = outcome(toolwire.ToolMessage("c", "dumped"))
    said["an outcome of silence"] = outcome(toolwire.ToolMessage("c", "x", is_error=True))
    said["a failure left out"] = said["an outcome left out"] = outcome(toolwire.ToolMessage("c", "x"))
    for name, identity in said.items():
        assert outcome(MODELS[name]) == identity, name


def test_attributes_that_nobody_declared() -> None:
    model = Result(**RESULT)
    model.__dict__["colour"] = "red"
    assert outcome(model) == outcome(Slow(model))
    model.__dict__["model_dump"] = lambda **_options: {"role": "user", "content": "mine"}
    assert outcome(model) == outcome(toolwire.UserMessage("mine"))


def test_a_class_may_change() -> None:
    class Changing(BaseModel):
        role: Literal["tool"] = "tool"
        tool_call_id: str = "c"
        content: str = "x"

    plain = outcome(Changing())
    assert plain == outcome(toolwire.ToolMessage("c", "x"))

    dump = Changing.model_dump
    Changing.model_dump = lambda self, **options: {**dump(self, **options), "content": "y"}  # type: ignore[method-assign]
    assert outcome(Changing()) == outcome(toolwire.ToolMessage("c", "y"))
    del Changing.model_dump
    assert outcome(Changing()) == plain

    Changing.__pydantic_fields__["is_error"] = Result.__pydantic_fields__["is_error"]
    Changing.__annotations__["is_error"] = bool | None
    Changing.model_rebuild(force=True)
    failed = Changing.model_validate({"is_error": True})
    assert outcome(failed) == outcome(toolwire.ToolMessage("c", "x", is_error=True)) != plain


def test_the_dump_of_all_models_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = outcome(Result(**RESULT))
    dump = BaseModel.model_dump
    monkeypatch.setattr(BaseModel, "model_dump", lambda self, **options: {**dump(self, **options), "content": "y"})
    patched = outcome(toolwire.ToolMessage("c", "y"))
    assert outcome(Result(**RESULT)) == patched != plain
    # Also one that nobody looked at before.
    assert outcome(type("Fresh", (Result,), {})(**RESULT)) == patched
    monkeypatch.undo()
    assert outcome(Result(**RESULT)) == plain == outcome(toolwire.ToolMessage("c", "x"))


def test_few_classes_are_remembered() -> None:
    seen = []
    for n in range(40):
        kind = type(f"Kind{n}", (Result,), {})
        assert outcome(kind(**RESULT)) == outcome(toolwire.ToolMessage("c", "x"))
        seen.append(weakref.ref(kind))
        del kind
    gc.collect()
    assert sum(ref() is not None for ref in seen) <= 16


@pytest.mark.skipif(
    tuple(int(part) for part in pydantic.VERSION.split(".")[:2]) < (2, 10),
    reason="older schemas hold models behind references, and such models are dumped",
)
def test_which_models_are_read_at_a_glance() -> None:
    from toolwire._models import plain_fields

    result: Any = plain_fields(Result)
    assert [name for name, _ in result] == list(Result.model_fields)
    assert [kind for kind, _ in dict(result)["content"]] == [Text, Image]
    assert all(plain_fields(kind) for kind in (Turn, Instructions, Prompt, Bare, Silent))
    others = (
        Aliased,
        Hidden,
        Discreet,
        Shouting,
        Rewritten,
        Computed,
        Open,
        Dumping,
        Rooted,
        Parts,
        Slow,
        int,
        "Result",
    )
    assert not any(plain_fields(kind) for kind in others)
