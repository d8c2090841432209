"""The native path gives what the ordinary way gives: the same typed request, the same body for the provider."""

from __future__ import annotations

import copy
import json
import os
import random
from types import SimpleNamespace
from typing import Any

import pytest
from toolwire import ToolwireError
from toolwire.integrations.verifiers import install

ROLLOUTS = int(os.environ.get("TOOLWIRE_HOST_ROLLOUTS", "150"))
MARKER = "_vf_is_error"


@pytest.fixture(scope="module", autouse=True)
def _installed() -> Any:
    with install():
        yield


class Chat:
    """Random chat completions bodies."""

    key = "messages"

    def shell(self, rng: random.Random) -> dict[str, Any]:
        function = {"name": "read", "description": "reads", "parameters": {"type": "object"}}
        return {
            "model": rng.choice("ab"),
            "messages": [],
            "tools": [{"type": "function", "function": function}],
            "temperature": rng.choice([0, 0.5]),
            "max_completion_tokens": 7,
        }

    def user(self, rng: random.Random, text: str) -> list[dict[str, Any]]:
        role = rng.choice(["user", "user", "system", "developer"])
        return [{"role": role, "content": rng.choice([text, [{"type": "text", "text": text}]])}]

    def call(self, rng: random.Random, ids: list[str]) -> list[dict[str, Any]]:
        calls = [
            {"id": id, "type": "function", "function": {"name": "read", "arguments": '{"b": 1, "a": "\\u00e9"}'}}
            for id in ids
        ]
        message = {"role": "assistant", "content": rng.choice([None, "", "so"]), "tool_calls": calls}
        if rng.random() < 0.3:
            message["reasoning_content"] = "because"
        return [message]

    def result(self, rng: random.Random, id: str, text: str) -> list[dict[str, Any]]:
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        content = rng.choice([text, [{"type": "text", "text": text}], [{"type": "text", "text": text}, image], []])
        message = {"role": "tool", "tool_call_id": id, "content": content}
        if rng.random() < 0.3:
            message["name"] = rng.choice(["read", "other"])
        return [self.declare(rng, message)]

    def declare(self, rng: random.Random, message: dict[str, Any]) -> dict[str, Any]:
        kind = rng.random()
        if kind < 0.6:
            message[MARKER] = rng.random() < 0.5
        elif kind < 0.65:
            message["is_error"] = rng.choice([True, False, None])
        return message


class Anthropic:
    """Random Messages bodies."""

    key = "messages"

    def shell(self, rng: random.Random) -> dict[str, Any]:
        tools = [{"name": "read", "description": "reads", "input_schema": {"type": "object"}}]
        shell = {"model": "a", "max_tokens": 9, "messages": [], "tools": tools}
        if rng.random() < 0.7:
            shell["system"] = rng.choice(["be brief", [{"type": "text", "text": "be brief"}]])
        return shell

    def user(self, rng: random.Random, text: str) -> list[dict[str, Any]]:
        return [{"role": "user", "content": rng.choice([text, [{"type": "text", "text": text}]])}]

    def call(self, rng: random.Random, ids: list[str]) -> list[dict[str, Any]]:
        thinking = [{"type": "thinking", "thinking": "hm", "signature": "s"}] if rng.random() < 0.3 else []
        uses = [{"type": "tool_use", "id": id, "name": "read", "input": {"a": [1, 2.5]}} for id in ids]
        return [{"role": "assistant", "content": [*thinking, {"type": "text", "text": "so"}, *uses]}]

    def result(self, rng: random.Random, id: str, text: str) -> list[dict[str, Any]]:
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": id}
        if rng.random() < 0.9:
            block["content"] = rng.choice([text, [{"type": "text", "text": text}], []])
        if rng.random() < 0.6:
            block["is_error"] = rng.choice([True, False] * 20 + [None])
        rest = [{"type": "text", "text": "and"}] if rng.random() < 0.2 else []
        blocks = [block, *rest] if rng.random() < 0.8 else [*rest, block]
        return [{"role": "user", "content": blocks}]


