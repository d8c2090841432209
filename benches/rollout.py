"""What a turn of a rollout costs: the request path of toolwire, beside that of a host framework.

    python benches/rollout.py [--against verifiers] [--dialect chat] [--only text,screenshots,first,memory,hash]
                              [--turns 200] [--repeats 5] [--json out.json] [--plot out.svg]

`text` and `screenshots` send the 200 bodies of a rollout, each the whole conversation so far. `cold` reads 96 MiB of
other memory before each turn, as a server with many rollouts does; `warm` does not. `first` is a body that has not been
seen: `resumed`, where the graph (the trace, with its index) holds the conversation, as after a restart or where a
rollout was dropped to save memory; `unknown`, where it does not.

All sides take turns in one process on equal bytes. What belongs to a turn alone is let go of before the next, off the
clock: by then a server has sent the provider's body. Times are CPU time of the thread with the garbage collector off,
less what reading the clock costs; every ratio compares the same statistic on both sides, the minimum over the repeats
or, in parentheses, the median. The floor is a comparison and a copy of every byte. A commit is measured, but is no part
of a total: both sides have a model to wait for before it.
"""

import argparse
import gc
import importlib.util
import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chart import Panel, draw
from hashes import hash_rows
from held import held_rows
from sides import Floor, Segments, Side, Toolwire, Verifiers, clock
from workloads import MIB, WIRES, Workload, first_loads, screenshot_rollout, text_rollout

SECTIONS = ("text", "screenshots", "first", "memory", "hash")

Sides = dict[str, type[Side]]
WALKED = 96 * MIB


class Walk:
    """Reads other memory, so that the caches hold nothing of the rollout."""

    def __init__(self) -> None:
        # Not zeros: pages of zeros may all be one page.
        self.memory = b"\x01" * WALKED

    def __call__(self) -> None:
        assert self.memory.count(b"\x02") == 0


@dataclass
class Course:
    """The seconds of one side in one rollout: per stage, then per turn."""

    stages: dict[str, list[float]]
    commits: list[float] = field(default_factory=list)
    last: bytes = b""

    def turn(self, n: int) -> float:
        return sum(times[n] for times in self.stages.values())

    def total(self) -> float:
        return sum(map(sum, self.stages.values()))


def course(kind: type[Side], load: Workload, walk: Callable[[], None] | None) -> Course:
    side = kind(load.wire.name)
    done = Course({stage: [] for stage in kind.stages})
    gc.collect()
    gc.disable()
    for n in range(load.turns):
        body = load.body(n)
        side.settle()
        side.ready(body)
        if walk:
            walk()
            clock()  # Its own code is no part of a path.
        for times, took in zip(done.stages.values(), side.turn(body)):
            times.append(took)
        if kind is not Floor:
            assert side.known() == load.known(n), f"turn {n}: knows {side.known()} of {load.known(n)} messages"
        done.commits.append(side.commit(load.answers[n]))
    gc.enable()
    done.last = side.upstream()
    return done


@dataclass
class Pair:
    """A statistic over the repeats, twice."""

    least: float
    median: float

    @classmethod
    def of(cls, values: list[float]) -> "Pair":
        return cls(min(values), statistics.median(values))

    def over(self, other: "Pair") -> str:
        return f"{self.least / other.least:.4g}x ({self.median / other.median:.4g}x)"

    def ms(self) -> str:
        return f"{self.least * 1e3:.3f} ({self.median * 1e3:.3f})"


