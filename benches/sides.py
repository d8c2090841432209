"""The paths of a request that are measured against each other, one turn at a time, stage by stage.

A side is opened for one rollout. `turn` takes a body as it came from the socket and returns the CPU seconds of each
stage; `commit` takes the model's answer. What a turn made is kept until `settle` lets go of it, so that no side pays
for freeing it while the clock runs.
"""

import importlib.metadata
import json
import time
from itertools import pairwise
from typing import Any

import toolwire

clock = time.thread_time


def tick() -> float:
    """What reading the clock costs by itself; at half a microsecond a share of the cheaper stages."""
    samples = []
    for _ in range(2000):
        start = clock()
        samples.append(clock() - start)
    return sorted(samples)[len(samples) // 10]


TICK = tick()


def laps(*marks: float) -> tuple[float, ...]:
    """The times between marks, without that of the marks."""
    return tuple(max(0.0, end - start - TICK) for start, end in pairwise(marks))


MODEL, TEMPERATURE = "the-model", 1.0


class Side:
    """One rollout of one path."""

    stages: tuple[str, ...] = ()

    def __init__(self, wire: str) -> None:
        self.wire = wire
        self.made: Any = None
        self.pending: Any = None
        # Equal for a repeated request.
        self.key: Any = None

    def ready(self, body: bytes) -> None:
        """What must be at hand before the caches are walked; not measured."""

    def resume(self, body: bytes, answer: bytes) -> None:
        """Starts in front of a graph that holds a conversation, whose bytes this side has not seen; not measured."""

    def turn(self, body: bytes) -> tuple[float, ...]:
        raise NotImplementedError

    def commit(self, answer: bytes) -> float:
        return 0.0

    def known(self) -> int:
        """How many messages of the last body the graph knew."""
        raise NotImplementedError

    def upstream(self) -> bytes:
        """The provider's body that the last turn made."""
        return bytes(self.made)

    def settle(self) -> None:
        """Lets go of all that belongs to the last turn alone."""
        self.made = self.pending = None


class Toolwire(Side):
    """`Rollout.receive`, the key that replaces a digest of the request, and the provider's body as one `bytes`."""

    stages = ("receive", "retry_key", "upstream")

    def __init__(self, wire: str) -> None:
        super().__init__(wire)
        self.rollout = toolwire.Rollout(wire)
        self.sampling = {"temperature": TEMPERATURE}

    def resume(self, body: bytes, answer: bytes) -> None:
        # As from a journal: the graph holds typed messages, and no rollout has read a byte.
        self.rollout.receive(body).commit(answer)
        graph = toolwire.MessageGraph.from_jsonl(self.rollout.graph.to_jsonl())
        self.rollout = toolwire.Rollout(self.wire, graph)

    def turn(self, body: bytes) -> tuple[float, ...]:
        t0 = clock()
        self.pending = self.rollout.receive(body)
        t1 = clock()
        self.key = self.pending.retry_key
        t2 = clock()
        self.made = self.forward()
        t3 = clock()
        return laps(t0, t1, t2, t3)

    def forward(self) -> Any:
        return self.pending.upstream(model=MODEL, sampling=self.sampling)

    def commit(self, answer: bytes) -> float:
        t0 = clock()
        self.pending.commit(answer)
        return laps(t0, clock())[0]

    def known(self) -> int:
        return len(self.pending.known)


class Segments(Toolwire):
    """The same, the provider's body as pieces of the one that came in, for a scatter write."""

    stages = ("receive", "retry_key", "segments")

    def forward(self) -> Any:
        return self.pending.segments(model=MODEL, sampling=self.sampling)

    def upstream(self) -> bytes:
        return b"".join(self.made)


class Floor(Side):
    """What no path can be cheaper than that looks at every byte of a body and sends every byte on: compare and copy."""

    stages = ("compare", "copy")

    def ready(self, body: bytes) -> None:
        self.same = bytes(memoryview(body))

    def turn(self, body: bytes) -> tuple[float, ...]:
        t0 = clock()
        same = self.same == body
        t1 = clock()
        self.made = bytes(memoryview(body))
        t2 = clock()
        assert same
        return laps(t0, t1, t2)


class Verifiers(Side):
    """verifiers 0.4.0, its own functions in the order of its server, without hooks and without HTTP."""

    stages = ("from_json", "apply_overrides", "_body_digest", "parse_request", "prepare_turn", "to_json")

    def __init__(self, wire: str) -> None:
        super().__init__(wire)
        import verifiers.v1 as vf
        from pydantic_core import from_json, to_json
        from verifiers.v1 import graph
        from verifiers.v1.interception import server

        path = {"chat": "/chat/completions", "anthropic": "/v1/messages", "responses": "/responses"}[wire]
        self.dialect: Any = next(one for one in server.DIALECTS if one.upstream_path == path)
        self.from_json, self.to_json, self.digest = from_json, to_json, server._body_digest
        self.prepare = graph.prepare_turn
        self.sampling = vf.SamplingConfig(temperature=TEMPERATURE)
        task = vf.TraceTask(type="Task", data=vf.TaskData(idx=0, prompt="x"))
        self.parsed: Any = None
        self.trace = vf.Trace(agent=vf.AgentInfo(config=vf.AgentConfig()), task=task)

    @staticmethod
    def version() -> str:
        return importlib.metadata.version("verifiers")

    def resume(self, body: bytes, answer: bytes) -> None:
        # The trace has its index; a server that reads one from a file makes that first.
        self.turn(body)
        self.commit(answer)
        self.settle()

    def turn(self, body: bytes) -> tuple[float, ...]:
        t0 = clock()
        parsed = self.from_json(body)
        t1 = clock()
        steered = self.dialect.apply_overrides(parsed, MODEL, self.sampling)
        t2 = clock()
        self.key = self.digest(body)
        t3 = clock()
        request = self.dialect.parse_request(steered)
        t4 = clock()
        pending = self.prepare(self.trace, request.messages, request.tools)
        t5 = clock()
        made = self.to_json(steered, inf_nan_mode="null")
        t6 = clock()
        self.parsed, self.pending, self.made = (parsed, steered, request), pending, made
        return laps(t0, t1, t2, t3, t4, t5, t6)

    def commit(self, answer: bytes) -> float:
        raw = json.loads(answer)
        t0 = clock()
        self.pending.commit(self.dialect.parse_response(self.dialect.validate_response(raw)))
        return laps(t0, clock())[0]

    def known(self) -> int:
        return len(self.pending.prefix_node_ids)

    def settle(self) -> None:
        super().settle()
        self.parsed = None
