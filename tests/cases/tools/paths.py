"""How an assertion finds values: the path language, and the visible text of a content value.

a.b[0].c[-1]     keys and indexes
[*]              every element of a list, every value of an object
[?k==v]          elements (or the value itself, if it is an object) whose key k equals v
(empty)          the whole view
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

TOKEN = re.compile(
    r"\[\?(?P<key>[A-Za-z_]\w*)==(?P<value>[^\]]*)\]|\[(?P<index>-?\d+)\]|(?P<all>\[\*\])|(?P<name>[^.\[\]]+)|\."
)
MEDIA = {"image", "document", "video", "audio", "image_url"}


def resolve(root: Any, path: str) -> list[Any]:
    found, at = [root], 0
    while at < len(path):
        token = TOKEN.match(path, at)
        if token is None:
            raise ValueError(f"bad path {path!r} at {at}")
        at = token.end()
        if token.group() != ".":
            found = [inner for value in found for inner in _step(value, token)]
    return found


def _step(value: Any, token: re.Match[str]) -> list[Any]:
    if token["key"] is not None:
        pool = value if isinstance(value, list) else [value]
        want = _literal(token["value"])
        return [v for v in pool if isinstance(v, dict) and token["key"] in v and v[token["key"]] == want]
    if token["index"] is not None:
        index = int(token["index"])
        return [value[index]] if isinstance(value, list) and -len(value) <= index < len(value) else []
    if token["all"] is not None:
        return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [value[token["name"]]] if isinstance(value, dict) and token["name"] in value else []


def _literal(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def visible_text(value: Any) -> str:
    """All text of a content value that a model sees, in order, joined with nothing."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(visible_text, value))
    return _object_text(value) if isinstance(value, dict) else ""


def _object_text(value: dict[str, Any]) -> str:
    if isinstance(value.get("text"), str):
        return str(value["text"])
    if "json" in value and len(value) == 1:
        return spell(value["json"])
    if "content" in value:
        return visible_text(value["content"])
    for key in ("output", "error"):
        if key in value and len(value) <= 2:
            inner = value[key]
            return visible_text(inner) if isinstance(inner, (str, list)) else spell(inner)
    return "" if "type" in value or MEDIA & set(value) else spell(value)


def spell(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def walk(value: Any) -> Iterator[Any]:
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for member in inner:
        yield from walk(member)
