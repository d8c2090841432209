"""What others are shown of a failed tool: the label for a model, a judge and a verifier, the marker for a program."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

from toolwire import ChatDialect
from toolwire.integrations.verifiers._body import MARKER
from toolwire.integrations.verifiers._late import when_imported
from toolwire.integrations.verifiers._seams import Seams, expect, place

PROBE = "heard"


def install(seams: Seams) -> None:
    """Has every view of a tool's message show that it failed.

    Training tokens and the messages of a judge get the label, and so do `Trace.transcript`, which judges read, and
    the response that NeMo Gym verifies. The messages that a program is started with get the marker.
    """
    chat, types = seams.module("verifiers.v1.dialects.chat"), seams.module("verifiers.v1.types")
    train, judge = seams.module("verifiers.v1.clients.train"), seams.module("verifiers.v1.judge")
    launch, trace_class = seams.module("verifiers.v1.harnesses.utils.launch"), seams.module("verifiers.v1.trace").Trace

    tool = types.ToolMessage(tool_call_id="call", content=PROBE, name="probe")
    to_wire = seams.look(chat, "message_to_wire", "message")
    parse = seams.look(chat, "parse_message", "raw")
    for module in (train, judge, launch):
        there = seams.look(module, "message_to_wire") is to_wire
        expect(there, place(module, "message_to_wire"), "the function of dialects.chat", "another")
    wire = _tried(lambda: to_wire(tool))
    right = wire == {"role": "tool", "tool_call_id": "call", "content": PROBE, "name": "probe"}
    expect(right, place(chat, "message_to_wire"), "a tool's message as the wire has it", "something else")
    typed = _tried(lambda: parse(wire))
    expect(typed == tool, place(chat, "parse_message"), "the tool's message again", "something else")
    transcript = seams.look(trace_class, "transcript")
    text = _tried(lambda: transcript.fget(SimpleNamespace(branches=[SimpleNamespace(messages=[tool])])))
    expect(PROBE in str(text), place(trace_class, "transcript"), "the last of `branches` as text", "something else")

    def message_to_wire(message: Any, *, include_internal: bool = False) -> dict[str, Any]:
        """A message as the chat wire has it. A failed result begins with the label; with `include_internal`, a
        declared outcome stands in the marker instead."""
        wire: dict[str, Any] = to_wire(message)
        outcome = getattr(message, "is_error", None) if message.role == "tool" else None
        if include_internal and outcome is not None:
            return {**wire, MARKER: outcome}
        return _labelled(wire) if outcome and not include_internal else wire

    def shown(message: Any) -> Any:
        return parse(message_to_wire(message)) if _failed(message) else message

    for module in (chat, train, judge):
        seams.replace(module, "message_to_wire", message_to_wire)
    seams.replace(launch, "message_to_wire", partial(message_to_wire, include_internal=True))
    labelled = property(lambda trace: transcript.fget(_view(trace, shown)), doc=transcript.__doc__)
    seams.replace(trace_class, "transcript", labelled)
    when_imported("verifiers.v1.tasksets.nemo_gym.taskset", lambda: _install_nemo_gym(seams, types, tool, shown), seams)


def _install_nemo_gym(seams: Seams, types: Any, tool: Any, shown: Callable[[Any], Any]) -> None:
    """What a resource server of NeMo Gym is given to verify. Its taskset costs half a second to import, for a server
    of MCP that few runs need: hence not before somebody else imports it."""
    package = "verifiers.v1.tasksets.nemo_gym"
    response, taskset = seams.module(f"{package}.response"), seams.module(f"{package}.taskset")
    name = "trace_to_nemo_response"
    convert = seams.look(response, name, "trace, responses_create_params, tool_names")
    there = seams.look(taskset, name) is convert
    expect(there, place(taskset, name), "the function of the module `response`", "another")
    call = types.AssistantMessage(tool_calls=[types.ToolCall(id="call", name="probe", arguments="{}")])
    nodes = [SimpleNamespace(message=message, sampled=message is call, timestamp=0.0) for message in (call, tool)]
    probe = SimpleNamespace(id="probe", branches=[SimpleNamespace(nodes=nodes)])
    output = _tried(lambda: convert(probe, {}, ())["output"][-1]["output"])
    expect(output == PROBE, place(response, name), "the last result of the one branch as output", "something else")

    def trace_to_nemo_response(trace: Any, responses_create_params: dict[str, Any], tool_names: Any) -> Any:
        return convert(_view(trace, shown), responses_create_params, tool_names)

    for module in (response, taskset):
        seams.replace(module, name, trace_to_nemo_response)


class _View:
    """A trace in all but its branches."""

    def __init__(self, trace: Any, branches: list[Any]) -> None:
        self._trace, self.branches = trace, branches

    def __getattr__(self, name: str) -> Any:
        return getattr(self._trace, name)


def _view(trace: Any, shown: Callable[[Any], Any]) -> Any:
    """The trace with the messages of its last branch as they are shown; the trace itself where nothing failed."""
    if not any(_failed(node.message) for node in trace.nodes):
        return trace
    *others, last = trace.branches
    nodes = [node.model_copy(update={"message": shown(node.message)}) for node in last.nodes]
    return _View(trace, [*others, last.model_copy(update={"nodes": nodes})])


def _failed(message: Any) -> bool:
    return message.role == "tool" and getattr(message, "is_error", None) is True


def _labelled(wire: dict[str, Any]) -> dict[str, Any]:
    sealed: dict[str, Any] = ChatDialect().seal({"messages": [{**wire, MARKER: True}]})["messages"][0]
    return sealed


def _tried(probe: Callable[[], Any]) -> Any:
    """What a probe gives; of one that fails, its error, which is never what was expected."""
    try:
        return probe()
    except Exception as error:
        return error
