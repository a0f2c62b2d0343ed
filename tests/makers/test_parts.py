"""How often parts of speech are linked, against a case worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from endophora.align.batch import factors, part_numbers, shipped_table
from endophora.align.records import Link
from endophora_makers.alignment_evaluation import tokenised
from endophora_makers.parts import POWER, learn_parts


def tagged(line: str, *parts: str):
    text = tokenised(line)
    return replace(text, tokens=tuple(t._replace(upos=part) for t, part in zip(text.tokens, parts, strict=True)))


def test_factors_are_links_over_those_expected_at_random():
    # Two words a side: each pair of parts meets once a segment and is expected to be linked half a time.
    segment = (
        tagged("it broke", "PRON", "VERB"),
        tagged("er brach", "PRON", "VERB"),
        [Link(0, 0, 1.0), Link(1, 1, 1.0)],
    )
    table = learn_parts([segment] * 98)
    assert table["parts"] == ["PRON", "VERB"]
    same, other = ((98 + 1) / (49 + 1)) ** POWER, ((0 + 1) / (49 + 1)) ** POWER
    assert table["factors"] == [
        pytest.approx([same, max(other, 0.1)], abs=0.01),
        pytest.approx([max(other, 0.1), same], abs=0.01),
    ]


def test_a_token_without_a_known_part_of_speech_changes_nothing():
    numbers, _ = shipped_table()
    known = part_numbers([tagged("it x", "PRON", "X")])
    assert known.tolist() == [numbers["PRON"], 0]
    assert factors(known, known[::-1]).tolist() == [1.0, 1.0]
    assert factors(known[:1], known[:1])[0] > 1
