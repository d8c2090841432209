"""What the tools of a trace declared, counted: per tool, in all, and whether the run came back from a failure."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolwire.integrations.verifiers import is_installed

UNNAMED = "(unnamed)"
"""The name under which results are counted that have none and answer no call of their path."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many results were declared a success or a failure, and how many were not declared."""

    success: int
    failure: int
    undeclared: int

    @property
    def results(self) -> int:
        """All of them."""
        return self.success + self.failure + self.undeclared

    @property
    def all_failed(self) -> bool:
        """Whether there was a result and every one was a declared failure."""
        return 0 < self.failure == self.results

    @property
    def failure_rate(self) -> float | None:
        """Failures by declared results, from 0 to 1; `None` if nothing was declared."""
        declared = self.success + self.failure
        return self.failure / declared if declared else None


@dataclass(frozen=True, slots=True)
class Outcomes(Counts):
    """The outcomes of a conversation; the counts are the totals over all tools."""

    per_tool: Mapping[str, Counts]
    """The counts by the name of the tool, in the order of the first result."""

    first_failure: int | None
    """The place of the first declared failure among the results, from 0; `None` if none failed."""

    first_failure_node: int | None
    """The index in `nodes` of the node that declares it."""

    recovered: bool | None
    """Whether a declared success stands behind the last declared failure; `None` if none failed. A result that
    nobody declared is no recovery."""


def outcomes(trace: Any) -> Outcomes:
    """What the tools of a trace declared, of a branch of one, or of anything with `nodes` that have a `message`.

    The name of a tool is the one on the result, else the one on the call that it answers, looked up on the way from
    the node to its root, else `UNNAMED`. Results that a task's prompt brings along count like the others. Messages
    of a process without the integration have no outcome: they are undeclared.

    A conversation that forked may hold a result in several nodes, as when a program is started again and sends its
    history behind another system prompt. A result counts once: nodes that answer the same call with the same declared
    outcome are one result, whatever became of its text, and a node that declares nothing is the same result as one
    that does. Calls are the same if id, name and arguments are equal, they are the same repetition of that call on
    their paths, and the model made at most one of them: the node of a call that was only sent along is not `sampled`.
    On one path two nodes are always two results.

    Anything with `branches` is read as a graph, along the `parent` of each node; anything else as one path, in the
    order of `nodes`. Takes time in proportion to the number of messages and calls.
    """
    nodes = getattr(trace, "nodes", None)
    if nodes is None:
        raise TypeError(f"outcomes: expected a trace, a branch, or something with nodes, not {type(trace).__name__}")
    _warn_if_forgotten(trace)
    graph = hasattr(trace, "branches")
    parents = [node.parent for node in nodes] if graph else [None, *range(len(nodes) - 1)][: len(nodes)]
    return _count(_distinct(_answers(nodes, parents)))


def _warn_if_forgotten(trace: Any) -> None:
    """A trace of a framework that drops outcomes looks as if nothing had failed."""
    if type(trace).__module__.startswith("verifiers.") and not is_installed():
        warnings.warn(
            "verifiers keeps no outcomes in this process: toolwire.integrations.verifiers.install() was not called, "
            "so every result that it reads or makes is undeclared",
            RuntimeWarning,
            stacklevel=3,
        )


@dataclass(frozen=True, slots=True)
class _Call:
    """A call on a path; `node` is the one in which the model made it."""

    signature: tuple[str, str, str]
    repetition: int
    node: int | None


@dataclass(frozen=True, slots=True)
class _Result:
    """A tool's message; without a call, its own id and name stand for one. `repetition` counts the answers to the
    same call on its path."""

    node: int
    name: str
    outcome: bool | None
    call: _Call
    repetition: int


def _answers(nodes: Sequence[Any], parents: Sequence[int | None]) -> list[_Result]:
    """The result of every tool's node, with the call that it answers, in the order of the nodes."""
    children: list[list[int]] = [[] for _ in nodes]
    roots: list[int] = []
    for index, parent in enumerate(parents):
        (roots if parent is None else children[parent]).append(index)

    found: list[_Result] = []
    # Both hold what is on the path to the node at hand: they are changed back when it is left (~index).
    called: defaultdict[str, list[_Call]] = defaultdict(list)
    repeated: Counter[Any] = Counter()
    pending = roots[::-1]
    while pending:
        index = pending.pop()
        entered = index >= 0
        node = nodes[index if entered else ~index]
        if entered:
            pending.append(~index)
            pending.extend(reversed(children[index]))
        message = node.message
        for made in getattr(message, "tool_calls", None) or ():
            if entered:
                signature = (made.id, made.name, made.arguments)
                sampled = index if getattr(node, "sampled", False) else None
                called[made.id].append(_Call(signature, repeated[signature], sampled))
                repeated[signature] += 1
            else:
                repeated[called[made.id].pop().signature] -= 1
        if message.role == "tool":
            name, calls = message.name or "", called.get(message.tool_call_id)
            call = calls[-1] if calls else _Call((message.tool_call_id, name, ""), 0, None)
            if entered:
                outcome = getattr(message, "is_error", None)  # absent on a message of a process that has no field
                found.append(_Result(index, name or call.signature[1] or UNNAMED, outcome, call, repeated[call]))
                repeated[call] += 1
            else:
                repeated[call] -= 1
    return sorted(found, key=lambda result: result.node)


def _distinct(results: Sequence[_Result]) -> list[_Result]:
    """Each result once."""
    made: dict[_Call, _Call] = {}
    for result in results:
        if result.call.node is not None:
            made.setdefault(replace(result.call, node=None), result.call)
    seen: dict[tuple[_Call, int], dict[bool | None, int]] = {}
    distinct: list[_Result] = []
    for result in results:
        nodes = seen.setdefault((made.get(result.call, result.call), result.repetition), {})
        if result.outcome in nodes or (result.outcome is None and nodes):
            continue
        silent = nodes.pop(None, None)
        if silent is None:
            nodes[result.outcome] = len(distinct)
            distinct.append(result)
        else:
            nodes[result.outcome] = silent
            distinct[silent] = replace(distinct[silent], node=result.node, outcome=result.outcome)
    return distinct


def _count(results: Sequence[_Result]) -> Outcomes:
    by_name: dict[str, list[bool | None]] = {}
    for result in results:
        by_name.setdefault(result.name, []).append(result.outcome)
    said = [result.outcome for result in results]
    first = said.index(True) if True in said else None
    return Outcomes(
        *_tally(said),
        per_tool={name: Counts(*_tally(of_one)) for name, of_one in by_name.items()},
        first_failure=first,
        first_failure_node=None if first is None else results[first].node,
        recovered=None if first is None else False in said[len(said) - said[::-1].index(True) :],
    )


def _tally(said: Sequence[bool | None]) -> tuple[int, int, int]:
    return said.count(False), said.count(True), said.count(None)
