"""A message has toolwire's identity wherever the framework asks, and a remembered one is never that of another message."""

from __future__ import annotations

import asyncio
import copy
import gc
import json
from typing import Any

import pytest
import toolwire
import verifiers.v1 as vf
from toolwire.integrations.verifiers import install
from verifiers.v1 import graph
from verifiers.v1.clients import EvalClientConfig, ModelContext
from verifiers.v1.clients.eval import EvalClient
from verifiers.v1.session import RolloutSession
from verifiers.v1.types import AssistantMessage, Response, SamplingConfig, ToolCall, ToolMessage, UserMessage


@pytest.fixture(scope="module", autouse=True)
def _installed() -> Any:
    with install():
        yield


class Scored(ToolMessage):
    score: float = 0.0


def test_what_a_users_class_adds_is_no_part_of_the_message() -> None:
    for outcome in (True, False, None):
        plain = ToolMessage(tool_call_id="c", content="x", is_error=outcome)
        scored = Scored(tool_call_id="c", content="x", is_error=outcome, score=0.5)
        assert graph.message_hash(scored) == graph.message_hash(plain) == toolwire.message_hash(plain)


def test_state_that_is_nested_too_deep_has_a_digest_all_the_same() -> None:
    deep: Any = 0
    for _ in range(300):
        deep = [deep]
    one, other = (AssistantMessage(content=text, provider_state=[{"type": "x", "data": deep}]) for text in "ab")
    assert graph.message_hash(one) == graph.message_hash(one.model_copy(deep=True)) != graph.message_hash(other)


def new_trace() -> Any:
    return vf.Trace(
        agent=vf.AgentInfo(config=vf.AgentConfig()),
        task=vf.TraceTask(type="Task", data=vf.TaskData(idx=0, prompt="go")),
    )


def respelled(element: dict[str, Any]) -> dict[str, Any]:
    return dict(reversed(element.items()))


@pytest.mark.parametrize("hooked", [False, True])
def test_hashes_are_right_for_a_history_that_is_spelled_anew_again_and_again(
    monkeypatch: pytest.MonkeyPatch, hooked: bool
) -> None:
    """With hooks, which make copies of everything and let go of them, and whose ids are used again."""
    from toolwire.integrations.verifiers._dialects import DIALECTS
    from toolwire.integrations.verifiers._native import Exchange, current

    def check(message: Any) -> str:
        found = asked(message)
        assert found == toolwire.message_hash(message)
        return str(found)

    asked = graph.message_hash
    monkeypatch.setattr(graph, "message_hash", check)
    trace = new_trace()
    context = ModelContext(model="m", client=EvalClientConfig(base_url="http://127.0.0.1:9"))

    def upper(request: vf.Request) -> vf.Request | None:
        last = request.messages[-1]
        if isinstance(last, ToolMessage) and last.tool_call_id.endswith("3"):
            last.content = str(last.content).upper()
            return request
        return None

    session = RolloutSession(context, trace, request_interceptors=[upper] if hooked else [])
    session.client = EvalClient.__new__(EvalClient)
    history: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    chat = DIALECTS[0]

    async def turn(number: int) -> None:
        exchange = Exchange(session, chat)
        token = current.set(exchange)
        try:
            received = exchange.receive(json.dumps({"model": "m", "messages": history}).encode())
            assert received is not None
            body = chat.apply_overrides(received, "m", SamplingConfig())
            before = chat.parse_request(body)
            after, _, _ = await session.rewrite_request(before)
            if after != before:
                chat.rewrite_request(body, before, after)
            call = ToolCall(id=f"c{number}", name="read", arguments="{}")
            message = AssistantMessage(content=None, tool_calls=[call])
            answer = Response(id="r", created=0, model="m", message=message, finish_reason="tool_calls")
            graph.prepare_turn(trace, after.messages, after.tools).commit(answer)
        finally:
            current.reset(token)

    for number in range(30):
        if number % 8 == 7:
            history = [respelled(element) for element in history]
        asyncio.run(turn(number))
        gc.collect()
        function = {"name": "read", "arguments": "{}"}
        calls = [{"id": f"c{number}", "type": "function", "function": function}]
        history += [{"role": "assistant", "content": None, "tool_calls": calls}]
        history += [{"role": "tool", "tool_call_id": f"c{number}", "content": f"result {number}"}]
    assert trace.num_branches == 1
    assert len(trace.nodes) == 60


def test_what_no_answer_committed_is_not_shared_with_the_trace() -> None:
    """The first request fails upstream; the second brings its message into the trace."""
    from toolwire.integrations.verifiers._dialects import DIALECTS
    from toolwire.integrations.verifiers._native import Exchange, current

    trace = new_trace()
    session = RolloutSession(ModelContext(model="m", client=EvalClientConfig(base_url="http://127.0.0.1:9")), trace)
    session.client = EvalClient.__new__(EvalClient)
    chat = DIALECTS[0]
    messages: list[dict[str, Any]] = []
    for text in ("secret", "more", "again"):
        messages.append({"role": "user", "content": text})
        exchange = Exchange(session, chat)
        token = current.set(exchange)
        try:
            received = exchange.receive(json.dumps({"model": "m", "messages": messages}).encode())
            assert received is not None
            request = chat.parse_request(chat.apply_overrides(received, "m", SamplingConfig()))
            assert request.messages[0].content == "secret"
            turn = graph.prepare_turn(trace, request.messages, request.tools)
            if text == "more":
                turn.commit_prompt()
                trace.nodes[0].message.content = "[redacted]"
        finally:
            current.reset(token)
    assert len(trace.nodes) == 2


def test_a_trace_that_is_changed_in_place_changes_no_later_request() -> None:
    from toolwire.integrations.verifiers._dialects import DIALECTS
    from toolwire.integrations.verifiers._native import Exchange

    context = ModelContext(model="m", client=EvalClientConfig(base_url="http://127.0.0.1:9"))
    session = RolloutSession(context, new_trace())
    session.client = EvalClient.__new__(EvalClient)
    chat = DIALECTS[0]
    body = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "secret"}]}]}

    def read(body: dict[str, Any]) -> Any:
        received = Exchange(session, chat).receive(json.dumps(body).encode())
        assert received is not None
        return chat.parse_request(chat.apply_overrides(received, "m", SamplingConfig()))

    first = read(copy.deepcopy(body))
    first.messages[0].content[0].text = "[redacted]"
    again = read({**body, "messages": [*body["messages"], {"role": "user", "content": "more"}]})
    assert again.messages[0] == UserMessage(content=[{"type": "text", "text": "secret"}])
