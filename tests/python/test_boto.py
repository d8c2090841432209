"""Bedrock as AWS's own client has it: its arguments, its answers, its event streams."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import toolwire
from toolwire._boto import to_boto
from wire_oracle.files import WIRE, bodies, dialect_of

TESTS = Path(__file__).parent.parent
BODIES = [path for path in bodies(WIRE) if dialect_of(path) == "bedrock"]
ANSWERS = [path for path in sorted((TESTS / "answers" / "bedrock").glob("*.json")) if "." not in path.stem]
WRITTEN = sorted((TESTS / "answers").glob("*/*.to_bedrock.json"))
STREAMS = sorted((TESTS / "streams" / "bedrock").glob("*.bin"))
DIALECT = toolwire.BedrockDialect()


def _complete(stream: Path) -> bool:
    return bool(json.loads(stream.with_suffix(".json").read_text(encoding="utf-8"))["complete"])


BLOBS: dict[str, Any] = {
    "modelId": "m",
    "system": [
        {"text": "aGk="},
        {"guardContent": {"image": {"format": "png", "source": {"bytes": "aGk="}}}},
    ],
    "messages": [
        {
            "role": "user",
            "content": [
                {"image": {"format": "png", "source": {"bytes": "aGk="}}},
                {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://bucket/key"}}}},
                {"document": {"format": "pdf", "name": "n", "source": {"bytes": "aGk="}}},
                {"document": {"format": "txt", "name": "n", "source": {"text": "aGk="}}},
                {"video": {"format": "mp4", "source": {"bytes": "aGk="}}},
                {"audio": {"format": "mp3", "source": {"bytes": "aGk="}}},
                {"guardContent": {"text": {"text": "aGk="}}},
                {"guardContent": {"image": {"format": "png", "source": {"bytes": "aGk="}}}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"redactedContent": "aGk="}},
                {"reasoningContent": {"reasoningText": {"text": "aGk=", "signature": "aGk="}}},
                {"toolUse": {"toolUseId": "t", "name": "f", "input": {"image": {"source": {"bytes": "aGk="}}}}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "toolResult": {
                        "toolUseId": "t",
                        "content": [
                            {"json": {"image": {"source": {"bytes": "aGk="}}}},
                            {"image": {"format": "png", "source": {"bytes": "aGk="}}},
                            {"document": {"format": "pdf", "name": "n", "source": {"bytes": "aGk="}}},
                            {"video": {"format": "mp4", "source": {"bytes": "aGk="}}},
                        ],
                    }
                }
            ],
        },
    ],
    "additionalModelRequestFields": {"image": {"source": {"bytes": "aGk="}}},
}


def _shape(operation: str, side: str) -> Any:
    session = pytest.importorskip("botocore.session")
    model = session.get_session().get_service_model("bedrock-runtime").operation_model(operation)
    return model.input_shape if side == "input" else model.output_shape


def _accepts(shape: Any, value: dict[str, Any]) -> None:
    validate = pytest.importorskip("botocore.validate")
    assert validate.ParamValidator().validate(value, shape).generate_report() == ""


def test_every_blob_is_bytes_and_nothing_else_is() -> None:
    before = copy.deepcopy(BLOBS)
    arguments = to_boto(BLOBS)
    assert before == BLOBS
    schemas = pytest.importorskip("wire_oracle.schemas")
    shape = _shape("Converse", "input")
    assert arguments == schemas._with_bytes(shape, BLOBS)
    _accepts(shape, arguments)
    assert to_boto(arguments) == arguments
    assert arguments["additionalModelRequestFields"] is BLOBS["additionalModelRequestFields"]


@pytest.mark.parametrize("path", BODIES, ids=lambda path: path.name)
def test_the_bodies_are_what_the_client_takes(path: Path) -> None:
    arguments = to_boto(json.loads(path.read_text(encoding="utf-8")))
    _accepts(_shape("Converse", "input"), arguments)


def test_what_is_no_body_is_left_to_the_client() -> None:
    for body in ({}, {"messages": None}, {"messages": ["x", {"content": "x"}, {"content": [7, {"image": "x"}]}]}):
        assert to_boto(body) == body


@pytest.mark.parametrize("text", ["aGk", "a-k=", "aGk=\n", "aGk=aGk="])
def test_what_is_not_base64_is_refused_by_path(text: str) -> None:
    image = {"image": {"format": "png", "source": {"bytes": text}}}
    with pytest.raises(toolwire.ShapeError) as refused:
        to_boto({"messages": [{"role": "user", "content": [{"text": "x"}, image]}]})
    assert str(refused.value) == "messages[0].content[1].image.source.bytes: not base64"


def _events(stream: bytes, *cuts: int) -> Iterator[Any]:
    """The frames of a stream, as botocore decodes them."""
    buffer = pytest.importorskip("botocore.eventstream").EventStreamBuffer()
    for start, end in zip((0, *cuts), (*cuts, len(stream)), strict=True):
        buffer.add_data(stream[start:end])
        yield from buffer
    assert buffer._data == b""


def _parsed(events: Iterator[Any]) -> list[dict[str, Any]]:
    """The events, as the client of a user gets them: by the shapes of the service."""
    parsers = pytest.importorskip("botocore.parsers")
    shape = _shape("ConverseStream", "output").members["stream"]
    parser = parsers.EventStreamJSONParser()
    return [parser.parse(event.to_response_dict(), shape) for event in events]


def _read(path: Path) -> toolwire.Response:
    if path.suffix == ".json":
        return DIALECT.parse_response(path.read_bytes())
    parser = DIALECT.stream_parser()
    parser.feed(path.read_bytes())
    return parser.finish()


@pytest.mark.parametrize("path", ANSWERS + [path for path in STREAMS if _complete(path)], ids=lambda path: path.name)
def test_a_written_stream_is_one_to_the_client(path: Path) -> None:
    response = _read(path)
    written = DIALECT.stream_events(response)
    events = _parsed(_events(b"".join(written)))
    assert len(events) == len(written)
    kinds = [next(iter(event)) for event in events]
    assert (kinds[0], kinds[-2:]) == ("messageStart", ["messageStop", "metadata"])
    assert events[-2]["messageStop"]["stopReason"] == response.native_finish_reason
    assert events[-1]["metadata"]["usage"] == response.native["usage"]
    assert "SDK_UNKNOWN_MEMBER" not in repr(events)
    deltas = [event["contentBlockDelta"]["delta"] for event in events if "contentBlockDelta" in event]
    assert "".join(delta.get("text", "") for delta in deltas) == (response.message.content or "")
    starts = [event["contentBlockStart"]["start"] for event in events if "contentBlockStart" in event]
    called = [start["toolUse"]["toolUseId"] for start in starts if "type" not in start.get("toolUse", {"type": 0})]
    assert called == [call.id for call in response.message.tool_calls]


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.name)
def test_the_client_reads_the_recorded_streams_alike(path: Path) -> None:
    stream = path.read_bytes()
    if path.stem == "refused_in_the_middle":
        with pytest.raises(pytest.importorskip("botocore.eventstream").ChecksumMismatch):
            list(_events(stream))
        return
    response, text, kinds = _read(path), "", []
    for event in _events(stream, len(stream) // 3, len(stream) // 2):
        kinds.append(event.headers.get(":event-type"))
        if kinds[-1] == "contentBlockDelta":
            text += json.loads(event.payload)["delta"].get("text", "")
        if event.headers.get(":message-type") in ("exception", "error"):
            names = (event.headers.get(":exception-type"), event.headers.get(":error-code"))
            assert response.error["name"] in names
    assert text == (response.message.content or "")
    assert response.complete == (kinds[-1] == "metadata" and not response.unfinished)


@pytest.mark.parametrize("path", ANSWERS + WRITTEN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_answer_has_the_shape_of_the_service(path: Path) -> None:
    answer = json.loads(path.read_text(encoding="utf-8"))
    body = answer if path in ANSWERS else answer.get("body")
    if body is None:
        assert answer["refused"]
        return
    shape = _shape("Converse", "output")
    _accepts(shape, pytest.importorskip("wire_oracle.schemas")._with_bytes(shape, body))


def test_any_form_of_a_body_is_taken() -> None:
    body = {"messages": [{"role": "user", "content": [{"text": "x"}]}]}
    assert to_boto(toolwire.Rendered(body)) == to_boto(json.dumps(body)) == to_boto(json.dumps(body).encode()) == body
    for wrong, error in (([body], toolwire.ShapeError), ("[1]", toolwire.ShapeError), (b"{", toolwire.JsonError)):
        with pytest.raises(error):
            to_boto(wrong)
