"""What rollouts hold in memory, each kind measured in a process of its own.

Two figures: how much the process grew as the system sees it (RSS, after `malloc_trim`), and how much of malloc is in
use, which is exact but does not see Python's small objects. Linux with glibc only.
"""

import ctypes
import gc
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from sides import Side, Toolwire, Verifiers
from workloads import WIRES, Workload, screenshot_rollout, text_rollout

KINDS: dict[str, type[Side]] = {"toolwire": Toolwire, "verifiers": Verifiers}
LOADS = {"text": text_rollout, "screenshots": screenshot_rollout}

LIBC = ctypes.CDLL(None)


MALLINFO2 = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")


class Mallinfo(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_size_t) for name in MALLINFO2)


def in_use() -> tuple[int, int]:
    """RSS, and the bytes that malloc has given out."""
    gc.collect()
    LIBC.malloc_trim(0)
    LIBC.mallinfo2.restype = Mallinfo
    info = LIBC.mallinfo2()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096, info.uordblks + info.hblkhd


def served(side: str, load: Workload) -> Side:
    """A rollout that has run to its end."""
    one = KINDS[side](load.wire.name)
    for n in range(load.turns):
        body = load.body(n)
        one.turn(body)
        one.commit(load.answers[n])
    one.settle()
    return one


def kept(side: str, load: Workload, count: int) -> dict[str, Any]:
    """What one of `count` finished rollouts holds."""
    alive = [served(side, load)]
    before = in_use()
    alive += [served(side, load) for _ in range(count)]
    after = in_use()
    return {"rss": (after[0] - before[0]) / len(alive[1:]), "malloc": (after[1] - before[1]) / len(alive[1:])}


def dropped(side: str, load: Workload, marks: list[int]) -> dict[str, Any]:
    """RSS after so many rollouts opened and dropped."""
    rss: dict[str, Any] = {}
    for n in range(1, marks[-1] + 1):
        served(side, load)
        if n in marks:
            rss[str(n)] = in_use()[0]
    return rss


def child(task: dict[str, Any]) -> dict[str, Any]:
    """Runs a task of this module in a fresh interpreter."""
    command = [sys.executable, __file__, json.dumps(task)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def held_rows(wire: str, turns: int, against: bool) -> dict[str, Any]:
    out: dict[str, Any] = {}
    print(f"\n{wire}, memory of a finished rollout of {turns} turns; the limit: 1.15 x transcript + 300 B a message")
    for shape, make in LOADS.items():
        load = make(WIRES[wire], turns)
        transcript, messages = load.transcript(), 2 * turns + load.wire.instructions
        allowed = 1.15 * transcript + 300 * messages
        print(f"  {shape}: transcript {transcript:,} bytes in {messages} messages")
        for side in ("toolwire", "verifiers") if against else ("toolwire",):
            count = (50 if shape == "text" else 8) if side == "toolwire" else 4
            held = child({"side": side, "wire": wire, "shape": shape, "turns": turns, "count": count})
            out[f"{shape} {side}"] = {**held, "transcript": transcript, "messages": messages}
            each, share = max(0.0, held["malloc"] - transcript) / messages, max(held.values()) / allowed
            rss, malloc = (f"{held[how] / transcript:.2f} x transcript" for how in ("rss", "malloc"))
            print(
                f"    {side:10s} RSS {rss}, malloc {malloc}: {each:.0f} B a message above it; {share:.2f} of the limit"
            )
    marks = [200, 600, 1000]
    left = child({"side": "toolwire", "wire": wire, "shape": "text", "turns": 20, "marks": marks})
    shown = ", ".join(f"{int(n):,}: {size / 1e6:.1f} MB" for n, size in left.items())
    print(f"  RSS after rollouts of 20 turns opened and dropped: {shown}")
    out["dropped"] = left
    return out


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    workload = LOADS[job["shape"]](WIRES[job["wire"]], job["turns"])
    if "marks" in job:
        print(json.dumps(dropped(job["side"], workload, job["marks"])))
    else:
        print(json.dumps(kept(job["side"], workload, job["count"])))
