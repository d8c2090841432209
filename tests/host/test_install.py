"""Installing checks each place that it changes, changes all or nothing, and can be undone."""

from __future__ import annotations

import inspect
import os
from importlib import import_module, metadata
from typing import Any

import pytest
import toolwire.integrations.verifiers as tv

pytest.importorskip("verifiers.v1")

# Each name that the integration puts something else under.
CHANGED = [
    "types.ToolMessage.model_fields.is_error",
    "graph.message_hash",
    "graph._tools_hash",
    "graph.prepare_turn",
    "graph.MessageNode.model_construct",
    "interception.server.DIALECTS",
    "interception.server.from_json",
    "interception.server.InterceptionServer.handle_request",
    "interception.server.InterceptionServer.mediate_capabilities",
    "clients.eval.to_json",
    "clients.train.message_to_wire",
    "dialects.chat.message_to_wire",
    "judge.message_to_wire",
    "harnesses.utils.launch.message_to_wire",
    "harnesses.utils.launch.bundle_program",
    "harnesses.utils.launch.CHAT_PROGRAM_SOURCE",
    "harnesses.null.harness.CHAT_PROGRAM_SOURCE",
    "harnesses.bash.harness.CHAT_PROGRAM_SOURCE",
    "harnesses.browser_use.harness.PROGRAM_SOURCE",
    "session.RolloutSession.rewrite_request",
    "session.RolloutSession.decide_tool",
    "trace.Trace.transcript",
]


def owner_of(path: str) -> tuple[Any, str]:
    """The module or class of a path below `verifiers.v1`, and the name in it."""
    *steps, name = path.split(".")
    owner: Any = import_module("verifiers.v1")
    for number, step in enumerate(steps):
        try:
            owner = import_module(".".join(["verifiers.v1", *steps[: number + 1]]))
        except ImportError:
            owner = getattr(owner, step)
    return owner, name


def there(path: str) -> Any:
    owner, name = owner_of(path)
    if isinstance(owner, dict):
        return owner.get(name)
    return inspect.getattr_static(owner, name)


def test_everything_is_changed_and_put_back() -> None:
    before = {path: there(path) for path in CHANGED}
    environment = dict(os.environ)
    with tv.install():
        assert tv.is_installed()
        with tv.install():
            assert tv.is_installed()
        assert tv.is_installed()
        assert {path for path in CHANGED if there(path) is before[path]} == set()
        assert os.environ["TOOLWIRE_VERIFIERS"] == "1"
    assert not tv.is_installed()
    assert {path for path in CHANGED if there(path) is not before[path]} == set()
    assert dict(os.environ) == environment
    tv.uninstall()


def test_it_can_be_done_again() -> None:
    for _ in range(3):
        with tv.install():
            message = import_module("verifiers.v1").ToolMessage(tool_call_id="c", content="x", is_error=True)
            assert message.model_dump()["is_error"] is True


@pytest.mark.parametrize("version", ["0.3.9", "0.5.0", "0.40.1", "1.0"])
def test_other_versions_are_refused(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: version)
    with pytest.raises(tv.HostError, match=rf"^verifiers: expected version 0\.4\.x, found {version}$"):
        tv.install()
    assert not tv.is_installed()


def test_a_missing_framework_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(tv.HostError, match="found none"):
        tv.install()


def other_parameters(_first: object) -> None:
    pass


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("graph.message_hash", other_parameters),
        ("graph._tools_hash", None),
        ("graph.prepare_turn", other_parameters),
        ("interception.server.DIALECTS", ()),
        ("interception.server.InterceptionServer.handle_request", other_parameters),
        ("interception.server.InterceptionServer.mediate_capabilities", other_parameters),
        ("dialects.chat.ChatDialect.rewrite_request", other_parameters),
        ("dialects.anthropic.AnthropicDialect.parse_request", other_parameters),
        ("clients.eval.EvalClient._request", other_parameters),
        ("session.RolloutSession.rewrite_request", other_parameters),
        ("session.RolloutSession.decide_tool", other_parameters),
        ("judge.message_to_wire", other_parameters),
        ("trace.Trace.transcript", property(lambda trace: "")),
        ("harnesses.bash.harness.CHAT_PROGRAM_SOURCE", "print('another program')"),
        ("harnesses.utils.mcp.call_mcp", other_parameters),
    ],
)
def test_a_place_that_is_not_as_known_is_named_and_nothing_is_changed(
    monkeypatch: pytest.MonkeyPatch, path: str, value: Any
) -> None:
    monkeypatch.setattr(*owner_of(path), value)
    before = {path: there(path) for path in CHANGED}
    with pytest.raises(tv.HostError, match=r"^verifiers\.v1\.[\w.]+: expected .+, found ") as error:
        tv.install()
    assert path.rsplit(".", 1)[1] in error.value.path
    assert not tv.is_installed()
    assert {path for path in CHANGED if there(path) is not before[path]} == set()


@pytest.mark.parametrize("path", ["graph.message_hash", "session.RolloutSession.decide_tool", "clients.eval.to_json"])
def test_a_name_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.delattr(*owner_of(path))
    with pytest.raises(
        tv.HostError,
        match=rf"^verifiers\.v1\.{path}: expected an attribute, found none \(this is verifiers 0\.4\.\d+; known to work: 0\.4\.0\)$",
    ):
        tv.install()


def test_a_handler_with_other_steps_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from verifiers.v1.interception.server import InterceptionServer

    async def handle_request(self: Any, request: Any, dialect: Any) -> Any:
        return dialect.parse_request(dialect.apply_overrides(await request.read(), "m", None))

    monkeypatch.setattr(InterceptionServer, "handle_request", handle_request)
    with pytest.raises(tv.HostError, match="handle_request: expected the steps sessions, secret, read, from_json"):
        tv.install()


def test_an_outcome_that_is_lost_all_the_same_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolwire.integrations.verifiers import _dialects

    monkeypatch.setattr(_dialects.OutcomeChatDialect, "is_result", lambda self, element: False)
    with pytest.raises(tv.HostError):
        tv.install()
    assert not tv.is_installed()


def test_a_process_that_drops_outcomes_is_told_so() -> None:
    from verifiers.v1 import Branch, MessageNode, ToolMessage, UserMessage

    result = {"tool_call_id": "c", "content": "x"}

    def branch() -> Branch:
        return Branch(
            index=0, nodes=[MessageNode(message=UserMessage(content="go")), MessageNode(message=ToolMessage(**result))]
        )

    assert not tv.is_installed()
    with pytest.warns(RuntimeWarning, match=r"install\(\) was not called"):
        assert tv.outcomes(branch()).undeclared == 1
    with tv.install():
        assert tv.outcomes(branch()).undeclared == 1


def test_what_is_no_trace_is_refused_by_its_kind() -> None:
    with pytest.raises(TypeError, match="not list"):
        tv.outcomes([])
