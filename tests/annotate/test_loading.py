"""Annotators by name: what is embedded, what is not, and what to do about it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import spacy

from endophora.annotate.loading import PIPELINES, embedded_card, embedded_languages, load_annotator, load_embedded
from endophora.annotate.weights import load_pipeline, models, save_pipeline
from endophora.errors import InputError, MissingModelError


def test_what_is_embedded_is_listed():
    assert {"de", "en", "fr"} <= set(embedded_languages())


@pytest.mark.parametrize(("language", "name"), [("xx", None), ("de", "de_core_news_lg"), ("de", "no/such/path")])
def test_a_missing_model_is_an_error_with_the_way_out(language: str, name: str | None):
    with pytest.raises(MissingModelError) as caught:
        load_annotator(language, name)
    assert caught.value.exit_code == 3
    assert caught.value.faults[0].code == "E040"
    if name == "de_core_news_lg":
        assert "-m spacy download de_core_news_lg" in caught.value.faults[0].advice


def test_a_model_of_another_language_is_refused(tmp_path: Path):
    spacy.blank("nl").to_disk(tmp_path / "model")
    with pytest.raises(InputError, match="E041"):
        load_annotator("de", str(tmp_path / "model"))


def test_any_spacy_model_can_be_named(tmp_path: Path):
    spacy.blank("nl").to_disk(tmp_path / "model")
    (text,) = load_annotator("nl", str(tmp_path / "model")).annotate(["Dat is alles."])
    assert [token.form for token in text.tokens] == ["Dat", "is", "alles", "."]


def test_a_pipeline_of_our_own_recipe_is_named_by_its_directory(tmp_path: Path):
    shutil.copytree(PIPELINES / "de", tmp_path / "mine")
    ours, mine = load_annotator("de"), load_annotator("de", str(tmp_path / "mine"))
    text = "Das Haus ist alt."
    assert list(mine.annotate([text])) == list(ours.annotate([text]))
    (tmp_path / "mine" / "meta.json").write_text((PIPELINES / "de" / "meta.json").read_text() + "\n")
    assert load_annotator("de", str(tmp_path / "mine")).signature != mine.signature


def test_an_unknown_language_is_refused():
    with pytest.raises(InputError, match="E042"):
        load_annotator("qqq", "blank")


@pytest.mark.parametrize("language", embedded_languages())
def test_rounded_weights_predict_the_same_after_a_round_trip(language: str, tmp_path: Path):
    try:
        nlp = load_embedded(language).nlp
    except MissingModelError as error:
        pytest.skip(f"needs an extra: {error}")
    assert {node.get_param(n).dtype for m in models(nlp) for node in m.walk() for n in node.param_names} == {
        np.dtype("float32")
    }
    save_pipeline(nlp, tmp_path / "again")
    again = load_pipeline(tmp_path / "again")
    texts = ["Paris, 3 Mai 2020: „Test“ — ok?", "Je ne sais pas. Ich weiß es nicht. I don't know."]
    for one, other in zip(nlp.pipe(texts), again.pipe(texts), strict=True):
        assert one.to_json() == other.to_json()


@pytest.mark.parametrize("language", embedded_languages())
def test_what_ships_is_small_has_a_card_and_no_pickle(language: str):
    card = embedded_card(language)
    assert card.size < 8_000_000
    assert "CC BY" in card.licence
    assert "NC" not in card.licence
    assert card.scores["UPOS"] > 75  # of the hardest test set that the card has
    for file in (PIPELINES / language).rglob("*"):
        assert file.suffix not in (".pkl", ".pickle")
