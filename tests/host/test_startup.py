"""Turning it on in every process: the start-up file, the watch for the import, the command, replay, and the env server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import toolwire
import verifiers.v1 as vf
from toolwire.integrations.verifiers import _field, _startup
from toolwire.integrations.verifiers._seams import Seams
from verifiers.v1.configs.agent import WireAgentConfig
from verifiers.v1.trace import AgentInfo, TraceTask, WireTrace
from verifiers.v1.types import AssistantMessage, ToolCall, UserMessage
from verifiers.v1.utils import trace_store

HERE = Path(__file__).parent
PLUGINS = HERE / "plugins"
START_UP = HERE.parent.parent / "python" / "toolwire.data" / "platlib"
VARIABLE = "TOOLWIRE_VERIFIERS"

HAS = "print('is_error' in verifiers.v1.types.ToolMessage.model_fields)"
"""Whether the field is there, which stands for all that is installed."""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Of a process that reads the start-up file as one of site-packages, installed or not."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(f"import site; site.addsitedir({str(START_UP)!r})")
    path = [str(folder), str(PLUGINS), str(Path(toolwire.__file__).parent.parent)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), VARIABLE: "1"}


def python(environment: dict[str, str], *arguments: object, status: int = 0) -> tuple[str, str]:
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment)
    assert done.returncode == status, done.stderr[-2000:]
    return done.stdout.strip(), done.stderr


def toolwire_verifiers(environment: dict[str, str], *arguments: object, status: int = 0) -> tuple[str, str]:
    """The command, in an environment without the start-up file."""
    path = environment["PYTHONPATH"].split(os.pathsep)[1:]
    plain = {**environment, "PYTHONPATH": os.pathsep.join(path), VARIABLE: ""}
    return python(plain, "-m", "toolwire", "verifiers", *arguments, status=status)


@pytest.mark.parametrize("value", ["", "0", None])
def test_nothing_is_loaded_where_nobody_asked(environment: dict[str, str], value: str | None) -> None:
    asked = {name: text for name, text in {**environment, VARIABLE: value}.items() if text is not None}
    show = "import sys; print('toolwire' in sys.modules, 'verifiers' in sys.modules)"
    assert python(asked, "-c", show) == ("False False", "")


def test_the_framework_is_not_loaded_before_it_is_needed(environment: dict[str, str]) -> None:
    show = "import sys; print('toolwire' in sys.modules, *({'verifiers', 'pydantic', 'typing'} & set(sys.modules)))"
    said, _ = python(environment, "-c", f"{show}; import json, verifiers; {show}")
    for line in said.splitlines():
        assert line.split()[0] == "True"
        assert not {"pydantic"} & set(line.split())


@pytest.mark.parametrize(
    "how", ["import verifiers.v1", "import verifiers.v1.types", "from verifiers.v1.serve import EnvClient"]
)
def test_whoever_imports_the_framework_has_it(environment: dict[str, str], how: str) -> None:
    watching = "[finder for finder in sys.meta_path if getattr(finder, 'name', '') == 'verifiers.v1']"
    code = f"import sys; print(len({watching})); {how}; import verifiers.v1.types; {HAS}; print(len({watching}))"
    assert python(environment, "-c", code)[0].split() == ["1", "True", "0"]


ONE_LINE = "import toolwire.integrations.verifiers as tv; tv.install(); import verifiers.v1.types"


@pytest.mark.parametrize("value", ["1", "yes", "", "off", "False", "no"])
def test_the_one_line_goes_with_the_variable(environment: dict[str, str], value: str) -> None:
    asked = {**environment, VARIABLE: value}
    assert python(asked, "-c", f"{ONE_LINE}; import verifiers; {HAS}")[0] == "True"
    alone = f"import verifiers.v1, verifiers.v1.types; {HAS}"
    assert python(asked, "-c", alone)[0] == str(value in ("1", "yes"))


def test_the_one_line_goes_with_workers_that_run_it_again(environment: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"""
{ONE_LINE}
import multiprocessing, verifiers

