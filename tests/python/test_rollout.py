"""What `Rollout` and `Turn` add in Python; what they compute is held against the slow path in `tests/rollout`."""

from __future__ import annotations

import gc
import json
import os
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
import toolwire
from toolwire import AssistantMessage, MessageGraph, Rollout, ToolMessage, Turn

DIALECTS = {
    "chat": toolwire.ChatDialect(),
    "responses": toolwire.ResponsesDialect(),
    "anthropic": toolwire.AnthropicDialect(),
}

STATM = Path("/proc/self/statm")


def resident() -> int:
    """The memory of this process, in bytes."""
    gc.collect()
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}


def body(dialect: str, turns: int, failed: bool = True) -> dict[str, Any]:
    """A conversation of so many calls, each answered."""
    user, messages = "look at it, 世界", []
    for n in range(turns):
        text, bad = f"result {n} é" * 40, failed and n % 2 == 0
        if dialect == "chat":
            call = CALL | {"id": f"c{n}"}
            messages += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"c{n}", "content": text} | ({"_vf_is_error": True} if bad else {}),
            ]
        elif dialect == "responses":
            messages += [
                {"type": "function_call", "call_id": f"c{n}", "name": "read", "arguments": '{"path": "a"}'},
                {"type": "function_call_output", "call_id": f"c{n}", "output": text}
                | ({"_vf_is_error": True} if bad else {}),
            ]
        else:
            use = {"type": "tool_use", "id": f"c{n}", "name": "read", "input": {"path": "a"}}
            result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": text} | (
                {"is_error": True} if bad else {}
            )
            messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    if dialect == "responses":
        return {"model": "m", "input": [{"role": "user", "content": user}, *messages]}
    whole = {"model": "m", "messages": [{"role": "user", "content": user}, *messages], "max_tokens": 9}
    return whole if dialect == "chat" else whole | {"system": "be kind"}


