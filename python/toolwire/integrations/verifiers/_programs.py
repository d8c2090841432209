"""The harness programs hand on what tools declare: `_program` is put into their source, and where they know that a call
failed, they declare it."""

from __future__ import annotations

import ast
import functools
import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from importlib import resources
from itertools import accumulate
from types import ModuleType
from typing import Any, NamedTuple

from toolwire.integrations.verifiers._seams import Seams, expect, place

_UTILS = "verifiers.v1.harnesses.utils"
_FAILURES = ("error:", "Error:", "search failed")


class Mark(NamedTuple):
    """Expressions of a program, found by their form: how many each function must hold, and the function of `_program`
    that is called on each of them (`None`: they are only counted)."""

    call: str | None
    what: str
    find: Callable[[ast.AST], ast.expr | None]
    expected: Mapping[str, int]


def _failure(node: ast.AST) -> ast.expr | None:
    """A literal that begins as a failure does and becomes the content of a result."""
    match node:
        case ast.Return(value=value) | ast.Assign(targets=[ast.Name(id="content")], value=value):
            pass
        case ast.Dict():
            value = _member(node, "content")
        case _:
            return None
    first = value.values[0] if isinstance(value, ast.JoinedStr) and value.values else value
    text = first.value if isinstance(first, ast.Constant) else None
    return value if isinstance(text, str) and text.startswith(_FAILURES) else None


def _tool_message(node: ast.AST) -> ast.expr | None:
    match node:
        case ast.Dict() if isinstance(role := _member(node, "role"), ast.Constant) and role.value == "tool":
            return node
    return None


def _call_of(name: str) -> Callable[[ast.AST], ast.expr | None]:
    def find(node: ast.AST) -> ast.expr | None:
        match node:
            case ast.Call(func=ast.Name(id=called)) if called == name:
                return node
        return None

    return find


def _member(node: ast.Dict, name: str) -> ast.expr | None:
    return next((v for k, v in zip(node.keys, node.values) if isinstance(k, ast.Constant) and k.value == name), None)


_CORE = (
    Mark(
        "declared_failure",
        "stated failures",
        _failure,
        {"run_chat_loop": 3, "run_edit": 7, "run_bash": 1, "run_search": 2},
    ),
    Mark(None, "calls of call_mcp", _call_of("call_mcp"), {"run_chat_loop": 1}),
    Mark(None, "calls of bound_tool_message", _call_of("bound_tool_message"), {"run_chat_loop": 2}),
)
_BROWSER = (
    Mark("declared_failure", "stated failures", _failure, {"main": 3, "run_browser": 1}),
    Mark("with_marker", "tool messages", _tool_message, {"main": 3}),
    Mark(None, "calls of call_mcp", _call_of("call_mcp"), {"main": 1}),
)


def marked(source: str, where: str, marks: tuple[Mark, ...]) -> str:
    """The source with the calls put around the marked expressions, otherwise byte for byte as it was.

    Raises:
        HostError: a function does not hold as many of them as it is known to.
    """
    data = source.encode()
    starts = list(accumulate(map(len, data.splitlines(keepends=True)), initial=0))
    inserted: list[tuple[int, bytes]] = []
    statements = ast.parse(source).body
    for mark in marks:
        found = [
            (getattr(statement, "name", "<module>"), expression)
            for statement in statements
            for node in ast.walk(statement)
            if (expression := mark.find(node))
        ]
        counts = Counter(function for function, _ in found)
        for function in sorted(counts.keys() | mark.expected.keys()):
            expected = mark.expected.get(function, 0)
            expect(counts[function] == expected, f"{where}.{function}", f"{expected} {mark.what}", counts[function])
        for _, at in found if mark.call else ():
            # Only nodes that were not parsed have no end.
            end_line, end_column = at.end_lineno or 0, at.end_col_offset or 0
            inserted.append((starts[at.lineno - 1] + at.col_offset, f"{mark.call}(".encode()))
            inserted.append((starts[end_line - 1] + end_column, b")"))
    for position, text in sorted(inserted, reverse=True):
        data = data[:position] + text + data[position:]
    return data.decode()


def install(seams: Seams) -> None:
    """Puts `_program` into the programs of `null`, `bash` and `browser_use`, and into those that are bundled from the
    framework's modules from now on.

    Raises:
        HostError: a program is not as it is known.
    """
    launch, mcp, compaction, core = (
        seams.module(f"{_UTILS}.{name}") for name in ("launch", "mcp", "compaction", "core")
    )
    null, bash, browser = (
        seams.module(f"verifiers.v1.harnesses.{name}.harness") for name in ("null", "bash", "browser_use")
    )
    seams.look(mcp, "call_mcp", "servers, dispatch, name, arguments")
    seams.look(mcp, "mcp_content_to_chat_content", "blocks")
    seams.look(compaction, "bound_tool_message", "message")
    bundle = seams.look(launch, "bundle_program", "program, *modules")
    ours = resources.files(__package__).joinpath("_program.py").read_text(encoding="utf-8")
    core_source = inspect.getsource(core)
    marked_core = marked(core_source, core.__name__, _CORE)

    @functools.wraps(bundle)
    def bundle_program(program: str, *modules: ModuleType) -> str:
        return spliced(bundle(program, *modules), "bundle_program", modules)

    def spliced(text: str, where: str, modules: tuple[Any, ...]) -> str:
        # Without `call_mcp` there is no outcome to hand on. Ours stands behind both names that it takes over.
        if mcp not in modules:
            return text
        last = inspect.getsource(max((mcp, compaction), key=lambda m: modules.index(m) if m in modules else -1))
        changes = {last: f"{last}\n{ours}"} | ({core_source: marked_core} if core in modules else {})
        for known, new in changes.items():
            expect(text.count(known) == 1, where, "each module of the framework once", text.count(known))
            text = text.replace(known, new)
        return text

    expect(seams.look(browser, "bundle_program") is bundle, f"{browser.__name__}.bundle_program", "launch's", "another")
    chat = (mcp, compaction, core)
    changed: list[tuple[Any, str, Any]] = [
        (launch, "bundle_program", bundle_program),
        (browser, "bundle_program", bundle_program),
    ]
    for owner, name, modules, marks in (
        (launch, "CHAT_PROGRAM_SOURCE", chat, ()),
        (null, "CHAT_PROGRAM_SOURCE", chat, ()),
        (bash, "CHAT_PROGRAM_SOURCE", chat, ()),
        (browser, "PROGRAM_SOURCE", (mcp,), _BROWSER),
    ):
        where = place(owner, name)
        source = spliced(marked(seams.look(owner, name), where, marks), where, modules)
        compile(source, where, "exec", dont_inherit=True)
        changed.append((owner, name, source))
    for owner, name, value in changed:
        seams.replace(owner, name, value)
