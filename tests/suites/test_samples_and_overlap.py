"""Samples that are even over rules (ctxpro, §4.1), what two suites share (§5.2), and suites as corpora."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite_items import make_item, make_suite

from command import run
from endophora.corpus.formats import read_corpus
from endophora.errors import InputError
from endophora.report import REPORTS
from endophora.suites import Pair
from endophora.suites.describe import describe_suite
from endophora.suites.formats import read_suite, write_suite
from endophora.suites.outputs import as_corpus
from endophora.suites.splits import sample_items


def some(**counts: int):
    return [make_item(n, rule=rule, document=f"{rule}{n}") for rule, count in counts.items() for n in range(count)]


def test_a_sample_is_as_even_as_the_rules_allow() -> None:
    # A fourth of 100 is 25: the rule of 5 gives 20 to the others, which have (100 - 5) / 3 each.
    items = some(a=500, b=5, c=60, d=40)
    found = Counter(item.rule for item in sample_items(items, 100))
    assert found == {"a": 32, "b": 5, "c": 32, "d": 31}


@given(st.lists(st.integers(0, 30), min_size=1, max_size=5), st.integers(1, 80), st.integers(0, 3))
def test_samples_keep_order_and_size_and_differ_by_seed_alone(counts: list[int], most: int, seed: int) -> None:
    items = some(**{f"r{n}": count for n, count in enumerate(counts)})
    found = sample_items(items, most, seed)
    assert len(found) == min(most, len(items))
    assert found == [item for item in items if item in found] == sample_items(items, most, seed)


def test_each_phenomenon_has_its_own_share() -> None:
    items = [*some(a=10), *(replace(item, phenomenon="formality") for item in some(b=10))]
    assert Counter(item.phenomenon for item in sample_items(items, 4)) == {"gender": 4, "formality": 4}


def test_suites_share_items_whose_sentences_are_the_same_but_for_spaces_case_and_quotes() -> None:
    ours = make_suite(make_item(0), make_item(1, reference="Er geht."), make_item(2, source="Other."))
    theirs = make_suite(make_item(5, source="it is  here ."), make_item(6, source="Another."))
    found = describe_suite(ours, 0, other=theirs)
    assert found.overlap is not None
    assert (found.overlap.shared, found.overlap.shared_there) == (1, 1)
    assert [rule.shared for rule in found.rules] == [1]
    assert "1 of 3 items, 33.3 %" in REPORTS.get("text")(found)
    assert describe_suite(ours).overlap is None


def test_convert_draws_a_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, part = str(tmp_path / "whole.en-de.json"), str(tmp_path / "part.en-de.jsonl")
    write_suite(make_suite(*some(a=20, b=20)), whole, "ctxpro")
    assert run("suite", "convert", whole, "--to", "jsonl", "-o", part, "--sample", "6") == 0
    assert Counter(item.rule for item in read_suite(part).items) == {"a": 3, "b": 3}
    assert run("suite", "describe", part, "--beside", whole) == 0
    assert "6 of 6 items, 100.0 %" in " ".join(capsys.readouterr().out.split())


def test_a_suite_becomes_a_corpus_with_each_item_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, corpus = str(tmp_path / "whole.jsonl"), str(tmp_path / "corpus.tsv")
    bare = make_item(1, before=(Pair("Where is it?"), Pair("There!", "Dort!")), after=(Pair("Oh.", "Ach."),))
    write_suite(make_suite(make_item(0), bare), whole)
    assert run("suite", "convert", whole, "--to", "corpus", "-o", corpus) == 0
    said = capsys.readouterr().err
    assert "1 segments of context have no translation" in said
    found = read_corpus(corpus, languages=("en", "de"))
    texts = [[(one.source, *one.references.values()) for one in document.segments] for document in found.documents]
    assert texts == [
        [("Where is the lamp?", "Wo ist die Lampe?"), ("It is here.", "Sie ist hier.")],
        [("There!", "Dort!"), ("It is here.", "Sie ist hier."), ("Oh.", "Ach.")],
    ]
    assert [document.id for document in found.documents] == ["0:d0", "1:d1"]


def test_a_suite_without_context_is_no_corpus() -> None:
    with pytest.raises(InputError, match="E177"):
        as_corpus(make_suite(make_item(0, before=None)))
