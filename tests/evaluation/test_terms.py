"""The column of a glossary's terms, on texts whose words a space divides."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from worked import TEXTS, corpus, document, tools

from endophora.corpus.glossary import Glossary, Term
from endophora.errors import InputError
from endophora.evaluation.columns import TargetSide
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.evaluation.tagging import DocumentTexts
from endophora.evaluation.terms import TermCheck, glossary_of
from endophora.phenomena import TaggerOptions
from endophora.statistics.units import each_row

SOURCE = ("we met Anna", "we saw her", "Anna met Berta")
OUTPUT = ("wir trafen Anna", "wir sahen sie", "Anne traf")
TERMS = (Term("Anna", ("Anna",)), Term("Oslo", ("Oslo",)), Term("Berta", ("Bertha", "Berta")))
# Anne is linked to Anna, and nothing to Berta.
LINKS = [[(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 1)]]


def side(name: str, texts: tuple[str, ...]) -> TargetSide:
    made = [DocumentTexts("d0", SOURCE[:1], texts[:1]), DocumentTexts("d1", SOURCE[1:], texts[1:])]
    known = [
        document("d0", texts[:1], source=SOURCE[:1], links=LINKS[:1]),
        document("d1", texts[1:], source=SOURCE[1:], links=LINKS[1:]),
    ]
    return TargetSide(name, made, known)


def check(*references: TargetSide) -> TermCheck:
    return TermCheck(Glossary("terms.tsv", TERMS), tools(), [side("a", OUTPUT), side("b", SOURCE)], references)


def test_terms_are_found_by_document_and_segment_with_their_words():
    assert check().found == [[[(0, (2,))]], [[], [(0, (0,)), (2, (2,))]]]


def test_terms_are_right_where_the_glossarys_word_stands_wrong_where_another_does_and_missing():
    first, second = check().judged
    assert [[(one.segment, one.rule, judgment.verdict) for one, judgment in found] for found in first] == [
        [(0, "Anna", "right")],
        [(1, "Anna", "wrong"), (1, "Berta", "missing")],
    ]
    assert [judgment.verdict for found in second for _, judgment in found] == ["right"] * 3
    place, judgment = first[1][0]
    assert (place.document, place.phenomenon, place.source_tokens, place.target_tokens) == ("d1", "terms", (0,), (0,))
    assert (place.expected, place.support, judgment.shown) == ("Anna", None, "Anne")
    assert first[1][1][0].expected == "Bertha | Berta"


def test_terms_are_counted_in_the_segment_where_they_stand_and_people_beside():
    checked = check(side("ref", OUTPUT))
    rows, documents = each_row(3, "segments"), each_row(3, "documents")
    table = checked.table(rows, documents, EvaluationOptions(minimum=2))
    assert table.statistics.shape == (2, 3, 1, 4)
    assert table.statistics[0, :, 0].tolist() == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 1]]
    assert table.statistics[1, :, 0].tolist() == [[1, 0, 0, 0], [0, 0, 0, 0], [2, 0, 0, 0]]
    [column] = table.columns
    assert (column.name, column.kind, column.occurrences, column.human_judged) == ("terms", "phenomenon", 3, 3)
    assert column.signature.startswith(f"judge:terms|glossary:{checked.glossary.signature}|version:")
    assert (table.scored, table.counts) == ("choice", ("right", "wrong", "other", "missing"))
    # Right 1, wrong 1, missing 1 less a tenth of three: 1 / 2.7.
    assert table.score(table.statistics.sum(axis=1))[:, 0] == pytest.approx([1 / 2.7, 1.0])
    assert column.human == pytest.approx(1 / 2.7)
    assert check().table(rows, documents, EvaluationOptions()).columns[0].human is None
    assert table.units is rows
    assert table.documents is documents


def test_terms_that_never_occur_are_named_and_the_others_stand_by_their_number():
    checked = check()
    info, found = checked._info(), checked._phenomenon()
    assert (info.file, info.terms, info.unfound) == ("terms.tsv", 3, ["Oslo"])
    assert list(found.rules.items()) == [("Anna", 2), ("Berta", 1)]
    assert (found.occurrences, found.words, found.side, found.systems) == (3, 3, "source", {})


def test_terms_are_shown_with_all_systems_and_the_sample_is_no_larger_than_asked():
    made = corpus(2, ("good", "bad"))
    texts = {name: [document(f"d{at}", TEXTS[name]) for at in range(2)] for name in ("good", "bad", "ref")}
    all_texts = [DocumentTexts(f"d{at}", ("we met Anna", "we saw her"), TEXTS["good"]) for at in range(2)]
    sides = [TargetSide(name, all_texts, texts[name]) for name in ("good", "bad")]
    checked = TermCheck(Glossary("g", TERMS), tools(), sides, [TargetSide("ref", all_texts, texts["ref"])])
    shown = list(checked.all_examples(made))
    assert [(one.document, one.segment, one.expected) for one in shown] == [("d0", 0, "Anna"), ("d1", 0, "Anna")]
    assert [(one.system, one.written, one.correct) for one in shown[0].outputs] == [
        ("good", "Anna", True),
        ("bad", "Anna", True),
    ]
    assert shown[0].reference.text == "wir trafen Anna"
    assert [(one.start, one.end, one.role) for one in shown[0].reference.highlights] == [(11, 15, "occurrence")]
    for size in (0, 1, 2, 3):
        assert len(checked._examples(made, EvaluationOptions(examples=size))) == min(size, 2)


def test_terms_need_the_links_that_phenomena_are_looked_for_with(tmp_path: Path):
    (tmp_path / "g.tsv").write_text("Anna\tAnna\n")
    none = Setup("en", "de", taggers=TaggerOptions(phenomena=()))
    one = Setup("en", "de", taggers=TaggerOptions(phenomena=("pronouns",)))
    given = EvaluationOptions(glossary=tmp_path / "g.tsv")
    with pytest.raises(InputError, match=r"\[E109\]"):
        glossary_of(given, none)
    assert glossary_of(EvaluationOptions(), none) is None
    read = glossary_of(given, one)
    assert read is not None
    assert read.terms == (Term("Anna", ("Anna",)),)


def test_terms_of_the_whole_are_the_sum_of_segments():
    assert np.array_equal(check()._statistics(check().judged[0]).sum(axis=0), [[1, 1, 0, 1]])


def test_terms_of_one_system_alone_are_shown_with_the_output_in_the_references_place():
    text = DocumentTexts("d0", ("we met Anna", "we saw her"), TEXTS["good"])
    alone = TermCheck(Glossary("g", TERMS), tools(), [TargetSide("good", [text], [document("d0", TEXTS["good"])])])
    [shown] = alone.all_examples(corpus(1, ("good",)))
    assert (shown.expected, shown.reference.text, [one.system for one in shown.outputs]) == ("Anna", "", ["good"])
