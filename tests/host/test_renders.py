"""Who is shown a tool's result sees that it failed: tokens, judges, verifiers by the label, programs by the marker."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import toolwire.integrations.verifiers as tv
import verifiers.v1 as vf
from conversations import calls, commit, empty_trace, play, result
from verifiers.v1 import judge
from verifiers.v1.clients import ModelContext, TrainClientConfig, train
from verifiers.v1.configs.harness import HarnessConfig
from verifiers.v1.dialects import chat
from verifiers.v1.envs.agentic_judge.env import JudgeTask, JudgeTaskConfig
from verifiers.v1.graph import prepare_turn
from verifiers.v1.harnesses.utils import launch
from verifiers.v1.trace import Trace
from verifiers.v1.types import ImageUrlContentPart, ImageUrlSource, TextContentPart

LABEL = "Tool execution failed:\n"
USER, DONE = vf.UserMessage(content="u"), vf.AssistantMessage(content="done")
IMAGE = ImageUrlContentPart(image_url=ImageUrlSource(url="data:image/png;base64,AA=="))
TEXT = TextContentPart(text="what it shows")
NEMO = "verifiers.v1.tasksets.nemo_gym"


@pytest.fixture(scope="module", autouse=True)
def _put_back() -> Any:
    yield
    tv.uninstall()


@pytest.fixture(autouse=True)
def _installed() -> None:
    tv.install()


CONTENTS = [
    ("text", LABEL + "text"),
    ("", LABEL),
    (LABEL + "text", LABEL + "text"),
    ([TEXT, IMAGE], [{"type": "text", "text": LABEL}, TEXT.model_dump(), IMAGE.model_dump()]),
    ([IMAGE], [{"type": "text", "text": LABEL}, IMAGE.model_dump()]),
    ([], [{"type": "text", "text": LABEL}]),
]


@pytest.mark.parametrize(("content", "labelled"), CONTENTS)
@pytest.mark.parametrize("module", [train, judge, chat])
def test_a_failure_is_labelled_once_for_a_model(module: Any, content: Any, labelled: Any) -> None:
    failed = result("1", True, content, name="t")
    expected = {"role": "tool", "tool_call_id": "1", "content": labelled, "name": "t"}
    assert module.message_to_wire(failed) == expected
    assert failed == result("1", True, content, name="t")


@pytest.mark.parametrize(
    "message", [result("1"), result("1", content=[TEXT, IMAGE]), USER, DONE, calls(("1", "t"), a=1)]
)
def test_what_did_not_fail_is_as_the_framework_writes_it(message: Any) -> None:
    with_us = chat.message_to_wire(message)
    if message.role == "tool":
        assert chat.message_to_wire(message.model_copy(update={"is_error": False})) == with_us
        assert launch.message_to_wire(message) == with_us
    tv.uninstall()
    assert chat.message_to_wire(message) == with_us


@pytest.mark.parametrize("outcome", [True, False])
def test_a_program_gets_the_marker_and_no_label(outcome: bool) -> None:
    wire = launch.message_to_wire(result("1", outcome, "text"))
    assert wire == {"role": "tool", "tool_call_id": "1", "content": "text", "_vf_is_error": outcome}


def test_a_relaunched_program_reads_the_markers_from_its_file() -> None:
    written: dict[str, bytes] = {}

    class Runtime:
        async def write(self, path: str, content: bytes) -> None:
            written[path] = content

        async def prepare_uv_script(self, *_: Any, **__: Any) -> list[str]:
            return ["program"]

        async def run_program(self, command: list[str], env: dict[str, str]) -> list[str]:
            return command

    prompt = [USER, calls(("1", "t"), ("2", "t")), result("1", True), result("2")]
    context = ModelContext(client=TrainClientConfig(), model="m", sampling=vf.SamplingConfig())
    started = launch.launch_chat_program(
        "", HarnessConfig(id="null"), context, empty_trace(), Runtime(), "http://127.0.0.1", "secret", {}, None, prompt
    )
    command = asyncio.run(started)
    (path,) = written
    assert f"--initial-messages-file={path}" in command
    assert [m.get("_vf_is_error") for m in json.loads(written[path])] == [None, None, True, None]
    assert LABEL not in json.loads(written[path])[2]["content"]


class Rendered(Exception):
    """Ends a request where its tokens would be made."""


def rendered(monkeypatch: pytest.MonkeyPatch, trace: Any, prompt: list[Any]) -> list[dict[str, Any]]:
    """The messages out of which the training client makes tokens."""

    class Pool:
        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        @asynccontextmanager
        async def acquire(self) -> Any:
            yield SimpleNamespace(renderer=Renderer(), run=self.run)

        async def run(self, work: Any) -> Any:
            return work()

    class Renderer:
        supports_process_multimodal = True

        def render(self, messages: Any, **_: Any) -> Any:
            raise Rendered(messages)

    monkeypatch.setattr(train, "ElasticRendererPool", Pool)
    monkeypatch.setenv("PRIME_API_KEY", "none")
    client = train.TrainClient(TrainClientConfig(base_url="http://127.0.0.1:9/v1"))
    turn = prepare_turn(trace, prompt, None)
    with pytest.raises(Rendered) as caught:
        asyncio.run(client.get_response(chat.ChatDialect(), {"model": "m"}, vf.SamplingConfig(), turn=turn))
    return caught.value.args[0]


@pytest.mark.parametrize(("content", "labelled"), CONTENTS)
def test_training_tokens_are_made_of_the_label(monkeypatch: pytest.MonkeyPatch, content: Any, labelled: Any) -> None:
    prompt = [USER, calls(("1", "t"), ("2", "t")), result("1", True, content), result("2", False)]
    messages = rendered(monkeypatch, empty_trace(), prompt)
    assert [message["content"] for message in messages] == ["u", None, labelled, "text"]
    assert not any("is_error" in key for message in messages for key in message)


def test_a_judge_that_is_sent_messages_sees_the_label(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []

    async def create(**request: Any) -> Any:
        sent.extend(request["messages"])
        answer = SimpleNamespace(message=SimpleNamespace(content="yes"))
        return SimpleNamespace(choices=[answer], usage=None)

    @asynccontextmanager
    async def client(_: Any) -> Any:
        yield SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))

    monkeypatch.setattr(judge, "build_async_openai", client)
    asyncio.run(judge.Judge().complete([USER, calls(("1", "t")), result("1", True)]))
    assert sent[2] == {"role": "tool", "tool_call_id": "1", "content": LABEL + "text"}


def test_the_transcript_shows_the_failures_of_the_last_branch() -> None:
    trace = empty_trace()
    play(trace, USER, calls(("1", "first")), result("1", True, "not here", name="first"), DONE)
    play(
        trace,
        vf.UserMessage(content="again"),
        calls(("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")),
        result("1", True, "broken", name="a"),
        result("2", False, "fine", name="b"),
        result("3", True, [TEXT, IMAGE]),
        result("4", True, ""),
        DONE,
    )
    before = trace.model_dump()
    assert trace.transcript.split("\n\n[") == [
        "[user]\nagain",
        "assistant]\n" + "\n".join(f"[tool_call {name}({{}})]" for name in "abcd"),
        f"tool a]\n{LABEL}broken",
        "tool b]\nfine",
        f"tool]\n{LABEL}\nwhat it shows",
        f"tool]\n{LABEL}",
        "assistant]\ndone",
    ]
    assert judge.judge_response(trace, "full_trace") == trace.transcript
    assert trace.model_dump() == before


def test_a_transcript_without_failures_is_that_of_the_framework() -> None:
    trace = empty_trace()
    play(trace, USER, calls(("1", "t")), result("1", False), calls(("2", "t")), result("2"), DONE)
    with_us, nothing = trace.transcript, empty_trace().transcript
    tv.uninstall()
    assert (trace.transcript, empty_trace().transcript) == (with_us, nothing)


def test_an_agent_that_judges_finds_the_outcome_in_its_record() -> None:
    trace = empty_trace()
    play(trace, USER, calls(("1", "t"), ("2", "t")), result("1", True), result("2"), DONE)
    (record,) = JudgeTask.from_trace(trace, JudgeTaskConfig()).files.values()
    results = [node["message"] for node in json.loads(record)["nodes"] if node["message"]["role"] == "tool"]
    assert [message.get("is_error", "absent") for message in results] == [True, "absent"]


def nemo_output(trace: Any) -> list[Any]:
    convert = importlib.import_module(f"{NEMO}.taskset").trace_to_nemo_response
    assert convert is importlib.import_module(f"{NEMO}.response").trace_to_nemo_response
    return [item["output"] for item in convert(trace, {}, ["t"])["output"] if "output" in item]


def two_results() -> Any:
    trace = empty_trace()
    play(
        trace,
        USER,
        calls(("1", "t"), ("2", "t"), ("3", "t")),
        *[result("1", True), result("2")],
        result("3", True, [IMAGE]),
        DONE,
    )
    return trace


def forget_nemo(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (NEMO, f"{NEMO}.taskset", f"{NEMO}.response", f"{NEMO}.toolset"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.parametrize("imported_first", [True, False])
def test_a_verifier_of_nemo_gym_reads_the_label(monkeypatch: pytest.MonkeyPatch, imported_first: bool) -> None:
    tv.uninstall()
    forget_nemo(monkeypatch)
    if imported_first:
        assert nemo_output(two_results())[:2] == ["text", "text"]
    finders = list(sys.meta_path)
    with tv.install():
        trace = two_results()
        failed, other, image = nemo_output(trace)
        assert (failed, other) == (LABEL + "text", "text")
        assert json.loads(image) == [{"type": "text", "text": LABEL}, IMAGE.model_dump()]
        play(trace, vf.UserMessage(content="another branch"), DONE)
        with pytest.raises(ValueError, match="exactly one trace branch"):
            nemo_output(trace)
    assert nemo_output(two_results())[:2] == ["text", "text"]
    assert sys.meta_path == finders


def test_nemo_gym_may_be_imported_after_everything_was_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_nemo(monkeypatch)
    tv.uninstall()
    assert nemo_output(two_results())[:2] == ["text", "text"]


def test_everything_is_put_back() -> None:
    tv.uninstall()
    before = [module.message_to_wire for module in (chat, train, judge, launch)], vars(Trace)["transcript"]
    with tv.install():
        assert chat.message_to_wire is not before[0][0]
    assert ([module.message_to_wire for module in (chat, train, judge, launch)], vars(Trace)["transcript"]) == before


def test_a_function_that_is_not_as_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tv.uninstall()
    known = chat.message_to_wire

    def silent(message: Any) -> Any:
        return {**known(message), "content": None}

    changes = {
        "parameters": [(chat, lambda message, provider: known(message))],
        "another": [(judge, lambda message: known(message))],
        "a tool's message as the wire has it": [(module, silent) for module in (chat, train, judge, launch)],
    }
    for expected, replacements in changes.items():
        with monkeypatch.context() as patched:
            for module, function in replacements:
                patched.setattr(module, "message_to_wire", function)
            with pytest.raises(tv.HostError, match=rf"^verifiers\.v1\.\S+\.message_to_wire: .*{expected}"):
                tv.install()
        assert launch.message_to_wire is known


@pytest.mark.parametrize("changed", [property(lambda trace: trace.nodes[-1]), property(lambda trace: "summary")])
def test_a_transcript_that_is_made_of_something_else_is_refused(monkeypatch: pytest.MonkeyPatch, changed: Any) -> None:
    tv.uninstall()
    monkeypatch.setattr(Trace, "transcript", changed)
    with pytest.raises(tv.HostError, match=r"Trace\.transcript: expected the last of `branches`"):
        tv.install()
    assert vars(Trace)["transcript"] is changed


def test_a_turn_goes_on_behind_a_failure_that_was_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The label is of the view: the graph holds the text as it was."""
    trace = empty_trace()
    told = play(trace, USER, calls(("1", "t")), result("1", True), DONE)
    messages = rendered(monkeypatch, trace, [*told, USER])
    assert messages[2]["content"] == LABEL + "text"
    commit(trace, [*told, USER], DONE)
    assert trace.num_branches == 1
    assert trace.tool_messages[0].content == "text"
