"""What a turn costs in the interception server of verifiers, with the add-on and without it, in one run.

    python benches/server.py [--dialect chat] [--workload text,screenshots] [--turns 200] [--repeats 3]
                             [--json out.json]

The server is the framework's own, on loopback; program and provider are another process, which posts the bodies of
a rollout one after the other, each the whole conversation so far, and answers for the model. The handler is measured
as CPU time of the server's thread while it runs, less what it spends on HTTP: reading the request from the socket, and
the request to the provider. The rest is given by stage. The sides take turns; the garbage collector is off; each figure
is the median of the repeats, each ratio that of two medians.
"""

import argparse
import asyncio
import gc
import json
import multiprocessing
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from workloads import WIRES, Workload, screenshot_rollout, text_rollout

WORKLOADS: dict[str, Callable[..., Workload]] = {"text": text_rollout, "screenshots": screenshot_rollout}
ROUTES = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "anthropic": "/v1/messages"}

# In the order in which a request meets them; what is not among them is the framework's own, and counted as `rest`.
STAGES = {
    "from_json": "the body becomes objects, or is compared",
    "apply_overrides": "model and sampling, seal",
    "digest": "the key of a retry",
    "parse_request": "typed messages",
    "rewrite_request": "pinned results, hooks",
    "prepare_turn": "the known prefix",
    "to_json": "the provider's body",
    "parse_response": "the typed answer",
    "commit": "nodes of the trace",
    "record": "the record of the call",
}
HTTP = ("read", "request")

clock = time.thread_time
Times = dict[str, float]


class Stepped:
    """A coroutine whose own steps are measured, not the time in which it waits."""

    def __init__(self, coroutine: Any, times: Times, name: str) -> None:
        self.coroutine, self.times, self.name = coroutine, times, name

    def __await__(self) -> Generator[Any, Any, Any]:
        steps = self.coroutine.__await__()
        send: Callable[[], Any] = lambda: next(steps)  # noqa: E731
        while True:
            start = clock()
            try:
                waited = send()
            except StopIteration as stop:
                return stop.value
            finally:
                self.times[self.name] += clock() - start
            try:
                sent = yield waited
                send = lambda sent=sent: steps.send(sent)  # noqa: E731
            except BaseException as error:
                send = lambda error=error: steps.throw(error)  # noqa: E731


@contextmanager
def measured(times: Times) -> Generator[None]:
    """The stages, measured where the framework calls them."""
    from aiohttp import web
    from verifiers.v1 import graph
    from verifiers.v1.clients import eval as client
    from verifiers.v1.interception import server
    from verifiers.v1.session import RolloutSession

    undo: list[Callable[[], None]] = []

    def wrap(owner: Any, attribute: str, stage: str, is_async: bool = False) -> None:
        before = getattr(owner, attribute)

        async def stepped(*args: Any, **kwargs: Any) -> Any:
            return await Stepped(before(*args, **kwargs), times, stage)

        def timed(*args: Any, **kwargs: Any) -> Any:
            start = clock()
            try:
                return before(*args, **kwargs)
            finally:
                times[stage] += clock() - start

        own = attribute in vars(owner)
        setattr(owner, attribute, stepped if is_async else timed)
        undo.append(lambda: setattr(owner, attribute, before) if own else delattr(owner, attribute))

    wrap(server.InterceptionServer, "handle_request", "handler", is_async=True)
    wrap(web.Request, "read", "read", is_async=True)
    wrap(server, "from_json", "from_json")
    wrap(server, "_request_digest", "digest", is_async=True)
    wrap(RolloutSession, "rewrite_request", "rewrite_request", is_async=True)
    wrap(graph, "prepare_turn", "prepare_turn")
    wrap(graph.PendingTurn, "commit", "commit")
    wrap(server.InterceptionServer, "record_call", "record")
    wrap(client.EvalClient, "_request", "request", is_async=True)
    wrap(client, "to_json", "to_json")
    wrap(client, "from_json", "parse_response")
    for dialect in server.DIALECTS:
        wrap(dialect, "apply_overrides", "apply_overrides")
        wrap(dialect, "parse_request", "parse_request")
        wrap(dialect, "validate_response", "parse_response")
        wrap(dialect, "parse_response", "parse_response")
    try:
        yield
    finally:
        while undo:
            undo.pop()()


def peer(pipe: Connection, dialect: str, name: str, turns: int) -> None:
    """The other process: the provider, and the program that sends the bodies."""
    asyncio.run(serve_and_send(pipe, WORKLOADS[name](WIRES[dialect], turns), ROUTES[dialect]))


