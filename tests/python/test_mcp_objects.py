"""Results of MCP clients: what was set is said, what was not is not, whichever SDK it came from."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import mcp.types as sdk
import pytest
import toolwire
from pydantic import BaseModel, ConfigDict
from toolwire import LossWarning, ResultError, ShapeError, ToolMessage

TEXT = {"type": "text", "text": "x"}
V2 = "is_error" in sdk.CallToolResult.model_fields
OUTCOME = "is_error" if V2 else "isError"


def read(result: Any) -> ToolMessage:
    return ToolMessage.from_mcp(result, tool_call_id="c")


class V1Result(BaseModel):
    """As SDK 1.x spells it."""

    model_config = ConfigDict(extra="allow")
    content: list[Any]
    structuredContent: Any = None
    isError: bool = False


def test_what_the_installed_sdk_did_not_set_is_not_said() -> None:
    content = [sdk.TextContent(type="text", text="x")]
    assert read(sdk.CallToolResult(content=content)) == ToolMessage("c", "x")
    for outcome in (True, False):
        result = sdk.CallToolResult(content=content, **{OUTCOME: outcome})
        assert read(result) == ToolMessage("c", "x", is_error=outcome)
        assert read(result.model_dump(mode="json", by_alias=True, exclude_unset=True)).is_error is outcome
    wire = {"content": [TEXT], "isError": True}
    assert read(sdk.CallToolResult.model_validate(wire)) == read(wire)


def test_a_dump_with_python_names_is_read() -> None:
    dump = sdk.CallToolResult(content=[sdk.TextContent(type="text", text="x")], **{OUTCOME: True})
    dump = dump.model_dump(exclude_none=True)
    # A dump says more than its object: there the defaults are written down.
    assert read(dump).replace(extra=None) == ToolMessage("c", "x", is_error=True)
    by_alias = sdk.CallToolResult(content=[sdk.TextContent(type="text", text="x")]).model_dump(by_alias=True)
    assert read(by_alias).content == "x"
    # Null is a value since the version that has a `resultType`; in a dump it is one unset field of several.
    wire = {"content": [], "structuredContent": None}
    assert read(wire | {"resultType": "complete"}).content == "null"
    assert read(wire).content == ""
    assert read(by_alias | wire).content == ""
    snake = {"content": [TEXT], "is_error": True, "structured_content": None, "meta": None}
    assert read(snake) == ToolMessage("c", "x", is_error=True)


def test_the_older_sdk() -> None:
    assert read(V1Result(content=[TEXT])) == ToolMessage("c", "x")
    assert read(V1Result(content=[TEXT], isError=False)).is_error is False
    # The newer spelling passed to the older model lands in its extra fields: still said.
    assert read(V1Result(content=[TEXT], is_error=True)).is_error is True
    assert read(V1Result(content=[TEXT], is_error=True, isError=True)).is_error is True
    with pytest.raises(ResultError, match=r"^is_error: "):
        read(V1Result(content=[TEXT], is_error=True, isError=False))
    with pytest.raises(ResultError, match=r"^isError: "):
        read(V1Result(content=[TEXT], is_error="true"))


@dataclass
class Client:
    """As a client library hands results on."""

    content: list[Any] = field(default_factory=list)
    structured_content: Any = None
    data: Any = None
    is_error: bool = False


def test_duck_objects() -> None:
    assert read(Client([TEXT], is_error=True)) == ToolMessage("c", "x", is_error=True)
    assert read(Client([sdk.TextContent(type="text", text="x")])).is_error is False
    assert read(SimpleNamespace(content=[TEXT])) == ToolMessage("c", "x")
    assert read(SimpleNamespace(content=[TEXT], isError=None, is_error=True)).is_error is True
    assert '{"n":1}' in str(read(Client([], structured_content={"n": 1})).content)
    # What a client made of the structured content for its caller is not the result.
    assert read(Client([TEXT], data={"n": 1})) == ToolMessage("c", "x", is_error=False)
    with pytest.raises(ResultError, match=r"^is_error: "):
        read(SimpleNamespace(content=[], isError=True, is_error=False))
    for wrong in (1, "true", object()):
        with pytest.raises(ResultError, match=r"^isError: expected true or false"):
            read(SimpleNamespace(content=[], is_error=wrong))


def test_blocks_that_are_nothing_but_attributes() -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "x", "annotations": {"priority": 1}, "_meta": {"k": None}},
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///a", "name": "a", "title": "A", "description": "d", "size": 3},
        {
            "type": "resource",
            "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "t", "_meta": {"k": 1}},
        },
        {"type": "resource", "resource": {"uri": "file:///b", "blob": "aGk="}},
    ]
    python = {"mimeType": "mime_type", "_meta": "meta"}

    def loose(block: Any, names: dict[str, str]) -> Any:
        members = {names.get(k, k): loose(v, names) if k == "resource" else v for k, v in block.items()}
        return SimpleNamespace(**members, icons=None, name_of_nothing=1, **({} if "text" in block else {"text": None}))

    wire = read({"content": blocks, "isError": True})
    for names in (python, {}):
        assert read(SimpleNamespace(content=[loose(b, names) for b in blocks], is_error=True)) == wire
        assert read(Client([loose(b, names) for b in blocks], is_error=True)) == wire
    # A resource or annotations in a form of their own.
    mixed = SimpleNamespace(type="resource", resource=blocks[4]["resource"])
    assert read(SimpleNamespace(content=[mixed])).content == read({"content": [blocks[4]]}).content
    known = SimpleNamespace(type="text", text="x", annotations=sdk.Annotations(priority=1))
    again = read(SimpleNamespace(content=[known, TEXT]))
    with pytest.warns(LossWarning):
        assert again.to_mcp()["content"][0]["annotations"] == {"priority": 1}


def test_blocks_that_are_none() -> None:
    class Raises:
        type = "text"

        @property
        def text(self) -> str:
            raise ZeroDivisionError

    for wrong in (
        SimpleNamespace(text="x"),
        SimpleNamespace(type=3),
        SimpleNamespace(type=None),
        SimpleNamespace(type="image", data="aGk="),
        SimpleNamespace(type="text", text=object()),
        SimpleNamespace(type="text", text="x", annotations=SimpleNamespace()),
        SimpleNamespace(type="resource", resource=SimpleNamespace(text="x")),
        Raises(),
        object(),
        type,
    ):
        with pytest.raises(ShapeError, match=r"^content\[0\]"):
            read(SimpleNamespace(content=[wrong]))


def test_the_version_to_write() -> None:
    message = ToolMessage("c", "x", is_error=True)
    assert message.to_mcp(version=None) == message.to_mcp()
    assert message.to_mcp(version="2025-06-18")["isError"] is True
    with pytest.raises(ShapeError, match=r"^version: expected a string"):
        message.to_mcp(version=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        message.to_mcp("2025-06-18")  # type: ignore[misc]


def test_blocks_keep_their_type_and_lose_their_empty_fields() -> None:
    block = sdk.ImageContent(type="image", data="aGk=", mimeType="image/png")
    message = read(sdk.CallToolResult(content=[block]))
    assert message == read({"content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}]})
    assert isinstance(message.content[0], toolwire.ImagePart)


def test_what_is_no_result() -> None:
    for wrong in (None, 3, "x", object(), [TEXT], {}):
        with pytest.raises(toolwire.ToolwireError):
            read(wrong)
    with pytest.raises(ResultError):
        read({"content": [], "resultType": "input_required"})
    with pytest.raises(ResultError):
        read(SimpleNamespace(content=[], result_type="task"))
    with pytest.raises(ShapeError, match=r"^tool_call_id: "):
        ToolMessage.from_mcp({"content": []}, tool_call_id=None)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=r"^content\[1\]: expected JSON, not set"):
        read(SimpleNamespace(content=[TEXT, {1}]))


def test_there_and_back() -> None:
    for outcome in (True, False, None):
        message = ToolMessage("c", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], is_error=outcome)
        with warnings.catch_warnings():
            # MCP reads silence as success, and `to_mcp` says so.
            warnings.filterwarnings("ignore", r"isError: outcome\.implied", LossWarning)
            wire = message.to_mcp()
        assert wire.get("isError", None) is outcome
        assert read(wire).is_error is outcome
        assert read(sdk.CallToolResult.model_validate(wire)).is_error is outcome
    with pytest.warns(LossWarning):
        ToolMessage("c", "x", name="f", extra={"chat": {"x": 1}}).to_mcp()
