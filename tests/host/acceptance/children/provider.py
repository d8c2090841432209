"""A model provider with a script instead of a model: it speaks three wires, streams them, and records every request.

python provider.py PORT_FILE SCRIPT_FILE RECORDS_FOLDER

The script maps a scenario to steps. A request that says `scenario=NAME` anywhere is served the step whose number is that of
the assistant turns in it, so nothing is remembered between requests; a step that says `"together": n` is served when n
requests wait for it. Each client has an address of its own, /NAME/v1, and its requests are the lines of NAME.jsonl.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import answers
from aiohttp import web

WIRES: dict[str, Callable[[answers.Json], answers.Wire]] = {
    "/v1/chat/completions": answers.Chat,
    "/v1/messages": answers.Anthropic,
    "/v1/responses": answers.Responses,
}
COUNT_TOKENS = "/v1/messages/count_tokens"
PATIENCE = 60


class Provider:
    def __init__(self, script: dict[str, list[dict[str, Any]]], records: Path) -> None:
        self.script = script
        self.records = records
        self.barriers: dict[tuple[str, str], asyncio.Barrier] = {}
        self.numbers: defaultdict[str, int] = defaultdict(int)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        client, route = request.match_info["client"], request.path.removeprefix(f"/{request.match_info['client']}")
        raw = await request.text()
        self.record(client, route, request.headers.get("X-Session-ID", ""), raw)
        body = json.loads(raw)
        wire = WIRES[route](body)
        named = re.search(r"scenario=(\w+)", raw)
        scenario = named[1] if named and named[1] in self.script else "default"
        steps = self.script[scenario]
        step = steps[min(wire.turns, len(steps) - 1)]
        if "together" in step:
            barrier = self.barriers.setdefault((client, scenario), asyncio.Barrier(step["together"]))
            await asyncio.wait_for(barrier.wait(), PATIENCE)
        if not body.get("stream"):
            return web.json_response(wire.whole(step))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in wire.events(step):
            await response.write(event)
        await response.write_eof()
        return response

    async def count_tokens(self, request: web.Request) -> web.Response:
        client = request.match_info["client"]
        self.record(client, COUNT_TOKENS, request.headers.get("X-Session-ID", ""), await request.text())
        return web.json_response({"input_tokens": 10})

    async def models(self, request: web.Request) -> web.Response:
        model = {"id": answers.MODEL, "object": "model", "created": 0, "owned_by": "nobody"}
        return web.json_response({"object": "list", "data": [model]})

    def record(self, client: str, route: str, session: str, raw: str) -> None:
        row = {"number": self.numbers[client], "route": route, "session": session, "raw": raw}
        self.numbers[client] += 1
        with (self.records / f"{client}.jsonl").open("a") as lines:
            lines.write(json.dumps(row) + "\n")


async def main() -> None:
    port_file, script_file, records = map(Path, sys.argv[1:])
    provider = Provider(json.loads(script_file.read_text()), records)
    app = web.Application(client_max_size=1 << 30)
    for route in WIRES:
        app.router.add_post("/{client}" + route, provider.answer)
    app.router.add_post("/{client}" + COUNT_TOKENS, provider.count_tokens)
    app.router.add_get("/{client}/v1/models", provider.models)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port_file.with_suffix(".new").write_text(str(runner.addresses[0][1]))
    port_file.with_suffix(".new").rename(port_file)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
