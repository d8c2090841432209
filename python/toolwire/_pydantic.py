"""How the classes of toolwire behave in pydantic models; loaded when pydantic first asks for a schema.

A schema is a wrap validator over a typed dict. The typed dict is never run: it tells a discriminated union which
`role` or `type` belongs to the class, and it tells the JSON schema what the plain spelling looks like. Reading is
done by `from_dict`, so that a model refuses exactly what the class refuses.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, PydanticSerializationUnexpectedValue
from pydantic_core import core_schema as cs

from toolwire import _core
from toolwire._errors import ToolwireError

_TEXT = cs.str_schema(strict=True)
_FLAG = cs.bool_schema(strict=True)
_OBJECT = cs.dict_schema(_TEXT, cs.any_schema())
_COUNT = cs.int_schema(strict=True, ge=0)
_DIALECT = cs.literal_schema(["chat", "responses", "anthropic", "gemini", "bedrock", "mcp"])


def _need(schema: CoreSchema) -> cs.TypedDictField:
    return cs.typed_dict_field(schema, required=True)


def _some(schema: CoreSchema) -> cs.TypedDictField:
    return cs.typed_dict_field(cs.with_default_schema(cs.nullable_schema(schema), default=None), required=False)


def _tag(*values: str) -> cs.TypedDictField:
    return _need(cs.literal_schema(list(values)))


def _kind(kind: CoreSchema) -> cs.TypedDictField:
    return cs.typed_dict_field(cs.with_default_schema(kind, default="function"), required=False)


_Nested = Callable[[type], CoreSchema]
_Fields = dict[str, cs.TypedDictField]


def _content(nested: _Nested) -> CoreSchema:
    parts = (_core.TextPart, _core.ImagePart, _core.AudioPart, _core.FilePart, _core.NativePart)
    return cs.union_schema([_TEXT, cs.list_schema(cs.union_schema([nested(part) for part in parts]))])


def _text_part(_nested: _Nested) -> _Fields:
    return {"type": _tag("text"), "text": _need(_TEXT), "extra": _some(_OBJECT)}


def _image_part(_nested: _Nested) -> _Fields:
    image = cs.typed_dict_schema({"url": _need(_TEXT), "detail": _some(_TEXT)}, extra_behavior="forbid")
    return {"type": _tag("image_url"), "image_url": _need(image), "extra": _some(_OBJECT)}


def _audio_part(_nested: _Nested) -> _Fields:
    return {
        "type": _tag("audio"),
        "data": _need(_TEXT),
        "media_type": _need(_TEXT),
        "extra": _some(_OBJECT),
    }


def _file_part(_nested: _Nested) -> _Fields:
    texts = ("data", "text", "url", "file_id", "media_type", "filename")
    return {"type": _tag("file"), **{name: _some(_TEXT) for name in texts}, "extra": _some(_OBJECT)}


def _native_part(_nested: _Nested) -> _Fields:
    return {
        "type": _tag("native"),
        "dialect": _need(_TEXT),
        "value": _need(_OBJECT),
        "extra": _some(_OBJECT),
    }


def _system_message(nested: _Nested) -> _Fields:
    flag = cs.typed_dict_field(cs.with_default_schema(_FLAG, default=False), required=False)
    return {
        "role": _tag("system", "developer"),
        "content": _need(_content(nested)),
        "developer": flag,
        "extra": _some(_OBJECT),
    }


def _user_message(nested: _Nested) -> _Fields:
    return {"role": _tag("user"), "content": _need(_content(nested)), "extra": _some(_OBJECT)}


def _assistant_message(nested: _Nested) -> _Fields:
    return {
        "role": _tag("assistant"),
        "content": _some(_TEXT),
        "reasoning_content": _some(_TEXT),
        "tool_calls": _some(cs.list_schema(nested(_core.ToolCall))),
        "provider_state": _some(cs.list_schema(_OBJECT)),
        "extra": _some(_OBJECT),
    }


def _tool_message(nested: _Nested) -> _Fields:
    return {
        "role": _tag("tool"),
        "tool_call_id": _need(_TEXT),
        "content": _need(_content(nested)),
        "name": _some(_TEXT),
        "is_error": _some(_FLAG),
        "extra": _some(_OBJECT),
    }


def _tool_call(_nested: _Nested) -> _Fields:
    return {
        "id": _need(_TEXT),
        "type": _kind(cs.literal_schema(["function", "custom"])),
        "name": _need(_TEXT),
        "namespace": _some(_TEXT),
        "arguments": _need(_TEXT),
        "extra": _some(_OBJECT),
    }


def _tool(_nested: _Nested) -> _Fields:
    return {
        "type": _kind(_TEXT),
        "name": _need(_TEXT),
        "namespace": _some(_TEXT),
        "description": _some(_TEXT),
        "parameters": _some(_OBJECT),
        "strict": _some(_FLAG),
        "format": _some(_OBJECT),
        "extra": _some(_OBJECT),
    }


def _request(nested: _Nested) -> _Fields:
    messages = (_core.SystemMessage, _core.UserMessage, _core.AssistantMessage, _core.ToolMessage)
    union = cs.union_schema([nested(message) for message in messages])
    return {
        "dialect": _some(_DIALECT),
        "model": _some(_TEXT),
        "messages": _need(cs.list_schema(union)),
        "tools": _some(cs.list_schema(nested(_core.Tool))),
        "tool_choice": _some(cs.union_schema([_TEXT, _OBJECT])),
        "parallel_tool_calls": _some(_FLAG),
        "stream": _some(_FLAG),
        "sampling": _some(_OBJECT),
        "extra": _some(_OBJECT),
        "added": _some(cs.list_schema(_COUNT)),
        "replaced": _some(cs.list_schema(_TEXT)),
    }


def _usage(_nested: _Nested) -> _Fields:
    return {
        "prompt_tokens": _need(_COUNT),
        "completion_tokens": _need(_COUNT),
        "cached_input_tokens": _some(_COUNT),
        "reasoning_tokens": _some(_COUNT),
    }


def _response(nested: _Nested) -> _Fields:
    flag = cs.typed_dict_field(cs.with_default_schema(_FLAG, default=True), required=False)
    return {
        "dialect": _some(_DIALECT),
        "id": _some(_TEXT),
        "model": _some(_TEXT),
        "message": _need(nested(_core.AssistantMessage)),
        "finish_reason": _some(cs.literal_schema(["stop", "length", "tool_calls"])),
        "native_finish_reason": _some(_TEXT),
        "usage": _some(nested(_core.Usage)),
        "complete": flag,
        "unfinished": _some(cs.list_schema(nested(_core.ToolCall))),
        "error": _some(cs.any_schema()),
        "native": _some(_OBJECT),
    }


def _message_node(nested: _Nested) -> _Fields:
    messages = (_core.SystemMessage, _core.UserMessage, _core.AssistantMessage, _core.ToolMessage)
    flag = cs.typed_dict_field(cs.with_default_schema(_FLAG, default=False), required=False)
    seconds = cs.with_default_schema(cs.float_schema(allow_inf_nan=False), default=0.0)
    return {
        "id": _need(_COUNT),
        "message": _need(cs.union_schema([nested(message) for message in messages])),
        "parent": _some(_COUNT),
        "sampled": flag,
        "timestamp": cs.typed_dict_field(seconds, required=False),
        "metadata": _some(_OBJECT),
        "tools": _some(cs.list_schema(nested(_core.Tool))),
    }


def _loss(_nested: _Nested) -> _Fields:
    return {"code": _need(_TEXT), "path": _need(_TEXT), "detail": _need(_TEXT)}


def _native_outcome(_nested: _Nested) -> _Fields:
    return {
        "item": _need(_TEXT),
        "id": _some(_TEXT),
        "path": _need(_TEXT),
        "is_error": _some(_FLAG),
        "detail": _some(_TEXT),
    }


def _resume_report(_nested: _Nested) -> _Fields:
    dropped = cs.typed_dict_field(cs.with_default_schema(_COUNT, default=0), required=False)
    return {"nodes": _need(_COUNT), "version": _need(_COUNT), "dropped": dropped, "line": _some(_COUNT)}


def _rendered(nested: _Nested) -> _Fields:
    # JSON has no bytes: there such a body is written, and comes back, as text.
    body = cs.union_schema([_TEXT, cs.bytes_schema(strict=True), _OBJECT])
    return {"body": _need(body), "losses": _some(cs.list_schema(nested(_core.Loss))), "model": _some(_TEXT)}


# The plain spelling of every class.
_SPELLINGS: dict[type, Callable[[_Nested], _Fields]] = {
    _core.TextPart: _text_part,
    _core.ImagePart: _image_part,
    _core.AudioPart: _audio_part,
    _core.FilePart: _file_part,
    _core.NativePart: _native_part,
    _core.SystemMessage: _system_message,
    _core.UserMessage: _user_message,
    _core.AssistantMessage: _assistant_message,
    _core.ToolMessage: _tool_message,
    _core.ToolCall: _tool_call,
    _core.Tool: _tool,
    _core.Request: _request,
    _core.Usage: _usage,
    _core.Response: _response,
    _core.MessageNode: _message_node,
    _core.Loss: _loss,
    _core.NativeOutcome: _native_outcome,
    _core.ResumeReport: _resume_report,
    _core.Rendered: _rendered,
}


_STEP = re.compile(r'\.?([A-Za-z_][\w$-]*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]')


def _location(path: str) -> tuple[int | str, ...]:
    """`content[0].text` as pydantic writes it: `('content', 0, 'text')`."""
    steps: list[int | str] = []
    for key, index, quoted in _STEP.findall(path):
        steps.append(int(index) if index else key or quoted)
    return tuple(steps)


def _refused(cls: type, error: ToolwireError, value: Any) -> ValidationError:
    sentence = str(error).removeprefix(f"{error.path}: ")
    kind = PydanticCustomError("toolwire", "{sentence}", {"sentence": sentence})
    details = InitErrorDetails(type=kind, loc=_location(error.path), input=value)
    return ValidationError.from_exception_data(cls.__name__, [details])


def _validator(cls: Any) -> Callable[[Any, Any], Any]:
    def validate(value: Any, _inner: Any) -> Any:
        if isinstance(value, cls):
            return value
        try:
            return cls.from_dict(value)
        except ToolwireError as error:
            raise _refused(cls, error, value) from None

    return validate


def _serializer(cls: Any) -> Callable[[Any, Any], Any]:
    def dump(value: Any, info: Any) -> Any:
        if not isinstance(value, cls):
            # A union then tries its next member.
            raise PydanticSerializationUnexpectedValue(f"expected {cls.__name__}")
        plain = value.to_dict()
        # The one typed field that the plain spelling writes as null.
        if info.exclude_none and plain.get("content", "") is None:
            del plain["content"]
        return plain

    return dump


def core_schema_of(cls: type, _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    fields = _SPELLINGS[cls](handler.generate_schema)
    return cs.no_info_wrap_validator_function(
        _validator(cls),
        cs.typed_dict_schema(fields, cls_name=cls.__name__, extra_behavior="forbid"),
        ref=f"toolwire.{cls.__name__}",
        serialization=cs.plain_serializer_function_ser_schema(_serializer(cls), info_arg=True),
    )


def json_schema_of(cls: type, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
    # Both ways it is the plain spelling, so the function in front of it does not matter.
    spelling = dict(handler(schema["schema"]))
    return {**spelling, "title": cls.__name__}
