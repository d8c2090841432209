"""Where our identity and the host framework's equivalence part on purpose: the normal form that explains it.

Ours and theirs agree on a corpus in this exact sense: two messages have one identity exactly when the host
framework takes their *normal forms* for the same message. The normal form of a message that meets none of the
exceptions is the message itself. Each exception rewrites as little as it can:

    number       a double in function arguments or provider state that stands for an integer (1.0, 1e2)
                 becomes that integer. Theirs keeps 1 and 1.0 apart.
    digits       an integer of more than 4300 digits becomes a string. Theirs gives up on the whole text.
    raw          function arguments that theirs reads, or dies of, though they are no strict JSON (NaN,
                 overflow, a repeated key, nesting beyond 512 levels) become a text that it leaves alone.
    surrogate    lone surrogates become U+FFFD, as in ours. Theirs raises, or keeps them apart where JSON
                 escapes them.
    state type   an item of provider state whose `type` is neither text nor what Python holds for false: its
                 `type` and `role` get other names. Theirs raises; to ours such an item is of no kind and counts
                 whole.
    state part   a content part of provider state that is no object is put into one. Theirs raises; ours keeps
                 the part.
"""

from __future__ import annotations

import copy
import json
import math
import re
from decimal import Decimal
from typing import Any

Message = dict[str, Any]

NUMBER, DIGITS, RAW = "number", "digits", "raw"
SURROGATE, STATE_TYPE, STATE_PART = "surrogate", "state type", "state part"
ALL = (NUMBER, DIGITS, RAW, SURROGATE, STATE_TYPE, STATE_PART)
# With the first, ours may merge what theirs keeps apart; with the second, keep apart what theirs merges.
MERGING = frozenset({NUMBER, DIGITS, SURROGATE})
SPLITTING = frozenset({RAW})

MAX_DEPTH = 512
MAX_DIGITS = 4300
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?', re.DOTALL)
LONE = re.compile("[\ud800-\udfff]")
ESCAPED_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
ESCAPED_LONE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
# Starts with what no JSON text starts with, so it stays raw and is never another message's text.
RAW_PREFIX = "\x01raw:"


def normal(message: Message) -> tuple[Message, frozenset[str]]:
    """The normal form, and the exceptions that were met."""
    met: set[str] = set()
    message = _text_of(copy.deepcopy(message), met)
    for call in message.get("tool_calls") or []:
        if call.get("type", "function") == "function":
            call["arguments"] = _arguments(call["arguments"], met)
    for item in message.get("provider_state") or []:
        _state(item, met)
    return message, frozenset(met)


def _text_of(value: Any, met: set[str]) -> Any:
    """The same without lone surrogates in any string or key."""
    if isinstance(value, str):
        cleaned = LONE.sub("\ufffd", value)
        if cleaned != value:
            met.add(SURROGATE)
        return cleaned
    if isinstance(value, dict):
        return {_text_of(key, met): _text_of(member, met) for key, member in value.items()}
    return [_text_of(item, met) for item in value] if isinstance(value, list) else value


# Arguments


def _arguments(text: str, met: set[str]) -> str:
    if depth(text) <= MAX_DEPTH:
        if _is_strict(text):
            return TOKEN.sub(lambda token: _token(token.group(), met), text)
        if not _theirs_reads(text):
            return text
    met.add(RAW)
    return RAW_PREFIX + text


def depth(text: str) -> int:
    deepest = level = 0
    for bracket in re.findall(r"[\[\]{}]", TOKEN.sub("", text)):
        level += 1 if bracket in "[{" else -1
        deepest = max(deepest, level)
    return deepest


def _is_strict(text: str) -> bool:
    """JSON by RFC 8259 with each key once and numbers that a double holds."""

    def once(pairs: list[tuple[str, Any]]) -> None:
        if len({LONE.sub("\ufffd", key) for key, _ in pairs}) < len(pairs):
            raise ValueError

    def finite(literal: str) -> None:
        if math.isinf(float(literal)):
            raise ValueError

    def refuse(_: str) -> None:
        raise ValueError

    try:
        json.loads(text, object_pairs_hook=once, parse_int=str, parse_float=finite, parse_constant=refuse)
    except ValueError:
        return False
    return True


def _theirs_reads(text: str) -> bool:
    def limited(literal: str) -> None:
        if len(literal.lstrip("-")) > MAX_DIGITS:
            raise ValueError

    try:
        json.loads(text, parse_int=limited)
    except ValueError:
        return False
    return True


def _token(token: str, met: set[str]) -> str:
    if token.startswith('"'):
        return _string_token(token, met)
    if re.search("[.eE]", token):
        double = float(token)
        if _is_short_integer(double):
            met.add(NUMBER)
            return str(_integer(double))
    elif len(token.lstrip("-")) > MAX_DIGITS:
        met.add(DIGITS)
        return json.dumps(f"integer {token}")
    return token


def _is_short_integer(double: float) -> bool:
    """Does JavaScript write it without `.` and exponent?"""
    return double.is_integer() and abs(double) < 1e21


def _integer(double: float) -> int:
    """The integer that JavaScript writes: the shortest digits that give the double, then zeros."""
    return int(Decimal(repr(double)))


def _string_token(token: str, met: set[str]) -> str:
    """The string with escaped lone surrogates as `\\ufffd`; an escaped backslash starts no escape."""
    out, at = [], 0
    while at < len(token):
        if token[at] != "\\":
            out.append(token[at])
            at += 1
        elif pair := ESCAPED_PAIR.match(token, at):
            out.append(pair.group())
            at = pair.end()
        elif ESCAPED_LONE.match(token, at):
            met.add(SURROGATE)
            out.append("\\ufffd")
            at += 6
        else:
            out.append(token[at : at + 2])
            at += 2
    return "".join(out)


# Provider state


def _state(item: Message, met: set[str]) -> None:
    content = item.get("content")
    kind = item.get("type")
    bare = not kind and item.get("role") == "assistant"
    if (kind == "message" or bare) and isinstance(content, list):
        for n, part in enumerate(content):
            if not isinstance(part, dict):
                met.add(STATE_PART)
                content[n] = {"type": "not an object", "value": part}
    if kind and not isinstance(kind, str):
        met.add(STATE_TYPE)
        # Without `type` and `role` the kind is "" and the whole item counts.
        item["not text: type"] = item.pop("type")
        if "role" in item:
            item["not text: role"] = item.pop("role")
    for key, value in item.items():
        item[key] = _numbers(value, met)


def _numbers(value: Any, met: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _numbers(member, met) for key, member in value.items()}
    if isinstance(value, list):
        return [_numbers(item, met) for item in value]
    if isinstance(value, float) and _is_short_integer(value):
        met.add(NUMBER)
        return _integer(value)
    return value
