"""A Bedrock body as the keyword arguments of boto3: where REST has base64 text, boto3 has bytes."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from toolwire._core import Rendered
from toolwire._errors import JsonError, ShapeError

_MEDIA = ("image", "document", "video", "audio")


def to_boto(body: Rendered | Mapping[str, Any] | bytes | str) -> dict[str, Any]:
    """The keyword arguments of ``client.converse`` and ``client.converse_stream`` for a Converse body.

    Changes the bytes of images, documents, videos and sound, and redacted reasoning, wherever content may hold
    them; everything else is the same object as in ``body``, which stays as it is. Bytes that are bytes already stay.

    Raises:
        ShapeError: the text of a blob is not base64, or the body is no object.
        JsonError: a text that is not JSON.
    """
    if isinstance(body, Rendered):
        body = body.body
    if isinstance(body, bytes | str):
        try:
            body = json.loads(body)
        except ValueError:
            raise JsonError("$: not JSON") from None
    if not isinstance(body, Mapping):
        raise ShapeError("$: expected an object")
    arguments = dict(body)
    if isinstance(system := body.get("system"), list | tuple):
        arguments["system"] = _blocks(system, "system")
    if isinstance(messages := body.get("messages"), list | tuple):
        arguments["messages"] = [_within(message, f"messages[{n}]") for n, message in enumerate(messages)]
    return arguments


def _within(holder: Any, path: str) -> Any:
    """A message or a tool result, with the blocks of its content."""
    if isinstance(holder, Mapping) and isinstance(content := holder.get("content"), list | tuple):
        return {**holder, "content": _blocks(content, f"{path}.content")}
    return holder


def _blocks(blocks: Sequence[Any], path: str) -> list[Any]:
    return [_block(block, f"{path}[{n}]") for n, block in enumerate(blocks)]


def _block(block: Any, path: str) -> Any:
    if not isinstance(block, Mapping):
        return block
    return {kind: _value(kind, value, f"{path}.{kind}") for kind, value in block.items()}


def _value(kind: str, value: Any, path: str) -> Any:
    if not isinstance(value, Mapping):
        return value
    if kind in _MEDIA and isinstance(source := value.get("source"), Mapping):
        return {**value, "source": _decoded(source, "bytes", f"{path}.source")}
    if kind == "reasoningContent":
        return _decoded(value, "redactedContent", path)
    if kind == "toolResult":
        return _within(value, path)
    # It holds a text or an image, as a block does.
    return _block(value, path) if kind == "guardContent" else value


def _decoded(holder: Mapping[str, Any], key: str, path: str) -> Mapping[str, Any]:
    if not isinstance(text := holder.get(key), str):
        return holder
    try:
        return {**holder, key: base64.b64decode(text, validate=True)}
    except ValueError:
        raise ShapeError(f"{path}.{key}: not base64") from None
