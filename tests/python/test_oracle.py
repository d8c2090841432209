"""Our identity against the host framework's equivalence, recorded over messages without an outcome."""

from __future__ import annotations

import collections
import gzip
import json
import os
import sys
from collections.abc import Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import identity_reference as reference
import pytest
import toolwire
from messages import build
from oracle import exceptions

pytestmark = pytest.mark.filterwarnings("ignore::toolwire.LossWarning")

FILE = Path(__file__).parent.parent / "oracle" / "corpus.json.gz"


class Corpus:
    """The record, with our identities beside theirs."""

    def __init__(self) -> None:
        record = json.loads(gzip.decompress(FILE.read_bytes()))
        self.messages: list[dict[str, Any]] = record["messages"]
        self.theirs: list[int | None] = record["theirs"]
        self.normal: list[int] = record["normal"]
        self.met: list[frozenset[str]] = [frozenset(met) for met in record["exceptions"]]
        self.raised: dict[str, int] = record["raised"]
        self.ours: list[str] = [toolwire.message_hash(build(message)) for message in self.messages]

    def rows(self) -> Iterator[tuple[int, str, int | None, frozenset[str]]]:
        yield from zip(range(len(self.ours)), self.ours, self.theirs, self.met, strict=True)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus()


def classes(keys: Sequence[Hashable], among: Iterable[int]) -> set[frozenset[int]]:
    """The partition of the messages with these numbers that the keys make."""
    found: dict[Hashable, list[int]] = collections.defaultdict(list)
    for n in among:
        found[keys[n]].append(n)
    return {frozenset(members) for members in found.values()}


def show(corpus: Corpus, difference: set[frozenset[int]]) -> str:
    """The first class that the other side does not have, short enough to read."""
    first = sorted(min(difference, key=min))[:3] if difference else []
    return "\n".join(json.dumps(corpus.messages[n])[:400] for n in first)


def test_the_corpus_is_large_and_says_nothing_of_outcomes(corpus: Corpus) -> None:
    assert len(corpus.messages) >= 20_000
    assert not any("is_error" in message for message in corpus.messages)
    sizes = [len(members) for members in classes(corpus.ours, range(len(corpus.ours)))]
    shared = sum(size for size in sizes if size > 1)
    assert shared > 10_000, "near-copies that are the same message"


def test_the_record_fits_the_normal_form_of_today(corpus: Corpus) -> None:
    for n, message in enumerate(corpus.messages):
        form, met = exceptions.normal(message)
        assert met == corpus.met[n], n
        if not met:
            assert form == message
            assert corpus.theirs[n] == corpus.normal[n], n


def test_without_exceptions_the_partitions_are_equal(corpus: Corpus) -> None:
    plain = [n for n, _, _, met in corpus.rows() if not met]
    assert len(plain) > 12_000
    ours, theirs = classes(corpus.ours, plain), classes(corpus.theirs, plain)
    assert ours == theirs, show(corpus, ours ^ theirs)


def test_with_exceptions_each_difference_is_explained(corpus: Corpus) -> None:
    """Ours is theirs of the normal forms, over the whole corpus."""
    everything = range(len(corpus.messages))
    ours, theirs = classes(corpus.ours, everything), classes(corpus.normal, everything)
    assert ours == theirs, show(corpus, ours ^ theirs)


def test_only_merging_exceptions_merge(corpus: Corpus) -> None:
    by_ours: dict[str, list[int]] = collections.defaultdict(list)
    for n, ours, theirs, _ in corpus.rows():
        if theirs is not None:
            by_ours[ours].append(n)
    merged = 0
    for members in by_ours.values():
        plain = {corpus.theirs[n] for n in members if not corpus.met[n] & exceptions.MERGING}
        assert len(plain) <= 1, show(corpus, {frozenset(members)})
        merged += len({corpus.theirs[n] for n in members}) > 1
    assert merged >= 100


def test_only_splitting_exceptions_split(corpus: Corpus) -> None:
    by_theirs: dict[int, list[int]] = collections.defaultdict(list)
    for n, _, theirs, _ in corpus.rows():
        if theirs is not None:
            by_theirs[theirs].append(n)
    split = 0
    for members in by_theirs.values():
        plain = {corpus.ours[n] for n in members if not corpus.met[n] & exceptions.SPLITTING}
        assert len(plain) <= 1, show(corpus, {frozenset(members)})
        split += len({corpus.ours[n] for n in members}) > 1
    assert split >= 30


def test_what_theirs_refuses_has_an_identity(corpus: Corpus) -> None:
    refused = [(n, ours, met) for n, ours, theirs, met in corpus.rows() if theirs is None]
    assert len(refused) == sum(corpus.raised.values()) >= 500
    for n, ours, met in refused:
        assert met, corpus.messages[n]
        assert len(bytes.fromhex(ours)) == 32


def test_each_exception_was_met(corpus: Corpus, record_property: Any) -> None:
    counts = collections.Counter(kind for met in corpus.met for kind in met)
    summary = {kind: counts[kind] for kind in exceptions.ALL} | {"refused by theirs": corpus.raised}
    print("\nexceptions met in", len(corpus.messages), "messages:", summary, file=sys.stderr)
    record_property("exceptions", summary)
    for kind in exceptions.ALL:
        assert counts[kind] >= 20, kind


@pytest.mark.skipif("TOOLWIRE_ORACLE" not in os.environ, reason="TOOLWIRE_ORACLE=1 asks the host")
def test_the_record_is_what_the_host_framework_says_now(corpus: Corpus) -> None:
    graph = pytest.importorskip("verifiers.v1.graph")
    types = pytest.importorskip("verifiers.v1.types")
    pydantic = pytest.importorskip("pydantic")
    adapter = pydantic.TypeAdapter(types.Message)
    digests: list[str | None] = []
    for message in corpus.messages:
        try:
            digests.append(graph.message_hash(adapter.validate_python(message)))
        except Exception:
            digests.append(None)
    assert [d is None for d in digests] == [theirs is None for theirs in corpus.theirs]
    hashed = [n for n, digest in enumerate(digests) if digest]
    assert classes(digests, hashed) == classes(corpus.theirs, hashed)


def test_the_plain_rule_passes_the_same_check(corpus: Corpus) -> None:
    """So that a failure above tells whether the rule or the package is wrong."""
    everything = range(len(corpus.messages))
    rule = [reference.message_hash(message) for message in corpus.messages]
    assert classes(rule, everything) == classes(corpus.normal, everything)
