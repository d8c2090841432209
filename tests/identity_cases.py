"""The inputs of the identity vectors: what each of them is there to show stands in its name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import identity_reference as reference

Message = dict[str, Any]


def tool(content: Any = "ok", **fields: Any) -> Message:
    return {"role": "tool", "tool_call_id": "call_1", "content": content, **fields}


def call(arguments: str = "{}", **fields: Any) -> Message:
    return {"id": "call_1", "type": "function", "name": "f", "arguments": arguments, **fields}


def turn(*calls: Message, content: str | None = None, **fields: Any) -> Message:
    message: Message = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = list(calls)
    return {**message, **fields}


def state(*items: Any, **fields: Any) -> Message:
    return turn(provider_state=list(items), **fields)


def text(value: str) -> Message:
    return {"type": "text", "text": value}


def image(url: str, **fields: Any) -> Message:
    return {"type": "image_url", "image_url": {"url": url, **fields}}


def said(*parts: Message) -> Message:
    return {"role": "user", "content": list(parts)}


def arguments_message(arguments: str) -> Message:
    """The message that the vectors of the group `arguments` are hashed in."""
    return turn(call(arguments))


def roles() -> Iterator[tuple[str, Message]]:
    yield "user, empty text", {"role": "user", "content": ""}
    yield "user, text", {"role": "user", "content": "hello"}
    yield "system, the same text", {"role": "system", "content": "hello"}
    yield "developer is system", {"role": "developer", "content": "hello"}
    yield "developer flag is system", {"role": "system", "content": "hello", "developer": True}
    yield "assistant, the same text", turn(content="hello")
    yield "tool, the same text", tool("hello")
    yield "white space counts", {"role": "user", "content": "hello "}
    yield "control characters and quotes", {"role": "user", "content": '\x00\x1f\x7f"\\/\n\r\t\b\f'}
    yield "composed accent", {"role": "user", "content": "caf\u00e9"}
    yield "decomposed accent", {"role": "user", "content": "cafe\u0301"}
    yield "beyond the BMP", {"role": "user", "content": "\U0001f600\U00010000"}
    yield (
        "fields of one wire do not count",
        {"role": "user", "content": "hello", "extra": {"chat": {"name": "bo"}}},
    )


def contents() -> Iterator[tuple[str, Message]]:
    yield "assistant, no content", turn()
    yield "assistant, empty content", turn(content="")
    yield "no parts", said()
    yield "one text part", said(text("hello"))
    yield "one empty text part", said(text(""))
    yield "two text parts", said(text("hel"), text("lo"))
    yield "two text parts, cut elsewhere", said(text("hell"), text("o"))
    yield "a text part that spells a field", said(text("text"), text("parts"))
    yield (
        "text of one wire",
        said({**text("hello"), "extra": {"anthropic": {"cache_control": {"type": "ephemeral"}}}}),
    )
    yield "image", said(image("https://example.test/a.png"))
    yield "image detail does not count", said(image("https://example.test/a.png", detail="high"))
    yield "image, another URL", said(image("https://example.test/b.png"))
    yield "image as data", said(image("data:image/png;base64,iVBORw0KGgo="))
    yield "a text that is the URL", said(text("https://example.test/a.png"))
    yield "audio", said({"type": "audio", "data": "UklGRg==", "media_type": "audio/wav"})
    yield "audio, another type", said({"type": "audio", "data": "UklGRg==", "media_type": "audio/mpeg"})
    yield (
        "file, data",
        said({"type": "file", "data": "JVBERi0=", "media_type": "application/pdf", "filename": "a.pdf"}),
    )
    yield "file, data, no name", said({"type": "file", "data": "JVBERi0=", "media_type": "application/pdf"})
    yield (
        "file, null is absent",
        said({"type": "file", "data": "JVBERi0=", "media_type": None, "filename": None}),
    )
    yield "file, data alone", said({"type": "file", "data": "JVBERi0="})
    yield "file, text", said({"type": "file", "text": "JVBERi0="})
    yield "file, url", said({"type": "file", "url": "https://example.test/a.pdf"})
    yield "file, id", said({"type": "file", "file_id": "file_1"})
    value = {"type": "container_upload", "file_id": "file_1", "n": [1, None, True]}
    yield "native", said({"type": "native", "dialect": "anthropic", "value": value})
    yield (
        "native, key order does not count",
        said({"value": dict(reversed(value.items())), "dialect": "anthropic", "type": "native"}),
    )
    yield "native, another wire", said({"type": "native", "dialect": "responses", "value": value})
    yield "order of parts counts", said(image("https://example.test/a.png"), text("hello"))
    yield "order of parts counts, turned", said(text("hello"), image("https://example.test/a.png"))
    yield "system with parts", {"role": "system", "content": [text("hello"), text("again")]}


def results() -> Iterator[tuple[str, Message]]:
    yield "result, nobody said", tool()
    yield "result, declared success", tool(is_error=False)
    yield "result, declared failure", tool(is_error=True)
    yield "result, null is nobody said", tool(is_error=None)
    yield "result, name does not count", tool(name="f")
    yield "result, failure with a name", tool(is_error=True, name="f")
    yield "result, another call", {**tool(), "tool_call_id": "call_2"}
    yield "result, empty", tool("")
    yield "result, empty failure", tool("", is_error=True)
    yield "result, no parts", tool([])
    yield "result, parts", tool([text("ok"), image("data:image/png;base64,iVBORw0KGgo=")])
    yield (
        "result, parts that failed",
        tool([text("ok"), image("data:image/png;base64,iVBORw0KGgo=")], is_error=True),
    )
    yield "result, a label is only text", tool("Tool execution failed:\nok")
    yield "result, the field's name as text", tool("is_error")


def turns() -> Iterator[tuple[str, Message]]:
    yield "reasoning", turn(content="hello", reasoning_content="because")
    yield "empty reasoning counts", turn(content="hello", reasoning_content="")
    yield "null reasoning is absent", turn(content="hello", reasoning_content=None)
    yield "no calls is absent", turn(content="hello", tool_calls=[], provider_state=[])
    yield "reasoning is not content", turn(content="because", reasoning_content="hello")
    yield "one call", turn(call())
    yield "one call with text", turn(call(), content="hello")
    yield "call without a type is a function", turn({"id": "call_1", "name": "f", "arguments": "{}"})
    yield "call, another id", turn(call(id="call_2"))
    yield "call, another name", turn(call(name="g"))
    yield "call, namespace", turn(call(namespace="files"))
    yield "call, empty namespace is none", turn(call(namespace=""))
    yield "call, null namespace is none", turn(call(namespace=None))
    yield "call, namespace is not part of the name", turn(call(name="files__f"))
    yield "call, fields of one wire do not count", turn(call(extra={"responses": {"status": "completed"}}))
    yield "two calls", turn(call(), call(id="call_2", name="g"))
    yield "two calls, turned", turn(call(id="call_2", name="g"), call())
    yield "custom call, text", turn(call("below 25 on monday", type="custom"))
    yield "custom call, JSON stays as it stands", turn(call('{"b": 1, "a": 2}', type="custom"))
    yield "custom call, JSON in another order", turn(call('{"a": 2, "b": 1}', type="custom"))
    yield "custom call, canonical JSON", turn(call('{"a":2,"b":1}', type="custom"))
    yield "function call, the same JSON", turn(call('{"a":2,"b":1}'))
    yield "custom call, empty", turn(call("", type="custom"))


def states() -> Iterator[tuple[str, Message]]:
    spoken = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hello"}]}
    yield "state: spoken message says nothing more", state(spoken, content="hello")
    yield (
        "state: bare message says nothing more",
        state({"role": "assistant", "content": "hello"}, content="hello"),
    )
    yield "state: empty type is a bare message", state({"type": "", "role": "assistant"}, content="hello")
    yield "state: null type is a bare message", state({"type": None, "role": "assistant"}, content="hello")
    yield (
        "state: input text is spoken",
        state({"type": "message", "content": [{"type": "input_text", "text": "x"}]}),
    )
    yield (
        "state: content that is no list is not looked at",
        state({"type": "message", "content": {"type": "refusal"}}),
    )
    yield "state: message with phase", state({**spoken, "phase": "final"}, content="hello")
    yield "state: null fields do not count", state({**spoken, "phase": None, "data": None}, content="hello")
    refusal = {"type": "refusal", "refusal": "no"}
    yield "state: refusal", state({"type": "message", "role": "assistant", "content": [refusal]})
    yield (
        "state: refusal beside text",
        state({"role": "assistant", "content": [{"type": "output_text", "text": "x"}, refusal]}),
    )
    yield "state: a part that is no object", state({"type": "message", "content": ["no", 5]})
    yield "state: a part without a type", state({"type": "message", "content": [{"text": "x"}]})
    yield (
        "state: reasoning summary says nothing more",
        state({"type": "reasoning", "id": "rs_1", "summary": []}),
    )
    yield (
        "state: encrypted reasoning",
        state({"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA"}),
    )
    yield (
        "state: encrypted reasoning, id does not count",
        state({"type": "reasoning", "encrypted_content": "gAAA"}),
    )
    yield "state: empty encrypted content counts", state({"type": "reasoning", "encrypted_content": ""})
    yield "state: reasoning with data", state({"type": "reasoning", "data": "gAAA"})
    thinking = {"type": "thinking", "thinking": "hmm", "signature": "EqQB"}
    yield "state: signed thinking", state(thinking)
    yield "state: other signature", state({**thinking, "signature": "EqQC"})
    yield "state: other thinking", state({**thinking, "thinking": "ah"})
    yield "state: redacted thinking", state({"type": "redacted_thinking", "data": "EmwK"})
    function = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}", "id": "fc_1"}
    yield "state: call that is typed", state(function, tool_calls=[call()])
    yield "state: call that is typed, phase", state({**function, "phase": "final"}, tool_calls=[call()])
    yield "state: call that is not typed", state(function)
    yield "state: call of another id", state({**function, "call_id": "call_9"}, tool_calls=[call()])
    yield "state: call id that is no text", state({**function, "call_id": 1}, tool_calls=[call(id="1")])
    custom = {"type": "custom_tool_call", "call_id": "call_1", "name": "f", "input": "x"}
    yield "state: custom call that is typed", state(custom, tool_calls=[call("x", type="custom")])
    yield "state: custom call that is not typed", state(custom)
    yield "state: search", state({"type": "web_search_call", "id": "ws_1", "status": "failed"})
    yield "state: search, id counts", state({"type": "web_search_call", "id": "ws_2", "status": "failed"})
    yield (
        "state: null members of unknown items count",
        state({"type": "web_search_call", "id": "ws_1", "x": None}),
    )
    yield "state: without type or role", state({"id": "x"})
    yield "state: empty item", state({})
    yield "state: role user is not a bare message", state({"role": "user", "content": "x"})
    yield "state: type that is a number", state({"type": 5, "id": "x"})
    yield "state: type that is a number, assistant", state({"type": 5, "role": "assistant", "content": "x"})
    yield "state: type that is false, assistant", state({"type": False, "role": "assistant", "content": "x"})
    yield "state: order counts", state(thinking, {"type": "redacted_thinking", "data": "EmwK"})
    yield "state: order counts, turned", state({"type": "redacted_thinking", "data": "EmwK"}, thinking)
    numbers = [1, -1, 0, 9007199254740993, 0.1, 1e21, 1.5e-7, 2**70]
    yield "state: numbers", state({"type": "compaction", "n": numbers})
    yield (
        "state: keys by code point",
        state({"type": "x", "\uffff": 1, "\U0001f600": 2, "\ue000": 3, "é": 4, "z": 5}),
    )


def texts() -> Iterator[tuple[str, str]]:
    """Messages as JSON text, for what differs before JSON becomes values."""
    yield "lone high surrogate", r'{"role":"user","content":"caf\ud83d!"}'
    yield "lone low surrogate", r'{"role":"user","content":"caf\udce9!"}'
    yield "replacement character", r'{"role":"user","content":"caf\ufffd!"}'
    yield "two lone surrogates", r'{"role":"user","content":"\ude00\ud83d"}'
    yield "a pair", r'{"role":"user","content":"\ud83d\ude00"}'
    yield (
        "lone surrogate in an id",
        r'{"role":"tool","tool_call_id":"c\ud800","content":"ok","is_error":true}',
    )
    called = r'{"role":"assistant","content":null,"tool_calls":[{"id":"c","name":"f","arguments":"%s"}]}'
    yield "lone surrogate in arguments", called % r"{\"a\":\"\ud800\"}"
    yield "escaped lone surrogate in arguments", called % r"{\"a\":\"\\ud800\"}"
    stated = r'{"role":"assistant","content":null,"provider_state":[{"type":"x",%s}]}'
    yield "lone surrogate in state", stated % r'"k\udfff":"v\ud800"'
    literals = "1 1.0 1e0 10E-1 -0 -0.0 0 1e21 1000000000000000000000 5e-324"
    for literal in literals.split():
        yield f"number {literal} in state", stated % f'"n":{literal}'
    yield "escapes in the message", r'{"role":"us\u0065r","content":"\/\u0041\u00e9\n"}'
    yield "the same without escapes", '{"content":"/Aé\\n","role":"user"}'


NUMBERS = """
    0 -0 0.0 -0.0 0e0 -0e5 0E-400 1 -1 1.0 1.00 1e0 1E0 1e+0 10e-1 0.1e1 -1.0 10 10.0 100 1e2 1.5 1.50
    -1.5 0.1 0.2 0.3 0.30000000000000004 0.10 1e-1 0.000001 0.0000001 1e-6 1e-7 1.5e-7 123e-20 1e20 1e21
    1.5e21 1e22 100000000000000000000 1000000000000000000000 100000000000000000000.0 123456789012345680000
    123456789012345680000.0 123456789012345678901 1.2345678901234568e20 9007199254740991 9007199254740992
    9007199254740993 9007199254740992.0 9007199254740993.0 18446744073709551615 18446744073709551616
    -9223372036854775808 1e15 1e16 1e17 123456789.123 1.7976931348623157e308 -1.7976931348623157e308
    1.7976931348623159e308 1e308 1e309 1e400 -1e400 5e-324 2.5e-324 2e-324 4.9e-324 2.2250738585072014e-308
    1e-400 -1e-400 4.35 2.675 1.0000000000000002 1.00000000000000001 5e22 8.41e21 9.5e-7
