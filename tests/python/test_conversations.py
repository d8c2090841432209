"""Random conversations as bodies of every wire: the oracles take what the package writes, or it says why it does not.

`TOOLWIRE_CONVERSATIONS=20000 pytest tests/python/test_conversations.py` runs more of them.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
import toolwire
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wire_oracle import problems

DIALECTS: dict[str, Any] = {
    "chat": toolwire.ChatDialect(),
    "responses": toolwire.ResponsesDialect(),
    "anthropic": toolwire.AnthropicDialect(),
    "gemini": toolwire.GeminiDialect(),
    "bedrock": toolwire.BedrockDialect(),
}
CASES = int(os.environ.get("TOOLWIRE_CONVERSATIONS", "60"))

LABEL = "Tool execution failed:\n"
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}

text = st.sampled_from(["hi", "two\nlines", "é \U0001f600", "  spaced  "])
odd = st.sampled_from(["", " \n", LABEL, LABEL + "x", '{"error": "boom"}', '{"output": 1}', '{"$ref": "#/a"}', "[1]"])


def parts(texts: st.SearchStrategy[str], most: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    part = texts.map(lambda text: {"type": "text", "text": text}) | st.just(IMAGE)
    return st.lists(part, min_size=most and 1, max_size=most or 3)


arguments = st.dictionaries(
    st.sampled_from(["path", "error", "output", "n"]),
    st.none() | st.booleans() | st.integers(-5, 5) | text | st.just([1.5, {}]),
    max_size=3,
).map(json.dumps)


@st.composite
def turns(draw: st.DrawFn, number: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": draw(text | parts(text, 3))}]
    calls = [
        {"id": draw(st.sampled_from([f"call_{number}_{n}", f"f:{number}.{n}|é", f"{n}" * 70 + str(number)]))}
        | {"type": "function", "function": {"name": f"tool_{n}", "arguments": draw(arguments)}}
        for n in range(draw(st.integers(0, 3)))
    ]
    turn: dict[str, Any] = {"role": "assistant", "content": draw(text if not calls else text | st.none())}
    if calls:
        turn["tool_calls"] = calls
    messages.append(turn)
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": draw(text | odd | parts(text | odd, 0))}
        | draw(st.sampled_from([{}, {"_vf_is_error": True}, {"_vf_is_error": False}]))
        for call in calls
    ]
    return messages + draw(st.permutations(results))


@st.composite
def conversations(draw: st.DrawFn) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    if draw(st.booleans()):
        messages.append({"role": draw(st.sampled_from(["system", "developer"])), "content": draw(text)})
    for number in range(draw(st.integers(1, 3))):
        messages += draw(turns(number))
    messages.append({"role": "user", "content": "and now?"})
    function = {"type": "object", "properties": {}}
    tools = [{"type": "function", "function": {"name": f"tool_{n}", "parameters": function}} for n in range(3)]
    return {"model": "m", "messages": messages, "tools": tools, "max_completion_tokens": 64}


def for_a_model(name: str, body: dict[str, Any]) -> dict[str, Any]:
    """The body with a model that the wire could have; Gemini's stands in its address."""
    if name == "bedrock":
        return {**body, "modelId": "vendor.model-v1:0"}
    return body if name == "gemini" else {"model": "m", **body}


@pytest.mark.parametrize("source", DIALECTS)
def test_the_oracle_takes_what_every_wire_says(source: str) -> None:
    """Told on one wire, converted to each."""

    @settings(max_examples=CASES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(conversations())
    def told(body: dict[str, Any]) -> None:
        plain = toolwire.ChatDialect().parse_request(body).to_dict()
        # As if put together by hand: what was read from a wire goes back to it as it was.
        request = toolwire.Request.from_dict({k: v for k, v in plain.items() if k not in ("dialect", "extra")})
        native = DIALECTS[source].render_request(request).body
        assert problems(source, for_a_model(source, native)) == []
        for target, dialect in DIALECTS.items():
            converted = toolwire.convert(native, source=source, target=target).body
            assert problems(target, for_a_model(target, converted)) == []
            dialect.parse_request(converted)

    told()
