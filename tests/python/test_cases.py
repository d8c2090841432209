"""The regression cases, each whole."""

from __future__ import annotations

import json
from pathlib import Path

import cases_adapter
import pytest
from cases.tools.run import Case, run_case

FILE = Path(__file__).parent.parent / "cases" / "handout.json"
CASES: list[Case] = json.loads(FILE.read_text(encoding="ascii"))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: Case) -> None:
    status, why = run_case(case, cases_adapter)
    if status == "skip" and why[0].startswith("needs "):
        pytest.skip(why[0])  # another package, which is not installed
    assert status == "pass", "\n".join(why[:8])
