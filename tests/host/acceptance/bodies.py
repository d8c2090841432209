"""Requests of native clients on three wires: a person speaks, the model calls a tool once, and the result goes back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .scenarios import GOOD
from .wire import MARKER

TEXT = "record 42: status=closed"
CALL = "call_0_0"
COUNT_TOKENS = "/v1/messages/count_tokens"
ROUTES = {"chat": "/v1/chat/completions", "anthropic": "/v1/messages", "responses": "/v1/responses"}


@dataclass
class Case:
    """What is posted in one session: turn after turn, the bodies of a turn at once."""

    wire: str
    declared: list[bool | None]
    """The outcome of each tool result of the session, a branch after the other."""
    turns: Sequence[Sequence[str]]
    restricted: bool = False
    """Whether the session's network policy is one that has each request gone through again."""

    def posted(self) -> dict[str, Any]:
        return {"route": ROUTES[self.wire], "turns": self.turns, "restricted": self.restricted}


def messages(wire: str, prompt: str, tool: str, **result: Any) -> list[dict[str, Any]]:
    """The conversation up to the tool's result, whose own members are `result`."""
    person = {"role": "user", "content": prompt}
    if wire == "chat":
        function = {"name": tool, "arguments": json.dumps(GOOD)}
        calls = [{"id": CALL, "type": "function", "function": function}]
        call = {"role": "assistant", "content": None, "tool_calls": calls}
        return [person, call, {"role": "tool", "tool_call_id": CALL, "content": TEXT, **result}]
    if wire == "anthropic":
        use = {"type": "tool_use", "id": CALL, "name": tool, "input": GOOD}
        block = {"type": "tool_result", "tool_use_id": CALL, "content": TEXT, **result}
        return [person, {"role": "assistant", "content": [use]}, {"role": "user", "content": [block]}]
    call = {"type": "function_call", "call_id": CALL, "name": tool, "arguments": json.dumps(GOOD)}
    return [person, call, {"type": "function_call_output", "call_id": CALL, "output": TEXT, **result}]


def body(wire: str, messages: list[dict[str, Any]], stream: bool = False) -> str:
    """A request as text."""
    known: dict[str, Any] = {"model": "any", "input" if wire == "responses" else "messages": messages}
    if wire == "anthropic":
        known["max_tokens"] = 64
    if stream:
        known["stream"] = True
    return json.dumps(known)


def single(wire: str, tool: str, declared: bool | None, **result: Any) -> Case:
    """One request that holds everything."""
    return Case(wire, [declared], [[body(wire, messages(wire, "go", tool, **result))]])


def restricted(case: Case) -> Case:
    """The same under a restricted policy."""
    return replace(case, restricted=True)


def streamed(wire: str, failure: dict[str, Any]) -> Case:
    """Two streamed turns: the model makes the call, and gets the failed result."""
    whole = messages(wire, "scenario=call_err;", "err", **failure)
    return Case(wire, [True], [[body(wire, whole[:1], stream=True)], [body(wire, whole, stream=True)]])


def at_once(wire: str, failure: dict[str, Any], success: dict[str, Any]) -> Case:
    """Two branches in flight together that differ only in the outcome of the call."""
    both = [body(wire, messages(wire, "scenario=at_once;", "either", **result)) for result in (failure, success)]
    return Case(wire, [True, False], [both])


MARKED, UNMARKED = {MARKER: True}, {MARKER: False}
FAILED, WORKED = {"is_error": True}, {"is_error": False}
PARTS = [{"type": "text", "text": TEXT}]

CASES = {
    "chat_plain": single("chat", "ok", None),
    "chat_failed": single("chat", "err", True, **MARKED),
    "chat_worked": single("chat", "ok", False, **UNMARKED),
    "chat_public": single("chat", "err", True, **FAILED),
    "chat_failed_restricted": restricted(single("chat", "err", True, **MARKED)),
    "chat_failed_parts": single("chat", "err", True, content=PARTS, **MARKED),
    "chat_streamed": streamed("chat", MARKED),
    "chat_at_once": at_once("chat", MARKED, UNMARKED),
    "anthropic_plain": single("anthropic", "ok", None),
    "anthropic_failed": single("anthropic", "err", True, **FAILED),
    "anthropic_worked": single("anthropic", "ok", False, **WORKED),
    "anthropic_marked": single("anthropic", "err", True, **MARKED),
    "anthropic_failed_restricted": restricted(single("anthropic", "err", True, **FAILED)),
    "anthropic_streamed": streamed("anthropic", FAILED),
    "anthropic_at_once": at_once("anthropic", FAILED, WORKED),
    "responses_plain": single("responses", "ok", None),
    "responses_incomplete": single("responses", "ok", None, status="incomplete"),
    "responses_public": single("responses", "err", True, **FAILED),
    "responses_failed": single("responses", "err", True, **MARKED),
    "responses_failed_restricted": restricted(single("responses", "err", True, **MARKED)),
    "responses_streamed": streamed("responses", MARKED),
    "responses_at_once": at_once("responses", MARKED, UNMARKED),
}
# The marker's key in other letters is the same key.
CASES["chat_failed_escaped"] = Case(
    "chat", [True], [[CASES["chat_failed"].turns[0][0].replace(MARKER, MARKER.replace("_", "\\u005f"))]]
)
NO_MARKER = single("chat", "ok", None, **{MARKER: "yes"})
