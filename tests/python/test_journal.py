"""The journal from Python: files and texts, what is refused, who may write."""

from __future__ import annotations

import contextlib
import copy
import errno
import gzip
import json
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import journal_reference as reference
import pytest
import toolwire
from hypothesis import given
from hypothesis import strategies as st
from strategies import messages
from toolwire import (
    AssistantMessage,
    Journal,
    JournalError,
    MessageGraph,
    ResumeReport,
    ShapeError,
    Tool,
    ToolMessage,
    ToolwireError,
    UserMessage,
    resume,
)

V1 = Path(__file__).parent.parent / "journal" / "v1"
OLD = sorted(path for path in V1.iterdir() if ".expected." not in path.name)


def small() -> MessageGraph:
    """Three nodes, one branch."""
    graph = MessageGraph()
    turn = graph.prepare([UserMessage("a"), UserMessage("b")], [Tool("read")])
    turn.commit(AssistantMessage("c"), timestamp=1.5, tokens=[1, 2.5, None])
    return graph


def grown(graph: MessageGraph, text: str) -> MessageGraph:
    """The same graph with an answer more."""
    graph.prepare([*graph.messages(0), UserMessage(text)], graph[0].tools).commit(AssistantMessage(text))
    return graph


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


@pytest.mark.parametrize("file", OLD, ids=[path.name for path in OLD])
def test_old_journals_are_read_for_ever(file: Path) -> None:
    expected = json.loads(file.with_name(file.name.split(".")[0] + ".expected.json").read_text())
    graph, report = resume(file)
    assert report == ResumeReport(**expected["report"])
    assert [list(path) for path in graph.branches] == expected["branches"]
    assert len(graph) == len(expected["nodes"])
    for node, row in zip(graph, expected["nodes"]):
        assert node.id == row["id"]
        assert node.parent == row["parent"]
        assert [tool.to_dict() for tool in node.tools] == row.get("tools", [])
        assert node.identity == row["identity"]
        assert node.sampled is row["sampled"]
        assert node.timestamp == row["timestamp"]
        assert node.message.to_dict() == row["message"]
        assert node.metadata == row.get("metadata", {})
    assert MessageGraph.from_jsonl(graph.to_jsonl()) == graph


def test_there_are_old_journals() -> None:
    assert len(OLD) > 10


@pytest.mark.filterwarnings("ignore::toolwire.LossWarning")
@given(st.lists(messages(), min_size=1, max_size=4))
def test_the_lines_are_those_of_the_table(plain: list[dict[str, Any]]) -> None:
    graph = MessageGraph()
    graph.prepare(plain).commit_prompt(timestamp=2.0)
    stated = [node.message.to_dict() for node in graph]
    nodes = [{"message": message, "parent": n - 1 if n else None, "timestamp": 2.0} for n, message in enumerate(stated)]
    assert MessageGraph.from_jsonl(reference.journal(nodes)) == graph
    text = graph.to_jsonl()
    assert MessageGraph.from_jsonl(text) == MessageGraph.from_jsonl(text.encode()) == graph
    lines = text.encode().splitlines(keepends=True)
    assert lines[0] == reference.HEADER
    assert [json.loads(line)["id"] for line in lines[1:]] == list(range(len(graph)))


@pytest.mark.parametrize("durability", ["flush", "fsync"])
def test_a_journal_follows_its_graph(path: Path, durability: Any) -> None:
    graph = small()
    with Journal(path, durability=durability) as journal:
        assert (journal.path, journal.durability, journal.nodes, journal.closed) == (str(path), durability, 0, False)
        assert journal.report == ResumeReport(0, 1)
        assert path.read_bytes() == reference.HEADER
        assert journal.append(graph) == 3
        assert journal.append(graph) == 0
        assert resume(path) == (graph, ResumeReport(3, 1))
        assert journal.append(grown(graph, "more")) == 2
        assert journal.nodes == 5
        assert repr(journal) == f"<Journal {str(path)!r} nodes=5>"
    assert journal.closed
    assert repr(journal) == f"<Journal {str(path)!r} nodes=5 closed>"
    assert path.read_text() == graph.to_jsonl()
    # Another process, another day.
    again, report = resume(str(path))
    assert (again, report.nodes) == (graph, 5)
    with Journal(str(path), durability=durability) as journal:
        assert (journal.nodes, journal.append(again)) == (5, 0)
        assert journal.append(grown(again, "later")) == 2
    assert resume(path)[0] == again != graph


