"""The regression cases: each whole where the package has what it needs, else the part that can be checked."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import cases_adapter
import pytest
from cases.tools.run import Case, run_case

FILE = Path(__file__).parent.parent / "cases" / "handout.json"
CASES: list[Case] = json.loads(FILE.read_text(encoding="ascii"))

REDUCED: dict[str, list[str]] = {}
SKIPPED: dict[str, list[str]] = {}


def known(dialect: str) -> bool:
    return dialect == "mcp" or dialect in cases_adapter.DIALECTS


def reduce(case: Case) -> tuple[Case | None, list[str]]:
    """The case without what the package does not know, and what that was; no case where nothing is left."""
    case = copy.deepcopy(case)
    given, left_out = case["input"], []
    for target in [t for t in given.get("to", ()) if not known(t)]:
        given["to"].remove(target)
        left_out.append(target)
    for name in [n for n, item in given.get("items", {}).items() if not known(item.get("dialect", "chat"))]:
        if given["op"] in ("parse_many", "hash") and given["items"][name]["dialect"] != "anthropic_result":
            left_out.append(given["items"].pop(name)["dialect"])
    asserts = case["expect"]["asserts"]
    case["expect"]["asserts"] = [a for a in asserts if not _is_about(a, left_out)]
    nothing_left = given.get("to") == [] or given.get("items") == {} or not case["expect"]["asserts"]
    return (None if nothing_left else case), sorted(set(left_out))


def _is_about(assertion: dict[str, Any], left_out: list[str]) -> bool:
    return assertion["on"].startswith("out.") and assertion["on"].rpartition(".")[2] in left_out


def test_reducing_leaves_a_case_alone_that_needs_nothing_more() -> None:
    whole = [case for case in CASES if reduce(case) == (case, [])]
    assert len(whole) >= 10


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: Case) -> None:
    status, why = run_case(case, cases_adapter)
    assert status != "fail", "\n".join(why[:8])
    if status == "pass":
        return
    reduced, left_out = reduce(case)
    if reduced is None or not left_out:
        SKIPPED[case["id"]] = why
        pytest.skip("; ".join(why))
    REDUCED[case["id"]] = left_out
    status, why = run_case(reduced, cases_adapter)
    assert status == "pass", "\n".join(why[:8])


def test_summary(capsys: pytest.CaptureFixture[str]) -> None:
    """Runs last: what the cases above did not check."""
    with capsys.disabled():
        for name, why in sorted(SKIPPED.items()):
            print(f"\ncase {name} skipped: {'; '.join(why)}", end="")
        for name, left_out in sorted(REDUCED.items()):
            print(f"\ncase {name} without {', '.join(left_out)}", end="")
        print()
    assert len(SKIPPED) <= 4, "more cases are skipped than before"
