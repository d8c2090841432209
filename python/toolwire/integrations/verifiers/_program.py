"""Source text that `_programs` puts into the framework's harness programs, behind their `call_mcp` and
`bound_tool_message`, whose names it takes over; toolwire is not there where they run, so only what they declare is
imported."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Stands above this text in every program.
    from verifiers.v1.harnesses.utils.mcp import mcp_content_to_chat_content

OUTCOME_MARKER = "_vf_is_error"

# Codes that speak of the message or of the connection, whoever sends them: unreadable; no request here, which is also
# how an unknown session is refused; no answer in time, for other SDKs an unknown session; headers or a version of
# another session.
UNDELIVERED = (-32700, -32600, -32001, -32020, -32022)

# What the client of MCP itself puts in the place of an answer that did not come, with codes that servers use as well.
UNANSWERED = (
    (-32000, "Connection closed"),
    (-32000, "SSE stream ended without a response"),
    (-32000, "SSE stream ended and reconnection attempts were exhausted"),
    (-32601, "Not Found"),
    (-32603, "Server returned an error response"),
)


class DeclaredText(str):
    """The text of a tool that declared an outcome."""

    is_error: bool


class DeclaredParts(list[Any]):
    """The parts of a tool that declared an outcome."""

    is_error: bool


def declare(content: Any, is_error: bool) -> Any:
    """The same content, text or parts, with its outcome."""
    declared = DeclaredText(content) if isinstance(content, str) else DeclaredParts(content)
    declared.is_error = is_error
    return declared


def declared_failure(text: str) -> Any:
    """What the program answers where it knows that a call failed."""
    return declare(text, True)


def with_marker(message: dict[str, Any]) -> dict[str, Any]:
    """The tool message with plain content and the declared outcome in the marker. A marker that is there stays; where
    nobody declared anything, there is none."""
    message = dict(message)
    content = message.get("content")
    # The public name is how a server would say it that does not know the marker.
    outcome = getattr(content, "is_error", message.pop("is_error", None))
    if isinstance(content, (DeclaredText, DeclaredParts)):
        message["content"] = str(content) if isinstance(content, str) else list(content)
    if isinstance(outcome, bool):
        message.setdefault(OUTCOME_MARKER, outcome)
    return message


_bounded_before = globals().get("bound_tool_message", dict)


def bound_tool_message(message: dict[str, Any]) -> dict[str, Any]:
    """Reads the outcome before the content is cut, which would lose it."""
    bounded: dict[str, Any] = _bounded_before(with_marker(message))
    return bounded


async def was_answered(client: Any, error: Any) -> bool:
    """Whether an error is the server's answer to the call. It is not where the call was not delivered or no answer
    came, and not where the session is gone, which servers say in words of their own: a session that lives still lists
    its tools, as it did when it was opened. In doubt it is no answer: the connection is renewed, the call repeated."""
    if error.code in UNDELIVERED or (error.code, error.message) in UNANSWERED:
        return False
    try:
        await client.list_tools(cache_mode="bypass")
    except Exception:
        return False
    return True


async def call_mcp(servers: Any, dispatch: Any, name: str, arguments: dict[str, Any]) -> Any:
    """Calls a tool; the content says what the server declared: `isError` where it was sent, and a failure where the
    answer is a JSON-RPC error."""
    from mcp import MCPError

    server, tool = dispatch[name]

    async def call(client: Any) -> Any:
        try:
            return await client.call_tool(tool, arguments)
        except MCPError as error:
            if not await was_answered(client, error):
                raise
            return declared_failure(f"error: JSON-RPC error {error.code}: {error.message}")

    result = await servers[server].run(call)
    if isinstance(result, DeclaredText):
        return result
    content = mcp_content_to_chat_content(result.content)
    # The attribute alone says nothing: it reads False where the server left it out.
    if result.result_type != "complete" or "is_error" not in result.model_fields_set:
        return content
    return declare(content, result.is_error)
