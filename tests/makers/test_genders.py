"""The table of endings says of every noun form what the lexicon says, and only nouns are changed."""

from __future__ import annotations

import gzip
from pathlib import Path

import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from endophora.annotate.components import NounGenders
from endophora_makers.conllu import Word
from endophora_makers.genders import GenderSource, endings, genders_of
from endophora_makers.recipe import RECIPES
from endophora_makers.silver import Noun
from endophora_makers.tables import Endings, Glossary

FORMS = st.text("abcde", min_size=1, max_size=7)


@given(st.dictionaries(FORMS, st.sampled_from(["Masc", "Fem", "Neut", "?"]), max_size=40))
def test_the_table_holds_what_the_lexicon_says(genders: dict[str, str]):
    component = NounGenders()
    component.table = endings(genders)
    assert {form: component.find(form) or "?" for form in genders} == genders
    assert len(component.table) <= len(genders)


def test_a_compound_has_the_gender_of_its_last_noun_and_a_short_word_decides_none():
    component = NounGenders()
    component.table = endings({"schlüssel": "Masc", "ei": "Neut", "see": "?"})
    assert component.find("hausschlüssel") == "Masc"
    assert (component.find("ei"), component.find("bäckerei"), component.find("see")) == ("Neut", None, None)


def test_common_nouns_of_a_lexicon_are_taken():
    nouns = {
        "Türen": Noun(("Fem",), ("Plur",), ("Acc",), ("Tür",), frozenset({"NOUN"})),
        "See": Noun(("Fem", "Masc"), ("Sing",), ("Nom",), ("See",), frozenset({"NOUN"})),
        "Berlin": Noun(("Neut",), ("Sing",), ("Nom",), ("Berlin",), frozenset({"PROPN"})),
    }
    assert genders_of(nouns) == {"türen": "Fem", "see": "?"}


def test_a_glossary_names_genders_and_the_treebanks_know_better(tmp_path: Path):
    lines = [
        "house {n} (home) :: huis {n}",
        "table {n} :: tafel {f}, dis {m}",
        "part {n} :: deel {n}, deel {m}",
        "to eat {v} :: eten",
    ]
    (tmp_path / "nl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    same = {
        name: (Endings(ending="", forms={gender: ""}),)
        for name, gender in (("n m", "Com"), ("n f", "Com"), ("n n", "Neut"))
    }
    source = GenderSource(glossary=Glossary(archive="nl.gz", kinds=same))
    words = [
        Word("Dis", upos="NOUN", features="Gender=Neut|Number=Sing"),
        Word("kast", upos="NOUN", features="Gender=Com|Number=Sing"),
        Word("Jan", upos="PROPN", features="Gender=Com|Number=Sing"),
        Word("huizen", upos="NOUN", features="Number=Plur"),
    ]
    assert source.genders(tmp_path, words) == {
        "huis": "Neut",
        "tafel": "Com",
        "dis": "Neut",
        "deel": "?",
        "kast": "Com",
    }
    assert GenderSource.read(RECIPES / "genders-nl.yaml").glossary.kinds.keys() == {"n m", "n f", "n c", "n n"}


def test_only_nouns_that_bear_a_gender_are_put_right(tmp_path: Path):
    nlp = spacy.blank("de")
    component = NounGenders()
    component.table = {"tür": "Fem"}
    component.to_disk(tmp_path / "g")
    component = NounGenders().from_disk(tmp_path / "g")
    doc = Doc(
        nlp.vocab,
        words=["Haustür", "Tür", "Tür"],
        pos=["NOUN", "NOUN", "PROPN"],
        morphs=["Gender=Masc|Number=Sing", "Number=Sing", "Gender=Masc"],
    )
    assert [str(token.morph) for token in component(doc)] == ["Gender=Fem|Number=Sing", "Number=Sing", "Gender=Masc"]
