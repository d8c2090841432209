"""Is this what a provider takes? The official SDK's types, closed, and the rules that types cannot say."""

from __future__ import annotations

from typing import Any

from wire_oracle.lint import LINT
from wire_oracle.schemas import SCHEMAS, RejectError

DIALECTS = tuple(SCHEMAS)


def problems(dialect: str, body: dict[str, Any]) -> list[str]:
    """What a provider would object to; empty for a good body."""
    try:
        SCHEMAS[dialect](body)
    except RejectError as reject:
        return [f"types: {reject}"]
    return [f"lint: {problem}" for problem in LINT[dialect](body)]


__all__ = ["DIALECTS", "RejectError", "problems"]