def answer(dialect: str, n: int) -> dict[str, Any]:
    """The provider's answer that the next body of `body` restates."""
    if dialect == "chat":
        message = {"role": "assistant", "content": None, "tool_calls": [CALL | {"id": f"c{n}"}], "refusal": None}
        return {"id": "x", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    if dialect == "responses":
        call = {"type": "function_call", "call_id": f"c{n}", "name": "read", "arguments": '{"path":"a"}'}
        return {"id": "r", "output": [call | {"id": "fc", "status": "completed"}]}
    use = {"type": "tool_use", "id": f"c{n}", "name": "read", "input": {"path": "a"}}
    return {"id": "m", "type": "message", "role": "assistant", "content": [use], "stop_reason": "tool_use"}


def raw(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_rollout_grows_one_branch(dialect: str) -> None:
    rollout, graph = Rollout(dialect), MessageGraph()
    for n in range(6):
        sent = raw(body(dialect, n))
        turn = rollout.receive(sent)
        request = DIALECTS[dialect].parse_request(sent)
        pending = graph.prepare(request.messages, request.tools)
        assert (turn.known, turn.tail) == (pending.known, pending.tail)
        assert (turn.request, turn.messages) == (request, request.messages)
        assert turn.upstream("n", {"temperature": 1}) == DIALECTS[dialect].apply_overrides(
            sent, "n", {"temperature": 1}
        )
        assert turn.upstream() == DIALECTS[dialect].seal(sent)
        for form in (turn.segments(), turn.segments("n"), turn.segments(model="n", sampling=None)):
            assert all(isinstance(piece, bytes | memoryview) for piece in form)
        assert b"".join(turn.segments("n")) == turn.upstream("n")
        form = [raw(answer(dialect, n)), json.dumps(answer(dialect, n)), answer(dialect, n)][n % 3]
        node = turn.commit(form, timestamp=n, step=n)
        assert node == turn.commit(form) == pending.commit(rollout.graph[node].message, timestamp=n, step=n)
        assert rollout.graph[node].metadata == {"step": n}
    assert rollout.graph == graph
    assert len(rollout.graph.branches) == 1
    failed = [m.is_error for m in rollout.graph.messages(-1) if isinstance(m, ToolMessage)]
    assert failed == [True, None, True, None, True]


def test_what_does_not_change_is_given_back_as_it_is() -> None:
    sent = raw(body("chat", 3, failed=False))
    turn = Rollout("chat").receive(sent)
    assert turn.upstream() is sent
    assert turn.segments() == (sent,)


@pytest.mark.parametrize("markers", [3, 100])
def test_failures_are_labelled_in_few_pieces_and_in_many(markers: int) -> None:
    rollout = Rollout(toolwire.ChatDialect)
    sent = raw(body("chat", markers))
    rollout.receive(sent).commit(AssistantMessage("done"))
    turn = rollout.receive(sent)
    assert turn.tail == ()
    assert turn.upstream() == toolwire.ChatDialect().seal(sent)
    assert b"".join(turn.segments("n")) == turn.upstream("n") == toolwire.ChatDialect().apply_overrides(sent, "n")


def test_a_retry_has_the_key_of_the_request_it_repeats() -> None:
    rollout = Rollout("chat")
    first, other = raw(body("chat", 1)), raw(body("chat", 2))
    turn = rollout.receive(first)
    key = turn.retry_key
    assert key == rollout.receive(first).retry_key
    turn.commit(answer("chat", 1))
    keys = {
        rollout.receive(first).retry_key,
        rollout.receive(json.dumps(body("chat", 1), ensure_ascii=False)).retry_key,
        turn.retry_key,
    }
    assert keys == {key}
    assert len(key) == 64
    settings = body("chat", 1) | {"temperature": 1}
    good = body("chat", 1, failed=False)
    good["messages"][-1]["_vf_is_error"] = False
    others = [rollout.receive(sent).retry_key for sent in (other, raw(settings), raw(good))]
    assert len({key, *others}) == 4


def test_bodies_come_in_as_any_text() -> None:
    rollout, value = Rollout("chat"), body("chat", 1)
    forms: list[Any] = [raw(value), bytearray(raw(value)), memoryview(raw(value)), raw(value).decode()]
    turns = [rollout.receive(form) for form in forms]
    assert len({turn.retry_key for turn in turns}) == 1
    assert [type(turn.upstream()) for turn in turns] == [bytes] * 4
    with pytest.raises(toolwire.ShapeError, match=r"^\$: expected the body as bytes or text"):
        rollout.receive(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (b"", toolwire.JsonError),
        (b"{}", toolwire.ShapeError),
        (b"[" * 1000, toolwire.LimitError),
        (b'{"messages":[{"role":"tool","tool_call_id":"c","content":"","_vf_is_error":1}]}', toolwire.MarkerError),
        (b'{"messages":[{"role":"user","content":"\xff"}]}', toolwire.JsonError),
    ],
)
def test_errors_are_those_of_parse_request(sent: bytes, error: type[Exception]) -> None:
    rollout = Rollout("chat")
    rollout.receive(raw(body("chat", 1))).commit(answer("chat", 1))
    with pytest.raises(error) as ours:
        rollout.receive(sent)
    with pytest.raises(error) as theirs:
        toolwire.ChatDialect().parse_request(sent)
    assert str(ours.value) == str(theirs.value)
    assert len(rollout.graph) == 4


def test_losses_are_those_of_the_seal() -> None:
    value = body("chat", 2)
    value["messages"][0]["_vf_is_error"] = False
    value["metadata"] = {"_vf_is_error": "x"}
    rollout, sent = Rollout("chat"), raw(value)
    for _ in range(2):
        turn = rollout.receive(sent)
        with warnings.catch_warnings(record=True) as ours:
            warnings.simplefilter("always")
            sealed = turn.upstream()
        with warnings.catch_warnings(record=True) as theirs:
            warnings.simplefilter("always")
            assert sealed == toolwire.ChatDialect().seal(sent)
        assert [str(w.message) for w in ours] == [str(w.message) for w in theirs] != []
        turn.commit_prompt()


def test_commit_takes_an_answer_and_nothing_else() -> None:
    turn = Rollout("chat").receive(raw(body("chat", 1)))
    for wrong, sentence in [
        (ToolMessage("c", "x"), "response.role: expected assistant"),
        ({"error": {"message": "no"}}, "error: the provider answered with an error, not with a turn"),
        (b"{}", "choices: missing"),
    ]:
        with pytest.raises(toolwire.ShapeError) as refused:
            turn.commit(wrong)  # type: ignore[arg-type]
        assert str(refused.value) == sentence
    with pytest.raises(toolwire.ShapeError, match="model: missing: sampling goes with the model it is for"):
        turn.upstream(sampling={"temperature": 1})
    assert len(turn.graph) == 0


def test_a_restated_failure_without_its_marker_meets_its_node() -> None:
    marked, silent = body("chat", 1), body("chat", 1, failed=False)
    rollout = Rollout("chat")
    node = rollout.receive(raw(marked)).commit_prompt()
    turn = rollout.receive(raw(silent))
    assert (turn.known[-1], turn.tail) == (node, ())
    good = json.loads(raw(silent))
    good["messages"][-1]["_vf_is_error"] = False
    assert len(rollout.receive(raw(good)).tail) == 1


def test_rollouts_share_a_graph() -> None:
    graph = MessageGraph()
    chat, anthropic = Rollout("chat", graph), Rollout("anthropic", graph)
    assert chat.graph is anthropic.graph is graph
    value = body("anthropic", 2)
    del value["system"]
    known = anthropic.receive(raw(value)).commit_prompt()
    turn = chat.receive(raw(body("chat", 2)))
    assert turn.known[-1] == known


def test_a_graph_outlives_its_rollout() -> None:
    rollout = Rollout("responses")
    rollout.receive(raw(body("responses", 3))).commit(answer("responses", 3))
    graph, before = rollout.graph, rollout.graph.to_jsonl()
    del rollout
    assert graph.to_jsonl() == before
    assert MessageGraph.from_jsonl(before) == graph


@pytest.mark.skipif(not STATM.exists(), reason="needs the memory figures of Linux")
def test_a_shared_graph_keeps_only_what_its_nodes_need() -> None:
    graph = MessageGraph()
    history = [{"role": "user", "content": "x" * 10_000}, {"role": "assistant", "content": "y"}] * 100
    sent = raw({"messages": history})
    Rollout("chat", graph).receive(sent).commit(AssistantMessage("first"))
    before = resident()
    for n in range(60):
        Rollout("chat", graph).receive(sent).commit(AssistantMessage(f"answer {n}"))
    assert len(graph) == 200 + 61
    assert resident() - before < 20 * len(sent)


def test_threads_share_a_rollout() -> None:
    rollout, barrier, done = Rollout("chat"), threading.Barrier(6), []

    def serve(agent: int) -> None:
        barrier.wait()
        for n in range(12):
            value = body("chat", n)
            value["messages"].insert(0, {"role": "system", "content": f"agent {agent % 3}"})
            turn: Turn = rollout.receive(raw(value))
            assert b"_vf_is_error" not in turn.upstream("n")
            turn.commit(raw(answer("chat", n)))
        done.append(agent)

    threads = [threading.Thread(target=serve, args=(agent,)) for agent in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == list(range(6))
    assert len(rollout.graph.branches) == 3
    assert len(rollout.graph) == 3 * (2 + 2 * 11 + 1)


@pytest.mark.parametrize("wire", ["chat", "anthropic", "responses"])
def test_what_is_fresh_is_told_for_a_host_with_messages_of_its_own(wire: str) -> None:
    """The elements behind the last message that came byte for byte, and what stands around the list."""
    key = "input" if wire == "responses" else "messages"
    first, second, third = ({"role": "user", "content": text} for text in ("one", "two", "three"))
    around = {"model": "m", key: [], "max_tokens": 5}

    def body(*elements: dict[str, str]) -> bytes:
        return json.dumps({**around, key: list(elements)}).encode()

    rollout = toolwire.Rollout(wire)
    turn = rollout.receive(body(first))
    node, elements = turn.fresh or (None, b"")
    assert (node, json.loads(elements), json.loads(turn.around or b"")) == (None, [first], around)
    known = turn.commit_prompt()
    turn = rollout.receive(body(first, second, third))
    node, elements = turn.fresh or (None, b"")
    assert (node, json.loads(elements)) == (known, [second, third])
    last = turn.commit_prompt()
    again = rollout.receive(body(first, second, third))
    assert again.fresh == (last, b"[]")
    assert turn.fresh == (known, elements)  # a turn stays what it was
    respelled = dict(reversed(second.items()))
    node, elements = rollout.receive(body(first, respelled, third)).fresh or (None, b"")
    assert (node, json.loads(elements)) == (known, [respelled, third])


def test_a_body_that_is_read_as_a_whole_has_nothing_fresh() -> None:
    body = b'{"messages": [{"role": "user", "content": "a"}], "model": "m", "messages": []}'
    turn = toolwire.Rollout("chat").receive(body)
    assert turn.fresh is None
    assert turn.around is None
