"""`vf-eval` with the framework's own harness programs: a failure a tool declares reaches the model and the trace."""

from __future__ import annotations

import pytest

from . import checks
from .host import Host, Run
from .scenarios import OUTCOMES

HARNESSES = ["null", pytest.param("bash", marks=pytest.mark.slow)]


@pytest.fixture(scope="session", params=HARNESSES)
def run(request: pytest.FixtureRequest, host: Host) -> Run:
    return host.full_run(request.param)


@pytest.mark.parametrize("scenario", OUTCOMES)
def test_a_trace_holds_what_the_tools_declared(host: Host, run: Run, scenario: str) -> None:
    trace = run.traces[scenario]
    checks.is_one_clean_rollout(trace)
    assert checks.outcomes(trace) == host.outcomes(OUTCOMES[scenario])
    checks.is_not_labelled(trace)


@pytest.mark.parametrize("scenario", OUTCOMES)
def test_the_model_sees_the_label_on_failures_only(host: Host, run: Run, scenario: str) -> None:
    checks.labels_are_right(host, run.sent_in(scenario))


@pytest.mark.parametrize("scenario", OUTCOMES)
def test_a_loaded_trace_is_the_one_that_was_saved(run: Run, scenario: str) -> None:
    checks.is_the_same_after_reload(run.traces[scenario])


def test_a_program_restates_what_it_sent(run: Run) -> None:
    checks.prefixes_are_stable(run.sent)


def test_the_same_bytes_with_the_other_outcome_are_another_message(host: Host, run: Run) -> None:
    [good] = checks.tool_nodes(run.traces["only_ok"])
    [bad] = checks.tool_nodes(run.traces["only_err"])
    assert (good["tool_call_id"], good["content"]) == (bad["tool_call_id"], bad["content"])
    assert (good["hash"] != bad["hash"]) == host.keeps


def test_a_reward_sees_the_failures(host: Host, run: Run) -> None:
    seen = {scenario: trace["rewards"]["failures_seen"] for scenario, trace in run.traces.items()}
    assert seen == {scenario: host.outcomes(declared).count(True) for scenario, declared in OUTCOMES.items()}
