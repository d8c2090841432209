"""The assertions of a case: `{"on": view, "path": path, "op": op, "value": value}`.

An op looks at every value that the path finds; there must be one, and each must satisfy it, unless the op
speaks of all of them together (`WHOLE`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from .lint import LINTERS
from .paths import resolve, spell, visible_text, walk

Assertion = dict[str, Any]


def check(views: dict[str, Any], assertion: Assertion) -> str | None:
    """None where the assertion holds, else a short reason."""
    on, op, path = assertion["on"], assertion["op"], assertion.get("path", "")
    value: Any = assertion.get("value")
    if on not in views:
        return f"view {on!r} missing"
    if op == "any_of":
        return _any_of(views, on, value)
    found = resolve(views[on], path)
    place = path or "<root>"
    if op in WHOLE:
        problem = WHOLE[op](found, value)
        return f"{place}: {problem}" if problem else None
    if op not in EACH:
        raise ValueError(f"unknown op {op!r}")
    if not found:
        return f"{place}: nothing matched"
    for got in found:
        problem = EACH[op](got, value)
        if problem:
            return f"{place}: {problem}"
    return None


def _any_of(views: dict[str, Any], on: str, alternatives: list[list[Assertion]]) -> str | None:
    reasons = []
    for alternative in alternatives:
        failed = [reason for a in alternative if (reason := check(views, {**a, "on": a.get("on", on)}))]
        if not failed:
            return None
        reasons.append(failed[0])
    return "no alternative holds: " + " | ".join(reasons)


def same(one: Any, other: Any) -> bool:
    """Strict equality: true is not 1, and 1.0 is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def _short(value: Any) -> str:
    return repr(value)[:120]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _unless(holds: bool, reason: str) -> str | None:
    return None if holds else reason


# Ops on all matches together


def _no_key_anywhere(found: list[Any], keys: Any) -> str | None:
    held = [key for root in found for v in walk(root) if isinstance(v, dict) for key in _listed(keys) if key in v]
    return _unless(not held, f"key {held[:1]} found")


def _no_null_value(found: list[Any], key: Any) -> str | None:
    nulls = any(isinstance(v, dict) and key in v and v[key] is None for root in found for v in walk(root))
    return _unless(not nulls, f"{key!r}: null found")


def _lint(found: list[Any], dialect: Any) -> str | None:
    problems = LINTERS[dialect](found[0] if found else None)
    return _unless(not problems, "lint: " + "; ".join(problems[:3]))


def _spelled(values: list[Any]) -> list[str]:
    return [json.dumps(value) for value in values]


WHOLE: dict[str, Callable[[list[Any], Any], str | None]] = {
    "absent": lambda found, _: _unless(not found, f"present: {found[:1]!r}"),
    "not_true": lambda found, _: _unless(not any(v is True or v == "error" for v in found), "is true"),
    "count": lambda found, value: _unless(len(found) == value, f"count {len(found)} != {value}"),
    "max_count": lambda found, value: _unless(len(found) <= value, f"count {len(found)} > {value}"),
    "unique": lambda found, _: _unless(len(set(_spelled(found))) == len(found), "not unique"),
    "seq": lambda found, value: _unless(same(found, value), f"{found!r} != {value!r}"),
    "set": lambda found, value: _unless(
        sorted(_spelled(found)) == sorted(_spelled(value)), f"{found!r} is not {value!r} in any order"
    ),
    "no_key_anywhere": _no_key_anywhere,
    "no_null_value": _no_null_value,
    "lint": _lint,
}


# Ops on each match


TYPES = {"string": str, "object": dict, "list": list, "bool": bool, "int": int, "float": float}


