"""A task with a policy: results rewritten before the model sees them, calls refused before they are made."""

from __future__ import annotations

import pytest

from . import checks
from .host import Host
from .scenarios import OUTCOMES
from .wire import text_of

pytestmark = pytest.mark.slow


def test_a_rewritten_result_keeps_its_outcome(host: Host) -> None:
    run = host.evaluate("rewrite", "null", ["seq"], "--env.taskset.task.rewrite", "true")
    trace = run.traces["seq"]
    checks.is_one_clean_rollout(trace)
    assert checks.outcomes(trace) == host.outcomes(OUTCOMES["seq"])
    assert all(text_of(node["content"]).startswith("[redacted] ") for node in checks.tool_nodes(trace))
    checks.is_not_labelled(trace)
    checks.is_the_same_after_reload(trace)
    checks.labels_are_right(host, run.sent)
    checks.prefixes_are_stable(run.sent)


def test_a_refused_call_has_the_outcome_the_refusal_declares(host: Host) -> None:
    options = ["--env.taskset.task.deny", "ok", "--env.taskset.task.deny_as_failed", "err"]
    run = host.evaluate("deny", "null", ["seq"], *options)
    trace = run.traces["seq"]
    checks.is_one_clean_rollout(trace)
    assert checks.outcomes(trace) == host.outcomes([None, True, True])
    blocked = [text_of(node["content"]) == "blocked by policy" for node in checks.tool_nodes(trace)]
    assert blocked == [True, True, False]
    checks.is_not_labelled(trace)
    checks.labels_are_right(host, run.sent)
    checks.prefixes_are_stable(run.sent)
