"""`is_error` on the framework's ToolMessage: a field wherever a message is held, and no trace of it where nobody said."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

import pytest
import toolwire
import verifiers.v1 as vf
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from toolwire._models import plain_fields
from toolwire.integrations.verifiers import _field
from toolwire.integrations.verifiers._seams import HostError, Seams
from verifiers.v1.configs.agent import WireAgentConfig
from verifiers.v1.graph import MessageNode
from verifiers.v1.serve import delta
from verifiers.v1.task import TaskData, WireTaskData
from verifiers.v1.trace import AgentInfo, Trace, TraceTask, WireTrace
from verifiers.v1.types import AssistantMessage, Message, Messages, Request, ToolMessage, UserMessage
from verifiers.v1.utils import trace_store

OUTCOMES = (True, False, None)
FRAMEWORK = (
    ToolMessage,
    Request,
    MessageNode,
    TaskData,
    WireTaskData,
    TraceTask,
    Trace,
    WireTrace,
    vf.Branch,
    vf.Episode,
)


class Row(TaskData):
    """A user's task, defined before the field is there; so are those below."""

    history: list[Message] = []


class Memory(vf.State):
    history: Messages = []


class Later(BaseModel):
    model_config = ConfigDict(defer_build=True)
    message: Message


class Tree(BaseModel):
    """Names are not resolved here (`from __future__ import annotations`), and it holds itself."""

    message: ToolMessage | None = None
    children: list[Tree] = []


class Ping(BaseModel):
    message: ToolMessage | None = None
    pong: Pong | None = None


class Pong(BaseModel):
    ping: Ping | None = None


ItemT = TypeVar("ItemT")


class Box(BaseModel, Generic[ItemT]):
    item: ItemT


class Noisy(ToolMessage):
    volume: int = 0


class Own(ToolMessage):
    is_error: bool = False


class MyTrace(Trace[Row, Memory, WireAgentConfig]):
    notes: Messages = []


@dataclass
class Pair:
    call: AssistantMessage
    result: ToolMessage


class Pairs(BaseModel):
    pairs: list[Pair] = []


Ping.model_rebuild()
BOX = Box[Messages]
ADAPTER = TypeAdapter(dict[str, Message])
USERS = (Row, Memory, Tree, Ping, Pong, Noisy, Own, MyTrace, Pairs, BOX)


@pytest.fixture
def seams() -> Iterator[Seams]:
    seams = Seams()
    try:
        _field.install(seams)
        yield seams
    finally:
        seams.undo()


def tool(is_error: bool | None = None, **fields: Any) -> Any:
    said = {} if is_error is None else {"is_error": is_error}
    return ToolMessage(tool_call_id="c", content="x", **said, **fields)


def trace_of(*messages: Any, data: Any = None, kind: Any = WireTrace) -> Any:
    task = TraceTask(type="Task", data=data or WireTaskData(prompt="go"))
    nodes = [MessageNode(message=m, parent=n - 1 if n else None) for n, m in enumerate(messages)]
    return kind(task=task.model_dump(), agent=AgentInfo(config=WireAgentConfig()).model_dump(), nodes=nodes)


def outcomes(trace: Any) -> list[bool | None]:
    return [node.message.is_error for node in trace.nodes if node.message.role == "tool"]


def conversation() -> Any:
    return trace_of(UserMessage(content="go"), *(tool(outcome) for outcome in OUTCOMES))


def test_a_message_says_it_only_where_somebody_said(seams: Seams) -> None:
    assert [tool(outcome).is_error for outcome in OUTCOMES] == list(OUTCOMES)
    plain = {"role": "tool", "tool_call_id": "c", "content": "x", "name": None}
    for outcome in OUTCOMES:
        said = {} if outcome is None else {"is_error": outcome}
        for dump in (tool(outcome).model_dump(), tool(outcome).model_dump(serialize_as_any=True)):
            assert dump == {**plain, **said}
            assert ToolMessage.model_validate(dump) == tool(outcome)
        assert json.loads(tool(outcome).model_dump_json(exclude_none=True)).get("is_error", "unsaid") == said.get(
            "is_error", "unsaid"
        )
    assert tool(True) != tool(False) != tool(None) != tool(True)


