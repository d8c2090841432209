"""The places where the framework is changed: each is looked at before it is touched, and put back in the end."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from toolwire.integrations.verifiers._errors import HostError

_ABSENT = object()
_MARKS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


class Seams:
    """What was changed, in order."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def module(self, name: str) -> Any:
        """A module of the framework."""
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise HostError(f"{name}: expected a module, found none: {error}") from error

    def look(self, owner: Any, name: str, parameters: str | None = None) -> Any:
        """What stands under a name of a module or a class; a function must have these parameters, with its names and
        its marks: `"self, request, *, run_stops"`."""
        found = inspect.getattr_static(owner, name, _ABSENT)
        expect(found is not _ABSENT, place(owner, name), "an attribute", "none")
        if parameters is not None:
            function = getattr(owner, name)
            expect(callable(function), place(owner, name), f"a function of ({parameters})", type(function).__name__)
            there = _parameters(found if inspect.isfunction(found) else function)
            expect(there == parameters, place(owner, name), f"the parameters ({parameters})", f"({there})")
        return getattr(owner, name)

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Puts a value in the place of the one that is there."""
        before = inspect.getattr_static(owner, name)
        own = name in vars(owner)
        setattr(owner, name, value)
        self.undo_with(lambda: setattr(owner, name, before) if own else delattr(owner, name))

    def undo_with(self, action: Callable[[], None]) -> None:
        """Has an action done when everything is put back."""
        self._undo.append(action)

    def undo(self) -> None:
        """Puts everything back, the last change first."""
        while self._undo:
            self._undo.pop()()


def expect(holds: bool, where: str, expected: str, found: object) -> None:
    """Refuses a framework that is not as it should be."""
    if not holds:
        raise HostError(f"{where}: expected {expected}, found {found}")


def place(owner: Any, name: str) -> str:
    """The path of an attribute of a module or a class."""
    if inspect.ismodule(owner):
        return f"{owner.__name__}.{name}"
    return f"{owner.__module__}.{owner.__qualname__}.{name}"


def _parameters(function: Any) -> str:
    shown: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not any(name.startswith("*") for name in shown):
            shown.append("*")
        shown.append(_MARKS.get(parameter.kind, "") + parameter.name)
    return ", ".join(shown)