def table(rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        first, *rest = (cell.ljust(w) if n == 0 else cell.rjust(w) for n, (cell, w) in enumerate(zip(row, widths)))
        print("  " + "  ".join([first, *rest]).rstrip())


def rollout_section(
    name: str, load: Workload, kinds: Sides, repeats: int, walk: Callable[[], None] | None
) -> dict[str, Any]:
    """Runs every side `repeats` times, in turn, and prints stages, totals, ratios and growth."""
    sent = sum(len(load.body(n)) for n in range(load.turns))
    heat = "caches walked cold between turns" if walk else "warm caches"
    print(
        f"\n{load.wire.name}, {name}, {heat}: {load.turns} turns, {sent / MIB:.1f} MiB of requests, {repeats} repeats"
    )
    runs: dict[str, list[Course]] = {side: [] for side in kinds}
    for repeat in range(repeats):
        order = list(kinds) if repeat % 2 == 0 else list(kinds)[::-1]
        for side in order:
            runs[side].append(course(kinds[side], load, walk))
    bodies = {side: json.loads(done[0].last) for side, done in runs.items() if side != "floor"}
    assert all(body == bodies["toolwire"] for body in bodies.values()), "the provider's bodies differ"

    totals = {side: Pair.of([run.total() for run in done]) for side, done in runs.items()}
    rows = [
        ["ms a rollout, least (median)", "stage", "total", "commit, apart", "against toolwire", "against the floor"]
    ]
    for side, done in runs.items():
        commits = Pair.of([sum(run.commits) for run in done])
        ratios = [totals[side].over(totals["toolwire"]), totals[side].over(totals["floor"])]
        rows.append([side, "", totals[side].ms(), commits.ms() if side != "floor" else "", *ratios])
        for stage in kinds[side].stages:
            rows.append(["  " + stage, Pair.of([sum(run.stages[stage]) for run in done]).ms(), "", "", "", ""])
    table(rows)

    per_turn = {side: [min(run.turn(n) for run in done) for n in range(load.turns)] for side, done in runs.items()}
    growth = {}
    if load.turns >= 50:
        early, late = range(14, 25), range(load.turns - 11, load.turns)
        print(f"  a turn's cost, turns 15 to 25 and the last 11 of {load.turns}, medians:")
        for side, costs in per_turn.items():
            one, other = (statistics.median(costs[n] for n in turns) for turns in (early, late))
            growth[side] = other / one
            print(f"    {side:20s} {one * 1e6:9.1f} us  {other * 1e6:9.1f} us  {other / one:5.2f}x")
    retried = retry(load, kinds, min(repeats, 5)) if walk is None else {}
    return {
        "bytes": sent,
        "total_s": {side: vars(total) for side, total in totals.items()},
        "stages_s": {
            side: {stage: vars(Pair.of([sum(run.stages[stage]) for run in done])) for stage in kinds[side].stages}
            for side, done in runs.items()
        },
        "commit_s": {side: vars(Pair.of([sum(run.commits) for run in done])) for side, done in runs.items()},
        "per_turn_s": per_turn,
        "growth": growth,
        "retry_s": retried,
    }


def retry(load: Workload, kinds: Sides, repeats: int) -> dict[str, Any]:
    """The last request once more: what it takes to see that it is the one that was answered."""
    needed = {"toolwire": ("receive", "retry_key"), "verifiers": ("from_json", "apply_overrides", "_body_digest")}
    took: dict[str, Pair] = {}
    for side, stages in needed.items():
        if side not in kinds:
            continue
        one = kinds[side](load.wire.name)
        gc.disable()
        for n in range(load.turns):
            one.settle()
            one.turn(load.body(n))
            one.commit(load.answers[n])
        key, samples = one.key, []
        for _ in range(repeats):
            one.settle()
            times = dict(zip(one.stages, one.turn(load.body(load.turns - 1))))
            samples.append(sum(times[stage] for stage in stages))
            assert one.key == key
        gc.enable()
        took[side] = Pair.of(samples)
    ratio = f", {took['verifiers'].over(took['toolwire'])}" if "verifiers" in took else ""
    print(
        "  the last request recognised as a retry, ms: " + ", ".join(f"{s} {t.ms()}" for s, t in took.items()) + ratio
    )
    return {side: vars(pair) for side, pair in took.items()}


def first_section(wire: str, kinds: Sides, repeats: int) -> dict[str, Any]:
    """Bodies that nobody has seen: everything is parsed and hashed."""
    print(f"\n{wire}, first sight of a body, {repeats} repeats, ms, least (median)")
    ratio = "verifiers / toolwire" if "verifiers" in kinds else "toolwire / floor"
    rows = [["body", "conversation", "bytes", *kinds, ratio]]
    out: dict[str, Any] = {}
    for name, load in first_loads(WIRES[wire]).items():
        for held in ("resumed", "unknown"):
            samples: dict[str, list[float]] = {side: [] for side in kinds}
            for repeat in range(repeats):
                for side in list(kinds) if repeat % 2 == 0 else list(kinds)[::-1]:
                    one, body = kinds[side](wire), load.whole()
                    if held == "resumed":
                        one.resume(body, load.answers[-1])
                        body = load.whole()
                    one.ready(body)
                    gc.collect(0)
                    gc.disable()
                    samples[side].append(sum(one.turn(body)))
                    gc.enable()
                    if side != "floor":
                        assert one.known() == (load.count() if held == "resumed" else 0)
            took = {side: Pair.of(values) for side, values in samples.items()}
            top, low = ("verifiers", "toolwire") if "verifiers" in took else ("toolwire", "floor")
            shown = [pair.ms() for pair in took.values()]
            rows.append([name, held, str(len(load.whole())), *shown, took[top].over(took[low])])
            out[f"{name} {held}"] = {side: vars(pair) for side, pair in took.items()}
    table(rows)
    return out


def plot(path: str, results: dict[str, Any], wire: str) -> None:
    panels = []
    for name in ("text", "screenshots"):
        measured = results.get(f"{wire} {name} warm")
        if measured:
            title = f"{wire}, {name}: {measured['bytes'] / MIB:,.0f} MiB of requests"
            panels.append(Panel(title, {side: [t * 1e6 for t in ts] for side, ts in measured["per_turn_s"].items()}))
    if panels:
        Path(path).write_text(draw(panels, x="turn", y="CPU time of a turn, µs"), encoding="utf-8")
        print(f"\nwrote {path}")


def at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", choices=["verifiers"], help="measure its path beside ours, where it is installed")
    parser.add_argument("--dialect", default=",".join(WIRES), help="some of %(default)s; the plot shows the first")
    parser.add_argument("--only", default=",".join(SECTIONS), help="some of %(default)s")
    parser.add_argument("--turns", type=at_least_one, default=200, help="of a rollout; %(default)s")
    parser.add_argument("--repeats", type=at_least_one, default=5, help="of a measurement; %(default)s")
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument("--plot", metavar="FILE", help="draw the cost of each turn (SVG)")
    args = parser.parse_args()
    wires, only = args.dialect.split(","), args.only.split(",")
    if unknown := [name for name in wires if name not in WIRES] + [name for name in only if name not in SECTIONS]:
        parser.error(f"unknown: {', '.join(unknown)}")

    kinds: Sides = {"toolwire": Toolwire, "toolwire segments": Segments}
    if args.against:
        if importlib.util.find_spec("verifiers") is None:
            parser.error("--against verifiers: it is not installed here")
        kinds["verifiers"] = Verifiers
        print(f"against verifiers {Verifiers.version()}, Python {sys.version.split()[0]}")
    kinds["floor"] = Floor
    walk = Walk()
    results: dict[str, Any] = {}
    for wire in wires:
        if "text" in only:
            load = text_rollout(WIRES[wire], args.turns)
            for heat, walking in (("warm", None), ("cold", walk)):
                results[f"{wire} text {heat}"] = rollout_section("text", load, kinds, args.repeats, walking)
        if "screenshots" in only:
            load = screenshot_rollout(WIRES[wire], args.turns)
            results[f"{wire} screenshots warm"] = rollout_section("screenshots", load, kinds, args.repeats, None)
        if "first" in only:
            results[f"{wire} first"] = first_section(wire, kinds, 3 * args.repeats)
        if "memory" in only:
            results[f"{wire} memory"] = held_rows(wire, args.turns, bool(args.against))
    if "hash" in only:
        results["hash"] = hash_rows(bool(args.against), 3 * args.repeats)
    if args.json:
        Path(args.json).write_text(json.dumps(results, indent=1), encoding="utf-8")
    if args.plot:
        plot(args.plot, results, wires[0])


if __name__ == "__main__":
    main()
