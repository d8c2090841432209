"""The model that is to answer, where the one in the body is not it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import toolwire
from toolwire.cli import main

BODY: dict[str, Any] = {
    "model": "the-old-one",
    "max_tokens": 9,
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True}]},
    ],
    "tools": [{"name": "f", "input_schema": {"type": "object"}}],
}


@pytest.mark.parametrize("body", [BODY, json.dumps(BODY), json.dumps(BODY).encode()])
def test_the_model_decides_what_may_be_written(body: Any) -> None:
    rendered = toolwire.convert(body, source="anthropic", target="bedrock", model="writer.palmyra-x5-v1:0")
    written = json.loads(rendered.to_bytes())
    assert written["modelId"] == "writer.palmyra-x5-v1:0"
    (block,) = written["messages"][-1]["content"]
    assert block["toolResult"]["content"] == [{"text": "Tool execution failed:\nno"}]
    assert "outcome.labelled" in [loss.code for loss in rendered.losses]


@pytest.mark.parametrize(("target", "place"), [("chat", "body"), ("gemini", "rendered")])
def test_it_stands_where_the_wire_has_it(target: str, place: str) -> None:
    rendered = toolwire.convert(BODY, source="anthropic", target=target, model="new")
    assert (rendered.body.get("model"), rendered.model) == (("new", None) if place == "body" else (None, "new"))


def test_the_command_line_takes_it(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "body.json"
    file.write_text(json.dumps(BODY))
    assert main(["convert", str(file), "--to", "chat", "--model", "new"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == "new"


def test_the_arguments_of_a_client_are_not_a_body() -> None:
    arguments = {"model": "m", "contents": [], "config": {"system_instruction": "x"}}
    with pytest.raises(toolwire.ShapeError, match=r"^config: "):
        toolwire.GeminiDialect().parse_request(arguments)


def test_a_rollout_fits_nothing_to_a_server() -> None:
    with pytest.raises(toolwire.UnsupportedError, match=r"^dialect: "):
        toolwire.Rollout("mistral")


def test_the_targets_are_named_where_one_is_wrong() -> None:
    with pytest.raises(toolwire.ShapeError, match="mistral"):
        toolwire.convert(BODY, source="anthropic", target="mistrl")
