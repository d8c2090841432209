"""Metrics over outcomes in the framework's own style: functions to plug or to call, and a mixin for `Task` classes."""

# The framework has no types where it is not installed.
# mypy: disallow-untyped-decorators=false

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf

from toolwire.integrations.verifiers._outcomes import outcomes

# The framework records a number under the function's name, and of a mapping exactly what it holds: an empty one leaves
# the metric out, where 0 would say that something was measured.
Metric = float | dict[str, float]


async def tool_results(trace: Any) -> float:
    """How many tool results the trace holds."""
    return float(outcomes(trace).results)


async def tool_failures(trace: Any) -> float:
    """How many of them were declared failures."""
    return float(outcomes(trace).failure)


async def tool_failure_rate(trace: Any) -> Metric:
    """Failures by declared results, from 0 to 1; left out if nothing was declared."""
    rate = outcomes(trace).failure_rate
    return {} if rate is None else {"tool_failure_rate": rate}


async def all_tools_failed(trace: Any) -> float:
    """1 if there was a result and every one was a declared failure, which a trainer may mask; else 0."""
    return float(outcomes(trace).all_failed)


async def recovered_after_failure(trace: Any) -> Metric:
    """1 if a declared success stands behind the last failure, else 0; left out if nothing failed."""
    recovered = outcomes(trace).recovered
    return {} if recovered is None else {"recovered_after_failure": float(recovered)}


class OutcomeMetrics:
    """All of these as metrics of a task: `class MyTask(OutcomeMetrics, vf.Task[...])`. A method of the task with the
    same name takes the place of one."""

    @vf.metric
    async def tool_results(self, trace: vf.Trace) -> float:
        return await tool_results(trace)

    @vf.metric
    async def tool_failures(self, trace: vf.Trace) -> float:
        return await tool_failures(trace)

    @vf.metric
    async def tool_failure_rate(self, trace: vf.Trace) -> Metric:
        return await tool_failure_rate(trace)

    @vf.metric
    async def all_tools_failed(self, trace: vf.Trace) -> float:
        return await all_tools_failed(trace)

    @vf.metric
    async def recovered_after_failure(self, trace: vf.Trace) -> Metric:
        return await recovered_after_failure(trace)
