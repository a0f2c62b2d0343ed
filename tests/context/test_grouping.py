"""Labels as in Table 9 of the MuDA paper, and the shrinkage of rare items."""

from __future__ import annotations

import numpy as np
import pytest

from endophora.annotate.records import Token
from endophora.context.cxmi import estimate_shrinkage, number_items
from endophora.context.samples import labels_of


def token(upos: str, **features: str) -> Token:
    return Token("x", "x", upos, "", features, -1, "", "", 0, 1)


@pytest.mark.parametrize(
    ("upos", "features", "labels"),
    [
        ("PRON", {"Number": "Sing", "Person": "2", "Polite": "Infm"}, ("PRON", "PRON.2", "PRON.2.Sing")),
        ("PRON", {"Number": "Plur", "Person": "3"}, ("PRON", "PRON.3", "PRON.3.Plur")),
        ("PRON", {"Number": "Dual", "Person": "3"}, ("PRON", "PRON.3", "PRON.3.Dual")),
        ("PRON", {"Number": "Plur", "PronType": "Rel"}, ("PRON", "PRON.Plur")),
        ("PRON", {"Person": "1"}, ("PRON", "PRON.1")),
        ("VERB", {"Tense": "Imp", "Mood": "Ind", "Person": "3"}, ("VERB", "VERB.Imp")),
        ("VERB", {"Mood": "Imp"}, ("VERB",)),
        ("AUX", {"Tense": "Past"}, ("AUX",)),
        ("NOUN", {"Number": "Plur"}, ("NOUN",)),
        ("", {"Number": "Plur"}, ()),
    ],
)
def test_labels_are_those_of_table_nine(upos: str, features: dict[str, str], labels: tuple[str, ...]):
    assert labels_of(token(upos, **features)) == labels


def test_shrinkage_of_a_worked_example():
    # Items a: 1, 3; b: 7, 9. Means 2 and 8, of all 5. Within: (1 + 1 + 1 + 1) / (4 - 2) = 2;
    # between: (2·9 + 2·9) / (2 - 1) = 36; n₀ = (4 - 8/4) / 1 = 2; τ² = (36 - 2) / 2 = 17; pseudo-count 2 / 17.
    found = estimate_shrinkage(np.array([1.0, 3, 7, 9]), np.array([0, 0, 1, 1]))
    assert (found.mean, found.pseudo_count, found.estimated) == (5, pytest.approx(2 / 17), True)
    shrunk = found.shrink(np.array([2.0, 8]), np.array([2.0, 2]))
    assert shrunk.tolist() == pytest.approx([(4 + 10 / 17) / (2 + 2 / 17), (16 + 10 / 17) / (2 + 2 / 17)])


def test_shrinkage_agrees_with_the_variances_that_drew_the_data():
    random = np.random.default_rng(7)
    counts = random.integers(1, 30, 4000)
    items = np.repeat(np.arange(4000), counts)
    values = random.normal(0, 0.5, 4000)[items] + random.normal(0, 2, len(items))
    assert estimate_shrinkage(values, items).pseudo_count == pytest.approx(2**2 / 0.5**2, rel=0.1)


def test_items_that_differ_by_chance_alone_all_have_the_mean_of_all():
    found = estimate_shrinkage(np.array([1.0, -1, 1, -1]), np.array([0, 0, 1, 1]))
    assert found.pseudo_count is None
    assert found.shrink(np.array([0.0, 0]), np.array([2.0, 2])).tolist() == [0, 0]


def test_a_rare_item_is_drawn_farther_than_a_common_one():
    found = estimate_shrinkage(np.array([0.0, 0, 4]), np.array([0, 0, 1]), pseudo_count=2)
    assert not found.estimated
    assert found.shrink(np.array([3.0, 3.0]), np.array([1.0, 98.0])).tolist() == pytest.approx(
        [(3 + 2 * 4 / 3) / 3, (294 + 2 * 4 / 3) / 100]
    )


def test_items_are_numbered_as_they_appear():
    names, index = number_items(["b", "a", "b"])
    assert (names, index.tolist()) == (["b", "a"], [0, 1, 0])
