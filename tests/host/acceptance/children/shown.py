"""A node of a trace as plain JSON, for the tests to read."""

from __future__ import annotations

from typing import Any

from verifiers.v1 import graph


def node(saved: Any) -> dict[str, Any]:
    message = saved.message
    row = {"role": message.role, "hash": graph.message_hash(message), "parent": saved.parent}
    if message.role == "tool":
        content = message.content
        row["tool_call_id"] = message.tool_call_id
        row["content"] = content if isinstance(content, str) else [part.model_dump() for part in content]
        row["is_error"] = getattr(message, "is_error", None)
    return row
