"""Keeps what a tool said about itself, that it worked or failed, through every wire format."""

from __future__ import annotations

from toolwire import _core
from toolwire._core import (
    AnthropicDialect,
    AssistantMessage,
    AudioPart,
    ChatDialect,
    FilePart,
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
    ResponsesDialect,
    ResumeReport,
    Rollout,
    SystemMessage,
    TextPart,
    Tool,
    ToolCall,
    ToolMessage,
    Turn,
    UserMessage,
    __version__,
    convert,
    message_hash,
    prefix_hashes,
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
    from typing import TypeAlias

Message: TypeAlias = SystemMessage | UserMessage | AssistantMessage | ToolMessage
"""Any message of a conversation."""

ContentPart: TypeAlias = TextPart | ImagePart | AudioPart | FilePart | NativePart
"""Any part of a message's content."""

LOSS_CODES: dict[str, str] = _core.loss_codes()
"""Every loss code with the sentence that says what it means."""

__all__ = [
    "LOSS_CODES",
    "AnthropicDialect",
    "ArgumentsError",
    "AssistantMessage",
    "AudioPart",
    "ChatDialect",
    "ContentPart",
    "FilePart",
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
    "ResponsesDialect",
    "ResultError",
    "ResumeReport",
    "Rollout",
    "ShapeError",
    "SystemMessage",
    "TextPart",
    "Tool",
    "ToolCall",
    "ToolMessage",
    "ToolwireError",
    "Turn",
    "UnsupportedError",
    "UserMessage",
    "__version__",
    "convert",
    "message_hash",
    "prefix_hashes",
    "resume",
    "tools_hash",
]
