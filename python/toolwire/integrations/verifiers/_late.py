"""Changes that wait until a module of the framework is imported, because importing it for them alone costs too much."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from toolwire.integrations.verifiers._seams import Seams


def when_imported(seams: Seams, name: str, action: Callable[[], None]) -> None:
    """Does something as soon as the module has been executed, or at once if it has been already; never once the
    seams are undone. An error of the action is one of the import."""
    if name in sys.modules:
        action()
        return
    waiting = _Waiting(name, action)
    sys.meta_path.insert(0, waiting)
    seams.undo_with(waiting.stop)


class _Waiting(MetaPathFinder):
    """Finds its module where the others do, and has the action done behind its loader."""

    def __init__(self, name: str, action: Callable[[], None]) -> None:
        self.name = name
        self.action = action

    def stop(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(fullname, path, target) if finder is not self else None
            if spec is not None:
                self._follow(spec.loader)
                return spec
        return None

    def _follow(self, loader: Any) -> None:
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            if self in sys.meta_path:
                self.stop()
                self.action()

        loader.exec_module = exec_module
