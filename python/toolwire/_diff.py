"""What changed between two conversations; loaded when `toolwire.diff` is first called."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from toolwire._core import AssistantMessage, Request, SystemMessage, Tool, ToolMessage, UserMessage

_Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage
_Conversation = Request | Mapping[str, Any] | Sequence[_Message | Mapping[str, Any]]

_SETTINGS = (
    "model",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "sampling",
    "dialect",
    "extra",
    "replaced",
)

# How much of a value a line shows.
_SHORT = 48


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not the same. The path is one in the second conversation; of what was removed, in the first."""

    kind: Literal["added", "removed", "changed"]
    path: str
    before: Any = None
    after: Any = None

    def __str__(self) -> str:
        if self.kind == "changed":
            return f"{self.path}: {_shown_apart(self.before, self.after)}"
        return f"{self.path}: {self.kind}: {_shown(self.after if self.kind == 'added' else self.before)}"


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed, outcomes first. It is false where nothing did."""

    changes: tuple[Change, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __str__(self) -> str:
        return "\n".join(map(str, self.changes))


def diff(a: _Conversation, b: _Conversation) -> Diff:
    """See `toolwire.diff`."""
    one, other = _request(a), _request(b)
    changes: list[Change] = []
    for n, m in _messages(one.messages, other.messages):
        _compare("messages", n, m, one.messages, other.messages, changes)
    if all(isinstance(given, Request | Mapping) for given in (a, b)):
        for n, m in _aligned(one.tools, other.tools, _itself, _tool_slot):
            _compare("tools", n, m, one.tools, other.tools, changes)
        for name in _SETTINGS:
            before, after = getattr(one, name), getattr(other, name)
            _named(name, before, after, before != after, changes)
    return Diff(tuple(sorted(changes, key=_rank)))


def _request(given: _Conversation) -> Request:
    if isinstance(given, Request):
        return given
    return Request.from_dict(given) if isinstance(given, Mapping) else Request(given)


def _rank(change: Change) -> int:
    """Outcomes first: those that are another one, then those that came or went with their message."""
    if re.fullmatch(r"messages\[\d+\]\.is_error", change.path):
        return 0
    gone = change.before if change.kind == "removed" else change.after
    return 1 if isinstance(gone, ToolMessage) and gone.is_error is not None else 2


def _itself(item: Any) -> Any:
    return item


def _tool_slot(tool: Tool) -> Hashable:
    return tool.type, tool.namespace, tool.name


def _message_slot(message: _Message) -> Hashable:
    if isinstance(message, ToolMessage):
        return message.role, message.tool_call_id
    if isinstance(message, AssistantMessage):
        return message.role, tuple(call.id for call in message.tool_calls)
    return message.role


def _json_slot(item: Any) -> str:
    return str(item.get("type")) if isinstance(item, dict) else type(item).__name__


def _json_key(item: Any) -> str:
    return json.dumps(item, sort_keys=True)


_Pair = tuple[int | None, int | None]


def _messages(a: Sequence[_Message], b: Sequence[_Message]) -> Iterator[_Pair]:
    return _aligned(a, b, lambda message: message.identity, _message_slot, lambda message: message.role)


def _aligned(
    a: Sequence[Any],
    b: Sequence[Any],
    key: Callable[[Any], Hashable],
    slot: Callable[[Any], Hashable],
    kind: Callable[[Any], Hashable] | None = None,
) -> Iterator[_Pair]:
    """The places that belong together, and those that have no counterpart, in order.

    First what has the same key; in what is left between, stretches of the same kinds place by place; then what has the
    same slot.
    """
    for ours, theirs in _stretches([key(item) for item in a], [key(item) for item in b]):
        if kind and [kind(a[n]) for n in ours] == [kind(b[m]) for m in theirs]:
            yield from zip(ours, theirs)
            continue
        slots = [slot(a[n]) for n in ours], [slot(b[m]) for m in theirs]
        for left, right in _stretches(*slots):
            if len(left) == len(right) and slots[0][left.start : left.stop] == slots[1][right.start : right.stop]:
                yield from ((ours[n], theirs[m]) for n, m in zip(left, right))
            else:
                yield from ((ours[n], None) for n in left)
                yield from ((None, theirs[m]) for m in right)


def _stretches(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[tuple[range, range]]:
    """Stretches of two lists that belong together: the same in both, or in the place of one another.

    What stands once in both lists holds them together, as far as it is in the same order, so that `difflib`, whose time
    grows with the square, only sees what is between.
    """
    counts_a, counts_b = Counter(a), Counter(b)
    places = {item: m for m, item in enumerate(b) if counts_b[item] == 1}
    once = [(n, places[item]) for n, item in enumerate(a) if counts_a[item] == 1 and item in places]
    from_a = from_b = 0
    for n, m in [*_rising(once), (len(a), len(b))]:
        for _, i, j, k, last in SequenceMatcher(None, a[from_a:n], b[from_b:m]).get_opcodes():
            yield range(from_a + i, from_a + j), range(from_b + k, from_b + last)
        if n < len(a):
            yield range(n, n + 1), range(m, m + 1)
        from_a, from_b = n + 1, m + 1


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """As many of the pairs as rise together in both places; they rise in the first one."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, (_, place) in enumerate(pairs):
        height = bisect_left(tops, place)
        before.append(ends[height - 1] if height else -1)
        tops[height : height + 1] = [place]
        ends[height : height + 1] = [at]
    rising = []
    at = ends[-1] if ends else -1
    while at >= 0:
        rising.append(pairs[at])
        at = before[at]
    return rising[::-1]


