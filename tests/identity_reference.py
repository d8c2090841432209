"""Identity v1 in plain Python: the rule as a table of bytes, over messages in their `to_dict` spelling.

The Rust core and this file must agree byte for byte; `tests/vectors/identity.json`, which this file writes,
holds both to it. A change to any byte below is a new version of the rule.

    python tests/identity_reference.py --write      writes the vectors anew
    python tests/identity_reference.py --check      exit status 1 if the written vectors are not current

`add(s)` feeds the length of the UTF-8 bytes of `s` as 8 bytes, big-endian, and then these bytes. Everything
goes into one SHA-256; an identity is its lower-case hex digest.

    message     add "toolwire.message.v1"
                add role                         system (developer too), user, assistant, tool
    content     text or none   add "text", add the text or ""
                a list         add "parts", add the number of parts in decimal, then of each part:
                  text         add "text", add the text
                  image_url    add "image_url", add the URL                       (`detail` is left out)
                  others       add the type, add the canonical JSON of the part   (`extra` is left out)
    assistant   add "reasoning", add it          only if there is reasoning_content; "" counts
                of each provider_state item that is hashed (see `state`):
                               add "state", add its kind, add the canonical JSON of what is hashed
                of each tool call:
                               add "call", add type, add id, add name, add namespace or "",
                               add arguments     custom: as they stand; function: canonical JSON, or as they
                                                 stand where they are no strict JSON (`canonical_arguments`)
    tool        add "tool_call_id", add the id
                add "is_error"                   only if is_error is true

    tools       add "toolwire.tools.v1", add the number of tools in decimal, then of each tool:
                add the canonical JSON of {type, name, namespace?, description or "", parameters or {},
                strict?, format?, extra?}        ?: only if present; extra: only of a tool that is neither
                                                 function nor custom

    prefixes    previous = the digest of: add "toolwire.prefix.v1"
                of each message: previous = SHA-256(previous 32 bytes, 32 bytes of the message's identity)

    canonical JSON   no white space; keys sorted by code point; strings with the shortest escapes:
                `\\"` `\\\\` `\\n` `\\r` `\\t` `\\f` `\\b`, other control characters `\\u00xx`, nothing else;
                an integer literal keeps its digits, `-0` is `0`; a literal with `.`, `e` or `E` is read as a
                double and written the ECMAScript way
    text        two surrogates that make a pair are one character, and a lone one reads as U+FFFD: everywhere,
                and before anything else is looked at
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

MAX_DEPTH = 512
VECTORS = Path(__file__).parent / "vectors" / "identity.json"

PROVIDER_FIELDS = ("encrypted_content", "signature", "data", "phase")
SPOKEN_PARTS = ("input_text", "output_text")


class Number(NamedTuple):
    """A number literal as it was written."""

    literal: str


class Fields:
    """A SHA-256 over length-prefixed fields."""

    def __init__(self, domain: str) -> None:
        self._sha = hashlib.sha256()
        self.add(domain)

    def add(self, text: str) -> None:
        data = clean(text).encode()
        self._sha.update(len(data).to_bytes(8, "big"))
        self._sha.update(data)

    def digest(self) -> bytes:
        return self._sha.digest()


def clean(text: str) -> str:
    paired = re.sub("([\ud800-\udbff])([\udc00-\udfff])", lambda pair: _join(*pair.groups()), text)
    return re.sub("[\ud800-\udfff]", "\ufffd", paired)


def _join(high: str, low: str) -> str:
    return chr(0x10000 + ((ord(high) - 0xD800) << 10) + ord(low) - 0xDC00)


# Canonical JSON


def ecmascript(double: float) -> str:
    """`Number.prototype.toString` of a finite double; `repr` has the same digits, spelled differently."""
    if double == 0:
        return "0"
    mantissa, _, exponent = repr(abs(double)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        text = digits + "0" * (point - count)
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        tail = f".{digits[1:]}" if count > 1 else ""
        text = f"{digits[0]}{tail}e{point - 1:+d}"
    return f"-{text}" if double < 0 else text


def canonical_number(literal: str) -> str | None:
    """None where no double can hold the number."""
    if not re.search("[.eE]", literal):
        return "0" if literal == "-0" else literal
    double = float(literal)
    return ecmascript(double) if math.isfinite(double) else None


def canonical(value: Any) -> str:
    out: list[str] = []
    _put(value, out)
    return "".join(out)


def _put(value: Any, out: list[str]) -> None:
    """One frame for each level of nesting, so that 512 of them fit into Python's stack."""
    if isinstance(value, str):
        out.append(_string(value))
    elif isinstance(value, Mapping):
        out.append("{")
        members = sorted(((clean(key), member) for key, member in value.items()), key=lambda member: member[0])
        for n, (key, member) in enumerate(members):
            out.append(("," if n else "") + _string(key) + ":")
            _put(member, out)
        out.append("}")
    elif isinstance(value, list):
        out.append("[")
        for n, item in enumerate(value):
            out.append("," if n else "")
            _put(item, out)
        out.append("]")
    else:
        out.append(_scalar(value))


def _string(text: str) -> str:
    return json.dumps(clean(text), ensure_ascii=False)


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not a JSON number")
    spelled = canonical_number(value.literal if isinstance(value, Number) else repr(value))
    if spelled is None:
        raise ValueError("a number that no double can hold")
    return spelled


def depth(text: str) -> int:
    """How deep arrays and objects nest in a JSON text; of text that is no JSON it says nothing useful."""
    deepest = level = 0
    for bracket in re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text, flags=re.DOTALL)):
        level += 1 if bracket in "[{" else -1
        deepest = max(deepest, level)
    return deepest


