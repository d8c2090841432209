"""The harness programs, run as they are bundled against real tools and the real SDKs: what they send to the model says
what the tools declared."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import tenacity
from tool_server import PNG, TEXT, Wire, serving
from toolwire.integrations.verifiers import _programs
from toolwire.integrations.verifiers._seams import HostError, Seams

launch = pytest.importorskip("verifiers.v1.harnesses.utils.launch")
from verifiers.v1.harnesses.bash import harness as bash  # noqa: E402
from verifiers.v1.harnesses.browser_use import harness as browser  # noqa: E402
from verifiers.v1.harnesses.null import harness as null  # noqa: E402
from verifiers.v1.harnesses.utils import compaction, core, mcp  # noqa: E402

MARKER = "_vf_is_error"
PARTS = [{"type": "text", "text": TEXT}, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]


@contextmanager
def installed() -> Iterator[None]:
    seams = Seams()
    _programs.install(seams)
    try:
        yield
    finally:
        seams.undo()


@pytest.fixture(scope="module")
def programs() -> dict[str, str]:
    with installed():
        return {"chat": launch.CHAT_PROGRAM_SOURCE, "browser": browser.PROGRAM_SOURCE}


@pytest.fixture(scope="module", params=["sessions", "no sessions"])
def tools(request: pytest.FixtureRequest) -> Iterator[tuple[str, Wire]]:
    with serving(legacy=request.param == "sessions") as served:
        yield served


class Model(BaseHTTPRequestHandler):
    """Asks for the calls of `turn` once, then is content; `denied` is what the gate answers."""

    turn: list[dict[str, Any]]
    denied: dict[str, Any]
    bodies: list[Any]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/tool":
            denied = self.denied.get(body["name"])
            self.answer({"action": "deny", "message": denied} if denied else {"action": "allow"})
            return
        self.bodies.append(body)
        first = len(self.bodies) == 1
        message = {"role": "assistant", **({"tool_calls": self.turn} if first else {"content": "done"})}
        choice = {"index": 0, "finish_reason": "tool_calls" if first else "stop"}
        head = {"id": "c", "created": 0, "model": "m"}
        if not body.get("stream"):
            self.answer(head | {"object": "chat.completion", "choices": [choice | {"message": message}]})
            return
        chunk = head | {"object": "chat.completion.chunk", "choices": [choice | {"delta": message}]}
        self.answer(chunk, "text/event-stream", "data: %s\n\ndata: [DONE]\n\n")

    def answer(self, value: Any, kind: str = "application/json", form: str = "%s") -> None:
        text = (form % json.dumps(value)).encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None: ...


Call = tuple[str, Any]


@pytest.fixture
def run(programs: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Runs a program with one turn of calls; the tool messages that the model is sent, as they are on the wire."""
    monkeypatch.chdir(tmp_path)
    # A sandbox has neither toolwire nor the framework.
    for name in [*sys.modules, "toolwire", "verifiers"]:
        if name.partition(".")[0] in ("toolwire", "verifiers"):
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(tenacity, "wait_exponential_jitter", lambda **_: tenacity.wait_none())

    def run(program: str, calls: list[Call], *options: str, url: str = "", denied: Any = None, **names: Any) -> Any:
        turn = [
            {
                "id": f"c{i}",
                "index": i,
                "type": "function",
                "function": {"name": name, "arguments": said if isinstance(said, str) else json.dumps(said)},
            }
            for i, (name, said) in enumerate(calls)
        ]
        handler = type("Turn", (Model,), {"turn": turn, "denied": denied or {}, "bodies": []})
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            base = f"http://127.0.0.1:{server.server_port}"
            argv = ["program", f"--base-url={base}", "--api-key=k", "--model=m", "--prompt=go", *options]
            if url:
                argv.append("--mcp-config=" + json.dumps({"mcpServers": {"": {"url": url}}}))
            if denied:
                argv.append(f"--tool-interception-url={base}/tool")
            monkeypatch.setattr(sys, "argv", argv)
            namespace: dict[str, Any] = {"__name__": "program"}
            try:
                exec(compile(programs[program], "program", "exec", dont_inherit=True), namespace)
                namespace.update(names)
                asyncio.run(namespace["main"]())
            finally:
                server.shutdown()
                thread.join()
        _, last = handler.bodies
        messages = [message for message in last["messages"] if message["role"] == "tool"]
        assert [message.pop("tool_call_id") for message in messages] == [call["id"] for call in turn]
        if program == "chat":
            assert [message.pop("name", None) for message in messages] == [name for name, _ in calls]
        return messages

    return run