def test_outcomes_outlive_the_process(path: Path) -> None:
    call = AssistantMessage(tool_calls=[toolwire.ToolCall("c", "read", "{}")])
    graph = MessageGraph()
    leaves = {
        outcome: graph.prepare([UserMessage("hi"), call, ToolMessage("c", "x", is_error=outcome)]).commit(
            AssistantMessage("so")
        )
        for outcome in (True, False)
    }
    with Journal(path) as journal:
        journal.append(graph)
    back, _ = resume(path)
    for outcome, leaf in leaves.items():
        assert back.messages(leaf)[2].is_error is outcome
        again = back.prepare(back.messages(leaf)[:3])
        assert again.known == graph.path(leaf)[:3]
    # Silence meets the older of the two.
    assert back.prepare([UserMessage("hi"), call, ToolMessage("c", "x")]).known == graph.path(leaves[True])[:3]


def test_a_torn_line_is_cut_off_and_reported(path: Path) -> None:
    graph = small()
    whole = graph.to_jsonl().encode()
    path.write_bytes(whole[:-7])
    dropped = len(whole.splitlines(keepends=True)[-1]) - 7
    report = ResumeReport(nodes=2, version=1, dropped=dropped, line=4)
    back, found = resume(path)
    assert (found, len(back)) == (report, 2)
    assert path.read_bytes() == whole[:-7]
    with Journal(path) as journal:
        assert journal.report == report
        assert journal.append(graph) == 1
        assert path.read_bytes() == whole


def test_corruption_names_the_line(path: Path) -> None:
    whole = small().to_jsonl().encode()
    path.write_bytes(whole.replace(b'"b"', b'"B"'))
    for read in (lambda: resume(path), lambda: Journal(path), lambda: MessageGraph.from_jsonl(path.read_bytes())):
        with pytest.raises(JournalError) as caught:
            read()
        assert (caught.value.line, caught.value.path) == (3, "line 3")
        assert str(caught.value) == "line 3: the sum differs: the line is not as it was written"
    path.write_bytes(reference.HEADER + reference.line({"id": 1}))
    with pytest.raises(JournalError) as caught:
        resume(path)
    assert (caught.value.line, caught.value.path) == (2, "line 2.id")
    back = pickle.loads(pickle.dumps(caught.value))
    assert (type(back), str(back), back.line) == (JournalError, str(caught.value), 2)
    assert JournalError("$: no line").line is None


def test_a_newer_version_says_so(path: Path) -> None:
    path.write_text('{"toolwire":"journal","version":7,"identity":2,"more":[]}\n{}\n')
    with pytest.raises(JournalError, match="^line 1: a journal of version 7, made by a newer toolwire; this one reads"):
        resume(path)


@pytest.mark.parametrize("text", ["", "x", "{}", "\n", "\ud800", b"", b"\xff", b"\x1f\x8b"])
def test_texts_that_are_no_journal(text: Any) -> None:
    with pytest.raises(JournalError, match="^line 1: "):
        MessageGraph.from_jsonl(text)


def test_texts() -> None:
    graph = small()
    text = graph.to_jsonl()
    for spelled in (text, text.rstrip("\n"), text.encode(), bytearray(text.encode()), memoryview(text.encode())):
        assert MessageGraph.from_jsonl(spelled) == graph
    assert MessageGraph.from_jsonl(gzip.compress(text.encode())) == graph
    assert MessageGraph.from_jsonl(MessageGraph().to_jsonl()) == MessageGraph()
    with pytest.raises(JournalError, match="^line 4: "):
        MessageGraph.from_jsonl(text[:-2])
    for wrong in (None, 1, {}, [text]):
        with pytest.raises(ToolwireError):
            MessageGraph.from_jsonl(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_graphs_pickle(protocol: int) -> None:
    for graph in (MessageGraph(), small()):
        back = pickle.loads(pickle.dumps(graph, protocol))
        assert (type(back), back) == (MessageGraph, graph)


def test_journals_do_not_pickle(path: Path) -> None:
    with Journal(path) as journal:
        for act in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="^a Journal is an open file: it cannot be copied or pickled$"):
                act(journal)


