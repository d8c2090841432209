"""Trace records of the host framework: what is read of them, and that it is written as it was."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import toolwire
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toolwire import (
    AssistantMessage,
    ImagePart,
    LossWarning,
    MessageGraph,
    ShapeError,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UnsupportedError,
    UserMessage,
)

FOLDER = Path(__file__).parent.parent / "verifiers"
FILES = sorted(FOLDER.glob("*.json"))
TYPED = ("parent", "tools", "message", "sampled", "timestamp")
KEY = "_verifiers"


def load(name: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="ascii"))
    return record


def node(message: Any = None, **fields: Any) -> dict[str, Any]:
    """A node as a saved record has it."""
    message = message or {"role": "user", "content": "hi"}
    return {"message": message, "sampled": False, "timestamp": 1.5, "token_ids": [], **fields}


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_record_comes_back_as_it_was(file: Path) -> None:
    text = file.read_text(encoding="ascii")
    record = json.loads(text)
    before = copy.deepcopy(record)
    graph = MessageGraph.from_verifiers(record)
    assert record == before
    assert graph.to_verifiers() == record["nodes"]
    assert [list(n) for n in graph.to_verifiers()] != []
    for same in (record["nodes"], tuple(record["nodes"]), text, text.encode(), json.dumps(record["nodes"])):
        assert MessageGraph.from_verifiers(same) == graph
    # Also behind a journal, a pickle, and itself.
    assert pickle.loads(pickle.dumps(graph)).to_verifiers() == record["nodes"]
    assert MessageGraph.from_jsonl(graph.to_jsonl()).to_verifiers() == record["nodes"]
    assert MessageGraph.from_verifiers(graph.to_verifiers()) == graph


@pytest.mark.parametrize("name", ["chat", "responses"])
def test_both_styles_hold_the_same_conversations(name: str) -> None:
    full, saved = (MessageGraph.from_verifiers(load(f"{name}.{style}")) for style in ("full", "saved"))
    assert full.branches == saved.branches
    assert [n.message for n in full] == [n.message for n in saved]
    assert [n.tools for n in full] == [n.tools for n in saved]
    assert full.to_verifiers()[0]["parent"] is None
    assert "parent" not in saved.to_verifiers()[0]


def test_what_is_read_of_a_record() -> None:
    record = load("chat.saved")
    graph = MessageGraph.from_verifiers(record)
    assert [n.parent for n in graph] == [n.get("parent") for n in record["nodes"]]
    assert [n.sampled for n in graph] == [n["sampled"] for n in record["nodes"]]
    assert [n.timestamp for n in graph] == [n["timestamp"] for n in record["nodes"]]
    for n, stored in zip(graph, record["nodes"]):
        assert n.metadata == {key: value for key, value in stored.items() if key not in TYPED}
    assert graph[2].metadata["token_ids"]
    assert graph[10].metadata["semantic_parents"] == [{"node": 0, "type": "subagent_return"}]
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    tools = (Tool("read", "reads", schema), Tool("stop", strict=True))
    assert [n.tools for n in graph if n.parent is None] == [tools, tools, ()]
    system, user, calling, first, second, done = graph.messages(5)
    assert system == SystemMessage("be kind")
    assert user.content[1].url.startswith("data:image/png")
    assert (calling.content, calling.reasoning_content) == (None, "two files")
    assert [call.arguments for call in calling.tool_calls] == ['{"path": "a"}', '{"path":"b"}']
    assert (first.tool_call_id, first.name, first.is_error) == ("c1", "read", None)
    assert (second.content, done) == ("same", AssistantMessage("done"))
    # Two equal answers to one prompt stay two nodes; lookups find the first.
    assert graph[5].identity == graph[6].identity
    assert graph.prepare(graph.messages(6), tools).known == graph.path(5)


def test_a_record_goes_on_as_a_graph() -> None:
    graph = MessageGraph.from_verifiers(load("responses.saved"))
    state, custom, named = graph[1].message.provider_state, graph[1].message.tool_calls, graph[3].message.tool_calls
    assert state[0]["encrypted_content"] == "gAAAA=="
    assert custom == (ToolCall("c1", "shell", "ls -l", "custom"),)
    assert named == (ToolCall("c2", "read", "{}", namespace="files"),)
    shell, search, read = graph[0].tools
    assert (shell.type, shell.format) == ("custom", {"type": "text"})
    assert (search.type, search.name) == ("web_search", "web_search")
    assert (read.namespace, read.description, read.parameters) == ("files", None, None)
    answer = ToolMessage("c2", "gone", is_error=True)
    turn = graph.prepare([*graph.messages(3), answer], graph[0].tools)
    assert (turn.known, turn.tail) == ((0, 1, 2, 3), (answer,))
    leaf = turn.commit(AssistantMessage("sorry"), timestamp=2, note="ours")
    written = graph.to_verifiers()
    assert written[:4] == load("responses.saved")["nodes"]
    assert written[4]["message"] == {"role": "tool", "tool_call_id": "c2", "content": "gone", "is_error": True}
    assert written[leaf] == {
        "parent": 4,
        "message": {"role": "assistant", "content": "sorry"},
        "sampled": True,
        "timestamp": 2.0,
        "note": "ours",
    }
    assert MessageGraph.from_verifiers(written) == graph


@pytest.mark.parametrize("is_error", [True, False, None])
def test_an_outcome_is_kept_where_the_host_has_the_field(is_error: bool | None) -> None:
    message = {"role": "tool", "tool_call_id": "c1", "content": "x", "is_error": is_error}
    for fields in ({}, {"advantages": None}):
        record = [node(message, **fields)]
        graph = MessageGraph.from_verifiers(record)
        assert graph[0].message == ToolMessage("c1", "x", is_error=is_error)
        assert graph.to_verifiers() == record


def test_a_full_record_has_its_nulls() -> None:
    nulls = {"namespace": None}
    tool = {"type": "function", "name": "f", **nulls, "description": "", "parameters": {}, "strict": None}
    call = {"id": "c", "type": "function", "name": "f", **nulls, "arguments": "{}"}
    none = {"reasoning_content": None, "provider_state": None}
    record = [
        node(parent=None, tools=[tool], entropies=None),
        node({"role": "assistant", "content": None, "tool_calls": [call], **none}, parent=0, entropies=None),
        node({"role": "tool", "tool_call_id": "c", "content": [], "name": None}, parent=1, entropies=None),
        node({"role": "assistant", "content": "", "tool_calls": None, **none}, parent=2, entropies=None),
    ]
    graph = MessageGraph.from_verifiers(record)
    assert all(KEY not in n.metadata for n in graph)
    assert graph.to_verifiers() == record


@pytest.mark.parametrize(
    "odd",
    [
        {"message": {"role": "user", "content": "hi"}},
        node(parent=None),
        node(tools=[]),
        node(tools=None),
        node(sampled=None),
        node({"role": "assistant", "tool_calls": []}),
        node({"role": "assistant", "content": None, "provider_state": []}),
        node({"role": "tool", "tool_call_id": "c", "content": "x", "is_error": None}),
        node({"role": "user", "content": "hi", "new": {"field": [1, None]}}),
        node({"role": "user", "content": [{"type": "text", "text": "a", "new": 1}]}),
        node(tools=[{"name": "f"}]),
        node(tools=[{"type": "function", "name": "f", "description": "", "parameters": {}, "defer_loading": True}]),
        node(timestamp=2**60 + 1),
        node(_verifiers=1),
        node(_verifiers={"fields": {"sampled": 5}, "absent": ["message"]}),
        node(_verifiers={"fields": {"sampled": 5}, "absent": ["message"]}, parent=None),
        node(ü={"a": [None, 1e300, 2**70, -0.0]}),
    ],
)
def test_an_odd_spelling_comes_back_too(odd: dict[str, Any]) -> None:
    last = node({"role": "assistant", "content": "x"}, parent=0)
    graph = MessageGraph.from_verifiers([odd, last])
    assert graph.to_verifiers() == [odd, last]
    assert MessageGraph.from_jsonl(graph.to_jsonl()).to_verifiers() == [odd, last]
    assert KEY not in graph[1].metadata
    # Only the fields that are spelled otherwise are kept twice.
    if "message" in odd and KEY not in odd and odd["message"] == node()["message"]:
        assert "message" not in graph[0].metadata.get(KEY, {"fields": {}})["fields"]


def test_tools_behind_a_root_are_kept_as_they_are() -> None:
    tool = {"type": "function", "name": "f", "description": "d", "parameters": {}}
    record = [node(), node(parent=0, tools=[tool])]
    graph = MessageGraph.from_verifiers(record)
    assert graph[1].tools == ()
    assert graph.to_verifiers() == record


BAD: list[tuple[Any, str]] = [
    ({}, "nodes: missing"),
    ({"traces": [{"nodes": []}]}, "traces: expected one trace"),
    ({"nodes": {}}, "nodes: expected a list"),
    ({"nodes": [1]}, r"nodes\[0\]: expected an object"),
    ([{}], r"\[0\]\.message: missing"),
    (5, r"\$: expected an object"),
    ([node({"role": "developer", "content": "x"})], r"\[0\]\.message\.role: expected system"),
    ([node({"role": "user"})], r"\[0\]\.message\.content: missing"),
    ([node({"role": "user", "content": None})], r"\[0\]\.message\.content: expected a string or"),
    ([node({"role": "user", "content": [{"type": "audio"}]})], r"\[0\]\.message\.content\[0\]\.type: expected text"),
    ([node({"role": "tool", "content": "x"})], r"\[0\]\.message\.tool_call_id: missing"),
    (
        [node({"role": "tool", "tool_call_id": "c", "content": "x", "is_error": 1})],
        r"\[0\]\.message\.is_error: expected true or false",
    ),
    ([node({"role": "assistant", "tool_calls": [{}]})], r"\[0\]\.message\.tool_calls\[0\]\.id: missing"),
    (
        [node({"role": "assistant", "tool_calls": [{"id": "c", "type": "x", "name": "f", "arguments": ""}]})],
        r"\[0\]\.message\.tool_calls\[0\]\.type: expected function or custom",
    ),
    (
        [node({"role": "assistant", "provider_state": ["x"]})],
        r"\[0\]\.message\.provider_state\[0\]: expected an object",
    ),
    ([node(tools=[{}])], r"\[0\]\.tools\[0\]\.name: missing"),
    ([node(tools=[{"name": "f", "parameters": []}])], r"\[0\]\.tools\[0\]\.parameters: expected an object"),
    ([node(timestamp="x")], r"\[0\]\.timestamp: expected a number"),
    ([node(sampled=1)], r"\[0\]\.sampled: expected true or false"),
    ([node(logprobs=[float("nan")])], r"\[0\]\.logprobs\[0\]: a number that JSON does not have"),
]


@pytest.mark.parametrize(("record", "message"), BAD)
def test_another_shape_is_refused(record: Any, message: str) -> None:
    with pytest.raises(ShapeError, match=f"^{message}"):
        MessageGraph.from_verifiers(record)


@pytest.mark.parametrize("parent", [3, 4, -1, 1.0, True, "0", [0], 2**40])
def test_a_parent_is_a_node_before(parent: Any) -> None:
    nodes = [node(), node(parent=0), node(parent=1), node(parent=parent)]
    for record, path in (
        ({"nodes": nodes}, r"nodes\[3\]"),
        (nodes, r"\[3\]"),
        (json.dumps({"nodes": nodes}), r"nodes\[3\]"),
    ):
        with pytest.raises(ShapeError, match=rf"^{path}\.parent: "):
            MessageGraph.from_verifiers(record)


def test_text_that_is_no_json_is_refused() -> None:
    for wrong in ("", "[", b"\xff"):
        with pytest.raises(toolwire.JsonError):
            MessageGraph.from_verifiers(wrong)


def test_a_lone_surrogate_is_reported() -> None:
    record = [node({"role": "user", "content": "a\ud800"})]
    for given_record in (record, json.dumps(record)):
        with pytest.warns(LossWarning, match=r"^\[0\]\.message\.content: surrogate"):
            graph = MessageGraph.from_verifiers(given_record)
        assert graph[0].message == UserMessage("a\ufffd")


def test_objects_of_the_host_are_dumped_as_the_host_dumps_them() -> None:
    class Node:
        def __init__(self, fields: dict[str, Any]) -> None:
            self.fields = fields

        def model_dump(self, *, mode: str, **only: Any) -> dict[str, Any]:
            assert mode == "json"
            assert not [name for name in only if name.startswith("exclude")]
            return self.fields

    class Trace:
        nodes = [Node(fields) for fields in load("chat.full")["nodes"]]

        def to_record(self) -> dict[str, Any]:
            return load("chat.full")

    for record in (Trace(), Trace.nodes, tuple(Trace.nodes), {"nodes": Trace.nodes}):
        assert MessageGraph.from_verifiers(record).to_verifiers() == load("chat.full")["nodes"]


def test_what_a_record_cannot_hold() -> None:
    graph = MessageGraph()
    turn = graph.prepare([UserMessage(["a", toolwire.AudioPart("aGk=", "audio/wav")])])
    turn.commit_prompt()
    with pytest.raises(UnsupportedError, match=r"^nodes\[0\]\.message\.content\[1\]: a record holds text and images"):
        graph.to_verifiers()
    graph = MessageGraph()
    graph.prepare([]).commit(AssistantMessage("x"), parent=5)
    with pytest.raises(UnsupportedError, match=r"^nodes\[0\]\.metadata\.parent: "):
        graph.to_verifiers()
    graph = MessageGraph()
    said = [SystemMessage("s", developer=True, extra={"chat": {"name": "n"}}), UserMessage([ImagePart("u", "high")])]
    graph.prepare(said, [Tool("f", extra={"chat": {"x": 1}})]).commit_prompt(timestamp=1)
    tool = {"type": "function", "name": "f", "description": "", "parameters": {}}
    image = {"type": "image_url", "image_url": {"url": "u", "detail": "high"}}
    assert graph.to_verifiers() == [
        {"tools": [tool], "message": {"role": "system", "content": "s"}, "sampled": False, "timestamp": 1.0},
        {"parent": 0, "message": {"role": "user", "content": [image]}, "sampled": False, "timestamp": 1.0},
    ]


def test_written_nodes_are_fresh() -> None:
    graph = MessageGraph.from_verifiers(load("chat.full"))
    graph.to_verifiers()[0].clear()
    assert graph.to_verifiers() == load("chat.full")["nodes"]


# --- random records -------------------------------------------------------------------------------------------------

texts = st.text(max_size=3)
maybe = st.none() | texts
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
parts = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": texts}),
    st.fixed_dictionaries({"type": st.just("image_url"), "image_url": st.fixed_dictionaries({"url": texts})}),
)
contents = texts | st.lists(parts, max_size=2)
kinds = st.sampled_from(["function", "custom"])
calls = st.fixed_dictionaries(
    {"id": texts, "name": texts, "arguments": texts}, optional={"type": kinds, "namespace": maybe, "new": values}
)
objects = st.dictionaries(texts, values, max_size=2)
stored_messages = st.one_of(
    st.fixed_dictionaries({"role": st.sampled_from(["system", "user"]), "content": contents}, optional={"new": values}),
    st.fixed_dictionaries(
        {"role": st.just("assistant")},
        optional={
            "content": maybe,
            "reasoning_content": maybe,
            "tool_calls": st.none() | st.lists(calls, max_size=2),
            "provider_state": st.none() | st.lists(objects, max_size=2),
        },
    ),
    st.fixed_dictionaries(
        {"role": st.just("tool"), "tool_call_id": texts, "content": contents},
        optional={"name": maybe, "is_error": st.none() | st.booleans()},
    ),
)
declared = st.fixed_dictionaries(
    {"name": texts},
    optional={
        "type": st.sampled_from(["function", "custom", "web_search"]),
        "namespace": maybe,
        "description": texts,
        "parameters": objects,
        "strict": st.none() | st.booleans(),
        "format": values,
        "new": values,
    },
)


@st.composite
def records(draw: st.DrawFn) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    for n in range(draw(st.integers(0, 5))):
        optional = {
            "sampled": st.booleans(),
            "timestamp": st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 2**62),
            "tools": st.lists(declared, max_size=2),
            "parent": st.none() | st.integers(0, n - 1) if n else st.none(),
            "token_ids": st.lists(st.integers(0, 9), max_size=2),
            "advantages": st.none() | st.lists(st.floats(0, 1), max_size=1),
            KEY: values,
        }
        fields = st.fixed_dictionaries({"message": stored_messages}, optional=optional)
        nodes.append(draw(fields))
    return nodes


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=300)
@given(records())
def test_any_record_comes_back_as_it_was(record: list[dict[str, Any]]) -> None:
    graph = MessageGraph.from_verifiers(record)
    assert graph.to_verifiers() == record
    assert MessageGraph.from_verifiers(json.dumps(record)) == graph
    assert MessageGraph.from_jsonl(graph.to_jsonl()).to_verifiers() == record
    assert [n.parent for n in graph] == [n.get("parent") for n in record]


def test_the_host_takes_what_is_written() -> None:
    trace = pytest.importorskip("verifiers.v1.trace", reason="needs verifiers")
    for name in ("chat", "responses"):
        record = load(f"{name}.saved")
        graph = MessageGraph.from_verifiers(record)
        leaf = graph.prepare([UserMessage("more")], [Tool("f", "does")]).commit(AssistantMessage("yes"))
        taken = trace.WireTrace.model_validate({**record, "nodes": graph.to_verifiers()})
        assert len(taken.nodes) == leaf + 1 == len(graph)
        assert MessageGraph.from_verifiers(taken).branches == graph.branches
        assert [n.message for n in MessageGraph.from_verifiers(taken)] == [n.message for n in graph]
        assert taken.to_record()["nodes"][: leaf - 1] == load(f"{name}.full")["nodes"]
        assert [n.model_dump(mode="json") for n in taken.nodes] == MessageGraph.from_verifiers(
            taken.nodes
        ).to_verifiers()
