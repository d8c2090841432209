"""One graph and several threads: one consistent tree, no deadlock, and the interpreter free while large inputs are hashed."""

from __future__ import annotations

import copy
import json
import random
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from toolwire import AssistantMessage, MessageGraph, Rollout, SystemMessage, ToolCall, ToolMessage, UserMessage

THREADS = 8
ROUNDS = 12
# Only a thread that hangs gets this far.
HANGS = 120

Conversation = tuple[tuple[Any, ...], AssistantMessage]


def conversation(rng: random.Random, outcomes: tuple[bool | None, ...]) -> Conversation:
    """Short and from few messages, so that prefixes and whole conversations repeat."""
    messages: list[Any] = [SystemMessage(rng.choice("xy"))] if rng.random() < 0.5 else []
    messages.append(UserMessage(rng.choice("ab")))
    for step in range(rng.randrange(4)):
        call = f"c{step}"
        arguments = rng.choice(['{"a": 1, "b": 2}', '{"b":2,"a":1}'])
        messages.append(AssistantMessage(rng.choice([None, ""]), tool_calls=[ToolCall(call, "read", arguments)]))
        messages.append(ToolMessage(call, "same", rng.choice([None, "read"]), rng.choice(outcomes)))
    return tuple(messages), AssistantMessage(rng.choice(["yes", "no"]))


def run(work: Callable[[int], None], threads: int = THREADS) -> None:
    """Runs `work(n)` in several threads at once; what any of them raised is raised here."""
    raised: list[BaseException] = []

    def guarded(n: int) -> None:
        try:
            work(n)
        except BaseException as error:
            raised.append(error)

    pool = [threading.Thread(target=guarded, args=(n,), daemon=True) for n in range(threads)]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join(HANGS)
        assert not thread.is_alive(), "a thread hangs"
    for error in raised:
        raise error


def said(graph: MessageGraph, node: int, silent: bool) -> tuple[str, ...]:
    """The identities on the way to a node; without what the results declared, if that is what is asked for."""
    messages = [m.replace(is_error=None) if silent and m.role == "tool" else m for m in graph.messages(node)]
    return tuple(message.identity for message in messages)


def tree(graph: MessageGraph, silent: bool) -> set[tuple[str, ...]]:
    return {said(graph, node.id, silent) for node in graph}


@pytest.mark.parametrize("outcomes", [(True, False), (True, False, None)])
@pytest.mark.parametrize("seed", range(4))
def test_threads_build_one_tree(outcomes: tuple[bool | None, ...], seed: int) -> None:
    rng = random.Random(seed)
    pool = [conversation(rng, outcomes) for _ in range(60)]
    graph, barrier = MessageGraph(), threading.Barrier(THREADS)
    committed: list[dict[int, int]] = [{} for _ in range(THREADS)]

    def work(n: int) -> None:
        own = random.Random(f"{seed} {n}")
        for _ in range(ROUNDS):
            barrier.wait(HANGS)
            chosen = own.sample(range(len(pool)), 5)
            turns = [(at, graph.prepare(pool[at][0])) for at in chosen]
            own.shuffle(turns)
            for at, turn in turns:
                if own.random() < 0.3:
                    turn.commit_prompt()
                node = turn.commit(pool[at][1], by=n)
                assert committed[n].setdefault(at, node) == node

    run(work)
    ids: dict[int, int] = {}
    for done in committed:
        for at, node in done.items():
            assert ids.setdefault(at, node) == node, "two threads committed one conversation to two nodes"
    assert len({(node.parent, node.identity) for node in graph}) == len(graph)
    assert all(node.parent is None or node.parent < node.id for node in graph)
    for at, node in ids.items():
        messages, answer = pool[at]
        assert said(graph, node, silent=True) == tuple(
            (m.replace(is_error=None) if m.role == "tool" else m).identity for m in (*messages, answer)
        )
        met = [m.is_error for m in graph.messages(node) if m.role == "tool"]
        for stated, stored in zip([m.is_error for m in messages if m.role == "tool"], met):
            assert stated is None or (stated is True) is (stored is True)
        assert graph.prepare([*messages, answer]).known == graph.path(node)
    # The same conversations one by one make the same tree; which node silence meets depends on the order.
    serial = MessageGraph()
    for at in sorted(ids):
        serial.prepare(pool[at][0]).commit(pool[at][1])
    silent = None in outcomes
    assert tree(graph, silent) == tree(serial, silent)
    assert silent or len(graph) == len(serial)