def test_another_graph_is_refused(path: Path) -> None:
    graph = small()
    refused = "the first nodes of the graph are not those in the file: append the graph that it was resumed to"
    with Journal(path) as journal:
        journal.append(graph)
        before = path.read_bytes()
        other = MessageGraph()
        other.prepare([UserMessage("a"), UserMessage("b")], [Tool("write")]).commit(AssistantMessage("c"))
        for wrong in (MessageGraph(), other):
            with pytest.raises(JournalError, match=refused):
                journal.append(wrong)
        assert path.read_bytes() == before
        # A copy is the same graph until they part.
        twin = copy.copy(graph)
        assert journal.append(grown(twin, "one way")) == 2
        grown(graph, "the other way")
        with pytest.raises(JournalError, match=refused):
            journal.append(graph)
        assert journal.append(grown(twin, "on")) == 2
    assert resume(path)[0] == twin


CALL = AssistantMessage(tool_calls=[toolwire.ToolCall("c", "read", "{}")])
SAID: dict[str, Any] = {
    "metadata": lambda other: ([UserMessage("a")], [], {"usage": 2 if other else 1}),
    "no metadata": lambda other: ([UserMessage("a")], [], {} if other else {"usage": 1}),
    "an outcome": lambda other: ([CALL, ToolMessage("c", "x", is_error=None if other else False)], [], {}),
    "extra fields": lambda other: ([UserMessage("a", {"chat": {"name": "b" if other else "c"}})], [], {}),
    "a tool": lambda other: (
        [UserMessage("a")],
        [Tool("f", extra={"anthropic": {"cache_control": {"ttl": "1h" if other else "5m"}}})],
        {},
    ),
}


@pytest.mark.parametrize("said", SAID)
def test_what_an_identity_leaves_out_makes_another_graph(path: Path, said: str) -> None:
    one, other = MessageGraph(), MessageGraph()
    for graph in (one, other):
        conversation, tools, metadata = SAID[said](graph is other)
        graph.prepare(conversation, tools).commit(AssistantMessage("so"), timestamp=1, **metadata)
    assert [node.identity for node in one] == [node.identity for node in other]
    assert one != other
    refused = "^\\$: the first nodes of the graph are not those in the file: "
    with Journal(path) as journal:
        assert journal.append(one) == len(one)
        before = path.read_bytes()
        with pytest.raises(JournalError, match=refused):
            journal.append(other)
        assert journal.append(copy.copy(one)) == 0
    with Journal(path) as journal:
        with pytest.raises(JournalError, match=refused):
            journal.append(other)
        assert journal.append(resume(path)[0]) == journal.append(one) == 0
        assert path.read_bytes() == before


def test_a_file_of_somebody_else_may_spell_its_lines_otherwise(path: Path) -> None:
    graph = MessageGraph()
    graph.prepare([UserMessage("é")]).commit_prompt(timestamp=2.0)
    line = {"timestamp": 2, "id": 0, "parent": None, "message": graph[0].message.to_dict()}
    line |= {"tools": [], "identity": graph[0].identity, "sampled": False}
    path.write_bytes(reference.HEADER + reference.line(line))
    assert path.read_text() != graph.to_jsonl()
    with Journal(path) as journal:
        assert journal.append(graph) == 0
        assert journal.append(grown(resume(path)[0], "more")) == 2
    assert resume(path)[1].nodes == 3


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be told from another one")
def test_a_file_that_somebody_moved_or_removed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, elsewhere = small(), path.with_name("elsewhere.jsonl")
    monkeypatch.chdir(path.parent)
    with Journal(path.name) as journal:
        assert journal.append(graph) == 3
        grown(graph, "more")
        whole = path.read_bytes()
        away = [
            lambda: path.rename(elsewhere),
            lambda: path.write_bytes(whole),  # A copy is not the file.
            path.unlink,
        ]
        for act in away:
            act()
            with pytest.raises(JournalError, match="^\\$: somebody moved or removed the file$"):
                journal.append(graph)
            assert journal.nodes == 3
        assert elsewhere.read_bytes() == whole
        # Back in its place, also by way of a link and from another directory, it is the file again.
        path.symlink_to(elsewhere)
        monkeypatch.chdir("/")
        assert journal.append(graph) == 2
        path.unlink()
        elsewhere.unlink()
        with pytest.raises(JournalError, match="moved or removed"):
            journal.append(graph)
    assert not path.exists()


