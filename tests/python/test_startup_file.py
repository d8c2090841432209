"""The start-up file stands where Python reads it, and costs nothing where nobody asked."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

NAME = "toolwire_verifiers.pth"
SHOW = "import sys; print('toolwire' in sys.modules, 'pydantic' in sys.modules)"


@pytest.fixture(scope="module")
def installed() -> Path:
    files = importlib.metadata.files("toolwire") or []
    found = [file for file in files if file.name == NAME]
    if not any(file.parts[0] == "toolwire" for file in files):
        pytest.skip("toolwire is not installed from a wheel here")
    assert len(found) == 1
    return Path(str(found[0].locate()))


def said(variable: str | None, code: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "TOOLWIRE_VERIFIERS"}
    if variable is not None:
        environment["TOOLWIRE_VERIFIERS"] = variable
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stderr == ""
    return done.stdout.strip()


def test_it_stands_in_site_packages(installed: Path) -> None:
    """Beside the package: Python reads such files there, and nowhere below."""
    package = next(file for file in importlib.metadata.files("toolwire") or [] if str(file) == "toolwire/__init__.py")
    assert installed.parent == Path(str(package.locate())).parent.parent
    [line] = installed.read_text().splitlines()
    assert line.startswith("import ")


@pytest.mark.parametrize("variable", [None, "", "0", "false", " No ", "OFF"])
def test_nothing_is_loaded_where_nobody_asked(installed: Path, variable: str | None) -> None:
    assert said(variable, SHOW) == "False False"


def test_where_somebody_asked_it_waits_for_the_framework(installed: Path) -> None:
    assert said("1", SHOW) == "True False"
    assert said("1", "import json, toolwire; print(toolwire.ToolMessage('c', 'x').content)") == "x"
