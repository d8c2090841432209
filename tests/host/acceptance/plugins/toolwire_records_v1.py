"""A taskset of the framework: each task names a scenario, and its tools are those of a server that runs already."""

from __future__ import annotations

import verifiers.v1 as vf
from verifiers.v1.types import content_text


class RecordsToolset(vf.Toolset[vf.ToolsetConfig]):
    TOOL_PREFIX = "fx"


class RecordsTaskConfig(vf.TaskConfig):
    tools: vf.ToolsetConfig = vf.ToolsetConfig()
    rewrite: bool = False
    """Every tool result is rewritten before the model sees it."""
    deny: str = ""
    """Calls of this tool are refused, and nothing is said about their outcome."""
    deny_as_failed: str = ""
    """Calls of this tool are refused, and the refusal says that they failed, where a message can say so."""


class RecordsTask(vf.Task[vf.TaskData, vf.State, RecordsTaskConfig]):
    @classmethod
    def toolsets(cls, config: RecordsTaskConfig) -> list[vf.Toolset]:
        return [RecordsToolset(config.tools)]

    @vf.reward(weight=1.0)
    async def failures_seen(self, trace: vf.Trace) -> float:
        """Reads outcomes off a trace, as a reward does that wants them."""
        return float(sum(getattr(message, "is_error", None) is True for message in trace.tool_messages))


class PolicyTask(RecordsTask):
    """The same with a policy: the hook sees each request, and each call before it is made."""

    @vf.intercept
    def policy(self, request: vf.Request) -> vf.Request | None:
        message = request.messages[-1]
        if not isinstance(message, vf.ToolMessage):
            return None
        tool = (message.name or "").removeprefix("fx_")
        if tool in (self.config.deny, self.config.deny_as_failed):
            message.content = "blocked by policy"
            if tool == self.config.deny_as_failed and "is_error" in type(message).model_fields:
                message.is_error = True
            return request
        if self.config.rewrite and content_text(message.content):
            message.content = f"[redacted] {content_text(message.content)}"
            return request
        return None


class RecordsConfig(vf.TasksetConfig):
    task: RecordsTaskConfig = RecordsTaskConfig()
    scenarios: str = "seq"
    """Separated by commas; a task's prompt names its scenario, which selects the provider's script."""


class RecordsTaskset(vf.Taskset[RecordsTask, RecordsConfig]):
    def load(self) -> list[RecordsTask]:
        config = self.config.task
        task = PolicyTask if config.rewrite or config.deny or config.deny_as_failed else RecordsTask
        return [
            task(vf.TaskData(idx=index, prompt=f"scenario={name}; use the tools."), config)
            for index, name in enumerate(self.config.scenarios.split(","))
        ]


__all__ = ["RecordsTaskset"]
