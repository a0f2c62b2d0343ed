"""Tables of agreement are counted from labels and parses; tables of forms are read from lexicons of several shapes."""

from __future__ import annotations

import io
import json
import math
import tarfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.annotate.agreement import Agreement
from endophora.annotate.components import AgreeingMorphologizer
from endophora.annotate.forms import WORD, FormClasses
from endophora.annotate.loading import PIPELINES
from endophora.annotate.weights import load_pipeline
from endophora.errors import InputError
from endophora_makers.agreement import AgreementRecipe, Parsed, agreeing, case_table, upos_tables
from endophora_makers.conllu import Word
from endophora_makers.forms import FormSources, NounTable, WordTable, read_words, without_compounds
from endophora_makers.recipe import RECIPES


def parsed(*rows: tuple[str, str, str, int, str]) -> Parsed:
    words = tuple(Word(form, upos=upos, features=features) for form, upos, features, _, _ in rows)
    return Parsed(words=words, heads=tuple(row[3] for row in rows), relations=tuple(row[4] for row in rows))


IN_BANK = parsed(("In", "ADP", "_", 1, "case"), ("Bank", "NOUN", "Case=Dat", 2, "obl"), ("saß", "VERB", "_", 2, "ROOT"))
MANN = parsed(("Mann", "NOUN", "Case=Nom", 1, "nsubj"), ("saß", "VERB", "_", 1, "ROOT"))


def test_cases_are_counted_by_adposition_else_by_relation_and_side():
    table = case_table([IN_BANK] * 3 + [MANN], Agreement(roots=("NOUN",)), least=1)
    assert set(table) == {"in", "case", "nsubj<"}
    share = 6 / 7  # adpositions count twice: under their own name and under that of all
    assert table["in"] == {"Dat": round(math.log((3 + share) / 4), 2), "Nom": round(math.log((1 - share) / 4), 2)}
    assert set(case_table([IN_BANK, MANN, MANN], Agreement(roots=("NOUN",)), least=2)) == {"nsubj<"}


def test_parts_of_speech_are_counted_by_relation_and_by_class_of_form():
    nouns = NounTable(package="p", file="f", lemma="l", cases=(), numbers=(), kind="k", kinds={}, other="c")
    recipe = AgreementRecipe(rules=Agreement(), least=2, weight=1.0, forms=FormSources(nouns=nouns))
    forms = FormClasses.of({WORD + "saß": "f"})
    relations, classes = upos_tables([(IN_BANK, 2), (MANN, 1)], forms, recipe)
    assert max(relations["ROOT"], key=relations["ROOT"].__getitem__) == "VERB"
    assert max(classes["l|f"], key=classes["l|f"].__getitem__) == "VERB"
    assert "C|||^" in classes  # “In” counts twice, “Mann” once, both first
    assert "case" not in relations  # seen once


@given(st.dictionaries(st.text("abc", min_size=1, max_size=7), st.sampled_from(["c", "t"]), max_size=30))
def test_leaving_compounds_out_loses_no_kind(nouns: dict[str, str]):
    kept = without_compounds(nouns, shortest=2)

    def kind(form: str) -> str:
        endings = [form, *(form[start:] for start in range(1, len(form) - 1))]
        return next((kept[ending] for ending in endings if ending in kept), "")

    assert {form: kind(form) for form in nouns} == nouns
    assert kept.items() <= nouns.items()


def test_forms_are_read_from_nested_tables(tmp_path: Path):
    table = {
        "ablegen": {"hasPrefix": True, "INF": "ablegen", "PA2": ["abgelegt", "x"], "PRS": {"S": {"1": ["lege", "ab"]}}},
        "gehen": {"INF": "gehen", "PRS": {"S": {"1": ["gehe", None], "2": None}}},
    }
    data = json.dumps(table).encode()
    info = tarfile.TarInfo("package/verbs.json")
    info.size = len(data)
    with tarfile.open(tmp_path / "v.tgz", "w:gz") as archive:
        archive.addfile(info, io.BytesIO(data))
    source: dict[str, Any] = {"archive": "v.tgz", "file": "package/verbs.json", "leave": ("hasPrefix",), "other": "f"}
    verbs = WordTable(**source, choices=("PA2",), kinds={"INF": "i", "PA2": "p"})
    found = [
        ("ablegen", "i"),
        ("abgelegt", "p"),
        ("x", "p"),
        ("lege", "f"),
        ("ablege", "f"),
        ("gehen", "i"),
        ("gehe", "f"),
    ]
    assert list(read_words(verbs, tmp_path)) == found
    with_headword = WordTable(**source, headword="h")
    assert ("gehen", "h") in read_words(with_headword, tmp_path)


def test_an_archive_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InputError, match="E081"):
        list(read_words(WordTable(archive="none.tgz", file="x", other="f"), tmp_path))


def test_the_recipe_is_read_and_an_agreeing_morphologizer_stays():
    assert AgreementRecipe.read(RECIPES / "agreement-de.yaml").rules.roots == ("NOUN", "PROPN")
    nlp = load_pipeline(PIPELINES / "de")
    before = nlp.get_pipe("morphologizer")
    assert isinstance(before, AgreeingMorphologizer)
    assert agreeing(nlp) is before


def test_a_plain_morphologizer_is_replaced_by_one_of_the_same_labels():
    nlp = load_pipeline(PIPELINES / "fr")
    text = "Elle voit les petits chats."
    before = [(t.pos_, str(t.morph)) for t in nlp(text)]
    component = agreeing(nlp)
    assert nlp.get_pipe("morphologizer") is component
    assert [(t.pos_, str(t.morph)) for t in nlp(text)] == before
