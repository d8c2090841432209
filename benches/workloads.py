"""Agentic rollouts as raw requests: the same conversation in each wire format, made from a seed, growing turn by turn.

A turn sends the whole conversation so far, then the model answers with one call, whose result opens the next turn. A
result is about 2 KiB of log-like text; with `screenshot_every=10`, each tenth one also holds a 1 MiB image. Bodies are
spelled as the SDKs spell them: no white space, no escapes beyond those that JSON needs.
"""

import base64
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

KIB, MIB = 1 << 10, 1 << 20

# Log-like words: short ones, numbers, quotes, a backslash, two- and three-byte characters.
PLAIN = (
    "test passed failed line file module import value key node tool result step 17 0x2a error trace actual open closed"
)
VOCABULARY = [*PLAIN.split(" "), "retry", "cache", "->", "[]", "{}", '"s"', "\\t", "d\u00e9j\u00e0", "\u6771\u4eac"]

TOOL_NAMES = ("read_file", "write_file", "run_shell", "find_text", "edit_file")


def log_text(rng: random.Random, size: int) -> str:
    """About `size` bytes of words, some of them at the end of a line."""
    words: list[str] = []
    left = size
    while left > 0:
        word = rng.choice(VOCABULARY) + ("\n" if rng.random() < 0.08 else " ")
        words.append(word)
        left -= len(word.encode())
    return "".join(words)


