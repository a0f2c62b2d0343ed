"""Conversations by quotation marks, on texts by hand."""

import re

import pytest

from endophora.annotate.records import AnnotatedText, Token
from endophora.judgments.speech import conversations


def said(*texts: str) -> list[int]:
    """The conversations of the words in capitals."""
    segments = []
    for written in texts:
        words = [(word[0], word.start(), word.end()) for word in re.finditer(r"\w+|[^\w\s]", written)]
        tokens = tuple(Token(form, form, "X", "", {}, -1, "dep", "", start, end) for form, start, end in words)
        segments.append(AnnotatedText(written, tokens, (0,)))
    pairs = zip(segments, conversations(segments), strict=True)
    return [number for one, row in pairs for token, number in zip(one.tokens, row, strict=True) if token.form.isupper()]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Sagen SIE ja."], [0]),
        (["„DU da“, sagte er, „DICH auch!“ Fragen SIE!"], [1, 1, 0]),
        (["«TU es là», dit-elle.", "« TU viens ? »"], [1, 1]),
        (['"DU bist da."', "Es regnet.", '"DU gehst."'], [1, 2]),
        (["„DU bist da.", "Wo bist DU?", "DU gehst.“ Lesen SIE!"], [1, 1, 1, 0]),
        (["“YOU are there.", "“YOU may go.”", "YOU"], [1, 1, 0]),  # opened again in each paragraph
        (["„DU bist nie da.", "Fragen SIE uns."], [1, 0]),  # never closed
        (["„DU sagst: „IHR geht“ und DU gehst“"], [1, 2, 1]),
        (["他说：“YOU好。”YOU"], [1, 0]),
    ],
)
def test_quotations_that_are_near_each_other_are_one_conversation(texts, expected):
    assert said(*texts) == expected


def test_a_single_word_between_marks_is_named_and_not_said():
    assert len(set(said("Es heißt „DU“ oder „SIE“ hier. DU"))) == 3
