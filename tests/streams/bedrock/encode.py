"""Writes the streams in this folder: AWS event stream frames, encoded here and not by the code under test."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

Header = tuple[str, str | bytes]
Event = tuple[str, Any]


def header(name: str, value: str | bytes) -> bytes:
    """Text as a string header; bytes are a header's type and value as they stand."""
    if isinstance(value, str):
        text = value.encode()
        value = struct.pack(">BH", 7, len(text)) + text
    return struct.pack("B", len(name)) + name.encode() + value


def frame(headers: list[Header], payload: bytes) -> bytes:
    packed = b"".join(header(*each) for each in headers)
    lengths = struct.pack(">II", 16 + len(packed) + len(payload), len(packed))
    said = lengths + struct.pack(">I", zlib.crc32(lengths)) + packed + payload
    return said + struct.pack(">I", zlib.crc32(said))


def event(kind: str, **payload: Any) -> bytes:
    headers: list[Header] = [
        (":event-type", kind),
        (":content-type", "application/json"),
        (":message-type", "event"),
    ]
    return frame(headers, json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode())


def start(n: int, **block: Any) -> bytes:
    return event("contentBlockStart", contentBlockIndex=n, start=block)


def delta(n: int, **piece: Any) -> bytes:
    return event("contentBlockDelta", contentBlockIndex=n, delta=piece)


def stop(n: int) -> bytes:
    return event("contentBlockStop", contentBlockIndex=n)


def text(n: int, *pieces: str) -> list[bytes]:
    return [*(delta(n, text=piece) for piece in pieces), stop(n)]


def call(n: int, number: str, name: str, *pieces: str, **more: str) -> list[bytes]:
    begun = start(n, toolUse={"toolUseId": number, "name": name, **more})
    return [begun, *(delta(n, toolUse={"input": piece}) for piece in pieces), stop(n)]


def reasoning(n: int, *pieces: dict[str, str]) -> list[bytes]:
    return [*(delta(n, reasoningContent=piece) for piece in pieces), stop(n)]


def counts(given: int = 12, made: int = 7, **more: Any) -> dict[str, Any]:
    cached = more.get("cacheReadInputTokens", 0) + more.get("cacheWriteInputTokens", 0)
    return {"inputTokens": given, "outputTokens": made, "totalTokens": given + made + cached, **more}


def end(reason: str, usage: dict[str, Any] | None = None, **more: Any) -> list[bytes]:
    metadata = event("metadata", usage=usage or counts(), metrics={"latencyMs": 431}, **more)
    return [event("messageStop", stopReason=reason), metadata]


BEGIN = event("messageStart", role="assistant")

TWO_CALLS = [
    BEGIN,
    *text(0, "Both beds, ", "then."),
    *call(1, "tooluse_a1", "soil_moisture", '{"b', 'ed": 4', ', "depth": 1.50}'),
    *call(2, "tooluse_a2", "soil_moisture", '{"bed":9,"note":"naïve \u2028 \\"x\\""}'),
]

FAILED: list[Header] = [(":content-type", "application/json"), (":message-type", "exception")]

