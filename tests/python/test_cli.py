"""The command line as a person uses it: files, standard input, JSONL, exit codes, and what goes to standard error."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CALL = {"id": "call_1", "type": "function", "function": {"name": "probe", "arguments": "{}"}}
MARKED: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "bad", "_vf_is_error": True},
    ],
}


def run(*arguments: object, stdin: bytes = b"") -> tuple[int, bytes, str]:
    command = [sys.executable, "-m", "toolwire", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    file = tmp_path / "marked.json"
    file.write_text(json.dumps(MARKED, indent=2))
    return file


def test_convert_writes_the_body_and_says_what_was_lost(marked: Path, tmp_path: Path) -> None:
    status, out, said = run("convert", marked, "--from", "chat", "--to", "anthropic")
    assert status == 0
    block = json.loads(out)["messages"][2]["content"][0]
    assert (block["is_error"], block["content"]) == (True, "bad")
    assert "loss: max_tokens: max_tokens.assumed:" in said

    target = tmp_path / "out.json"
    status, out, _ = run("convert", marked, "--to", "responses", "--out", target)
    assert (status, out) == (0, b"")
    assert json.loads(target.read_bytes())["input"][-1]["output"] == "Tool execution failed:\nbad"


def test_out_keeps_what_was_there_where_the_input_is_refused(marked: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("kept")
    target.chmod(0o640)
    before = sorted(tmp_path.iterdir())
    lines = json.dumps(MARKED).encode() + b"\n{broken\n"
    for arguments, stdin in (
        (("convert", marked, "--to", "anthropic", "--strict"), b""),
        (("convert", "-", "--to", "chat"), b"{broken"),
        (("seal", "-", "--from", "chat"), b"{broken"),
        (("seal", "-"), lines),
    ):
        assert run(*arguments, "--out", target, stdin=stdin)[0] == 1
        assert target.read_text() == "kept"
        assert sorted(tmp_path.iterdir()) == before
    absent = tmp_path / "absent.json"
    assert run("seal", "-", "--out", absent, stdin=b"{")[0] == 1
    assert not absent.exists()

    link = tmp_path / "link.json"
    link.symlink_to(target)
    assert run("seal", marked, "--out", link)[0] == 0
    assert link.is_symlink()
    assert json.loads(target.read_bytes())["messages"][2]["content"].endswith("bad")
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == sorted([*before, link])
    # The file that is read may be the one that is written.
    assert run("seal", marked, "--out", marked)[0] == 0
    assert b"_vf_is_error" not in marked.read_bytes()


def test_out_that_cannot_be_written(marked: Path, tmp_path: Path) -> None:
    for target in (tmp_path, tmp_path / "no" / "folder.json"):
        status, _, said = run("seal", marked, "--out", target)
        assert status == 2
        assert said.startswith(f"toolwire: {target}: ")
    assert run("seal", marked, "--out", "/dev/null") == (0, b"", "")


@pytest.mark.parametrize(
    "body",
    [b"{broken", b"", b"[]", b"3", b'{"messages":[],"n":NaN}', b'{"messages":[]} x', b"\xff\xfe{\x00}\x00", b"\xff"],
)
def test_seal_refuses_what_is_no_json_object(body: bytes) -> None:
    for source in ((), ("--from", "chat"), ("--from", "responses"), ("--from", "anthropic")):
        status, out, said = run("seal", "-", *source, stdin=body)
        assert (status, out) == (1, b"")
        assert said.startswith("toolwire: $: ")


def test_numbers_that_python_cannot_hold_pass() -> None:
    body = b'{"messages":[],"seed":' + b"9" * 5000 + b',"n":1e400}\n'
    for source in ((), ("--from", "chat")):
        assert run("seal", "-", *source, stdin=body) == (0, body, "")
        assert run("convert", "-", "--to", "chat", *source, stdin=body) == (0, body, "")


def test_strict_refuses(marked: Path) -> None:
    status, out, said = run("convert", marked, "--to", "anthropic", "--strict")
    assert (status, out) == (1, b"")
    assert said.startswith("toolwire: max_tokens: ")


def test_seal_keeps_every_other_byte() -> None:
    body = b'{"messages": [ {"role":"tool", "content":"bad", "_vf_is_error":true} ], "n":1.0}'
    status, out, said = run("seal", "-", stdin=body)
    assert (status, said) == (0, "")
    assert out == b'{"messages": [ {"role":"tool", "content":"Tool execution failed:\\nbad"} ], "n":1.0}\n'


def test_lines_are_bodies_of_their_own() -> None:
    lines = b"\n".join([json.dumps(MARKED).encode(), b"", b"{broken", json.dumps(MARKED).encode()])
    status, out, said = run("seal", "-", stdin=lines)
    assert status == 1
    assert len(out.splitlines()) == 2
    assert said == "toolwire: line 3: $: expected a key at byte 1\n"


def test_hash_and_explain_are_tables(marked: Path) -> None:
    status, out, _ = run("hash", marked)
    rows = out.decode().splitlines()
    assert status == 0
    assert len(rows) == 4
    assert rows[3].split()[:3] == ["2", "tool", "FAILED"]
    assert len(rows[3].split()[3]) == 64

    status, out, _ = run("explain", marked)
    rows = out.decode().splitlines()
    assert status == 0
    assert rows[2].split() == ["1", "assistant", "probe", "2", "B"]
    assert rows[3].split() == ["2", "tool", "probe", "FAILED", "3", "B"]
    assert b"\x1b" not in out


def test_the_dialect_is_guessed() -> None:
    anthropic = {"max_tokens": 1, "system": "s", "messages": [{"role": "user", "content": "x"}]}
    bedrock = {"system": [{"text": "s"}], "messages": [{"role": "user", "content": [{"text": "x"}]}]}
    for body, roles in (
        (
            {"systemInstruction": {"parts": [{"text": "s"}]}, "contents": [{"parts": [{"text": "x"}]}]},
            ["system", "user"],
        ),
        (bedrock, ["system", "user"]),
        (anthropic, ["system", "user"]),
        ({"input": "x"}, ["user"]),
        (MARKED, ["user", "assistant", "tool"]),
    ):
        status, out, _ = run("explain", "-", stdin=json.dumps(body).encode())
        assert status == 0
        assert [row.split()[1] for row in out.decode().splitlines()[1:]] == roles


@pytest.mark.parametrize(
    ("stdin", "sentence"),
    [
        (b"{}", "$: none of `messages`, `input` and `contents`: this is no request body"),
        (b"[]", "$: expected an object"),
        (b'{"messages":5}', "messages: expected a list"),
        (b"", "$: unexpected end at byte 0"),
        (b"\xff", "$: not valid UTF-8 at byte 0"),
        (b'{"messages":[{"role":"tool"}]}', "messages[0].tool_call_id: missing"),
        (b"[" * 100_000, "$: nested deeper than 512 levels"),
    ],
)
def test_a_refused_input_is_one_sentence(stdin: bytes, sentence: str) -> None:
    status, out, said = run("explain", "-", stdin=stdin)
    assert (status, out) == (1, b"")
    assert said == f"toolwire: {sentence}\n"


def test_a_body_of_every_wire_goes_to_every_other_and_to_targets(marked: Path) -> None:
    outcomes = {"responses": "undeclared", "anthropic": "FAILED", "gemini": "FAILED", "bedrock": "FAILED"}
    for source, outcome in outcomes.items():
        status, body, _ = run("convert", marked, "--to", source)
        assert status == 0
        assert run("explain", "-", stdin=body)[1].decode().splitlines()[3].split()[2:4] == ["probe", outcome]
        assert run("hash", "-", stdin=body)[1].decode().splitlines()[3].split()[2] == outcome
        assert json.loads(run("seal", "-", stdin=body)[1]) == json.loads(body)
        for target in ("chat", *outcomes):
            status, _, said = run("convert", "-", "--to", target, stdin=body)
            assert status == 0, said


def test_a_target_says_which_dialect_it_speaks_and_what_it_takes(marked: Path) -> None:
    result = json.loads(run("convert", marked, "--to", "bedrock")[1])["messages"][2]["content"][0]["toolResult"]
    assert (result["status"], result["content"]) == ("error", [{"text": "bad"}])
    result = json.loads(run("convert", marked, "--to", "palmyra")[1])["messages"][2]["content"][0]["toolResult"]
    assert "status" not in result
    status, out, said = run("convert", marked, "--to", "gemini")
    assert status == 0
    assert "model" not in json.loads(out)
    assert "toolwire: the model m goes into the URL, not into the body\n" in said
    assert "TARGET" in run("convert", "-", "--help")[1].decode()


def test_wrong_usage_and_missing_files(tmp_path: Path) -> None:
    assert run("convert", "-", "--to", "nowhere")[0] == 2
    assert run()[0] == 2
    status, _, said = run("hash", tmp_path / "absent.json")
    assert status == 2
    assert "absent.json: No such file" in said


def test_names_cannot_steer_a_terminal() -> None:
    body = {
        "messages": [{"role": "assistant", "tool_calls": [CALL | {"function": {"name": "\x1b[2J", "arguments": "{}"}}]}]
    }
    _, out, _ = run("explain", "-", stdin=json.dumps(body).encode())
    assert b"\x1b" not in out
