"""What the tools of a trace declared: counted once each, under their names, in branches, graphs and old traces."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
import toolwire.integrations.verifiers as tv
import verifiers.v1 as vf
from conversations import calls, commit, empty_trace, play, result
from hypothesis import given, settings
from hypothesis import strategies as st
from toolwire.integrations.verifiers._outcomes import UNNAMED, Counts, outcomes
from toolwire.integrations.verifiers.metrics import OutcomeMetrics
from verifiers.v1.configs.task import DecoratedFunctionConfig, TaskConfig
from verifiers.v1.trace import WireTrace

SYSTEM, USER, DONE = vf.SystemMessage(content="s"), vf.UserMessage(content="u"), vf.AssistantMessage(content="done")


@pytest.fixture(autouse=True, scope="module")
def _installed() -> Any:
    with tv.install():
        yield


def test_a_conversation_is_counted() -> None:
    trace = empty_trace()
    play(
        trace,
        USER,
        calls(("1", "read"), ("2", "write")),
        result("1", False),
        result("2", True),
        calls(("3", "write")),
        result("3", None),
        calls(("4", "write")),
        result("4", False, name="write_file"),
        DONE,
    )
    found = outcomes(trace)
    assert (found.success, found.failure, found.undeclared, found.results) == (2, 1, 1, 4)
    assert found.per_tool == {"read": Counts(1, 0, 0), "write": Counts(0, 1, 1), "write_file": Counts(1, 0, 0)}
    assert (found.first_failure, found.first_failure_node) == (1, 3)
    assert trace.nodes[3].message.is_error is True
    assert (found.recovered, found.all_failed, found.failure_rate) == (True, False, 1 / 3)
    assert outcomes(trace.branches[0]) == found


@pytest.mark.parametrize(
    ("said", "first", "recovered", "all_failed", "rate"),
    [
        ("", None, None, False, None),
        ("?", None, None, False, None),
        ("+", None, None, False, 0),
        ("-", 0, False, True, 1),
        ("--", 0, False, True, 1),
        ("-?", 0, False, False, 1),
        ("-+", 0, True, False, 1 / 2),
        ("+-", 1, False, False, 1 / 2),
        ("-+-", 0, False, False, 2 / 3),
        ("-+?-?+", 0, True, False, 1 / 2),
    ],
)
def test_what_follows_from_the_order(
    said: str, first: int | None, recovered: bool | None, all_failed: bool, rate: float | None
) -> None:
    outcome = {"+": False, "-": True, "?": None}
    trace = empty_trace()
    messages: list[Any] = [USER]
    for place, one in enumerate(said):
        messages += [calls((str(place), "t")), result(str(place), outcome[one])]
    play(trace, *messages, DONE)
    found = outcomes(trace)
    assert (found.first_failure, found.recovered, found.all_failed) == (first, recovered, all_failed)
    assert found.failure_rate == rate
    assert found.first_failure_node == (None if first is None else 2 + 2 * first)


def test_a_name_is_the_one_of_the_call_on_the_same_path() -> None:
    trace = empty_trace()
    play(trace, USER, calls(("1", "left")), result("1", True), DONE)
    play(trace, USER, calls(("1", "right")), result("1", True), DONE)
    play(trace, USER, vf.AssistantMessage(content="no call"), result("1", True), DONE)
    assert outcomes(trace).per_tool == {name: Counts(0, 1, 0) for name in ("left", "right", UNNAMED)}


def test_a_history_that_is_sent_again_at_another_root_counts_once() -> None:
    trace = empty_trace()
    first = play(trace, SYSTEM, USER, calls(("1", "t")), result("1", True), calls(("2", "t")), result("2", False), DONE)
    again = [SYSTEM, *first, vf.UserMessage(content="more")]
    commit(trace, again, calls(("3", "t")))
    commit(trace, [*again, calls(("3", "t")), result("3", True)], DONE)
    assert trace.num_branches == 2
    assert len(trace.tool_messages) == 5
    found = outcomes(trace)
    assert (found.failure, found.success, found.first_failure, found.first_failure_node) == (2, 1, 0, 3)
    assert found.recovered is False
    # A branch is one path, on which all three stand.
    assert outcomes(trace.branches[1]).failure == 2


def test_a_result_whose_text_was_cleared_is_the_same_result() -> None:
    trace = empty_trace()
    before = [USER, calls(("1", "t"))]
    play(trace, *before, result("1", True, "a long text"), calls(("2", "t")))
    commit(trace, [*before, result("1", True, "(cleared)")], DONE)
    assert (outcomes(trace).failure, outcomes(trace).results) == (1, 1)


def test_silence_is_the_same_result_as_a_declaration_whichever_came_first() -> None:
    for early, late in ((None, True), (True, None)):
        trace = empty_trace()
        play(trace, SYSTEM, USER, calls(("1", "t")), result("1", early), DONE)
        commit(trace, [USER, calls(("1", "t")), result("1", late)], DONE)
        found = outcomes(trace)
        assert (found.failure, found.undeclared) == (1, 0)
        assert trace.nodes[found.first_failure_node].message.is_error is True


def test_one_call_that_ended_in_two_ways_is_two_results() -> None:
    trace = empty_trace()
    play(trace, USER, calls(("1", "t")), result("1", True), DONE)
    commit(trace, [USER, calls(("1", "t")), result("1", False)], DONE)
    found = outcomes(trace)
    assert (found.failure, found.success, found.recovered) == (1, 1, True)


def test_calls_that_the_model_made_twice_are_two_calls_however_equal() -> None:
    trace = empty_trace()
    for text in ("one", "two"):
        play(trace, vf.UserMessage(content=text), calls(("call_0", "t")), result("call_0", True), DONE)
    assert outcomes(trace).failure == 2


def test_a_provider_that_repeats_its_ids_loses_no_result() -> None:
    trace = empty_trace()
    polled = [
        USER,
        *[calls(("call_0", "poll")), result("call_0", True)] * 3,
        calls(("call_0", "poll"), ("call_0", "poll")),
    ]
    first = play(trace, *polled, result("call_0", True), result("call_0", False), DONE)
    assert (outcomes(trace).failure, outcomes(trace).success) == (4, 1)
    commit(trace, [SYSTEM, *first, USER], DONE)
    assert len(trace.tool_messages) == 10
    assert (outcomes(trace).failure, outcomes(trace).success) == (4, 1)


def test_results_that_answer_nothing_count_once_by_id_and_name() -> None:
    trace = empty_trace()
    play(
        trace,
        USER,
        result("lost", True, name="a"),
        result("lost", True, name="a"),
        result("lost", True, name="b"),
        DONE,
    )
    commit(trace, [SYSTEM, result("lost", True, name="a"), result("lost", True, name="b")], DONE)
    assert outcomes(trace).per_tool == {"a": Counts(0, 2, 0), "b": Counts(0, 1, 0)}


def test_a_trace_that_came_from_a_file_counts_the_same() -> None:
    trace = empty_trace()
    first = play(trace, SYSTEM, USER, calls(("1", "t")), result("1", True), calls(("2", "t")), result("2"), DONE)
    commit(trace, [SYSTEM, *first], DONE)
    loaded = WireTrace.model_validate(json.loads(json.dumps(trace.to_record())))
    assert outcomes(loaded) == outcomes(trace)


def test_messages_without_the_field_declared_nothing() -> None:
    old = SimpleNamespace(role="tool", tool_call_id="1", content="text", name="t")
    found = outcomes(SimpleNamespace(nodes=[SimpleNamespace(message=old)]))
    assert (found.undeclared, found.results, found.failure_rate) == (1, 1, None)


def test_what_is_found_is_a_value() -> None:
    trace = empty_trace()
    play(trace, USER, calls(("1", "t")), result("1", True), DONE)
    found = outcomes(trace)
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(AttributeError):
        found.failure = 0


turns = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from([True, False, None])), max_size=6
)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), turns, st.booleans()), min_size=1, max_size=4))
def test_whatever_is_sent_again_the_calls_that_were_answered_are_counted(branches: list[Any]) -> None:
    """Each branch sends a part of an earlier conversation again, at the same root or another one, and goes on."""
    trace = empty_trace()
    told: list[list[Any]] = [[USER]]
    expected: Counter[tuple[str, bool | None]] = Counter()
    for number, (back, new, other_root) in enumerate(branches):
        # The text of the model's messages tells every call from the others, its id does not.
        past = told[back % len(told)]
        conversation = [vf.SystemMessage(content=str(number)), *past] if other_root else list(past)
        for turn, (id, name, outcome) in enumerate(new):
            made = calls((id, name), at=f"{number}.{turn}")
            commit(trace, list(conversation), made)
            conversation += [made, result(id, outcome)]
            expected[name, outcome] += 1
        commit(trace, list(conversation), vf.AssistantMessage(content=f"end of {number}"))
        told.append(conversation)
    found = outcomes(trace)
    assert {name: (c.success, c.failure, c.undeclared) for name, c in found.per_tool.items()} == {
        name: (expected[name, False], expected[name, True], expected[name, None])
        for name in {name for name, _ in expected}
    }


class CountingTask(OutcomeMetrics, vf.Task[vf.TaskData, vf.State, TaskConfig]):
    """A user's own task."""


