"""The graph of messages: what is known, what a commit adds, what it never does."""

from __future__ import annotations

import copy
import json
import pickle
import warnings
from typing import Any

import identity_reference as reference
import pytest
import strategies
import toolwire
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messages import build
from toolwire import (
    AssistantMessage,
    ChatDialect,
    LimitError,
    LossWarning,
    MessageGraph,
    MessageNode,
    PendingTurn,
    ShapeError,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)

HI = UserMessage("hi")
YES = AssistantMessage("yes")
CALLING = AssistantMessage(tool_calls=[ToolCall("c1", "read", '{"a": 1, "b": 2}')])


def result(is_error: bool | None, content: str = "same") -> ToolMessage:
    return ToolMessage("c1", content, is_error=is_error)


def test_a_conversation_is_stored_once() -> None:
    graph = MessageGraph()
    turn = graph.prepare([HI])
    assert (turn.known, turn.tail, turn.graph) == ((), (HI,), graph)
    assert turn.graph is graph
    assert turn.tail is turn.tail
    assert len(graph) == 0
    assert turn.commit(CALLING, timestamp=7, cost=0.5) == 1
    assert turn.known == ()
    turn = graph.prepare([HI, CALLING, result(True)])
    assert (turn.known, turn.tail) == ((0, 1), (result(True),))
    assert turn.commit(YES) == 3
    assert [node.message for node in graph] == [HI, CALLING, result(True), YES]
    assert graph.messages(3) == (HI, CALLING, result(True), YES)
    assert [node.parent for node in graph] == [None, 0, 1, 2]
    assert [node.sampled for node in graph] == [False, True, False, True]
    assert [graph[n].timestamp for n in (0, 1)] == [7.0, 7.0]
    assert graph[3].timestamp > 1_700_000_000
    assert [node.metadata for node in graph] == [{}, {"cost": 0.5}, {}, {}]
    assert (graph.leaves, graph.branches) == ((3,), ((0, 1, 2, 3),))
    assert repr(graph) == "<MessageGraph nodes=4 branches=1>"


def test_a_failed_and_a_good_result_are_two_nodes() -> None:
    graph = MessageGraph()
    failed = graph.prepare([HI, CALLING, result(True)]).commit(YES)
    good = graph.prepare([HI, CALLING, result(False)]).commit(YES)
    assert graph.branches == ((0, 1, 2, failed), (0, 1, 4, good))
    assert [graph.messages(leaf)[2].is_error for leaf in graph.leaves] == [True, False]
    # Silence meets what was declared, of two the older; it changes nothing.
    turn = graph.prepare([HI, CALLING, result(None)])
    assert turn.known == (0, 1, 2)
    assert turn.commit(YES) == failed
    assert len(graph) == 6


@pytest.mark.parametrize(("first", "then"), [(True, None), (False, None), (None, None), (None, False), (False, False)])
def test_one_node_for_outcomes_that_do_not_contradict(first: bool | None, then: bool | None) -> None:
    graph = MessageGraph()
    node = graph.prepare([HI, CALLING, result(first)]).commit_prompt()
    assert graph.prepare([HI, CALLING, result(then)]).commit_prompt() == node == 2
    assert graph[2].message.is_error is first


@pytest.mark.parametrize(("first", "then"), [(None, True), (False, True), (True, False)])
def test_failure_is_another_node(first: bool | None, then: bool | None) -> None:
    graph = MessageGraph()
    graph.prepare([HI, CALLING, result(first)]).commit_prompt()
    assert graph.prepare([HI, CALLING, result(then)]).commit_prompt() == 3
    # Silence stays with the older node.
    assert graph.prepare([HI, CALLING, result(None)]).known == (0, 1, 2)


def test_the_tools_are_part_of_a_root() -> None:
    graph = MessageGraph()
    tools = [Tool("read"), Tool("write")]
    bare = graph.prepare([HI]).commit(YES)
    given_tools = graph.prepare([HI], tools).commit(YES)
    other_order = graph.prepare([HI], tools[::-1]).commit(YES)
    assert len({bare, given_tools, other_order}) == 3
    assert graph.prepare([HI, YES], tools=[]).known == (0, bare) == graph.prepare([HI, YES], tools=None).known
    spelled = [{"name": "read", "description": ""}, {"type": "function", "name": "write", "parameters": {}}]
    assert graph.prepare([HI, YES], spelled).known == graph.path(given_tools)
    assert [node.tools for node in graph] == [(), (), tuple(tools), (), tuple(tools[::-1]), ()]


