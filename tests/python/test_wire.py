"""Bodies on the wire: what the package writes is what a provider takes, and what it does not change stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import toolwire
from wire_oracle import problems
from wire_oracle.files import WIRE, bodies, dialect_of, inputs, neighbours
from wire_oracle.probe import leaks

DIALECTS = {
    "chat": "ChatDialect",
    "responses": "ResponsesDialect",
    "anthropic": "AnthropicDialect",
    "gemini": "GeminiDialect",
    "bedrock": "BedrockDialect",
}

# What a provider runs itself has no equal elsewhere, nor has a block that only one provider knows.
UNSUPPORTED = {
    ("anthropic/cache_marks", "gemini"),
    ("anthropic/cache_marks", "bedrock"),
    ("anthropic/custom_server_tools", "gemini"),
    ("anthropic/custom_server_tools", "bedrock"),
    ("anthropic/alt_beta_mcp_tool_result", "gemini"),
    ("anthropic/alt_beta_mcp_tool_result", "bedrock"),
    ("anthropic/system_in_list", "gemini"),
    ("anthropic/system_in_list", "bedrock"),
    ("bedrock/custom_server_tools", "chat"),
    ("bedrock/custom_server_tools", "responses"),
    ("bedrock/custom_server_tools", "anthropic"),
    ("bedrock/custom_server_tools", "gemini"),
    ("bedrock/media", "chat"),
    ("bedrock/media", "responses"),
    ("bedrock/media", "anthropic"),
    ("bedrock/media", "gemini"),
    ("bedrock/server_tool_that_failed", "chat"),
    ("bedrock/server_tool_that_failed", "responses"),
    ("bedrock/server_tool_that_failed", "anthropic"),
    ("bedrock/server_tool_that_failed", "gemini"),
    ("bedrock/system_in_list", "gemini"),
    ("chat/custom_server_tools", "gemini"),
    ("chat/custom_server_tools", "bedrock"),
    ("gemini/custom_server_tools", "chat"),
    ("gemini/custom_server_tools", "responses"),
    ("gemini/custom_server_tools", "anthropic"),
    ("gemini/custom_server_tools", "bedrock"),
    ("gemini/media", "chat"),
    ("gemini/media", "responses"),
    ("gemini/media", "anthropic"),
    ("gemini/media", "bedrock"),
    ("responses/custom_server_tools", "gemini"),
    ("responses/custom_server_tools", "bedrock"),
    ("anthropic/cache_marks", "chat"),
    ("anthropic/cache_marks", "responses"),
    ("anthropic/custom_server_tools", "chat"),
    ("anthropic/custom_server_tools", "responses"),
    ("anthropic/alt_beta_mcp_tool_result", "chat"),
    ("anthropic/alt_beta_mcp_tool_result", "responses"),
    ("chat/custom_server_tools", "responses"),
    ("chat/custom_server_tools", "anthropic"),
    ("responses/custom_server_tools", "chat"),
    ("responses/custom_server_tools", "anthropic"),
}


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def answered_by_a_model(target: str, body: dict[str, Any]) -> dict[str, Any]:
    """A converted body with a model that the target has: only its caller can know one."""
    if target == "bedrock":
        return {**body, "modelId": "vendor.model-v1:0"}
    return body if target == "gemini" else {"model": "m", **body}


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def each(paths: list[Path]) -> Any:
    return pytest.mark.parametrize("path", paths, ids=[named(path) for path in paths])


ALL = list(bodies(WIRE))
INPUTS = inputs(WIRE, *DIALECTS)
PAIRS = [(path, target) for path in INPUTS for target in DIALECTS if target != path.parent.name]


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: the order of keys is free and 1.0 is 1, but true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(isinstance(one, bool) == isinstance(other, bool) and one == other)


def arguments_read(node: Any) -> Any:
    """The same with arguments as values: as bytes a body keeps 1.50, as a dict it has only 1.5."""
    if isinstance(node, dict):
        texts = {key: json.loads(node[key]) for key in ("arguments",) if isinstance(node.get(key), str)}
        return {key: arguments_read(value) for key, value in (node | texts).items()}
    return [arguments_read(item) for item in node] if isinstance(node, list) else node


# The oracle itself


def test_there_are_samples_of_each_dialect() -> None:
    for dialect in (*DIALECTS, "mcp"):
        assert len(inputs(WIRE, dialect)) >= 5, dialect


@each(ALL)
def test_body_is_what_a_provider_takes(path: Path) -> None:
    assert problems(dialect_of(path), load(path)) == []


@each(ALL)
def test_oracle_refuses_an_unknown_key_in_every_object(path: Path) -> None:
    probed, holes = leaks(dialect_of(path), load(path))
    assert probed >= 1
    assert holes == []


def edited(sample: str, edit: Any) -> tuple[str, dict[str, Any]]:
    dialect = sample.partition("/")[0]
    body = load(WIRE / f"{sample}.json")
    edit(body)
    return dialect, body


def _result(body: dict[str, Any]) -> Any:
    """The last tool result of a `tool_*` sample."""
    if "input" in body:
        return next(item for item in reversed(body["input"]) if item.get("type") == "function_call_output")
    for content in reversed(body.get("contents", [])):
        for part in content["parts"]:
            if "functionResponse" in part:
                return part["functionResponse"]
    for message in reversed(body["messages"]):
        if message["role"] == "tool":
            return message
        if isinstance(message["content"], list):
            for block in message["content"]:
                if block.get("type") == "tool_result":
                    return block
                if "toolResult" in block:
                    return block["toolResult"]
    raise AssertionError("no result")


def _parts(body: dict[str, Any]) -> Any:
    """The parts or blocks beside the last result."""
    result = _result(body)
    lists = [turn.get("parts", turn.get("content")) for turn in body.get("contents", body.get("messages"))]
    return next(parts for parts in lists if any(result in part.values() for part in parts))


def _rename(body: dict[str, Any], to: str) -> None:
    result = _result(body)
    for message in body["messages"]:
        for block in message["content"]:
            if block.get("toolUse", {}).get("toolUseId") == result["toolUseId"]:
                block["toolUse"]["toolUseId"] = to
    result["toolUseId"] = to


IMAGE = {"type": "image_url", "image_url": {"url": "https://example.test/a.png"}}
BASE64 = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
BAD: dict[str, tuple[str, Any]] = {
    "marker on a chat result": ("chat/tool_failure", lambda b: _result(b).update(_vf_is_error=True)),
    "is_error on a chat result": ("chat/tool_failure", lambda b: _result(b).update(is_error=True)),
    "name on a chat result": ("chat/tool_failure", lambda b: _result(b).update(name="f")),
    "null chat result": ("chat/tool_failure", lambda b: _result(b).update(content=None)),
    "image in a chat result": ("chat/tool_failure", lambda b: _result(b).update(content=[IMAGE])),
    "orphan chat result": ("chat/tool_failure", lambda b: _result(b).update(tool_call_id="other")),
    "missing chat result": ("chat/tool_failure", lambda b: b["messages"].remove(_result(b))),
    "marker on an output": ("responses/tool_failure", lambda b: _result(b).update(_vf_is_error=True)),
    "failed output status": ("responses/tool_failure", lambda b: _result(b).update(status="failed")),
    "orphan output": ("responses/tool_failure", lambda b: _result(b).update(call_id="other")),
    "output that is an object": ("responses/tool_failure", lambda b: _result(b).update(output={})),
    "null is_error": ("anthropic/tool_failure", lambda b: _result(b).update(is_error=None)),
    "is_error as text": ("anthropic/tool_failure", lambda b: _result(b).update(is_error="true")),
    "empty failure": ("anthropic/tool_failure", lambda b: _result(b).update(content="")),
    "image in a failure": ("anthropic/tool_failure", lambda b: _result(b).update(content=[BASE64])),
    "orphan tool_result": ("anthropic/tool_failure", lambda b: _result(b).update(tool_use_id="other")),
    "marker deep inside": ("anthropic/tool_success", lambda b: b["tools"][0].update(_vf_is_error=False)),
    "no max_tokens": ("anthropic/tool_success", lambda b: b.pop("max_tokens")),
    "marker on a response": ("gemini/tool_failure", lambda b: _result(b).update(_vf_is_error=True)),
    "snake_case": ("gemini/tool_failure", lambda b: b.update(system_instruction=b["contents"][0])),
    "response that is text": ("gemini/tool_failure", lambda b: _result(b).update(response="x")),
    "output beside an error": ("gemini/tool_failure", lambda b: _result(b)["response"].update(output="x")),
    "response with a $ref": ("gemini/tool_failure", lambda b: _result(b).update(response={"output": {"$ref": "a"}})),
    "response of another name": ("gemini/tool_failure", lambda b: _result(b).update(name="other")),
    "response of no name": ("gemini/tool_failure", lambda b: _result(b).pop("name")),
    "response missing": ("gemini/parallel_one_failing_image", lambda b: _parts(b).pop(0)),
    "responses in another order": ("gemini/parallel_one_failing_image", lambda b: _parts(b).reverse()),
    "text before a response": ("gemini/tool_failure", lambda b: _parts(b).insert(0, {"text": "x"})),
    "part that says two things": ("gemini/tool_failure", lambda b: _parts(b)[0].update(text="x")),
    "marker on a toolResult": ("bedrock/tool_failure", lambda b: _result(b).update(_vf_is_error=True)),
    "another status": ("bedrock/tool_failure", lambda b: _result(b).update(status="failed")),
    "block that says two things": ("bedrock/tool_failure", lambda b: _parts(b)[0].update(text="x")),
    "json that is a list": ("bedrock/tool_failure", lambda b: _result(b).update(content=[{"json": [1]}])),
    "blank text in a toolResult": ("bedrock/tool_failure", lambda b: _result(b).update(content=[{"text": " "}])),
    "empty failing toolResult": ("bedrock/tool_failure", lambda b: _result(b).update(content=[])),
    "orphan toolResult": ("bedrock/tool_failure", lambda b: _result(b).update(toolUseId="other")),
    "long toolUseId": ("bedrock/tool_failure", lambda b: _rename(b, "x" * 65)),
    "odd toolUseId": ("bedrock/tool_failure", lambda b: _rename(b, "a b")),
    "tools that are not declared": ("bedrock/tool_failure", lambda b: b.pop("toolConfig")),
    "users behind one another": ("bedrock/tool_failure", lambda b: b["messages"].insert(0, b["messages"][0])),
    "isError as text": ("mcp/tool_failure", lambda b: b["result"].update(isError="true")),
    "is_error in MCP": ("mcp/tool_failure", lambda b: b["result"].update(is_error=True)),
}


@pytest.mark.parametrize("name", BAD)
def test_oracle_refuses_a_bad_body(name: str) -> None:
    dialect, body = edited(*BAD[name])
    assert problems(dialect, body) != []


# The package


@each(INPUTS)
def test_same_dialect_in_and_out_changes_nothing(path: Path) -> None:
    body, dialect = load(path), getattr(toolwire, DIALECTS[path.parent.name])()
    rendered = dialect.render_request(dialect.parse_request(body))
    assert same(rendered.body, body), rendered.body
    assert [loss.code for loss in rendered.losses] == []
    assert same(load(path), body), "the input was changed in place"


@each(INPUTS)
def test_second_pass_keeps_every_byte(path: Path) -> None:
    name, text = path.parent.name, path.read_bytes()
    first = toolwire.convert(text, source=name, target=name).body
    assert isinstance(first, bytes)
    assert toolwire.convert(first, source=name, target=name).body == first
    assert same(json.loads(first), json.loads(text))


@each(INPUTS)
def test_request_survives_its_plain_form(path: Path) -> None:
    dialect = getattr(toolwire, DIALECTS[path.parent.name])()
    request = dialect.parse_request(load(path))
    again = toolwire.Request.from_dict(request.to_dict())
    assert again == request
    assert same(dialect.render_request(again).body, load(path))


@pytest.mark.parametrize(("path", "target"), PAIRS, ids=[f"{named(p)}-{t}" for p, t in PAIRS])
def test_conversion_gives_what_the_target_takes(path: Path, target: str) -> None:
    body, source = load(path), path.parent.name
    if (named(path), target) in UNSUPPORTED:
        with pytest.raises(toolwire.UnsupportedError):
            toolwire.convert(body, source=source, target=target)
        return
    rendered = toolwire.convert(body, source=source, target=target)
    assert problems(target, answered_by_a_model(target, rendered.body)) == []
    for loss in rendered.losses:
        assert all((loss.path, loss.code, loss.detail))
    from_bytes = json.loads(toolwire.convert(path.read_bytes(), source=source, target=target).body)
    assert same(arguments_read(from_bytes), arguments_read(rendered.body))
    if rendered.losses:
        with pytest.raises(toolwire.LossError):
            toolwire.convert(body, source=source, target=target, strict=True)
    else:
        assert same(toolwire.convert(body, source=source, target=target, strict=True).body, rendered.body)


# The model that is named takes no outcome.
LABELLED = {("anthropic/family_without_status", "bedrock")}
CONVERTED = [(path, target) for path, target in PAIRS if (named(path), target) not in UNSUPPORTED]


@pytest.mark.parametrize(("path", "target"), CONVERTED, ids=[f"{named(p)}-{t}" for p, t in CONVERTED])
def test_outcomes_survive_conversion(path: Path, target: str) -> None:
    """A native field carries all three states, and so does the marker; a label is only text.

    Gemini declares failures alone.
    """
    source = getattr(toolwire, DIALECTS[path.parent.name])()
    sink = getattr(toolwire, DIALECTS[target])()
    request = source.parse_request(load(path))
    before = outcomes(request)
    internal = sink.render_request(request, include_internal=True).body
    assert outcomes(sink.parse_request(internal)) == before
    provider = outcomes(sink.parse_request(sink.render_request(request).body))
    declares = {"anthropic": (True, False), "bedrock": (True, False), "gemini": (True,)}
    carried = () if (named(path), target) in LABELLED else declares.get(target, ())
    assert provider == [outcome if outcome in carried else None for outcome in before]


def outcomes(request: Any) -> list[bool | None]:
    return [message.is_error for message in request.messages if isinstance(message, toolwire.ToolMessage)]


NEIGHBOURS = neighbours(WIRE)


@pytest.mark.parametrize(("source", "path", "target"), NEIGHBOURS, ids=[f"{named(path)}" for _, path, _ in NEIGHBOURS])
def test_neighbour_is_what_convert_gives(source: Path, path: Path, target: str) -> None:
    assert source.exists(), "a neighbour without its input"
    rendered = toolwire.convert(load(source), source=source.parent.name, target=target)
    assert same(rendered.body, load(path)), json.dumps(rendered.body, indent=2)


MCP_RESULTS = [path for path in inputs(WIRE, "mcp") if "result" in load(path)]


@each(MCP_RESULTS)
def test_mcp_result_keeps_its_outcome(path: Path) -> None:
    result = load(path)["result"]
    if result.get("resultType", "complete") != "complete":
        with pytest.raises(toolwire.ToolwireError):
            toolwire.ToolMessage.from_mcp(result, tool_call_id="call_1")
        return
    message = toolwire.ToolMessage.from_mcp(result, tool_call_id="call_1")
    assert message.is_error is result.get("isError")
    if message.is_error is None:
        with pytest.warns(toolwire.LossWarning, match="outcome.implied"):
            back = message.to_mcp()
    else:
        back = message.to_mcp()
    assert back.get("isError") is result.get("isError")
    again = toolwire.ToolMessage.from_mcp(back, tool_call_id="call_1")
    assert again.is_error is message.is_error
    assert again == message
