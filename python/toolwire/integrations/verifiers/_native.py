"""The native path: a request whose history came before is read by `Rollout`, and only what is new becomes messages.

The framework hands its server the raw body. `Rollout` compares it with the bytes that it has, and says what is new; the
framework's own dialect reads the new elements, and the messages in front of them are the ones that it read before. What
goes to the provider is spliced from the bytes that came. Everything odd takes the ordinary way, through the whole body.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import from_json
from verifiers.v1 import graph
from verifiers.v1.clients.eval import EvalClient
from verifiers.v1.clients.train import TrainClient
from verifiers.v1.types import AssistantMessage, Request, ToolMessage

import toolwire
from toolwire.integrations.verifiers._body import MARKER, PUBLIC, Received, Spliced
from toolwire.integrations.verifiers._dialects import Declared, Marked, OutcomeChatDialect

logger = logging.getLogger(__name__)

current: ContextVar[Exchange | None] = ContextVar("toolwire_exchange", default=None)
"""The request that is being served."""

# Items of the Responses API that declare tools in the midst of a conversation: a request has the tools of all of it.
_DECLARING = ("additional_tools", "tool_search_output")

# So many bodies of a rollout are found odd, one after the other, before the rest of them are not looked at.
_ODD = 3


@dataclass
class Around:
    """What stands around the messages, read."""

    text: bytes
    body: dict[str, Any]
    tools: list[Any] | None


@dataclass
class History:
    """What one rollout has said on one wire."""

    rollout: Any
    messages: dict[int, Any] = field(default_factory=dict)
    """By the node of the rollout's graph: the message as it was first read, a copy that nobody else has."""
    ambiguous: set[int] = field(default_factory=set)
    """Nodes that were spelled in ways that the framework reads as different messages: another name, or silence in the
    place of an outcome. Bytes do not tell which."""
    hashes: dict[int, str] = field(default_factory=dict)
    """Of these messages, by their ids; they are kept, so no id is used again."""
    around: Around | None = None
    tools_hash: str | None = None
    """Of the tools that stand around the messages."""
    odd: int = 0

    def tools_hash_of(self, tools: Any, hash: Callable[[Any], str]) -> str:
        """The framework's hash of the tools of a request."""
        known = self.around.tools if self.around is not None else None
        if not known or not tools or len(tools) != len(known) or any(a is not b for a, b in zip(tools, known)):
            return hash(tools)
        if self.tools_hash is None:
            self.tools_hash = hash(tools)
        return self.tools_hash

    def known(self, node: int | None) -> list[Any] | None:
        """The messages up to a node; None where that cannot be told."""
        path = () if node is None else self.rollout.graph.path(node)
        if self.ambiguous and not self.ambiguous.isdisjoint(path):
            return None
        return [self.messages[node] for node in path]