"""


def arguments() -> Iterator[tuple[str, Any]]:
    """A text, or `{"repeat": [[text, times], …]}`, which stands for the texts repeated and joined."""
    yield "empty object", "{}"
    yield "empty text", ""
    yield "blank text", " \n"
    yield "space around", " \t\r\n{ } \n"
    yield "keys in order", '{"a":1,"b":[{"c":1,"d":2}]}'
    yield "keys out of order, spaced", '{ "b" : [ {"d": 2, "c": 1} ],\n\t"a" : 1 }'
    yield "list order counts", '{"a":1,"b":[{"d":2},{"c":1}]}'
    yield "escapes", r'{"p\u0061th":"a\u0020b\/c\u00e9\u2028\u007f","q":"\"\\\n\r\t\b\f\u0001\u001F"}'
    yield (
        "the same, shortest escapes",
        '{"path":"a b/cé\u2028\x7f","q":"\\"\\\\\\n\\r\\t\\b\\f\\u0001\\u001f"}',
    )
    yield "scalars", '[null,true,false,"x",1]'
    yield "a bare string", '"x"'
    yield "a bare number", "1.0"
    yield "null", "null"
    yield "empty key", '{"":1}'
    yield "surrogate pair", r'{"t":"\ud83d\ude00"}'
    yield "the same character", '{"t":"\U0001f600"}'
    yield "lone high surrogate", r'{"t":"\ud83d"}'
    yield "lone low surrogate", r'{"t":"\ude00"}'
    yield "low before high", r'{"t":"\ude00\ud83d"}'
    yield "high before a pair", r'{"t":"\ud83d\ud83d\ude00"}'
    yield "high before another escape", r'{"t":"\ud83d\u0041\ud83d\n\ud83dx"}'
    yield "replacement character", r'{"t":"\ufffd"}'
    yield "keys by code point", '{"\U0001f600":1,"\uffff":2,"\ue000":3,"é":4,"z":5,"Z":6,"":7}'
    yield "key is a prefix of the other", '{"ab":1,"a":2,"a\\u0000":3}'
    yield "keys alike only as read", r'{"a":1,"\u0061":2}'
    yield "keys alike as lone surrogates", r'{"\ud800":1,"\ud801":2}'
    yield "repeated key", '{"a":1,"a":1}'
    yield "repeated key, deep inside", '{"x":[{"a":1,"a":2}]}'
    yield "repeated key in other objects", '{"x":[{"a":1},{"a":2}]}'
    yield "NaN", '{"a":NaN}'
    yield "Infinity", "Infinity"
    yield "minus Infinity", '{"a":-Infinity}'
    yield "overflow", '{"a":1e400}'
    yield "overflow, other spelling", '{"a": 1e400}'
    yield "overflow in a list", "[1,[-1e999]]"
    yield "cut off in a string", '{"path":"/tm'
    yield "cut off after a colon", '{"path":'
    yield "cut off escape", '{"a":"\\u12'
    yield "text behind", '{"a":1} {"b":2}'
    yield "byte order mark", '\ufeff{"a":1}'
    yield "raw newline in a string", '{"a":"x\ny"}'
    yield "raw DEL in a string", '{"a":"x\x7fy"}'
    yield "single quotes", "{'a':1}"
    yield "trailing comma", '{"a":1,}'
    yield "comment", '{"a":1/*one*/}'
    yield "bad escape", '{"a":"\\x41"}'
    yield "capital escape", '{"a":"\\U0041"}'
    yield "no-break space is not white space", '{"a":\u00a01}'
    yield "form feed is not white space", '{"a":\f1}'
    for literal in ("01", "-01", "+1", ".5", "1.", "1e", "1e+", "-", "0x10", "1_000", "\u0661"):
        yield f"no number: {literal}", f'{{"a":{literal}}}'
    yield "Capital True", '{"a":True}'
    yield "plain words", "ls -la /tmp"
    yield "a large integer", {"repeat": [['{"n": ', 1], ["7", 5000], ["}", 1]]}
    yield "a long fraction", {"repeat": [["[0.", 1], ["3", 5000], ["]", 1]]}
    for levels in (511, 512, 513, 1000, 100000):
        yield f"{levels} arrays", {"repeat": [["[", levels], ["]", levels]]}
        yield f"{levels} objects", {"repeat": [['{"x": ', levels], ["0", 1], ["}", levels]]}
    yield "512 arrays around an empty object", {"repeat": [["[", 512], ["{}", 1], ["]", 512]]}
    yield "512 arrays around a scalar", {"repeat": [["[", 512], ["1.0", 1], ["]", 512]]}
    yield (
        "brackets in a string nest nothing",
        {"repeat": [['["', 1], ["[", 600], ['\\"', 1], ["{", 600], ['"]', 1]]},
    )
    yield (
        "512 and 512 side by side",
        {"repeat": [["[", 1], ["[", 511], ["]", 511], [",", 1], ["[", 511], ["]", 512]]},
    )
    yield "open brackets", {"repeat": [["[", 100000]]}


def tools() -> Iterator[tuple[str, list[Message]]]:
    schema = {
        "type": "object",
        "properties": {"b": {"type": "integer", "minimum": 1.0}, "a": {"type": ["string"]}},
    }
    f: Message = {"type": "function", "name": "f", "description": "Does f.", "parameters": schema}
    yield "no tools", []
    yield "one function", [f]
    yield "type is function where it is missing", [{k: v for k, v in f.items() if k != "type"}]
    turned = {
        "properties": {"a": {"type": ["string"]}, "b": {"minimum": 1, "type": "integer"}},
        "type": "object",
    }
    yield (
        "key order and number spelling do not count",
        [{"parameters": turned, "name": "f", "description": "Does f."}],
    )
    yield "two functions", [f, {**f, "name": "g"}]
    yield "two functions, turned", [{**f, "name": "g"}, f]
    yield "bare", [{"type": "function", "name": "f"}]
    yield "bare, empty fields", [{"type": "function", "name": "f", "description": "", "parameters": {}}]
    yield "bare, null fields", [{"name": "f", "description": None, "parameters": None, "strict": None}]
    yield "strict", [{**f, "strict": True}]
    yield "strict is false", [{**f, "strict": False}]
    yield "namespace", [{**f, "namespace": "files"}]
    yield "empty namespace", [{**f, "namespace": ""}]
    yield (
        "fields of one wire do not count",
        [{**f, "extra": {"anthropic": {"cache_control": {"type": "ephemeral"}}}}],
    )
    grammar = {"type": "grammar", "syntax": "lark", "definition": "start: WORD"}
    yield "custom", [{"type": "custom", "name": "q", "description": "Asks.", "format": grammar}]
    yield "custom, text", [{"type": "custom", "name": "q", "format": {"type": "text"}}]
    native = {"type": "web_search_20250305", "name": "web_search", "max_uses": 2}
    yield "native", [{"type": native["type"], "name": "web_search", "extra": {"anthropic": native}}]
    other = {**native, "max_uses": 3}
    yield (
        "native, other setting",
        [{"type": native["type"], "name": "web_search", "extra": {"anthropic": other}}],
    )
    yield "null inside parameters counts", [{**f, "parameters": {"default": None}}]


def prefixes() -> Iterator[tuple[str, list[Message]]]:
    ask: Message = {"role": "user", "content": "go"}
    yield "no messages", []
    yield "one message", [ask]
    yield "twice the same", [ask, ask]
    yield "a conversation", [ask, turn(call('{"a": 1}')), tool("ok", is_error=True), turn(content="done")]
    yield "the same, worked", [ask, turn(call('{"a":1.0}')), tool("ok", is_error=False), turn(content="done")]


def spelled(value: Any) -> str:
    return value if isinstance(value, str) else "".join(piece * times for piece, times in value["repeat"])


def _canonical(value: Any) -> Any:
    """What the canonical text of a vector is; a long one is told by its SHA-256 over UTF-8."""
    import hashlib

    canonical = reference.canonical_arguments(spelled(value))
    if canonical is None or len(canonical) < 1000:
        return canonical
    return {"sha256": hashlib.sha256(canonical.encode()).hexdigest(), "bytes": len(canonical.encode())}


def document() -> dict[str, Any]:
    groups = (roles, contents, results, turns, states)
    named = [vector for group in groups for vector in group()]
    return {
        "about": "Identity v1, written by tests/identity_reference.py; tests/README.md tells the format.",
        "messages": [
            {"name": name, "message": message, "identity": reference.message_hash(message)} for name, message in named
        ],
        "texts": [
            {"name": name, "text": text, "identity": reference.message_hash(json.loads(text))} for name, text in texts()
        ],
        "numbers": [{"literal": n, "canonical": reference.canonical_number(n)} for n in NUMBERS.split()],
        "arguments": [
            {
                "name": name,
                "text": value,
                "canonical": _canonical(value),
                "identity": reference.message_hash(arguments_message(spelled(value))),
            }
            for name, value in arguments()
        ],
        "tools": [{"name": name, "tools": value, "identity": reference.tools_hash(value)} for name, value in tools()],
        "prefixes": [
            {"name": name, "messages": messages, "identities": reference.prefix_hashes(messages)}
            for name, messages in prefixes()
        ],
    }


def vectors() -> str:
    """The file as text: one vector on a line, ASCII."""
    lines = []
    for group, value in document().items():
        if isinstance(value, str):
            lines.append(f" {json.dumps(group)}: {json.dumps(value)}")
        else:
            rows = ",\n".join("  " + json.dumps(row) for row in value)
            lines.append(f" {json.dumps(group)}: [\n{rows}\n ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"
