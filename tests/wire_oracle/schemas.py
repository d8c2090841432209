"""The request types of the official SDKs as closed schemas, one check per dialect."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
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

        return TypeAdapter(closed(Messages))
    from anthropic.types.beta.message_create_params import MessageCreateParamsNonStreaming as Beta

    return TypeAdapter(closed(Beta))


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
    "mcp": mcp,
}
