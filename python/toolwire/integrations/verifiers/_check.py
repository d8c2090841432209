"""What the framework does once everything is changed, tried on one result."""

from __future__ import annotations

import json
from typing import Any

from toolwire.integrations.verifiers._body import MARKER
from toolwire.integrations.verifiers._errors import HostError
from toolwire.integrations.verifiers._seams import Seams, expect

TEXT = "tried"


def install(seams: Seams) -> None:
    """Changes nothing. Raises `HostError` if an outcome is lost, or found where it should not be."""
    try:
        _try(seams)
    except HostError:
        raise
    except Exception as error:
        raise HostError(f"verifiers.v1: expected that a result passes, found {type(error).__name__}") from error


def _try(seams: Seams) -> None:
    types, graph = seams.module("verifiers.v1.types"), seams.module("verifiers.v1.graph")
    trace = seams.module("verifiers.v1.trace")
    server = seams.module("verifiers.v1.interception.server")
    failed, silent = (types.ToolMessage(tool_call_id="call", content=TEXT, **said) for said in ({"is_error": True}, {}))
    _is("ToolMessage", "the fields as before where nobody declared anything", "is_error" not in silent.model_dump())
    _is("message_hash", "another one for a failure", graph.message_hash(failed) != graph.message_hash(silent))

    node = graph.MessageNode(message=failed)
    data = seams.module("verifiers.v1.task").WireTaskData(idx=0, prompt=[failed])
    task = trace.TraceTask(type="Task", data=data)
    agent = trace.AgentInfo(config=seams.module("verifiers.v1.configs.agent").WireAgentConfig())
    record = trace.WireTrace(task=task, agent=agent, nodes=[node]).model_dump_json(exclude_none=True)
    again = trace.WireTrace.model_validate_json(record)
    kept = [again.nodes[0].message, again.task.data.prompt[0]]
    _is("WireTrace", "a trace that keeps the outcome", all(getattr(one, "is_error", None) is True for one in kept))

    chat = server.DIALECTS[0]
    result = {"role": "tool", "tool_call_id": "call", "content": TEXT, MARKER: True}
    body = chat.apply_overrides({"messages": [result]}, "model", types.SamplingConfig())
    _is("DIALECTS", "a typed message with the outcome", chat.parse_request(body).messages == [failed])
    _is("DIALECTS", "a body without the marker", MARKER not in json.dumps(body))


def _is(what: str, expected: str, holds: Any) -> None:
    expect(bool(holds), f"verifiers.v1.{what}", expected, "something else")
