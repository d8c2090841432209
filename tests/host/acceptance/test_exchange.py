"""An agent talked to twice: the second turn starts the harness program again, on the transcript of the first."""

from __future__ import annotations

import pytest

from . import checks
from .host import Host


@pytest.mark.slow
@pytest.mark.parametrize("harness", ["null", "bash"])
def test_a_failure_outlives_the_program_that_saw_it(host: Host, harness: str) -> None:
    name = f"exchange-{harness}"
    trace = host.report(name, "interaction.py", host.mcp_url, host.provider_url(name), harness)
    assert trace["terminated"] == [False, False]
    assert trace["errors"] == []
    # A node a call, or two where a branch states it anew.
    by_call = {(node["tool_call_id"], node["is_error"]) for node in checks.tool_nodes(trace)}
    assert by_call == set(zip(["call_0_0", "call_2_0"], host.outcomes([True, False])))
    checks.is_not_labelled(trace)
    checks.labels_are_right(host, host.sent(name))
    if harness == "null":  # bash: verifiers 0.4.0 puts its system prompt before the transcript's, and forks at the root
        assert trace["branches"] == 1
        checks.prefixes_are_stable(host.sent(name))
