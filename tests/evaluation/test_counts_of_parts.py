"""What is not judged is counted with its reason, in the categories of a phenomenon too."""

from __future__ import annotations

import pytest

from endophora.evaluation.choices import COUNTED, JudgmentCounts, parts_of
from endophora.evaluation.tagging import TaggedDocument, encode_document
from endophora.judgments.alone import LoneText
from endophora.judgments.records import Choice, Choices
from endophora.phenomena.records import Occurrence, Support

BANK = [Choice("lexical_cohesion", at, (0,), (0,), "Bank", "bank", "NOUN") for at in range(3)]
PARIS = [Choice("lexical_cohesion", at, (1,), (1,), "Paris", "paris", "PROPN", certain=0.97) for at in range(3)]
FIRST = [Choice("lexical_cohesion", 2, (2,), (2,), "laufen", "run", "VERB")]  # not translated before
NEAR, FAR = (Support(((2 - distance, 0),), ((2 - distance, 0),), distance) for distance in (0, 2))


def occurrence(source: tuple[int, ...], support: Support | None = FAR) -> Occurrence:
    return Occurrence("d", 2, "lexical_cohesion", "lemma", source, (0,), "x", support)


@pytest.mark.parametrize(
    ("found", "reason", "part"),
    [
        (occurrence((0,)), "right", "terms"),
        (occurrence((0,), NEAR), "support in the segment", "terms"),
        (occurrence((1,), None), "support not known", "names"),
        (occurrence((1,)), "no choice", "names"),
        (occurrence((2,)), "first translation", "other words"),
        (occurrence(()), "no source word", ""),
    ],
)
def test_what_is_not_judged_is_counted_in_its_category_too(found: Occurrence, reason: str, part: str):
    spans, choices = [[(at, at + 1) for at in range(3)]] * 3, Choices((*BANK, *PARIS, *FIRST))
    document = TaggedDocument("d", ["abc"] * 3, encode_document(spans, spans, [[]] * 3, [found], (), choices))
    counting = JudgmentCounts(("lexical_cohesion",), "inter")
    counts = counting.statistics([document], [document]).sum(axis=0)
    counted = {column for column, row in zip(counting.columns, counts, strict=True) if row[COUNTED.index(reason)]}
    assert counted == {"lexical_cohesion", *([f"lexical_cohesion {part}"] if part else [])}
    assert counts.sum() == len(counted)
    assert set(counting.columns) == {"lexical_cohesion", *parts_of(["lexical_cohesion"])}


def test_without_a_reference_too():
    shown = (*BANK, *PARIS, FIRST[0]._replace(upos="PROPN"))
    found = {(judgment.why, judgment.part) for _, judgment in LoneText("d", Choices(shown)).judgments()}
    assert found == {(why, "names") for why in ("no choice", "first translation")} | {
        (why, "terms") for why in ("first translation", "no term")
    }
