"""The code of docs/verifiers.md runs as it stands there and prints what stands below it."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import tomllib
import toolwire.integrations.verifiers as tv
import verifiers.v1 as vf
from conversations import empty_trace
from toolwire.integrations.verifiers import metrics
from verifiers.v1.utils.loaders import load_plugged_fn

TEXT = (Path(__file__).parents[2] / "docs" / "verifiers.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", TEXT, re.DOTALL)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture(autouse=True)
def _as_a_new_process() -> Any:
    tv.uninstall()
    yield
    tv.uninstall()


@pytest.mark.parametrize(("code", "expected"), PYTHON)
def test_a_block_prints_what_it_says(code: str, expected: str) -> None:
    printed = io.StringIO()
    # Annotations and base classes are looked up in the module that a class says it is from.
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "docs/verifiers.md", "exec"), {"__name__": __name__})
    assert printed.getvalue() == expected


def test_the_blocks_are_found() -> None:
    assert len(PYTHON) == TEXT.count("```python") >= 6
    assert len([1 for _, expected in PYTHON if expected]) >= 3


def test_the_metrics_are_plugged_as_the_config_file_says() -> None:
    (block,) = blocks("toml")
    plugged = vf.TaskConfig.model_validate(tomllib.loads(block)["env"]["taskset"]["task"]).metrics
    mixed_in = [name for name, function in vars(metrics.OutcomeMetrics).items() if hasattr(function, "metric")]
    assert sorted(plugged) == sorted(mixed_in)
    for name, config in plugged.items():
        assert load_plugged_fn(name, config, "metric").__wrapped__ is getattr(metrics, name)


def test_the_commands_of_the_framework_exist() -> None:
    lines = [shlex.split(line) for block in blocks("sh") for line in block.splitlines()]
    wrapped = [line[2] for line in lines if line[:2] == ["toolwire", "verifiers"]]
    known = {entry.name for entry in metadata.entry_points(group="console_scripts")}
    assert {name for name in wrapped if name.startswith("vf-")} == {"vf-eval", "vf-replay"} <= known


def test_the_error_that_is_shown_is_the_error_that_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = [block for block in blocks("text") if block.startswith("verifiers: expected version")]
    version, judge = block.splitlines()
    with monkeypatch.context() as patched:
        patched.setattr("importlib.metadata.version", lambda _: "0.5.0")
        with pytest.raises(tv.HostError) as caught:
            tv.install()
        assert str(caught.value) == version
    monkeypatch.setattr("verifiers.v1.judge.message_to_wire", lambda message: {})
    with pytest.raises(tv.HostError) as caught:
        tv.install()
    assert str(caught.value) == judge


def test_what_the_table_says_of_a_task_hash() -> None:
    def prompted(**outcome: Any) -> str:
        messages = [vf.UserMessage(content="u"), vf.ToolMessage(tool_call_id="1", content="text", **outcome)]
        return vf.Task(vf.TaskData(prompt=messages)).hash

    before = prompted()
    with tv.install():
        assert prompted() == before != prompted(is_error=True)


def test_the_metrics_of_the_mixin_are_those_of_a_task() -> None:
    with tv.install():
        code = next(code for code, _ in PYTHON if "class ValveTaskset" in code)
        names: dict[str, Any] = {"__name__": __name__}
        exec(compile(code, "docs/verifiers.md", "exec"), names)
        (task,) = names["ValveTaskset"](vf.TasksetConfig(id="valve")).load()
        assert {function.__name__ for function in task.hooks("metric")} >= {"tool_failures", "all_tools_failed"}
        assert vf.Trace.transcript.fget(empty_trace()) == ""
