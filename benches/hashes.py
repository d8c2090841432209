"""What the identity of a message costs, from each kind of object that a caller may hold."""

import gc
import hashlib
import random
import time
from collections.abc import Callable
from typing import Any

import toolwire
from workloads import KIB, MIB, Step, base64_noise, log_text, steps


def messages() -> dict[str, dict[str, Any]]:
    """In the spelling of `to_dict`, which is also the host framework's own."""
    rng = random.Random(2)
    result = {"role": "tool", "tool_call_id": "call_00000"}
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + base64_noise(rng, 2 * MIB)}}
    return {
        "tool, 1 KiB": {**result, "content": log_text(rng, KIB)},
        "tool, 64 KiB": {**result, "content": log_text(rng, 64 * KIB)},
        "tool, 2 MiB image": {**result, "content": [{"type": "text", "text": "shot"}, image]},
        "assistant, 4 calls": {
            "role": "assistant",
            "content": log_text(rng, 200),
            "tool_calls": [call(step) for step in steps(4)],
        },
    }


def call(step: Step) -> dict[str, Any]:
    return {"id": step.call_id, "type": "function", "name": step.tool, "arguments": step.arguments}


CLASSES: dict[str, Any] = {"tool": toolwire.ToolMessage, "assistant": toolwire.AssistantMessage}


# Of so many calls at most is a sample made; each has an object of its own where a first call is measured.
MOST = 200

# Given a number, a function that hashes so many times.
Way = Callable[[int], Callable[[], object]]


def again(ask: Callable[[Any], str], message: Any) -> Way:
    """The same object each time."""
    return lambda count: lambda: [ask(message) for _ in range(count)]


def first(message: dict[str, Any]) -> Way:
    """An object of ours that nobody has asked yet: it keeps its identity."""
    build, ask = CLASSES[message["role"]].from_dict, toolwire.message_hash

    def ready(count: int) -> Callable[[], object]:
        fresh = [build(message) for _ in range(count)]
        return lambda: [ask(one) for one in fresh]

    return ready


def measure(ways: dict[str, Way], repeats: int) -> dict[str, float]:
    """Seconds of one call, the least of all repeats; the ways take turns."""
    counts: dict[str, int] = {}
    for name, way in ways.items():
        once = way(2)
        start = time.thread_time()
        once()
        counts[name] = min(MOST, max(1, int(0.02 / max(time.thread_time() - start, 1e-7))))
    least = dict.fromkeys(ways, float("inf"))
    gc.disable()
    for _ in range(repeats):
        for name, way in ways.items():
            work = way(counts[name])
            start = time.thread_time()
            work()
            least[name] = min(least[name], (time.thread_time() - start) / counts[name])
    gc.enable()
    return least


def hash_rows(against: bool, repeats: int) -> dict[str, Any]:
    """Prints the rows, and gives them in seconds."""
    repeats *= 10
    print(f"\nmessage_hash, us, least of {repeats}; sha256 is that of hashlib over the same number of bytes")
    out: dict[str, Any] = {}
    for name, message in messages().items():
        size = b" " * len(repr(message))
        ways: dict[str, Way] = {
            "our object, first call": first(message),
            "our object, further calls": again(toolwire.message_hash, CLASSES[message["role"]].from_dict(message)),
            "a dict": again(toolwire.message_hash, message),
        }
        if against:
            from pydantic import TypeAdapter
            from verifiers.v1 import graph
            from verifiers.v1.types import Message

            host = TypeAdapter(Message).validate_python(message)
            assert toolwire.message_hash(host) == toolwire.message_hash(message)
            ways["verifiers' object"] = again(toolwire.message_hash, host)
            ways["verifiers' object, verifiers' hash"] = again(graph.message_hash, host)
        ways["sha256"] = again(lambda data: hashlib.sha256(data).hexdigest(), size)
        took = measure(ways, repeats)
        print(f"  {name}")
        theirs = took.get("verifiers' object, verifiers' hash")
        for way, seconds in took.items():
            ratio = f"{theirs / seconds:12.2f}x" if theirs else ""
            print(f"    {way:36s}{seconds * 1e6:12.2f}{ratio}")
        out[name] = took
    return out