def parse(text: str) -> Any:
    """RFC 8259, each key of an object once; a ValueError where it is anything else."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = {clean(key): value for key, value in pairs}
        if len(members) < len(pairs):
            raise ValueError("an object repeats a key")
        return members

    def refuse(word: str) -> Any:
        raise ValueError(f"{word} is not JSON")

    if depth(text) > MAX_DEPTH:
        raise ValueError("nested too deep")
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse, object_pairs_hook=once)


def canonical_arguments(text: str) -> str | None:
    """None where the text counts as it stands: it is not JSON by RFC 8259, repeats a key in an object, holds
    a number that no double can, or nests deeper than 512 levels."""
    try:
        return canonical(parse(clean(text)))
    except ValueError:
        return None


# Messages


def identity(message: Mapping[str, Any]) -> bytes:
    fields = Fields("toolwire.message.v1")
    role = "system" if message["role"] == "developer" else message["role"]
    fields.add(role)
    _add_content(fields, message.get("content"))
    if role == "assistant":
        _add_turn(fields, message)
    elif role == "tool":
        fields.add("tool_call_id")
        fields.add(message["tool_call_id"])
        if message.get("is_error") is True:
            fields.add("is_error")
    return fields.digest()


def message_hash(message: Mapping[str, Any]) -> str:
    return identity(message).hex()


def _add_content(fields: Fields, content: Any) -> None:
    if not isinstance(content, list):
        fields.add("text")
        fields.add(content or "")
        return
    fields.add("parts")
    fields.add(str(len(content)))
    for part in content:
        fields.add(part["type"])
        if part["type"] == "text":
            fields.add(part["text"])
        elif part["type"] == "image_url":
            fields.add(part["image_url"]["url"])
        else:
            fields.add(canonical(_present(part, leave=("extra",))))


def _present(mapping: Mapping[str, Any], leave: Iterable[str] = ()) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if value is not None and key not in leave}


def _add_turn(fields: Fields, message: Mapping[str, Any]) -> None:
    if message.get("reasoning_content") is not None:
        fields.add("reasoning")
        fields.add(message["reasoning_content"])
    calls = message.get("tool_calls") or []
    for item in message.get("provider_state") or []:
        hashed = state(item, [call["id"] for call in calls])
        if hashed is not None:
            fields.add("state")
            fields.add(hashed[0])
            fields.add(canonical(hashed[1]))
    for call in calls:
        kind, arguments = call.get("type") or "function", call["arguments"]
        spelled = canonical_arguments(arguments) if kind == "function" else None
        fields.add("call")
        for text in (kind, call["id"], call["name"], call.get("namespace") or ""):
            fields.add(text)
        fields.add(arguments if spelled is None else spelled)


def state(item: Mapping[str, Any], call_ids: Sequence[str]) -> tuple[str, Mapping[str, Any]] | None:
    """The kind of a provider-state item and what of it is hashed; None where nothing is.

    Represented are messages, reasoning, and calls whose id is among the typed calls; of these only the fields
    that a provider needs back count: the four of `PROVIDER_FIELDS` that are not null, and of a message the
    content parts that are not plain text. Of any other item everything counts. A bare assistant message (its
    `type` absent, or null, false, 0 or empty) has the kind "message". Any other `type` that is no text has the
    kind "", and its item is never represented.
    """
    kind = item.get("type") or ("message" if item.get("role") == "assistant" else "")
    represented = False
    if not isinstance(kind, str):
        kind = ""
    elif kind in ("message", "reasoning"):
        represented = True
    elif kind in ("function_call", "custom_tool_call"):
        call_id = item.get("call_id")
        represented = isinstance(call_id, str) and clean(call_id) in map(clean, call_ids)
    if not represented:
        return kind, item
    hashed = {key: item[key] for key in PROVIDER_FIELDS if item.get(key) is not None}
    if kind == "message" and isinstance(item.get("content"), list):
        unspoken = [part for part in item["content"] if not _is_spoken(part)]
        if unspoken:
            hashed["content"] = unspoken
    return (kind, hashed) if hashed else None


def _is_spoken(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") in SPOKEN_PARTS


# Tools and prefixes


def tools_hash(tools: Sequence[Mapping[str, Any]] | None) -> str:
    tools = tools or []
    fields = Fields("toolwire.tools.v1")
    fields.add(str(len(tools)))
    for tool in tools:
        kind = tool.get("type") or "function"
        native = kind not in ("function", "custom")
        declared = _present(tool, leave=() if native else ("extra",))
        fields.add(canonical({"description": "", "parameters": {}, **declared, "type": kind}))
    return fields.digest().hex()


def prefix_hashes(messages: Iterable[Mapping[str, Any]]) -> list[str]:
    previous = Fields("toolwire.prefix.v1").digest()
    hashes = []
    for message in messages:
        previous = hashlib.sha256(previous + identity(message)).digest()
        hashes.append(previous.hex())
    return hashes


# The vectors


def main() -> int:
    from identity_cases import vectors

    parser = argparse.ArgumentParser(description="Writes or checks tests/vectors/identity.json.")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true", help="write the vectors anew")
    mode.add_argument("--check", action="store_true", help="fail if the vectors are not current")
    text = vectors()
    if parser.parse_args().write:
        VECTORS.write_text(text, encoding="ascii")
        return 0
    current = VECTORS.read_text(encoding="ascii") == text
    print("the vectors are current" if current else "the vectors are not current: run --write", file=sys.stderr)
    return 0 if current else 1


if __name__ == "__main__":
    sys.exit(main())
