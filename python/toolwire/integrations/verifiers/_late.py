"""Changes that wait until a module of the framework is imported: importing it for them alone costs too much."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as type checkers know it, without the cost of importing `typing`
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

    from toolwire.integrations.verifiers._seams import Seams


def when_imported(name: str, action: Callable[[], object], seams: Seams | None = None) -> None:
    """Does something as soon as the module has been executed, or at once if it has been already; never once the
    seams, if there are any, are undone. Threads that import the module wait for it. An error of the action is one of
    the import, and of every further import, until the action succeeds."""
    if name in sys.modules:
        action()
        return
    waiting = _Waiting(name, action)
    sys.meta_path.insert(0, waiting)
    if seams is not None:
        seams.undo_with(waiting.stop)


class _Waiting:
    """A finder of modules that finds its one where the others do, and has the action done behind its loader."""

    def __init__(self, name: str, action: Callable[[], object]) -> None:
        self.name = name
        self.action = action

    def stop(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name or self not in sys.meta_path:
            return None
        # Those before this one know nothing of it, or it would not be asked.
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                self._follow(spec.loader)
                return spec
        return None

    def _follow(self, loader: Any) -> None:
        # The loader stays the one it is: whoever asks it for sources or resources meets nothing new.
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            if self in sys.meta_path:
                self.action()
                self.stop()
            vars(loader).pop("exec_module", None)

        loader.exec_module = exec_module