def scored(trace: Any, task: vf.Task) -> dict[str, float | None]:
    asyncio.run(task.score(trace))
    return trace.metrics


def test_a_task_has_the_metrics_of_the_mixin() -> None:
    trace = empty_trace()
    play(trace, USER, calls(("1", "t"), ("2", "t")), result("1", True), result("2", False), DONE)
    assert scored(trace, CountingTask(vf.TaskData())) == {
        "tool_results": 2.0,
        "tool_failures": 1.0,
        "tool_failure_rate": 0.5,
        "all_tools_failed": 0.0,
        "recovered_after_failure": 1.0,
    }


def test_what_was_not_declared_is_not_measured() -> None:
    trace = empty_trace()
    play(trace, USER, calls(("1", "t")), result("1"), DONE)
    assert scored(trace, CountingTask(vf.TaskData())) == {
        "tool_results": 1.0,
        "tool_failures": 0.0,
        "all_tools_failed": 0.0,
    }


def test_a_function_is_plugged_by_its_name_alone() -> None:
    trace = empty_trace()
    play(trace, USER, calls(("1", "t")), result("1", True), DONE)
    names = {"all_tools_failed": "all_tools_failed", "tool_failure_rate": "tool_failure_rate"}
    plugged = {
        name: DecoratedFunctionConfig(fn=f"toolwire.integrations.verifiers.metrics.{fn}") for name, fn in names.items()
    }
    task = vf.Task(vf.TaskData(), TaskConfig(metrics=plugged))
    assert scored(trace, task) == {"all_tools_failed": 1.0, "tool_failure_rate": 1.0}


def test_a_method_of_the_task_takes_the_place_of_one() -> None:
    class Own(CountingTask):
        @vf.metric
        async def tool_failures(self, trace: vf.Trace) -> float:
            return 7.0

    assert scored(empty_trace(), Own(vf.TaskData()))["tool_failures"] == 7.0
