"""A tool server that answers with a JSON-RPC error, which is no tool result."""

from __future__ import annotations

import pytest

from . import checks
from .host import Host


@pytest.mark.slow
def test_a_protocol_error_is_a_failed_result(host: Host) -> None:
    run = host.evaluate("rpc", "null", ["rpc"])
    trace = run.traces["rpc"]
    if host.keeps:
        checks.is_one_clean_rollout(trace)
        assert checks.outcomes(trace) == [True, False]
        assert "protocol level failure" in checks.tool_nodes(trace)[0]["content"]
        checks.is_not_labelled(trace)
        checks.labels_are_right(host, run.sent)
    else:
        # The program asks again and again, and dies of it.
        assert [error.partition(":")[0] for error in trace["errors"]] == ["HarnessError"]
        assert checks.tool_nodes(trace) == []
