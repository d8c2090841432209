"""Conversations as the framework's own graph holds them."""

from __future__ import annotations

import json
from typing import Any

import verifiers.v1 as vf
from verifiers.v1.clients import EvalClientConfig
from verifiers.v1.configs.agent import WireAgentConfig
from verifiers.v1.graph import prepare_turn
from verifiers.v1.task import WireTaskData
from verifiers.v1.trace import AgentInfo, TraceTask, WireTrace
from verifiers.v1.types import Response, ToolCall


def empty_trace() -> Any:
    """A trace with no message in it."""
    return WireTrace(
        task=TraceTask(type="Task", data=WireTaskData(prompt="go on")),
        agent=AgentInfo(config=WireAgentConfig(model="m", client=EvalClientConfig())),
    )


def calls(*made: tuple[str, str], **arguments: Any) -> vf.AssistantMessage:
    """A model's calls, each an id and the name of a tool."""
    text = json.dumps(arguments)
    return vf.AssistantMessage(tool_calls=[ToolCall(id=id, name=name, arguments=text) for id, name in made])


def result(id: str, outcome: bool | None = None, content: Any = "text", name: str | None = None) -> vf.ToolMessage:
    """What a tool gave; declared only where an outcome is given."""
    declared = {} if outcome is None else {"is_error": outcome}
    return vf.ToolMessage(tool_call_id=id, content=content, name=name, **declared)


def commit(trace: Any, prompt: list[Any], answer: vf.AssistantMessage) -> None:
    """One turn: the program sends the prompt, the model answers."""
    response = Response(id="r", created=0, model="m", message=answer, finish_reason="stop")
    prepare_turn(trace, prompt, None).commit(response)


def play(trace: Any, *messages: Any) -> list[Any]:
    """The turns of a conversation in which the model says every message of the assistant; the conversation."""
    for place, message in enumerate(messages):
        if message.role == "assistant":
            commit(trace, list(messages[:place]), message)
    return list(messages)
