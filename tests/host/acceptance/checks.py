"""What must hold of a trace and of the requests that led to it, with the add-on; and what is lost without it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .host import Host, Trace
from .wire import LABEL, Sent, results, said, text_of


def tool_nodes(trace: Trace) -> list[Trace]:
    return [node for node in trace["nodes"] if node["role"] == "tool"]


def outcomes(trace: Trace) -> list[bool | None]:
    return [node["is_error"] for node in tool_nodes(trace)]


def is_one_clean_rollout(trace: Trace) -> None:
    assert trace["errors"] == []
    assert trace["branches"] == 1


def is_not_labelled(trace: Trace) -> None:
    assert not [node for node in tool_nodes(trace) if LABEL in text_of(node["content"])]


def is_the_same_after_reload(trace: Trace) -> None:
    assert trace["hashes_after_reload"] == [node["hash"] for node in trace["nodes"]]
    assert all(found == length for found, length in trace["found_again"])


def labels_are_right(host: Host, sent: Sequence[Sent]) -> None:
    """In the longest request the model sees the label on each failed result, once, and on nothing else."""
    found = results(max(sent, key=lambda request: len(request.raw)).body)
    assert found
    expected = [host.keeps and result.failed is True for result in found]
    assert [result.labelled for result in found] == expected
    assert [result.labels for result in found] == [int(label) for label in expected]


def prefixes_are_stable(sent: Sequence[Sent]) -> None:
    """Within a session each request begins with the one before it."""
    sessions: dict[str, list[Sent]] = {}
    for request in sent:
        sessions.setdefault(request.session, []).append(request)
    for requests in sessions.values():
        for before, after in pairwise(requests):
            known = [said(message) for message in before.body["messages"]]
            assert [said(message) for message in after.body["messages"]][: len(known)] == known