def base64_noise(rng: random.Random, size: int) -> str:
    """`size` characters of base64 that no compressor can shorten, as those of an image."""
    return base64.b64encode(rng.randbytes(size * 3 // 4)).decode()


@dataclass(frozen=True)
class Step:
    """A call of the model and what the tool returned."""

    call_id: str
    tool: str
    arguments: str
    output: str
    image: str | None


def steps(
    count: int,
    *,
    seed: int = 1,
    result_bytes: int = 2 * KIB,
    screenshot_every: int = 0,
    screenshot_bytes: int = MIB,
) -> Iterator[Step]:
    rng = random.Random(seed)
    for n in range(count):
        arguments = {
            "path": f"src/part_{rng.randrange(1000)}.py",
            "command": log_text(rng, 120),
            "options": {"limit": rng.randrange(100), "ratio": rng.random(), "deep": [1, None, True]},
        }
        shot = screenshot_every > 0 and n % screenshot_every == screenshot_every - 1
        yield Step(
            f"call_{n:05d}",
            rng.choice(TOOL_NAMES),
            json.dumps(arguments),
            log_text(rng, result_bytes),
            base64_noise(rng, screenshot_bytes) if shot else None,
        )


def tools() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name in TOOL_NAMES:
        properties = {
            "path": {"type": "string", "description": "Path."},
            "command": {"type": "string", "description": "What to run."},
            "options": {"type": "object", "additionalProperties": True},
        }
        schema = {"type": "object", "properties": properties, "required": ["path"]}
        yield name, f"Run {name} in the workspace and return its output.", schema


class Chat:
    """Chat Completions."""

    name, messages, instructions = "chat", "messages", 0

    def shell(self) -> dict[str, Any]:
        return {
            "model": "m",
            "messages": [],
            "tools": [
                {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}
                for name, about, schema in tools()
            ],
            "temperature": 0.7,
            "max_tokens": 1024,
            "stream": False,
        }

    def user(self, text: str) -> dict[str, Any]:
        return {"role": "user", "content": text}

    def call(self, step: Step) -> dict[str, Any]:
        function = {"name": step.tool, "arguments": step.arguments}
        calls = [{"id": step.call_id, "type": "function", "function": function}]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def result(self, step: Step) -> dict[str, Any]:
        content: Any = step.output
        if step.image:
            url = f"data:image/png;base64,{step.image}"
            content = [{"type": "text", "text": step.output}, {"type": "image_url", "image_url": {"url": url}}]
        return {"role": "tool", "tool_call_id": step.call_id, "name": step.tool, "content": content}

    def answer(self, step: Step) -> dict[str, Any]:
        return {
            "id": f"cmpl-{step.call_id}",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [{"index": 0, "message": self.call(step), "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }


class Anthropic:
    """Anthropic Messages."""

    name, messages, instructions = "anthropic", "messages", 1

    def shell(self) -> dict[str, Any]:
        return {
            "model": "m",
            "max_tokens": 1024,
            "system": "You are an agent.",
            "messages": [],
            "tools": [{"name": name, "description": about, "input_schema": schema} for name, about, schema in tools()],
        }

    def user(self, text: str) -> dict[str, Any]:
        return {"role": "user", "content": text}

    def call(self, step: Step) -> dict[str, Any]:
        block = {"type": "tool_use", "id": step.call_id, "name": step.tool, "input": json.loads(step.arguments)}
        return {"role": "assistant", "content": [block]}

    def result(self, step: Step) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": step.output}]
        if step.image:
            source = {"type": "base64", "media_type": "image/png", "data": step.image}
            content.append({"type": "image", "source": source})
        return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": step.call_id, "content": content}]}

    def answer(self, step: Step) -> dict[str, Any]:
        return {
            "id": f"msg_{step.call_id}",
            "type": "message",
            "model": "m",
            **self.call(step),
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 20},
        }


class Responses:
    """OpenAI Responses."""

    name, messages, instructions = "responses", "input", 1

    def shell(self) -> dict[str, Any]:
        return {
            "model": "m",
            "instructions": "You are an agent.",
            "input": [],
            "tools": [
                {"type": "function", "name": name, "description": about, "parameters": schema}
                for name, about, schema in tools()
            ],
        }

    def user(self, text: str) -> dict[str, Any]:
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}

    def call(self, step: Step) -> dict[str, Any]:
        call = {"type": "function_call", "call_id": step.call_id, "name": step.tool, "arguments": step.arguments}
        return {**call, "status": "completed"}

    def result(self, step: Step) -> dict[str, Any]:
        output: Any = step.output
        if step.image:
            image = {"type": "input_image", "image_url": f"data:image/png;base64,{step.image}"}
            output = [{"type": "input_text", "text": step.output}, image]
        return {"type": "function_call_output", "call_id": step.call_id, "output": output}

    def answer(self, step: Step) -> dict[str, Any]:
        return {
            "id": f"resp_{step.call_id}",
            "object": "response",
            "created_at": 0,
            "model": "m",
            "status": "completed",
            "output": [self.call(step)],
        }


Wire = Chat | Anthropic | Responses
WIRES: dict[str, Wire] = {wire.name: wire for wire in (Chat(), Anthropic(), Responses())}


def spelled(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class Workload:
    """One rollout in one wire format. `body(n)` is what turn `n` sends, `answers[n]` what the model says to it."""

    def __init__(self, wire: Wire, all_steps: list[Step], *, prompt_bytes: int = 400) -> None:
        self.wire = wire
        self.turns = len(all_steps)
        self.answers = [spelled(wire.answer(step)) for step in all_steps]
        prompt = log_text(random.Random(0), prompt_bytes)
        self.messages = [spelled(wire.user(prompt))]
        for step in all_steps:
            self.messages += [spelled(wire.call(step)), spelled(wire.result(step))]
        key = f'"{wire.messages}":['.encode()
        head, tail = spelled(wire.shell()).split(key, 1)
        self._head, self._tail = head + key, tail

    def body(self, turn: int) -> bytes:
        """A fresh object each time, as it comes from a socket."""
        return b"".join((self._head, b",".join(self.messages[: 2 * turn + 1]), self._tail))

    def whole(self) -> bytes:
        """The conversation with the last result, as a server sees it that has not seen any of it."""
        return self.body(self.turns)

    def known(self, turn: int) -> int:
        """How many typed messages turn `turn` repeats: the instructions count as one."""
        return 0 if turn == 0 else 2 * turn + self.wire.instructions

    def count(self) -> int:
        """How many typed messages the whole conversation has."""
        return len(self.messages) + self.wire.instructions

    def transcript(self) -> int:
        """Bytes of all messages that a rollout ends up knowing: all but the last result."""
        return sum(map(len, self.messages[:-1]))


def text_rollout(wire: Wire, turns: int = 200) -> Workload:
    return Workload(wire, list(steps(turns)))


def screenshot_rollout(wire: Wire, turns: int = 200) -> Workload:
    return Workload(wire, list(steps(turns, screenshot_every=10)))


def first_loads(wire: Wire) -> dict[str, Workload]:
    """Conversations of three sizes, whose whole body a server may have to take without having seen it."""
    return {
        "20 KB text": Workload(wire, list(steps(7))),
        "500 KB text": Workload(wire, list(steps(190))),
        "5 MB images": Workload(wire, list(steps(20, screenshot_every=4))),
    }
