"""An MCP server whose tools succeed, declare a failure, raise, or break the protocol, most of them with the same bytes.

python mcp_server.py PORT_FILE
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import uvicorn
from mcp import MCPError
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolResult, ImageContent, TextContent

RECORD = TextContent(type="text", text="record 42: status=closed")
PIXEL = ImageContent(
    type="image",
    data="iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAF/gL+Xw4AAAAASUVORK5CYII=",
    mime_type="image/png",
)

server = MCPServer("records")


@server.tool()
def ok(q: str) -> CallToolResult:
    """Looks a record up."""
    return CallToolResult(content=[RECORD])


@server.tool()
def err(q: str) -> CallToolResult:
    """Looks a record up, and says that it failed."""
    return CallToolResult(content=[RECORD], is_error=True)


@server.tool()
def boom(q: str) -> str:
    """Looks a record up, and raises."""
    raise RuntimeError("backend exploded")


@server.tool()
def ok_img(q: str) -> CallToolResult:
    """Looks a record up that holds an image."""
    return CallToolResult(content=[RECORD, PIXEL])


@server.tool()
def err_img(q: str) -> CallToolResult:
    """Looks a record up that holds an image, and says that it failed."""
    return CallToolResult(content=[RECORD, PIXEL], is_error=True)


@server.tool()
def ok_empty(q: str) -> CallToolResult:
    """Looks a record up that holds nothing."""
    return CallToolResult(content=[])


@server.tool()
def err_empty(q: str) -> CallToolResult:
    """Looks a record up that holds nothing, and says that it failed."""
    return CallToolResult(content=[], is_error=True)


@server.tool()
def rpc_err(q: str) -> str:
    """Answers with an error of the protocol, which is no tool result."""
    raise MCPError(code=-32000, message="protocol level failure")


def main() -> None:
    app = server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    listener = socket.create_server(("127.0.0.1", 0))
    port_file = Path(sys.argv[1])
    port_file.with_suffix(".new").write_text(str(listener.getsockname()[1]))
    port_file.with_suffix(".new").rename(port_file)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main()
