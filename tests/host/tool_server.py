"""A server of MCP on loopback, with tools for every outcome, and calls that it loses on their way the first time."""

from __future__ import annotations

import json
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp import MCPError
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolResult, ImageContent, TextContent

TEXT = "record 42: status=closed"
PNG = "iVBORw0KGgo="


def _result(*content: Any, **said: Any) -> CallToolResult:
    return CallToolResult(content=list(content), **said)


def _tools() -> MCPServer:
    text = TextContent(type="text", text=TEXT)
    image = ImageContent(type="image", data=PNG, mime_type="image/png")
    server = MCPServer("tools")
    results = {
        "ok": _result(text),
        "err": _result(text, is_error=True),
        "ok_image": _result(text, image),
        "err_image": _result(text, image, is_error=True),
        "ok_empty": _result(),
        "err_empty": _result(is_error=True),
        "err_long": _result(TextContent(type="text", text="x" * 30_000), is_error=True),
        # What becomes of these calls is decided on the wire.
        **{name: _result(text) for name in ("silent", "unfinished", "unavailable", "unresponsive", "cut", "expired")},
    }
    for name, result in results.items():
        server.add_tool(_of(result), name=name, description=name)

    def boom(q: str = "") -> str:
        raise RuntimeError("backend exploded")

    def rpc_error(code: int, message: str) -> str:
        raise MCPError(code=code, message=message)

    server.add_tool(boom, name="boom", description="raises")
    server.add_tool(rpc_error, name="rpc_error", description="answers with a JSON-RPC error")
    return server


def _of(result: CallToolResult) -> Any:
    def tool() -> CallToolResult:
        return result

    tool.__annotations__ = {"return": CallToolResult}
    return tool


class Wire:
    """Between the client and the tools: counts the calls, and has them answered or lost as their name says."""

    def __init__(self, app: Any, legacy: bool) -> None:
        self.app = app
        self.legacy = legacy
        self.calls: Counter[str] = Counter()
        self.dead: set[bytes] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            event = await receive()
            body, more = body + event["body"], event.get("more_body", False)
        request = json.loads(body)
        session = dict(scope["headers"]).get(b"mcp-session-id", b"")
        answer = self.answer(request, session)
        if answer is None:
            events = iter([{"type": "http.request", "body": body}])

            async def replay() -> Any:
                return next(events, None) or await receive()

            await self.app(scope, replay, send)
            return
        status, kind, text, length = answer
        headers = [(b"content-type", kind), (b"content-length", str(length).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": text})

    def answer(self, request: Any, session: bytes) -> tuple[int, bytes, bytes, int] | None:
        def reply(status: int, **said: Any) -> tuple[int, bytes, bytes, int]:
            text = json.dumps({"jsonrpc": "2.0", "id": request.get("id"), **said}).encode()
            return status, b"application/json", text, len(text)

        if self.legacy and request["method"] == "server/discover":
            return reply(200, error={"code": -32601, "message": "Method not found"})
        name = request["params"].get("name", "") if request["method"] == "tools/call" else ""
        self.calls[name] += 1
        first = self.calls[name] == 1
        if name == "expired" and first:
            self.dead.add(session)
        if session and session in self.dead:
            return reply(400, error={"code": -32000, "message": "Bad Request: no valid session"})
        content = [{"type": "text", "text": TEXT}]
        if name == "silent":
            return reply(200, result={"content": content, "resultType": "complete"})
        if name == "unfinished":
            return reply(200, result={"content": content, "isError": True, "resultType": "started"})
        if name == "unavailable" and first:
            return 503, b"text/plain", b"", 0
        if name == "unresponsive" and first:
            return 200, b"text/event-stream", b": \n\n", 4
        if name == "cut" and first:
            return 200, b"application/json", b"{", 100
        return None


@contextmanager
def serving(*, legacy: bool) -> Iterator[tuple[str, Wire]]:
    """The server's address, and what it saw. `legacy`: with sessions, which newer versions of MCP do not have."""
    app = _tools().streamable_http_app(
        json_response=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    wire = Wire(app, legacy)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(wire, log_level="critical"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", wire
        finally:
            server.should_exit = True
            thread.join()
