"""The seeded corpus: messages without an outcome, most of them near-copies of one another."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

Message = dict[str, Any]

WORDS = (
    "",
    "ok",
    "yes",
    "no such file",
    "caf\u00e9",
    "cafe\u0301",
    "\U0001f600",
    "a\x7fb",
    "\x00",
    '"quoted"',
)
SURROGATES = ("caf\ud83d", "\udce9!", "caf\ufffd")
KEYS = ("a", "b", "ab", "path", "\u00e9", "\U0001f600", "\uffff", "\ue000", "")
NUMBERS = """
    0 -0 0.0 -0.0 1 1.0 1.00 1e0 10e-1 -1 -1.0 2 10 1e1 0.1 1e-1 0.10 1e-7 0.0000001 1e16
    10000000000000000 1e21 1000000000000000000000 9007199254740992 9007199254740993 9007199254740992.0
    18446744073709551616 5e-324 1.5 1.50 123456789012345680000 1.2345678901234568e20 1e-400
"""
IDS = ("call_1", "call_2", "call_3")
NAMES = ("f", "g", "read")
NAMESPACES = (None, "", "files", "web")
NOT_JSON = (
    "", " ", "ls -la", "{'a':1}", '{"a":1,}', '{"a":01}', '{"a":1', '{"a":', '\ufeff{"a":1}', '{"a":"x\ny"}',
    '{"a":1}x', '{"a":.5}', '{"a":True}', "\x00", '{"a":"\\x41"}', '{"a":"\\u12"}', '{"a":+1}',
)  # fmt: skip
NOT_STRICT = (
    '{"a":NaN}', '{"a": NaN}', '{"a":Infinity}', '{"a":-Infinity}', '[ NaN ]', "NaN", '{"a":1e400}',
    '{"a":1e999}',
    '{"a": 1e400}', '{"a":-1e400}', '{"a":1,"a":1}', '{"a":2,"a":1}', '{"a":1, "a":1}', '{"a":1,"\\u0061":1}',
    '{"x":[{"a":1,"a":2}]}', '{"x":[{"a":2}]}', '{"x":[{"a":1, "a":2}]}', "[1e400,NaN]", "[1e500,NaN]",
)  # fmt: skip
LONE = ('{"t":"\\ud83d"}', '{"t":"\\ude00"}', '{"t":"\\ufffd"}', '{"t": "\\uD83D"}',
        '{"\\ud800":1,"\\ud801":2}',
        '{"t":"\\ud83d\\ude00"}', '{"t":"\\ude00\\ud83d"}', '{"t":"\ud83d"}')  # fmt: skip
REASONS = (None, "", "because", "why not")


def generate(seed: int, size: int) -> Iterator[Message]:
    """Families: a message made anew and some copies of it, each changed by one or two small steps."""
    rng = random.Random(seed)
    made = 0
    while made < size:
        message = _message(rng)
        yield message
        made += 1
        for _ in range(min(rng.randint(3, 9), size - made)):
            changed = copy.deepcopy(message)
            for _ in range(rng.choice((1, 1, 2))):
                rng.choice(STEPS[changed["role"]])(changed, rng)
            yield changed
            made += 1
            if rng.random() < 0.3:
                message = changed


# JSON values and their spellings


def _value(rng: random.Random, depth: int = 0) -> Any:
    """A value whose numbers are literals, told from strings by being a tuple."""
    roll = rng.random()
    if depth > 2 or roll < 0.45:
        return (rng.choice(NUMBERS.split()),)
    if roll < 0.6:
        return rng.choice(WORDS)
    if roll < 0.68:
        return rng.choice((None, True, False))
    if roll < 0.82:
        return [_value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    return {key: _value(rng, depth + 1) for key in rng.sample(KEYS, rng.randint(0, 3))}


def _object(rng: random.Random) -> dict[str, Any]:
    return {key: _value(rng, 1) for key in rng.sample(KEYS, rng.randint(0, 4))}


def _spell(value: Any, rng: random.Random) -> str:
    """One of the many spellings of a value: key order, white space, escapes. Numbers keep their literal."""
    space = rng.choice(("", "", " ", "\n  "))

    def string(text: str) -> str:
        plain = json.dumps(text, ensure_ascii=rng.random() < 0.5)
        if text and rng.random() < 0.2 and ord(text[0]) < 0x10000:
            return f'"\\u{ord(text[0]):04x}' + json.dumps(text[1:])[1:]
        return plain.replace("/", "\\/") if rng.random() < 0.1 else plain

    def spell(value: Any) -> str:
        if isinstance(value, tuple):
            return str(value[0])
        if isinstance(value, dict):
            members = list(value.items())
            rng.shuffle(members)
            return "{" + f",{space}".join(f"{string(k)}:{space}{spell(v)}" for k, v in members) + "}"
        if isinstance(value, list):
            return "[" + f",{space}".join(spell(item) for item in value) + "]"
        return string(value) if isinstance(value, str) else json.dumps(value)

    return spell(value)


def _plain(value: Any) -> Any:
    """The value as Python reads it, for provider state."""
    if isinstance(value, tuple):
        return json.loads(value[0])
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _deep(rng: random.Random) -> str:
    levels = rng.choice((100, 511, 512, 513, 513, 514, 600, 900, 3000))
    opening, inner, closing = rng.choice((("[", "", "]"), ("[ ", "", "]"), ('{"x":', "0", "}"), ('{"x": ', "0", "}")))
    return opening * levels + inner + closing * levels


def _huge(rng: random.Random) -> str:
    digits = rng.choice(("7", "3")) * rng.choice((300, 4300, 4301, 5000))
    return (
        rng.choice(('{"n":%s}', '{"n": %s}', '{"n":"%s"}', '{"n":%s.0}', '{"m":1,"n":%s}', '{"n":%s,"m":1.0}')) % digits
    )


def _arguments(rng: random.Random) -> str:
    roll = rng.random()
    if roll < 0.7:
        return _spell(_object(rng), rng)
    if roll < 0.75:
        return _spell(_value(rng), rng)
    if roll < 0.83:
        return rng.choice(NOT_JSON)
    if roll < 0.93:
        return rng.choice(NOT_STRICT)
    if roll < 0.97:
        return rng.choice(LONE)
    return _deep(rng) if roll < 0.988 else _huge(rng)


# Messages


def _text(rng: random.Random) -> str:
    return rng.choice(SURROGATES) if rng.random() < 0.03 else rng.choice(WORDS)


def _part(rng: random.Random) -> Message:
    if rng.random() < 0.6:
        return {"type": "text", "text": _text(rng)}
    url = rng.choice(("https://example.test/a.png", "https://example.test/b.png", "data:image/png;base64,iVBORw0KGgo="))
    image = {"url": url} | ({"detail": "high"} if rng.random() < 0.3 else {})
    return {"type": "image_url", "image_url": image}


def _content(rng: random.Random) -> Any:
    return _text(rng) if rng.random() < 0.6 else [_part(rng) for _ in range(rng.randint(0, 3))]


def _call(rng: random.Random) -> Message:
    call: Message = {"id": rng.choice(IDS), "name": rng.choice(NAMES), "arguments": _arguments(rng)}
    if rng.random() < 0.8:
        call["type"] = rng.choice(("function", "function", "function", "custom"))
    if rng.random() < 0.3:
        call["namespace"] = rng.choice(NAMESPACES)
    return call


KINDS: tuple[Any, ...] = (
    "message", "message", "reasoning", "reasoning", "function_call", "custom_tool_call", "web_search_call",
    "thinking",
    "redacted_thinking", "mcp_call", "", None, 5, ["message"], {"type": "message"}, True, False, 0, [],
)  # fmt: skip
SPOKEN = (
    {"type": "output_text", "text": "ok"}, {"type": "input_text", "text": "ok"},
    {"type": "refusal", "refusal": "no"},
    {"type": "refusal", "refusal": "no", "n": 1.0}, {"text": "ok"}, {"type": None}, "ok", None, 5,
)  # fmt: skip


def _item(rng: random.Random) -> Message:
    item: Message = {}
    if rng.random() < 0.9:
        item["type"] = rng.choice(KINDS)
    if rng.random() < 0.4:
        item["role"] = rng.choice(("assistant", "assistant", "user", 1))
    if rng.random() < 0.4:
        item["content"] = rng.choice(("ok", None, {"type": "refusal"}, *(_some(SPOKEN, rng) for _ in "12")))
    if rng.random() < 0.4:
        item["call_id"] = rng.choice((*IDS, 1, None))
    for key in ("encrypted_content", "signature", "data", "phase"):
        if rng.random() < 0.15:
            item[key] = rng.choice(("", "gAAA", "EqQB", None, _plain(_value(rng))))
    if rng.random() < 0.3:
        item[rng.choice(("id", "summary", "status"))] = _plain(_value(rng))
    return item


def _some(pool: tuple[Any, ...], rng: random.Random) -> list[Any]:
    return [copy.deepcopy(rng.choice(pool)) for _ in range(rng.randint(0, 3))]


def _message(rng: random.Random) -> Message:
    roll = rng.random()
    if roll < 0.1:
        return {"role": "system", "content": _content(rng)}
    if roll < 0.22:
        return {"role": "user", "content": _content(rng)}
    if roll < 0.4:
        return {"role": "tool", "tool_call_id": rng.choice(IDS), "content": _content(rng)}
    message: Message = {"role": "assistant", "content": rng.choice((None, "", "ok", _text(rng)))}
    if rng.random() < 0.8:
        message["tool_calls"] = [_call(rng) for _ in range(rng.choice((0, 1, 1, 1, 2)))]
    if rng.random() < 0.3:
        message["reasoning_content"] = rng.choice(REASONS)
    if rng.random() < 0.4:
        message["provider_state"] = [_item(rng) for _ in range(rng.randint(0, 2))]
    return message


# Small steps from one message to another that may or may not be the same


def _new_content(message: Message, rng: random.Random) -> None:
    message["content"] = _text(rng) if message["role"] == "assistant" else _content(rng)


def _no_content(message: Message, rng: random.Random) -> None:
    if message["role"] == "assistant":
        message["content"] = None if message["content"] == "" else "" if message["content"] is None else None
    else:
        message["content"] = rng.choice(("", [], [{"type": "text", "text": ""}]))


def _text_as_part(message: Message, _: random.Random) -> None:
    content = message["content"]
    if isinstance(content, str):
        message["content"] = [{"type": "text", "text": content}]
    elif len(content) == 1 and content[0]["type"] == "text":
        message["content"] = content[0]["text"]


def _turn_parts(message: Message, rng: random.Random) -> None:
    if isinstance(message["content"], list):
        rng.shuffle(message["content"])


def _change_detail(message: Message, rng: random.Random) -> None:
    for part in message["content"] if isinstance(message["content"], list) else []:
        if part["type"] == "image_url":
            part["image_url"]["detail"] = rng.choice(("low", "auto"))


def _change_name(message: Message, rng: random.Random) -> None:
    message["name"] = rng.choice((None, "", *NAMES))


def _change_id(message: Message, rng: random.Random) -> None:
    message["tool_call_id"] = rng.choice(IDS)


def _change_role(message: Message, _: random.Random) -> None:
    message["role"] = "user" if message["role"] == "system" else "system"


def _change_reasoning(message: Message, rng: random.Random) -> None:
    message["reasoning_content"] = rng.choice(REASONS)


def _empty_lists(message: Message, rng: random.Random) -> None:
    for key in ("tool_calls", "provider_state"):
        if not message.get(key):
            message[key] = rng.choice(([], None))


def _on_a_call(step: Callable[[Message, random.Random], None]) -> Callable[[Message, random.Random], None]:
    def apply(message: Message, rng: random.Random) -> None:
        if message.get("tool_calls"):
            step(rng.choice(message["tool_calls"]), rng)

    return apply


def _respell(call: Message, rng: random.Random) -> None:
    try:
        value = json.loads(call["arguments"], parse_int=lambda n: (n,), parse_float=lambda n: (n,))
        call["arguments"] = _spell(value, rng)
    except (ValueError, RecursionError):
        text = call["arguments"]
        call["arguments"] = rng.choice((text, text + " ", text.replace("[", "[ "), text.replace(":", ": ")))


def _respell_numbers(call: Message, rng: random.Random) -> None:
    groups = (("1", "1.0", "1e0", "1.00"), ("0", "-0", "0.0", "-0.0"), ("0.1", "1e-1", "0.10"), ("10", "1e1"))

    def other(literal: str) -> tuple[str]:
        return (rng.choice(next((group for group in groups if literal in group), (literal,))),)

    try:
        value = json.loads(call["arguments"], parse_int=other, parse_float=other)
        call["arguments"] = _spell(value, rng)
    except (ValueError, RecursionError):
        pass


def _new_arguments(call: Message, rng: random.Random) -> None:
    call["arguments"] = _arguments(rng)


def _other_type(call: Message, _: random.Random) -> None:
    call["type"] = "custom" if call.get("type", "function") == "function" else "function"


def _other_namespace(call: Message, rng: random.Random) -> None:
    call["namespace"] = rng.choice(NAMESPACES)


def _other_call(call: Message, rng: random.Random) -> None:
    call.update(rng.choice(({"id": rng.choice(IDS)}, {"name": rng.choice(NAMES)})))


def _turn_calls(message: Message, rng: random.Random) -> None:
    if message.get("tool_calls"):
        rng.shuffle(message["tool_calls"])


def _new_state(message: Message, rng: random.Random) -> None:
    message["provider_state"] = [*(message.get("provider_state") or []), _item(rng)][-2:]


def _change_state(message: Message, rng: random.Random) -> None:
    for item in message.get("provider_state") or []:
        item.update(_item(rng))
        if rng.random() < 0.5 and item:
            del item[rng.choice(list(item))]


def _turn_state(message: Message, _: random.Random) -> None:
    state = message.get("provider_state") or []
    message["provider_state"] = [dict(reversed(item.items())) for item in reversed(state)]


_CONTENT = (_new_content, _no_content, _text_as_part, _turn_parts, _change_detail)
STEPS: dict[str, tuple[Callable[[Message, random.Random], None], ...]] = {
    "system": (*_CONTENT, _change_role),
    "user": (*_CONTENT, _change_role),
    "tool": (*_CONTENT, _change_name, _change_name, _change_id),
    "assistant": (
        _new_content, _no_content, _no_content, _change_reasoning, _empty_lists, _turn_calls, _new_state,
        _change_state, _turn_state, *(_on_a_call(step) for step in (
            _respell, _respell, _respell, _respell_numbers, _respell_numbers, _new_arguments, _other_type,
            _other_namespace, _other_call,
        )),
    ),
}  # fmt: skip
