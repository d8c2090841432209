"""Hostile objects at the doors: refused with a path or with a defined result, and none takes the process along."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections import OrderedDict, UserDict, namedtuple
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolwire import (
    ChatDialect,
    JsonError,
    LimitError,
    LossWarning,
    NativePart,
    Request,
    ShapeError,
    ToolMessage,
    ToolwireError,
    UserMessage,
    message_hash,
)

CHAT = ChatDialect()


def through(value: Any) -> Any:
    """In by one door and out by the other."""
    return NativePart("chat", {"v": value}).value["v"]


def refused(cls: type[ToolwireError], value: Any) -> str:
    with pytest.raises(cls) as caught:
        through(value)
    return caught.value.path


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


def same(a: Any, b: Any) -> bool:
    """Equal, with numbers of the same kind and keys in the same order."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b and str(a) == str(b))


@given(JSON)
def test_what_goes_in_comes_out(value: Any) -> None:
    assert same(through(value), value)


@given(JSON)
def test_bytes_text_and_objects_are_one(value: Any) -> None:
    body = {"messages": [{"role": "user", "content": "x"}], "user_data": value}
    text = json.dumps(body)
    request = CHAT.parse_request(body)
    assert CHAT.parse_request(text) == request
    assert CHAT.parse_request(text.encode()) == request
    assert CHAT.parse_request(bytearray(text.encode())) == request
    assert CHAT.parse_request(memoryview(text.encode())) == request
    assert json.loads(CHAT.render_request(request).to_bytes()) == body


class Text(str):
    pass


class Colour(Enum):
    RED = "red"


class Size(IntEnum):
    BIG = 7


class Word(str, Enum):
    YES = "yes"


Pair = namedtuple("Pair", "a b")


@dataclass
class Inner:
    n: int = 1


@dataclass
class Outer:
    inner: Inner = field(default_factory=Inner)
    texts: tuple[str, ...] = ("a", "b")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, 2), [1, 2]),
        (Pair(1, [2]), [1, [2]]),
        (Text("x"), "x"),
        (Size.BIG, 7),
        (Word.YES, "yes"),
        (True, True),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (MappingProxyType({"a": MappingProxyType({"b": 1})}), {"a": {"b": 1}}),
        (UserDict({"a": 1}), {"a": 1}),
        (Outer(), {"inner": {"n": 1}, "texts": ["a", "b"]}),
        ({Text("k"): 1}, {"k": 1}),
        (10**4000, 10**4000),
        (-(2**63), -(2**63)),
        (5e-324, 5e-324),
        ("\x00\x7f\u2028\U0001f600", "\x00\x7f\u2028\U0001f600"),
    ],
)
def test_what_counts_as_json(value: Any, expected: Any) -> None:
    assert same(through(value), expected)


@pytest.mark.parametrize(
    "value",
    [
        {1, 2},
        frozenset(),
        b"x",
        bytearray(b"x"),
        memoryview(b"x"),
        1j,
        object(),
        object,
        Outer,
        Colour.RED,
        iter([1]),
        (n for n in range(3)),
        range(3),
        lambda: None,
        float("nan"),
        float("inf"),
        -float("inf"),
        {1: 2},
        {None: 2},
        {("a",): 2},
    ],
    ids=repr,
)
def test_what_does_not(value: Any) -> None:
    assert refused(ShapeError, value) == "value.v"
    assert refused(ShapeError, [0, {"k": value}]) == "value.v[1].k"
    assert refused(ShapeError, (value,)) == "value.v[0]"


def test_integers_have_pythons_own_limit() -> None:
    assert refused(LimitError, 10**5000) == "value.v"
    # Such a number in JSON text passes through as text and is refused only where Python must hold it.
    body = b'{"messages":[],"seed":' + b"9" * 5000 + b"}"
    request = CHAT.parse_request(body)
    assert CHAT.render_request(request).to_bytes() == body
    with pytest.raises(LimitError):
        _ = request.extra
    assert "extra=..." in repr(request)


