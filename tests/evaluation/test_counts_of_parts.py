"""What is not judged is counted with its reason, in the categories of a phenomenon too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from endophora.evaluation import choices
from endophora.evaluation.choices import COUNTED, JudgmentCounts, parts_of
from endophora.evaluation.tagging import TaggedDocument, encode_document
from endophora.judgments.records import REASONS, Judgment, unjudged
from endophora.phenomena.records import Occurrence


def test_an_occurrence_of_a_category_that_is_not_judged_is_counted_there(monkeypatch: pytest.MonkeyPatch):
    name, phenomenon = next(iter(parts_of(["lexical_cohesion"]).items()))
    occurrence = Occurrence("d", 0, phenomenon, "lemma", (0,), (0,), "Haus")
    judgment = replace(unjudged(REASONS[0]), part=name.removeprefix(f"{phenomenon} "))

    def judged(*_: object) -> Iterator[tuple[int, Occurrence, Judgment]]:
        yield 0, occurrence, judgment

    monkeypatch.setattr(choices, "judge_all", judged)
    document = TaggedDocument("d", ["Haus"], encode_document([[(0, 5)]], [[(0, 4)]], [[(0, 0)]], [occurrence], ()))
    counting = JudgmentCounts((phenomenon,), "any")
    counts = counting.statistics([document], [document])
    assert counts.sum() == 2
    for column in (phenomenon, name):
        assert counts[0, counting.columns.index(column), COUNTED.index(REASONS[0])] == 1
