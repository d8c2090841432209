"""A body whose messages are spliced in at the end gives them to whoever asks, and is never sent without them."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from toolwire.integrations.verifiers._body import Body, Spliced

AROUND = {"model": "m", "temperature": 0.5}
MESSAGES = [{"role": "user", "content": "go"}]
WHOLE = {"messages": MESSAGES, **AROUND}


def spliced() -> Spliced:
    def whole() -> Body:
        body = Body(copy.deepcopy(WHOLE))
        body.internal, body.refused = {"internal": True}, None
        return body

    return Spliced(dict(AROUND), "messages", "request", lambda: json.dumps(WHOLE).encode(), whole)


def test_what_stands_around_the_messages_is_read_without_them() -> None:
    body = spliced()
    assert body["model"] == body.get("model") == "m"
    assert body.get("stream", False) is False
    assert "temperature" in body
    assert body.upstream is not None
    assert json.loads(body.upstream()) == WHOLE


@pytest.mark.parametrize(
    "look",
    [
        lambda body: {"messages": body["messages"], **AROUND},
        lambda body: {"messages": body.get("messages"), **AROUND},
        lambda body: "messages" in body and dict(body.items()),
        dict,
        lambda body: {**body},
        lambda body: body | {},
        lambda body: {} | body,
        lambda body: dict(zip(body, body.values())),
        lambda body: {key: body[key] for key in body.keys()},  # noqa: SIM118
        lambda body: dict(reversed(list(reversed(body.items())))),
        lambda body: json.loads(json.dumps(body)),
        lambda body: eval(repr(body)),
        lambda body: body.copy(),
        lambda body: WHOLE if body == WHOLE and len(body) == 3 else None,
        lambda body: body.update(model="m") or dict(body),
        lambda body: body.setdefault("messages", []) and dict(body),
        lambda body: {"messages": body.pop("messages"), **body},
    ],
)
def test_whoever_asks_finds_the_messages(look: Callable[[Any], Any]) -> None:
    body = spliced()
    assert look(body) == WHOLE
    assert body.upstream is None  # from here on it is what it holds


def test_it_is_filled_once_and_keeps_what_was_changed() -> None:
    body = spliced()
    body["messages"].append({"role": "user", "content": "more"})
    assert body.internal == {"internal": True}
    assert len(body["messages"]) == 2


def test_the_programs_body_is_read_when_it_is_asked_for() -> None:
    body = spliced()
    assert body.internal == {"internal": True}
    assert body == WHOLE
    with pytest.raises(AttributeError):
        _ = body.other


def test_code_that_reads_a_dict_behind_its_back_finds_no_list_of_messages() -> None:
    to_json = pytest.importorskip("pydantic_core").to_json
    assert json.loads(to_json(spliced())) == AROUND  # a provider refuses it, which is noticed


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda body: pickle.loads(pickle.dumps(body))])
def test_copies_are_plain_dicts_with_the_messages(copied: Callable[[Any], Any]) -> None:
    twin = copied(spliced())
    assert type(twin) is dict
    assert twin == WHOLE


def test_a_request_in_flight_is_whole_when_the_framework_is_put_back() -> None:
    import toolwire.integrations.verifiers as tv

    with tv.install():
        body = spliced()
    assert body.upstream is None
    assert pytest.importorskip("pydantic_core").to_json(body)
    assert dict.get(body, "messages") == MESSAGES
