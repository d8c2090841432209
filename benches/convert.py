"""An agent's Anthropic request as a Chat Completions request, bytes to bytes, beside what else does it.

    python benches/convert.py [--repeats 15] [--messages 20 200 1000 10000]

Each peer gets the same bytes, reads and writes them with orjson, and runs in turn with the others in this process, in
CPU time of the thread. The first is the shortest honest converter one writes by hand; litellm and llm-rosetta are
measured where they are installed. The figures are how many times as long as toolwire each takes; more is better for
toolwire. Not every peer keeps what toolwire keeps: none but the first says at all which result failed.
"""

import argparse
import contextlib
import gc
import json
import os
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import orjson
import toolwire

PLAIN = ("line of tool output 0123456789 abcdef | " * 52)[:2048]
ESCAPED = ('{"row": 12, "path": "C:\\\\logs"}\tline of tool output\n' * 40)[:2048]

Convert = Callable[[bytes], bytes]


def anthropic_body(messages: int, output: str) -> bytes:
    """A call and a result of about 2 KiB in turn; every seventh result failed."""
    out: list[dict[str, Any]] = [{"role": "user", "content": "do the task"}]
    for n in range((messages - 1) // 2):
        call = {"type": "tool_use", "id": f"toolu_{n:06d}", "name": "bash"}
        call["input"] = {"cmd": f"ls -la /srv/{n}", "timeout": 30}
        out.append({"role": "assistant", "content": [{"type": "text", "text": f"step {n}"}, call]})
        result = {"type": "tool_result", "tool_use_id": f"toolu_{n:06d}"}
        result["content"] = [{"type": "text", "text": f"{n}:{output}"}]
        out.append({"role": "user", "content": [result | ({"is_error": True} if n % 7 == 0 else {})]})
    schema = {"type": "object", "properties": {"cmd": {"type": "string"}, "timeout": {"type": "integer"}}}
    tool = {"name": "bash", "description": "run", "input_schema": schema | {"required": ["cmd"]}}
    body = {"model": "gpt-4o", "max_tokens": 1024, "system": "You are an agent.", "messages": out, "tools": [tool]}
    return json.dumps(body).encode()


def by_hand(request: dict[str, Any]) -> dict[str, Any]:
    out: list[dict[str, Any]] = [{"role": "system", "content": request["system"]}] if request.get("system") else []
    for message in request["messages"]:
        content = message["content"]
        if isinstance(content, str):
            out.append({"role": message["role"], "content": content})
        elif message["role"] == "assistant":
            said = "".join(block["text"] for block in content if block["type"] == "text")
            calls = [
                {
                    "id": block["id"],
                    "type": "function",
                    "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
                }
                for block in content
                if block["type"] == "tool_use"
            ]
            out.append({"role": "assistant", "content": said or None, **({"tool_calls": calls} if calls else {})})
        else:
            for block in content:
                if block["type"] == "tool_result":
                    text = block["content"]
                    if not isinstance(text, str):
                        text = "".join(part["text"] for part in text if part["type"] == "text")
                    text = f"Tool execution failed:\n{text}" if block.get("is_error") else text
                    out.append({"role": "tool", "tool_call_id": block["tool_use_id"], "content": text})
    tools = [
        {
            "type": "function",
            "function": {"name": t["name"], "description": t["description"], "parameters": t["input_schema"]},
        }
        for t in request["tools"]
    ]
    return {"model": request["model"], "messages": out, "tools": tools}


def peers() -> dict[str, Convert]:
    found: dict[str, Convert] = {"by hand": lambda body: orjson.dumps(by_hand(orjson.loads(body)))}
    os.environ |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR"}
    warnings.simplefilter("ignore")
    with contextlib.suppress(ImportError):
        from litellm.llms.anthropic.messages.adapters.transformation import (
            LiteLLMAnthropicMessagesAdapter,
        )

        adapter = LiteLLMAnthropicMessagesAdapter()

        def litellm(body: bytes) -> bytes:
            written = adapter.translate_anthropic_to_openai(orjson.loads(body))
            written = written[0] if isinstance(written, tuple) else written
            return orjson.dumps(written)

        found["litellm"] = litellm
    with contextlib.suppress(ImportError):
        import llm_rosetta

        def rosetta(body: bytes) -> bytes:
            pipeline = llm_rosetta.ConversionPipeline("anthropic", "openai_chat")
            return orjson.dumps(pipeline.convert_request(orjson.loads(body)))

        found["llm-rosetta"] = rosetta
    return found


def measure(steps: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The median of each step in microseconds, the steps in turn so that all see the same machine."""
    loops = {}
    for name, step in steps.items():
        start = time.perf_counter()
        step()
        loops[name] = max(1, int(0.02 / max(time.perf_counter() - start, 1e-7)))
    samples: dict[str, list[float]] = {name: [] for name in steps}
    gc.disable()
    for _ in range(repeats):
        for name, step in steps.items():
            start = time.thread_time()
            for _ in range(loops[name]):
                step()
            samples[name].append((time.thread_time() - start) / loops[name] * 1e6)
        gc.collect()
    gc.enable()
    return {name: statistics.median(values) for name, values in samples.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--messages", type=int, nargs="+", default=[20, 200, 1000, 10000])
    options = parser.parse_args()
    found = peers()
    print(f"{'messages':>8}  {'output':8}  {'toolwire, ms':>12}  " + "  ".join(f"{name:>12}" for name in found))
    for messages in options.messages:
        for name, output in (("plain", PLAIN), ("escaped", ESCAPED)):
            body = anthropic_body(messages, output)
            steps: dict[str, Callable[[], object]] = {
                "toolwire": lambda body=body: toolwire.convert(body, source="anthropic", target="chat").body
            }
            steps |= {peer: lambda convert=convert, body=body: convert(body) for peer, convert in found.items()}
            took = measure(steps, options.repeats if messages < 5000 else 3)
            ratios = "  ".join(f"{took[peer] / took['toolwire']:11.1f}x" for peer in found)
            print(f"{messages:>8}  {name:8}  {took['toolwire'] / 1000:12.3f}  {ratios}")


if __name__ == "__main__":
    main()
