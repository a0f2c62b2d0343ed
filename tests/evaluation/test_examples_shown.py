"""What a reader is shown of an occurrence: how much context, which marks, and which occurrences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from worked import TEXTS, corpus, document, occurrence, tagged

from endophora.evaluation.examples import ExampleLines, _first_shown, _linked, _output, _shared_name
from endophora.evaluation.result import Example
from endophora.evaluation.setup import EvaluationOptions
from endophora.judgments.records import Choice
from endophora.phenomena.records import Support

WORDING = EvaluationOptions(judge="wording", metrics=())


def sample_examples(*given) -> list[Example]:
    return ExampleLines(*given).sample()


def all_examples(*given) -> list[Example]:
    return [Example.model_validate_json(line) for line in ExampleLines(*given).all()]


@pytest.mark.parametrize(
    ("segment", "support", "first"),
    [
        (10, None, 8),  # two segments at least
        (10, 9, 8),
        (10, 7, 7),  # back to the support
        (10, 2, 2),
        (10, 1, 2),  # eight at most
        (1, 0, 0),
        (1, None, 0),
    ],
)
def test_examples_show_the_context_back_to_the_support(segment: int, support: int | None, first: int):
    found = occurrence(None, segment=segment)
    if support is not None:
        found = replace(found, support=Support(((support, 0),), (), segment - support))
    assert _first_shown(found) == first


def test_examples_show_the_nearest_of_several_supports():
    assert _first_shown(replace(occurrence(segment=10), support=Support(((1, 0), (6, 0), (10, 0)), (), 4))) == 6


def test_examples_name_files_without_the_folders_of_this_machine():
    here = Path.cwd()
    assert _shared_name("data/a.txt") == "data/a.txt"
    assert _shared_name(str(here / "data" / "a.txt")) == "data/a.txt"
    assert _shared_name("/elsewhere/data/a.txt") == "a.txt"


def test_examples_show_what_stands_in_the_words_place():
    assert _linked([1, 2], [(0, 0), (1, 3), (2, 1), (2, 3)]) == [1, 3]
    found = occurrence()
    wanted = TEXTS["ref"][1].split(" ")
    right = _output("a", "sie sahen wir", wanted, document("d0", ("", "sie sahen wir")), found)
    assert (right.correct, right.written) == (True, "sahen")
    wrong = _output("a", "wir sehen sie", wanted, document("d0", ("", "wir sehen sie")), found)
    assert (wrong.correct, wrong.written) == (False, "sehen")
    assert [(one.start, one.end, one.role) for one in wrong.passage.highlights] == [(4, 9, "written")]
    both = replace(found, target_tokens=(0, 1))
    assert not _output("a", "wir sehen sie", wanted, document("d0", ("", "wir sehen sie")), both).correct


def test_examples_mark_the_word_its_source_and_what_supports_them():
    systems = {name: tagged(name, 2) for name in ("good", "bad")}
    first, second = sample_examples(corpus(2), tagged("ref", 2), systems, EvaluationOptions(metrics=()))
    assert (first.document, second.document, first.segment, first.line) == ("d0", "d1", 1, 2)
    assert (first.antecedent, first.distance, first.rule, first.expected) == ("met", 1, "Past", "sahen")
    assert [(one.start, one.end, one.role) for one in first.source.highlights] == [(3, 6, "source")]
    assert [(one.start, one.end, one.role) for one in first.reference.highlights] == [(4, 9, "occurrence")]
    [before] = first.context
    assert before.segment == 0
    assert [(one.start, one.end, one.role) for one in before.source.highlights] == [(3, 6, "support")]
    assert [(one.start, one.end, one.role) for one in before.reference.highlights] == [(4, 10, "support")]
    assert [(one.verdict, one.asked, one.shown) for one in first.outputs] == [
        ("right", "Past", "Past"),
        ("wrong", "Past", "Ind.Pres"),
    ]


def test_examples_with_a_verdict_on_the_reference_itself_come_first():
    """The first document has no word that the reference shows a form in; the others have."""
    bare = [document("d0", TEXTS["ref"], [], [replace(occurrence(), source_tokens=())])]
    reference = [*bare, *tagged("ref", 3)[1:]]
    options = EvaluationOptions(metrics=(), examples=2)
    shown = sample_examples(corpus(3), reference, {"bad": tagged("bad", 3)}, options)
    assert [one.document for one in shown] == ["d1", "d2"]
    more = sample_examples(corpus(3), reference, {"bad": tagged("bad", 3)}, replace(options, examples=3))
    assert [one.document for one in more] == ["d1", "d2", "d0"]
    assert [one.outputs[0].why for one in more][2] == "no source word"
    assert not more[2].outputs[0].correct
    assert sample_examples(corpus(3), reference, {}, replace(options, examples=0)) == []


def test_examples_of_the_whole_are_those_that_count_in_the_order_of_the_texts():
    near = [replace(occurrence(), support=Support(((1, 0),), (), 0)), occurrence()]
    made = [document("d0", TEXTS["ref"], [Choice("verb_form", 1, (1,), (1,), "Past")], near)]
    systems = {"good": tagged("good", 1)}
    counting = list(all_examples(corpus(1), made, systems, EvaluationOptions(metrics=())))
    assert [(one.distance, one.context) for one in counting] == [(1, [])]
    assert [one.distance for one in all_examples(corpus(1), made, systems, WORDING)] == [0, 1]
    assert list(all_examples(corpus(1), made, {}, WORDING)) == []
