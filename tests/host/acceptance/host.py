"""The framework in child processes, with the add-on or without it, and what its runs left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .scenarios import OUTCOMES
from .wire import Sent

HERE = Path(__file__).parent
PATIENCE = 600
Trace = dict[str, Any]


def environment() -> dict[str, str]:
    """Of every child: the framework finds `uv` beside this Python, and the taskset of `plugins`; whether the add-on is on
    is said to each child, and not by a variable that happens to be set here."""
    paths = [str(HERE / "plugins"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **{name: value for name, value in os.environ.items() if name != "TOOLWIRE_VERIFIERS"},
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join(paths),
        "TOOLWIRE_TEST_KEY": "not-a-secret",
        "PRIME_RUNS_MODE": "disabled",
    }


class Server:
    """A script of `children` that serves on a port of this machine."""

    def __init__(self, script: str, folder: Path, *arguments: str) -> None:
        port_file, self.log = folder / f"{script}.port", folder / f"{script}.log"
        argv = [sys.executable, str(HERE / "children" / script), str(port_file), *arguments]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(argv, stdout=log, stderr=log, env=environment())
        deadline = time.monotonic() + PATIENCE
        while not port_file.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"{script} did not start: {self.log.read_text()}")
            time.sleep(0.1)
        self.address = f"http://127.0.0.1:{port_file.read_text()}"

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


@dataclass
class Run:
    """One run of the command line: its traces by scenario, and what the provider got."""

    folder: Path
    traces: dict[str, Trace]
    sent: list[Sent]

    def sent_in(self, scenario: str) -> list[Sent]:
        return [request for request in self.sent if f"scenario={scenario};" in request.raw]


@dataclass
class Host:
    """The framework; `keeps` says whether the add-on is on, which is whether outcomes should be kept."""

    keeps: bool
    folder: Path
    mcp_address: str
    provider_address: str
    records: Path

    def __post_init__(self) -> None:
        self.runs: dict[str, Run] = {}

    @property
    def mcp_url(self) -> str:
        return f"{self.mcp_address}/mcp"

    @cached_property
    def side(self) -> str:
        return "with" if self.keeps else "without"

    def provider_url(self, client: str) -> str:
        return f"{self.provider_address}/{client}-{self.side}/v1"

    def outcomes(self, declared: Sequence[bool | None]) -> list[bool | None]:
        """What a trace should hold of what tools declared."""
        return list(declared) if self.keeps else [None] * len(declared)

    def child(self, name: str, *argv: str) -> str:
        """Runs a command or script to its end, and gives what it printed."""
        command = [sys.executable, str(HERE / "children" / "start.py"), self.side, *argv]
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment(), cwd=self.folder, timeout=PATIENCE, check=False
        )
        (self.folder / f"{name}.out").write_text(done.stdout)
        (self.folder / f"{name}.err").write_text(done.stderr)
        assert done.returncode == 0, f"{name} ended with {done.returncode}:\n{done.stderr[-3000:]}"
        return done.stdout

    def report(self, name: str, *argv: str) -> Any:
        """Runs a script, and gives the JSON on its last line."""
        return json.loads(self.child(name, *argv).splitlines()[-1])

    def inspected(self, folder: Path) -> dict[str, Trace]:
        """The traces of a run by scenario, loaded in a process of their own."""
        traces = self.report(f"inspect-{folder.name}", "inspect_run.py", str(folder))
        return {trace["prompt"].partition("=")[2].partition(";")[0]: trace for trace in traces}

    def evaluate(self, name: str, harness: str, scenarios: Sequence[str], *options: str) -> Run:
        """`vf-eval` over some scenarios."""
        before = len(self.sent(name))
        self.child(
            f"eval-{name}",
            "vf-eval",
            "toolwire_records_v1",
            *("--env.taskset.scenarios", ",".join(scenarios)),
            *("--env.taskset.task.tools.url", self.mcp_url),
            *("--env.agent.harness.id", harness),
            *("--env.agent.runtime.type", "subprocess"),
            *("--client.base-url", self.provider_url(name)),
            *("--client.api-key-var", "TOOLWIRE_TEST_KEY"),
            *("--model", "scripted-model"),
            *("--no-push", "--no-rich"),
            *("-n", str(len(scenarios)), "-c", "2"),
            *("-o", "runs", "--run.name", name),
            *options,
        )
        folder = self.folder / "runs" / name
        return Run(folder, self.inspected(folder), self.sent(name)[before:])

    def full_run(self, harness: str) -> Run:
        """All scenarios of `OUTCOMES` with a harness, once in a session."""
        if harness not in self.runs:
            self.runs[harness] = self.evaluate(harness, harness, list(OUTCOMES))
        return self.runs[harness]

    def sent(self, client: str) -> list[Sent]:
        """What the provider got from a client so far."""
        return recorded(self.records / f"{client}-{self.side}.jsonl")


def recorded(log: Path) -> list[Sent]:
    lines = log.read_text().splitlines() if log.exists() else []
    return [Sent(client=log.stem, **json.loads(line)) for line in lines]
