"""The request types of the official SDKs as closed schemas, one check per dialect."""

from __future__ import annotations

import base64
import functools
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import TypeAdapter, ValidationError

from wire_oracle.closed import closed

Body = dict[str, Any]

# Keys that OpenAI-compatible servers document for assistant messages, beyond OpenAI's own types.
COMPATIBLE: dict[str, dict[str, Any]] = {
    "ChatCompletionAssistantMessageParam": {
        "reasoning_content": str | None,
        "reasoning": str | None,
        "reasoning_details": list[dict[str, Any]],
    }
}


# Knobs that the API takes with older models, and that its SDK no longer names.
OLDER: dict[str, dict[str, Any]] = {
    "MessageCreateParamsNonStreaming": {"temperature": float, "top_p": float, "top_k": int}
}


class RejectError(Exception):
    """The types refuse the body; the text says where."""


@functools.cache
def _adapter(name: str) -> TypeAdapter[Any]:
    if name in ("chat", "compatible"):
        from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming as Chat

        return TypeAdapter(closed(Chat, COMPATIBLE if name == "compatible" else None))
    if name == "responses":
        from openai.types.responses.response_create_params import (
            ResponseCreateParamsNonStreaming as Responses,
        )

        return TypeAdapter(closed(Responses))
    if name == "anthropic":
        from anthropic.types.message_create_params import MessageCreateParamsNonStreaming as Messages

        return TypeAdapter(closed(Messages, OLDER))
    from anthropic.types.beta.message_create_params import MessageCreateParamsNonStreaming as Beta

    return TypeAdapter(closed(Beta, OLDER))


def _check(name: str, body: Body) -> None:
    try:
        _adapter(name).validate_json(json.dumps(body), strict=True)
    except ValidationError as error:
        raise RejectError(_short(error)) from None


def _short(error: ValidationError, limit: int = 4) -> str:
    """The errors of the branch that got furthest, unknown and missing keys first."""
    errors = error.errors(include_url=False, include_input=False)
    errors.sort(key=lambda e: (-len(e["loc"]), e["type"] not in ("extra_forbidden", "missing")))
    return "; ".join(f"{'.'.join(map(str, e['loc'][-4:]))}: {e['type']}" for e in errors[:limit])


