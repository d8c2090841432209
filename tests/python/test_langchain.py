"""Tool messages of LangChain: the object, its dumps, and what of an outcome they still say."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from toolwire import AudioPart, FilePart, ImagePart, ResultError, ShapeError, TextPart, ToolMessage, UnsupportedError
from toolwire.integrations.langchain import tool_message

DUMP: dict[str, Any] = {
    "type": "tool",
    "content": "quota exceeded",
    "additional_kwargs": {},
    "response_metadata": {},
    "name": "run_sql",
    "id": None,
    "tool_call_id": "c1",
    "artifact": None,
    "status": "success",
}


def wrapped(dump: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        dump,
        {"type": "tool", "data": dump},
        {"lc": 1, "type": "constructor", "id": ["ToolMessage"], "kwargs": dump},
    ]


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"status": "error"}, True),
        ({"status": "success"}, False),
        ({"status": None}, None),
        ({"is_error": True}, True),
        ({"is_error": True, "status": "error"}, True),
        ({"is_error": False}, False),
        ({"is_error": None, "status": "error"}, True),
    ],
)
def test_a_dump_says_what_stands_in_it(fields: dict[str, Any], outcome: bool | None) -> None:
    for dump in wrapped({**DUMP, **fields}):
        before = copy.deepcopy(dump)
        assert tool_message(dump) == ToolMessage("c1", "quota exceeded", "run_sql", outcome)
        assert dump == before
    silent = {key: value for key, value in DUMP.items() if key != "status"}
    assert tool_message(silent).is_error is None


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"status": "failed"}, "status: expected success or error"),
        ({"is_error": "true"}, "is_error: expected true or false"),
        ({"is_error": False, "status": "error"}, "is_error: contradicts the status"),
    ],
)
def test_a_contradiction_is_refused(fields: dict[str, Any], sentence: str) -> None:
    for dump in wrapped({**DUMP, **fields}):
        with pytest.raises(ResultError) as caught:
            tool_message(dump)
        assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({**DUMP, "type": "ai"}, "type: expected tool"),
        ({"content": "x"}, "tool_call_id: missing"),
        ({"tool_call_id": "c1"}, "content: missing"),
        ({**DUMP, "content": [3]}, "content[0]: expected a string or an object"),
        ({**DUMP, "content": [{"type": "text"}]}, "content[0].text: expected a string"),
        (3, "$: expected a tool message, not int"),
    ],
)
def test_another_shape_is_refused(given: Any, sentence: str) -> None:
    with pytest.raises(ShapeError) as caught:
        tool_message(given)
    assert str(caught.value) == sentence


def test_content_blocks() -> None:
    blocks = [
        "a",
        {"type": "text", "text": "b"},
        {"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}},
        {"type": "image_url", "image_url": "https://x/y.png"},
        {"type": "image", "url": "https://x/y.png"},
        {"type": "image", "base64": "aGk=", "mime_type": "image/jpeg"},
        {"type": "image", "source_type": "base64", "data": "aGk=", "mime_type": "image/jpeg"},
        {"type": "audio", "base64": "aGk=", "mime_type": "audio/mp3"},
        {"type": "file", "base64": "aGk=", "mime_type": "application/pdf"},
        {"type": "file", "file_id": "f1"},
        {"type": "text-plain", "text": "c", "mime_type": "text/plain"},
    ]
    assert tool_message({**DUMP, "content": blocks}).content == (
        TextPart("a"),
        TextPart("b"),
        ImagePart("https://x/y.png", "low"),
        ImagePart("https://x/y.png"),
        ImagePart("https://x/y.png"),
        ImagePart("data:image/jpeg;base64,aGk="),
        ImagePart("data:image/jpeg;base64,aGk="),
        AudioPart("aGk=", "audio/mp3"),
        FilePart(data="aGk=", media_type="application/pdf"),
        FilePart(file_id="f1"),
        FilePart(text="c", media_type="text/plain"),
    )
    for block in ({"type": "video", "url": "u"}, {"type": "image", "base64": "aGk="}, {"text": "b"}):
        with pytest.raises(UnsupportedError, match=r"^content\[1\]\.type: "):
            tool_message({**DUMP, "content": ["a", block]})


def test_objects_know_what_was_said() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    load = pytest.importorskip("langchain_core.load")
    for fields, outcome in (
        ({}, None),
        ({"status": "success"}, False),
        ({"status": "error"}, True),
        ({"is_error": True}, True),
        ({"is_error": False}, False),
    ):
        message = messages.ToolMessage("12 rows", tool_call_id="c1", name="run_sql", artifact={"rows": 12}, **fields)
        assert tool_message(message) == ToolMessage("c1", "12 rows", "run_sql", outcome)
        failed = outcome is True
        for dump in (message.model_dump(), messages.message_to_dict(message)):
            assert (tool_message(dump).is_error is True) == failed
        if "is_error" not in fields:
            # That form leaves extra fields out.
            assert (tool_message(load.dumpd(message)).is_error is True) == failed
    with pytest.raises(ShapeError):
        tool_message(messages.AIMessage("hi"))


@pytest.mark.parametrize(
    "odd",
    [
        {"type": "ai", "data": {"tool_call_id": "a", "content": "x", "status": "error"}},
        {"type": "tool", "tool_call_id": "a", "content": [{"type": "image", "data": "x", "mime_type": 5}]},
        type("Odd", (), {"model_dump": lambda self: {}})(),
    ],
    ids=["another message", "a media type that is none", "an object without fields"],
)
def test_what_is_no_tool_message_is_refused(odd: Any) -> None:
    with pytest.raises(ShapeError):
        tool_message(odd)
