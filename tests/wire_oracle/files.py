"""Where the bodies are: `wire/<dialect>/<case>.json`, and beside it `<case>.<target>.json`, converted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

WIRE = Path(__file__).parent.parent / "wire"
DIALECTS = ("chat", "responses", "anthropic", "gemini", "bedrock", "mcp")


def target_of(path: Path) -> str | None:
    """The dialect that an expected neighbour is written in; None for an input."""
    target = path.stem.rpartition(".")[2] if "." in path.stem else ""
    return target if target in DIALECTS else None


def dialect_of(path: Path) -> str:
    return target_of(path) or path.parent.name


def bodies(wire: Path) -> Iterator[Path]:
    """Inputs and neighbours alike."""
    for dialect in DIALECTS:
        yield from sorted((wire / dialect).glob("*.json"))


def inputs(wire: Path, *dialects: str) -> list[Path]:
    return [path for path in bodies(wire) if path.parent.name in dialects and target_of(path) is None]


def neighbours(wire: Path) -> list[tuple[Path, Path, str]]:
    """Each expected body with its input and its dialect."""
    found = []
    for path in bodies(wire):
        target = target_of(path)
        if target is not None:
            found.append((path.with_name(path.stem.rpartition(".")[0] + ".json"), path, target))
    return found
