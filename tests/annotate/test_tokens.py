"""Annotated texts are sound trees over the text, whichever model made them."""

from __future__ import annotations

import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from endophora.annotate.annotator import DocReader, SpacyAnnotator, parse_features
from endophora.annotate.loading import load_annotator
from endophora.annotate.records import AnnotatedText

ENGLISH = load_annotator("en")


def sound(text: AnnotatedText) -> bool:
    tokens = text.tokens
    for index, token in enumerate(tokens):
        assert text.text[token.start : token.end] == token.form
        assert token.form.strip()
        assert -1 <= token.head < len(tokens)
        seen, at = {index}, token.head
        while at >= 0:
            assert at not in seen
            seen.add(at)
            at = tokens[at].head
    assert list(text.sentences) == sorted(set(text.sentences))
    assert bool(text.sentences) == bool(tokens)
    assert not tokens or text.sentences[0] == 0
    return True


@settings(max_examples=60)
@given(st.text(st.characters(categories=None), max_size=60))
def test_any_text_is_annotated_as_sound_trees(text: str):
    (annotated,) = ENGLISH.annotate([text])
    assert annotated.text == text
    assert sound(annotated)


def test_texts_with_line_ends_and_odd_spaces_keep_their_offsets():
    texts = ["", " ", "One.\nTwo\u2028three.\u0085 Four\u00a0five.", "\n\nA  b\t c "]
    results = list(ENGLISH.annotate(texts))
    assert [result.text for result in results] == texts
    assert all(map(sound, results))
    assert results[0].tokens == results[1].tokens == ()
    assert [token.form for token in results[3].tokens] == ["A", "b", "c"]


def test_a_word_that_hangs_on_white_space_goes_to_its_head():
    nlp = spacy.blank("en")
    # go → (space) → back: the space between hangs on “go”, “back” on the space.
    doc = Doc(nlp.vocab, words=["go", " ", "back"], heads=[0, 0, 1], deps=["ROOT", "dep", "advmod"])
    text = DocReader(nlp.vocab.strings.__getitem__).read(doc)
    assert [(token.form, token.head, token.relation) for token in text.tokens] == [
        ("go", -1, "root"),
        ("back", 0, "advmod"),
    ]


def test_tense_person_and_auxiliaries_of_english():
    (text,) = ENGLISH.annotate(["She has gone home, and I was waiting."])
    words = {token.form: token for token in text.tokens}
    assert words["She"].features["Gender"] == "Fem"
    assert (words["has"].upos, words["has"].features["Tense"]) == ("AUX", "Pres")
    assert (words["gone"].lemma, words["gone"].xpos) == ("go", "VBN")
    assert words["was"].features["Tense"] == "Past"
    assert words["I"].relation == "nsubj"


def test_blank_tokenises_and_analyses_nothing():
    (text,) = load_annotator("ro", "blank").annotate(["Nu știu, zise el."])
    assert [token.form for token in text.tokens] == ["Nu", "știu", ",", "zise", "el", "."]
    assert {(token.upos, token.head, token.relation, token.entity) for token in text.tokens} == {("", -1, "", "")}


def test_the_tokenizer_splits_german_and_french_as_their_treebanks_do():
    cases = {
        "fr": ("Y a-t-il quelqu'un là-bas ? Donne-moi ça.", "Y a -t-il quelqu'un là-bas ? Donne -moi ça ."),
        "en": ("Wait!! It's co-owned.", "Wait !! It 's co-owned ."),
    }
    for language, (raw, expected) in cases.items():
        (text,) = load_annotator(language, "blank").annotate([raw])
        assert " ".join(token.form for token in text.tokens) == expected


def test_annotators_of_two_versions_have_two_signatures():
    nlp = spacy.blank("en")
    assert SpacyAnnotator(nlp, "en", "one").signature != SpacyAnnotator(nlp, "en", "two").signature
    assert load_annotator("en").signature == ENGLISH.signature


def test_features_are_read_and_nothing_is_no_feature():
    assert parse_features("Case=Nom|Gender[psor]=Masc,Neut") == {"Case": "Nom", "Gender[psor]": "Masc,Neut"}
    assert parse_features("_") == parse_features("") == {}
