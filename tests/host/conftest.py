"""What holds for every test that needs the framework: without it each module is skipped, and only our own warnings are errors."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

HERE = Path(__file__).parent


class WithoutFramework(pytest.Module):
    """A module whose tests need verifiers, where it is not installed."""

    def collect(self) -> list[pytest.Item]:
        pytest.skip('needs verifiers: pip install "toolwire[verifiers]"')


def is_installed(package: str) -> bool:
    # Not by import: a folder of `tests` has this name as well.
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    if is_installed("verifiers"):
        return None
    return WithoutFramework.from_parent(parent, path=module_path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ours = pytest.mark.filterwarnings("default", "error:::toolwire", "error::toolwire.LossWarning")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(ours, append=False)  # in front of a test's own filters, which thus have the last word