def chat(body: Body) -> None:
    extensions = COMPATIBLE["ChatCompletionAssistantMessageParam"]
    messages = body.get("messages")
    turns = [m for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []
    used = any(key in turn for turn in turns for key in extensions)
    _check("compatible" if used else "chat", body)


def responses(body: Body) -> None:
    _check("responses", body)


def anthropic(body: Body) -> None:
    _check("beta" if "mcp_servers" in body else "anthropic", body)


def gemini(body: Body) -> None:
    """The SDK has no model of the body in REST: each member is read by its own, under the names of REST alone."""
    types = _gemini_types()
    if unknown := sorted(set(body) - set(types)):
        raise RejectError(f"unknown members {unknown}")
    if "contents" not in body:
        raise RejectError("contents: missing")
    for key, value in body.items():
        try:
            with warnings.catch_warnings():
                if sys.version_info < (3, 11):
                    # The last SDK for this Python does not know every word of today, and warns of those.
                    warnings.simplefilter("ignore")
                types[key].validate_json(json.dumps(value), strict=True, by_alias=True, by_name=False)
        except ValidationError as error:
            raise RejectError(f"{key}: {_short(error)}") from None


@functools.cache
def _gemini_types() -> dict[str, TypeAdapter[Any]]:
    from google.genai import types

    members = {
        # In the address; a batch, whose requests have none, names it here.
        "model": str,
        "contents": list[types.Content],
        "systemInstruction": types.Content,
        "tools": list[types.Tool],
        "toolConfig": types.ToolConfig,
        "generationConfig": types.GenerationConfig,
        "safetySettings": list[types.SafetySetting],
        "cachedContent": str,
        "labels": dict[str, str],
        "serviceTier": str,
        "store": bool,
    }
    return {key: TypeAdapter(annotation) for key, annotation in members.items()}


def bedrock(body: Body) -> None:
    from botocore.validate import ParamValidator

    shape = _converse()
    native = _with_bytes(shape, body)
    report = ParamValidator().validate(native, shape)
    if report.has_errors():
        raise RejectError("; ".join(report.generate_report().splitlines()))
    if found := list(_beyond(shape, native, "$")):
        raise RejectError("; ".join(found))


@functools.cache
def _converse() -> Any:
    import botocore.session

    model = botocore.session.get_session().get_service_model("bedrock-runtime")
    return model.operation_model("Converse").input_shape


def _with_bytes(shape: Any, value: Any) -> Any:
    """The body as the client takes it, with bytes where JSON holds base64."""
    if getattr(shape, "is_document_type", False):
        return value
    match shape.type_name, value:
        case "structure", dict():
            return {
                key: _with_bytes(shape.members[key], inner) if key in shape.members else inner
                for key, inner in value.items()
            }
        case "list", list():
            return [_with_bytes(shape.member, item) for item in value]
        case "map", dict():
            return {key: _with_bytes(shape.value, inner) for key, inner in value.items()}
        case "blob", str():
            try:
                return base64.b64decode(value, validate=True)
            except ValueError:
                raise RejectError("bytes that are not base64") from None
    return value


def _beyond(shape: Any, value: Any, place: str) -> Iterator[str]:
    """What the service refuses and the client's own validator does not look at: enums, patterns, greatest lengths."""
    if getattr(shape, "is_document_type", False):
        return
    match shape.type_name, value:
        case "structure", dict():
            for key, inner in value.items():
                yield from _beyond(shape.members[key], inner, f"{place}.{key}")
        case "map", dict():
            for key, inner in value.items():
                yield from _beyond(shape.key, key, f"{place}.{key}")
                yield from _beyond(shape.value, inner, f"{place}.{key}")
        case "list", list():
            yield from _too_long(shape, value, place)
            for n, item in enumerate(value):
                yield from _beyond(shape.member, item, f"{place}[{n}]")
        case "string", str():
            yield from _too_long(shape, value, place)
            if shape.enum and value not in shape.enum:
                yield f"{place}: none of {shape.enum}"
            pattern = shape.metadata.get("pattern")
            if pattern and not re.fullmatch(pattern, value):
                yield f"{place}: does not match {pattern}"
        case "blob", bytes():
            yield from _too_long(shape, value, place)


def _too_long(shape: Any, value: Any, place: str) -> Iterator[str]:
    most = shape.metadata.get("max")
    if most is not None and len(value) > most:
        yield f"{place}: longer than {most}"


def mcp(body: Body) -> None:
    """MCP has no body that holds a conversation: `protocol` and `kind` say what the value beside them is."""
    values = {
        "tools/call.result": "result",
        "tools/call.results": "results",
        "sampling/createMessage.params": "params",
    }
    held = values.get(body.get("kind", ""))
    if held is None or set(body) != {"protocol", "kind", held}:
        raise RejectError("not a sample envelope")
    if held == "params":
        _mcp_params(body["protocol"], body["params"])
    elif held == "result":
        _mcp_result(body["protocol"], body["result"])
    else:
        for entry in body["results"]:
            if set(entry) != {"id", "result"}:
                raise RejectError("not a sample envelope")
            _mcp_result(body["protocol"], entry["result"])


def _mcp_result(version: str, result: Body) -> None:
    from mcp_types import methods

    try:
        methods.validate_server_result("tools/call", version, result)
        parsed = methods.parse_server_result("tools/call", version, result)
    except ValidationError as error:
        raise RejectError(_short(error)) from None
    _refuse_lost(version, result, parsed.model_dump(mode="json", by_alias=True, exclude_unset=True))


def _mcp_params(version: str, params: Body) -> None:
    from mcp_types import methods

    try:
        request = methods.parse_server_request("sampling/createMessage", version, params)
    except ValidationError as error:
        raise RejectError(_short(error)) from None
    assert request.params is not None
    _refuse_lost(version, params, request.params.model_dump(mode="json", by_alias=True, exclude_unset=True))


def _refuse_lost(version: str, source: Any, dumped: Any) -> None:
    lost = _lost(source, dumped)
    if lost:
        raise RejectError(f"unknown to schema {version}: {lost}")


def _lost(source: Any, dumped: Any, place: str = "$") -> list[str]:
    """What did not survive reading: the models ignore what they do not know, and read "true" as true."""
    from wire_oracle.probe import OPAQUE

    lost: list[str] = []
    if isinstance(source, dict) and isinstance(dumped, dict):
        for key, value in source.items():
            if key not in dumped:
                lost.append(f"{place}.{key}")
            elif key not in OPAQUE["mcp"]:
                lost += _lost(value, dumped[key], f"{place}.{key}")
    elif isinstance(source, list) and isinstance(dumped, list):
        for index, (value, other) in enumerate(zip(source, dumped, strict=False)):
            lost += _lost(value, other, f"{place}[{index}]")
    elif source != dumped or isinstance(source, bool) != isinstance(dumped, bool):
        lost.append(place)
    return lost


SCHEMAS: dict[str, Callable[[Body], None]] = {
    "chat": chat,
    "responses": responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "bedrock": bedrock,
    "mcp": mcp,
}