def test_a_float_that_overflows_is_refused_on_the_way_out() -> None:
    body = b'{"messages":[],"seed":1e999}'
    rendered = CHAT.render_request(CHAT.parse_request(body))
    assert rendered.to_bytes() == body
    with pytest.raises(LimitError, match=r"^seed: "):
        _ = rendered.body


def test_self_containing_objects_end() -> None:
    a_list: list[Any] = [1]
    a_list.append(a_list)
    a_dict: dict[str, Any] = {}
    a_dict["d"] = a_dict
    twice: list[Any] = []
    twice += [twice, twice]
    mixed: dict[str, Any] = {"l": [()]}
    mixed["l"].append(mixed)
    for value in (a_list, a_dict, twice, mixed):
        assert refused(LimitError, value).startswith("value.v")
        with pytest.raises(LimitError):
            CHAT.parse_request({"messages": value})
        with pytest.raises(LimitError):
            CHAT.seal({"messages": [value]})
        with pytest.raises(LimitError):
            message_hash(value)


def test_a_small_object_that_is_endless_as_json() -> None:
    # Few lists in Python; written out, more of them than there are atoms.
    shared: list[Any] = [None] * 1000
    for _ in range(100):
        shared = [shared, shared]
    assert refused(LimitError, shared).startswith("value.v[0]")
    with pytest.raises(LimitError, match=r"^tools\[0\]"):
        CHAT.seal({"messages": [], "tools": shared})


def test_depth() -> None:
    def nested(depth: int) -> list[Any]:
        value: list[Any] = []
        for _ in range(depth - 1):
            value = [value]
        return value

    def body(depth: int) -> dict[str, Any]:
        return {"messages": [], "x": nested(depth - 1)}

    request = CHAT.parse_request(body(512))
    assert CHAT.parse_request(json.dumps(body(512))) == request
    assert json.loads(CHAT.render_request(request).to_json()) == body(512)
    assert CHAT.render_request(request).body == body(512)
    assert Request.from_dict(request.to_dict()) == request
    for deeper in (513, 100_000):
        with pytest.raises(LimitError):
            CHAT.parse_request(body(deeper))
        with pytest.raises(LimitError):
            CHAT.parse_request(b'{"messages":[],"x":' + b"[" * deeper + b"]" * deeper + b"}")


def test_lone_surrogates_are_replaced_and_reported() -> None:
    body = {"messages": [{"role": "user", "content": "a\ud800b"}], "metadata": {"k\udfff": 1}}
    for given_body in (body, json.dumps(body)):
        request = CHAT.parse_request(given_body)
        assert request.messages[0].content == "a\ufffdb"
        assert request.replaced == ("messages[0].content", "metadata")
        losses = CHAT.render_request(request).losses
        assert [(loss.code, loss.path) for loss in losses] == [
            ("surrogate.replaced", "messages[0].content"),
            ("surrogate.replaced", "metadata"),
        ]
    # In a str that holds JSON, as it stands.
    raw = '{"messages": [{"role": "user", "content": "a\ud800b"}]}'
    assert CHAT.parse_request(raw).replaced == ("messages[0].content",)
    with pytest.raises(JsonError):
        CHAT.parse_request("\ud800")
    with pytest.warns(LossWarning, match=r"^content: surrogate\.replaced"):
        message = UserMessage("\ud800")
    assert message.content == "\ufffd"
    with pytest.warns(LossWarning, match=r"^tool_call_id: "):
        ToolMessage("\udc00", "x")
    with pytest.warns(LossWarning, match=r"^content: "):
        assert message_hash({"role": "user", "content": "\udc00"}) == message.identity
    # A pair is one character, however Python came by it.
    assert UserMessage("\ud83d\ude00").content == "\U0001f600"


def test_keys_that_become_one_are_one() -> None:
    with pytest.warns(LossWarning):
        part = NativePart("chat", {"\ud800": 1, "x": 2, "\udc00": 3})  # noqa: F601
    assert part.value == {"\ufffd": 3, "x": 2}


class Explodes:
    """Raises at one of the calls that reading it makes."""

    def __init__(self, at: str, error: BaseException) -> None:
        self.at, self.error = at, error

    def call(self, name: str, value: Any) -> Any:
        if name == self.at:
            raise self.error
        return value


