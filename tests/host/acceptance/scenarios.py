"""What the scripted model does in each scenario, and what every tool result of it is: a failure or not."""

from __future__ import annotations

import json
from typing import Any

GOOD = {"q": "a"}
SCRIPT: dict[str, list[dict[str, Any]]] = {
    "seq": [{"calls": [["ok", GOOD]]}, {"calls": [["err", GOOD]]}, {"calls": [["boom", GOOD]]}, {"text": "done"}],
    "only_ok": [{"calls": [["ok", GOOD]]}, {"text": "done"}],
    "only_err": [{"calls": [["err", GOOD]]}, {"text": "done"}],
    "par": [{"calls": [["ok", GOOD], ["err", GOOD], ["ok", GOOD], ["boom", GOOD]]}, {"text": "done"}],
    "img": [{"calls": [["ok_img", GOOD]]}, {"calls": [["err_img", GOOD]]}, {"text": "done"}],
    "empty": [{"calls": [["ok_empty", GOOD]]}, {"calls": [["err_empty", GOOD]]}, {"text": "done"}],
    "badargs": [
        {"calls": [["ok", "{not json"]]},
        {"calls": [["ok", "[1]"]]},
        {"calls": [["nope", GOOD]]},
        {"calls": [["ok", {"zzz": 1}]]},
        {"text": "done"},
    ],
    "rpc": [{"calls": [["rpc_err", GOOD]]}, {"calls": [["ok", GOOD]]}, {"text": "done"}],
    "exchange": [
        {"calls": [["err", GOOD]]},
        {"text": "first answer"},
        {"calls": [["ok", GOOD]]},
        {"text": "second answer"},
    ],
    "call_ok": [{"calls": [["ok", GOOD]]}, {"text": "done"}],
    "call_err": [{"calls": [["err", GOOD]]}, {"text": "done"}],
    "at_once": [{"text": "done", "together": 2}],
    "default": [{"text": "done"}],
}
# What a run of the command line goes through, and the outcome of each tool result in order. The first three of `badargs`
# never reach the tool server: it is the harness program that knows that they failed.
OUTCOMES = {
    "seq": [False, True, True],
    "only_ok": [False],
    "only_err": [True],
    "par": [False, True, False, True],
    "img": [False, True],
    "empty": [False, True],
    "badargs": [True, True, True, True],
}


def failed(name: str, arguments: str | dict[str, Any]) -> bool | None:
    """Whether a call of a tool with these arguments is a failure in every scenario; None for `either`, which is both."""
    if name == "either":
        return None
    if not isinstance(arguments, dict):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return True
    return arguments != GOOD or not name.removeprefix("fx_").startswith("ok")
