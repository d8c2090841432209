"""Which wire format a request body is written in, where nobody said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_ANTHROPIC_BLOCKS = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "image", "document"}
)
_ANTHROPIC_KEYS = ("system", "stop_sequences", "thinking", "mcp_servers", "output_config")
_BEDROCK_KEYS = (
    "modelId",
    "inferenceConfig",
    "toolConfig",
    "outputConfig",
    "guardrailConfig",
    "performanceConfig",
    "additionalModelRequestFields",
    "promptVariables",
)


def guess_dialect(body: dict[str, Any]) -> str:
    """The dialect of a request body, from the keys that only one of them has.

    Returns:
        ``"responses"``, ``"gemini"``, ``"bedrock"``, ``"anthropic"`` or ``"chat"``; a body that fits several reads the
        same in each of them as far as it has been looked at, and counts as ``"chat"``.

    Raises:
        ValueError: the body has none of ``messages``, ``input`` and ``contents``.
    """
    if "input" in body:
        return "responses"
    if "contents" in body:
        return "gemini"
    if "messages" not in body:
        raise ValueError("$: none of `messages`, `input` and `contents`: this is no request body")
    messages = _objects(body["messages"])
    if any(m.get("role") in ("tool", "developer") or m.get("tool_calls") for m in messages):
        return "chat"
    blocks = [*_objects(body.get("system")), *_blocks(messages)]
    # The kind of a block is the name of its one member there, and not the value of `type`.
    if any(key in body for key in _BEDROCK_KEYS) or any("type" not in block for block in blocks):
        return "bedrock"
    if any(key in body for key in _ANTHROPIC_KEYS):
        return "anthropic"
    if any("input_schema" in tool for tool in _objects(body.get("tools"))) or any(
        block.get("type") in _ANTHROPIC_BLOCKS for block in blocks
    ):
        return "anthropic"
    return "chat"


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _blocks(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in messages:
        yield from _objects(message.get("content"))