def test_a_commit_is_done_any_number_of_times() -> None:
    graph = MessageGraph()
    turn = graph.prepare([HI, CALLING, result(True)])
    node = turn.commit(YES, timestamp=1, n=1)
    before = copy.copy(graph)
    assert turn.commit(YES, timestamp=2, n=2, m=3) == node
    assert turn.commit_prompt() == 2
    assert graph.prepare([HI]).commit_prompt() == 0
    assert graph == before
    # The turn remembers how it was; a new answer is a new branch.
    assert turn.known == ()
    assert turn.commit(AssistantMessage("no")) == 4
    assert graph.branches == ((0, 1, 2, 3), (0, 1, 2, 4))


def test_an_answer_without_a_prompt_and_a_prompt_without_messages() -> None:
    graph = MessageGraph()
    turn = graph.prepare([])
    assert (turn.known, turn.tail, turn.commit_prompt()) == ((), (), None)
    assert turn.commit(YES) == 0
    assert graph.prepare(iter([YES])).known == (0,)


def test_answers_in_any_spelling() -> None:
    class Host:
        def model_dump(self, **_: Any) -> dict[str, Any]:
            return {"role": "assistant", "content": "yes", "tool_calls": None}

    turn = MessageGraph().prepare([{"role": "user", "content": "hi"}])
    plain = {"role": "assistant", "content": "yes"}
    assert turn.commit(YES) == turn.commit(plain) == turn.commit(Host()) == 1


@pytest.mark.parametrize("answer", [HI, SystemMessage("x"), result(True), {"role": "user", "content": "x"}])
def test_an_answer_is_the_assistants(answer: Any) -> None:
    graph = MessageGraph()
    with pytest.raises(ShapeError, match=r"^response_message\.role: expected assistant$"):
        graph.prepare([HI]).commit(answer)
    assert len(graph) == 0


