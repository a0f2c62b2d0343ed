"""Conversations by quotation marks, on texts by hand."""

import re

import pytest

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText, Token
from endophora.judgments.speech import conversations, translated_conversations
from endophora.phenomena.records import AnnotatedDocument


def _words(written: str) -> tuple[Token, ...]:
    words = [(word[0], word.start(), word.end()) for word in re.finditer(r"\w+|[^\w\s]", written)]
    return tuple(Token(form, form, "X", "", {}, -1, "dep", "", start, end) for form, start, end in words)


def said(*texts: str) -> list[int]:
    """The conversations of the words in capitals."""
    segments = []
    for written in texts:
        segments.append(AnnotatedText(written, _words(written), (0,)))
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


def test_a_text_without_quotation_marks_has_the_conversations_of_its_source():
    """As in older Russian books: a dash or a colon, and no mark at the end."""
    texts = [(AnnotatedText(one, _words(one), (0,)),) for one in ("He said “YOU know”.", "Он сказал: ТЫ знаешь.")]
    links = tuple(Link(*pair, 1.0) for pair in ((0, 0), (1, 1), (3, 3), (4, 4)))
    document = AnnotatedDocument("d", *texts, (links,))
    assert translated_conversations(document, conversations(texts[0])) == [[0, 0, 0, 1, 1, 1]]
    same = AnnotatedDocument("d", texts[0], texts[0], ((),))
    assert translated_conversations(same, conversations(texts[0])) == conversations(texts[0])
