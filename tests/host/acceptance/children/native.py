"""Posts requests of native clients at the framework's interception server, each case in a session of its own.

native.py CASES_FILE PROVIDER_URL

A case is {route, turns, restricted}; a turn is a list of bodies, as text, that are posted at once.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import aiohttp
import verifiers.v1 as vf
from shown import node
from verifiers.v1.clients import EvalClientConfig, ModelContext
from verifiers.v1.configs.runtime import NetworkPolicyConfig
from verifiers.v1.interception import InterceptionServer
from verifiers.v1.session import RolloutSession


async def posted(http: aiohttp.ClientSession, url: str, secret: str, body: str) -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {secret}", "x-api-key": secret, "Content-Type": "application/json"}
    async with http.post(url, data=body.encode(), headers=headers) as response:
        return response.status, await response.text()


async def main() -> None:
    cases = json.loads(Path(sys.argv[1]).read_text())
    client = EvalClientConfig(base_url=sys.argv[2], api_key_var="TOOLWIRE_TEST_KEY")
    context = ModelContext(model="scripted-model", client=client)
    report = {}
    async with InterceptionServer() as server, aiohttp.ClientSession() as http:
        for name, case in cases.items():
            trace = vf.Trace(
                agent=vf.AgentInfo(config=vf.AgentConfig()),
                task=vf.TraceTask(type="Task", data=vf.TaskData(idx=0, prompt="go")),
            )
            policy = NetworkPolicyConfig(allow=[]) if case["restricted"] else NetworkPolicyConfig()
            session = RolloutSession(context, trace, network_policy=policy)
            replies: list[tuple[int, str]] = []
            async with server.acquire(session) as (base, secret, _):
                for bodies in case["turns"]:
                    replies += await asyncio.gather(
                        *(posted(http, base + case["route"], secret, body) for body in bodies)
                    )
            report[name] = {
                "session": trace.id,
                "statuses": [status for status, _ in replies],
                "replies": [text for _, text in replies],
                "branches": trace.num_branches,
                "nodes": [node(n) for n in trace.nodes],
            }
    print(json.dumps(report))


asyncio.run(main())
