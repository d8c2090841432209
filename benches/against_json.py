"""What toolwire costs beside Python's JSON alone: parse, render, convert, seal and hash at 20, 200 and 1,000 messages.

    python benches/against_json.py [--repeats 15]

Every row is measured interleaved with `json` and `orjson` on the same bytes in this process, in CPU time of the
thread. A ratio above 1 says that the toolwire step is that many times faster than the JSON step next to it: `loads`
for steps that read bytes, `dumps` for those that only write, both for steps that do both. Ratios are what counts;
absolute times belong to the machine.
"""

import argparse
import gc
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import orjson
import toolwire

OUTPUT = ("line of tool output 0123456789 abcdef | \n" * 50)[:2048]


def chat_body(messages: int) -> dict[str, Any]:
    """A call and a result of about 2 KiB in turn; every seventh result failed."""
    out: list[dict[str, Any]] = [{"role": "user", "content": "do the task"}]
    for n in range(messages // 2):
        arguments = json.dumps({"cmd": f"ls -la /srv/{n}", "timeout": 30})
        call = {"id": f"call_{n}", "type": "function", "function": {"name": "bash", "arguments": arguments}}
        out.append({"role": "assistant", "content": f"step {n}", "tool_calls": [call]})
        result = {"role": "tool", "tool_call_id": f"call_{n}", "content": f"{n}:{OUTPUT}"}
        out.append(result | ({"_vf_is_error": True} if n % 7 == 0 else {}))
    return {"model": "m", "messages": out}


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
    gc.enable()
    return {name: statistics.median(values) for name, values in samples.items()}


def rows(messages: int) -> tuple[int, dict[str, Callable[[], object]], dict[str, tuple[str, ...]]]:
    chat, anthropic = toolwire.ChatDialect(), toolwire.AnthropicDialect()
    body = chat_body(messages)
    data = json.dumps(body).encode()
    request = chat.parse_request(data)
    as_anthropic = toolwire.convert(data, source="chat", target="anthropic").body
    back = anthropic.parse_request(as_anthropic)
    steps: dict[str, Callable[[], object]] = {
        "json.loads": lambda: json.loads(data),
        "json.dumps": lambda: json.dumps(body),
        "orjson.loads": lambda: orjson.loads(data),
        "orjson.dumps": lambda: orjson.dumps(body),
        "parse chat": lambda: chat.parse_request(data),
        "parse anthropic": lambda: anthropic.parse_request(as_anthropic),
        "render chat": lambda: chat.render_request(request).to_json(),
        "render anthropic": lambda: anthropic.render_request(back).to_json(),
        "convert anthropic to chat": lambda: toolwire.convert(as_anthropic, source="anthropic", target="chat").body,
        "convert chat to responses": lambda: toolwire.convert(data, source="chat", target="responses").body,
        "seal, some marked": lambda: chat.seal(data),
        "hash every message": lambda: toolwire.prefix_hashes(request.messages),
    }
    loads, dumps = ("loads",), ("dumps",)
    against = {
        "parse chat": loads,
        "parse anthropic": loads,
        "render chat": dumps,
        "render anthropic": dumps,
        "convert anthropic to chat": loads + dumps,
        "convert chat to responses": loads + dumps,
        "seal, some marked": loads + dumps,
        "hash every message": loads,
    }
    return len(data), steps, against


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--repeats", type=int, default=15)
    repeats = arguments.parse_args().repeats
    per_message: dict[str, list[float]] = {}
    for messages in (20, 200, 1000):
        size, steps, against = rows(messages)
        took = measure(steps, repeats)
        print(f"\n{messages} messages, {size / 1024:.0f} KiB")
        print(f"{'step':<28}{'µs':>10}{'against':>16}{'json':>8}{'orjson':>8}")
        for name, parts in against.items():
            ratios = [sum(took[f"{module}.{part}"] for part in parts) / took[name] for module in ("json", "orjson")]
            print(f"{name:<28}{took[name]:>10.1f}{'+'.join(parts):>16}" + "".join(f"{r:>7.1f}x" for r in ratios))
            per_message.setdefault(name, []).append(took[name] / messages)
    print("\nµs per message at 20, 200 and 1,000 messages (the same in each column: linear)")
    for name, costs in per_message.items():
        print(f"{name:<28}" + "".join(f"{cost:>10.2f}" for cost in costs))


if __name__ == "__main__":
    main()
