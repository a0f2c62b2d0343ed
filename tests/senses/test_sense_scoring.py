"""Scoring of word senses, against cases worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sense_suites import suite_of_bank

from endophora.errors import InputError
from endophora.suites.senses import SenseOptions, score_sense_outputs, score_sense_scores
from endophora.suites.senses.items import make_variant
from endophora.suites.senses.matching import given_lemmas
from endophora.suites.senses.scoring import TRANSLATION, sense_figures

PLAIN = SenseOptions(resamples=0)


def outcome(*lines: str, lemmas: list[list[str]] | None = None):
    suite = suite_of_bank(len(lines))
    given = {"A": given_lemmas(lemmas)} if lemmas else None
    return score_sense_outputs(suite, {"A": lines}, PLAIN, lemmas=given, annotator=None)


@pytest.mark.parametrize(
    ("line", "right", "wrong", "missing"),
    [
        ("Das Ufer ist steil.", 1, 0, 0),
        ("das UFER, dort", 1, 0, 0),
        ("Die Bank ist steil.", 0, 1, 0),
        ("Die Bank am Ufer", 0, 1, 0),  # wrong beats right
        ("Die Ufers", 0, 0, 1),
        ("Uferlos ist das", 0, 0, 1),
        ("Die steile Böschung eines Flusses", 0, 0, 1),
        ("Der Rand eines Flusses ist steil", 1, 0, 0),  # an entry of several words
        ("Der Rand ist Flusses eines", 0, 0, 1),
        ("Das Kredit-Institut schließt", 0, 1, 0),
        ("", 0, 0, 1),
    ],
)
def test_an_output_is_right_wrong_or_neither(line, right, wrong, missing) -> None:
    counts = outcome(line).count("A")
    assert (counts.right, counts.wrong, counts.missing) == (right, wrong, missing)


def test_lemmas_are_looked_at_only_where_no_form_is_found() -> None:
    result = outcome("Die Ufern", "Das Ufer", lemmas=[["die", "Ufer"], ["die", "Bank"]])
    counts = result.count("A")
    assert (counts.right, counts.wrong, counts.in_forms) == (2, 0, 1)


def test_given_lemmas_may_keep_together_what_the_tokenizer_splits() -> None:
    counts = outcome("x", lemmas=[["das", "Kredit-Institut"]]).count("A")
    assert (counts.wrong, counts.in_forms) == (1, 0)


def test_figures_are_those_of_the_paper() -> None:
    figures = sense_figures(np.array([2.0, 1.0, 1.0, 2.0, 0.0]), TRANSLATION)
    precision, recall_a, recall_b = 200 / 3, 200 / 3, 50.0
    f1_b = 2 * precision * recall_b / (precision + recall_b)
    assert figures == pytest.approx([precision, recall_a, recall_b, precision, f1_b, 75.0, 50.0])


def test_a_wrong_sense_counts_for_what_it_is_like_the_right_one() -> None:
    """Right, a sense at 0.25, one without a distance, nothing: (1 + 0.75 + 0) of 3 found; F1 with the recall 1 of 2."""
    suite = suite_of_bank(4)
    forbidden = ("Bank", "Sitz", "Kredit-Institut")
    variants = [make_variant(word, word, word) for word in forbidden]
    items = [
        replace(
            one, forbidden=forbidden, variants=tuple(variants), extra={"sense": "Ufer", "distances": {"Bank": 0.25}}
        )
        for one in suite.items
    ]
    lines = ["Das Ufer", "Die Bank", "Der Sitz", "x"]
    result = score_sense_outputs(replace(suite, items=tuple(items)), {"A": lines}, PLAIN, annotator=None)
    figures = ("precision", "precision_weighted", "f1_weighted_a", "f1_weighted_b")
    weighted = 175 / 3
    expected = [100 / 3, weighted, 2 * weighted * 50 / (weighted + 50), 2 * weighted * 25 / (weighted + 25)]
    assert [result.score("A", name).value for name in figures] == pytest.approx(expected)


def test_without_distances_nothing_is_weighted() -> None:
    assert not [one for one in outcome("Das Ufer").scores if "weighted" in one.figure]


def test_nothing_found_is_a_score_of_nought_and_nothing_counted_is_none() -> None:
    assert sense_figures(np.array([0.0, 0.0, 3.0, 0.0, 0.0]), TRANSLATION) == pytest.approx([0.0] * 7)
    assert np.isnan(sense_figures(np.zeros(5), TRANSLATION)).all()


@pytest.mark.parametrize(
    ("scores", "options", "right"),
    [
        ([3, 2, 1], PLAIN, 1),
        ([2, 3, 1], PLAIN, 0),
        ([2, 1, 3], PLAIN, 0),  # one contrastive is enough
        ([2, 2, 1], PLAIN, 0),  # a tie is wrong
        ([2, 2, 1], SenseOptions(ties="correct", resamples=0), 1),
        ([1, 2, 3], SenseOptions(higher_is_better=False, resamples=0), 1),
    ],
)
def test_all_wrong_translations_must_lose(scores, options, right) -> None:
    result = score_sense_scores(suite_of_bank(1), {"A": scores}, options)
    assert result.count("A").right == right


def test_confusions_say_which_sense_was_taken_for_which() -> None:
    result = outcome("Die Bank", "Das Kredit-Institut", "Das Ufer")
    rows = [(one.word, one.sense, one.instead, one.count, one.of) for one in result.confusions]
    assert rows == [("bank", "Ufer", "Bank", 2, 3)]


def test_intervals_and_tests_are_of_words_unless_segments_are_asked_for() -> None:
    suite = suite_of_bank(8)
    systems = {"A": ["Das Ufer"] * 8, "B": ["Das Ufer", "Die Bank"] * 4}
    by_word = score_sense_outputs(suite, systems, SenseOptions(resamples=50), annotator=None)
    by_segment = score_sense_outputs(suite, systems, SenseOptions(resamples=50, units="segments"), annotator=None)
    assert by_word.settings.units == "segments"  # one word cannot be resampled
    assert by_word.warnings
    score = by_segment.score("B", "precision")
    assert score.interval is not None
    assert score.interval.low <= 50.0 <= score.interval.high
    assert score.comparison is not None
    assert score.comparison.difference == pytest.approx(-50.0)


def test_what_cannot_be_scored_is_told() -> None:
    suite = suite_of_bank(2)
    with pytest.raises(InputError, match="E173"):
        score_sense_outputs(suite, {"A": ["one"]}, PLAIN, annotator=None)
    with pytest.raises(InputError, match="E174"):
        score_sense_scores(suite, {"A": [1.0]}, PLAIN)
    with pytest.raises(InputError, match="E105"):
        score_sense_outputs(suite, {"A": ["a", "b"]}, SenseOptions(baseline="C", resamples=0), annotator=None)
    for options in ({"recall": "C"}, {"ties": "x"}):
        with pytest.raises(InputError, match="E220"):
            SenseOptions(**options)
