"""The alignment error rate by hand, and the reader of gold alignments."""

from __future__ import annotations

from pathlib import Path

import pytest

from endophora.errors import InputError
from endophora_makers.alignment_evaluation import GoldSegment, alignment_error_rate, in_documents, read_gold, tokenised


def test_alignment_error_rate_of_a_hand_worked_alignment() -> None:
    # S = {00, 11}, P = S + {12}; A = {00, 12, 22}: |A∩S| = 1, |A∩P| = 2, |A| = 3, |S| = 2: 1 − 3/5.
    gold = GoldSegment(frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1), (1, 2)}))
    score = alignment_error_rate([[(0, 0), (1, 2), (2, 2)]], [gold])
    assert score.error_rate == pytest.approx(0.4)
    assert score.precision == pytest.approx(2 / 3)
    assert score.recall == pytest.approx(1 / 2)
    assert score.links == 3


def test_alignment_error_rate_sums_over_segments_before_dividing() -> None:
    one = GoldSegment(frozenset({(0, 0)}), frozenset({(0, 0)}))
    three = GoldSegment(frozenset({(0, 0), (1, 1), (2, 2)}), frozenset({(0, 0), (1, 1), (2, 2)}))
    # A = 1 right link, then 1 wrong one: 1 − (1 + 1) / (2 + 4).
    assert alignment_error_rate([[(0, 0)], [(0, 1)]], [one, three]).error_rate == pytest.approx(1 - 2 / 6)


def test_alignment_error_rate_of_nothing_is_zero() -> None:
    assert alignment_error_rate([[]], [GoldSegment(frozenset(), frozenset())]).error_rate == 0


def test_read_gold_takes_sure_links_for_possible_ones(tmp_path: Path) -> None:
    path = tmp_path / "x.gold"
    path.write_text("0-1 2p3\n\n", "utf-8")
    assert read_gold(path) == [
        GoldSegment(frozenset({(0, 1)}), frozenset({(0, 1), (2, 3)})),
        GoldSegment(frozenset(), frozenset()),
    ]


def test_read_gold_reports_all_faults_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.gold"
    path.write_text("0-1 2/3\n4-x\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_gold(path)
    assert [(fault.code, fault.line) for fault in caught.value.faults] == [("E055", 1), ("E055", 2)]


def test_tokenised_gives_offsets_into_the_line() -> None:
    line = "oh ,  oh !"
    assert [line[token.start : token.end] for token in tokenised(line).tokens] == ["oh", ",", "oh", "!"]


def test_in_documents_cuts_in_order() -> None:
    lines = [tokenised(str(k)) for k in range(5)]
    assert [len(document) for document in in_documents(lines, 2)] == [2, 2, 1]
