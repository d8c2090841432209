"""Records the host framework's equivalence over the corpus, for tests that run without the host framework.

    python tests/oracle/record.py [--seed 7] [--size 24000]

needs an environment with `verifiers==0.4.0` (and nothing of ours) and writes `tests/oracle/corpus.json.gz`:

    messages    the corpus, in the spelling of `to_dict`
    theirs      for each message the number of its class under `verifiers.v1.graph.message_hash`, null where
                that raises
    normal      the same for its normal form (`exceptions.py`), where theirs never raises
    exceptions  for each message the exceptions that its normal form met
    raised      how often which exception came out of theirs
"""

from __future__ import annotations

import argparse
import collections
import gzip
import importlib.metadata
import json
import platform
import sys
from pathlib import Path
from typing import Any

from corpus import generate
from exceptions import normal

FILE = Path(__file__).parent / "corpus.json.gz"
VERSION = "0.4.0"


def main() -> int:
    parser = argparse.ArgumentParser(description="Records the host framework's equivalence over the corpus.")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--size", type=int, default=24000)
    options = parser.parse_args()
    found = importlib.metadata.version("verifiers")
    if found != VERSION:
        print(f"this needs verifiers {VERSION}, not {found}", file=sys.stderr)
        return 2

    from pydantic import TypeAdapter
    from verifiers.v1.graph import message_hash
    from verifiers.v1.types import Message

    adapter: TypeAdapter[Any] = TypeAdapter(Message)
    classes: dict[str, int] = {}
    raised: collections.Counter[str] = collections.Counter()

    def number(message: dict[str, Any]) -> int:
        digest = message_hash(adapter.validate_python(message))
        return classes.setdefault(digest, len(classes))

    messages = list(generate(options.seed, options.size))
    record: dict[str, Any] = {
        "verifiers": VERSION,
        "python": platform.python_version(),
        "seed": options.seed,
        "messages": messages,
        "theirs": [],
        "normal": [],
        "exceptions": [],
    }
    for message in messages:
        try:
            theirs = number(message)
        except Exception as error:
            theirs = None
            raised[type(error).__name__] += 1
        form, met = normal(message)
        record["theirs"].append(theirs)
        record["normal"].append(number(form))
        record["exceptions"].append(sorted(met))
    record["raised"] = dict(sorted(raised.items()))
    text = json.dumps(record, separators=(",", ":"))
    FILE.write_bytes(gzip.compress(text.encode("ascii"), compresslevel=9, mtime=0))
    size = FILE.stat().st_size
    print(f"{len(messages)} messages, {len(classes)} classes, raised {record['raised']}, {size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
