"""The last sentence of a text, as the splitter has it that ctxpro's scores were made with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite_items import TEXT

from endophora.corpus import lines
from endophora.errors import MissingModelError
from endophora.suites import europarl
from endophora.suites.matching import last_sentences


@pytest.mark.parametrize(
    ("language", "text", "last"),
    [
        ("de", "Ja. Es stimmt.", "Es stimmt."),
        ("de", "Ja. es stimmt.", "Ja. es stimmt."),
        ("de", "Wirklich? Ja! Es stimmt", "Es stimmt"),
        ("de", "Das ist Dr. Weiß.", "Das ist Dr. Weiß."),
        ("en", "He left. Dr. White stayed.", "Dr. White stayed."),
        ("en", "It is No. 5 there.", "It is No. 5 there."),
        ("en", "He said no. 5 came.", "5 came."),
        ("de", "Am 3. Mai kam er.", "Am 3. Mai kam er."),
        ("en", "It was 3. May came.", "May came."),
        ("en", "He came from the U.S. He left.", "He came from the U.S. He left."),
        ("en", "He left... She stayed.", "She stayed."),
        ("en", "He left… She stayed.", "She stayed."),
        ("en", "“Go!” She went.", "She went."),
        ("en", "He said it (once.) Then he left.", "Then he left."),
        ("en", "J. Smith came.", "J. Smith came."),
        ("es", "No. ¿Quién es?", "¿Quién es?"),
        ("fr", "Quoi ? « Rien. »", "« Rien. »"),
        ("fr", "Quoi\u00a0? Rien.", "Rien."),
        ("ru", "Да. Это так.", "Это так."),
        ("en", "Have they? - What?", "Have they? - What?"),
        ("ja", "はい。そうです。", "そうです。"),
        ("zh", "是吗？是。", "是。"),
        ("", "Yes. No.", "No."),
        ("en", "  one  two ", "one two"),
        ("en", "", ""),
    ],
)
def test_the_last_sentence(language: str, text: str, last: str) -> None:
    assert last_sentences([text], language) == [last]


@given(TEXT, st.sampled_from(["de", "en", "xx"]))
def test_any_text_ends_in_its_last_sentence(text: str, language: str) -> None:
    (found,) = last_sentences([text], language)
    assert " ".join(text.split()).endswith(found)
    assert bool(found) == bool(text.split())


@pytest.mark.parametrize(
    ("language", "text", "own", "published"),
    [
        # What sentence-splitter 1.4 gives is the published one.
        ("es", "Hola. Es la Srta. Ana.", "Es la Srta. Ana.", "Ana."),
        ("es", "Hola. El No. Diez es tuyo.", "Diez es tuyo.", "El No. Diez es tuyo."),
        ("it", "Ciao. Il No. Dieci è tuo.", "Dieci è tuo.", "Il No. Dieci è tuo."),
        ("en", "Well. He left… She stayed.", "She stayed.", "He left… She stayed."),
        ("en", "Well. He saw Dr. “Abe” there.", "He saw Dr. “Abe” there.", "“Abe” there."),
        ("en", "Well. He saw Dr. (Abe) there.", "He saw Dr. (Abe) there.", "He saw Dr. (Abe) there."),
        ("fr", "Quoi. Dit-il.\u00a0«\u00a0Rien.\u00a0»", "« Rien. »", "Dit-il. « Rien. »"),
        ("en", "Hi. It is on Det. Smith.", "It is on Det. Smith.", "Smith."),
    ],
)
def test_published_scores_have_the_abbreviations_of_their_splitter(
    language: str, text: str, own: str, published: str
) -> None:
    assert last_sentences([text], language) == [own]
    assert europarl.last_sentences([text], language) == [published]


def test_the_published_rule_needs_the_library_that_has_its_abbreviations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "find_spec", lambda name: None)
    europarl.published_abbreviations.cache_clear()
    with pytest.raises(MissingModelError, match=r"E150.*sentence_splitter.*endophora\[ctxpro\]"):
        europarl.last_sentences(["Ja. Dr. Weiß."], "de")


def test_the_published_abbreviations_are_read_without_their_comments() -> None:
    """Comments of sentence-splitter 1.4 speak of ``#NUMERIC_ONLY#`` themselves."""
    english, german = (europarl.published_abbreviations(language) for language in ("en", "de"))
    assert english.number == {"Art", "No", "pp"}
    assert german.number == set()
    assert "Nr" in german.always
    assert "" not in english.always | german.always


@pytest.mark.parametrize(
    ("language", "text", "last"),
    [
        # What sentence-splitter 1.4 gives: all of the text but its first word, or none of it.
        ("en", "A? “ B", "“ B"),
        ("en", "A? (“B", "(“B"),
        ("en", "a. («B", "(«B"),
        ("en", "a. (« B", ""),
        ("en", "a! (« B", ""),
        ("en", "a! « B", "« B"),
        ("en", "a.\" ' B", "' B"),
        ("en", "a. ' 5", ""),
        ("en", "a.. 5", "5"),
        ("en", "a? 5", ""),
        ("en", "a%. B", "B"),
        ("en", "e.g%. B", "B"),
        ("en", "25.\u00a0m. B", "B"),
        ("de", "25.\u00a0m. B", ""),
        ("en", "Dr.\tB", ""),
        ("en", "no. 5", ""),
        ("en", "no. «5", ""),
        ("en", "Nos. «5", ""),
        ("en", "No. 5", ""),
        ("en", "No. «5", "«5"),
        ("de", "25. B", ""),
        ("de", "100. B", "B"),
        ("de", "Á. B", "B"),
        ("pt", "Á. B", ""),
        ("ru", "Á. B", "B"),
        ("pt", "n³s. Б", ""),
        ("ru", "a\u0301м. Б", "Б"),
        ("ru", "\u0301м. Б", "Б"),
        ("ru", "-м. Б", "Б"),
        ("ru", "²м. Б", ""),
        ("en", "1:0. B", "B"),
        ("de", "1:0. B", "B"),
        ("de", "x:9. B", ""),
        ("en", "A.中-. B", ""),
        ("en", "A.Ж.. B", "B"),
        ("en", "a.ʰ. B", "B"),
        ("en", "a. ǅ", ""),
        ("en", "a. א", "א"),
        ("en", "a. ٣", ""),
    ],
)
def test_published_scores_end_sentences_as_their_splitter_does(language: str, text: str, last: str) -> None:
    assert europarl.last_sentences([text], language) == [last or " ".join(text.split())]
