"""From plain dicts to the package's classes and back, by role."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CLASSES = {
    "system": "SystemMessage",
    "developer": "SystemMessage",
    "user": "UserMessage",
    "assistant": "AssistantMessage",
    "tool": "ToolMessage",
}


def build(message: Mapping[str, Any]) -> Any:
    import toolwire

    return getattr(toolwire, CLASSES[message["role"]]).from_dict(dict(message))


def build_tool(tool: Mapping[str, Any]) -> Any:
    import toolwire

    return toolwire.Tool.from_dict(dict(tool))


def dump(message: Any) -> dict[str, Any]:
    plain = message.to_dict()
    assert isinstance(plain, dict)
    return plain
