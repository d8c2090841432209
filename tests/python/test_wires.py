"""How each wire says failed: the table of the README, its one source, and what is really written and read."""

from __future__ import annotations

import contextlib
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
import toolwire

ROOT = Path(__file__).parent.parent.parent
FOLDER = Path(toolwire.__file__).parent
TABLE = json.loads((FOLDER / "wires.json").read_text(encoding="utf-8"))
OUTCOMES = {"failed": True, "worked": False, "silent": None}
CASES = [(wire, state) for wire in TABLE["wires"] for state in OUTCOMES]
DIALECTS = {
    "chat": toolwire.ChatDialect,
    "responses": toolwire.ResponsesDialect,
    "anthropic": toolwire.AnthropicDialect,
    "gemini": toolwire.GeminiDialect,
    "bedrock": toolwire.BedrockDialect,
}


def _objects(value: Any) -> list[Any]:
    """Every object in a body, outer ones first."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value] * isinstance(value, dict) + [found for member in inner for found in _objects(member)]


def _request(outcome: bool | None) -> toolwire.Request:
    call = TABLE["call"]
    turn = toolwire.AssistantMessage(tool_calls=[toolwire.ToolCall(call["id"], call["name"], call["arguments"])])
    result = toolwire.ToolMessage(call["id"], call["output"], is_error=outcome)
    return toolwire.Request([toolwire.UserMessage("Open it."), turn, result], model="m")


@pytest.mark.parametrize(("wire", "state"), CASES, ids=[f"{wire['name']}: {state}" for wire, state in CASES])
def test_a_wire_says_what_the_table_says(wire: dict[str, Any], state: str) -> None:
    said, outcome = wire[state], OUTCOMES[state]
    if wire["dialect"] == "mcp":
        call = TABLE["call"]
        message = toolwire.ToolMessage.from_mcp(said["result"], tool_call_id=call["id"])
        assert (message.is_error, message.content) == (said["reads"], call["output"])
        silence = pytest.warns(toolwire.LossWarning) if outcome is None else contextlib.nullcontext()
        with silence:
            assert message.to_mcp() == said["result"]
        return
    dialect = DIALECTS[wire["dialect"]]()
    body = dialect.render_request(_request(outcome), include_internal=wire.get("internal", False)).body
    assert said["result"] in _objects(body)
    (read,) = (m for m in dialect.parse_request(body).messages if isinstance(m, toolwire.ToolMessage))
    assert read.is_error is said["reads"]


def test_the_readme_shows_the_table() -> None:
    specification = importlib.util.spec_from_file_location("wires_table", ROOT / "scripts/wires_table.py")
    assert specification is not None
    assert specification.loader is not None
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert script.written(readme) == readme, "run scripts/wires_table.py"


def test_every_wire_has_its_source() -> None:
    assert {wire["dialect"] for wire in TABLE["wires"]} == {"mcp", *DIALECTS}
    assert all(wire["source"].startswith("https://") for wire in TABLE["wires"])
