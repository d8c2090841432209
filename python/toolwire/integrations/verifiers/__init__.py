"""Inside verifiers 0.4: with `install()` the framework keeps what tools declare, from end to end.

    import toolwire.integrations.verifiers as tv
    tv.install()

`docs/verifiers.md` says what changes, and how to turn it on in every process.
"""

from __future__ import annotations

import sys

# From where `threading` has it. This package is imported whenever Python starts, where it was told to: whatever costs
# anything comes later.
from _thread import RLock
from importlib import import_module

from toolwire.integrations.verifiers._errors import HostError

TYPE_CHECKING = False  # as type checkers know it, without the cost of importing `typing`
if TYPE_CHECKING:
    from typing import Any

    from toolwire.integrations.verifiers import metrics
    from toolwire.integrations.verifiers._outcomes import Counts, Outcomes, outcomes
    from toolwire.integrations.verifiers._seams import Seams

VERSIONS = "0.4"
"""The versions of the framework that are looked at: `0.4.x`."""
KNOWN = "0.4.0"
"""The one that all of this was tried with."""

_PARTS = ("_field", "_graph", "_server", "_programs", "_renders", "_startup", "_check")
_LATE = {"Counts": "_outcomes", "Outcomes": "_outcomes", "outcomes": "_outcomes"}

# Kept where this module is executed anew, as notebooks do.
_lock: RLock = globals().get("_lock") or RLock()
_installed: Seams | None = globals().get("_installed")


class Installation:
    """The framework as it keeps outcomes. As a context manager it puts the framework back at the end, if it was not
    installed before: in a process that keeps outcomes, a block changes nothing."""

    def __init__(self, is_first: bool) -> None:
        self._is_first = is_first

    def __enter__(self) -> Installation:
        if not is_installed():
            self._is_first = install()._is_first
        return self

    def __exit__(self, *exception: object) -> None:
        if self._is_first:
            uninstall()

    def __repr__(self) -> str:
        return f"<toolwire in verifiers: {'installed' if is_installed() else 'not installed'}>"


def install() -> Installation:
    """Makes the framework in this process keep outcomes, and the processes that it starts from now on.

    Doing it again changes nothing. It is done before traces are made or read: objects that stand already keep working,
    but what is cached of them may not. Raises `HostError` if verifiers is missing, of another version, or not as
    expected in one of the places that are changed; then nothing is changed.
    """
    global _installed
    with _lock:
        if _installed is not None:
            return Installation(is_first=False)
        version = _version()
        # Where the variable is set, this installs it.
        import_module("verifiers.v1")
        if _installed is not None:
            return Installation(is_first=True)
        from toolwire.integrations.verifiers._seams import Seams

        seams = Seams()
        try:
            for part in _PARTS:
                import_module(f"{__name__}.{part}").install(seams)
        except BaseException as error:
            seams.undo()
            if isinstance(error, HostError):
                raise HostError(f"{error} (this is verifiers {version}; known to work: {KNOWN})") from error
            if isinstance(error, ImportError) and (error.name or "").startswith("verifiers"):
                raise HostError(f"verifiers: expected other names than {version} has: {error}") from error
            raise
        _installed = seams
        return Installation(is_first=True)


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


def _version() -> str:
    from importlib import metadata

    try:
        version = metadata.version("verifiers")
    except metadata.PackageNotFoundError as error:
        how = "install toolwire[verifiers]" if sys.version_info >= (3, 11) else "it needs Python 3.11 or newer"
        raise HostError(f"verifiers: expected version {VERSIONS}.x, found none; {how}") from error
    if version != VERSIONS and not version.startswith(f"{VERSIONS}."):
        raise HostError(f"verifiers: expected version {VERSIONS}.x, found {version}")
    return version


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
    if name == "metrics":
        # They are made of the framework's own parts.
        _version()
        return import_module(f"{__name__}.metrics")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_LATE, "metrics"]


__all__ = [
    "Counts",
    "HostError",
    "Installation",
    "Outcomes",
    "install",
    "is_installed",
    "metrics",
    "outcomes",
    "uninstall",
]
