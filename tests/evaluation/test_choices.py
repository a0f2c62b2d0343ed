"""The judgments of an evaluation, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from worked import BEFORE, TEXTS, document, occurrence, tagged

from endophora.evaluation.choices import COUNTED, JudgmentCounts, asked, judge_all, left_out, split_counts
from endophora.judgments.records import REASONS, VERDICTS, Choice
from endophora.phenomena.records import Occurrence

HERE = replace(BEFORE, distance=0)


@pytest.mark.parametrize(
    ("support", "inter", "any_"),
    [
        (BEFORE, None, None),
        (replace(BEFORE, distance=2), None, None),
        (HERE, "support in the segment", None),
        (None, "support not known", None),
    ],
)
def test_choices_count_whose_support_is_in_another_segment(support, inter, any_):
    found = occurrence(support)
    assert (left_out(found, "inter"), left_out(found, "any")) == (inter, any_)
    one = document("d0", TEXTS["ref"], [], [found])
    assert asked(one, "inter") == ([found] if inter is None else [])
    assert asked(one, "any") == [found]


def test_choices_are_numbered_from_the_first_segment_of_their_document():
    """Three documents of two segments begin at 0, 2 and 4."""
    found = list(judge_all(tagged("ref", 3), tagged("bad", 3), "inter"))
    assert [(start, one.document, judgment.verdict) for start, one, judgment in found] == [
        (0, "d0", "wrong"),
        (2, "d1", "wrong"),
        (4, "d2", "wrong"),
    ]


def test_choices_are_counted_in_the_row_of_their_segment():
    counts = JudgmentCounts(("verb_form",), "inter").statistics(tagged("ref", 3), tagged("good", 3))
    assert counts.shape == (6, 1, len(COUNTED))
    assert [tuple(map(int, place)) for place in np.argwhere(counts)] == [(at, 0, 0) for at in (1, 3, 5)]


def test_a_choice_that_is_left_out_is_counted_with_its_reason_alone():
    made = [document("d0", TEXTS["ref"], [], [occurrence(None), occurrence(HERE)])]
    counts = JudgmentCounts(("verb_form",), "inter").statistics(made, made)
    verdicts, reasons = split_counts(counts)
    assert verdicts.shape == (2, 1, len(VERDICTS))
    assert verdicts.sum() == 0
    left = {reason: int(count) for reason, count in zip(REASONS, reasons[0], strict=True) if count}
    assert left == {"support not known": 1, "support in the segment": 1}


def test_counts_of_choices_are_split_after_the_verdicts_and_reasons_are_summed_over_segments():
    counted = np.arange(2 * 3 * 1 * len(COUNTED), dtype=float).reshape(2, 3, 1, len(COUNTED))
    verdicts, reasons = split_counts(counted)
    assert (verdicts.shape, reasons.shape) == ((2, 3, 1, 4), (2, 1, len(REASONS)))
    assert verdicts[0, 1, 0].tolist() == [16, 17, 18, 19]
    # The first reason of the first system: 4, 20 and 36 in its three segments.
    assert reasons[0, 0, 0] == 4 + 20 + 36
    verdicts[...] = -1
    assert counted.min() == 0


def test_choices_of_address_count_at_the_references_own_level_beside():
    """Both words of the output are informal, and kept so: another register, which is not the reference's level."""

    def side(shown: str, words: bool) -> list:
        choices = [Choice("formality", at, (0,), (0,), shown) for at in range(2)]
        found = [Occurrence("d0", 1, "formality", "formal", (0,), (0,), "wir", BEFORE)]
        return [document("d0", TEXTS["ref"], choices, found if words else [])]

    counting = JudgmentCounts(("verb_form", "formality"), "inter")
    assert counting.columns == ("verb_form", "formality", "formality level")
    for shown, verdict, at_level in (("formal", "right", 0), ("informal", "other", 1)):
        counts = counting.statistics(side("formal", words=True), side(shown, words=False)).sum(axis=0)
        assert counts[0].sum() == 0
        assert (counts[1].sum(), counts[1, VERDICTS.index(verdict)]) == (1, 1)
        assert (counts[2].sum(), counts[2, at_level]) == (1, 1)
    assert JudgmentCounts(("pronouns",), "any").columns == ("pronouns",)


def test_choices_without_regard_to_support_count_all():
    made = [
        document("d0", TEXTS["ref"], [Choice("verb_form", 1, (1,), (1,), "Past")], [occurrence(HERE), occurrence(None)])
    ]
    counts = JudgmentCounts(("verb_form",), "any").statistics(made, made)
    assert counts[1, 0, 0] == counts.sum() == 2


@pytest.mark.parametrize(
    ("links", "verdict"),
    [
        ([[], []], "missing"),
        ([[], [(0, 0)]], "missing"),
        ([[], [(0, 0), (2, 2)]], "other"),
        (None, "other"),
    ],
)
def test_choices_that_are_not_expressed_are_missing_where_the_words_around_are_not_translated(links, verdict: str):
    """One of three is fewer than half of the words around, and two are more."""
    [(_, _, judgment)] = judge_all(tagged("ref", 1), [document("d0", TEXTS["bad"], links=links)], "inter")
    assert judgment.verdict == verdict
