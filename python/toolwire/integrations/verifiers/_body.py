"""The body of a request on its way through the framework: what goes to the provider, and what the program sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolwire._errors import ToolwireError

MARKER = "_vf_is_error"
"""The private key on a result between a program and the server beside it."""

PUBLIC = "is_error"
"""The field of the framework's message, and of a result of the Messages API."""


class Body(dict[str, Any]):
    """A provider's body. Behind it stands `internal`, the same with the markers of its results still on it, which is
    what the framework's readers and writers work on. Where `internal` cannot be sealed, `refused` says why, and there
    are no messages in it."""

    __slots__ = ("internal", "refused")

    internal: dict[str, Any]
    refused: ToolwireError | None

    def __reduce__(self) -> tuple[Any, ...]:
        # What is copied or sent to another process is the provider's body alone.
        return dict, (dict(self.items()),)


class Received(dict[str, Any]):
    """A body that was read as far as it is new; nothing of it is here."""

    __slots__ = ("spliced",)

    spliced: Callable[[str, Any], Spliced]
    """Gives the provider's body for a model and a sampling."""


class Spliced(Body):
    """A provider's body whose messages are not here, since `upstream` splices them from the bytes that were received.

    Whoever asks for them in Python gets them all the same; then it is a `Body` like any other, and no longer spliced.
    Code that reads a dict behind its back finds no list of messages at all.
    """

    __slots__ = ("_whole", "around", "key", "request", "upstream")

    key: str
    """Of the list of messages."""
    around: dict[str, Any]
    """What stands around it."""
    request: Any
    """What the framework's dialect reads in it."""
    upstream: Callable[[], bytes] | None
    """The provider's body as bytes; None as soon as it can differ from what is here."""
    _whole: Callable[[], Body]

    def __init__(
        self,
        around: dict[str, Any],
        key: str,
        request: Any,
        upstream: Callable[[], bytes],
        whole: Callable[[], Body],
    ) -> None:
        super().__init__(around)
        self.key, self.around, self.request, self.refused = key, around, request, None
        self.upstream, self._whole = upstream, whole

    def __getattr__(self, name: str) -> Any:
        # A slot that is not filled yet: the program's body is read when somebody asks for it.
        if name != "internal":
            raise AttributeError(name)
        self.fill()
        return self.internal

    def fill(self) -> None:
        """Takes in what was left out."""
        if self.upstream is None:
            return
        self.upstream = None
        whole = self._whole()
        self.internal, self.refused = whole.internal, whole.refused
        dict.clear(self)
        dict.update(self, whole)

    def __contains__(self, key: object) -> bool:
        if key == self.key:
            self.fill()
        return dict.__contains__(self, key)

    def __getitem__(self, key: str) -> Any:
        if key == self.key:
            self.fill()
        return dict.__getitem__(self, key)

    def get(self, key: str, default: Any = None, /) -> Any:
        if key == self.key:
            self.fill()
        return dict.get(self, key, default)


def _filled(name: str) -> Any:
    """A method of a dict that looks at everything or changes something."""
    original = getattr(dict, name)

    def method(self: Spliced, *args: Any, **kwargs: Any) -> Any:
        self.fill()
        return original(self, *args, **kwargs)

    method.__name__ = name
    return method


for _name in (
    *("__delitem__", "__eq__", "__ior__", "__iter__", "__len__", "__ne__", "__or__", "__repr__", "__reversed__"),
    *("__ror__", "__setitem__", "clear", "copy", "items", "keys", "pop", "popitem", "setdefault", "update", "values"),
):
    setattr(Spliced, _name, _filled(_name))