class Responses:
    """Random Responses bodies."""

    key = "input"

    def shell(self, rng: random.Random) -> dict[str, Any]:
        tools = [{"type": "function", "name": "read", "description": "reads", "parameters": {"type": "object"}}]
        shell = {"model": rng.choice(["a", "gpt-5"]), "input": [], "tools": tools, "max_output_tokens": 3}
        if rng.random() < 0.5:
            shell["instructions"] = "be brief"
        return shell

    def user(self, rng: random.Random, text: str) -> list[dict[str, Any]]:
        content = rng.choice([text, [{"type": "input_text", "text": text}]])
        item: dict[str, Any] = {"role": rng.choice(["user", "user", "developer"]), "content": content}
        return [{"type": "message", **item} if rng.random() < 0.5 else item]

    def call(self, rng: random.Random, ids: list[str]) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        if rng.random() < 0.4:
            items.append({"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "xx"})
        if rng.random() < 0.4:
            text = [{"type": "output_text", "text": "so", "annotations": []}]
            items.append({"type": "message", "role": "assistant", "id": "m", "status": "completed", "content": text})
        if rng.random() < 0.1:
            items.append({"type": "web_search_call", "id": "w", "status": "completed"})
        if rng.random() < 0.05:
            tool = {"type": "function", "name": "found", "parameters": {}}
            items.append({"type": "tool_search_output", "execution": "client", "tools": [tool]})
        return items + [{"type": "function_call", "call_id": id, "name": "read", "arguments": "{}"} for id in ids]

    def result(self, rng: random.Random, id: str, text: str) -> list[dict[str, Any]]:
        output = rng.choice([text, [{"type": "input_text", "text": text}], []] * 20 + [{"odd": text}])
        return [Chat.declare(Chat(), rng, {"type": "function_call_output", "call_id": id, "output": output})]


WIRES: dict[str, Any] = {"chat": Chat(), "responses": Responses(), "anthropic": Anthropic()}


def bodies(wire: Any, rng: random.Random) -> list[bytes]:
    """The requests of a rollout: mostly the whole history and something new, sometimes edited, cut, or spelled anew."""
    shell = wire.shell(rng)
    history = wire.user(rng, "go")
    sent = []
    for turn in range(rng.randrange(2, 9)):
        now = copy.deepcopy(history)
        kind = rng.random()
        if kind < 0.1 and len(now) > 2:
            del now[rng.randrange(1, len(now)) :]
        elif kind < 0.2:
            now.insert(rng.randrange(len(now) + 1), wire.user(rng, rng.choice(["x", "y"]))[0])
        elif kind < 0.25:
            shell = wire.shell(rng)
        elif kind < 0.3:
            now = [dict(reversed(element.items())) for element in now]
        elif kind < 0.4:
            now = [said_otherwise(element, rng) for element in now]
        spaces = rng.choice([(",", ":"), (",", ":"), (", ", ": ")]) if rng.random() < 0.1 else (",", ":")
        body = {**shell, wire.key: now}
        sent.append(json.dumps(body, separators=spaces, ensure_ascii=rng.random() < 0.1).encode())
        ids = [f"c{turn}_{n}" for n in range(rng.choice([1, 1, 2]))]
        history += wire.call(rng, ids)
        for id in ids:
            history += wire.result(rng, id, rng.choice(["ok", "Tool execution failed:\nok", "é\U0001f600", ""]))
        if rng.random() < 0.2:
            history += wire.user(rng, "more")
    return sent + [sent[-1]] * rng.choice([0, 1])


def said_otherwise(element: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same for the graph, or nearly: without a name or an outcome, or with calls spelled in another way."""
    blocks = element["content"] if isinstance(element.get("content"), list) else []
    for result in [element, *blocks]:
        for key in (MARKER, "is_error", "name"):
            if result.get("type") not in ("function_call", "tool_use") and rng.random() < 0.3:
                result.pop(key, None)
    for call in [element, *(call["function"] for call in element.get("tool_calls", []))]:
        if "arguments" in call and rng.random() < 0.5:
            call["arguments"] = json.dumps(json.loads(call["arguments"]), indent=1)
    return element


def exchange(session: Any, dialect: Any, raw: bytes) -> Any:
    from toolwire.integrations.verifiers._native import Exchange

    return Exchange(session, dialect).receive(raw)


def new_session() -> Any:
    from verifiers.v1.clients.eval import EvalClient
    from verifiers.v1.configs.runtime import NetworkPolicyConfig

    return SimpleNamespace(client=EvalClient.__new__(EvalClient), network_policy=NetworkPolicyConfig())


@pytest.mark.parametrize("name", WIRES)
def test_random_rollouts_are_read_as_the_ordinary_way_reads_them(name: str) -> None:
    from toolwire.integrations.verifiers._body import Body, Spliced
    from toolwire.integrations.verifiers._dialects import DIALECTS
    from verifiers.v1 import graph
    from verifiers.v1.types import SamplingConfig

    dialect = dict(zip(("chat", "responses", "anthropic"), DIALECTS))[name]
    native = ordinary = 0
    for seed in range(ROLLOUTS):
        rng = random.Random(f"{name} {seed}")
        session = new_session()
        sampling = SamplingConfig(temperature=rng.choice([None, 0.3]), max_tokens=rng.choice([None, 5]))
        for raw in bodies(WIRES[name], rng):
            whole = dialect.apply_overrides(json.loads(raw), "the-model", sampling)
            assert type(whole) is Body
            received = exchange(session, dialect, raw)
            try:
                expected = dialect.parse_request(whole)
            except ToolwireError:
                assert received is None  # a failed result of a shape that has no place for the label
                continue
            if received is None:
                ordinary += 1
                continue
            native += 1
            body = dialect.apply_overrides(received, "the-model", sampling)
            assert type(body) is Spliced
            request = dialect.parse_request(body)
            assert request == expected, (seed, raw)
            for one, other in zip(request.messages, expected.messages):
                assert type(one) is type(other)
                assert one.model_fields_set == other.model_fields_set
                assert graph.message_hash(one) == graph.message_hash(other)
            assert graph._tools_hash(request.tools) == graph._tools_hash(expected.tools)
            assert dialect.streaming(body) == dialect.streaming(whole)
            assert dialect.parse_sampling(body) == dialect.parse_sampling(whole)
            upstream = body.upstream()
            assert MARKER.encode() not in upstream
            assert json.loads(upstream) == whole
            assert body == whole  # filled by looking at it
            assert body.internal == whole.internal
            assert dialect.parse_request(body) == expected
    assert native > 2 * ordinary > 0
