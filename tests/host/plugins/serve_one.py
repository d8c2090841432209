"""Runs one task on an env server in a process of its own, with a pool of workers, and prints what the client has of it."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import sys


async def ask(address: str) -> list[bool | None]:
    from verifiers.v1.configs.client import EvalClientConfig
    from verifiers.v1.serve import EnvClient
    from verifiers.v1.types import SamplingConfig

    client = EnvClient(address)
    try:
        await client.wait_for_server_startup()
        episode = await client.run(
            client=EvalClientConfig(base_url="http://127.0.0.1:9"),
            model="none",
            sampling=SamplingConfig(),
            task_data={"idx": 0, "name": "failed", "prompt": "go"},
        )
    finally:
        await client.close()
    [trace] = episode.traces
    assert [node.message.role for node in trace.nodes] == ["user", "assistant", "tool"], trace.errors
    return [getattr(message, "is_error", None) for message in trace.tool_messages]


def main(of_the_server: str) -> None:
    from verifiers.v1.serve import env_config_data, serve_env
    from verifiers.v1.utils.loaders import resolve_env_config

    environment = {"taskset": {"id": "declared_v1"}, "agent": {"runtime": {"type": "subprocess"}}}
    config = env_config_data(resolve_env_config(environment))
    spawn = multiprocessing.get_context("spawn")
    addresses = spawn.Queue()
    os.environ["TOOLWIRE_VERIFIERS"] = of_the_server
    options = {"max_workers": 2, "address": "tcp://127.0.0.1:0", "address_queue": addresses, "config_data": config}
    server = spawn.Process(target=serve_env, kwargs=options)
    server.start()
    try:
        print(json.dumps(asyncio.run(ask(addresses.get(timeout=120)))))
    finally:
        server.terminate()
        server.join()


if __name__ == "__main__":
    main(sys.argv[1])
