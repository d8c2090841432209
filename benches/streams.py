"""What reading a streamed answer costs, beside the parsers of verifiers, in one run.

    python benches/streams.py [--dialect chat] [--chunks 2000] [--repeats 15] [--json out.json]

Both sides get the same events, one whole event at a time as a server relays them, and give the assembled answer. CPU
time of the thread, the sides in turns, the garbage collector off; each figure is the least of the repeats and, in
brackets, the median. `terminal` adds the question that a relay asks of every event: does it end the turn?
A stream of `text` has one delta to a chunk; one of `calls` the pieces of the arguments of four calls. Where verifiers
is not installed, our side stands alone.
"""

import argparse
import gc
import importlib.util
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import toolwire

clock = time.thread_time
OURS = {
    "chat": toolwire.ChatDialect,
    "responses": toolwire.ResponsesDialect,
    "anthropic": toolwire.AnthropicDialect,
}
PIECE = "token "


def event(data: dict[str, Any], named: bool) -> bytes:
    name = f"event: {data['type']}\n" if named else ""
    return f"{name}data: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


def chat(kind: str, chunks: int) -> list[bytes]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1780000000, "model": "the-model"}
        return event(head | {"service_tier": "default", "system_fingerprint": "fp_1", "choices": [choice]}, False)

    def call(n: int) -> dict[str, Any]:
        if n < 4:
            function = {"name": "write", "arguments": '{"text":"'}
            return {"tool_calls": [{"index": n, "id": f"call_{n}", "type": "function", "function": function}]}
        piece = '"}' if n >= chunks - 4 else PIECE
        return {"tool_calls": [{"index": n % 4, "function": {"arguments": piece}}]}

    deltas = ({"content": PIECE} if kind == "text" else call(n) for n in range(chunks))
    first = chunk({"role": "assistant", "content": "" if kind == "text" else None})
    last = chunk({}, "stop" if kind == "text" else "tool_calls")
    return [first, *map(chunk, deltas), last, b"data: [DONE]\n\n"]


