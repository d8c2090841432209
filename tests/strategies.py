"""Random messages in their `to_dict` spelling, and random spellings of one JSON value."""

from __future__ import annotations

import json
from typing import Any

import identity_reference as reference
from hypothesis import strategies as st

# Short and from a small alphabet, so that equal values are not rare; lone surrogates never side by side, as
# a high and a low one would be one character as soon as they pass through JSON.
words = st.text(alphabet='ab"\\/\n\x7fé\ufffd\U0001f600', max_size=4) | st.sampled_from(
    ["", "true", "\ud83d", "x\ude00x", "__", '{"a":1}', "text", "is_error"]
)
numbers = (
    st.integers(-3, 3)
    | st.integers(-(10**30), 10**30)
    | st.sampled_from([2**53, 2**53 + 1, 10**21, 0.0, -0.0, 1.0, 1e21, 1e-7, 0.1, 5e-324, 1.5e300])
    | st.floats(allow_nan=False, allow_infinity=False)
)
keys = st.text(alphabet="abzé\uffff\U0001f600", max_size=3)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
json_objects = st.dictionaries(keys, json_values, max_size=3)


def spell(value: Any) -> str:
    return json.dumps(value)


@st.composite
def respelled(draw: st.DrawFn, value: Any) -> str:
    """The value in some JSON spelling: key order, white space, escapes and the form of doubles at random."""
    if isinstance(value, dict):
        members = draw(st.permutations(list(value.items())))
        inner = [f"{draw(_string(k))}{draw(_space)}:{draw(_space)}{draw(respelled(v))}" for k, v in members]
        return "{" + draw(_space) + f"{draw(_space)},{draw(_space)}".join(inner) + draw(_space) + "}"
    if isinstance(value, list):
        items = [draw(respelled(item)) for item in value]
        return "[" + draw(_space) + f"{draw(_space)},".join(items) + draw(_space) + "]"
    if isinstance(value, str):
        return draw(_string(value))
    if isinstance(value, float):
        return draw(st.sampled_from([repr(value), f"{value:.17e}", f"{value:.17E}"]) | _short(value))
    return json.dumps(value)


def _short(value: float) -> st.SearchStrategy[str]:
    return st.just(reference.ecmascript(value))


_space = st.sampled_from(["", "", " ", "\n", "\t ", "\r\n"])


@st.composite
def _string(draw: st.DrawFn, text: str) -> str:
    def escaped(character: str) -> str:
        if ord(character) > 0xFFFF:
            return json.dumps(character)[1:-1]
        return f"\\u{ord(character):04x}" if draw(st.booleans()) else f"\\u{ord(character):04X}"

    plain = json.dumps(text, ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()) or not text:
        return plain
    at = draw(st.integers(0, len(text) - 1))
    before, behind = json.dumps(text[:at])[:-1], json.dumps(text[at + 1 :])[1:]
    return before + escaped(text[at]) + behind


argument_texts = (
    json_objects.map(spell)
    | json_values.flatmap(respelled)
    | words
    | st.sampled_from(
        ["", "{}", '{"a":NaN}', '{"a":1,"a":1}', '{"a":1e400}', '{"a":', "\ufeff{}", "[" * 600 + "]" * 600]
    )
)


@st.composite
def tool_calls(draw: st.DrawFn) -> dict[str, Any]:
    call = {"id": draw(words), "name": draw(words), "arguments": draw(argument_texts)}
    call |= draw(st.fixed_dictionaries({}, optional={"type": st.sampled_from(["function", "custom"])}))
    return call | draw(st.fixed_dictionaries({}, optional={"namespace": words | st.none()}))


@st.composite
def state_items(draw: st.DrawFn, call_ids: list[str]) -> dict[str, Any]:
    kinds = [
        "message",
        "reasoning",
        "function_call",
        "custom_tool_call",
        "web_search_call",
        "thinking",
        "",
        None,
        5,
    ]
    content = st.lists(
        st.fixed_dictionaries({"type": st.sampled_from(["output_text", "input_text", "refusal", 1]), "text": words})
        | words,
        max_size=2,
    )
    return draw(
        st.fixed_dictionaries(
            {},
            optional={
                "type": st.sampled_from(kinds),
                "role": st.sampled_from(["assistant", "user"]),
                "content": content | words,
                "call_id": st.sampled_from([*call_ids, "other", 5]),
                "encrypted_content": words | st.none(),
                "signature": words | st.none(),
                "data": words | st.none(),
                "phase": words | st.none(),
                "summary": json_values,
            },
        )
    )


text_parts = words.map(lambda text: {"type": "text", "text": text})
image_parts = st.builds(
    lambda url, detail: {"type": "image_url", "image_url": {"url": url, **detail}},
    words,
    st.sampled_from([{}, {"detail": "high"}]),
)
other_parts = st.one_of(
    st.fixed_dictionaries({"type": st.just("audio"), "data": words, "media_type": words}),
    st.fixed_dictionaries({"type": st.just("file"), "data": words}, optional={"media_type": words, "filename": words}),
    st.fixed_dictionaries({"type": st.just("file"), "url": words}),
    st.fixed_dictionaries(
        {
            "type": st.just("native"),
            "dialect": st.sampled_from(["chat", "responses", "anthropic"]),
            "value": json_objects,
        }
    ),
)
contents = words | st.lists(text_parts | image_parts | other_parts, max_size=3)


@st.composite
def messages(draw: st.DrawFn, role: str | None = None) -> dict[str, Any]:
    role = role or draw(st.sampled_from(["system", "user", "assistant", "tool"]))
    if role == "tool":
        fields = {
            "tool_call_id": draw(words),
            "content": draw(contents),
            "is_error": draw(st.sampled_from([None, False, True])),
        }
        return {"role": role, **fields, "name": draw(st.none() | words)}
    if role != "assistant":
        return {"role": role, "content": draw(contents)}
    calls = draw(st.lists(tool_calls(), max_size=2))
    message = {"role": role, "content": draw(st.none() | words), "tool_calls": calls}
    message["provider_state"] = draw(st.lists(state_items([call["id"] for call in calls]), max_size=2))
    return message | draw(st.fixed_dictionaries({}, optional={"reasoning_content": words | st.none()}))
