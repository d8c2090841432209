"""Everything the provider got in this session from the framework with the add-on: nothing internal, and labels where they belong."""

from __future__ import annotations

from pathlib import Path

import pytest

from .host import recorded
from .wire import MARKER, Sent, keys, results


@pytest.fixture(scope="module")
def log(records: Path) -> list[Sent]:
    log = [request for file in sorted(records.glob("*-with.jsonl")) for request in recorded(file)]
    if not log:
        pytest.skip("nothing was sent with the add-on in this session")
    return log


def test_no_marker_is_sent(log: list[Sent]) -> None:
    assert [(sent.client, sent.number) for sent in log if MARKER in keys(sent.body)] == []


def test_chat_and_responses_bodies_hold_no_is_error(log: list[Sent]) -> None:
    others = [sent for sent in log if not sent.route.startswith("/v1/messages")]
    assert [(sent.client, sent.number) for sent in others if "is_error" in keys(sent.body)] == []


def test_exactly_the_failed_results_are_labelled_and_once(log: list[Sent]) -> None:
    for sent in log:
        for result in results(sent.body):
            if result.failed is None:
                continue
            native = sent.route.startswith("/v1/messages")
            assert result.labels == int(result.failed and not native), (sent.client, sent.number, result)
            assert result.labelled == (result.failed and not native), (sent.client, sent.number, result)
            assert (result.is_error is True) == (result.failed and native), (sent.client, sent.number, result)
