"""Classes of words by hand, and that a priors file brings its own along."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy import toy_pairs

from endophora.align.priors import read_priors
from endophora.align.words import Scheme, scheme_of
from endophora.annotate.records import AnnotatedText, Token
from endophora_makers.priors import PriorsRecipe, pair_words, train_priors, write_priors


@pytest.mark.parametrize(
    ("language", "word", "expected"),
    [
        ("de", "häuser", "häus"),
        ("ar", "والكتاب", "كتا"),  # and-the-book
        ("ar", "للمدرسة", "مدر"),  # to-the-school
        ("ar", "ولد", "ولد"),  # boy: its first letter is no conjunction
        ("he", "והספרים", "ספר"),  # and-the-books
        ("he", "בית", "בית"),  # house: its first letter is no preposition
        ("ko", "학교에서", "학교"),  # at school
        ("ja", "食べる", "食"),
        ("ja", "コンピュータ", "コンピ"),
        ("zh", "学校", "学"),
    ],
)
def test_words_of_one_stem_have_one_class(language: str, word: str, expected: str) -> None:
    assert scheme_of(language).classify()(word) == expected


@pytest.mark.parametrize(
    ("language", "form", "lemma", "expected"),
    [
        ("tr", "evlerimizden", "ev", "ev"),  # from our houses
        ("ko", "학교에서", "학교+에서", "학교"),
        ("ko", "+", "+", "+"),
        ("de", "Häusern", "Haus", "Häusern"),
    ],
)
def test_words_of_many_suffixes_are_aligned_by_their_stems(language: str, form: str, lemma: str, expected: str) -> None:
    token = Token(form, lemma, "NOUN", "", {}, -1, "", "", 0, len(form))
    assert scheme_of(language).word(token) == expected


def test_priors_of_stems_know_the_forms_too() -> None:
    # A text without annotation has forms for lemmas; outputs are cut into segments by these.
    source = [AnnotatedText("house", (Token("house", "house", "", "", {}, -1, "", "", 0, 5),), (0,))] * 3
    target = [AnnotatedText("evden", (Token("evden", "ev", "", "", {}, -1, "", "", 0, 5),), (0,))] * 3
    schemes = Scheme(), Scheme(stems=True)
    pairs = pair_words(source, target, *schemes)
    priors = train_priors(pairs, PriorsRecipe(*schemes))
    assert list(priors.target.words) == ["ev", "evden"]
    assert pair_words(source, target, Scheme(), Scheme()) == pairs[:3]


def test_a_priors_file_keeps_the_classes_it_was_learned_with(tmp_path: Path) -> None:
    scheme = Scheme(letters=2, strip="al(?=..)", written={"[0-9]+": 3})
    write_priors(train_priors(toy_pairs(50), PriorsRecipe(target_classes=scheme)), tmp_path / "x.priors")
    back = read_priors(tmp_path / "x.priors")
    assert (back.source.scheme, back.target.scheme) == (Scheme(), scheme)
    assert back.target.classify("alkitab") == "ki"
    assert all(len(name) == 3 for name in back.target.classes)  # the toy's foreign words are numbers