def test_comparing_and_copying_while_others_commit() -> None:
    """Two graphs compared in both directions while both grow: no lock is held while another is waited for."""
    graphs = MessageGraph(), MessageGraph()
    barrier = threading.Barrier(THREADS)

    def work(n: int) -> None:
        one, other = graphs if n % 2 else graphs[::-1]
        barrier.wait(HANGS)
        for step in range(40):
            one.prepare([UserMessage(f"{n} {step}")]).commit(AssistantMessage("yes"), timestamp=1)
            assert (one == other) in (True, False)
            seen = copy.copy(one)
            assert MessageGraph.from_jsonl(seen.to_jsonl()) == seen
            assert len(list(one)) >= 2 * (step + 1)
            assert all(len(branch) == 2 for branch in one.branches)

    run(work)
    assert len(graphs[0]) == len(graphs[1]) == THREADS * 40


@pytest.fixture
def other_thread() -> Any:
    """A counter that another thread counts up whenever it gets the interpreter, which nobody is made to hand over."""
    count, stop = [0], threading.Event()

    def work() -> None:
        while not stop.is_set():
            count[0] += 1
            time.sleep(0)

    before = sys.getswitchinterval()
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while count[0] == 0:
        time.sleep(0.001)
    sys.setswitchinterval(HANGS)
    time.sleep(0.02)  # What waited with the old interval has had its turn.
    try:
        yield lambda: count[0]
    finally:
        sys.setswitchinterval(before)
        stop.set()
        thread.join(HANGS)


def gets_a_turn(count: Callable[[], int], work: Callable[[], object]) -> bool:
    """Does the other thread run during the work? It is woken by the system, so it has many chances."""
    for _ in range(100):
        before = count()
        work()
        if count() > before:
            return True
    return False


LARGE = 8 * 2**20


@pytest.mark.parametrize("size", [64, LARGE])
def test_the_interpreter_is_free_while_a_large_input_is_hashed(other_thread: Callable[[], int], size: int) -> None:
    messages, answer = [UserMessage("x" * size)], AssistantMessage("x" * size)
    graph = MessageGraph()
    assert gets_a_turn(other_thread, lambda: graph.prepare(messages)) is (size == LARGE)
    turn = graph.prepare([])
    assert gets_a_turn(other_thread, lambda: turn.commit(answer)) is (size == LARGE)


def typed() -> MessageGraph:
    graph = MessageGraph()
    graph.prepare([UserMessage("x" * LARGE)]).commit_prompt()
    return graph


def metadata() -> MessageGraph:
    graph = MessageGraph()
    graph.prepare([]).commit(AssistantMessage("x"), tokens=list(range(LARGE // 8)))
    return graph


def received() -> MessageGraph:
    """The graph of a rollout, whose messages are still text."""
    rollout = Rollout("chat")
    messages = [{"role": "user", "content": f"{n} " + "x" * (LARGE // 8)} for n in range(8)]
    rollout.receive(json.dumps({"model": "m", "messages": messages}).encode()).commit_prompt()
    return rollout.graph


@pytest.mark.parametrize("make", [typed, metadata, received])
def test_the_interpreter_is_free_while_a_large_graph_is_read_and_written(
    other_thread: Callable[[], int], make: Callable[[], MessageGraph]
) -> None:
    graph = make()
    text = graph.to_jsonl()
    twin = MessageGraph.from_jsonl(text)  # A copy would share its messages, and be compared in no time.
    assert gets_a_turn(other_thread, graph.to_jsonl)
    assert gets_a_turn(other_thread, graph.__reduce__)
    assert gets_a_turn(other_thread, graph.to_verifiers)
    assert gets_a_turn(other_thread, lambda: MessageGraph.from_jsonl(text))
    assert gets_a_turn(other_thread, lambda: graph == twin)
    if make is received:
        assert gets_a_turn(other_thread, lambda: graph.messages(-1))
