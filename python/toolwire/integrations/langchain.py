"""Tool messages of LangChain: <https://reference.langchain.com/python/langchain-core/messages/tool/ToolMessage>.

Nothing of LangChain is imported: an object is read by its attributes, a dump as it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolwire import ResultError, ShapeError, ToolMessage, UnsupportedError

__all__ = ["tool_message"]


def tool_message(message: Any) -> ToolMessage:
    """The tool message that a LangChain `ToolMessage` stands for.

    `message` is the object, its `model_dump`, or a dump inside `{"type": ..., "data": ...}` (`message_to_dict`) or
    `{"kwargs": ...}` (`dumpd`). `status="error"` is a failure. `status="success"` is a success where somebody said it.
    An object knows who did (`model_fields_set`). A dump counts as it stands, as the raw JSON of every wire does, though
    LangChain writes its default into each: where the difference between success and silence matters, pass the
    object. A bool `is_error` among the extra fields counts too, also against a `success`. `artifact`, which no model
    sees, is left out.

    Raises:
        ResultError: a status that is neither `success` nor `error`, an `is_error` that is no bool, or a failure by the
            one that is none by the other.
        ShapeError: not a tool message, or content of another shape.
        UnsupportedError: a content block that has no form here.
    """
    said = _said(message)
    if said.get("type", "tool") != "tool":
        raise ShapeError("type: expected tool")
    plain = {"role": "tool", "tool_call_id": said.get("tool_call_id"), "content": _content(said.get("content"))}
    plain |= {"name": said.get("name"), "is_error": _outcome(said)}
    return ToolMessage.from_dict({key: value for key, value in plain.items() if value is not None})


def _said(message: Any) -> dict[str, Any]:
    """The fields of the message, without a status that nobody set."""
    if isinstance(message, Mapping):
        if isinstance(data := message.get("data"), Mapping):
            return {"type": message.get("type"), **data}
        kwargs = message.get("kwargs")
        return dict(kwargs if isinstance(kwargs, Mapping) else message)
    given = getattr(message, "model_fields_set", None)
    if not hasattr(type(message), "model_dump") or not isinstance(given, set | frozenset):
        raise ShapeError(f"$: expected a tool message, not {type(message).__name__}")
    dump: dict[str, Any] = message.model_dump()
    if "status" not in given:
        dump.pop("status", None)
    return dump


def _outcome(said: Mapping[str, Any]) -> bool | None:
    status, is_error = said.get("status"), said.get("is_error")
    if status not in ("success", "error", None):
        raise ResultError("status: expected success or error")
    if not isinstance(is_error, bool | None):
        raise ResultError("is_error: expected true or false")
    if status == "error" and is_error is False:
        raise ResultError("is_error: contradicts the status")
    if is_error is not None:
        return is_error
    return None if status is None else status == "error"


def _content(content: Any) -> Any:
    if isinstance(content, list | tuple):
        return [_part(block, f"content[{n}]") for n, block in enumerate(content)]
    return content


def _part(block: Any, path: str) -> dict[str, Any]:
    if isinstance(block, str):
        return {"type": "text", "text": block}
    if not isinstance(block, Mapping):
        raise ShapeError(f"{path}: expected a string or an object")
    kind, media_type = block.get("type"), block.get("mime_type")
    data, url = block.get("base64", block.get("data")), block.get("url")
    if kind == "text":
        return {"type": "text", "text": block.get("text")}
    if kind == "image_url":
        image = block.get("image_url")
        return {"type": "image_url", "image_url": {"url": image} if isinstance(image, str) else image}
    if media_type is not None and not isinstance(media_type, str):
        raise ShapeError(f"{path}.mime_type: expected a string")
    if kind == "image" and (url or (data and media_type)):
        return {"type": "image_url", "image_url": {"url": url or f"data:{media_type};base64,{data}"}}
    if kind == "audio" and data and media_type:
        return {"type": "audio", "data": data, "media_type": media_type}
    if kind in ("file", "text-plain"):
        sources = {"data": data, "url": url, "file_id": block.get("file_id"), "text": block.get("text")}
        named = {"media_type": media_type, "filename": block.get("filename"), **sources}
        return {"type": "file", **{key: value for key, value in named.items() if value is not None}}
    raise UnsupportedError(f"{path}.type: a block that has no form here")
