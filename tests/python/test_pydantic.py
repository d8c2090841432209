"""The classes as fields of pydantic models."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
import toolwire
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from test_contract import SAMPLES
from toolwire import (
    AssistantMessage,
    AudioPart,
    ContentPart,
    FilePart,
    ImagePart,
    Message,
    MessageNode,
    NativePart,
    Rendered,
    Request,
    SystemMessage,
    TextPart,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)

ByRole = Annotated[SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]
ByType = Annotated[TextPart | ImagePart | AudioPart | FilePart | NativePart, Field(discriminator="type")]


class Conversation(BaseModel):
    messages: list[ByRole] = []
    plain: list[Message] = []
    parts: list[ByType] = []
    loose: list[ContentPart] = []
    result: ToolMessage | None = None
    text: ToolMessage | str = ""
    call: ToolCall | None = None
    tool: Tool | None = None
    request: Request | None = None
    node: MessageNode | None = None


ROLES = ("SystemMessage", "UserMessage", "AssistantMessage", "ToolMessage")
MESSAGES = [sample for name in ROLES for sample in SAMPLES[name]]
PARTS = [
    sample for name in ("TextPart", "ImagePart", "AudioPart", "FilePart", "NativePart") for sample in SAMPLES[name]
]
FULL = Conversation(
    messages=MESSAGES,
    plain=MESSAGES,
    parts=PARTS,
    loose=PARTS,
    result=SAMPLES["ToolMessage"][0],
    text=SAMPLES["ToolMessage"][1],
    call=SAMPLES["ToolCall"][0],
    tool=SAMPLES["Tool"][0],
    request=SAMPLES["Request"][0],
    node=SAMPLES["MessageNode"][0],
)


def test_instances_stay_what_they_are() -> None:
    assert FULL.messages == MESSAGES
    assert all(a is b for a, b in zip(FULL.messages, MESSAGES, strict=True))
    assert FULL.parts == PARTS
    assert FULL.result is SAMPLES["ToolMessage"][0]


def test_python_and_json_mode_dump_the_plain_spelling() -> None:
    plain = [message.to_dict() for message in MESSAGES]
    for mode in ("python", "json"):
        dump = FULL.model_dump(mode=mode)
        assert dump["messages"] == dump["plain"] == plain
        assert dump["parts"] == dump["loose"] == [part.to_dict() for part in PARTS]
        assert dump["request"] == SAMPLES["Request"][0].to_dict()
        assert dump["call"] == SAMPLES["ToolCall"][0].to_dict()
    assert json.loads(FULL.model_dump_json()) == FULL.model_dump()


def test_dicts_and_json_come_back() -> None:
    assert Conversation.model_validate(FULL.model_dump()) == FULL
    assert Conversation.model_validate(FULL.model_dump(exclude_none=True)) == FULL
    assert Conversation.model_validate_json(FULL.model_dump_json()) == FULL
    assert Conversation.model_validate_json(FULL.model_dump_json(exclude_none=True)) == FULL
    assert FULL.model_copy(deep=True) == FULL


def test_exclude_none_is_about_our_fields_only() -> None:
    message = AssistantMessage(provider_state=[{"type": "x", "data": None}])
    dump = Conversation(messages=[message]).model_dump(exclude_none=True)
    assert dump["messages"] == [{"role": "assistant", "provider_state": [{"type": "x", "data": None}]}]
    assert Conversation(messages=[message]).model_dump()["messages"][0]["content"] is None


@pytest.mark.parametrize("name", [name for name in SAMPLES if not name.endswith("Dialect")])
def test_every_noun_has_an_adapter(name: str) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(getattr(toolwire, name))
    for sample in SAMPLES[name]:
        assert adapter.validate_python(sample) is sample
        assert adapter.validate_python(adapter.dump_python(sample)) == sample
        if isinstance(sample, Rendered) and isinstance(sample.body, bytes):
            # JSON has no bytes.
            sample = sample.replace(body=sample.body.decode())
        assert adapter.validate_json(adapter.dump_json(sample)) == sample


def test_a_rendered_body_in_a_model() -> None:
    class Holder(BaseModel):
        rendered: Rendered

    sample = SAMPLES["Rendered"][0]
    assert Holder.model_validate({"rendered": sample.to_dict()}).rendered == sample
    assert Holder.model_validate({"rendered": {"body": {}, "losses": None}}).rendered == Rendered({})
    assert Holder(rendered=Rendered(b"{}")).model_dump_json() == '{"rendered":{"body":"{}","losses":[]}}'
    definition = Holder.model_json_schema()["$defs"]["Rendered"]
    assert (definition["title"], definition["required"]) == ("Rendered", ["body"])
    wrong: list[tuple[Any, tuple[Any, ...], str]] = [
        ({}, ("body",), "missing"),
        ({"body": []}, ("body",), "expected an object"),
        ({"body": {}, "lost": []}, ("lost",), "unknown field"),
        ({"body": {}, "losses": [{"code": "x"}]}, ("losses", 0, "code"), "expected a loss code"),
        (3, (), "expected an object"),
    ]
    for value, where, what in wrong:
        with pytest.raises(ValidationError) as caught:
            Holder.model_validate({"rendered": value})
        [error] = caught.value.errors()
        assert error["loc"] == ("rendered", *where)
        assert what in error["msg"]


@pytest.mark.parametrize(
    ("message", "where", "what"),
    [
        ({"role": "tool", "tool_call_id": "c"}, ("tool", "content"), "missing"),
        ({"role": "tool", "tool_call_id": 1, "content": ""}, ("tool", "tool_call_id"), "expected a string"),
        (
            {"role": "tool", "tool_call_id": "c", "content": "", "is_error": 1},
            ("tool", "is_error"),
            "expected true or false",
        ),
        (
            {"role": "tool", "tool_call_id": "c", "content": "", "is_error": "true"},
            ("tool", "is_error"),
            "expected true or false",
        ),
        (
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text"}]},
            ("user", "content", 1, "text"),
            "missing",
        ),
        ({"role": "user", "content": "", "nmae": 1}, ("user", "nmae"), "unknown field"),
        (
            {"role": "assistant", "tool_calls": [{"id": "c", "name": "f", "arguments": {}}]},
            ("assistant", "tool_calls", 0, "arguments"),
            "expected a string",
        ),
        ({"role": "nobody"}, (), "Input tag 'nobody'"),
        ({"content": "x"}, (), "Unable to extract tag"),
        (3, (), ""),
    ],
)
def test_errors_name_the_path(message: Any, where: tuple[Any, ...], what: str) -> None:
    for validate in (Conversation.model_validate, lambda value: Conversation.model_validate_json(json.dumps(value))):
        with pytest.raises(ValidationError) as caught:
            validate({"messages": [MESSAGES[0].to_dict(), message]})
        [error] = caught.value.errors()
        assert error["loc"] == ("messages", 1, *where)
        assert what in error["msg"]


def test_a_message_of_another_role_is_no_member() -> None:
    with pytest.raises(ValidationError):
        Conversation(result=UserMessage("x"))  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        Conversation(result={"role": "user", "content": "x"})  # type: ignore[arg-type]


def test_a_union_with_something_else() -> None:
    assert Conversation(text="x").model_dump()["text"] == "x"
    assert Conversation(text=MESSAGES[-1]).model_dump()["text"] == MESSAGES[-1].to_dict()
    assert Conversation.model_validate({"text": MESSAGES[-1].to_dict()}).text == MESSAGES[-1]


def test_json_schema() -> None:
    for mode in ("validation", "serialization"):
        schema = Conversation.model_json_schema(mode=mode)
        definitions = schema["$defs"]
        tool = definitions["ToolMessage"]
        assert tool["title"] == "ToolMessage"
        assert tool["required"] == ["role", "tool_call_id", "content"]
        assert tool["additionalProperties"] is False
        assert tool["properties"]["role"]["const"] == "tool"
        assert {"type": "boolean"} in tool["properties"]["is_error"]["anyOf"]
        items = schema["properties"]["messages"]["items"]
        assert items["discriminator"]["propertyName"] == "role"
        assert items["discriminator"]["mapping"]["tool"] == "#/$defs/ToolMessage"
        assert items["discriminator"]["mapping"]["developer"] == "#/$defs/SystemMessage"
        assert schema["properties"]["parts"]["items"]["discriminator"]["mapping"]["file"] == "#/$defs/FilePart"
        # What a class writes has only keys that its schema knows, and all that it needs.
        others = [SAMPLES[name][0] for name in ("Tool", "ToolCall", "Request", "MessageNode")]
        for sample in [*MESSAGES, *PARTS, *others]:
            definition = definitions[type(sample).__name__]
            assert set(definition["required"]) <= set(sample.to_dict()) <= set(definition["properties"])
