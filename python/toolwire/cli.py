"""The command line: convert, seal, hash and explain request bodies."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

import toolwire
from toolwire._guess import guess_dialect

if TYPE_CHECKING:
    from toolwire import (
        AnthropicDialect,
        BedrockDialect,
        ChatDialect,
        GeminiDialect,
        Message,
        Request,
        ResponsesDialect,
    )

    Dialect = type[ChatDialect | ResponsesDialect | AnthropicDialect | GeminiDialect | BedrockDialect]

DIALECTS: dict[str, Dialect] = {
    "chat": toolwire.ChatDialect,
    "responses": toolwire.ResponsesDialect,
    "anthropic": toolwire.AnthropicDialect,
    "gemini": toolwire.GeminiDialect,
    "bedrock": toolwire.BedrockDialect,
}

EXIT_REFUSED = 1
EXIT_USAGE = 2


Work = Callable[[bytes, str, str], bytes]
"""What a command makes of a body, its dialect, and where it stands: empty, or `line 3: `."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Returns:
        0 if all went well, 1 if an input was refused, 2 for wrong usage or a file that cannot be read or written.
    """
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["verifiers"]:
        # Whatever follows belongs to another program: its options, and its errors.
        from toolwire.integrations.verifiers import _command

        return _command.run(argv[1:])
    arguments = _parser().parse_args(argv)
    try:
        return _run(arguments)
    except BrokenPipeError:
        # The reader has seen enough; keep the interpreter from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        _say(f"{error.filename or arguments.file}: {error.strerror}")
        return EXIT_USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="toolwire",
        description="Keeps a tool's outcome through every wire format. FILE is JSON, or JSONL with a body per line; "
        "- is standard input. A line that is refused is named on standard error and left out.",
        epilog="Exit status: 0 done, 1 an input was refused, 2 wrong usage or an unreadable file.",
    )
    parser.add_argument("--version", action="version", version=f"toolwire {toolwire.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, help: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=help, description=help)
        sub.add_argument("file", metavar="FILE", help="a request body, or one per line; - for standard input")
        sub.add_argument("--from", dest="source", choices=DIALECTS, help="the dialect of FILE (guessed if left out)")
        return sub

    convert = command("convert", "write a request body in another dialect; losses go to standard error")
    targets = ", ".join(sorted(toolwire.TARGETS))
    convert.add_argument(
        "--to",
        dest="target",
        metavar="{" + ",".join([*DIALECTS, "TARGET"]) + "}",
        choices=[*DIALECTS, *toolwire.TARGETS],
        required=True,
        help=f"the dialect to write, or a server or model family with its own rules: {targets}",
    )
    convert.add_argument("--model", help="the model that is to answer, instead of the one that FILE names")
    convert.add_argument("--strict", action="store_true", help="refuse to lose anything")
    seal = command("seal", "turn an internal body into a provider body: no marker, failures labelled")
    for sub in (convert, seal):
        sub.add_argument("--out", metavar="FILE", help="write here, if nothing is refused, instead of standard output")
    command("hash", "a table of role, outcome and identity per message")
    command("explain", "one line per message: role, tool, outcome, size")
    commands.add_parser("verifiers", help="run a program of the verifiers framework that keeps outcomes")
    return parser


def _run(arguments: argparse.Namespace) -> int:
    data = _read(arguments.file)
    work: Work
    if arguments.command == "convert":
        work = _convert(arguments.target, arguments.model, arguments.strict)
    elif arguments.command == "seal":
        work = _seal
    elif arguments.command == "hash":
        work = _hash
    else:
        colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        work = _explain(colours)
    out = getattr(arguments, "out", None)
    if out is None:
        return _each(data, arguments, work, sys.stdout.buffer)
    return _replacing(out, lambda file: _each(data, arguments, work, file))


def _replacing(name: str, write: Callable[[BinaryIO], int]) -> int:
    """Writes a file that appears when all of it is there; a refused input leaves what was there before."""
    target = os.path.realpath(name)
    there = os.path.isfile(target)
    if os.path.exists(target) and not there:
        # A device or a pipe: nothing is lost by writing into it.
        with open(target, "wb") as file:
            return write(file)
    if there:
        # A file that may not be written says so here, before any work.
        open(target, "ab").close()
    beside = f"{target}.{os.urandom(4).hex()}.tmp"
    try:
        with open(beside, "xb") as file:
            status = write(file)
        if status == 0:
            if there:
                shutil.copymode(target, beside)
            os.replace(beside, target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(beside)
    return status


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    with open(name, "rb") as file:
        return file.read()


def _each(data: bytes, arguments: argparse.Namespace, work: Work, out: BinaryIO) -> int:
    status = 0
    for where, body in _bodies(data):
        try:
            value = _as_object(body)
            out.write(work(body, arguments.source or guess_dialect(value), where))
        except ValueError as error:
            _say(f"{where}{error}")
            status = EXIT_REFUSED
    out.flush()
    return status


def _bodies(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The bodies in a file and where each stands: the whole file, or each line if the first one is complete."""
    lines = data.splitlines()
    filled = [(n, line) for n, line in enumerate(lines, 1) if line.strip()]
    if len(filled) < 2 or not _is_json(filled[0][1]):
        yield "", data
        return
    for n, line in filled:
        yield f"line {n}: ", line


