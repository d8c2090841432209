"""The framework's dialects, which read what a result declares and hand on sealed bodies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from verifiers.v1.dialects.anthropic import AnthropicDialect
from verifiers.v1.dialects.chat import ChatDialect
from verifiers.v1.dialects.responses import TEXT_TOOL_OUTPUT_TYPES, ResponsesDialect
from verifiers.v1.types import ToolMessage

import toolwire
from toolwire._errors import ShapeError, ToolwireError
from toolwire.integrations.verifiers._body import MARKER, PUBLIC, Body, Received, Spliced


class Declared:
    """What the three dialects have in common; it stands in front of the framework's class."""

    wire: ClassVar[Any]
    """The dialect of toolwire, which seals."""
    key: ClassVar[str]
    """Of the list of messages."""
    upstream_path: ClassVar[str]
    flag: ClassVar[str] = MARKER
    """Where a result declares its outcome."""

    def results(self, body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The results in a body, each with its path: as many as the framework reads tool messages, in their order."""
        raise NotImplementedError

    def apply_overrides(self, body: dict[str, Any], model: str, sampling: Any) -> Body:
        if isinstance(body, Received):
            return body.spliced(model, sampling)
        return self.sealed(self.overridden(body, model, sampling))

    def parse_request(self, body: dict[str, Any]) -> Any:
        if isinstance(body, Spliced) and body.upstream is not None:
            return body.request
        if not isinstance(body, Body):
            return self.read(body)
        if body.refused is not None:
            raise body.refused
        return self.read(self.readable(body))

    def parse_sampling(self, body: dict[str, Any]) -> Any:
        around = body.around if isinstance(body, Spliced) else body
        return super().parse_sampling(around)  # type: ignore[misc]

    def rewrite_request(self, body: dict[str, Any], before: Any, after: Any) -> None:
        if not isinstance(body, Body):
            super().rewrite_request(body, before, after)  # type: ignore[misc]
            return
        internal = body.internal
        super().rewrite_request(internal, before, after)  # type: ignore[misc]
        pairs = zip(tool_messages(before), tool_messages(after), strict=True)
        for (_, result), (old, new) in zip(self.results(internal), pairs, strict=True):
            if outcome_of(old) is not outcome_of(new):
                result.pop(self.flag, None)
                if outcome_of(new) is not None:
                    result[self.flag] = outcome_of(new)
        replace(body, self.sealed(internal))

    def mediate_external_capabilities(self, body: dict[str, Any], policy: Any) -> tuple[Body, list[str]]:
        internal = body.internal if isinstance(body, Body) else body
        mediated, paths = super().mediate_external_capabilities(internal, policy)  # type: ignore[misc]
        return self.sealed(mediated), paths

    def overridden(self, body: dict[str, Any], model: str, sampling: Any) -> dict[str, Any]:
        """A body with the overrides laid over it, neither marked nor sealed."""
        overridden: dict[str, Any] = super().apply_overrides(body, model, sampling)  # type: ignore[misc]
        return overridden

    def read(self, body: dict[str, Any]) -> Any:
        """The request in a body that holds markers or native outcomes."""
        request = super().parse_request(body)  # type: ignore[misc]
        for (_, result), message in zip(self.results(body), tool_messages(request), strict=True):
            outcome = result.get(self.flag)
            if isinstance(outcome, bool):
                message.is_error = outcome
        return request

    def readable(self, body: Body) -> dict[str, Any]:
        """The body without any marker but those of results, whose content has no label."""
        raise NotImplementedError

    def sealed(self, internal: dict[str, Any]) -> Body:
        """A body of the program as the provider gets it."""
        try:
            internal = self.marked(internal)
            body, refused = Body(self.wire.seal(internal)), None
        except ToolwireError as error:
            # Told where a request is parsed: there the server has an answer for it.
            body, refused = Body({key: value for key, value in internal.items() if key != self.key}), error
        body.internal, body.refused = internal, refused
        return body

    def marked(self, internal: dict[str, Any]) -> dict[str, Any]:
        """The same, where an outcome that stands in the framework's own field became a marker."""
        return internal


class Marked(Declared):
    """A dialect whose results have no field for the outcome."""

    def is_result(self, element: Any) -> bool:
        raise NotImplementedError

    def results(self, body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        elements = body.get(self.key)
        if isinstance(elements, list):
            for place, element in enumerate(elements):
                if self.is_result(element):
                    yield f"{self.key}[{place}]", element

    def readable(self, body: Body) -> dict[str, Any]:
        elements = body.internal.get(self.key)
        if not isinstance(elements, list):
            return body.internal
        pairs = zip(elements, body[self.key], strict=True)
        return {**body, self.key: [element if self.is_result(element) else sealed for element, sealed in pairs]}

    def marked(self, internal: dict[str, Any]) -> dict[str, Any]:
        public = {id(result): path for path, result in self.results(internal) if PUBLIC in result}
        if not public:
            return internal
        elements = [
            self.remarked(public[id(element)], element) if id(element) in public else element
            for element in internal[self.key]
        ]
        return {**internal, self.key: elements}

    def remarked(self, path: str, result: dict[str, Any]) -> dict[str, Any]:
        """A result whose outcome stood in a field that the provider does not know."""
        outcome = result[PUBLIC]
        result = {key: value for key, value in result.items() if key != PUBLIC}
        if not isinstance(outcome, bool):
            # Programs that were there before may mean something else by it.
            return result
        if result.setdefault(MARKER, outcome) is not outcome:
            raise ShapeError(f"{path}.{PUBLIC}: says another outcome than {MARKER}")
        return result


class OutcomeChatDialect(Marked, ChatDialect):  # type: ignore[misc]
    """Chat completions: the outcome of a tool message is its marker."""

    wire = toolwire.ChatDialect()
    key = "messages"

    def is_result(self, element: Any) -> bool:
        return isinstance(element, dict) and element.get("role") == "tool"


class OutcomeResponsesDialect(Marked, ResponsesDialect):  # type: ignore[misc]
    """Responses: the outcome of a call's output is its marker."""

    wire = toolwire.ResponsesDialect()
    key = "input"

    def is_result(self, element: Any) -> bool:
        if not isinstance(element, dict) or element.get("role") == "assistant":
            return False
        return element.get("type") in TEXT_TOOL_OUTPUT_TYPES


class OutcomeAnthropicDialect(Declared, AnthropicDialect):  # type: ignore[misc]
    """Messages: a tool result has a field for its outcome, and the provider reads it.

    https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
    """

    wire = toolwire.AnthropicDialect()
    key = "messages"
    flag = PUBLIC

    def results(self, body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for place, message in enumerate(body.get(self.key) or []):
            content = message.get("content")
            if message.get("role") == "assistant" or isinstance(content, str):
                continue
            for number, block in enumerate(content or []):
                if block.get("type") == "tool_result":
                    yield f"{self.key}[{place}].content[{number}]", block

    def readable(self, body: Body) -> dict[str, Any]:
        return body


BASES = (ChatDialect, ResponsesDialect, AnthropicDialect)
"""The framework's dialects, in its order."""

DIALECTS = (OutcomeChatDialect(), OutcomeResponsesDialect(), OutcomeAnthropicDialect())


def tool_messages(request: Any) -> list[Any]:
    """The results of a request."""
    return [message for message in request.messages if isinstance(message, ToolMessage)]


def outcome_of(message: Any) -> bool | None:
    """What a message declares; a message that is older than the field declares nothing."""
    outcome: bool | None = getattr(message, "is_error", None)
    return outcome


def replace(body: Body, by: Body) -> None:
    """Makes a body another one, for those who hold it already."""
    dict.clear(body)
    dict.update(body, by)
    body.internal, body.refused = by.internal, by.refused