STREAMS: dict[str, list[bytes]] = {
    "text": [BEGIN, *text(0, "The soil", " is wet", "", " at 18 °C."), *end("end_turn")],
    "padded": [
        event("messageStart", role="assistant", p="abcdefgh"),
        event("contentBlockDelta", contentBlockIndex=0, delta={"text": "Wet."}, p="abcdefghijklmno"),
        event("contentBlockStop", contentBlockIndex=0, p="abc"),
        event("messageStop", stopReason="stop_sequence", additionalModelResponseFields={"stop": "."}, p="a"),
        event("metadata", usage=counts(), metrics={"latencyMs": 88}, serviceTier={"type": "default"}, p="abcd"),
    ],
    "nothing": [BEGIN, *end("end_turn", counts(5, 0))],
    "two_calls": [*TWO_CALLS, *end("tool_use")],
    "call_without_input": [
        BEGIN,
        *call(0, "tooluse_b1", "list_beds"),
        *call(1, "tooluse_b2", "list_beds", ""),
        *end("tool_use"),
    ],
    "reasoning": [
        BEGIN,
        *reasoning(0, {"text": "The probe "}, {"text": "decides."}, {"signature": "c2lnbmVk"}),
        *reasoning(1, {"redactedContent": "AAECAw=="}, {"redactedContent": "BAU="}, {"redactedContent": "BgcI"}),
        *text(2, "Asking the probe."),
        *call(3, "tooluse_c1", "soil_moisture", '{"bed":4}'),
        *end("tool_use", counts(3, 90, cacheReadInputTokens=1000, cacheWriteInputTokens=20)),
    ],
    "reasoning_and_text_of_one_number": [
        BEGIN,
        delta(0, reasoningContent={"text": "Wet."}),
        delta(0, text="It is wet."),
        stop(0),
        *end("end_turn"),
    ],
    "server_tool": [
        BEGIN,
        *call(0, "tooluse_g1", "nova_grounding", '{"query":"frost"}', type="server_tool_use"),
        start(1, toolResult={"toolUseId": "tooluse_g1", "type": "nova_grounding_result", "status": "error"}),
        delta(1, toolResult=[{"text": "grounding unavailable"}]),
        delta(1, toolResult=[{"json": {"code": 503}}]),
        stop(1),
        delta(2, text="No frost."),
        delta(2, citation={"title": "Almanac", "location": {"web": {"url": "https://example.org/frost"}}}),
        delta(2, citation={"title": "Yearbook", "sourceContent": [{"text": "mild"}]}),
        stop(2),
        *end("end_turn"),
    ],
    "images": [
        BEGIN,
        start(0, image={"format": "png"}),
        delta(0, image={"source": {"bytes": "iVBORw=="}}),
        delta(0, image={"source": {"bytes": "DQoa"}}),
        stop(0),
        start(1, image={"format": "png"}),
        delta(1, image={"error": {"message": "not drawn"}}),
        stop(1),
        *end("end_turn"),
    ],
    "guardrail": [
        BEGIN,
        *text(0, "I cannot say."),
        *end("guardrail_intervened", trace={"guardrail": {"actionReason": "blocked"}}),
    ],
    "cut_in_call": TWO_CALLS[:7],
    "call_not_json": [BEGIN, *call(0, "tooluse_d1", "soil_moisture", '{"bed":', " fo"), *end("max_tokens")],
    "without_counts": [BEGIN, *text(0, "Wet."), event("messageStop", stopReason="end_turn")],
    "server_tool_cut": [
        BEGIN,
        start(0, toolUse={"toolUseId": "tooluse_g2", "name": "nova_grounding", "type": "server_tool_use"}),
        delta(0, toolUse={"input": '{"que'}),
    ],
    "exception": [
        BEGIN,
        delta(0, text="The soi"),
        frame([(":exception-type", "throttlingException"), *FAILED], b'{"message":"Too many tokens."}'),
    ],
    "exception_with_status": [
        frame(
            [(":exception-type", "modelStreamErrorException"), *FAILED],
            b'{"message":"It broke.","originalStatusCode":500,"originalMessage":"out of memory"}',
        ),
    ],
    "exception_as_text": [frame([(":exception-type", "internalServerException"), *FAILED], b"It broke.")],
    "error": [
        BEGIN,
        frame([(":message-type", "error"), (":error-code", "InternalError"), (":error-message", "It broke.")], b""),
    ],
    "other_headers_and_events": [
        frame(
            [
                ("true", b"\x00"),
                ("false", b"\x01"),
                ("byte", b"\x02\x7f"),
                ("short", b"\x03\x00\x01"),
                ("integer", b"\x04\x00\x00\x00\x01"),
                ("long", b"\x05" + bytes(8)),
                ("bytes", b"\x06\x00\x03abc"),
                ("time", b"\x08" + bytes(8)),
                ("uuid", b"\x09" + bytes(16)),
                (":message-type", "event"),
                (":event-type", "messageStart"),
            ],
            b'{"role":"assistant"}',
        ),
        event("contentBlockPing", of="the future"),
        frame([(":message-type", "event"), (":event-type", "ping")], b""),
        frame([], b"{}"),
        *text(0, "Wet."),
        *end("end_turn"),
    ],
    "refused_in_the_middle": [BEGIN, delta(0, text="Wet"), BEGIN[:-1] + b"!", *text(0, "."), *end("end_turn")],
}


def main() -> None:
    folder = Path(__file__).parent
    for name, frames in STREAMS.items():
        (folder / f"{name}.bin").write_bytes(b"".join(frames))


if __name__ == "__main__":
    sys.exit(main())