def _strict_json(got: Any, _: Any) -> str | None:
    try:
        json.dumps(got, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return f"not strict JSON: {error}"
    return None


def _json_eq(got: Any, value: Any) -> str | None:
    try:
        return _unless(same(json.loads(got), value), f"json {_short(got)} != {_short(value)}")
    except (TypeError, ValueError) as error:
        return f"not JSON: {error}"


def _text_contains(got: Any, value: Any) -> str | None:
    missing = [v for v in _listed(value) if v not in visible_text(got)]
    return _unless(not missing, f"text lacks {missing!r}")


def _text_not_contains(got: Any, value: Any) -> str | None:
    held = [v for v in _listed(value) if v in visible_text(got)]
    return _unless(not held, f"text holds {held!r}")


def _text_contains_json(got: Any, value: Any) -> str | None:
    text = got if isinstance(got, str) else spell(got)
    missing = [v for v in _listed(value) if v not in text and spell(v)[1:-1] not in text]
    return _unless(not missing, f"lacks {missing!r}")


def _text_count(got: Any, value: Any) -> str | None:
    times = visible_text(got).count(value[0])
    return _unless(times == value[1], f"{_short(value[0])} occurs {times} times, not {value[1]}")


def _not_contains(got: Any, value: Any) -> str | None:
    return _unless(value not in (got if isinstance(got, str) else spell(got)), f"holds {_short(value)}")


def _hash_equal(got: Any, groups: Any) -> str | None:
    for group in groups:
        digests = {got.get(name) for name in group}
        if len(digests) != 1 or None in digests:
            return f"group {group} has {len(digests)} digests"
    return None


def _hash_distinct(got: Any, groups: Any) -> str | None:
    for group in groups:
        digests = [got.get(name) for name in group]
        if None in digests or len(set(digests)) != len(digests):
            return f"collision within {group}"
    return None


def _text(test: Callable[[str, Any], bool], reason: str) -> Callable[[Any, Any], str | None]:
    """An op on the visible text."""

    def op(got: Any, value: Any) -> str | None:
        text = visible_text(got)
        return _unless(test(text, value), f"text {_short(text)} {reason} {_short(value)}")

    return op


def _string(test: Callable[[str, Any], bool], reason: str) -> Callable[[Any, Any], str | None]:
    """An op on a string, which anything else fails."""

    def op(got: Any, value: Any) -> str | None:
        return _unless(isinstance(got, str) and test(got, value), f"{_short(got)} {reason} {_short(value)}")

    return op


def _present(*_: Any) -> None:
    return None


def _is_true(got: Any, _: Any) -> str | None:
    return _unless(got is True, f"{_short(got)} is not true")


def _text_nonblank(got: Any, _: Any) -> str | None:
    return _unless(bool(visible_text(got).strip()), "text is blank")


EACH: dict[str, Callable[[Any, Any], str | None]] = {
    "eq": lambda got, value: _unless(same(got, value), f"{_short(got)} != {_short(value)}"),
    "ne": lambda got, value: _unless(not same(got, value), f"equals {_short(value)}"),
    "in": lambda got, value: _unless(any(same(got, v) for v in value), f"{_short(got)} not in {_short(value)}"),
    "not_in": lambda got, value: _unless(not any(same(got, v) for v in value), f"{_short(got)} is forbidden"),
    "present": _present,
    "is_true": _is_true,
    "type": lambda got, value: _unless(type(got) is TYPES[value], f"type {type(got).__name__} != {value}"),
    "max_len": lambda got, value: _unless(len(got) <= value, f"length {len(got)} > {value}"),
    "le": lambda got, value: _unless(got <= value, f"{got} > {value}"),
    "ge": lambda got, value: _unless(got >= value, f"{got} < {value}"),
    "contains_item": lambda got, value: _unless(
        isinstance(got, list) and value in got, f"{_short(got)} lacks {_short(value)}"
    ),
    "strict_json": _strict_json,
    "json_eq": _json_eq,
    "startswith": _string(lambda text, value: text.startswith(value), "does not start with"),
    "matches": _string(lambda text, value: re.fullmatch(value, text) is not None, "does not match"),
    "contains": _string(lambda text, value: value in text, "lacks"),
    "not_contains": _not_contains,
    "text_eq": _text(lambda text, value: text == value, "!="),
    "text_startswith": _text(lambda text, value: text.startswith(value), "does not start with"),
    "text_not_startswith": _text(lambda text, value: not text.startswith(value), "starts with"),
    "text_nonblank": _text_nonblank,
    "text_contains": _text_contains,
    "text_not_contains": _text_not_contains,
    "text_contains_json": _text_contains_json,
    "text_count": _text_count,
    "hash_equal": _hash_equal,
    "hash_distinct": _hash_distinct,
}
