"""Writes the README's table of how each wire says failed, out of `python/toolwire/wires.json`.

python scripts/wires_table.py
"""

import json
from pathlib import Path

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- wires -->\n", "<!-- /wires -->"
STATES = ("failed", "worked", "silent")


def table() -> str:
    wires = json.loads((ROOT / "python/toolwire/wires.json").read_text(encoding="utf-8"))["wires"]
    rows = [("wire", "the tool failed", "the tool worked", "nobody said"), ("---",) * 4]
    rows += [(wire["name"], *(wire[state]["says"] for state in STATES)) for wire in wires]
    rows.append(("`ToolMessage.is_error`", "`True`", "`False`", "`None`"))
    return "".join("| " + " | ".join(row) + " |\n" for row in rows).replace(
        "| --- | --- | --- | --- |", "|---|---|---|---|"
    )


def written(text: str) -> str:
    """The text with the table between its marks."""
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


def main() -> None:
    readme = ROOT / "README.md"
    readme.write_text(written(readme.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
