"""What providers refuse with a 400 beyond types: pairing, order, ids, emptiness, nulls, private keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Body = Any

PRIVATE = "_vf_is_error"
ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")
BEDROCK_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
CHAT_RESULT = {"role", "content", "tool_call_id", "name", "cache_control"}
RESPONSES_RESULT = {"type", "id", "call_id", "output", "status", "caller", "name", "namespace"}


def _private(node: Any, place: str = "$") -> list[str]:
    if isinstance(node, dict):
        here = [f"private key at {place}.{PRIVATE}"] if PRIVATE in node else []
        return here + [found for key, value in node.items() for found in _private(value, f"{place}.{key}")]
    if isinstance(node, list):
        return [found for i, value in enumerate(node) for found in _private(value, f"{place}[{i}]")]
    return []


def _members(body: Body, key: str) -> Any:
    return (body or {}).get(key)


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def _twice(ids: list[Any]) -> bool:
    return len(set(ids)) != len(ids)


def anthropic(body: Body) -> list[str]:
    found = _private(body)
    messages = _members(body, "messages")
    if not isinstance(messages, list):
        return [*found, "no messages"]
    open_ids: list[Any] = []
    for i, message in enumerate(messages):
        problems, open_ids = _anthropic_message(message, open_ids)
        found += [f"messages[{i}]: {problem}" for problem in problems]
    if open_ids:
        found.append("the last tool_use is not answered")
    return found


def _anthropic_message(message: Any, open_ids: list[Any]) -> tuple[list[str], list[Any]]:
    """The problems of a message, and the calls it leaves open."""
    found: list[str] = []
    role, blocks = message.get("role"), _blocks(message.get("content"))
    extra = sorted(set(message) - {"role", "content"})
    if extra:
        found.append(f"extra keys {extra}")
    if role not in ("user", "assistant", "system"):
        found.append(f"role {role!r}")
    if role == "user" and not blocks:
        found.append("empty content")
    for j, block in enumerate(blocks):
        if not isinstance(block, dict):
            found.append(f"[{j}] is no block")
            continue
        written = not isinstance(message.get("content"), str)
        if block.get("type") == "text" and block.get("text", "") == "" and written:
            found.append(f"[{j}] empty text block")
        if "cache_control" in block and block["cache_control"] is None:
            found.append(f"[{j}] cache_control is null")
    results = [block for block in blocks if block.get("type") == "tool_result"]
    answered = [result.get("tool_use_id") for result in results]
    if open_ids:
        if role != "user":
            found.append(f"{role} follows calls that are not answered")
        if sorted(answered) != sorted(open_ids):
            found.append(f"results {answered} for calls {open_ids}")
        if any(block.get("type") != "tool_result" for block in blocks[: len(results)]):
            found.append("tool_result is not first")
    elif results:
        found.append(f"orphan tool_result {answered}")
    for result in results:
        found += _anthropic_result(result)
    calls = [b for b in blocks if b.get("type") == "tool_use"] if role == "assistant" else []
    for call in calls:
        if not ANTHROPIC_ID.fullmatch(call.get("id", "") or ""):
            found.append(f"bad tool_use id {call.get('id', '')!r}")
        if not isinstance(call.get("input"), dict):
            found.append("tool_use.input is no object")
    ids = [call.get("id", "") for call in calls]
    if _twice(ids):
        found.append("one tool_use id twice")
    return found, ids


def _anthropic_result(result: Any) -> list[str]:
    found = []
    parts = _blocks(result.get("content"))
    if result.get("is_error") is True:
        if all(part.get("type") == "text" and not part.get("text") for part in parts):
            found.append("a failed result has no content")
        if any(part.get("type") != "text" for part in parts):
            found.append("a failed result holds more than text")
    if not isinstance(result.get("is_error", False), bool):
        found.append("is_error is no bool")
    if any(isinstance(part, dict) and "cache_control" in part for part in parts):
        found.append("cache_control inside tool_result.content")
    return found


def bedrock(body: Body) -> list[str]:
    found = _private(body)
    messages = _members(body, "messages")
    if not isinstance(messages, list):
        return [*found, "no messages"]
    open_ids: list[Any] = []
    previous = None
    for i, message in enumerate(messages):
        if message.get("role") == previous and previous != "system":
            found.append(f"messages[{i}]: {previous} twice in a row")
        previous = message.get("role")
        problems, open_ids = _bedrock_message(message, open_ids)
        found += [f"messages[{i}]: {problem}" for problem in problems]
    if open_ids:
        found.append("the last toolUse is not answered")
    return found


def _bedrock_message(message: Any, open_ids: list[Any]) -> tuple[list[str], list[Any]]:
    found: list[str] = []
    role, blocks = message.get("role"), message.get("content")
    if role not in ("user", "assistant", "system"):
        found.append(f"role {role!r}")
    if not isinstance(blocks, list) or not blocks:
        found.append("empty content")
        blocks = []
    results = [block["toolResult"] for block in blocks if "toolResult" in block]
    answered = [result.get("toolUseId") for result in results]
    if open_ids and sorted(answered) != sorted(open_ids):
        found.append(f"results {answered} for calls {open_ids}")
    if results and not open_ids:
        found.append("orphan toolResult")
    if any("text" in block and not str(block["text"]).strip() for block in blocks):
        found.append("blank text block")
    for result in results:
        parts = result["content"] if isinstance(result.get("content"), list) else []
        said = any(str(part.get("text", part.get("json", ""))).strip() for part in parts)
        if not isinstance(result.get("content"), list):
            found.append("toolResult.content is no list")
        if result.get("status", "success") not in ("success", "error"):
            found.append(f"status {result['status']!r}")
        if result.get("status") == "error" and not said:
            found.append("a failed result has no content")
    calls = [block["toolUse"] for block in blocks if "toolUse" in block]
    for call in calls:
        if not BEDROCK_ID.fullmatch(call.get("toolUseId", "")):
            found.append(f"bad toolUseId {call.get('toolUseId')!r}")
        if not isinstance(call.get("input"), dict):
            found.append("toolUse.input is no object")
    ids = [call.get("toolUseId") for call in calls]
    if _twice(ids):
        found.append("one toolUseId twice")
    return found, ids


def gemini(body: Body) -> list[str]:
    found = _private(body)
    contents = _members(body, "contents")
    if not isinstance(contents, list):
        return [*found, "no contents"]
    calls: list[Any] = []
    for i, content in enumerate(contents):
        problems, calls = _gemini_content(content, calls)
        found += [f"contents[{i}]: {problem}" for problem in problems]
    if calls:
        found.append("the last functionCall is not answered")
    return found


def _gemini_content(content: Any, calls: list[Any]) -> tuple[list[str], list[Any]]:
    found: list[str] = []
    if content.get("role") not in ("user", "model", "function", None):
        found.append(f"role {content.get('role')!r}")
    parts = content.get("parts")
    if not isinstance(parts, list) or not parts:
        found.append("empty parts")
        parts = []
    results = [part["functionResponse"] for part in parts if "functionResponse" in part]
    if calls:
        called, answered = ([x.get("name") for x in group] for group in (calls, results))
        if len(results) != len(calls):
            found.append(f"{len(results)} responses for {len(calls)} calls")
        if sorted(name or "" for name in called) != sorted(name or "" for name in answered):
            found.append(f"responses of {answered} for calls of {called}")
        ids = [[x.get("id") for x in group] for group in (calls, results)]
        if all(ids[0] + ids[1]) and ids[0] != ids[1]:
            found.append("response ids out of the order of the calls")
    elif results:
        found.append("orphan functionResponse")
    for result in results:
        if not result.get("name"):
            found.append("functionResponse without a name")
        if not isinstance(result.get("response"), dict):
            found.append("functionResponse.response is no object")
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    if any(not isinstance(call.get("args", {}), dict) for call in calls):
        found.append("functionCall.args is no object")
    return found, calls


def chat(body: Body) -> list[str]:
    found = _private(body)
    messages = _members(body, "messages")
    if not isinstance(messages, list):
        return [*found, "no messages"]
    open_ids: list[Any] = []
    for i, message in enumerate(messages):
        if message.get("role") == "tool":
            problems = _chat_result(message, open_ids)
        else:
            problems = [f"{message.get('role')} before the results of {sorted(open_ids)}"] if open_ids else []
            open_ids = []
        if message.get("role") == "assistant":
            more, open_ids = _chat_turn(message)
            problems += more
        found += [f"messages[{i}]: {problem}" for problem in problems]
    if open_ids:
        found.append("the last call is not answered")
    return found


def _chat_result(message: Any, open_ids: list[Any]) -> list[str]:
    """The problems of a result, which is taken off the open calls."""
    found = []
    extra = sorted(set(message) - CHAT_RESULT)
    if extra:
        found.append(f"extra keys {extra} on a result")
    if message.get("content") is None:
        found.append("a result's content is null")
    if message.get("tool_call_id") in open_ids:
        open_ids.remove(message["tool_call_id"])
    else:
        found.append("a result answers no open call")
    return found


def _chat_turn(message: Any) -> tuple[list[str], list[Any]]:
    found = []
    calls = message.get("tool_calls")
    if message.get("content") is None and not calls and not message.get("refusal"):
        found.append("an assistant with neither content nor calls")
    if calls is None:
        return found, []
    if not calls:
        found.append("an empty list of calls")
    ids = [call.get("id") for call in calls]
    if _twice(ids):
        found.append("one call id twice")
    for call in calls:
        function = call.get("function") or call.get("custom") or {}
        if call.get("type") == "function" and not isinstance(function.get("arguments"), str):
            found.append("arguments are no string")
    return found, ids


def responses(body: Body) -> list[str]:
    found = _private(body)
    items = _members(body, "input")
    if isinstance(items, str):
        return found
    if not isinstance(items, list):
        return [*found, "no input"]
    outputs: dict[Any, int] = {}
    for i, item in enumerate(items):
        kind, call_id, place = item.get("type"), item.get("call_id"), f"input[{i}]"
        if kind in ("function_call", "custom_tool_call"):
            outputs.setdefault(call_id, 0)
            if len(str(call_id)) > 64:
                found.append(f"{place}: call_id too long")
        if kind in ("function_call_output", "custom_tool_call_output"):
            extra = sorted(set(item) - RESPONSES_RESULT)
            if extra:
                found.append(f"{place}: unknown keys {extra}")
            if call_id not in outputs:
                found.append(f"{place}: output without a call")
            else:
                outputs[call_id] += 1
                if outputs[call_id] > 1:
                    found.append(f"{place}: second output of {call_id!r}")
            if not isinstance(item.get("output"), (str, list)):
                found.append(f"{place}: output is neither text nor a list")
    return found + [f"call {call_id!r} is not answered" for call_id, times in outputs.items() if not times]


LINTERS: dict[str, Callable[[Body], list[str]]] = {
    "anthropic": anthropic,
    "bedrock": bedrock,
    "gemini": gemini,
    "chat": chat,
    "responses": responses,
}
