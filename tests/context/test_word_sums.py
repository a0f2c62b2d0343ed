"""Sub-words come together to words by character spans, and nothing is lost on the way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.context.samples import Word, plain_words, share_out, word_logprobs
from endophora.models.records import ScoredTarget


def scored(text: str, spans: list[tuple[int, int]], values: list[float]) -> ScoredTarget:
    pieces = tuple(text[start:end] for start, end in spans)
    return ScoredTarget(text, (*pieces, "</s>"), (*spans, (len(text), len(text))), np.array(values))


def test_sub_words_of_a_word_are_summed():
    # Die Katzen: Die | Kat zen | </s>
    found = word_logprobs(
        scored("Die Katzen", [(0, 3), (4, 7), (7, 10)], [-1, -2, -0.5, -4]), plain_words("Die Katzen")
    )
    assert found.tolist() == [-1, -2.5, -4]


def test_a_sub_word_over_two_words_is_shared_out_by_characters():
    # “is,” is one sub-word and two words, of two characters and of one.
    found = word_logprobs(scored("is,", [(0, 3)], [-3, -1]), plain_words("is,"))
    assert found.tolist() == pytest.approx([-2, -1, -1])


@pytest.mark.parametrize(
    ("place", "word"),
    [
        (0, 0),  # the mark of a beginning word that stands alone, before the first
        (2, 1),  # between two words: to the next
        (4, 1),  # within a word
        (6, 1),  # behind the last word
    ],
)
def test_a_sub_word_that_spells_nothing_goes_to_the_word_it_stands_in_or_before(place: int, word: int):
    shares = share_out([(place, place), (6, 6)], [(0, 2), (3, 6)])
    assert shares[0].tolist() == [float(number == word) for number in range(3)]


def test_without_words_everything_is_the_end():
    assert word_logprobs(scored("  ", [(0, 1)], [-1, -2]), ()).tolist() == [-3]


def test_the_end_of_the_sentence_is_no_word_wherever_its_span_stands():
    assert share_out([(0, 2), (0, 2)], [(0, 2)]).tolist() == [[1, 0], [0, 1]]


def test_plain_words_are_runs_of_letters_and_single_signs():
    assert [word.form for word in plain_words("l’été, 3.5!")] == ["l", "’", "été", ",", "3", ".", "5", "!"]


@st.composite
def cuttings(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Draw sub-words and words of a text of 20 characters; the words may leave characters out, or be the same."""
    cuts = sorted(draw(st.lists(st.integers(0, 20), max_size=12)))
    pieces = list(zip([0, *cuts], [*cuts, 20], strict=True))
    edges = sorted(draw(st.lists(st.integers(0, 20), max_size=12, unique=True)))
    return [*pieces, (20, 20)], list(zip(edges[::2], edges[1::2], strict=False))


@given(cuttings(), st.randoms(use_true_random=False))
def test_the_words_and_the_end_sum_to_the_sentence(cutting, random):
    pieces, edges = cutting
    values = np.array([random.uniform(-20, 0) for _ in pieces])
    words = [Word(start, end, "", "") for start, end in edges]
    text = ScoredTarget("x" * 20, ("",) * len(pieces), tuple(pieces), values)
    found = word_logprobs(text, words)
    assert len(found) == len(words) + 1
    assert found.sum() == pytest.approx(text.total)
    shares = share_out(pieces, edges)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares >= 0).all()
    assert shares[-1, -1] == 1
