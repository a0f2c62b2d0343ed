"""What the rules of ellipsis see of a sentence: where clauses end, what stands beside a word, phrases."""

from __future__ import annotations

from dataclasses import replace

import pytest
from handmade import text

from endophora.annotate.records import AnnotatedText, Token
from endophora.phenomena.ellipsis_rules import Sentence, sentences

CLAUSES = (
    "Well/INTJ >3 | ,/PUNCT >3 | she/PRON >3 :nsubj | Left/VERB lemma=Leave :root | because/SCONJ >8 | he/PRON >8 | "
    "and/CCONJ >7 | Tom/PROPN >5 | stayed/VERB >3 | ./PUNCT >3"
)


def sentence(written: str, **options: frozenset[str]) -> Sentence:
    made = text(written)
    return Sentence(made, 0, len(made.tokens), **options)


def test_a_word_is_seen_with_its_neighbours_and_nothing_outside_the_sentence():
    view = sentence(CLAUSES)
    assert (view.word(3), view.lemma(3), view.upos(3)) == ("left", "leave", "VERB")
    for outside in (-1, 10):
        assert (view.word(outside), view.lemma(outside), view.upos(outside)) == ("", "", "")
    assert view.children(3) == [0, 1, 2, 8, 9]
    assert view.children(0) == []
    assert [(index, word) for index, word, _ in view][2:4] == [(2, "she"), (3, "left")]


def test_a_clause_ends_at_punctuation_and_at_words_that_join_clauses():
    view = sentence(CLAUSES)
    assert [index for index in range(11) if view.is_end(index)] == [1, 4, 6, 9, 10]
    assert [index for index in range(11) if view.is_break(index)] == [9, 10]
    doubtful = sentence(CLAUSES, doubtful=frozenset({"because"}))
    assert [index for index in range(11) if doubtful.is_end(index)] == [1, 6, 9, 10]


def test_left_and_right_of_a_word_are_the_tokens_of_its_clause():
    view = sentence(CLAUSES)
    assert [view.left(index) for index in (0, 3, 5, 8)] == [[], [2], [4, 3, 2], [7]]
    assert [view.right(index) for index in (1, 2, 4, 6, 9)] == [[2, 3], [3], [5], [7, 8], []]


@pytest.mark.parametrize("mark", [".", "?", "!", ";", ":", "…", "...", "—", "–"])
def test_strong_punctuation_surely_ends_a_clause(mark: str):
    view = sentence(f"yes/INTJ | {mark}/PUNCT | no/INTJ")
    assert view.is_break(1)
    assert view.is_end(1)
    assert not sentence(f"yes/INTJ | {mark}/SYM | no/INTJ").is_break(1)


@pytest.mark.parametrize("mark", [",", ")", "-"])
def test_weak_punctuation_may_end_a_clause(mark: str):
    view = sentence(f"yes/INTJ | {mark}/PUNCT | no/INTJ")
    assert view.is_end(1)
    assert not view.is_break(1)


@pytest.mark.parametrize(("after", "ends"), [("./PUNCT", True), ("and/CCONJ", True), ("", True), ("go/VERB", False)])
def test_a_quotation_mark_ends_a_clause_only_if_something_else_does(after: str, ends: bool):
    assert sentence(f"we/PRON | can/AUX | ”/PUNCT | {after}").is_end(2) == ends


def joined(written: str) -> Sentence:
    """The tokens with no blank between them."""
    made, start, tokens = text(written), 0, list[Token]()
    for token in made.tokens:
        tokens.append(token._replace(start=start, end=start + len(token.form)))
        start += len(token.form)
    whole = replace(made, tokens=tuple(tokens))
    return Sentence(whole, 0, len(tokens))


def test_a_hyphen_joins_words_that_it_touches_on_both_sides():
    assert not joined("long/ADJ | -/PUNCT | term/NOUN").is_end(1)
    assert sentence("long/ADJ | -/PUNCT | term/NOUN").is_end(1)
    for at_a_border, index in (("-/PUNCT | term/NOUN", 0), ("long/ADJ | -/PUNCT", 1)):
        assert joined(at_a_border).is_end(index)
    half = joined("long/ADJ | -/PUNCT | term/NOUN")
    tokens = half.tokens
    moved = (*tokens[:2], tokens[2]._replace(start=tokens[2].start + 1, end=tokens[2].end + 1))
    assert Sentence(AnnotatedText("long- term", moved, (0,)), 0, 3).is_end(1)


def test_a_phrase_is_found_at_each_of_its_words_and_not_across_a_border():
    phrases = frozenset({("of", "course"), ("as", "of", "now")})
    view = sentence("of/ADP | course/NOUN | as/ADP | of/ADP | then/ADV | Of/ADP | Course/NOUN")
    assert [index for index in range(7) if view.in_phrase(index, phrases)] == [0, 1, 5, 6]
    made = text("of/ADP | course/NOUN")
    assert not Sentence(made, 1, 2).in_phrase(1, phrases)


def test_a_text_is_split_where_its_sentences_begin():
    made = replace(text("One/NUM | ./PUNCT | Two/NUM | ./PUNCT"), sentences=(0, 2))
    assert [(one.start, one.end) for one in sentences(made)] == [(0, 2), (2, 4)]
    assert [(one.start, one.end) for one in sentences(replace(made, sentences=(0,)))] == [(0, 4)]
    assert sentences(text("")) == []
    assert sentences(made)[1].word(1) == ""
    doubtful = replace(text("I/PRON | that/SCONJ"), sentences=(0,))
    assert [sentences(doubtful, words)[0].is_end(1) for words in (frozenset(), frozenset({"that"}))] == [True, False]
