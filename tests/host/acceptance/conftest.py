"""The servers of the acceptance run, started once, and the framework on both sides: with the add-on and without it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .host import Host, Server, environment
from .scenarios import SCRIPT


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The log of the whole session is read when everything has been sent.
    items.sort(key=lambda item: item.path.stem == "test_upstream_log")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("uv", path=environment()["PATH"]) is None:
        pytest.skip(
            "the framework starts its harness programs with uv, which is neither beside this Python nor on PATH"
        )
    return tmp_path_factory.mktemp("acceptance")


@pytest.fixture(scope="session")
def records(folder: Path) -> Path:
    """Where the provider writes down what it gets."""
    records = folder / "records"
    records.mkdir()
    return records


@pytest.fixture(scope="session")
def mcp_server(folder: Path) -> Iterator[Server]:
    server = Server("mcp_server.py", folder)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def provider(folder: Path, records: Path) -> Iterator[Server]:
    script = folder / "script.json"
    script.write_text(json.dumps(SCRIPT))
    server = Server("provider.py", folder, str(script), str(records))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def hosts(folder: Path, records: Path, mcp_server: Server, provider: Server) -> dict[bool, Host]:
    """The framework with the add-on (True) and without it."""
    hosts = {}
    for keeps in (True, False):
        own = folder / ("with" if keeps else "without")
        own.mkdir()
        hosts[keeps] = Host(keeps, own, mcp_server.address, provider.address, records)
    return hosts


SIDES = [pytest.param(True, id="with"), pytest.param(False, id="without", marks=pytest.mark.slow)]


@pytest.fixture(scope="session", params=SIDES)
def host(request: pytest.FixtureRequest, hosts: dict[bool, Host]) -> Host:
    """With the add-on; and (slow) without it, where the same tests see that outcomes are lost."""
    return hosts[request.param]
