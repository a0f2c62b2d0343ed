"""One sentence of a text: where its clauses end, and that ellipsis in it is found wherever the sentence stands."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
import test_ellipsis_sites as cases
from handmade import text

from endophora.phenomena.ellipsis import load_rule_detector
from endophora.phenomena.ellipsis_classifier import longest_input, sentence_texts
from endophora.phenomena.ellipsis_rules import Sentence, sentences

DETECTOR = load_rule_detector("en")
KINDS = ("VERB_PHRASES", "INFINITIVES", "NOUN_PHRASES", "SLUICES", "GAPS", "FRAGMENTS")


def between(written: str) -> tuple[str, int]:
    """A parse with a sentence before and one after it, and how many words are before it."""
    before = "She/PRON >1 :nsubj | rested/VERB :root | ./PUNCT >1"
    shifted = []
    for word in written.split("|"):
        fields = (f">{int(one[1:]) + 3}" if one.startswith(">") else one for one in word.split())
        shifted.append(" ".join(fields))
    count = len(shifted)
    after = f"He/PRON >{count + 4} :nsubj | slept/VERB :root | ./PUNCT >{count + 4}"
    return " | ".join((before, *shifted, after)), count


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_found_in_a_sentence_is_found_between_two_others(kind):
    for name, (written, *_) in getattr(cases, kind).items():
        alone = DETECTOR.detect_many([text(written)])[0]
        longer, count = between(written)
        made = replace(text(longer), sentences=(0, 3, 3 + count))
        found = DETECTOR.detect_many([made])[0]
        places = [(site.kind, tuple(index - 3 for index in site.tokens)) for site in found]
        assert places == [(site.kind, site.tokens) for site in alone], name


TEXT = replace(
    text(
        "Yes/INTJ | ./PUNCT | That’s/PRON lemma=That >4 | well-/X | known/ADJ | ,/PUNCT | that/SCONJ | and/CCONJ"
        " | if/SCONJ | (/PUNCT | —/PUNCT | No/INTJ"
    ),
    sentences=(0, 2, 11),
)


def test_a_text_has_the_sentences_that_its_annotator_found():
    found = sentences(TEXT)
    assert [(one.start, one.end) for one in found] == [(0, 2), (2, 11), (11, 12)]
    assert [(one.start, one.end) for one in sentences(replace(TEXT, sentences=()))] == [(0, 12)]
    assert [(one.start, one.end) for one in sentences(replace(TEXT, sentences=(0, 2, 2)))] == [(0, 2), (2, 12)]
    assert sentences(text("")) == []


def test_a_sentence_knows_no_word_outside_it():
    one = Sentence(TEXT, 2, 11)
    assert [one.word(index) for index in (1, 2, 10, 11)] == ["", "that's", "—", ""]
    assert [one.upos(index) for index in (1, 2, 10, 11)] == ["", "PRON", "PUNCT", ""]
    assert [one.lemma(index) for index in (1, 2, 10, 11)] == ["", "that", "—", ""]
    assert [index for index, _, _ in one] == list(range(2, 11))
    assert (one.children(4), one.children(2)) == ([2], [])


def test_clauses_end_at_marks_and_at_words_that_join_them():
    one = Sentence(TEXT, 2, 11)
    assert [index for index in range(2, 12) if one.is_end(index)] == [5, 6, 7, 8, 10, 11]
    assert [index for index in range(2, 12) if one.is_break(index)] == [10, 11]
    doubtful = Sentence(TEXT, 2, 11, frozenset({"that"}))
    assert [index for index in range(2, 12) if doubtful.is_end(index)] == [5, 7, 8, 10, 11]
    assert (one.is_subordinator(6), doubtful.is_subordinator(6), one.is_subordinator(2)) == (True, False, False)
    assert one.left(5) == [4, 3, 2]
    assert one.left(8) == []  # a conjunction parts them
    assert one.left(7) == [6]
    assert one.right(2) == [3, 4]
    assert doubtful.right(5) == [6]


@pytest.mark.parametrize(
    ("written", "index", "ends"),
    [
        ("a/X | ”/PUNCT | ./PUNCT", 1, True),
        ("a/X | ”/PUNCT | and/CCONJ", 1, True),
        ("a/X | ”/PUNCT", 1, True),
        ("a/X | ”/PUNCT | b/X", 1, False),  # it may open what is missing
        ("a/X | -/PUNCT | b/X", 1, True),
        ("a/X | -/X | b/X", 1, False),
        ("a/X | )/PUNCT | b/X", 1, True),
        ("a/X | [/PUNCT | b/X", 1, False),
        ("a/X | .../PUNCT | b/X", 1, True),
    ],
)
def test_a_mark_ends_a_clause(written, index, ends):
    made = text(written)
    assert Sentence(made, 0, len(made.tokens)).is_end(index) is ends


def test_a_hyphen_within_a_word_ends_no_clause():
    made = text("long/ADJ | -/PUNCT | term/NOUN")
    joined = replace(
        made,
        text="long-term",
        tokens=tuple(
            token._replace(start=start, end=start + len(token.form))
            for token, start in zip(made.tokens, (0, 4, 5), strict=True)
        ),
    )
    assert not Sentence(joined, 0, 3).is_end(1)
    half = replace(joined, tokens=(*joined.tokens[:2], joined.tokens[2]._replace(start=6, end=10)))
    assert Sentence(half, 0, 3).is_end(1)
    assert Sentence(joined, 0, 2).is_end(1)  # at the end of its sentence
    assert Sentence(joined, 1, 3).is_end(1)  # at the beginning


def test_a_set_phrase_is_one_in_its_sentence():
    one = Sentence(text("at/X | all/X | at/X | all/X | ,/X | all/X"), 1, 6)
    phrases = frozenset({("at", "all"), ("all", "told")})
    assert [index for index in range(1, 6) if one.in_phrase(index, phrases)] == [2, 3]


def test_a_classifier_reads_each_sentence_as_it_is_written():
    assert sentence_texts(TEXT) == ["Yes .", "That’s well- known , that and if ( —", "No"]
    assert sentence_texts(replace(TEXT, sentences=())) == [TEXT.text]
    assert sentence_texts(replace(TEXT, sentences=(0, 2, 2, 11))) == sentence_texts(TEXT)
    assert sentence_texts(text("")) == []


@pytest.mark.parametrize(("positions", "longest"), [(514, 512), (130, 128), (3, 1), (2, 512), (None, 512)])
def test_a_model_takes_two_tokens_fewer_than_it_has_positions(positions, longest):
    assert longest_input(SimpleNamespace(config=SimpleNamespace(max_position_embeddings=positions))) == longest
    assert longest_input(SimpleNamespace(config=SimpleNamespace())) == 512