def _loads(text: bytes) -> object:
    """JSON as RFC 8259 has it: UTF-8, no NaN, and numbers of any length."""

    def constant(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    return json.loads(text.decode(), parse_int=float, parse_constant=constant)


def _is_json(text: bytes) -> bool:
    try:
        _loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _as_object(body: bytes) -> dict[str, object]:
    try:
        value = _loads(body)
    except (ValueError, RecursionError):
        # The reader of any dialect says what is wrong with it, and where.
        toolwire.ChatDialect().parse_request(body)
        raise
    if not isinstance(value, dict):
        raise ValueError("$: expected an object")
    return value


def _convert(target: str, model: str | None, strict: bool) -> Work:
    def work(body: bytes, source: str, where: str) -> bytes:
        rendered = toolwire.convert(body, source=source, target=target, model=model, strict=strict)
        for loss in rendered.losses:
            _say(f"{where}loss: {loss}")
        if rendered.model is not None:
            _say(f"{where}the model {rendered.model} goes into the URL, not into the body")
        return bytes(rendered.body) + b"\n"

    return work


def _seal(body: bytes, source: str, where: str) -> bytes:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sealed: bytes = DIALECTS[source]().seal(body)
    for warning in caught:
        _say(f"{where}loss: {warning.message}")
    return sealed if sealed.endswith(b"\n") else sealed + b"\n"


def _hash(body: bytes, source: str, where: str) -> bytes:
    request = DIALECTS[source]().parse_request(body)
    rows = [("#", "role", "outcome", "identity")]
    rows += [(str(n), message.role, _outcome(message), message.identity) for n, message in enumerate(request.messages)]
    return _heading(where) + _table(rows)


def _explain(colours: bool) -> Work:
    def work(body: bytes, source: str, where: str) -> bytes:
        request = DIALECTS[source]().parse_request(body)
        rows = [("#", "role", "tool", "outcome", "size")]
        for n, message in enumerate(request.messages):
            rows.append((str(n), message.role, _tool(request, n), _outcome(message), f"{_size(message)} B"))
        lines = _table(rows).decode().splitlines()
        if colours:
            red, green, plain = "\033[1;31m", "\033[32m", "\033[0m"
            for n, row in enumerate(rows):
                if row[3].startswith("FAILED"):
                    lines[n] = f"{red}{lines[n]}{plain}"
                elif row[3] == "ok":
                    lines[n] = f"{green}{lines[n]}{plain}"
        return _heading(where) + "\n".join(lines).encode() + b"\n"

    return work


def _outcome(message: Message) -> str:
    if not isinstance(message, toolwire.ToolMessage):
        return ""
    return {True: "FAILED", False: "ok", None: "undeclared"}[message.is_error]


def _tool(request: Request, at: int) -> str:
    message = request.messages[at]
    if isinstance(message, toolwire.AssistantMessage):
        return ", ".join(call.name for call in message.tool_calls)
    if not isinstance(message, toolwire.ToolMessage):
        return ""
    for earlier in reversed(request.messages[:at]):
        if isinstance(earlier, toolwire.AssistantMessage):
            for call in earlier.tool_calls:
                if call.id == message.tool_call_id:
                    return call.name
    return message.name or ""


def _size(message: Message) -> int:
    """What the message holds, in bytes of UTF-8: text, arguments, and media as it is written."""
    content = message.content
    parts = [content] if isinstance(content, str) else [json.dumps(p.to_dict()) for p in content or ()]
    if isinstance(message, toolwire.AssistantMessage):
        parts += [message.reasoning_content or ""] + [call.arguments for call in message.tool_calls]
    return sum(len(part.encode()) for part in parts)


def _heading(where: str) -> bytes:
    return where.strip().encode() + b"\n" if where else b""


def _table(rows: Sequence[tuple[str, ...]]) -> bytes:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)
    return "\n".join(_printable(line) for line in lines).encode() + b"\n"


def _printable(line: str) -> str:
    """Names come from strangers: nothing in them may steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def _say(sentence: str) -> None:
    print(f"toolwire: {_printable(sentence)}", file=sys.stderr)
