"""Runs cases: `python -m tools.run --adapter MODULE [--only ID,ID] [--json FILE] CASES.json…`.

An adapter is any importable module with the functions that are called here. One that it does not have turns
the cases that need it into skips, and so does an AttributeError whose `obj` is the adapter.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import json
import os
import random
import subprocess
import sys
import tempfile
import traceback
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from . import engine

Case = dict[str, Any]
Views = dict[str, Any]


class SkipError(Exception):
    """The case needs what is not there."""


def views(case: Case, adapter: Any) -> Views:
    """What the package makes of the input of a case."""
    given = case["input"]
    if given["op"] == "python":
        return _python(given, adapter.__name__)
    if given["op"] not in OPS:
        raise ValueError(f"unknown op {given['op']!r}")
    return OPS[given["op"]](given, adapter)


def _attributes(value: Any) -> Any:
    """An object with these attributes; free JSON below some names stays JSON."""
    if isinstance(value, dict):
        free = ("structuredContent", "structured_content", "_meta", "data")
        return types.SimpleNamespace(**{k: v if k in free else _attributes(v) for k, v in value.items()})
    return [_attributes(item) for item in value] if isinstance(value, list) else value


def _build(item: dict[str, Any]) -> Any:
    if "object" in item:
        module, _, name = item["object"].rpartition(".")
        try:
            build = getattr(importlib.import_module(module), name)
        except ImportError:
            raise SkipError(f"needs {module}") from None
        return build(**copy.deepcopy(item["kwargs"]))
    if "duck" in item:
        return _attributes(item["duck"])
    return copy.deepcopy(item.get("body", item.get("message")))


def _neutral(adapter: Any, dialect: str, body: Any) -> Any:
    return adapter.view(adapter.parse(dialect, body))


def _allowed_to_raise(call: Callable[[], Any], names: Iterable[str]) -> Any:
    try:
        return call()
    except Exception as error:
        if any(cls.__name__ in names for cls in type(error).__mro__):
            return {"raised": True}
        raise


def _parse_many(given: Any, adapter: Any) -> Views:
    items = given["items"].items()
    return {"parsed": {name: _neutral(adapter, item["dialect"], _build(item)) for name, item in items}}


def _convert(given: Any, adapter: Any) -> Views:
    source, body = given["from"], copy.deepcopy(given["body"])
    made: Views = {"parsed": _neutral(adapter, source, copy.deepcopy(body))}
    same = True
    for target in given["to"]:
        converted = _converted(adapter, source, target, body, given)
        made[f"out.{target}"] = converted
        for _ in range(given.get("repeat", 1) - 1):
            same = same and adapter.convert(source, target, copy.deepcopy(given["body"])) == converted
    return {**made, "input_after": body, "input_unchanged": body == given["body"], "repeat_same": same}


def _converted(adapter: Any, source: str, target: str, body: Any, given: Any) -> Any:
    return _allowed_to_raise(lambda: adapter.convert(source, target, body), given.get("may_raise", []))


def _convert_many(given: Any, adapter: Any) -> Views:
    made: Views = {"parsed": {}}
    for pair in given.get("pairs") or ():
        body = copy.deepcopy(pair["body"])
        made[f"out.{pair['name']}"] = _converted(adapter, pair["from"], pair["to"], body, given)
    for name, body in () if given.get("pairs") else given["bodies"].items():
        made[f"parsed.{name}"] = _parsed(adapter, copy.deepcopy(body), given)
        for target in given["to"]:
            made[f"out.{name}.{target}"] = _converted(adapter, given["from"], target, copy.deepcopy(body), given)
    return made


def _parsed(adapter: Any, body: Any, given: Any) -> Any:
    return _allowed_to_raise(lambda: _neutral(adapter, given["from"], body), given.get("may_raise", []))


def _convert_mcp(given: Any, adapter: Any) -> Views:
    call, result = given["call"], given["result"]
    return {
        f"out.{target}": adapter.convert_mcp(copy.deepcopy(call), copy.deepcopy(result), target)
        for target in given["to"]
    }


def _prepare_outbound(given: Any, adapter: Any) -> Views:
    body = copy.deepcopy(given["body"])
    out = [adapter.prepare_outbound(body) for _ in range(given.get("times", 1))]
    made = {"out.chat": out[0], "out_again.chat": out[-1]}
    made |= {"input_after": copy.deepcopy(body), "input_unchanged": body == given["body"]}
    if given.get("chain"):
        made["out_chained.chat"] = adapter.prepare_outbound(copy.deepcopy(out[0]))
    return made


def _hash(given: Any, adapter: Any) -> Views:
    items = given["items"].items()
    return {"hashes": {n: adapter.message_hash(item["dialect"], copy.deepcopy(item["message"])) for n, item in items}}


def _roundtrip_args(given: Any, adapter: Any) -> Views:
    def there_and_back(dialect: str, arguments: str) -> Any:
        call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}
        turns = [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        ]
        there = adapter.convert("chat", dialect, {"model": "m", "messages": turns})
        back = adapter.convert(dialect, "chat", there)
        return back["messages"][1]["tool_calls"][0]["function"]["arguments"]

    items = given["items"].items()
    return {"values": {d: {name: there_and_back(d, text) for name, text in items} for d in given["via"]}}


def _sse(given: Any, adapter: Any) -> Views:
    made: Views = {"response": {}}
    rng = random.Random(7)
    for name, text in given["variants"].items():
        data = text.encode()
        results = []
        for chunks in [[data]] if given["split"] == "whole" else _cuts(data, rng):
            try:
                results.append(adapter.sse(given["dialect"], iter(chunks)))
            except Exception as error:
                if getattr(error, "obj", None) is adapter:
                    raise
                results.append({"raised": True, "type": type(error).__name__})
        spelled = {json.dumps(result, sort_keys=True, default=str) for result in results}
        made["response"][name] = {**results[0], "distinct_results": len(spelled)}
    return made


def _cuts(data: bytes, rng: random.Random) -> Iterator[list[bytes]]:
    """Whole, byte by byte, and cut at random places."""
    yield [data]
    yield [data[i : i + 1] for i in range(len(data))]
    for _ in range(12):
        places = sorted(rng.sample(range(1, len(data)), rng.randint(1, min(12, len(data) - 1))))
        yield [data[i:j] for i, j in zip([0, *places], [*places, len(data)], strict=True)]


OPS: dict[str, Callable[[Any, Any], Views]] = {
    "parse_many": _parse_many,
    "convert": _convert,
    "convert_many": _convert_many,
    "convert_mcp": _convert_mcp,
    "prepare_outbound": _prepare_outbound,
    "hash": _hash,
    "roundtrip_args": _roundtrip_args,
    "sse": _sse,
}

CHILD = """\
import importlib, json, sys
A = importlib.import_module({adapter!r})
R = {{}}
try:
    exec(compile({snippet!r}, "case", "exec"), globals())
