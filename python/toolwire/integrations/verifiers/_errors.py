"""What the integration raises."""

from __future__ import annotations

from toolwire._errors import ToolwireError


class HostError(ToolwireError):
    """The framework is not as this integration knows it, and nothing of it was changed: expected this, found that."""
