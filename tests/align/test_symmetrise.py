"""The symmetrisation rules, on hand-worked alignments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.align.records import RULES, Confidence, Point, Symmetrisation


def symmetrise(
    forward: set[Point], backward: set[Point], confidence: Confidence, rule: str = "grow-diag-final-and"
) -> set[Point]:
    return RULES[rule](forward, backward, confidence, 0.3)


# Worked by hand. Both directions have 0-0 and 2-2. The first adds 1-1, which touches 0-0 at a corner; 1-0, its side
# neighbour, whose source and target are taken by then; and 4-4, which touches nothing. The other adds 3-2, beside 2-2.
FORWARD = {(0, 0), (1, 1), (1, 0), (2, 2), (4, 4)}
BACKWARD = {(0, 0), (2, 2), (3, 2)}
CONFIDENCE = {(0, 0): 0.9, (1, 1): 0.5, (1, 0): 0.1, (2, 2): 0.8, (4, 4): 0.3, (3, 2): 0.2}


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        ("intersection", {(0, 0), (2, 2)}),
        ("union", {(0, 0), (1, 1), (1, 0), (2, 2), (4, 4), (3, 2)}),
        ("threshold", {(0, 0), (1, 1), (2, 2), (4, 4)}),
        ("grow-diag-final-and", {(0, 0), (1, 1), (2, 2), (3, 2), (4, 4)}),
    ],
)
def test_symmetrise_keeps_the_links_worked_by_hand(rule: str, kept: set[tuple[int, int]]) -> None:
    assert symmetrise(FORWARD, BACKWARD, CONFIDENCE, rule=rule) == kept


def test_grow_diag_final_and_leaves_out_a_lone_point_whose_source_is_linked() -> None:
    # 0-5 touches no link and its source is taken: "final-and" wants both sides free.
    assert symmetrise({(0, 0), (0, 5)}, {(0, 0)}, {}) == {(0, 0)}


def test_grow_diag_final_and_grows_along_a_chain() -> None:
    chain = {(k, k) for k in range(5)}
    assert symmetrise(chain, {(0, 0)}, {}) == chain


def test_grow_diag_final_and_takes_the_surer_of_two_rivals() -> None:
    forward, backward = {(0, 0), (1, 1)}, {(0, 0), (1, 2), (2, 1)}
    kept = symmetrise(forward, backward, {(1, 1): 0.2, (1, 2): 0.9, (2, 1): 0.8})
    assert (1, 1) in kept
    assert symmetrise({(0, 0), (3, 4)}, {(0, 0), (3, 5)}, {(3, 4): 0.2, (3, 5): 0.9}) == {(0, 0), (3, 5)}


def test_links_are_in_order_with_their_confidence() -> None:
    links = Symmetrisation("union").links(FORWARD, BACKWARD, CONFIDENCE)
    assert [(link.source, link.target, link.confidence) for link in links[:3]] == [
        (0, 0, 0.9),
        (1, 0, 0.1),
        (1, 1, 0.5),
    ]
    sure = Symmetrisation("threshold", 0.5).links(FORWARD, BACKWARD, CONFIDENCE)
    assert [(link.source, link.target) for link in sure] == [(0, 0), (1, 1), (2, 2)]
    assert [str(Symmetrisation(rule, 0.25)) for rule in ("union", "threshold")] == ["union", "threshold:0.25"]
    assert str(Symmetrisation()) == "grow-diag-final-and"


POINTS = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)))


@given(POINTS, POINTS)
def test_every_rule_lies_between_intersection_and_union(
    forward: set[tuple[int, int]], backward: set[tuple[int, int]]
) -> None:
    for rule in RULES:
        if rule != "threshold":
            kept = symmetrise(forward, backward, {}, rule=rule)
            assert forward & backward <= kept <= forward | backward
