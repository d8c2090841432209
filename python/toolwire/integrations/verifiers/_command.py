"""The command `toolwire verifiers`: runs a program with the integration in it and in the processes it starts."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import runpy
import shutil
import sys
from collections.abc import Sequence

from toolwire.integrations.verifiers import _startup

USAGE = "toolwire verifiers (COMMAND | -m MODULE | SCRIPT.py) [ARGUMENT ...]"
ABOUT = (
    "Runs a program of this environment, such as vf-eval, vf-replay or a trainer, that keeps what tools declare, "
    "as do the Python processes it starts."
)


def run(arguments: Sequence[str]) -> int:
    """Runs a console script of this environment, a module or a file, as Python itself would.

    Returns:
        The program's exit status; 2 where there is no such program.
    """
    if not arguments or arguments[0] in ("-h", "--help"):
        print(f"usage: {USAGE}\n\n{ABOUT}")
        return 0 if arguments else 2
    name, *rest = arguments
    if name == "-m":
        if not rest:
            return _refuse("-m: expected the name of a module")
        return _module(rest[0], rest[1:])
    if name.startswith("-"):
        return _refuse(f"{name}: expected a command, -m, or a Python file")
    if name.endswith(".py") or os.sep in name:
        return _file(name, rest)
    return _script(name, rest)


def _script(name: str, rest: list[str]) -> int:
    found = {entry.value: entry for entry in importlib.metadata.entry_points(group="console_scripts", name=name)}
    if not found:
        return _other(name, rest)
    _begin([name, *rest])
    program = next(iter(found.values())).load()
    sys.exit(program())


def _other(name: str, rest: list[str]) -> int:
    """A program that is no command of this environment, such as `uv` or `python`: it takes the place of this one."""
    there = shutil.which(name)
    if there is None:
        return _refuse(f"{name}: no command of this environment, {sys.prefix}, and none on the path")
    os.environ[_startup.VARIABLE] = "1"
    sys.stdout.flush()
    os.execv(there, [name, *rest])


def _module(name: str, rest: list[str]) -> int:
    # As `python -m` does.
    sys.path.insert(0, os.getcwd())
    _begin([name, *rest])
    try:
        there = importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        there = False
    if not there:
        return _refuse(f"{name}: no module of this environment, {sys.prefix}")
    runpy.run_module(name, run_name="__main__", alter_sys=True)
    return 0


def _file(name: str, rest: list[str]) -> int:
    if not os.path.isfile(name):
        return _refuse(f"{name}: no such file")
    sys.path.insert(0, os.path.dirname(os.path.abspath(name)))
    _begin([name, *rest])
    runpy.run_path(name, run_name="__main__")
    return 0


def _begin(argv: list[str]) -> None:
    os.environ[_startup.VARIABLE] = "1"
    sys.argv[:] = argv
    _startup.watch()


def _refuse(sentence: str) -> int:
    print(f"toolwire: {sentence}", file=sys.stderr)
    return 2
