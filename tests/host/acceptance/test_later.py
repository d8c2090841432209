"""What is done with saved traces later: `vf-replay` scores them anew, `vf-eval --resume` goes on."""

from __future__ import annotations

import pytest

from . import checks
from .host import Host
from .scenarios import OUTCOMES


@pytest.mark.slow
def test_replay_sees_the_failures_in_saved_traces(host: Host) -> None:
    run = host.full_run("null")
    output = host.folder / "runs" / "replay"
    host.child("replay", "vf-replay", str(run.folder), "--output-dir", str(output), "--no-rich")
    replayed = host.inspected(output)
    assert replayed.keys() == OUTCOMES.keys()
    for scenario, trace in replayed.items():
        assert trace["nodes"] == run.traces[scenario]["nodes"]
        assert trace["rewards"]["failures_seen"] == host.outcomes(OUTCOMES[scenario]).count(True)


def test_resume_keeps_what_is_finished_and_runs_what_is_owed(host: Host) -> None:
    scenarios = ["seq", "only_err"]
    traces = host.evaluate("resume", "null", scenarios).folder / "traces.jsonl"
    finished, _ = traces.read_bytes().splitlines(keepends=True)
    traces.write_bytes(finished)  # as if the run had died here
    run = host.evaluate("resume", "null", scenarios, "--resume")
    lines = traces.read_bytes().splitlines(keepends=True)
    assert len(lines) == 2
    assert finished in lines
    for scenario in scenarios:
        checks.is_one_clean_rollout(run.traces[scenario])
        assert checks.outcomes(run.traces[scenario]) == host.outcomes(OUTCOMES[scenario])
