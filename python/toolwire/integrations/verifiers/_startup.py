"""How the integration comes into every process: an environment variable, read when Python starts.

The file `toolwire_verifiers.pth` in site-packages is read whenever Python starts. Where `TOOLWIRE_VERIFIERS` is set,
and does not say no (empty, `0`, `false`, `no`, `off`), it calls `watch()`. Nothing of the framework is imported at
that time, nor pydantic.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as type checkers know it, without the cost of importing `typing`
if TYPE_CHECKING:
    from toolwire.integrations.verifiers._seams import Seams

VARIABLE = "TOOLWIRE_VERIFIERS"
FRAMEWORK = "verifiers.v1"

_watching = False
"""Start-up files may be read more than once."""


def watch() -> None:
    """Installs the integration when the framework is there: now, or right behind the first import of `verifiers.v1`.

    Where that fails, the import fails, and so does every further one: no process goes on without what it was told to
    have.
    """
    global _watching
    if _watching and FRAMEWORK not in sys.modules:
        return
    import toolwire.integrations.verifiers as integration
    from toolwire.integrations.verifiers._late import when_imported

    _watching = True
    when_imported(FRAMEWORK, lambda: integration.install())


def install(seams: Seams) -> None:
    """Sets the variable, so that the processes this one starts install the integration too."""
    before = os.environ.get(VARIABLE)

    def withdraw() -> None:
        if before is None:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = before

    seams.undo_with(withdraw)
    os.environ[VARIABLE] = "1"