def work(_):
    return "is_error" in verifiers.v1.types.ToolMessage.model_fields

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(work, [0]))
""")
    assert python(environment, script)[0] == "[True]"
    assert toolwire_verifiers(environment, script)[0] == "[True]"


def test_a_program_of_another_environment_has_the_variable(environment: dict[str, str], tmp_path: Path) -> None:
    program = tmp_path / "some-program"
    program.write_text(f'#!/bin/sh\necho "$1 ${VARIABLE}"; exit 3\n')
    program.chmod(0o755)
    found = {**environment, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    assert toolwire_verifiers(found, "some-program", "--flag", status=3)[0] == "--flag 1"


def test_imports_of_all_kinds(environment: dict[str, str]) -> None:
    """Threads wait for it; a look at the spec changes nothing; the module and its loader are as ever; a reload is one."""
    code = f"""
import importlib, importlib.machinery, importlib.resources, importlib.util, inspect, sys, threading
from toolwire.integrations.verifiers import _startup
_startup.watch()
spec = importlib.util.find_spec("verifiers.v1")
seen = []
def look():
    import verifiers.v1
    seen.append("is_error" in sys.modules["verifiers.v1.types"].ToolMessage.model_fields)
threads = [threading.Thread(target=look) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert seen == [True] * 4, seen
import verifiers.v1
loader = verifiers.v1.__spec__.loader
assert type(loader) is importlib.machinery.SourceFileLoader and vars(loader).keys() == {{"name", "path"}}
assert "ToolMessage" in inspect.getsource(verifiers.v1)
assert importlib.resources.files("verifiers.v1").joinpath("types.py").is_file()
importlib.reload(verifiers.v1)
_startup.watch()
{HAS}
"""
    assert python(environment, "-c", code)[0] == "True"


def test_a_process_that_cannot_have_it_does_not_go_on(environment: dict[str, str]) -> None:
    code = """
import importlib, sys
import toolwire.integrations.verifiers as integration
from toolwire.integrations.verifiers import _startup
def install():
    raise integration.HostError("verifiers: expected 0.4, found 9.9")
integration.install = install
_startup.watch()
for _ in range(2):
    try:
        importlib.import_module("verifiers.v1")
    except integration.HostError as error:
        print(error)
import verifiers.v1
"""
    said, error = python({**environment, VARIABLE: "0"}, "-c", code, status=1)
    assert said.splitlines() == ["verifiers: expected 0.4, found 9.9"] * 2
    assert error.rstrip().endswith("HostError: verifiers: expected 0.4, found 9.9")


@pytest.mark.parametrize("option", ["-I", "-E"])
def test_isolated_python_reads_the_file_but_not_the_path(environment: dict[str, str], option: str) -> None:
    """What `-I` and `-E` leave out are the variables of Python itself."""
    line = (START_UP / "toolwire_verifiers.pth").read_text().strip()
    code = f"import sys; sys.path.insert(0, {environment['PYTHONPATH'].split(os.pathsep)[-1]!r}); exec({line!r}); import verifiers.v1; {HAS}"
    assert python(environment, option, "-c", code)[0] == "True"
    assert "\n" not in line
    assert line.startswith("import ")


@pytest.mark.parametrize("before", [None, "", "0", "1"])
def test_the_variable_is_set_and_put_back(monkeypatch: pytest.MonkeyPatch, before: str | None) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    if before is not None:
        monkeypatch.setenv(VARIABLE, before)
    seams = Seams()
    _startup.install(seams)
    assert os.environ[VARIABLE] == "1"
    seams.undo()
    assert os.environ.get(VARIABLE) == before


def test_the_command_runs_a_file(environment: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    (tmp_path / "beside.py").write_text("NAME = 'beside'")
    script.write_text(
        "import os, sys, verifiers.v1, beside\n"
        f"{HAS}\n"
        "print(__name__, beside.NAME, sys.argv[1:], os.environ['TOOLWIRE_VERIFIERS'])\n"
        "sys.exit(3)\n"
    )
    said, _ = toolwire_verifiers(environment, script, "--steps", "-m", status=3)
    assert said.splitlines() == ["True", "__main__ beside ['--steps', '-m'] 1"]


def test_the_command_runs_a_module(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "trainer.py").write_text(f"import sys, verifiers.v1\nprint(__name__, sys.argv[1:])\n{HAS}\n")
    environment["PYTHONPATH"] += os.pathsep + str(tmp_path)
    said, _ = toolwire_verifiers(environment, "-m", "trainer", "--help")
    assert said.splitlines() == ["__main__ ['--help']", "True"]


def test_the_command_hands_over_the_program_s_own_errors(environment: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "broken.py"
    script.write_text("open('/nowhere/at/all')")
    _, error = toolwire_verifiers(environment, script, status=1)
    assert error.rstrip().endswith("FileNotFoundError: [Errno 2] No such file or directory: '/nowhere/at/all'")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["vf-evil"], "vf-evil: no command of this environment"),
        (["-m"], "-m: expected the name of a module"),
        (["-m", "no_such.module"], "no_such.module: no module of this environment"),
        (["nowhere.py"], "nowhere.py: no such file"),
        (["--steps"], "--steps: expected a command, -m, or a Python file"),
    ],
)
def test_the_command_refuses_what_is_not_there(
    environment: dict[str, str], arguments: list[str], sentence: str
) -> None:
    said, error = toolwire_verifiers(environment, *arguments, status=2)
    assert (said, error.splitlines()[0].startswith(f"toolwire: {sentence}")) == ("", True)
    assert len(error.splitlines()) == 1


def test_the_command_says_how_it_is_used(environment: dict[str, str]) -> None:
    for arguments, status in (((), 2), (("--help",), 0)):
        assert toolwire_verifiers(environment, *arguments, status=status)[0].startswith("usage: toolwire verifiers ")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A saved run with one failure."""
    folder = tmp_path / "run"
    (folder / "configs" / "resolved").mkdir(parents=True)
    config = {"env": {"taskset": {"id": "declared_v1"}}}
    (folder / "configs" / "resolved" / "eval.json").write_text(json.dumps(config))
    task = TraceTask(type="DeclaredTask", data={"prompt": "go", "idx": 0, "name": "failed"})
    messages = [
        UserMessage(content="go"),
        AssistantMessage(tool_calls=[ToolCall(id="c", name="probe", arguments="{}")]),
        {"role": "tool", "tool_call_id": "c", "content": "x", "is_error": True},
    ]
    seams = Seams()
    _field.install(seams)
    try:
        nodes = [{"message": message, "parent": n - 1 if n else None} for n, message in enumerate(messages)]
        agent = AgentInfo(config=WireAgentConfig()).model_dump()
        trace = WireTrace(task=task.model_dump(), agent=agent, nodes=nodes, ok=True)
        trace_store.write_episode(folder, vf.WireEpisode(task=trace.task, traces=[trace], ok=True))
    finally:
        seams.undo()
    return folder


@pytest.mark.parametrize(("how", "failures", "kept"), [("with", 1.0, True), ("without", 0.0, None)])
def test_replay(
    environment: dict[str, str], run: Path, tmp_path: Path, how: str, failures: float, kept: bool | None
) -> None:
    """A run is scored again by what its tools declared; where the add-on is forgotten, that is lost without a word."""
    arguments = (run, "--output-dir", tmp_path / "again", "--no-rich")
    if how == "with":
        toolwire_verifiers(environment, "vf-replay", *arguments)
    else:
        environment[VARIABLE] = "0"
        python(environment, "-m", "verifiers.v1.cli.replay", *arguments)
    [line] = (tmp_path / "again" / trace_store.TRACES_FILE).read_text().splitlines()
    [trace] = json.loads(line)["traces"]
    assert trace["metrics"] == {"failures": failures}
    assert trace["nodes"][2]["message"].get("is_error") is kept


@pytest.mark.parametrize(
    ("client", "server", "kept"),
    [
        ("1", "1", True),
        pytest.param("0", "1", None, marks=pytest.mark.slow),
        pytest.param("1", "0", None, marks=pytest.mark.slow),
    ],
)
def test_the_env_server(environment: dict[str, str], client: str, server: str, kept: bool | None) -> None:
    """An outcome crosses from a worker to the client where both have the add-on, and is lost where one has not."""
    environment[VARIABLE] = client
    said, _ = python(environment, PLUGINS / "serve_one.py", server)
    assert json.loads(said) == [kept]