def test_one_writer(path: Path) -> None:
    busy = "^\\$: another journal has this file open$"
    with Journal(path) as journal:
        with pytest.raises(JournalError, match=busy):
            Journal(path)
        code = "import sys, toolwire; toolwire.Journal(sys.argv[1])"
        child = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
        assert "another journal has this file open" in child.stderr
        assert resume(path)[1].nodes == 0
        journal.append(small())
    with Journal(path) as journal:
        assert journal.nodes == 3


def test_a_file_that_somebody_else_changed(path: Path) -> None:
    graph = small()
    with Journal(path) as journal:
        journal.append(graph)
        with path.open("ab") as file:
            file.write(b"x")
        grown(graph, "more")
        with pytest.raises(JournalError, match="somebody else changed the file"):
            journal.append(graph)
        assert journal.nodes == 3
    assert resume(path)[1] == ResumeReport(3, 1, dropped=1, line=5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_may_not_write(path: Path) -> None:
    graph = small()
    with Journal(path) as journal:
        journal.append(graph)
        grown(graph, "more")
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                journal.append(graph)
            except JournalError as error:
                os.write(writer, str(error).encode())
            finally:
                with contextlib.suppress(JournalError):
                    journal.close()
                os._exit(0)
        os.waitpid(child, 0)
        os.close(writer)
        with os.fdopen(reader) as said:
            assert said.read() == "$: opened by the process that this one was forked from"
        # The child's copy is closed, the file is still ours.
        with pytest.raises(JournalError, match="another journal"):
            Journal(path)
        assert journal.append(graph) == 2
    assert resume(path)[0] == graph


def test_a_closed_journal(path: Path) -> None:
    journal = Journal(path)
    journal.close()
    journal.close()
    for act in (lambda: journal.append(small()), journal.__enter__):
        with pytest.raises(JournalError, match="^\\$: the journal is closed$"):
            act()
    assert (journal.nodes, journal.closed) == (0, True)


def test_compressed_files_are_only_read(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl.gz"
    graph = small()
    data = gzip.compress(graph.to_jsonl().encode())
    path.write_bytes(data)
    assert resume(path) == (graph, ResumeReport(3, 1))
    with pytest.raises(JournalError, match="^\\$: compressed: a journal is finished then, and only read$"):
        Journal(path)
    assert path.read_bytes() == data
    path.write_bytes(data[:-9])
    with pytest.raises(JournalError, match="the compressed data are damaged or end early"):
        resume(path)


def test_wrong_arguments(path: Path) -> None:
    for wrong in ("", "sync", None, 1, "\ud800"):
        if wrong is not None:
            with pytest.raises(ShapeError, match="^durability: expected"):
                Journal(path, durability=wrong)  # type: ignore[arg-type]
    assert not path.exists()
    for wrong in (1, None, b"x"):
        for open_ in (Journal, resume):
            with pytest.raises(TypeError):
                open_(wrong)  # type: ignore[arg-type]
    for open_ in (Journal, resume):
        with pytest.raises(ValueError, match="^embedded null byte$"):
            open_("a\0b")
    with Journal(path) as journal, pytest.raises(TypeError):
        journal.append([UserMessage("hi")])  # type: ignore[arg-type]


@pytest.mark.parametrize("act", [Journal, resume])
def test_what_the_system_refuses(act: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cases = [
        (tmp_path / "no" / "x.jsonl", FileNotFoundError, errno.ENOENT),
        (tmp_path / "file" / "x.jsonl", NotADirectoryError, errno.ENOTDIR),
        (tmp_path, IsADirectoryError, errno.EISDIR),
    ]
    if os.name != "posix":
        cases = cases[:1]
    for path, cls, number in cases:
        with pytest.raises(cls) as caught:
            act(path)
        error: OSError = caught.value
        assert (error.errno, error.filename, error.strerror) == (number, str(path), os.strerror(number))
        assert not isinstance(error, ToolwireError)


@contextlib.contextmanager
def as_nobody() -> Any:
    """Without the rights of root, to whom nothing is forbidden."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.skipif(os.name != "posix", reason="rights of another kind")
def test_what_is_forbidden(path: Path) -> None:
    Journal(path).close()
    path.chmod(0o000)
    for act in (Journal, resume):
        with as_nobody(), pytest.raises(PermissionError) as caught:
            act(path)
        assert (caught.value.errno, caught.value.filename) == (errno.EACCES, str(path))


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_whatever_a_graph_takes_is_written_and_read_back(path: Path) -> None:
    """Our limit on depth is one for values from outside; a line wraps them."""
    graph, refused = MessageGraph(), 0
    for levels in range(480, 540):
        extra = {"chat": {"x": nested(levels)}}
        makers = [
            lambda e=extra, n=levels: graph.prepare([UserMessage([f"{n}", toolwire.TextPart("", e)], e)]),
            lambda e=extra, n=levels: graph.prepare([AssistantMessage(f"{n}", provider_state=[{"type": "x", **e}])]),
            lambda e=extra, n=levels: graph.prepare([UserMessage(f"{n}")], [Tool("f", parameters=e, extra=e)]),
        ]
        for make in makers:
            try:
                make().commit_prompt()
            except ToolwireError:
                refused += 1
        with contextlib.suppress(ToolwireError):
            graph.prepare([UserMessage("hi")]).commit(AssistantMessage(f"{levels}"), x=nested(levels))
    assert refused
    assert len(graph) > 100
    with Journal(path) as journal:
        assert journal.append(graph) == len(graph)
    assert resume(path)[0] == graph


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names of any bytes")
def test_any_path(tmp_path: Path) -> None:
    for name in ("ключ 世界.jsonl", os.fsdecode(b"\xff\xfe.jsonl")):
        path = tmp_path / name
        with Journal(path) as journal:
            assert journal.path == str(path)
        assert path.exists()
    with pytest.raises(JournalError, match="^\\$: not a regular file$"):
        Journal("/dev/null")


def test_threads_share_a_journal(path: Path) -> None:
    graph, rounds, failures = MessageGraph(), 25, []
    start = threading.Barrier(4)

    def work(name: int) -> None:
        start.wait()
        try:
            for n in range(rounds):
                graph.prepare([UserMessage(f"{name}/{n}")]).commit(AssistantMessage("x" * 1000))
                journal.append(graph)
        except BaseException as error:
            failures.append(error)

    with Journal(path) as journal:
        threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert journal.nodes == len(graph) == 4 * rounds * 2
    assert resume(path)[0] == graph


FULL = """
import errno, resource, sys
from toolwire import AssistantMessage, Journal, MessageGraph, UserMessage, resume

path, durability = sys.argv[1:]
graph = MessageGraph()
journal = Journal(path, durability=durability)

def grow(text):
    graph.prepare([UserMessage(str(len(graph)))]).commit(AssistantMessage(text))

grow("fits")
assert journal.append(graph) == 2
before = open(path, "rb").read()
# The system takes the first kilobyte of what follows, and then no more.
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 1000, hard))
grow("x" * 100_000)
for _ in range(2):
    try:
        journal.append(graph)
    except OSError as error:
        assert (error.errno, error.filename) == (errno.EFBIG, path), error
    else:
        raise AssertionError("it was not refused")
    assert open(path, "rb").read() == before
    assert journal.nodes == 2
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
assert journal.append(graph) == 2
journal.close()
assert resume(path)[0] == graph
print("done")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="how a system limits a file's size")
@pytest.mark.parametrize("durability", ["flush", "fsync"])
def test_a_full_disk_leaves_whole_lines(path: Path, durability: str) -> None:
    child = subprocess.run([sys.executable, "-c", FULL, str(path), durability], capture_output=True, text=True)
    assert (child.stdout, child.stderr) == ("done\n", "")
