"""Loads the traces of a run as the framework's own resume and replay do, and prints what they hold.

inspect_run.py RUN_FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from shown import node
from verifiers.v1 import graph
from verifiers.v1.episode import WireEpisode
from verifiers.v1.trace import WireTrace
from verifiers.v1.utils.trace_store import TRACES_FILE


def inspected(trace: Any) -> dict[str, Any]:
    again = WireTrace.model_validate(trace.model_dump(mode="json"))
    return {
        "prompt": trace.task.data.prompt_text,
        "errors": [f"{error.type}: {error.message[-300:]}" for error in trace.errors],
        "branches": trace.num_branches,
        "rewards": {name: reward and reward.score for name, reward in trace.rewards.items()},
        "nodes": [node(n) for n in trace.nodes],
        "hashes_after_reload": [graph.message_hash(n.message) for n in again.nodes],
        # Each branch stated anew to the graph that was loaded: how much of it is found there, and how long it is.
        "found_again": [
            [len(graph.prepare_turn(again, branch.messages, branch.tools).prefix_node_ids), len(branch.messages)]
            for branch in again.branches
        ],
    }


lines = (Path(sys.argv[1]) / TRACES_FILE).read_text().splitlines()
episodes = [WireEpisode.model_validate_json(line) for line in lines]
print(json.dumps([inspected(trace) for episode in episodes for trace in episode.traces]))
