"""Checks files by hand: `cd tests && python -m wire_oracle [FILE…]`, by default every body under `wire/`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from wire_oracle import problems
from wire_oracle.files import WIRE, bodies, dialect_of
from wire_oracle.probe import leaks


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m wire_oracle", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--no-leak", action="store_true", help="do not probe each object with an unknown key")
    options = parser.parse_args()
    failed = 0
    for path in options.files or bodies(WIRE):
        dialect, body = dialect_of(path), json.loads(path.read_text(encoding="utf-8"))
        found = problems(dialect, body)
        if not found and not options.no_leak:
            found = [f"leak: accepts an unknown key at {place}" for place in leaks(dialect, body)[1]]
        failed += bool(found)
        print(
            "FAIL" if found else "ok  ",
            f"{path.parent.name}/{path.name}",
            *found,
            sep="\n      " if found else " ",
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