def test_what_nobody_said_leaves_every_byte() -> None:
    """The same dumps with the field and without it, of everything that can hold a message."""

    def dumps() -> list[object]:
        message = tool(name="probe")
        row = Row(prompt=[UserMessage(content="go"), message], history=[message])
        trace = trace_of(UserMessage(content="go"), message, data=row, kind=MyTrace)
        trace.id, trace.timing.start, trace.notes = "t", 1.0, [message]
        for node in trace.nodes:
            node.timestamp = 1.0
        episode = vf.Episode[Row, Memory, WireAgentConfig](id="e", task=trace.task, traces=[trace])
        values = (message, row, trace, episode, Request(messages=[message]), Noisy(**message.model_dump()))
        said: list[object] = [vf.Task(row).hash, vf.Task(row).key]
        for value in (*values, Pairs(pairs=[Pair(AssistantMessage(), message)]), Own(**message.model_dump())):
            for options in ({}, {"exclude_none": True}, {"serialize_as_any": True}, {"exclude_defaults": True}):
                said += [value.model_dump(**options), value.model_dump_json(**options)]
            said.append(delta.pack(delta.dump(value)))
        return [*said, ADAPTER.dump_json({"m": message}), trace_store.type_adapter(type(episode)).dump_json(episode)]

    before = dumps()
    seams = Seams()
    _field.install(seams)
    try:
        assert dumps() == before
    finally:
        seams.undo()
    assert dumps() == before


def test_what_somebody_said_is_part_of_a_task(seams: Seams) -> None:
    hashes = [vf.Task(TaskData(prompt=[UserMessage(content="go"), tool(outcome)])).hash for outcome in OUTCOMES]
    assert len(set(hashes)) == 3


@pytest.mark.parametrize("value", ["yes", "true", 1, 0, 1.0, {}, []])
def test_only_a_bool_is_an_outcome(seams: Seams, value: object) -> None:
    saved = trace_of(tool(True)).model_dump(mode="json")
    saved["nodes"][0]["message"]["is_error"] = value
    for load in (lambda: WireTrace.model_validate(saved), lambda: WireTrace.model_validate_json(json.dumps(saved))):
        with pytest.raises(ValidationError, match="valid boolean"):
            load()


def test_traces_and_episodes_keep_it(seams: Seams, tmp_path: Path) -> None:
    trace = conversation()
    episode = vf.WireEpisode(task=trace.task, traces=[trace])
    assert outcomes(trace) == list(OUTCOMES)
    for loaded in (
        WireTrace.model_validate(trace.model_dump()),
        WireTrace.model_validate_json(trace.model_dump_json(exclude_none=True)),
        vf.WireEpisode.model_validate(episode.to_record()).traces[0],
        vf.WireEpisode.model_validate(delta.unpack(delta.pack(delta.dump(episode)))).traces[0],
        copy.deepcopy(trace),
        trace.model_copy(deep=True),
        trace_of(*pickle.loads(pickle.dumps([node.message for node in trace.nodes]))),
    ):
        assert outcomes(loaded) == list(OUTCOMES)
        assert [node.message for node in loaded.nodes] == [node.message for node in trace.nodes]

    trace_store.write_episode(tmp_path, episode)
    [saved] = (tmp_path / trace_store.TRACES_FILE).read_text().splitlines()
    messages = [node["message"] for node in json.loads(saved)["traces"][0]["nodes"]]
    assert [m.get("is_error", "unsaid") for m in messages] == ["unsaid", True, False, "unsaid"]
    [read] = trace_store.read_episodes(tmp_path, WireTrace)
    assert outcomes(read.traces[0]) == list(OUTCOMES)
    assert vf.Branch(index=0, nodes=trace.nodes).messages[1].is_error is True


def test_adapters_of_saved_runs_are_not_stale(tmp_path: Path) -> None:
    """The framework keeps its adapters: one made before the field is not used after, nor the other way round."""
    trace_store.type_adapter(WireTrace)
    seams = Seams()
    _field.install(seams)
    try:
        trace_store.write_episode(tmp_path, vf.WireEpisode(task=conversation().task, traces=[conversation()]))
        [read] = trace_store.read_episodes(tmp_path, WireTrace)
        assert outcomes(read.traces[0]) == list(OUTCOMES)
    finally:
        seams.undo()
    [read] = trace_store.read_episodes(tmp_path, WireTrace)
    assert not any(hasattr(node.message, "is_error") for node in read.traces[0].nodes)


def test_copies_with_another_outcome(seams: Seams) -> None:
    message = tool(True)
    assert message.model_copy(update={"is_error": False}) == tool(False)
    assert copy.copy(message) == message == copy.deepcopy(message)
    message.is_error = None
    assert message == tool(None)


