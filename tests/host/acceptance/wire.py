"""Requests as the provider got them: the tool results in a body of any wire, and every key of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .scenarios import failed

LABEL = "Tool execution failed:\n"
MARKER = "_vf_is_error"


@dataclass
class Sent:
    """One request at the provider."""

    client: str
    number: int
    route: str
    session: str
    raw: str

    @property
    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.raw)
        return body


@dataclass
class Result:
    """A tool result in a request."""

    failed: bool | None
    """Whether the call it answers is one that fails; None: there is no saying."""
    text: str
    """What a model sees of it."""
    is_error: object
    """The wire's own field; None where it is absent."""

    @property
    def labels(self) -> int:
        return self.text.count(LABEL)

    @property
    def labelled(self) -> bool:
        return self.text.startswith(LABEL)


def keys(value: Any) -> Iterator[str]:
    """Every key in a JSON value."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from keys(item)


def text_of(content: Any) -> str:
    """The text in a content: a string, or parts."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or [] if "text" in part)


def results(body: dict[str, Any]) -> list[Result]:
    """The tool results of a chat, Anthropic or Responses body, in order."""
    calls: dict[str, bool | None] = {}
    found = []
    for item in items(body):
        for call in item.get("tool_calls") or []:
            calls[call["id"]] = failed(call["function"]["name"], call["function"]["arguments"])
        if item.get("type") == "tool_use":
            calls[item["id"]] = failed(item["name"], item["input"])
        elif item.get("type") == "function_call":
            calls[item["call_id"]] = failed(item["name"], item["arguments"])
        elif item.get("role") == "tool":
            found.append(Result(calls[item["tool_call_id"]], text_of(item["content"]), item.get("is_error")))
        elif item.get("type") == "tool_result":
            found.append(Result(calls[item["tool_use_id"]], text_of(item["content"]), item.get("is_error")))
        elif item.get("type") == "function_call_output":
            found.append(Result(calls[item["call_id"]], text_of(item["output"]), item.get("is_error")))
    return found


def items(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The messages or items of a body, and behind each the blocks it holds."""
    for message in body.get("messages") or body["input"]:
        yield message
        if isinstance(message.get("content"), list):
            yield from message["content"]


def said(message: dict[str, Any]) -> tuple[Any, ...]:
    """A chat message without the spelling: a program restates a turn as its SDK dumps it, a relaunch as the framework does."""
    calls = [(call["id"], call["function"]) for call in message.get("tool_calls") or []]
    return message["role"], message.get("content") or "", message.get("tool_call_id"), calls
