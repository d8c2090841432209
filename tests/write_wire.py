"""Writes expected neighbours: what an input of `wire/<dialect>/` becomes elsewhere, to be read and committed.

    python tests/write_wire.py                          writes anew the neighbours that are there
    python tests/write_wire.py anthropic/x.json chat    writes `anthropic/x.chat.json`, new or not

Each body is checked by the wire oracle before it is written. Read the difference (`git diff tests/wire`)
before you commit it: a neighbour is a promise about the bytes that leave for a provider.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import toolwire
from wire_oracle import problems
from wire_oracle.files import DIALECTS, WIRE, neighbours


def write(source: Path, path: Path, target: str) -> bool:
    body = json.loads(source.read_text(encoding="utf-8"))
    rendered = toolwire.convert(body, source=source.parent.name, target=target)
    found = problems(target, rendered.body)
    if found:
        print(f"{path.name}: not written:", *found, sep="\n    ")
        return False
    path.write_text(json.dumps(rendered.body, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path.parent.name}/{path.name}")
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", nargs="?", help="an input below tests/wire, such as anthropic/tool_failure.json")
    parser.add_argument("target", nargs="?", choices=DIALECTS)
    options = parser.parse_args()
    if options.input is None:
        jobs = neighbours(WIRE)
    elif options.target is None:
        parser.error("an input needs a target")
    else:
        source = WIRE / options.input
        jobs = [(source, source.with_name(f"{source.stem}.{options.target}.json"), options.target)]
    written = [write(*job) for job in jobs]
    return 0 if all(written) else 1


if __name__ == "__main__":
    sys.exit(main())
