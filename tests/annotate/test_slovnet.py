"""Slovnet by name: Russian analysed by the real models where they are installed; tables on examples worked by hand."""

from __future__ import annotations

from importlib import util

import pytest

from endophora.annotate import slovnet as module
from endophora.annotate.loading import load_annotator
from endophora.annotate.slovnet import Tables
from endophora.errors import InputError, MissingModelError

NEEDS = ("slovnet", "navec", "razdel", "pymorphy3", "natasha")
needs_models = pytest.mark.skipif(
    any(util.find_spec(name) is None for name in NEEDS), reason="Slovnet's models are an extra"
)

# Sentences of our own; what each word is follows from any Russian grammar.
TEXT = "Ты уже видела сестру?  Она не пришла."


@needs_models
def test_words_get_part_of_speech_features_lemma_and_head():
    (text,) = load_annotator("ru", "slovnet").annotate([TEXT])
    assert [token.form for token in text.tokens] == ["Ты", "уже", "видела", "сестру", "?", "Она", "не", "пришла", "."]
    assert [token.upos for token in text.tokens] == [
        "PRON",
        "ADV",
        "VERB",
        "NOUN",
        "PUNCT",
        "PRON",
        "PART",
        "VERB",
        "PUNCT",
    ]
    assert [token.lemma for token in text.tokens] == ["ты", "уже", "видеть", "сестра", "?", "она", "не", "прийти", "."]
    assert [token.head for token in text.tokens] == [2, 2, -1, 2, 2, 7, 7, -1, 7]
    assert text.tokens[0].features == {"Case": "Nom", "Number": "Sing", "Person": "2", "PronType": "Prs"}
    assert text.tokens[2].features.items() >= {"Gender": "Fem", "Tense": "Past", "Number": "Sing"}.items()
    assert text.tokens[3].features["Case"] == "Acc"


@needs_models
def test_each_sentence_is_parsed_by_itself_and_offsets_are_the_texts():
    (text,) = load_annotator("ru", "slovnet").annotate([TEXT])
    assert text.sentences == (0, 5)
    assert [text.text[token.start : token.end] for token in text.tokens] == [token.form for token in text.tokens]


@needs_models
def test_texts_without_words_and_of_many_lines_come_through_in_order():
    texts = ["", "   ", "Да!\nНет…", "😀"]
    found = list(load_annotator("ru", "slovnet").annotate(texts))
    assert [text.text for text in found] == texts
    assert [[token.form for token in text.tokens] for text in found] == [[], [], ["Да", "!", "Нет", "…"], ["😀"]]


@needs_models
def test_the_signature_names_the_models():
    annotator = load_annotator("ru", "slovnet")
    assert annotator.signature.startswith("slovnet-0.6")
    assert annotator.language == "ru"


def test_another_language_is_refused():
    with pytest.raises(InputError) as caught:
        load_annotator("uk", "slovnet")
    assert [fault.code for fault in caught.value.faults] == ["E041"]


def test_a_missing_library_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == "natasha" else object())  # type: ignore[misc]
    with pytest.raises(MissingModelError) as caught:
        load_annotator("ru", "slovnet")
    (fault,) = caught.value.faults
    assert (fault.code, "natasha" in fault.cause, "endophora[ru]" in fault.advice) == ("E040", True, True)


@pytest.mark.parametrize(
    ("upos", "features", "tags", "other"),
    [
        # “стали” is a form of the verb стать or of the noun сталь.
        ("VERB", ("Tense=Past", "Number=Plur"), {"VERB", "past", "plur"}, {"NOUN", "femn", "sing", "gent"}),
        # “вести”: to lead, or the genitive of весть.
        ("VERB", ("VerbForm=Inf",), {"INFN", "impf"}, {"NOUN", "femn", "sing", "gent"}),
        ("NOUN", ("Case=Gen", "Number=Sing"), {"NOUN", "femn", "sing", "gent"}, {"NOUN", "femn", "plur", "nomn"}),
    ],
)
def test_a_reading_that_fits_the_label_agrees_more(
    upos: str, features: tuple[str, ...], tags: set[str], other: set[str]
):
    tables = Tables.read()
    assert tables.agreement(upos, features, frozenset(tags)) > tables.agreement(upos, features, frozenset(other))


@pytest.mark.parametrize(
    ("upos", "lemma", "kind"),
    [
        ("PRON", "себя", {"PronType": "Prs", "Reflex": "Yes"}),
        ("DET", "твой", {"PronType": "Prs", "Poss": "Yes"}),
        ("PRON", "который", {"PronType": "Rel"}),
        ("NOUN", "который", {}),
        ("PRON", "стол", {}),
    ],
)
def test_kinds_of_pronouns_are_known_by_lemma(upos: str, lemma: str, kind: dict[str, str]):
    assert Tables.read().kind(upos, lemma) == kind