except AttributeError as error:
    if getattr(error, "obj", None) is not A:
        raise
    print("\\n@@S@@" + json.dumps(error.name))
else:
    print("\\n@@R@@" + json.dumps(R))
"""


def _python(given: Any, adapter: str) -> Views:
    """The snippet in a process of its own: it may die."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False, encoding="utf-8") as file:
        file.write(CHILD.format(adapter=adapter, snippet=given["snippet"]))
    path = os.pathsep.join([str(Path.cwd()), *sys.path])
    try:
        child = subprocess.run(
            [sys.executable, file.name],
            capture_output=True,
            timeout=given.get("timeout_s", 60),
            env={**os.environ, "PYTHONPATH": path},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"R": {"timeout": True}}
    finally:
        Path(file.name).unlink()
    out = child.stdout.decode("utf-8", "replace")
    if "@@S@@" in out:
        raise SkipError(f"adapter has no {json.loads(out.rsplit('@@S@@', 1)[1])}")
    if "@@R@@" not in out:
        return {"R": {"died": child.returncode, "stderr": child.stderr.decode("utf-8", "replace")[-600:]}}
    return {"R": json.loads(out.rsplit("@@R@@", 1)[1])}


def run_case(case: Case, adapter: Any) -> tuple[str, list[str]]:
    """`pass`, `fail` or `skip`, and why."""
    try:
        made = views(case, adapter)
    except SkipError as skip:
        return "skip", [str(skip)]
    except AttributeError as error:
        if getattr(error, "obj", None) is adapter:
            return "skip", [f"adapter has no {error.name}"]
        return "fail", [traceback.format_exc(limit=-2)]
    except Exception as error:
        return "fail", [f"unexpected {type(error).__name__}: {str(error)[:200]}"]
    reasons = []
    for n, assertion in enumerate(case["expect"]["asserts"]):
        try:
            reason = engine.check(made, assertion)
        except Exception as error:
            reason = f"engine error {type(error).__name__}: {error}"
        if reason:
            reasons.append(f"#{n} {assertion['on']}: {assertion['op']}: {reason}")
    return ("fail" if reasons else "pass"), reasons


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.run", description="Runs regression cases.")
    parser.add_argument("--adapter", required=True, help="the module between the cases and the package")
    parser.add_argument("--only", default="", help="ids of cases, with commas")
    parser.add_argument("--json", type=Path, help="write status and reasons of each case to this file")
    parser.add_argument("-q", action="store_true", help="only the counts")
    parser.add_argument("cases", nargs="+", type=Path, metavar="CASES.json")
    options = parser.parse_args()
    adapter = importlib.import_module(options.adapter)
    only = set(filter(None, options.only.split(",")))
    totals, report = {"pass": 0, "fail": 0, "skip": 0}, {}
    for name in options.cases:
        for case in json.loads(name.read_text(encoding="utf-8")):
            if only and case["id"] not in only:
                continue
            status, why = run_case(case, adapter)
            totals[status] += 1
            report[case["id"]] = {"status": status, "why": why}
            if not options.q and status != "pass":
                print(
                    f"{status.upper():5} {case['id']} [{case['kind']}]",
                    *(w[:300] for w in why[:6]),
                    sep="\n      ",
                )
    print(totals)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return 1 if totals["fail"] else 0


if __name__ == "__main__":
    sys.exit(main())