def anthropic(kind: str, chunks: int) -> list[bytes]:
    usage = {"input_tokens": 25, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "the-model", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    blocks = 1 if kind == "text" else 4
    for n in range(blocks):
        block: dict[str, Any] = {"type": "text", "text": ""}
        if kind == "calls":
            block = {"type": "tool_use", "id": f"toolu_{n}", "name": "write", "input": {}}
        events.append({"type": "content_block_start", "index": n, "content_block": block})
        for piece in range(chunks // blocks):
            delta = {"type": "text_delta", "text": PIECE}
            if kind == "calls":
                text = {0: '{"text":"', chunks // blocks - 1: '"}'}.get(piece, PIECE)
                delta = {"type": "input_json_delta", "partial_json": text}
            events.append({"type": "content_block_delta", "index": n, "delta": delta})
        events.append({"type": "content_block_stop", "index": n})
    end = {"stop_reason": "end_turn" if kind == "text" else "tool_use", "stop_sequence": None}
    events += [{"type": "message_delta", "delta": end, "usage": {"output_tokens": 30}}, {"type": "message_stop"}]
    return [event(data, True) for data in events]


def responses(kind: str, chunks: int) -> list[bytes]:
    response = {"id": "resp_1", "object": "response", "created_at": 1780000000, "model": "the-model", "error": None}
    response |= {"incomplete_details": None, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    begun = response | {"status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    output: list[dict[str, Any]] = []
    items = 1 if kind == "text" else 4
    for n in range(items):
        at = {"item_id": f"item_{n}", "output_index": n}
        pieces = [PIECE] * (chunks // items)
        if kind == "text":
            message = {"id": f"item_{n}", "type": "message", "role": "assistant"}
            item = message | {"status": "in_progress", "content": []}
            part = {"type": "output_text", "text": "".join(pieces), "annotations": [], "logprobs": []}
            done = message | {"status": "completed", "content": [part]}
            place = at | {"content_index": 0}
            delta, empty = "response.output_text.delta", {"part": part | {"text": ""}}
            before = [{"type": "response.content_part.added"} | place | empty]
        else:
            pieces[0], pieces[-1] = '{"text":"', '"}'
            call = {"id": f"item_{n}", "type": "function_call", "call_id": f"call_{n}", "name": "write"}
            item = call | {"arguments": "", "status": "in_progress"}
            done = call | {"arguments": "".join(pieces), "status": "completed"}
            place, before, delta = at, [], "response.function_call_arguments.delta"
        events += [{"type": "response.output_item.added", "output_index": n, "item": item}, *before]
        events += [{"type": delta} | place | {"delta": piece, "logprobs": []} for piece in pieces]
        events.append({"type": "response.output_item.done", "output_index": n, "item": done})
        output.append(done)
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 25, "output_tokens": 30, "total_tokens": 55} | details
    completed = response | {"status": "completed", "output": output, "usage": usage}
    events.append({"type": "response.completed", "response": completed})
    return [event(data | {"sequence_number": n}, True) for n, data in enumerate(events)]


STREAMS: dict[str, Callable[[str, int], list[bytes]]] = {
    "chat": chat,
    "responses": responses,
    "anthropic": anthropic,
}


def theirs(wire: str) -> Any:
    module = importlib.import_module(f"verifiers.v1.dialects.{wire}")
    return getattr(module, f"{wire.capitalize()}Dialect")()


def read(dialect: Any, events: list[bytes], terminal: bool) -> tuple[float, Any]:
    """The seconds of one stream, and its answer."""
    gc.collect(0)
    gc.disable()
    start = clock()
    parser = dialect.stream_parser()
    feed, ends = parser.feed, dialect.is_terminal_event
    for chunk in events:
        if terminal:
            ends(chunk)
        feed(chunk)
    answer = parser.finish()
    took = clock() - start
    gc.enable()
    return took, answer


def says(answer: Any) -> tuple[str, list[Any]]:
    calls = answer.message.tool_calls or []
    return answer.message.content or "", [(call.id, call.name, json.loads(call.arguments)) for call in calls]


def section(wire: str, kind: str, chunks: int, repeats: int, terminal: bool, peer: bool) -> dict[str, Any]:
    events = STREAMS[wire](kind, chunks)
    sides = {"toolwire": OURS[wire]()} | ({"verifiers": theirs(wire)} if peer else {})
    samples: dict[str, list[float]] = {side: [] for side in sides}
    answers = {}
    for repeat in range(repeats + 1):
        for side in list(sides) if repeat % 2 == 0 else list(sides)[::-1]:
            took, answer = read(sides[side], events, terminal)
            if repeat:  # the first one warms up
                samples[side].append(took)
            answers[side] = says(answer)
    assert all(answer == answers["toolwire"] for answer in answers.values()), "the answers differ"
    shown = {side: f"{min(took) * 1e3:8.3f} ms ({statistics.median(took) * 1e3:.3f})" for side, took in samples.items()}
    label = f"{wire}, {kind}, {chunks} chunks{', terminal' if terminal else ''}"
    ratio = min(samples["verifiers"]) / min(samples["toolwire"]) if peer else None
    print(f"{label:42s}" + "   ".join(f"{side} {text}" for side, text in shown.items()), end="")
    print(f"   {ratio:6.1f}x" if ratio else "")
    return {"wire": wire, "kind": kind, "chunks": chunks, "terminal": terminal, "seconds": samples, "ratio": ratio}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialect", default=",".join(STREAMS), help="some of %(default)s")
    parser.add_argument("--chunks", type=int, default=2000, help="of a stream; %(default)s")
    parser.add_argument("--repeats", type=int, default=15, help="of a measurement; %(default)s")
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    args = parser.parse_args()
    peer = importlib.util.find_spec("verifiers") is not None
    rows = [
        section(wire, kind, args.chunks, args.repeats, terminal, peer)
        for wire in args.dialect.split(",")
        for kind in ("text", "calls")
        for terminal in (False, True)
    ]
    if args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
