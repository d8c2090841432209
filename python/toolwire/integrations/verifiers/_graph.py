"""The framework's graph: messages are told apart by toolwire's identity, and none is hashed twice for one request."""

from __future__ import annotations

from typing import Any

import toolwire
from toolwire._errors import ToolwireError
from toolwire.integrations.verifiers._native import current
from toolwire.integrations.verifiers._seams import Seams


def install(seams: Seams) -> None:
    """Changes `verifiers.v1.graph`."""
    graph, types = seams.module("verifiers.v1.graph"), seams.module("verifiers.v1.types")
    before = seams.look(graph, "message_hash", "message")
    kinds = (types.SystemMessage, types.UserMessage, types.AssistantMessage, types.ToolMessage)
    tools_hash = seams.look(graph, "_tools_hash", "tools")
    prepare = seams.look(graph, "prepare_turn", "trace, prompt, tools")
    node = seams.look(graph, "MessageNode")
    construct = seams.look(node, "model_construct")

    def message_hash(message: Any) -> str:
        # Asked some hundred times a turn: as short as it can be.
        exchange = current.get()
        if exchange is None or exchange.history is None:
            return identity(message)
        known = exchange.history.hashes.get(id(message))
        return known or exchange.brought_hash(message) or identity(message)

    def identity(message: Any) -> str:
        kind = type(message)
        if kind not in kinds:
            # What a class of the user's adds is no part of the message, nor is it for the framework.
            kind = next(base for base in kind.__mro__ if base in kinds)
            held = {name: getattr(message, name) for name in kind.model_fields if hasattr(message, name)}
            message = kind.model_construct(**held)
        try:
            return toolwire.message_hash(message)
        except ToolwireError:
            # Nested deeper than toolwire reads. Only what a provider said can be, and its digest is as good.
            return str(before(message))

    def prepare_turn(trace: Any, prompt: list[Any], tools: Any = None) -> Any:
        turn = prepare(trace, prompt, tools)
        exchange = current.get()
        if exchange is not None and exchange.history is not None:
            # What an earlier request brought and no answer committed: the trace gets messages that nobody else has.
            for place in range(turn.tail_start, len(prompt)):
                if id(prompt[place]) in exchange.history.hashes:
                    prompt[place] = prompt[place].model_copy(deep=True)
        return turn

    def known_tools_hash(tools: Any) -> str:
        exchange = current.get()
        if exchange is None or exchange.history is None:
            return str(tools_hash(tools))
        return exchange.history.tools_hash_of(tools, tools_hash)

    def model_construct(cls: Any, /, _fields_set: set[str] | None = None, **values: Any) -> Any:
        # pydantic looks for the signature of each factory of a field that is left out, which takes most of a commit.
        left_out: dict[str, Any] = {name: [] for name in _LISTS if name not in values}
        return construct.__func__(cls, set(values) if _fields_set is None else _fields_set, **left_out, **values)

    seams.replace(graph, "message_hash", message_hash)
    seams.replace(graph, "_tools_hash", known_tools_hash)
    seams.replace(graph, "prepare_turn", prepare_turn)
    seams.replace(node, "model_construct", classmethod(model_construct))


_LISTS = ("logprobs", "semantic_parents")