class Exchange:
    """One request that the server handles."""

    def __init__(self, session: Any, dialect: Declared) -> None:
        self.session: Any = session
        self.dialect = dialect
        self.history: History | None = None
        self.hashes: dict[int, tuple[Any, str]] = {}
        """Of the messages that this request brought, with each, by their ids."""
        self.is_read = False

    def close(self) -> None:
        """Lets go of everything: a connection that was opened while a request was served may keep this for long."""
        self.session = self.history = None
        self.hashes.clear()

    def brought_hash(self, message: Any) -> str | None:
        """The hash of a message that this request brought."""
        brought = self.hashes.get(id(message))
        return None if brought is None else brought[1]

    def receive(self, raw: bytes) -> Received | None:
        """Reads a body; None where it must be read the ordinary way."""
        if self.is_read:
            return None
        self.is_read = True
        session = self.session
        if type(session.client) not in (EvalClient, TrainClient) or session.network_policy.network_restricted:
            return None
        histories = vars(session).setdefault("_toolwire_histories", {})
        history = histories.get(self.dialect.upstream_path)
        if history is None:
            history = histories[self.dialect.upstream_path] = History(toolwire.Rollout(self.dialect.wire))
        if history.odd >= _ODD:
            return None
        try:
            turn = history.rollout.receive(raw)
            request = self.request(history, turn)
        except Exception:
            # The ordinary way finds the same, and has the sentence for it.
            logger.debug("a request is read the ordinary way", exc_info=True)
            request = None
        if request is None:
            history.odd += 1
            return None
        history.odd = 0
        self.history = history
        received = Received()
        received.spliced = lambda model, sampling: self.spliced(raw, turn, request, model, sampling)
        return received

    def request(self, history: History, turn: Any) -> Any:
        """The request as the framework's dialect reads it; None where that cannot be told from the new elements."""
        dialect = self.dialect
        fresh = turn.fresh
        known = None if fresh is None else history.known(fresh[0])
        if known is None:
            return None
        new = from_json(fresh[1])
        if isinstance(dialect, Marked) and any(is_odd(element) for element in new):
            return None
        elsewhere = PUBLIC if isinstance(dialect, Marked) else MARKER
        if any(elsewhere in result for _, result in dialect.results({dialect.key: new})):
            return None
        around = history.around
        if around is None or around.text != turn.around:
            body = from_json(turn.around)
            around = Around(turn.around, body, dialect.parse_request(dialect.sealed(body)).tools)
        messages = read(dialect, {dialect.key: new} if known else {**around.body, dialect.key: new}, known)
        if joins(dialect, known, messages):
            return None
        end = turn.commit_prompt()
        nodes = () if end is None else history.rollout.graph.path(end)[len(known) :]
        if len(nodes) != len(messages):
            # Messages of the framework and of the rollout do not go side by side, and its bytes are known from now on.
            history.odd = _ODD
            return None
        if history.around is not around:
            history.around, history.tools_hash = around, None
        self.remember(history, nodes, messages)
        # Not validated: the messages were, when they were read.
        return Request.model_construct(
            _fields_set={"messages", "tools"}, messages=[*known, *messages], tools=around.tools
        )

    def remember(self, history: History, nodes: tuple[int, ...], messages: list[Any]) -> None:
        """Keeps what was read. The trace gets the messages themselves, which are anybody's to change."""
        for node, message in zip(nodes, messages):
            hash = graph.message_hash(message)
            self.hashes[id(message)] = (message, hash)
            first = history.messages.get(node)
            if first is None:
                first = history.messages[node] = message.model_copy(deep=True)
                history.hashes[id(first)] = hash
            elif first != message or first.model_fields_set != message.model_fields_set:
                history.ambiguous.add(node)

    def spliced(self, raw: bytes, turn: Any, request: Any, model: str, sampling: Any) -> Spliced:
        """The provider's body."""
        dialect = self.dialect
        assert self.history is not None
        assert self.history.around is not None

        def whole() -> Any:
            return dialect.apply_overrides(body_of(raw), model, sampling)

        around = dialect.overridden(self.history.around.body, model, sampling)
        around.pop(dialect.key)
        return Spliced(around, dialect.key, request, lambda: turn.upstream(model, sampling), whole)


def body_of(raw: bytes) -> Any:
    """A body, read as the framework's server reads it."""
    try:
        return from_json(raw)
    except ValueError:
        return json.loads(raw)


def is_odd(element: Any) -> bool:
    """Is an element one that the ordinary way must read?"""
    return not isinstance(element, dict) or element.get("type") in _DECLARING


def read(dialect: Declared, body: dict[str, Any], known: list[Any]) -> list[Any]:
    """The messages of the new elements; a chat result without a name has that of the call which it answers."""
    messages: list[Any] = dialect.read(body).messages
    if known and isinstance(dialect, OutcomeChatDialect):
        for message in messages:
            if isinstance(message, ToolMessage) and message.name is None:
                name = called(known, message.tool_call_id)
                if name is not None:
                    message.name = name
    return messages


def called(messages: list[Any], call_id: str) -> str | None:
    """The name of the last call with an id."""
    for message in reversed(messages):
        if isinstance(message, AssistantMessage):
            for call in reversed(message.tool_calls or []):
                if call.id == call_id:
                    name: str = call.name
                    return name
    return None


def joins(dialect: Declared, known: list[Any], messages: list[Any]) -> bool:
    """Would the first of the messages have become one with the last known one? In Responses a turn is several items."""
    if dialect.key != "input" or not known or not messages:
        return False
    return isinstance(known[-1], AssistantMessage) and isinstance(messages[0], AssistantMessage)
