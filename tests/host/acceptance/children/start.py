"""Starts a command of the framework, or a script of this folder, with the add-on turned on or not.

python start.py with|without vf-eval|vf-replay|SCRIPT ARGUMENT…
"""

from __future__ import annotations

import importlib
import runpy
import sys
from pathlib import Path

COMMANDS = {"vf-eval": "verifiers.v1.cli.eval.main", "vf-replay": "verifiers.v1.cli.replay"}


def main() -> None:
    addon, target, *arguments = sys.argv[1:]
    if addon == "with":
        importlib.import_module("toolwire.integrations.verifiers").install()
    sys.argv = [target, *arguments]
    if target in COMMANDS:
        importlib.import_module(COMMANDS[target]).main()
    else:
        runpy.run_path(str(Path(__file__).with_name(target)), run_name="__main__")


if __name__ == "__main__":
    main()
