"""A real MCP server fails and works, and what it said of itself is followed to the providers.

Starts `mcp-server-time` (from PyPI) over stdio, calls one tool so that it fails and once so that it works, and shows
each form of both results. Run it with `pip install 'toolwire[examples]'` and `python examples/mcp_failure.py`.
"""

import asyncio
import json
import sys
from typing import Any

import toolwire
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

TOOL = "get_current_time"
CALLS = {"call_mars": {"timezone": "Mars/Olympus"}, "call_lisbon": {"timezone": "Europe/Lisbon"}}


async def call_the_server() -> dict[str, Any]:
    """The server's own answers, by call id."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "mcp_server_time", "--local-timezone", "UTC"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        return {id: await session.call_tool(TOOL, arguments) for id, arguments in CALLS.items()}


def show(title: str, *values: object) -> None:
    print(f"\n{title}")
    for value in values:
        print("  " + (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))


def main() -> None:
    print(f"Calling {TOOL} of a real MCP server twice; the first call must fail.", flush=True)
    results = asyncio.run(call_the_server())
    messages = [toolwire.ToolMessage.from_mcp(result, tool_call_id=id) for id, result in results.items()]
    show("The tool messages: what the server declared is a field", *(repr(message) for message in messages))
    show("Their identities", *(f"{message.identity}  is_error={message.is_error}" for message in messages))

    chat = toolwire.ChatDialect()
    marked = [chat.message_to_wire(message, include_internal=True) for message in messages]
    show("Marked chat messages, for the server on this machine only", *marked)

    calls = [
        {"id": id, "type": "function", "function": {"name": TOOL, "arguments": json.dumps(arguments)}}
        for id, arguments in CALLS.items()
    ]
    body = {
        "model": "some-model",
        "messages": [
            {"role": "user", "content": "What time is it on Mars, and in Lisbon?"},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *marked,
        ],
    }
    sealed = chat.seal(json.dumps(body).encode())
    show("The sealed request that a provider gets", *json.loads(sealed)["messages"])

    anthropic = toolwire.convert(body, source="chat", target="anthropic")
    show("The same conversation for Anthropic", *anthropic.body["messages"])
    show(
        "What this way cannot carry as it was",
        *(f"{loss.path}: {loss.code}: {loss.detail}" for loss in anthropic.losses),
    )


if __name__ == "__main__":
    main()
