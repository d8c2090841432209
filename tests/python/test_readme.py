"""The README's Python runs as it stands there and prints what stands below it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)


def test_every_block_prints_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(README.read_text(encoding="utf-8"))
    assert len(blocks) >= 5
    names: dict[str, Any] = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(README), "exec"), names)
        assert printed.getvalue() == expected, code


def test_it_names_the_two_commands() -> None:
    text = README.read_text(encoding="utf-8")
    commands = re.findall(r"<!-- (run|tests) -->\n```sh\n(.*?)\n```", text)
    assert [name for name, _ in commands] == ["run", "tests"]
    assert all("\n" not in command for _, command in commands)
