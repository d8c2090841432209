"""The rules across fields that types cannot say: pairing, order, emptiness, what a failing result holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Body = dict[str, Any]

MARKER = "_vf_is_error"


def chat(body: Body) -> list[str]:
    found: list[str] = []
    pending: list[str] = []
    for i, message in enumerate(body["messages"]):
        if message["role"] == "tool":
            if message["tool_call_id"] in pending:
                pending.remove(message["tool_call_id"])
            else:
                found.append(f"messages[{i}]: answers no open call")
            continue
        if pending:
            found.append(f"messages[{i}]: {message['role']} before the results of {pending}")
            pending = []
        if message["role"] == "assistant":
            pending = [call["id"] for call in message.get("tool_calls") or []]
            said = message.get("content") is not None or message.get("refusal")
            if len(set(pending)) < len(pending):
                found.append(f"messages[{i}]: one call id twice")
            if not said and not pending:
                found.append(f"messages[{i}]: an assistant that says and calls nothing")
    if pending:
        found.append(f"calls without a result: {pending}")
    return found + _marked(body)


OUTPUT_OF = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "shell_call": "shell_call_output",
}


def responses(body: Body) -> list[str]:
    found: list[str] = []
    open_calls: dict[str, str] = {}
    items = body["input"] if isinstance(body["input"], list) else []
    for i, item in enumerate(items):
        kind = item.get("type")
        if kind in OUTPUT_OF:
            if item["call_id"] in open_calls:
                found.append(f"input[{i}]: one call id twice")
            open_calls[item["call_id"]] = OUTPUT_OF[kind]
        elif kind in OUTPUT_OF.values():
            if open_calls.pop(item["call_id"], None) != kind:
                found.append(f"input[{i}]: {kind} answers no open call of its kind")
        elif kind == "reasoning":
            follower = items[i + 1] if i + 1 < len(items) else None
            if follower is None or follower.get("role") in ("user", "system", "developer"):
                found.append(f"input[{i}]: reasoning without the item it belongs to")
            if body.get("store") is False and not item.get("encrypted_content"):
                found.append(f"input[{i}]: store is false, which needs encrypted_content")
    if open_calls:
        found.append(f"calls without an output: {sorted(open_calls)}")
    return found + _marked(body)


def anthropic(body: Body) -> list[str]:
    found: list[str] = []
    messages = body["messages"]
    for i, message in enumerate(messages):
        blocks = _blocks(message)
        behind_results = False
        for j, block in enumerate(blocks):
            place = f"messages[{i}].content[{j}]"
            if block["type"] == "text" and not block["text"].strip():
                found.append(f"{place}: blank text")
            if block["type"] != "tool_result" or message["role"] != "user":
                behind_results = True
                continue
            found += [f"{place}: {problem}" for problem in _anthropic_result(block)]
            if behind_results:
                found.append(f"{place}: a result behind other content")
        if message["role"] == "assistant":
            follows = messages[i + 1 : i + 2]
            answers = _blocks(follows[0]) if follows and follows[0]["role"] == "user" else []
            calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
            results = [block["tool_use_id"] for block in answers if block["type"] == "tool_result"]
            if sorted(calls) != sorted(results):
                found.append(f"messages[{i + 1}]: results {results} for calls {calls}")
        behind_turn = i > 0 and messages[i - 1]["role"] == "assistant"
        if not behind_turn and any(block["type"] == "tool_result" for block in blocks):
            found.append(f"messages[{i}]: a result behind no assistant turn")
        if message["role"] == "system" and (i == 0 or messages[i - 1]["role"] == "system"):
            found.append(f"messages[{i}]: a system message out of place")
    return found + _marked(body)


def _blocks(message: Body) -> list[Body]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _anthropic_result(block: Body) -> list[str]:
    if not block.get("is_error"):
        return []
    content = block.get("content", "")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    found = []
    if not any(part.get("text", "").strip() for part in parts):
        found.append("a failing result without text")
    if any(part["type"] != "text" for part in parts):
        found.append("a failing result with more than text")
    return found


# A part holds one of these; what else stands in it describes that one.
GEMINI_DATA = (
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)
GEMINI_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")


def gemini(body: Body) -> list[str]:
    found: list[str] = []
    calls: list[Body] = []
    for i, content in enumerate(body["contents"]):
        place = f"contents[{i}]"
        parts = content.get("parts") or []
        if content.get("role") not in ("user", "model"):
            found.append(f"{place}: role {content.get('role')}")
        if not parts:
            found.append(f"{place}: no parts")
        for j, part in enumerate(parts):
            # A signature may come alone.
            held = [key for key in GEMINI_DATA if key in part]
            if len(held) != 1 and not (not held and "thoughtSignature" in part):
                found.append(f"{place}.parts[{j}]: holds {held}")
        found += _gemini_responses(place, content, calls)
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        if calls and content.get("role") != "model":
            found.append(f"{place}: a call that no model made")
        if calls and i > 0 and body["contents"][i - 1].get("role") == "model":
            found.append(f"{place}: calls right behind another turn of the model")
        signed = ["thoughtSignature" in part for part in parts if "functionCall" in part]
        if any(signed) and not signed[0]:
            found.append(f"{place}: the first call is not the signed one")
        ids = [call["id"] for call in calls if call.get("id")]
        if len(set(ids)) < len(ids):
            found.append(f"{place}: one call id twice")
    if calls:
        found.append("calls without responses at the end")
    for tool in body.get("tools") or []:
        for declaration in tool.get("functionDeclarations") or []:
            if not GEMINI_NAME.fullmatch(declaration.get("name", "")):
                found.append(f"a tool named {declaration.get('name')!r}")
    return found + _marked(body)


def _gemini_responses(place: str, content: Body, calls: list[Body]) -> list[str]:
    """As many responses as calls, in their order, in the one content behind them, and before all else in it."""
    parts = content.get("parts") or []
    is_response = ["functionResponse" in part for part in parts]
    responses = [part["functionResponse"] for part in parts if "functionResponse" in part]
    found = []
    if responses and content.get("role") != "user":
        found.append(f"{place}: a response that no user gave")
    if is_response != sorted(is_response, reverse=True):
        found.append(f"{place}: a response behind other parts")
    if [call["name"] for call in calls] != [response.get("name") for response in responses]:
        found.append(f"{place}: {len(responses)} responses for {len(calls)} calls, or under other names")
    for call, response in zip(calls, responses):
        if call.get("id") != response.get("id"):
            found.append(f"{place}: the response to {call.get('id')} says {response.get('id')}")
    for response in responses:
        held = response.get("response")
        if held is None:
            found.append(f"{place}: a functionResponse without a response")
        elif "error" in held and "output" in held:
            found.append(f"{place}: both an output and an error")
        elif _holds(held, "$ref"):
            found.append(f"{place}: a $ref points to a part")
    return found


def _holds(node: Any, key: str) -> bool:
    if isinstance(node, dict):
        return key in node or any(_holds(value, key) for value in node.values())
    return isinstance(node, list) and any(_holds(item, key) for item in node)


def bedrock(body: Body) -> list[str]:
    found: list[str] = []
    messages = body.get("messages") or []
    used = False
    calls: list[str] = []
    for i, message in enumerate(messages):
        place = f"messages[{i}]"
        if message["role"] == (messages[i - 1]["role"] if i else "assistant"):
            found.append(f"{place}: {message['role']} again, or first")
        if not message["content"]:
            found.append(f"{place}: no content")
        blocks = [block["toolResult"] for block in message["content"] if "toolResult" in block]
        results = [block for block in blocks if message["role"] == "user"]
        answered = [result["toolUseId"] for result in results]
        if sorted(answered) != sorted(calls):
            found.append(f"{place}: results {answered} for calls {calls}")
        uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        calls = [use["toolUseId"] for use in uses if use.get("type") != "server_tool_use"]
        used = used or bool(uses or blocks)
        if len(set(calls)) < len(calls):
            found.append(f"{place}: one call id twice")
        if calls and message["role"] != "assistant":
            found.append(f"{place}: a call that no model made")
        if any(not isinstance(use["input"], dict) for use in uses):
            found.append(f"{place}: an input that is no object")
        if any("text" in block and not block["text"].strip() for block in message["content"]):
            found.append(f"{place}: blank text")
        if any("document" in block for block in message["content"]) and not any(
            "text" in block for block in message["content"]
        ):
            found.append(f"{place}: a document without a text beside it")
        for result in blocks:
            found += [f"{place}: {problem}" for problem in _bedrock_result(result)]
    held = [block for message in messages for block in message["content"]]
    held += [part for block in held if "toolResult" in block for part in block["toolResult"]["content"]]
    names = [block["document"]["name"].lower() for block in held if "document" in block]
    if len(set(names)) < len(names):
        found.append(f"two documents of one name: {sorted(names)}")
    if calls:
        found.append(f"calls without a result: {calls}")
    if any("text" in block and not block["text"].strip() for block in body.get("system") or []):
        found.append("system: blank text")
    if used and not (body.get("toolConfig") or {}).get("tools"):
        found.append("toolConfig: missing, though tools were used")
    return found + _marked(body)


def _bedrock_result(result: Body) -> list[str]:
    found = []
    if result.get("status") == "error" and not result["content"]:
        found.append("a failing result without content")
    for part in result["content"]:
        if "json" in part and not isinstance(part["json"], dict):
            found.append("a result whose json is no object")
        if "text" in part and not part["text"].strip():
            found.append("blank text in a result")
    return found


def mcp(body: Body) -> list[str]:
    found = []
    old = body["protocol"] < "2026-07-28"
    results = [body["result"]] if "result" in body else [entry["result"] for entry in body.get("results", [])]
    for result in results:
        if result.get("resultType", "complete") == "input_required" and ("isError" in result or "content" in result):
            found.append("input_required is no completed call and declares no outcome")
        if "is_error" in result:
            found.append("the wire spelling is isError")
        if old and not isinstance(result.get("structuredContent", {}), dict):
            found.append("structuredContent must be an object in this protocol")
        if old and "resultType" in result:
            found.append("resultType does not exist in this protocol")
    return found


def _marked(body: Body) -> list[str]:
    """The private marker never reaches a provider."""

    def places(node: Any, place: str) -> list[str]:
        if isinstance(node, dict):
            here = [f"{place}.{MARKER}: the private marker"] if MARKER in node else []
            return here + [found for key, value in node.items() for found in places(value, f"{place}.{key}")]
        if isinstance(node, list):
            return [found for i, value in enumerate(node) for found in places(value, f"{place}[{i}]")]
        return []

    return places(body, "$")


LINT: dict[str, Callable[[Body], list[str]]] = {
    "chat": chat,
    "responses": responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "bedrock": bedrock,
    "mcp": mcp,
}
