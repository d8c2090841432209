"""The framework's server, sessions and clients: what of them is changed, and by what."""

from __future__ import annotations

import gc
from typing import Any

from toolwire._errors import ToolwireError
from toolwire.integrations.verifiers._body import MARKER, PUBLIC, Body, Spliced
from toolwire.integrations.verifiers._dialects import BASES, DIALECTS, Declared
from toolwire.integrations.verifiers._native import Exchange, current
from toolwire.integrations.verifiers._seams import Seams, expect, place

# What a request goes through, in this order; the names as the framework's handler uses them.
_HANDLING = (
    *("sessions", "secret", "read", "from_json", "apply_overrides", "streaming", "_request_digest", "parse_request"),
    *("rewrite_request", "prepare_turn", "mediate_capabilities"),
)


def install(seams: Seams) -> None:
    """Changes the interception server, its sessions and the client that relays."""
    server = seams.module("verifiers.v1.interception.server")
    _dialects(seams, server)
    _serving(seams, server)
    _relaying(seams, server)
    _sessions(seams)


def _dialects(seams: Seams, server: Any) -> None:
    there = seams.look(server, "DIALECTS")
    expect(
        tuple(map(type, there)) == BASES,
        place(server, "DIALECTS"),
        "one each of " + ", ".join(base.__name__ for base in BASES),
        ", ".join(type(dialect).__name__ for dialect in there),
    )
    for dialect in BASES:
        seams.look(dialect, "apply_overrides", "self, body, model, sampling")
        seams.look(dialect, "parse_request", "self, body")
        seams.look(dialect, "parse_sampling", "self, body")
        seams.look(dialect, "rewrite_request", "self, body, before, after")
        seams.look(dialect, "mediate_external_capabilities", "self, body, policy")
    seams.replace(server, "DIALECTS", DIALECTS)


def _serving(seams: Seams, server: Any) -> None:
    cls = seams.look(server, "InterceptionServer")
    handle = seams.look(cls, "handle_request", "self, request, dialect")
    read = seams.look(server, "from_json")
    used = [name for name in handle.__code__.co_names if name in _HANDLING]
    expect(
        used == list(_HANDLING),
        place(cls, "handle_request"),
        "the steps " + ", ".join(_HANDLING),
        ", ".join(used),
    )

    async def handle_request(self: Any, request: Any, dialect: Any) -> Any:
        session = self.sessions.get(dialect.secret(request.headers))
        served = session is not None and isinstance(dialect, Declared)
        exchange = Exchange(session, dialect) if served else None
        token = current.set(exchange)
        try:
            return await handle(self, request, dialect)
        finally:
            current.reset(token)
            if exchange is not None:
                exchange.close()

    def from_json(data: Any, *args: Any, **kwargs: Any) -> Any:
        exchange = current.get()
        received = exchange.receive(data) if exchange is not None else None
        return read(data, *args, **kwargs) if received is None else received

    seams.replace(cls, "handle_request", handle_request)
    seams.replace(server, "from_json", from_json)


def _relaying(seams: Seams, server: Any) -> None:
    cls = seams.look(server, "InterceptionServer")
    mediate = seams.look(cls, "mediate_capabilities", "self, session, dialect, body")
    client = seams.module("verifiers.v1.clients.eval")
    write = seams.look(client, "to_json")
    request = seams.look(client.EvalClient, "_request", "self, url, body, headers, *, stream")
    expect(
        "to_json" in request.__code__.co_names,
        place(client.EvalClient, "_request"),
        "that it writes the body with to_json",
        "other names",
    )

    def mediate_capabilities(self: Any, session: Any, dialect: Any, body: Any) -> Any:
        body, paths = mediate(self, session, dialect, body)
        if isinstance(dialect, Declared) and not isinstance(body, Body):
            # A side request, which no reader of the dialect has seen.
            body = dialect.sealed(body)
        if isinstance(body, Body) and body.refused is not None:
            raise body.refused
        return body, paths

    def to_json(body: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(body, Spliced) and body.upstream is not None:
            try:
                return body.upstream()
            except ToolwireError:
                body.fill()  # a sampling that is no JSON, for which the framework has a spelling
        return write(body, *args, **kwargs)

    def fill_all() -> None:
        # A request in flight is written by the framework's own function from here on.
        for found in gc.get_objects():
            if type(found) is Spliced:
                found.fill()

    seams.replace(cls, "mediate_capabilities", mediate_capabilities)
    seams.replace(client, "to_json", to_json)
    seams.undo_with(fill_all)


def _sessions(seams: Seams) -> None:
    cls = seams.look(seams.module("verifiers.v1.session"), "RolloutSession")
    rewrite = seams.look(cls, "rewrite_request", "self, request, *, run_stops")
    decide = seams.look(cls, "decide_tool", "self, tool_call_id, name, arguments")

    async def rewrite_request(self: Any, request: Any, *, run_stops: bool = True) -> Any:
        hooks = self.request_interceptors or (run_stops and self.request_stops)
        if not hooks and not self.pinned_tool_results:
            # The framework comes to the same result after it has hashed the whole conversation twice.
            return request, [], None
        return await rewrite(self, request, run_stops=run_stops)

    async def decide_tool(self: Any, tool_call_id: str, name: str | None = None, arguments: object = None) -> Any:
        decision = await decide(self, tool_call_id, name, arguments)
        message = decision.get("message")
        if isinstance(message, dict) and PUBLIC in message:
            # The program puts it into its conversation as it is.
            message[MARKER] = message.pop(PUBLIC)
        return decision

    seams.replace(cls, "rewrite_request", rewrite_request)
    seams.replace(cls, "decide_tool", decide_tool)
