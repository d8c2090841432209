"""Native clients at the framework's interception server: outcomes on the chat, Anthropic and Responses wires."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

import pytest

from . import checks
from .bodies import CASES, COUNT_TOKENS, NO_MARKER
from .host import Host, Trace
from .wire import MARKER, Sent, keys, results

CONFLICT = [name for name in CASES if name.endswith("at_once")]
ONE_BRANCH = [name for name in CASES if name not in CONFLICT]


@dataclass
class Sessions:
    """What became of each case."""

    host: Host
    traces: dict[str, Trace]
    sent: dict[str, list[Sent]]


@pytest.fixture(scope="module", params=[True, False], ids=["with", "without"])
def sessions(request: pytest.FixtureRequest, hosts: dict[bool, Host]) -> Sessions:
    host = hosts[request.param]
    cases = host.folder / "cases.json"
    posted = {name: case.posted() for name, case in CASES.items()}
    posted["no_marker"] = NO_MARKER.posted()
    posted["counted"] = {**CASES["anthropic_marked"].posted(), "route": COUNT_TOKENS}
    cases.write_text(json.dumps(posted))
    traces = host.report("native", "native.py", str(cases), host.provider_url("native"))
    log = host.sent("native")
    sent = {name: [request for request in log if request.session == trace["session"]] for name, trace in traces.items()}
    return Sessions(host, traces, sent)


@pytest.mark.parametrize("name", ONE_BRANCH)
def test_a_session_keeps_the_outcome(sessions: Sessions, name: str) -> None:
    trace = sessions.traces[name]
    assert set(trace["statuses"]) == {200}, trace["replies"]
    assert trace["branches"] == 1
    assert checks.outcomes(trace) == sessions.host.outcomes(CASES[name].declared)
    checks.is_not_labelled(trace)


@pytest.mark.parametrize("name", CONFLICT)
def test_branches_in_flight_together_keep_their_own_outcomes(sessions: Sessions, name: str) -> None:
    trace = sessions.traces[name]
    assert set(trace["statuses"]) == {200}, trace["replies"]
    kept = Counter([True, False]) if sessions.host.keeps else Counter([None])
    assert Counter(checks.outcomes(trace)) == kept
    checks.is_not_labelled(trace)


@pytest.mark.parametrize("name", CASES)
def test_the_provider_gets_a_sealed_body(sessions: Sessions, name: str) -> None:
    case, sent = CASES[name], sessions.sent[name]
    posted = [json.loads(body) for bodies in case.turns for body in bodies]
    assert len(sent) == len(posted)
    forwarded = not sessions.host.keeps and any(MARKER in keys(body) for body in posted)
    assert any(MARKER in keys(request.body) for request in sent) == forwarded
    found = [result for request in sent for result in results(request.body)]
    failures = case.declared.count(True)
    if case.wire == "anthropic":  # its own field is what its model sees
        assert Counter(result.is_error for result in found) == Counter([None] if forwarded else case.declared)
        failures = 0
    assert sum(result.labelled for result in found) == sessions.host.keeps * failures
    assert sum(result.labels for result in found) == sessions.host.keeps * failures


@pytest.mark.parametrize("wire", ["chat", "anthropic", "responses"])
def test_a_streamed_turn_is_answered_with_events(sessions: Sessions, wire: str) -> None:
    replies = sessions.traces[f"{wire}_streamed"]["replies"]
    assert [reply.partition(":")[0] for reply in replies] == ["data" if wire == "chat" else "event"] * 2


@pytest.mark.parametrize("wire", ["chat", "anthropic", "responses"])
def test_a_failure_is_another_message(sessions: Sessions, wire: str) -> None:
    [plain], [failed] = (checks.tool_nodes(sessions.traces[f"{wire}_{what}"]) for what in ("plain", "failed"))
    assert (plain["tool_call_id"], plain["content"]) == (failed["tool_call_id"], failed["content"])
    assert (plain["hash"] != failed["hash"]) == sessions.host.keeps


@pytest.mark.parametrize("wire", ["chat", "anthropic"])
def test_a_success_is_the_message_that_says_nothing(sessions: Sessions, wire: str) -> None:
    [plain], [worked] = (checks.tool_nodes(sessions.traces[f"{wire}_{what}"]) for what in ("plain", "worked"))
    assert plain["hash"] == worked["hash"]


def test_a_request_beside_the_turns_is_sealed_too(sessions: Sessions) -> None:
    [counted] = [request for request in sessions.host.sent("native") if request.route == COUNT_TOKENS]
    [result] = results(counted.body)
    assert (MARKER in keys(counted.body)) != sessions.host.keeps
    assert (result.is_error is True) == sessions.host.keeps
    assert sessions.traces["counted"]["nodes"] == []


def test_a_marker_that_is_no_truth_value_is_refused(sessions: Sessions) -> None:
    trace = sessions.traces["no_marker"]
    if sessions.host.keeps:
        assert trace["statuses"] == [400]
        assert f"messages[2].{MARKER}: expected true or false" in trace["replies"][0]
        assert sessions.sent["no_marker"] == []
        assert trace["nodes"] == []
    else:
        assert trace["statuses"] == [200]
