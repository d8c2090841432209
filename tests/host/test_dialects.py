"""The dialects read what results declare, and whatever leaves them is sealed."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from toolwire import MarkerError, ShapeError, ToolwireError
from toolwire.integrations.verifiers import install

vf = pytest.importorskip("verifiers.v1")

MARKER = "_vf_is_error"
LABEL = "Tool execution failed:\n"
TEXT = "record 42"
PNG = "data:image/png;base64,AAAA"


@pytest.fixture(scope="module", autouse=True)
def _installed() -> Any:
    with install():
        yield


def dialect_of(name: str) -> Any:
    from toolwire.integrations.verifiers._dialects import DIALECTS

    return dict(zip(("chat", "responses", "anthropic"), DIALECTS))[name]


def chat(content: Any = TEXT, **fields: Any) -> dict[str, Any]:
    function = {"name": "read", "arguments": "{}"}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}
    result = {"role": "tool", "tool_call_id": "c", "content": content, **fields}
    return {"model": "m", "messages": [{"role": "user", "content": "go"}, call, result]}


def responses(content: Any = TEXT, **fields: Any) -> dict[str, Any]:
    call = {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "c", "output": content, **fields}
    return {"model": "m", "input": [{"role": "user", "content": "go"}, call, result]}


def anthropic(content: Any = TEXT, **fields: Any) -> dict[str, Any]:
    use = {"type": "tool_use", "id": "c", "name": "read", "input": {}}
    block = {"type": "tool_result", "tool_use_id": "c", "content": content, **fields}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [block, {"type": "text", "text": "and?"}]},
    ]
    return {"model": "m", "max_tokens": 9, "messages": messages}


BODIES: dict[str, Any] = {"chat": chat, "responses": responses, "anthropic": anthropic}


def body_of(name: str, outcome: bool | None, content: Any = TEXT, **fields: Any) -> dict[str, Any]:
    declared = {} if outcome is None else {"is_error" if name == "anthropic" else MARKER: outcome}
    body: dict[str, Any] = BODIES[name](content, **declared, **fields)
    return body


def result_in(name: str, body: dict[str, Any]) -> Any:
    if name == "anthropic":
        return body["messages"][2]["content"][0]
    return (body["input"] if name == "responses" else body["messages"])[2]


def content_in(name: str, body: dict[str, Any]) -> Any:
    return result_in(name, body)["output" if name == "responses" else "content"]


def overridden(name: str, body: dict[str, Any]) -> Any:
    from verifiers.v1.types import SamplingConfig

    return dialect_of(name).apply_overrides(body, "the-model", SamplingConfig(temperature=0.5))


def tool_message(request: Any) -> Any:
    (message,) = [message for message in request.messages if message.role == "tool"]
    return message


names = pytest.mark.parametrize("name", BODIES)
outcomes = pytest.mark.parametrize("outcome", [True, False, None])


@names
@outcomes
@pytest.mark.parametrize("content", [TEXT, LABEL + TEXT, ""])
def test_outcome_is_read_and_the_body_sealed(name: str, outcome: bool | None, content: str) -> None:
    before = body_of(name, outcome, content)
    kept = copy.deepcopy(before)
    body = overridden(name, before)
    assert before == kept
    for _ in range(2):
        message = tool_message(dialect_of(name).parse_request(body))
        assert message.is_error is outcome
        assert message.content == content
    assert MARKER not in json.dumps(body)
    assert body["model"] == "the-model"
    labelled = name != "anthropic" and outcome is True and not content.startswith(LABEL)
    assert content_in(name, body) == (LABEL + content if labelled else content)
    if name == "anthropic":
        assert result_in(name, body).get("is_error") is outcome
    else:
        assert "is_error" not in result_in(name, body)


@pytest.mark.parametrize("name", ["chat", "responses"])
def test_outcome_in_the_frameworks_own_field_is_read_and_does_not_reach_the_provider(name: str) -> None:
    for outcome in (True, False, None):
        body = overridden(name, BODIES[name](TEXT, is_error=outcome))
        assert tool_message(dialect_of(name).parse_request(body)).is_error is outcome
        assert "is_error" not in json.dumps(body)
    body = overridden(name, BODIES[name](TEXT, is_error=True, **{MARKER: True}))
    assert tool_message(dialect_of(name).parse_request(body)).is_error is True


@pytest.mark.parametrize(
    ("name", "fields", "error", "sentence"),
    [
        ("chat", {MARKER: "yes"}, MarkerError, "messages[2]._vf_is_error: "),
        ("responses", {MARKER: 1}, MarkerError, "input[2]._vf_is_error: "),
        ("responses", {"is_error": False, MARKER: True}, ShapeError, "input[2].is_error: "),
    ],
)
def test_what_is_no_outcome_is_refused_where_the_server_has_an_answer_for_it(
    name: str, fields: dict[str, Any], error: type[ToolwireError], sentence: str
) -> None:
    body = overridden(name, BODIES[name](TEXT, **fields))
    with pytest.raises(error) as refused:
        dialect_of(name).parse_request(body)
    assert str(refused.value).startswith(sentence)
    assert MARKER not in json.dumps(body)


@names
def test_a_public_field_that_is_no_outcome_declares_nothing(name: str) -> None:
    for said in (1, "true", {}):
        body = overridden(name, BODIES[name](TEXT, is_error=said))
        assert tool_message(dialect_of(name).parse_request(body)).is_error is None
        assert ("is_error" in json.dumps(body)) is (name == "anthropic")  # as far as the provider has such a field


@names
@pytest.mark.filterwarnings("ignore::toolwire.LossWarning")
def test_stray_markers_reach_neither_trace_nor_provider(name: str) -> None:
    before = body_of(name, True)
    for element in before["input" if name == "responses" else "messages"][:2]:
        element[MARKER] = True
    if name == "anthropic":
        result_in(name, before)[MARKER] = True
    body = overridden(name, before)
    request = dialect_of(name).parse_request(body)
    assert tool_message(request).is_error is True
    assert MARKER not in json.dumps(body)
    assert MARKER not in request.model_dump_json()


def rewritten(request: Any, **changes: Any) -> Any:
    after = request.model_copy(deep=True)
    for name, value in changes.items():
        setattr(tool_message(after), name, value)
    return after


@names
@outcomes
@pytest.mark.parametrize("then", [True, False, None])
def test_rewritten_results_are_sealed_again(name: str, outcome: bool | None, then: bool | None) -> None:
    dialect = dialect_of(name)
    body = overridden(name, body_of(name, outcome))
    before = dialect.parse_request(body)
    after = rewritten(before, content="[redacted]", is_error=then)
    dialect.rewrite_request(body, before, after)
    again = dialect.parse_request(body)
    assert again == after
    assert MARKER not in json.dumps(body)
    if name == "anthropic":
        assert result_in(name, body).get("is_error") is then
        assert content_in(name, body) == "[redacted]"
    else:
        assert content_in(name, body) == (LABEL + "[redacted]" if then else "[redacted]")


@names
def test_a_rewrite_of_the_outcome_alone_is_enough(name: str) -> None:
    dialect = dialect_of(name)
    body = overridden(name, body_of(name, None))
    before = dialect.parse_request(body)
    dialect.rewrite_request(body, before, rewritten(before, is_error=True))
    assert tool_message(dialect.parse_request(body)).is_error is True
    assert tool_message(dialect.parse_request(body)).content == TEXT


@names
def test_restricted_network_filters_what_the_program_sent_and_seals_it(name: str) -> None:
    from verifiers.v1.configs.runtime import NetworkPolicyConfig

    dialect = dialect_of(name)
    part = {"chat": "text", "responses": "input_text", "anthropic": "text"}[name]
    image = {
        "chat": {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        "responses": {"type": "input_image", "image_url": "https://example.org/a.png"},
        "anthropic": {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
    }[name]
    body = overridden(name, body_of(name, True, [{"type": part, "text": TEXT}, image]))
    body, paths = dialect.mediate_external_capabilities(body, NetworkPolicyConfig(allow=[]))
    assert len(paths) == 1
    assert "example.org/a.png" not in json.dumps(content_in(name, body))
    assert MARKER not in json.dumps(body)
    message = tool_message(dialect.parse_request(body))
    assert message.is_error is True
    assert [part["text"] for part in content_in(name, body)] == ([TEXT] if name == "anthropic" else [LABEL, TEXT])


def test_side_requests_are_sealed_too() -> None:
    from types import SimpleNamespace

    from verifiers.v1.configs.runtime import NetworkPolicyConfig
    from verifiers.v1.interception.server import InterceptionServer

    session = SimpleNamespace(network_policy=NetworkPolicyConfig())
    before = anthropic(TEXT, is_error=True, **{MARKER: True})
    body, paths = InterceptionServer.mediate_capabilities(None, session, dialect_of("anthropic"), before)
    assert paths == []
    assert MARKER not in json.dumps(body)
    assert result_in("anthropic", body)["is_error"] is True


def test_a_verdict_declares_its_outcome_in_the_marker() -> None:
    import asyncio

    from verifiers.v1 import graph
    from verifiers.v1.clients import EvalClientConfig, ModelContext
    from verifiers.v1.session import RolloutSession
    from verifiers.v1.types import AssistantMessage, Response, ToolCall, UserMessage

    def deny(request: vf.Request) -> vf.Request | None:
        last = request.messages[-1]
        if isinstance(last, vf.ToolMessage):
            last.content, last.is_error = "not allowed", outcome
            return request
        return None

    trace = vf.Trace(
        agent=vf.AgentInfo(config=vf.AgentConfig()),
        task=vf.TraceTask(type="Task", data=vf.TaskData(idx=0, prompt="go")),
    )
    call = ToolCall(id="c", name="read", arguments="{}")
    response = Response(
        id="r", created=0, model="m", message=AssistantMessage(tool_calls=[call]), finish_reason="tool_calls"
    )
    node = graph.prepare_turn(trace, [UserMessage(content="go")]).commit(response)
    for outcome in (True, False, None):
        context = ModelContext(model="m", client=EvalClientConfig(base_url="http://127.0.0.1:9"))
        session = RolloutSession(context, trace, request_interceptors=[deny], gates_tools=True)
        asyncio.run(session.gate_tool_calls(node))
        decision = asyncio.run(session.decide_tool("c", "read", {}))
        assert decision["action"] == "deny"
        assert "is_error" not in decision["message"]
        assert decision["message"].get(MARKER) is outcome
