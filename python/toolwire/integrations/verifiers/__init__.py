"""Inside verifiers 0.4: with `install()` the framework keeps what tools declare, from end to end.

    import toolwire.integrations.verifiers as tv
    tv.install()

`docs/verifiers.md` says what changes, and how to turn it on in every process.
"""

from __future__ import annotations

import threading
from importlib import import_module
from types import ModuleType

from toolwire.integrations.verifiers._outcomes import Counts, Outcomes, outcomes
from toolwire.integrations.verifiers._seams import HostError, Seams

VERSIONS = "0.4"
"""The versions of the framework that this integration knows: `0.4.x`."""

_PARTS = ("_field", "_graph", "_server", "_programs", "_renders", "_startup", "_check")

_lock = threading.RLock()
_installed: Seams | None = None


class Installation:
    """The framework as it keeps outcomes. As a context manager it puts the framework back at the end, if it was not
    installed before: in a process that keeps outcomes, a block changes nothing."""

    def __init__(self, is_first: bool) -> None:
        self._is_first = is_first

    def __enter__(self) -> Installation:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._is_first:
            uninstall()


def install() -> Installation:
    """Makes the framework in this process keep outcomes, and the processes that it starts from now on.

    Doing it again changes nothing. It is done before traces are made or read: objects that stand already keep working,
    but what is cached of them may not. Raises `HostError` if verifiers is missing, of another version, or not as
    expected in one of the places that are changed; then nothing is changed.
    """
    global _installed
    with _lock:
        if _installed is None:
            _check_version()
            seams = Seams()
            try:
                for part in _PARTS:
                    import_module(f"{__name__}.{part}").install(seams)
            except BaseException as error:
                seams.undo()
                if isinstance(error, ImportError) and (error.name or "").startswith("verifiers"):
                    raise HostError(f"verifiers: expected other names than it has: {error}") from error
                raise
            _installed = seams
            return Installation(is_first=True)
        return Installation(is_first=False)


def uninstall() -> None:
    """Puts the framework back as it was. Does nothing where nothing is installed."""
    global _installed
    with _lock:
        if _installed is not None:
            _installed.undo()
            _installed = None


def is_installed() -> bool:
    """Whether the framework in this process keeps outcomes."""
    return _installed is not None


def _check_version() -> None:
    # This package is imported whenever Python starts, where it was told to; what costs more than the rest comes later.
    from importlib import metadata

    try:
        version = metadata.version("verifiers")
    except metadata.PackageNotFoundError as error:
        raise HostError(f"verifiers: expected version {VERSIONS}.x, found none; install toolwire[verifiers]") from error
    if version != VERSIONS and not version.startswith(f"{VERSIONS}."):
        raise HostError(f"verifiers: expected version {VERSIONS}.x, found {version}")


def __getattr__(name: str) -> ModuleType:
    # It imports the framework, which takes seconds.
    if name == "metrics":
        return import_module(f"{__name__}.metrics")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Counts", "HostError", "Installation", "Outcomes", "install", "is_installed", "outcomes", "uninstall"]