async def serve_and_send(pipe: Connection, workload: Workload, route: str) -> None:
    import aiohttp
    from aiohttp import web

    turn = 0
    received: dict[str, int] = defaultdict(int)

    async def answer(request: web.Request) -> web.Response:
        received["bytes"] += len(await request.read())
        return web.Response(body=workload.answers[turn], content_type="application/json")

    app = web.Application(client_max_size=1 << 30)
    app.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    pipe.send(runner.addresses[0][1])
    async with aiohttp.ClientSession() as http:
        while job := await asyncio.to_thread(pipe.recv):
            base, secret = job
            headers = {"Authorization": f"Bearer {secret}", "x-api-key": secret, "content-type": "application/json"}
            received.clear()
            for turn in range(workload.turns):
                async with http.post(base + route, data=workload.body(turn), headers=headers) as response:
                    text = await response.text()
                    assert response.status == 200, text[:400]
            pipe.send(received["bytes"])
    await runner.cleanup()


async def rollout(pipe: Connection, provider: str, turns: int) -> tuple[Times, int]:
    """One rollout through the framework's server: CPU seconds by stage, and what arrived at the provider."""
    import verifiers.v1 as vf
    from verifiers.v1.clients import EvalClientConfig, ModelContext
    from verifiers.v1.interception import InterceptionServer
    from verifiers.v1.session import RolloutSession

    trace: Any = vf.Trace(
        agent=vf.AgentInfo(config=vf.AgentConfig()),
        task=vf.TraceTask(type="Task", data=vf.TaskData(idx=0, prompt="go")),
    )
    client = EvalClientConfig(base_url=provider, api_key_var="NO_KEY")
    session = RolloutSession(ModelContext(model="the-model", client=client), trace)
    times: Times = defaultdict(float)
    with measured(times):
        async with InterceptionServer() as server, server.acquire(session) as (base, secret, _):
            await asyncio.to_thread(pipe.send, (base, secret))
            sent = await asyncio.to_thread(pipe.recv)
    assert trace.num_branches == 1
    assert trace.num_turns == turns
    times["request"] -= times["to_json"]
    times["handler"] -= times["read"] + times["request"]
    times["rest"] = times["handler"] - sum(times[stage] for stage in STAGES)
    return times, sent


def sides(dialect: str, name: str, turns: int, repeats: int) -> dict[str, list[Times]]:
    """The rollout with and without the add-on, one after the other, each `repeats` times."""
    import toolwire.integrations.verifiers as tv

    context = multiprocessing.get_context("spawn")
    pipe, other = context.Pipe()
    process = context.Process(target=peer, args=(other, dialect, name, turns), daemon=True)
    process.start()
    provider = f"http://127.0.0.1:{pipe.recv()}/v1"
    runs: dict[str, list[Times]] = {"without": [], "with": []}
    sizes = {}
    for _ in range(repeats + 1):
        for side in runs:
            if side == "with":
                tv.install()
            gc.collect()
            gc.disable()
            try:
                times, sizes[side] = asyncio.run(rollout(pipe, provider, turns))
            finally:
                gc.enable()
                tv.uninstall()
            runs[side].append(times)
    pipe.send(None)
    process.join()
    print(f"bytes at the provider: {sizes['without']:,} without, {sizes['with']:,} with")
    # The first round of each side imports and warms up.
    return {side: of_side[1:] for side, of_side in runs.items()}


def table(runs: dict[str, list[Times]], turns: int) -> dict[str, dict[str, float]]:
    rows = {}
    print(f"{'stage':<16}{'without':>10}{'with':>10}{'ratio':>8}   ms in {turns} turns")
    for stage in (*STAGES, "rest", "handler", *HTTP):
        without, with_it = (statistics.median(1e3 * times[stage] for times in runs[side]) for side in runs)
        rows[stage] = {"without": without, "with": with_it}
        ratio = f"{without / with_it:.1f}x" if with_it > 0.01 else ""
        print(f"{stage:<16}{without:>10.1f}{with_it:>10.1f}{ratio:>8}   {STAGES.get(stage, '')}")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialect", choices=WIRES, default="chat")
    parser.add_argument("--workload", default="text")
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    found = {}
    for name in args.workload.split(","):
        print(f"== {args.dialect}, {name}")
        found[name] = table(sides(args.dialect, name, args.turns, args.repeats), args.turns)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
