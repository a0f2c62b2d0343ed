"""A word of any signs is tokenised by looking at its ends, in time that does not grow with the square of its length."""

from __future__ import annotations

import pytest

from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.loading import load_blank
from endophora.annotate.tokenisation import blank


@pytest.mark.parametrize("word", ["(" * 3_000, "a" + ")" * 3_000, "“" * 3_000])
def test_only_the_ends_of_a_word_are_searched(word: str):
    annotator = SpacyAnnotator(blank("en"), "en", "blank")
    (found,) = annotator.annotate([word])
    assert "".join(token.form for token in found.tokens) == word
    tokenizer = annotator.nlp.tokenizer
    for search in (tokenizer.prefix_search, tokenizer.suffix_search):
        match = search(word)
        # It was the whole word, once for each sign: 20,000 brackets took more than 40 s.
        assert match is None or len(match.string) <= 200


def test_words_with_signs_at_their_ends_are_cut_as_before():
    (found,) = load_blank("en").annotate(['("Well,"' + " she said: 5kg...), don't!"])
    assert [token.form for token in found.tokens] == [
        *("(", '"', "Well", ",", '"', "she", "said", ":", "5", "kg", "...", ")", ",", "do", "n't", "!")
    ]