class ExplodingMapping(Explodes, UserDict):  # type: ignore[type-arg]
    def __init__(self, at: str, error: BaseException) -> None:
        Explodes.__init__(self, at, error)
        self.data = {"role": "user", "content": "x"}

    def keys(self) -> Any:
        return self.call("keys", self.data.keys())

    def items(self) -> Any:
        return self.call("items", self.data.items())

    def __iter__(self) -> Any:
        return self.call("iter", iter(self.data))

    def __getitem__(self, key: Any) -> Any:
        return self.call("getitem", self.data[key])


class ExplodingModel:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def model_dump(self, **_options: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("at", ["keys", "items", "iter", "getitem"])
def test_objects_that_raise(at: str) -> None:
    secret = ZeroDivisionError("secret")
    for value in (ExplodingMapping(at, secret), {"deep": [ExplodingMapping(at, secret)]}):
        try:
            assert through(value)
        except ShapeError as error:
            assert error.path.startswith("value.v")
            assert "secret" not in str(error)
            assert error.__cause__ is secret


def test_models_that_raise() -> None:
    for error, cls in ((ZeroDivisionError(), ShapeError), (RecursionError(), LimitError)):
        with pytest.raises(cls) as caught:
            through([ExplodingModel(error)])
        assert caught.value.path == "value.v[0]"
        assert caught.value.__cause__ is error
        with pytest.raises(cls):
            message_hash(ExplodingModel(error))  # type: ignore[arg-type]
    for passing in (KeyboardInterrupt(), SystemExit(), MemoryError()):
        with pytest.raises(type(passing)):
            through(ExplodingModel(passing))


def test_endless_dump_ends() -> None:
    class Endless:
        def model_dump(self, **_options: Any) -> Any:
            return Endless()

    with pytest.raises(LimitError):
        through(Endless())


def test_a_list_that_grows_or_shrinks_while_it_is_read() -> None:
    class Grows:
        def __init__(self, change: Any) -> None:
            self.change = change

        def model_dump(self, **_options: Any) -> Any:
            self.change()
            return {}

    items: list[Any] = [1, 2, 3, 4]
    items.insert(1, Grows(items.clear))
    assert through(items) == [1, {}]
    table: dict[str, Any] = {"a": 1, "c": 3}
    table["b"] = Grows(table.clear)
    table["d"] = 4
    assert through(table) == {"a": 1, "c": 3, "b": {}, "d": 4}
    growing: list[Any] = []
    growing.append(Grows(lambda: growing.append(0) if len(growing) < 50 else None))
    assert len(through(growing)) >= 2


def test_a_dict_subclass_counts_by_what_it_holds() -> None:
    class Lies(dict):  # type: ignore[type-arg]
        def items(self) -> Any:
            raise ZeroDivisionError

        def __getitem__(self, key: Any) -> Any:
            raise ZeroDivisionError

        def __iter__(self) -> Any:
            raise ZeroDivisionError

    body = Lies(messages=[Lies(role="tool", tool_call_id="c", content="x", _vf_is_error=True)], model="m")
    assert CHAT.parse_request(body).messages[0].is_error is True
    sealed = CHAT.seal(body)
    assert type(sealed) is dict
    assert sealed["messages"][0]["content"] == "Tool execution failed:\nx"


CRASHES = {
    "deep list": "v = []\nfor _ in range(100_000): v = [v]",
    "deep dict": "v = {}\nfor _ in range(100_000): v = {'k': v}",
    "deep tuple": "v = ()\nfor _ in range(100_000): v = (v,)",
    "self list": "v = []\nv.append(v)",
    "self dict": "v = {}\nv['v'] = v",
    "large text": "v = 'x' * 50_000_000",
    "large text, wide": "v = '\\u4e2d' * 20_000_000",
    "surrogates": "v = '\\ud800' * 1_000_000",
    "wide list": "v = [None] * 1_000_000",
    "wide dict": "v = {str(n): n for n in range(100_000)}",
    "shared": "v = [None] * 1000\nfor _ in range(100): v = [v, v]",
    "huge int": "v = 10 ** 100_000",
    "nan": "v = float('nan')",
    "bytes": "v = b'x'",
    "set": "v = {1}",
    "type": "v = type",
    "module": "import sys as v",
    "mock": "from unittest.mock import MagicMock\nv = MagicMock()",
    "proxy": "import weakref, collections\nu = collections.UserDict(a=1)\nv = weakref.proxy(u)",
    "evil class": "class E:\n  @property\n  def __class__(self): raise ZeroDivisionError\nv = E()",
    "evil getattr": "class E:\n  def __getattr__(self, name): raise ZeroDivisionError\nv = E()",
    "evil meta": (
        "class M(type):\n  def __getattribute__(cls, name): raise ZeroDivisionError\n"
        "class E(metaclass=M): pass\nv = E()"
    ),
    "evil str": "class S(str):\n  def encode(self, *a): return 3\n  def __str__(self): return 3\nv = S('\\ud800')",
    "evil int": "class I(int):\n  def __repr__(self): return 'x'\n  def __index__(self): return 5\nv = I(10**30)",
    "evil float": (
        "class F(float):\n  def __repr__(self): return 'x'\n  def __float__(self): return float('nan')\nv = F(1.5)"
    ),
    "endless items": (
        "import collections, itertools\nclass E(collections.UserDict):\n"
        "  def items(self): return (('k', n) for n in itertools.count())\nv = E()"
    ),
}

SCRIPT = """
import sys, threading, warnings
import toolwire as t
warnings.simplefilter("ignore")
{make}
chat = t.ChatDialect()
shapes = [
    lambda: t.NativePart("chat", {{"v": v}}),
    lambda: t.UserMessage(v),
    lambda: t.UserMessage([v]),
    lambda: t.ToolMessage(v, "x"),
    lambda: t.AssistantMessage(None, None, v, v, v),
    lambda: t.Request(v),
    lambda: t.Rendered(v, v),
    lambda: t.ToolMessage.from_dict(v),
    lambda: t.ToolMessage.from_mcp(v, tool_call_id="c"),
    lambda: t.ToolMessage.from_mcp({{"content": v, "isError": v}}, tool_call_id="c"),
    lambda: chat.parse_request(v),
    lambda: chat.parse_request({{"messages": [{{"role": "user", "content": v}}]}}),
    lambda: chat.parse_request({{"messages": v, "tools": v}}),
    lambda: chat.render_request(v),
    lambda: chat.message_to_wire(v),
    lambda: chat.seal(v),
    lambda: chat.seal({{"messages": [{{"role": "tool", "_vf_is_error": True, "content": v}}], "tools": v}}),
    lambda: chat.apply_overrides({{"messages": v, "reasoning": v}}, v, v),
    lambda: chat.apply_overrides({{"messages": [], "tools": v}}, "m", {{"x": v}}),
    lambda: t.convert(v, source="chat", target="chat"),
    lambda: t.message_hash(v),
    lambda: t.tools_hash([v]),
    lambda: t.prefix_hashes([v]),
]
def run():
    for n, shape in enumerate(shapes[:: {step}]):
        try:
            back = shape()
            repr(back), hash(back) if not isinstance(back, dict) else 0, back == back
        except t.ToolwireError as error:
            assert len(str(error)) < 5000, n
            assert error.path, n
        except TypeError as error:
            assert "expected" in str(error) or "argument" in str(error), (n, error)
    print("fine")
# Also where the stack is small, as it is for threads on some systems.
threading.stack_size({stack})
thread = threading.Thread(target=run)
thread.start()
thread.join()
"""


@pytest.mark.parametrize("name", CRASHES)
def test_nothing_takes_the_process_along(name: str) -> None:
    step = 5 if name in ("endless items", "large text", "large text, wide") else 4 if name == "shared" else 1
    script = SCRIPT.format(make=CRASHES[name], stack=16 * 1024 * 1024, step=step)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert (done.stdout.strip(), done.returncode) == ("fine", 0), textwrap.shorten(done.stderr[-2000:], 2000)
    assert "panicked" not in done.stderr
    assert "Traceback" not in done.stderr
