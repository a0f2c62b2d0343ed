"""A word of any signs is tokenised in time that does not grow with the square of its length."""

from __future__ import annotations

import time

import pytest

from endophora.annotate.loading import load_blank


@pytest.mark.parametrize("word", ["(" * 20_000, "a" + ")" * 20_000, "'" * 20_000, "“" * 20_000])
def test_a_word_of_signs_is_cut_in_seconds(word: str):
    annotator = load_blank("en")
    start = time.process_time()
    (found,) = annotator.annotate([word])
    assert time.process_time() - start < 20  # more than 40 s before, of brackets
    assert "".join(token.form for token in found.tokens) == word


def test_words_with_signs_at_their_ends_are_cut_as_before():
    (found,) = load_blank("en").annotate(['("Well,"' + " she said: 5kg...), don't!"])
    assert [token.form for token in found.tokens] == [
        *("(", '"', "Well", ",", '"', "she", "said", ":", "5", "kg", "...", ")", ",", "do", "n't", "!")
    ]
