"""Contexts joined from a corpus or from inputs, and the inputs that systems translate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from suite_items import make_item, make_suite

from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.errors import InputError
from endophora.suites import Pair, Variant
from endophora.suites.formats import read_suite
from endophora.suites.outputs import contexts_from_inputs, inputs, join_contexts, translations


def make_corpus(*sources: str) -> Corpus:
    segments = tuple(Segment(text, {"ref": text.upper()}, {}, Location("x", 1)) for text in sources)
    return Corpus("en", "de", (Document("d0", segments),), ("ref",), ())


@pytest.mark.parametrize("first", [0, 1])
def test_contexts_are_joined_whether_segments_count_from_0_or_1(first: int) -> None:
    corpus = make_corpus("One.", "Two.", "It is here.", "Three.")
    suite = make_suite(make_item(0, segment=2 + first, before=None))
    (item,) = join_contexts(suite, corpus, 5).items
    assert item.before == (Pair("One.", "ONE."), Pair("Two.", "TWO."))
    (item,) = join_contexts(suite, corpus, 1).items
    assert item.before == (Pair("Two.", "TWO."),)


def test_quotes_and_spaces_that_exports_change_do_not_matter() -> None:
    corpus = make_corpus('" It\'s "  here.')
    suite = make_suite(make_item(0, segment=0, source="It's here.", before=None))
    assert join_contexts(suite, corpus, 3).items[0].before == ()


def test_items_that_are_not_in_the_corpus_are_all_told() -> None:
    suite = make_suite(make_item(0, segment=0), make_item(1), make_item(2, document="d0", segment=9))
    with pytest.raises(InputError) as refused:
        join_contexts(suite, make_corpus("Another."), 2)
    assert [fault.code for fault in refused.value.faults] == ["E178"] * 3
    assert "no such document" in refused.value.faults[1].cause


def test_the_published_inputs_are_written_again(shared: Path) -> None:
    folder = shared / "known-answers" / "ctxpro"
    suite = read_suite(folder / "auxiliary.opensubtitles.en-de.test.json.gz")
    lines = (folder / "auxiliary.opensubtitles.en-de.test.input").read_text("utf-8").split("\n")[:-1]
    joined = contexts_from_inputs(suite, lines, "<eos>")
    assert list(inputs(joined, 10, "<eos> ")) == lines
    assert list(inputs(joined, 0)) == [item.source for item in suite.items]


def test_inputs_of_another_suite_are_refused() -> None:
    suite = make_suite(make_item(0))
    with pytest.raises(InputError, match=r"E178.*another segment"):
        contexts_from_inputs(suite, ["One.<eos> Two."], "<eos>")
    with pytest.raises(InputError, match="2 inputs for 1 items"):
        contexts_from_inputs(suite, ["It is here.", "x"], "<eos>")


def test_an_input_is_the_last_segments_and_the_items_own() -> None:
    item = make_item(before=(Pair("A.", "a."), Pair("B.", "b.")))
    assert list(inputs(make_suite(item), 1)) == ["B.<eos> It is here."]
    assert list(inputs(make_suite(item), 9, " | ")) == ["A. | B. | It is here."]
    assert list(inputs(make_suite(item), 0)) == ["It is here."]


def test_translations_stand_in_the_order_of_scores_with_their_own_contexts() -> None:
    item = make_item(before=(Pair("A.", "a."),), correct=1, variants=(Variant("Er.", before=("x.",)), Variant("Es.")))
    item = replace(item, source="It.", reference="Sie.")
    pairs = list(translations(make_suite(item), 3, "|"))
    assert pairs == [("A.|It.", "x.|Er."), ("A.|It.", "a.|Sie."), ("A.|It.", "a.|Es.")]


def test_context_that_is_not_there_is_not_invented() -> None:
    suite = make_suite(make_item(before=None))
    with pytest.raises(InputError, match=r"E177.*1 of 1"):
        list(inputs(suite, 1))
    assert list(inputs(suite, 0)) == ["It is here."]


@pytest.mark.parametrize("text", ["a <eos> b", "a\nb"])
def test_a_text_that_would_break_the_line_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="E176"):
        list(inputs(make_suite(make_item(source=text)), 1))
