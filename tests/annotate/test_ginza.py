"""GiNZA in plain Universal Dependencies, and what is said without it."""

from __future__ import annotations

import pytest

from endophora.annotate import ginza
from endophora.annotate.loading import load_annotator
from endophora.errors import InputError, MissingModelError


def test_without_its_libraries_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ginza, "_NEEDS", ("no_such_module",))
    with pytest.raises(MissingModelError, match="E040") as caught:
        ginza.load("ja")
    assert "endophora[ja]" in caught.value.faults[0].advice


def test_it_is_for_japanese_only():
    with pytest.raises(InputError, match="E041"):
        ginza.load("de")


def test_tokens_are_short_units_with_lemma_inflection_and_heads():
    pytest.importorskip("ja_ginza")
    text = "彼女は 東京へ行きませんでした。"
    (found,) = load_annotator("ja", "ginza").annotate([text])
    by_form = {token.form: token for token in found.tokens}
    assert list(by_form) == ["彼女", "は", "東京", "へ", "行き", "ませ", "ん", "でし", "た", "。"]
    assert all(text[token.start : token.end] == token.form for token in found.tokens)
    assert (by_form["彼女"].upos, by_form["行き"].lemma, by_form["ませ"].lemma) == ("PRON", "行く", "ます")
    assert by_form["行き"].features == {"InflClass": "五段-カ行", "InflForm": "連用形-一般"}
    assert by_form["彼女"].features == {}
    assert found.tokens[by_form["彼女"].head].form == "行き"
    assert by_form["彼女"].relation == "nsubj"


def test_a_text_longer_than_sudachi_takes_is_tokenised_as_its_parts_are():
    pytest.importorskip("ja_ginza")
    # The tokenizer alone: the parser takes half a minute for so long a text.
    tokenize = load_annotator("ja", "ginza").nlp.tokenizer
    short, long = tokenize("雨が降った。"), tokenize("雨が降った。" * 3000)
    assert [token.text for token in long] == [token.text for token in short] * 3000
    assert long.text == "雨が降った。" * 3000