def test_what_is_no_message_is_refused() -> None:
    graph = MessageGraph()
    with pytest.raises(ShapeError, match=r"^messages\[1\]\.role: missing"):
        graph.prepare([HI, {"content": "x"}])
    with pytest.raises(ShapeError, match=r"^tools\[0\]\.name: missing"):
        graph.prepare([HI], [{}])
    for wrong in (None, 5, "text"):
        with pytest.raises(ShapeError, match=r"^messages"):
            graph.prepare(wrong)  # type: ignore[arg-type]
        with pytest.raises(ShapeError, match=r"^response_message"):
            graph.prepare([]).commit(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("timestamp", [float("nan"), float("inf"), "1", True, [1], 10**400])
def test_a_timestamp_is_a_finite_number(timestamp: Any) -> None:
    turn = MessageGraph().prepare([HI])
    for commit in (lambda: turn.commit(YES, timestamp=timestamp), lambda: turn.commit_prompt(timestamp=timestamp)):
        with pytest.raises(ShapeError, match=r"^timestamp: "):
            commit()
    assert len(turn.graph) == 0


def test_metadata_is_json() -> None:
    turn = MessageGraph().prepare([HI])
    with pytest.raises(ShapeError, match=r"^metadata\.x\[0\]: "):
        turn.commit(YES, x=[float("nan")])
    with pytest.raises(ShapeError, match=r"^metadata\.x: expected JSON"):
        turn.commit(YES, x=object())
    deep: list[Any] = []
    for _ in range(1000):
        deep = [deep]
    with pytest.raises(LimitError, match=r"^metadata\.x"):
        turn.commit(YES, x=deep)
    assert len(turn.graph) == 0
    value = {"big": 2**70, "float": 1.0, "none": None, "list": [1, "\u00fc", {}], "\U0001f600": True}
    node = turn.graph[turn.commit(YES, **value)]
    assert node.metadata == value
    assert [type(item) for item in node.metadata.values()] == [type(item) for item in value.values()]
    node.metadata.clear()
    assert node.metadata == value


def test_metadata_as_deep_as_it_may_be_survives_text() -> None:
    deep: list[Any] = []
    for _ in range(509):
        deep = [deep]
    graph = MessageGraph()
    graph.prepare([HI]).commit(YES, x=deep)
    assert MessageGraph.from_jsonl(graph.to_jsonl()) == graph
    assert MessageGraph.from_verifiers(graph.to_verifiers()) == graph


def test_nodes_by_their_place() -> None:
    graph = MessageGraph()
    graph.prepare([HI]).commit(YES, timestamp=1)
    assert graph[0] == graph[-2] == MessageNode(0, HI, timestamp=1.0)
    assert graph[1] == graph[-1] == MessageNode(1, YES, 0, True, 1.0)
    assert graph.path(-1) == (0, 1)
    assert graph.messages(-2) == (HI,)
    assert graph[1].message is not graph[1].message
    node = graph[1]
    assert node.message is node.message
    for missing in (2, -3, 10**30, -(10**30)):
        for look in (graph.__getitem__, graph.path, graph.messages):
            with pytest.raises(IndexError):
                look(missing)
    for wrong in ("0", 0.0, None, slice(1)):
        with pytest.raises(TypeError):
            graph[wrong]  # type: ignore[index]


def test_iteration_sees_what_was_there() -> None:
    graph = MessageGraph()
    graph.prepare([HI]).commit(YES)
    nodes = iter(graph)
    assert next(nodes).id == 0
    graph.prepare([HI]).commit(AssistantMessage("no"))
    assert [node.id for node in nodes] == [1]
    assert [node.id for node in graph] == [0, 1, 2]
    assert graph[2] in graph


def test_equality_copies_and_pickles() -> None:
    graph = MessageGraph()
    graph.prepare([HI, CALLING, result(True)], [Tool("read")]).commit(YES, timestamp=1, big=[2**70])
    text = graph.to_jsonl()
    twins = [
        copy.copy(graph),
        copy.deepcopy(graph),
        copy.deepcopy([graph])[0],
        MessageGraph.from_jsonl(text),
        MessageGraph.from_jsonl(text.encode()),
        MessageGraph.from_jsonl(bytearray(text.encode())),
        *(pickle.loads(pickle.dumps(graph, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)),
    ]
    for twin in twins:
        assert twin == graph
        assert twin is not graph
        assert list(twin) == list(graph)
        assert twin.to_jsonl() == text
        assert twin.prepare([HI, CALLING, result(None), YES], [Tool("read")]).known == (0, 1, 2, 3)
        # A graph of its own.
        twin.prepare([HI]).commit(YES)
        assert (len(twin), len(graph)) == (6, 4)
        assert twin != graph
    assert graph != list(graph)
    assert graph.__eq__(1) is NotImplemented
    with pytest.raises(TypeError):
        hash(graph)
    with pytest.raises(TypeError):
        pickle.dumps(graph.prepare([HI]))
    with pytest.raises(TypeError):
        PendingTurn()


@pytest.mark.parametrize(
    "change",
    [
        {"message": AssistantMessage("no")},
        {"message": AssistantMessage("yes", extra={"chat": {"refusal": None}})},
        {"metadata": {"n": 1}},
        {"timestamp": 2},
    ],
)
def test_every_field_of_a_node_counts_in_equality(change: dict[str, Any]) -> None:
    graphs = MessageGraph(), MessageGraph()
    for graph, changed in zip(graphs, ({}, change)):
        commit = {"message": YES, "timestamp": 1, "metadata": {}, **changed}
        graph.prepare([HI]).commit(commit["message"], timestamp=commit["timestamp"], **commit["metadata"])
    assert graphs[0] != graphs[1]


def test_numbers_that_python_cannot_hold_survive() -> None:
    record = b'[{"message": {"role": "user", "content": "x"}, "timestamp": 1.5, "sampled": false, "n": [1e400, 1.50]}]'
    graph = MessageGraph.from_verifiers(record)
    text = graph.to_jsonl()
    assert "1e400" in text
    for twin in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph), MessageGraph.from_jsonl(text)):
        assert twin == graph
        assert twin.to_jsonl() == text
    assert "1e400" not in repr(graph[0])
    assert copy.deepcopy(graph[0]) == pickle.loads(pickle.dumps(graph[0])) == graph[0]
    with pytest.raises(LimitError, match=r"n\[0\]: "):
        _ = graph[0].metadata


def test_what_is_no_journal_is_refused() -> None:
    text = MessageGraph().to_jsonl()
    assert MessageGraph.from_jsonl(text) == MessageGraph()
    for wrong in ("", "{}", text + "x", text.replace("1", "9"), b"\xff"):
        with pytest.raises(toolwire.ToolwireError):
            MessageGraph.from_jsonl(wrong)
    with pytest.raises(ShapeError, match=r"^\$: expected text or bytes"):
        MessageGraph.from_jsonl({})  # type: ignore[arg-type]


def test_the_same_graph_however_the_bodies_are_spelled() -> None:
    """Through the reader of a wire: key order, white space and the name of a result do not matter."""
    arguments = ('{"a": 1, "b": 2}', '{"b":2.0,"a":1e0}')
    graph, ids = MessageGraph(), set()
    for spelled, name, content in zip(arguments, ("read", "other"), (None, "")):
        call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": spelled}}
        body = [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": content, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "x", "name": name},
        ]
        request = ChatDialect().parse_request({"model": "m", "messages": body})
        ids.add(graph.prepare(request.messages, request.tools).commit(YES))
    assert ids == {3}
    assert len(graph) == 4


def test_a_lone_surrogate_is_reported() -> None:
    graph = MessageGraph()
    with pytest.warns(LossWarning, match=r"^messages\[1\]\.content: surrogate\.replaced"):
        turn = graph.prepare([HI, {"role": "user", "content": "a\ud800"}])
    assert turn.tail == (HI, UserMessage("a\ufffd"))
    with pytest.warns(LossWarning, match=r"^metadata\.x: "):
        turn.commit(YES, x="\ud800")