def _compare(
    name: str, n: int | None, m: int | None, a: Sequence[Any], b: Sequence[Any], changes: list[Change]
) -> None:
    """Two nouns of ours, or one that has no counterpart."""
    if m is None:
        assert n is not None
        changes.append(Change("removed", f"{name}[{n}]", before=a[n]))
    elif n is None:
        changes.append(Change("added", f"{name}[{m}]", after=b[m]))
    elif a[n] != b[m]:
        _named(f"{name}[{m}]", a[n].to_dict(), b[m].to_dict(), True, changes)


def _named(path: str, before: Any, after: Any, differ: bool, changes: list[Change]) -> None:
    """Names the whole where no member can be named: a null that was left out, a number spelled in another way."""
    known = len(changes)
    _differ(path, before, after, changes)
    if differ and len(changes) == known:
        changes.append(Change("changed", path, before, after))


def _differ(path: str, before: Any, after: Any, changes: list[Change]) -> None:
    """Two JSON values. One Python frame per level: they may nest deep."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            _differ(_member(path, key), before.get(key), after.get(key), changes)
    elif isinstance(before, list) and isinstance(after, list):
        for n, m in _aligned(before, after, _json_key, _json_slot):
            if m is None:
                assert n is not None
                changes.append(Change("removed", f"{path}[{n}]", before=before[n]))
            elif n is None:
                changes.append(Change("added", f"{path}[{m}]", after=after[m]))
            else:
                _differ(f"{path}[{m}]", before[n], after[m], changes)
    elif type(before) is not type(after) or before != after:
        changes.append(Change("changed", path, before, after))


def _member(path: str, key: str) -> str:
    return f"{path}.{key}" if re.fullmatch(r"[A-Za-z_$][\w$-]*", key, re.ASCII) else f"{path}[{json.dumps(key)}]"


def _shown_apart(before: Any, after: Any) -> str:
    """Both values, long texts from where they first differ."""
    if not (isinstance(before, str) and isinstance(after, str)) or max(len(before), len(after)) <= _SHORT:
        return f"{_shown(before)} -> {_shown(after)}"
    shortest = min(len(before), len(after))
    at = next((n for n in range(shortest) if before[n] != after[n]), shortest)
    start = max(0, at - _SHORT // 4)
    return f"at character {at}: {_window(before, start)} -> {_window(after, start)}"


def _window(text: str, start: int) -> str:
    end = start + _SHORT
    return ("..." if start else "") + repr(text[start:end]) + ("..." if end < len(text) else "")


def _shown(value: Any) -> str:
    if isinstance(value, ToolMessage):
        outcome = {True: ", which failed", False: ", which succeeded", None: ""}[value.is_error]
        return f"result of {_shown(value.tool_call_id)}{outcome}: {_shown(value.to_dict()['content'])}"
    if isinstance(value, AssistantMessage):
        calls = "".join(f", call of {_shown(call.name)}" for call in value.tool_calls[:3])
        more = ", ..." if len(value.tool_calls) > 3 else ""
        return f"{value.role}: {_shown(value.content)}{calls}{more}"
    if isinstance(value, _Message):
        return f"{value.role}: {_shown(value.to_dict()['content'])}"
    if isinstance(value, Tool):
        return _shown(value.name)
    if isinstance(value, str):
        return _window(value, 0)
    text = repr(value)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}..."