@pytest.fixture(params=["chat", "browser"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, ...]:
    """A program and the options it needs."""
    if request.param == "chat":
        return ("chat",)
    return ("browser", f"--state-dir={tmp_path}", "--browser=cdp", "--cdp-url=http://127.0.0.1:9")


def result(content: Any, outcome: bool | None = None) -> dict[str, Any]:
    return {"role": "tool", "content": content} | ({} if outcome is None else {MARKER: outcome})


def test_what_a_server_declared(run: Any, program: tuple[str, ...], tools: tuple[str, Wire]) -> None:
    name, *options = program
    expected = {
        "ok": result(TEXT, False),
        "err": result(TEXT, True),
        "ok_image": result(PARTS, False),
        "err_image": result(PARTS, True),
        "ok_empty": result("[]", False),
        "err_empty": result("[]", True),
        "silent": result(TEXT),
        "unfinished": result(TEXT),
        "boom": result("Error executing tool boom: backend exploded", True),
    }
    calls = [(tool, {}) for tool in expected]
    assert run(name, calls, *options, url=tools[0]) == list(expected.values())


def test_what_the_program_knows(run: Any, program: tuple[str, ...]) -> None:
    name, *options = program
    calls = [("nothing", {}), ("nothing", '{"a"'), ("nothing", "[1]"), ("nothing", "null")]
    unknown, cut, array, null = run(name, calls, *options)
    assert unknown == result("error: unknown tool 'nothing'", True)
    assert cut == result(cut["content"], True)
    assert cut["content"].startswith("error: invalid JSON in tool arguments (")
    assert array == result("error: tool arguments must be a JSON object, got list; resend as an object", True)
    assert null == result("error: tool arguments must be a JSON object, got NoneType; resend as an object", True)


ANSWERS = [
    (-32000, "protocol level failure"),
    (-32602, "Unknown tool"),
    (-32603, "Internal error"),
    (-32601, "Not Found: there is no such tool"),
    (0, "Connection closed"),
    (-32042, "log in first"),
]


def test_an_error_answer_is_a_failed_result(run: Any, program: tuple[str, ...], tools: tuple[str, Wire]) -> None:
    name, *options = program
    url, wire = tools
    wire.calls.clear()
    calls = [("rpc_error", {"code": code, "message": message}) for code, message in ANSWERS]
    *failed, ok = run(name, [*calls, ("ok", {})], *options, url=url)
    assert failed == [result(f"error: JSON-RPC error {code}: {message}", True) for code, message in ANSWERS]
    assert ok == result(TEXT, False)
    assert wire.calls["rpc_error"] == len(ANSWERS)


@pytest.mark.parametrize("tools", ["no sessions"], indirect=True, scope="module")
@pytest.mark.parametrize(
    ("code", "message"),
    [
        (-32000, "Connection closed"),
        (-32000, "SSE stream ended and reconnection attempts were exhausted"),
        (-32601, "Not Found"),
        (-32603, "Server returned an error response"),
        *((code, "said in any words") for code in (-32700, -32600, -32001, -32020, -32022)),
    ],
)
def test_an_error_of_the_connection_is_retried_as_before(
    run: Any, tools: tuple[str, Wire], code: int, message: str
) -> None:
    url, wire = tools
    wire.calls.clear()
    with pytest.raises(Exception, match=re.escape(message)):
        run("chat", [("rpc_error", {"code": code, "message": message})], url=url)
    assert wire.calls["rpc_error"] == mcp.MCP_CALL_ATTEMPTS


def test_a_call_that_got_lost_is_made_again(run: Any, program: tuple[str, ...], tools: tuple[str, Wire]) -> None:
    name, *options = program
    url, wire = tools
    wire.calls.clear()
    lost = ["unavailable", "unresponsive", "cut"]
    assert run(name, [(tool, {}) for tool in [*lost, "ok"]], *options, url=url) == [result(TEXT, False)] * 4
    assert [wire.calls[tool] for tool in [*lost, "ok"]] == [2, 2, 2, 1]


def test_a_call_in_a_session_that_is_gone_is_made_again(run: Any, program: tuple[str, ...]) -> None:
    name, *options = program
    with serving(legacy=True) as (url, wire):
        calls: list[Call] = [("ok", {}), ("expired", {}), ("ok", {})]
        assert run(name, calls, *options, url=url) == [result(TEXT, False)] * 3
    assert len(wire.dead - {b""}) == 1
    assert wire.calls["expired"] == 2


def test_local_tools(run: Any, tmp_path: Path) -> None:
    (tmp_path / "two").write_text("a a")
    (tmp_path / "folder").mkdir()
    edits = [
        ({}, "error: 'path' is required"),
        ({"path": "two", "old_str": 1, "new_str": "b"}, "error: 'old_str' and 'new_str' must be strings"),
        ({"path": "two", "old_str": "", "new_str": "b"}, "error: 'old_str' must be a non-empty string"),
        ({"path": "none", "old_str": "a", "new_str": "b"}, "error: none not found"),
        ({"path": "folder", "old_str": "a", "new_str": "b"}, "error: could not read"),
        ({"path": "two", "old_str": "a", "new_str": "b"}, "error: old_str must appear exactly once"),
    ]
    messages = run("chat", [("edit", said) for said, _ in edits], "--edit")
    for message, (_, text) in zip(messages, edits, strict=True):
        assert message == result(message["content"], True)
        assert message["content"].startswith(text)
    # A tool of the program that worked declares nothing, and neither does the status of a command or what it prints.
    done = run(
        "chat",
        [
            ("bash", {"command": "echo 'error: none'; exit 3"}),
            ("bash", {"command": 5}),
            ("edit", {"path": "two", "old_str": "a a", "new_str": "b"}),
        ],
        "--bash",
        "--edit",
    )
    assert done[0] == result("error: none\n")
    assert done[1] == result(done[1]["content"], True)
    assert done[1]["content"].startswith("error: ")
    assert done[2] == result("Edited two")


def test_search(run: Any) -> None:
    call = [("search", {"query": "q"})]
    (no_key,) = run("chat", call, "--search")
    assert no_key == result(no_key["content"], True)
    assert no_key["content"].startswith("Error: no Serper API key")
    (unreachable,) = run("chat", call, "--search", "--serper-key=k", SERPER_URL="http://127.0.0.1:9")
    assert unreachable == result(unreachable["content"], True)
    assert unreachable["content"].startswith("search failed (")


def test_the_browser_tool(run: Any, tmp_path: Path) -> None:
    options = (f"--state-dir={tmp_path}", "--browser=cdp", "--cdp-url=http://127.0.0.1:9")
    missing, failed = run("browser", [("browser", {"code": "1"}), ("browser", {"code": 1})], *options)
    assert missing == result(missing["content"])
    assert "No module named" in missing["content"]
    assert failed == result(failed["content"], True)
    assert failed["content"].startswith("error: ")


def test_a_cut_result_keeps_its_outcome(run: Any, tools: tuple[str, Wire]) -> None:
    (message,) = run("chat", [("err_long", {})], url=tools[0])
    assert message == result(message["content"], True)
    assert message["content"].startswith("Warning: truncated output")
    assert len(message["content"]) < 21_000


def test_a_denied_call_says_what_the_gate_says(run: Any) -> None:
    said = {
        "silent": {},
        "failed": {MARKER: True},
        "worked": {MARKER: False},
        "public": {"is_error": True},
        "both": {MARKER: False, "is_error": True},
        "null": {"is_error": None},
    }
    denied = {
        name: {"role": "tool", "tool_call_id": f"c{i}", "content": "no", "name": name} | keys
        for i, (name, keys) in enumerate(said.items())
    }
    messages = run("chat", [(name, {}) for name in said], denied=denied)
    outcomes = [None, True, False, True, False, None]
    assert messages == [result("no", outcome) for outcome in outcomes]


def test_a_program_stays_one_script(programs: dict[str, str]) -> None:
    for source, before in ((programs["chat"], launch.CHAT_PROGRAM), (programs["browser"], "# /// script\n")):
        assert source.startswith(before)
        (block,) = re.finditer(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$", source)
        assert block["type"] == "script"
        assert "toolwire" not in block["content"]
        assert not re.search(r"(?m)^\s*(import|from) toolwire", source)


def test_everything_is_put_back() -> None:
    places = [
        (launch, "CHAT_PROGRAM_SOURCE"),
        (null, "CHAT_PROGRAM_SOURCE"),
        (bash, "CHAT_PROGRAM_SOURCE"),
        (browser, "PROGRAM_SOURCE"),
        (launch, "bundle_program"),
        (browser, "bundle_program"),
    ]
    before = [getattr(*at) for at in places]
    with installed():
        assert all(getattr(*at) is not value for at, value in zip(places, before))
        # It does not go on top of itself.
        with pytest.raises(HostError, match="expected each module of the framework once, found 0"), installed():
            pass
    assert all(getattr(*at) is value for at, value in zip(places, before))


def test_programs_of_others_that_are_bundled_later(programs: dict[str, str]) -> None:
    with installed():
        assert launch.bundle_program(launch.CHAT_PROGRAM, mcp, compaction, core) == programs["chat"]
        own = launch.bundle_program("# /// script\n# ///\nprint()\n", mcp)
        assert MARKER not in launch.bundle_program(launch.CHAT_PROGRAM, compaction)
    assert "def with_marker" in own
    assert own.endswith("\nprint()\n")


CORE = Path(core.__file__).read_text()


def test_only_the_calls_are_new() -> None:
    text = _programs.marked(CORE, "core", _programs._CORE)
    marked = re.findall(r"declared_failure\((f?\"[^\n]*\")\)\n", text)
    assert len(marked) == 13
    assert Counter(map(str.lower, (m.lstrip("f")[1:7] for m in marked))) == {"error:": 12, "search": 1}
    assert re.sub(r"declared_failure\((f?\"[^\n]*\")\)\n", r"\1\n", text) == CORE


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("    if not old_str:", '    if path == "x":\n        return "error: x"\n    if not old_str:', "run_edit"),
        ("        return \"error: 'path' is required\"", "        return ''", "run_edit"),
        ('content = f"error: unknown tool {name!r}"', 'content = f"failure: {name!r}"', "run_chat_loop"),
        ("tool_message = bound_tool_message(tool_message)", "pass", "run_chat_loop"),
        ("await call_mcp(servers", "await call_tool(servers", "run_chat_loop"),
        ("def run_bash(", "def run_shell(", "run_bash"),
    ],
)
def test_a_program_that_changed_is_refused(old: str, new: str, place: str) -> None:
    assert CORE.count(old) == 1
    with pytest.raises(HostError, match=f"^core.{place}: expected "):
        _programs.marked(CORE.replace(old, new), "core", _programs._CORE)


def test_a_seam_that_changed_is_refused_and_nothing_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    before = launch.CHAT_PROGRAM_SOURCE
    monkeypatch.setattr(
        browser, "PROGRAM_SOURCE", browser.PROGRAM_SOURCE.replace('"role": "tool"', '"role": "result"', 1)
    )
    seams = Seams()
    with pytest.raises(HostError, match=r"browser_use.harness.PROGRAM_SOURCE.main: expected 3 tool messages, found 2$"):
        _programs.install(seams)
    assert launch.CHAT_PROGRAM_SOURCE is before
    monkeypatch.setattr(mcp, "call_mcp", lambda servers, name: None)
    with pytest.raises(
        HostError, match=r"mcp.call_mcp: expected the parameters \(servers, dispatch, name, arguments\)"
    ):
        _programs.install(seams)
