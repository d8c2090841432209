"""A taskset and its harness: the rollout is one tool result that declares what the task's name says."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf
from verifiers.v1.graph import MessageNode
from verifiers.v1.harness import Harness
from verifiers.v1.runtimes import ProgramResult
from verifiers.v1.types import AssistantMessage, ToolCall, ToolMessage, UserMessage


class DeclaredTask(vf.Task[vf.TaskData, vf.State, vf.TaskConfig]):
    @vf.metric
    async def failures(self, trace: vf.Trace) -> float:
        return float(sum(getattr(message, "is_error", None) is True for message in trace.tool_messages))


class DeclaredTaskset(vf.Taskset[DeclaredTask, vf.TasksetConfig]):
    def load(self) -> list[DeclaredTask]:
        return [DeclaredTask(vf.TaskData(idx=0, name="failed", prompt="go"), self.config.task)]


class DeclaredHarnessConfig(vf.HarnessConfig):
    pass


class DeclaredHarness(Harness[DeclaredHarnessConfig]):
    NEEDS_CONTAINER = False
    EXECUTES_CODE = False

    async def launch(self, ctx: Any, trace: Any, runtime: Any, *_addresses: Any, data: Any = None) -> ProgramResult:
        messages = [
            UserMessage(content="go"),
            AssistantMessage(tool_calls=[ToolCall(id="c", name="probe", arguments="{}")]),
            ToolMessage.model_validate(
                {"role": "tool", "tool_call_id": "c", "content": "x", "is_error": trace.task.data.name == "failed"}
            ),
        ]
        for message in messages:
            trace.nodes.append(MessageNode(message=message, parent=len(trace.nodes) - 1 if trace.nodes else None))
        trace.notify()
        return ProgramResult(0, "", "")


__all__ = ["DeclaredHarness", "DeclaredTaskset"]
