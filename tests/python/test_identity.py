"""Identity: the package against the written vectors and the plain-Python rule, and the laws of the rule."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from typing import Any

import identity_cases
import identity_reference as reference
import pytest
import toolwire
from hypothesis import example, given
from hypothesis import strategies as st
from messages import build, build_tool, dump
from strategies import json_values, messages, respelled, spell

# A lone surrogate has an identity like any other text; that it was replaced is a warning.
pytestmark = pytest.mark.filterwarnings("ignore::toolwire.LossWarning")

VECTORS = json.loads(reference.VECTORS.read_text(encoding="ascii"))


def identity(message: dict[str, Any]) -> str:
    digest = toolwire.message_hash(build(message))
    assert isinstance(digest, str)
    return digest


def called(arguments: str, kind: str = "function") -> str:
    return identity(identity_cases.turn(identity_cases.call(arguments, type=kind)))


def named(group: str) -> Any:
    rows = VECTORS[group]
    return pytest.mark.parametrize("row", rows, ids=[row.get("name") or row["literal"] for row in rows])


# The vectors


def test_the_vectors_are_current() -> None:
    run = subprocess.run([sys.executable, reference.__file__, "--check"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_every_vector_has_its_own_name() -> None:
    for group in ("messages", "texts", "arguments", "tools", "prefixes"):
        names = [row["name"] for row in VECTORS[group]]
        assert len(set(names)) == len(names), group


@named("messages")
def test_message(row: dict[str, Any]) -> None:
    assert identity(row["message"]) == row["identity"]


@named("texts")
def test_text(row: dict[str, Any]) -> None:
    assert identity(json.loads(row["text"])) == row["identity"]


@named("arguments")
def test_arguments(row: dict[str, Any]) -> None:
    text, canonical = identity_cases.spelled(row["text"]), row["canonical"]
    assert called(text) == row["identity"]
    if isinstance(canonical, str):
        assert called(canonical) == row["identity"]


@named("numbers")
def test_number(row: dict[str, Any]) -> None:
    literal, canonical = row["literal"], row["canonical"]
    if canonical is None:
        assert called(f"[{literal}]") != called(f"[ {literal} ]"), "counts as it stands"
    else:
        assert called(f"[{literal}]") == called(f"[ {canonical} ]")


@named("tools")
def test_tools(row: dict[str, Any]) -> None:
    assert toolwire.tools_hash([build_tool(tool) for tool in row["tools"]]) == row["identity"]


def test_no_tools_is_an_empty_list() -> None:
    assert toolwire.tools_hash(None) == toolwire.tools_hash([]) == reference.tools_hash(None)


@named("prefixes")
def test_prefixes(row: dict[str, Any]) -> None:
    assert list(toolwire.prefix_hashes([build(message) for message in row["messages"]])) == row["identities"]


def test_a_lone_surrogate_is_reported() -> None:
    with pytest.warns(toolwire.LossWarning, match="content"):
        build({"role": "user", "content": "caf\ud83d"})


def test_two_halves_of_a_pair_are_one_character() -> None:
    halves, whole = ({"role": "user", "content": text} for text in ("\ud83d\ude00", "\U0001f600"))
    assert identity(halves) == identity(whole) == reference.message_hash(halves)


# The package against the rule, on messages nobody wrote


@given(messages())
def test_package_follows_the_rule(message: dict[str, Any]) -> None:
    assert identity(message) == reference.message_hash(message)


@given(messages())
def test_identity_survives_to_dict(message: dict[str, Any]) -> None:
    assert identity(dump(build(message))) == identity(message)


@given(st.lists(messages(), max_size=4))
def test_prefixes_follow_the_rule(conversation: list[dict[str, Any]]) -> None:
    hashes = toolwire.prefix_hashes([build(m) for m in conversation])
    assert list(hashes) == reference.prefix_hashes(conversation)


@given(st.lists(messages(), max_size=4), st.integers(0, 4))
def test_a_prefix_is_told_by_its_own_hash(conversation: list[dict[str, Any]], length: int) -> None:
    whole = toolwire.prefix_hashes([build(m) for m in conversation])
    assert toolwire.prefix_hashes([build(m) for m in conversation[:length]]) == whole[:length]


@given(st.text() | st.text(alphabet='{}[]":,\\ \t\n0123456789.eE+-ntfu\x00\ufeff'))
@example('{"a":1e400}')
@example("1e400")
def test_any_argument_text_follows_the_rule(arguments: str) -> None:
    message = identity_cases.turn(identity_cases.call(arguments))
    assert identity(message) == reference.message_hash(message)


# The laws


@given(messages(), messages())
def test_equal_exactly_when_the_rule_says_so(one: dict[str, Any], other: dict[str, Any]) -> None:
    same = reference.message_hash(one) == reference.message_hash(other)
    assert (identity(one) == identity(other)) is same


@given(messages(role="tool"))
def test_failure_is_part_of_it_and_nothing_else_of_the_outcome(message: dict[str, Any]) -> None:
    silent, success, failure = (identity({**message, "is_error": said}) for said in (None, False, True))
    assert silent == success != failure


@given(messages(role="tool"), st.text(max_size=8) | st.none())
def test_the_name_of_a_result_does_not_matter(message: dict[str, Any], name: str | None) -> None:
    assert identity({**message, "name": name}) == identity({**message, "name": None})


@given(messages(role="assistant"))
def test_no_content_is_empty_content(message: dict[str, Any]) -> None:
    assert identity({**message, "content": None}) == identity({**message, "content": ""})


@given(st.text(min_size=1, max_size=8))
def test_text_is_not_a_list_of_one_text(content: str) -> None:
    part = {"type": "text", "text": content}
    assert identity({"role": "user", "content": content}) != identity({"role": "user", "content": [part]})


@given(json_values, st.data())
def test_spelling_of_arguments_does_not_matter(value: Any, data: st.DataObject) -> None:
    assert called(data.draw(respelled(value))) == called(data.draw(respelled(value)))


@given(json_values, json_values)
def test_other_arguments_are_another_message(one: Any, other: Any) -> None:
    same = reference.canonical(one) == reference.canonical(other)
    assert (called(spell(one)) == called(spell(other))) is same


@given(json_values, st.data())
def test_custom_input_is_compared_as_it_stands(value: Any, data: st.DataObject) -> None:
    one, other = data.draw(respelled(value)), data.draw(respelled(value))
    assert (called(one, "custom") == called(other, "custom")) is (one == other)


@given(st.integers())
def test_an_integer_is_the_double_of_the_same_spelling(number: int) -> None:
    if abs(number) < 2**53:
        assert called(f"[{number}]") == called(f"[{number}.0]") == called(f"[{number}e0]")


@given(st.integers(-(10**40), 10**40), st.integers(1, 9))
def test_integers_never_merge(number: int, step: int) -> None:
    assert called(f"[{number}]") != called(f"[{number + step}]")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_survives_python_and_javascript(double: float) -> None:
    assert called(f"[{double!r}]") == called(f"[{reference.ecmascript(double)}]")


@given(messages())
def test_hashing_changes_nothing(message: dict[str, Any]) -> None:
    built, before = build(message), copy.deepcopy(message)
    first = toolwire.message_hash(built)
    assert toolwire.message_hash(built) == first
    assert message == before
