"""Proof that the schemas are closed: an unknown key in any object of a good body must be refused."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from wire_oracle.schemas import SCHEMAS, RejectError

UNKNOWN = "x_private_outcome"

# Below these keys stands free JSON: an unknown key there is data.
OPAQUE = {
    "chat": {"parameters", "schema", "metadata", "reasoning_details"},
    "responses": {"parameters", "schema", "metadata", "headers"},
    "anthropic": {"input_schema", "input", "schema"},
    "gemini": {"args", "response", "parametersJsonSchema", "responseJsonSchema", "partMetadata", "labels"},
    "bedrock": {"json", "input", "additionalModelRequestFields", "requestMetadata", "promptVariables"},
    "mcp": {
        "_meta",
        "structuredContent",
        "inputSchema",
        "outputSchema",
        "input",
        "arguments",
        "requestedSchema",
        "inputRequests",
    },
}

Place = tuple[str | int, ...]


def closed_objects(dialect: str, node: Any, place: Place = ()) -> Iterator[Place]:
    """The place of every object that the wire's schema closes."""
    if isinstance(node, dict):
        yield place
        for key, value in node.items():
            if key not in OPAQUE[dialect] and not _is_open(key, place):
                yield from closed_objects(dialect, value, (*place, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from closed_objects(dialect, value, (*place, index))


def _is_open(key: str, place: Place) -> bool:
    """The error content of a hosted MCP call and the tools that a choice allows are typed as free objects."""
    last = place[-1] if place else None
    return (key == "content" and last == "error") or (key == "tools" and last in ("allowed_tools", "tool_choice"))


def with_unknown_key(body: dict[str, Any], place: Place) -> dict[str, Any]:
    body = copy.deepcopy(body)
    node: Any = body
    for step in place:
        node = node[step]
    node[UNKNOWN] = "failure"
    return body


def leaks(dialect: str, body: dict[str, Any]) -> tuple[int, list[str]]:
    """How many objects were probed, and where an unknown key was taken."""
    probed, holes = 0, []
    for place in closed_objects(dialect, body):
        probed += 1
        try:
            SCHEMAS[dialect](with_unknown_key(body, place))
        except RejectError:
            continue
        holes.append("$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place))
    return probed, holes