def test_models_of_users_made_before(seams: Seams) -> None:
    failed = tool(True).model_dump()
    for holder in (
        Row(prompt=[failed], history=[failed]),
        Memory(history=[failed]),
        Later(message=failed),
        Tree(children=[Tree(message=failed)]),
        Ping(pong=Pong(ping=Ping(message=failed))),
        BOX(item=[failed]),
        Box[list[Message]](item=[failed]),
        Pairs(pairs=[{"call": {}, "result": failed}]),
        Noisy(**failed),
        Own(**failed),
    ):
        kind = type(holder)
        assert '"is_error":true' in holder.model_dump_json()
        assert kind.model_validate_json(holder.model_dump_json()) == holder
    assert ADAPTER.dump_python(ADAPTER.validate_python({"m": failed})) == {"m": failed}
    trace = trace_of(tool(True), kind=MyTrace)
    trace.notes = [tool(False)]
    loaded = MyTrace.model_validate_json(trace.model_dump_json())
    assert (outcomes(loaded), loaded.notes) == ([True], [tool(False)])
    # A field of its own stays as the user wrote it.
    assert Own(tool_call_id="c", content="x").model_dump()["is_error"] is False


def test_models_of_users_made_after(seams: Seams) -> None:
    class After(TaskData):
        seen: Messages = []

    class Loud(ToolMessage):
        volume: int = 0

    class Owner(Own):
        pass

    class Log(BaseModel, Generic[ItemT]):
        items: list[Annotated[Loud | AssistantMessage, Field(discriminator="role")]]
        extra: ItemT

    failed = tool(True).model_dump()
    assert After(seen=[failed]).model_dump()["seen"] == [failed]
    assert Log[Message](items=[failed], extra=failed).model_dump()["extra"] == failed
    assert "is_error" not in Loud(tool_call_id="c", content="x").model_dump()
    assert Loud(**failed).is_error is True
    episode = vf.Episode[After, vf.State, WireAgentConfig]
    trace = trace_of(tool(False), kind=Trace[After, vf.State, WireAgentConfig])
    record = episode(task=trace.task, traces=[trace]).to_record()
    assert outcomes(episode.model_validate(record).traces[0]) == [False]

    seams.undo()
    assert After(seen=[failed]).model_dump()["seen"] == [tool().model_dump()]
    for kind in (After, Loud, Log[Message], episode):
        assert "is_error" not in json.dumps(kind.model_json_schema())
    assert "is_error" not in Loud(**failed).model_dump()
    assert Owner(**failed).model_dump()["is_error"] is True


def test_messages_made_before() -> None:
    message, noisy = tool(), Noisy(tool_call_id="c", content="x")
    node = MessageNode(message=message)
    saved = pickle.dumps(message)
    seams = Seams()
    _field.install(seams)
    try:
        assert (message.is_error, noisy.is_error) == (None, None)
        assert message == tool() == pickle.loads(saved)
        assert pickle.loads(saved).is_error is None
        with warnings.catch_warnings():
            # A message that lacks a field would be reported.
            warnings.simplefilter("error")
            assert node.model_dump(mode="json")["message"] == tool().model_dump()
    finally:
        seams.undo()
    assert message == tool()
    assert node.model_dump()["message"] == tool().model_dump()


def schemas() -> list[object]:
    """What can be seen of every model."""
    kinds = (*FRAMEWORK, *USERS)
    return [kind.model_json_schema(mode=mode) for kind in kinds for mode in ("validation", "serialization")]


def state() -> list[object]:
    """The very parts that every model validates and dumps with."""
    kinds = (*FRAMEWORK, *USERS)
    parts = [(kind, name, id(vars(kind).get(name))) for kind in kinds for name in _field._BUILT if "__" in name]
    annotations = [dict(vars(kind).get("__annotations__", {})) for kind in kinds]
    adapter = [id(vars(ADAPTER)[name]) for name in ("core_schema", "validator", "serializer")]
    return [parts, annotations, adapter, sorted(vars(ToolMessage))]


def test_undone_is_as_it_was() -> None:
    before, seen = state(), schemas()
    for _ in range(10):
        seams = Seams()
        _field.install(seams)
        assert "is_error" in ToolMessage.model_fields
        assert state() != before
        seams.undo()
        assert state() == before
    assert schemas() == seen
    failed = {**tool().model_dump(), "is_error": True}
    assert ToolMessage.model_validate(failed).model_dump() == tool().model_dump()
    assert WireTrace.model_validate(trace_of(failed).model_dump()).nodes[0].message == tool()


