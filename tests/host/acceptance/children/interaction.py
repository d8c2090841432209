"""Two user turns through the framework's agent: the second starts the harness program again, on the transcript.

interaction.py MCP_URL PROVIDER_URL HARNESS
"""

from __future__ import annotations

import asyncio
import json
import sys

import verifiers.v1 as vf
from shown import node
from toolwire_records_v1 import RecordsTask, RecordsTaskConfig


async def main() -> None:
    mcp_url, provider_url, harness = sys.argv[1:]
    config = vf.AgentConfig.model_validate(
        {
            "model": "scripted-model",
            "harness": {"id": harness},
            "runtime": {"type": "subprocess"},
            "client": {"type": "eval", "base_url": provider_url, "api_key_var": "TOOLWIRE_TEST_KEY"},
        }
    )
    task = RecordsTask(vf.TaskData(prompt=None), RecordsTaskConfig(tools={"url": mcp_url}))
    async with vf.make_agent(config) as agent, agent.interaction(task) as talk:
        turns = [await talk.turn("scenario=exchange first"), await talk.turn("second")]
        trace = talk.trace
    report = {
        "terminated": [turn.terminated for turn in turns],
        "errors": [f"{error.type}: {error.message[-300:]}" for error in trace.errors],
        "branches": trace.num_branches,
        "nodes": [node(n) for n in trace.nodes],
    }
    print(json.dumps(report))


asyncio.run(main())
