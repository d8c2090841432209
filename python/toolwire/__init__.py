"""Keeps what a tool said about itself, that it worked or failed, through every wire format."""

from __future__ import annotations

from toolwire import _core
from toolwire._core import (
    AnthropicDialect,
    AssistantMessage,
    AudioPart,
    BedrockDialect,
    ChatDialect,
    FilePart,
    GeminiDialect,
    ImagePart,
    Journal,
    Loss,
    MessageGraph,
    MessageNode,
    NativeOutcome,
    NativePart,
    PendingTurn,
    Rendered,
    Request,
    Response,
    ResponsesDialect,
    ResumeReport,
    Rollout,
    StreamParser,
    SystemMessage,
    TextPart,
    Tool,
    ToolCall,
    ToolMessage,
    Turn,
    Usage,
    UserMessage,
    __version__,
    convert,
    message_hash,
    prefix_hashes,
    reply,
    resume,
    tools_hash,
)
from toolwire._errors import (
    ArgumentsError,
    JournalError,
    JsonError,
    LimitError,
    LossError,
    LossWarning,
    MarkerError,
    PairingError,
    ResultError,
    ShapeError,
    ToolwireError,
    UnsupportedError,
)

# Known to type checkers under this name; importing `typing` would cost more than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeAlias

    from toolwire._diff import Change as Change
    from toolwire._diff import Diff as Diff

Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolMessage
"""Any message of a conversation."""

ContentPart: TypeAlias = TextPart | ImagePart | AudioPart | FilePart | NativePart
"""Any part of a message's content."""

LOSS_CODES: dict[str, str] = _core.loss_codes()
"""Every loss code with the sentence that says what it means."""

TARGETS: dict[str, str] = _core.target_dialects()
"""The servers and model families that differ from what their wire says in general, each with the name of its wire."""

TARGETS_AS_OF: str = _core.targets_as_of()
"""The day on which what is known of them was last checked."""


def diff(
    a: Request | Mapping[str, Any] | Sequence[Message | Mapping[str, Any]],
    b: Request | Mapping[str, Any] | Sequence[Message | Mapping[str, Any]],
) -> Diff:
    """What changed from one request, or sequence of messages, to another.

    Messages that say the same belong together, wherever they stand; of the others, those in the same place. `Diff` is
    false where nothing changed. `str()` of it is a report of one line per change, outcomes first, long texts cut to
    where they first differ; `Diff.changes` holds the values. Tools and settings are compared where both are requests.

    Raises:
        ShapeError: a mapping is no request or no message in the spelling of `to_dict`.
    """
    from toolwire._diff import diff

    return diff(a, b)


def __getattr__(name: str) -> object:
    """The classes of a diff, which load with the first one."""
    if name in ("Change", "Diff"):
        from toolwire import _diff

        return getattr(_diff, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "LOSS_CODES",
    "TARGETS",
    "TARGETS_AS_OF",
    "AnthropicDialect",
    "ArgumentsError",
    "AssistantMessage",
    "AudioPart",
    "BedrockDialect",
    "ChatDialect",
    "ContentPart",
    "FilePart",
    "GeminiDialect",
    "ImagePart",
    "Journal",
    "JournalError",
    "JsonError",
    "LimitError",
    "Loss",
    "LossError",
    "LossWarning",
    "MarkerError",
    "Message",
    "MessageGraph",
    "MessageNode",
    "NativeOutcome",
    "NativePart",
    "PairingError",
    "PendingTurn",
    "Rendered",
    "Request",
    "Response",
    "ResponsesDialect",
    "ResultError",
    "ResumeReport",
    "Rollout",
    "ShapeError",
    "StreamParser",
    "SystemMessage",
    "TextPart",
    "Tool",
    "ToolCall",
    "ToolMessage",
    "ToolwireError",
    "Turn",
    "UnsupportedError",
    "Usage",
    "UserMessage",
    "__version__",
    "convert",
    "diff",
    "message_hash",
    "prefix_hashes",
    "reply",
    "resume",
    "tools_hash",
]