def test_toolwire_reads_it_at_a_glance(seams: Seams) -> None:
    assert plain_fields(ToolMessage) is not None
    identities = [toolwire.message_hash(tool(outcome)) for outcome in OUTCOMES]
    assert identities == [toolwire.message_hash(toolwire.ToolMessage("c", "x", is_error=o)) for o in OUTCOMES]
    assert identities[0] != identities[1] == identities[2]


def test_another_framework_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    before = state()

    class Grown(BaseModel):
        role: Literal["tool"] = "tool"
        is_error: bool = False

    with monkeypatch.context() as patch:
        patch.setattr("verifiers.v1.types.ToolMessage", Grown)
        with pytest.raises(
            HostError, match=r"ToolMessage|Grown.*: expected the fields role, tool_call_id, content, name"
        ):
            _field.install(Seams())
    with monkeypatch.context() as patch:
        patch.setattr("verifiers.v1.trace.Branch", Grown)
        with pytest.raises(HostError, match="Grown.model_fields: expected a ToolMessage in one of them, found none"):
            _field.install(Seams())
    with monkeypatch.context() as patch:
        patch.delattr("verifiers.v1.episode.WireEpisode")
        with pytest.raises(HostError, match=r"verifiers\.v1\.episode\.WireEpisode: expected an attribute, found none"):
            _field.install(Seams())
    with monkeypatch.context() as patch:
        patch.setattr("verifiers.v1.utils.trace_store.type_adapter", TypeAdapter)
        with pytest.raises(HostError, match="type_adapter: expected a cache, found none"):
            _field.install(Seams())
    with _field_twice(), pytest.raises(HostError, match="expected the fields"):
        _field.install(Seams())
    assert state() == before


class _field_twice:
    def __enter__(self) -> None:
        self.seams = Seams()
        _field.install(self.seams)

    def __exit__(self, *_error: object) -> None:
        self.seams.undo()


def test_a_model_that_cannot_be_built_again_leaves_all_as_it_was() -> None:
    before = state()

    class Stubborn(BaseModel):
        message: ToolMessage

        @classmethod
        def model_rebuild(cls, **options: Any) -> Any:
            if refusing:
                raise TypeError("no")
            return super().model_rebuild(**options)

    refusing = True
    seams = Seams()
    with pytest.raises(HostError, match="Stubborn: expected to be built again, found TypeError"):
        _field.install(seams)
    seams.undo()
    assert state() == before
    assert Stubborn(message=tool()).model_dump()["message"] == tool().model_dump()
    refusing = False


LOAD = """
import json, sys, pathlib
from verifiers.v1.trace import WireTrace
from verifiers.v1.utils import trace_store
if sys.argv[2] == "with":
    from toolwire.integrations.verifiers import _field
    from toolwire.integrations.verifiers._seams import Seams
    _field.install(Seams())
folder = pathlib.Path(sys.argv[1])
[episode] = trace_store.read_episodes(folder, WireTrace)
out = folder / "again"
out.mkdir()
trace_store.write_episode(out, episode)
print(json.dumps([getattr(node.message, "is_error", None) for node in episode.traces[0].nodes]))
"""


@pytest.mark.parametrize(("how", "read"), [("without", [None, None, None, None]), ("with", [None, True, False, None])])
def test_a_file_in_another_process(seams: Seams, tmp_path: Path, how: str, read: list[bool | None]) -> None:
    """Without the field it loads all the same, and what it writes lacks the field and nothing else."""
    trace = conversation()
    trace_store.write_episode(tmp_path, vf.WireEpisode(task=trace.task, traces=[trace]))
    assert _load(tmp_path, how) == read
    first, again = (json.loads((path / trace_store.TRACES_FILE).read_text()) for path in (tmp_path, tmp_path / "again"))
    if how == "without":
        assert first != again
        for node in first["traces"][0]["nodes"]:
            node["message"].pop("is_error", None)
    assert first == again


def test_an_old_file_loads(tmp_path: Path) -> None:
    trace = trace_of(UserMessage(content="go"), tool(name="probe"))
    trace_store.write_episode(tmp_path, vf.WireEpisode(task=trace.task, traces=[trace]))
    assert _load(tmp_path, "with") == [None, None]
    first, again = (json.loads((path / trace_store.TRACES_FILE).read_text()) for path in (tmp_path, tmp_path / "again"))
    assert first == again


def _load(folder: Path, how: str) -> object:
    environment = {**os.environ, "TOOLWIRE_VERIFIERS": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", LOAD, str(folder), how]
    done = subprocess.run(command, capture_output=True, timeout=120, check=True, env=environment)
    return json.loads(done.stdout)
