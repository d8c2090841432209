"""A process that is killed while it writes: what was acknowledged is there, and the journal goes on."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from toolwire import AssistantMessage, Journal, MessageGraph, ResumeReport, UserMessage, resume

# Nodes come in pairs, a question and its answer; ten make a conversation.
LONG = 10


def text_of(n: int) -> str:
    """Mostly short; some so long that a write takes its time."""
    return f"{n} ключ " + "x" * (100_000 if n % 24 == 1 else n % 50)


def grow(graph: MessageGraph) -> None:
    """Adds what comes next: a question and its answer, or only the answer that a torn line took away."""
    n = len(graph)
    history = list(graph.messages(n - 1)) if n % LONG else []
    question = n - n % 2
    if question == n:
        history.append(UserMessage(text_of(n)))
    graph.prepare(history).commit(AssistantMessage(text_of(question + 1)), timestamp=float(question), n=question + 1)


def check(graph: MessageGraph) -> None:
    for n, node in enumerate(graph):
        assert node.id == n
        assert node.parent == (n - 1 if n % LONG else None)
        assert node.message.role == ("assistant" if n % 2 else "user")
        assert node.message.content == text_of(n)
        assert (node.sampled, node.timestamp) == (bool(n % 2), float(n - n % 2))
        assert node.metadata == ({"n": n} if n % 2 else {})


def write(path: str, durability: Any) -> None:
    """Grows the graph and the journal for ever, and says after each append how many nodes are written."""
    graph, _ = resume(path)
    with Journal(path, durability=durability) as journal:
        while True:
            grow(graph)
            journal.append(graph)
            sys.stdout.write(f"{journal.nodes}\n")
            sys.stdout.flush()


def killed(path: Path, durability: str, chance: random.Random) -> int:
    """Lets a process write, kills it at some point, and gives the last number that it said."""
    command = [sys.executable, __file__, str(path), durability]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        said = [child.stdout.readline() for _ in range(chance.randrange(1, 16))]
        time.sleep(chance.random() * 0.004)
        child.kill()
        said += child.stdout.readlines()
        assert child.stderr.read() == b""
    return int(said[-1])


def go_on(path: Path, durability: Any) -> None:
    """What every next process does."""
    graph, report = resume(path)
    with Journal(path, durability=durability) as journal:
        assert journal.report == report
        assert journal.append(graph) == 0
        grow(graph)
        assert journal.append(graph) in (1, 2)
    assert resume(path) == (graph, ResumeReport(len(graph), 1))


@pytest.mark.parametrize("durability", ["flush", "fsync"])
def test_what_was_acknowledged_is_there(tmp_path: Path, durability: str) -> None:
    chance = random.Random(f"killed {durability}")
    path = tmp_path / "journal.jsonl"
    path.touch()
    for round_ in range(30):
        acknowledged = killed(path, durability, chance)
        graph, report = resume(path)
        assert report.nodes == len(graph) >= acknowledged
        check(graph)
        if round_ % 3 == 0:
            go_on(path, durability)
    check(resume(path)[0])


def test_a_write_that_was_torn_anywhere(tmp_path: Path) -> None:
    chance = random.Random("torn")
    path = tmp_path / "journal.jsonl"
    path.touch()
    for _ in range(20):
        killed(path, "flush", chance)
        data = path.read_bytes()
        # A cut, mostly near the end; and zeros where the system grew the file but lost what was in it.
        end = max(0, len(data) - int(len(data) * chance.random() ** 4))
        data = data[:end] + b"\0" * chance.choice([0, 0, 1, 4096])
        path.write_bytes(data)
        whole = data[: data.rfind(b"\n") + 1]
        graph, report = resume(path)
        torn = len(data) - len(whole)
        lines = whole.count(b"\n")
        assert report == ResumeReport(max(0, lines - 1), 1, torn, lines + 1 if torn else None)
        assert len(graph) == report.nodes
        check(graph)
        go_on(path, "flush")
        assert path.read_bytes().startswith(whole)


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2])
