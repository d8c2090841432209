"""Every exception and warning of toolwire: plain classes, so that they pickle."""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it, without the cost of importing `typing`
if TYPE_CHECKING:
    from typing import Any

    from toolwire._core import Loss

# `$`, or keys, indices and quoted keys one behind the other, which may start in a line of a file.
_STEP = r"""(?:\.?[A-Za-z_$][\w$-]*|\[\d+\]|\["(?:[^"\\]|\\.)*"\])"""
_PATH = rf"(\$|line \d+{_STEP}*|{_STEP}+): "


class ToolwireError(ValueError):
    """Something was refused. The sentence starts with the path of the thing and never quotes its content."""

    @property
    def path(self) -> str:
        """Where: `messages[2].content[0]`, or `$` for the whole."""
        import re

        match = re.match(_PATH, str(self))
        return match[1] if match else "$"


class JsonError(ToolwireError):
    """Not JSON by RFC 8259, or not UTF-8."""


class LimitError(ToolwireError):
    """Nested deeper or larger than the one limit."""


class ShapeError(ToolwireError):
    """JSON, or an object, of another shape than the format says."""


class MarkerError(ToolwireError):
    """A private marker that is not a bool, or that contradicts its message."""


class ResultError(ToolwireError):
    """An MCP result that is not a completed call, or that contradicts itself."""


class PairingError(ToolwireError):
    """Calls and results that do not belong together."""


class ArgumentsError(ToolwireError):
    """Call arguments that the target needs as an object and that are not one."""


class UnsupportedError(ToolwireError):
    """Something the target has no form for at all."""


class LossError(ToolwireError):
    """`strict=True` met a loss; `losses` holds all of them."""

    losses: tuple[Loss, ...] = ()


class JournalError(ToolwireError):
    """A journal that is not as it was written, or that cannot be written."""

    @property
    def line(self) -> int | None:
        """The number of the line, counted from 1; None where the error is not in a line."""
        import re

        match = re.match(r"line (\d+)", self.path)
        return int(match[1]) if match else None


class LossWarning(UserWarning):
    """A loss reported by a function whose result has no room for a report."""

    loss: Loss | None

    def __init__(self, message: str = "", loss: Any = None) -> None:
        super().__init__(message)
        self.loss = loss
