"""Words to be explained, with their supporting words: from suites and from occurrences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from endophora.context.attribution.cases import (
    LeftOut,
    Window,
    cases_of_occurrences,
    cases_of_suite,
    first_place,
)
from endophora.context.attribution.flows import Part, Span
from endophora.models.records import ModelInput, Sides
from endophora.phenomena.records import Occurrence, Support
from endophora.suites.published import read_contrapro, read_scat
from endophora.suites.records import Antecedent, Item, Pair, Suite, Variant

BEFORE = (
    Pair("The lamp is old.", "Die Lampe ist alt."),
    Pair("I bought the lamp here.", "Ich habe die Lampe hier gekauft."),
)


def _item(**changes: object) -> Item:
    values: dict[str, object] = {
        "id": "7", "document": "d", "segment": 2, "source": "It works.", "reference": "Sie geht, sagt sie.",
        "phenomenon": "gender", "rule": "it:sie", "expected": ("sie",), "before": BEFORE, "distance": 1,
        "source_antecedent": Antecedent(head="lamp"), "target_antecedent": Antecedent(head="Lampe"),
    }  # fmt: skip
    return Item(**(values | changes))  # type: ignore[arg-type]


def _one(item: Item, window: Window | None = None):
    found = cases_of_suite(Suite("s", "en", "de", (item,)), window or Window())
    assert len(found.cases) == 1, found.left_out
    return found.cases[0]


def _why(item: Item, window: Window | None = None) -> dict[LeftOut, int]:
    found = cases_of_suite(Suite("s", "en", "de", (item,)), window or Window())
    assert not found.cases
    return dict(found.left_out)


def test_antecedents_are_found_in_the_segment_that_is_so_far_back():
    case = _one(_item(distance=2))
    assert case.given == ModelInput(
        "It works.",
        ("The lamp is old.", "I bought the lamp here."),
        ("Die Lampe ist alt.", "Ich habe die Lampe hier gekauft."),
    )
    assert case.support == (Span(Part.SOURCE_CONTEXT, 0, 4, 8), Span(Part.TARGET_CONTEXT, 0, 4, 9))
    near = _one(_item(distance=1))
    assert near.support == (Span(Part.SOURCE_CONTEXT, 1, 13, 17), Span(Part.TARGET_CONTEXT, 1, 13, 18))
    assert _one(_item(distance=None)).support == near.support, "without a distance the nearest counts"


def test_smaller_window_keeps_the_nearest_segments_and_renumbers_them():
    case = _one(_item(distance=1), Window(1))
    assert case.given.source_context == ("I bought the lamp here.",)
    assert {span.sentence for span in case.support} == {0}
    assert _why(_item(distance=2), Window(1)) == {LeftOut.TOO_FAR: 1}


def test_context_of_one_side_has_the_support_of_that_side():
    case = _one(_item(), Window(5, Sides.SOURCE))
    assert case.given.target_context == ()
    assert [span.part for span in case.support] == [Part.SOURCE_CONTEXT]


def test_word_is_the_one_in_which_a_wrong_translation_differs():
    wrong = Variant("Sie geht, sagt er.", "er")
    assert _one(_item(variants=(wrong,))).word == (15, 18)
    assert _one(_item(variants=(Variant("Er geht, sagt sie.", "Er"),))).word == (0, 3)
    assert _one(_item()).word == (15, 18), "with its capitals if it has none elsewhere"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"before": None}, LeftOut.NO_CONTEXT),
        ({"expected": ("er",)}, LeftOut.NO_FORM),
        ({"expected": ()}, LeftOut.NO_FORM),
        ({"source_antecedent": None, "target_antecedent": None}, LeftOut.NO_SUPPORT),
        ({"distance": 0}, LeftOut.SAME_SEGMENT),
        ({"distance": 3}, LeftOut.TOO_FAR),
        ({"source_antecedent": Antecedent(head="dog"), "target_antecedent": None}, LeftOut.NOT_FOUND),
    ],
)
def test_items_are_left_out_for_a_reason(changes: dict[str, object], reason: LeftOut):
    assert _why(_item(**changes)) == {reason: 1}


def test_context_without_translations_has_source_only():
    case = _one(_item(before=(Pair("The lamp."),)))
    assert case.given.target_context == ()
    assert case.support == (Span(Part.SOURCE_CONTEXT, 0, 4, 8),)


def test_without_context_there_is_no_support_to_be_seen():
    case = _one(_item()).without_context()
    assert case.given == ModelInput("It works.")
    assert case.support == ()


def test_highlights_of_scat_are_supporting_words(tmp_path: Path):
    lines = {
        "h.en": "<p>It</p> is  <hon>broken<hoff> .",
        "h.fr": "<p>Elle</p> est cassée.",
        "h.context.en": "I have a  <hon>lamp<hoff> .",
        "h.context.fr": "J'ai une  <hon>lampe<hoff> .",
    }
    for name, line in lines.items():
        (tmp_path / name).write_text(line + "\n", encoding="utf-8")
    suite = read_scat(tmp_path / "h.en")
    (case,) = cases_of_suite(suite, Window()).cases
    texts = {
        Part.SOURCE: case.given.source,
        Part.SOURCE_CONTEXT: case.given.source_context[0],
        Part.TARGET_CONTEXT: case.given.target_context[0],
    }
    marked = [(span.part, str(texts[span.part])[span.start : span.end]) for span in case.support]
    assert marked == [
        (Part.SOURCE, "broken"),
        (Part.SOURCE_CONTEXT, "lamp"),
        (Part.TARGET_CONTEXT, "lampe"),
    ]
    assert case.target[slice(*case.word)] == "Elle"


def test_the_pronoun_that_scat_marks_is_the_word_where_it_stands_twice(tmp_path: Path):
    lines = {
        "h.en": "She says that <p>it</p> is broken .",
        "h.fr": "Elle dit que <p>elle</p> est cassée.",
        "h.context.en": "I have a  <hon>lamp<hoff> .",
        "h.context.fr": "J'ai une  <hon>lampe<hoff> .",
    }
    for name, line in lines.items():
        (tmp_path / name).write_text(line + "\n", encoding="utf-8")
    (case,) = cases_of_suite(read_scat(tmp_path / "h.en"), Window()).cases
    assert case.word == (13, 17)
    assert case.target[slice(*case.word)] == "elle"


def test_contrapro_without_contexts_is_left_out(tmp_path: Path):
    item = {
        "document id": "d", "segment id": 3, "src pronoun": "it", "ref pronoun": "sie", "src segment": "It works.",
        "ref segment": "Sie geht.", "ante distance": 1, "src ante head": "lamp", "ref ante head": "Lampe",
        "errors": [{"contrastive": "Er geht.", "replacement": "Er"}],
    }  # fmt: skip
    path = tmp_path / "contrapro.json"
    path.write_text(json.dumps([item]), encoding="utf-8")
    found = cases_of_suite(read_contrapro(path, ("en", "de")), Window())
    assert found.left_out == {LeftOut.NO_CONTEXT: 1}


SOURCES, TARGETS = ("The lamp.", "It works."), ("Die Lampe.", "Sie geht.")
SOURCE_TOKENS = (((0, 3), (4, 8), (8, 9)), ((0, 2), (3, 8), (8, 9)))
TARGET_TOKENS = (((0, 3), (4, 9), (9, 10)), ((0, 3), (4, 8), (8, 9)))


def _occurrence(support: Support | None) -> Occurrence:
    return Occurrence("d", 1, "pronouns", "it", (0,), (0,), "Sie", support)


def _of(support: Support | None, window: Window | None = None):
    return cases_of_occurrences(
        [_occurrence(support)], SOURCES, TARGETS, SOURCE_TOKENS, TARGET_TOKENS, window or Window()
    )


def test_occurrence_has_its_supporting_tokens():
    (case,) = _of(Support(((0, 1), (1, 1)), ((0, 1),), 1)).cases
    assert case.support == (
        Span(Part.SOURCE_CONTEXT, 0, 4, 8),
        Span(Part.SOURCE, 0, 3, 8),
        Span(Part.TARGET_CONTEXT, 0, 4, 9),
    )
    assert (case.word, case.target, case.distance) == ((0, 3), "Sie geht.", 1)
    assert case.given == ModelInput("It works.", ("The lamp.",), ("Die Lampe.",))


def test_occurrences_are_left_out_for_a_reason():
    assert _of(None).left_out == {LeftOut.NO_SUPPORT: 1}
    assert _of(Support(((1, 1),), (), 0)).left_out == {LeftOut.SAME_SEGMENT: 1}
    assert _of(Support(((0, 1),), (), 1), Window(0)).left_out == {LeftOut.TOO_FAR: 1}
    assert _of(Support(((0, 1),), (), 1), Window(5, Sides.TARGET)).left_out == {LeftOut.TOO_FAR: 1}


def test_form_is_found_as_a_whole_word_and_anywhere_only_without_blanks():
    assert first_place("he", "the hen he saw") == (8, 10)
    assert first_place("Lamp", "the lamp") == (4, 8)
    assert first_place("he", "the hen") is None
    assert first_place("灯", "这盏灯坏了") == (2, 3)