# --- properties -----------------------------------------------------------------------------------------------------

conversations = st.lists(strategies.messages(), max_size=6)
answers = strategies.messages("assistant")
relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck))


def built(message: dict[str, Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LossWarning)
        return build(message)


@st.composite
def restated(draw: st.DrawFn, message: dict[str, Any]) -> dict[str, Any]:
    """The same conversational message, said in another way."""
    other = copy.deepcopy(message)
    if other["role"] == "assistant":
        if not other.get("content"):
            other["content"] = draw(st.sampled_from([None, ""]))
        for call in other["tool_calls"]:
            if call.get("type") != "custom" and reference.canonical_arguments(call["arguments"]) is not None:
                call["arguments"] = draw(strategies.respelled(json.loads(call["arguments"])))
    if other["role"] == "tool":
        other["name"] = draw(st.sampled_from([None, "read", other["name"]]))
        other["is_error"] = draw(st.sampled_from([True, None] if other["is_error"] else [other["is_error"], None]))
    return other


@relaxed
@given(st.data(), conversations, answers)
def test_restating_adds_nothing(
    data: st.DataObject, conversation: list[dict[str, Any]], answer: dict[str, Any]
) -> None:
    graph = MessageGraph()
    first = graph.prepare([built(message) for message in conversation]).commit(built(answer))
    before = graph.to_jsonl()
    again = [built(data.draw(restated(message))) for message in conversation]
    turn = graph.prepare(again)
    assert turn.known == graph.path(first)[:-1]
    assert turn.tail == ()
    assert turn.commit(built(data.draw(restated(answer)))) == first
    assert graph.prepare([*again, built(answer)]).known == graph.path(first)
    assert graph.to_jsonl() == before


@relaxed
@given(conversations, conversations, answers)
def test_prepare_changes_nothing_and_a_commit_adds_what_prepare_missed(
    one: list[dict[str, Any]], other: list[dict[str, Any]], answer: dict[str, Any]
) -> None:
    graph = MessageGraph()
    for conversation in (one, other, one + other):
        said = [built(message) for message in conversation]
        before = graph.to_jsonl()
        turn = graph.prepare(said)
        assert graph.to_jsonl() == before
        assert len(turn.known) + len(turn.tail) == len(said)
        last = turn.commit_prompt(timestamp=1)
        # A result may meet a node within its own conversation's tail, never anything else.
        assert len(graph) == before.count("\n") - 1 + len(turn.tail)
        path = graph.path(last) if last is not None else ()
        assert path[: len(turn.known)] == turn.known
        node = turn.commit(built(answer), timestamp=1)
        assert graph.path(node) == (*path, node)
        after = graph.to_jsonl()
        assert after.startswith(before)
        assert turn.commit(built(answer), timestamp=2) == node
        assert turn.commit_prompt() == last
        assert graph.to_jsonl() == after


@relaxed
@given(st.lists(conversations, max_size=5), answers)
def test_branches_are_leaves(many: list[list[dict[str, Any]]], answer: dict[str, Any]) -> None:
    graph = MessageGraph()
    for conversation in many:
        graph.prepare([built(message) for message in conversation]).commit(built(answer))
    parents = {node.parent for node in graph}
    assert graph.leaves == tuple(node.id for node in graph if node.id not in parents)
    assert graph.branches == tuple(graph.path(leaf) for leaf in graph.leaves)
    assert {node for branch in graph.branches for node in branch} == set(range(len(graph)))
    for branch in graph.branches:
        assert [graph[node].parent for node in branch] == [None, *branch[:-1]]
        assert graph.messages(branch[-1]) == tuple(graph[node].message for node in branch)
    # No two nodes of a parent are the same message.
    assert len({(node.parent, node.identity) for node in graph}) == len(graph)
    assert MessageGraph.from_jsonl(graph.to_jsonl()) == graph == copy.copy(graph)


@relaxed
@given(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=8))
def test_the_node_that_silence_met_it_meets_for_good(outcomes: list[bool | None]) -> None:
    graph = MessageGraph()
    ids = [graph.prepare([CALLING, result(outcome)]).commit_prompt() for outcome in outcomes]
    met = {said: {node for outcome, node in zip(outcomes, ids) if outcome is said} for said in (True, False, None)}
    assert all(len(nodes) <= 1 for nodes in met.values())
    assert not met[True] & met[False]
    # Silence meets the oldest node, which is the first that was stated.
    assert met[None] <= {1}
    assert [graph[node].message.is_error for node in met[True]] == [True] * len(met[True])
    assert graph[1].message.is_error is outcomes[0]
