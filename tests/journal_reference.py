"""The journal, format version 1, in plain Python: what a file holds, byte for byte. The table of its bytes stands in
`src/journal/mod.rs`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

import identity_reference

HEADER = b'{"toolwire":"journal","version":1,"identity":1}\n'


def line(members: Mapping[str, Any]) -> bytes:
    """Members with the sum behind them."""
    text = json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()
    digits = hashlib.sha256(text[:-1]).hexdigest()[:16]
    return text[:-1] + b',"sum":"' + digits.encode() + b'"}\n'


def members(n: int, node: Mapping[str, Any]) -> dict[str, Any]:
    """A node as its line has it, from its `message` and whatever else it has."""
    parent = node.get("parent")
    plain: dict[str, Any] = {"id": n, "parent": parent}
    if parent is None:
        plain["tools"] = node.get("tools", [])
    plain["identity"] = identity_reference.message_hash(node["message"])
    plain["sampled"] = node.get("sampled", False)
    plain["timestamp"] = node.get("timestamp", 0.0)
    plain["message"] = node["message"]
    if "metadata" in node:
        plain["metadata"] = node["metadata"]
    return plain


def journal(nodes: Iterable[Mapping[str, Any]]) -> bytes:
    return HEADER + b"".join(line(members(n, node)) for n, node in enumerate(nodes))
