"""A dictionary's readings become the labels that fit: here a few readings of Morfeusz, pymorphy3 and Morph-it!."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from endophora.annotate.forms import NAME, WORD
from endophora.errors import InputError
from endophora_makers.agreement import AgreementRecipe
from endophora_makers.conllu import Word
from endophora_makers.lexicon import fitting, with_seen
from endophora_makers.morph_analyses import TagTable
from endophora_makers.recipe import RECIPES
from endophora_makers.tables import Conjugations, Endings, FormTable, Glossary, Tables, inflected

POLISH = {
    "mamy": [("mama", "subst:sg:gen:f"), ("mama", "subst:pl:nom.acc.voc:f"), ("mieć", "fin:pl:pri:imperf")],
    "Mamy": [("mama", "subst:sg:gen:f"), ("mama", "subst:pl:nom.acc.voc:f"), ("mieć", "fin:pl:pri:imperf")],
    "wisła": [],
    "Wisła": [("Wisła", "subst:sg:nom:f")],
}
LABELS = [
    "Case=Gen|Gender=Fem|Number=Sing|POS=NOUN",
    "Case=Nom|Gender=Fem|Number=Plur|POS=NOUN",
    "Case=Nom|Gender=Fem|Number=Sing|POS=NOUN",
    "Aspect=Imp|Mood=Ind|Number=Plur|POS=VERB|Person=1|Tense=Pres|VerbForm=Fin|Voice=Act",
    "Aspect=Imp|Mood=Ind|Number=Plur|POS=VERB|Person=2|Tense=Pres|VerbForm=Fin|Voice=Act",
    "Case=Nom|Gender=Fem|Number=Sing|POS=PROPN",
    "POS=ADV",
]


def test_the_labels_of_all_readings_fit_and_a_capital_is_an_entry_of_its_own_where_it_makes_a_difference():
    table = TagTable.read(RECIPES / "tags-pl.yaml")
    found = fitting(["mamy", "wisła"], table, POLISH.__getitem__, LABELS)
    assert found == {WORD + "mamy": frozenset({0, 1, 3}), NAME + "Wisła": frozenset({5})}


def test_where_no_label_is_a_reading_those_nearest_to_one_fit():
    table = TagTable.read(RECIPES / "tags-ru.yaml")
    labels = [
        "Animacy=Inan|Case=Nom|Gender=Masc|Number=Sing|POS=NOUN",
        "Animacy=Inan|Case=Acc|Gender=Fem|Number=Plur|POS=NOUN",
        "POS=VERB",
    ]
    readings = {"стол": [("стол", "NOUN,inan,masc sing,accs")], "Стол": [("стол", "NOUN,inan,masc sing,accs")]}
    assert fitting(["стол"], table, readings.__getitem__, labels) == {WORD + "стол": frozenset({0})}


def packed(path: Path, name: str, table: object) -> None:
    data = json.dumps(table).encode()
    info = tarfile.TarInfo(name)
    info.size = len(data)
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(info, io.BytesIO(data))


def test_tables_say_headword_and_tag_of_each_form(tmp_path: Path):
    packed(tmp_path / "n.tgz", "n.json", {"amico": {"G": "M", "P": "amici"}})
    packed(tmp_path / "v.tgz", "v.json", {"amicare": {"part": {"past": {"S": "amicato"}}, "ind": {"pres": ["amico"]}}})
    nouns = FormTable(archive="n.tgz", file="n.json", mark="noun", headword="S", properties=("G",))
    verbs = FormTable(archive="v.tgz", file="v.json", mark="verb", rename={"part": "part/padj"})
    tables = Tables([nouns, verbs], tmp_path)
    assert tables.analyses("Amico") == [("amico", "noun:M:S"), ("amicare", "verb:ind:pres")]
    assert tables.analyses("amici") == [("amico", "noun:M:P")]
    assert tables.analyses("amicato") == [("amicare", "verb:part/padj:past:S")]
    assert tables.analyses("xyz") == []
    with pytest.raises(InputError, match="E081"):
        Tables([FormTable(archive="none.tgz", file="x", mark="y")], tmp_path)


WORDS = """\
# a list
mole {n} (unit) :: mol {m}
to house {v} :: casar, alojar
house {n} /haʊs/ (a building, often for people) :: casa {f}, casa de campo {f}
lion {n} :: león {m}
part {n} :: parte {f}
clear {adj} :: claro
clearly {adv} (in a clear way) :: claro
"""
MODELS = {
    "cant:ar": {
        "Ind": {"Presente": [[0, "o"], [2, "a"]], "Otro": [[0, "x"]]},
        "Imp": {"Imperativo": [[0, "a"], [1, None]]},
    }
}
MODELS["cant:ar"]["Ger"] = {"Gerundio": [[0, "ando"], [1, "ado"]]}
MODELS["cant:ar"]["Part"] = {"Participio": [[0, "ado"]]}
VERBS = {"cantar": {"root": "cant", "template": "cant:ar"}, "casar": {"root": "cas", "template": "cant:ar"}}


def spanish(folder: Path) -> Tables:
    with zipfile.ZipFile(folder / "c.whl", "w") as wheel:
        wheel.writestr("models.json", json.dumps(MODELS))
        wheel.writestr("verbs.json", json.dumps(VERBS))
    (folder / "w.gz").write_bytes(gzip.compress(WORDS.encode()))
    conjugations = Conjugations(
        archive="c.whl",
        models="models.json",
        verbs="verbs.json",
        tenses={
            "Presente": ("ind:S1", "ind:S2", "ind:S3"),
            "Imperativo": ("impr:S2", "impr:S3"),
            "Gerundio": ("ger",),
            "Participio": ("part:MS",),
        },
        endings={"part:MS": (Endings(ending="o", forms={"part:FS": "a"}),)},
        clitics="(?:me|te|se)?(?:l[ao]s?)?",
        hosts=("impr", "ger"),
    )
    plural = Endings(ending="(?<=[aeo])", forms={"noun:FS": "", "noun:FP": "s"})
    man = (Endings(ending="ón", forms={"noun:MS": "ón", "noun:MP": "ones"}),)
    glossary = Glossary(archive="w.gz", kinds={"n f": (plural,), "n m": man, "adj": ()}, silent=("v",))
    return Tables([conjugations, glossary], folder)


def test_conjugations_say_the_forms_of_a_verb_by_its_model(tmp_path: Path):
    tables = spanish(tmp_path)
    assert tables.analyses("canto") == [("cantar", "ind:S1")]
    assert tables.analyses("canta") == [("cantar", "ind:S3"), ("cantar", "impr:S2")]
    assert tables.analyses("cantada") == [("cantar", "part:FS")]
    assert tables.analyses("cantx") == []


def test_clitics_may_follow_some_forms_whatever_their_accents(tmp_path: Path):
    tables = spanish(tmp_path)
    assert tables.analyses("cantándomelo") == tables.analyses("cantandola") == [("cantar", "ger")]
    assert tables.analyses("cántala") == [("cantar", "impr:S2")]
    assert tables.analyses("cantola") == tables.analyses("cántalax") == []


def test_a_glossary_gives_headwords_their_forms_and_silences_words_of_other_kinds(tmp_path: Path):
    tables = spanish(tmp_path)
    assert tables.analyses("leones") == [("león", "noun:MP")]
    assert tables.analyses("casa") == [("casar", "ind:S3"), ("casar", "impr:S2"), ("casa", "noun:FS")]
    assert tables.analyses("mol") == tables.analyses("claro") == tables.analyses("campo") == []
    with pytest.raises(InputError, match="E081"):
        Tables([Glossary(archive="none.gz", kinds={})], tmp_path)
    with pytest.raises(InputError, match="E081"):
        Tables([FormTable(archive="w.gz", file="x", mark="y")], tmp_path)


def test_the_first_ending_that_fits_makes_the_forms():
    rules = (Endings(ending="ando", forms={"te": "ándote"}), Endings(ending="", forms={"te": "te"}))
    assert list(inflected("llamando", rules)) == [("llamándote", "te")]
    assert list(inflected("ver", rules)) == [("verte", "te")]
    assert list(inflected("ver", rules[:1])) == []


ITALIAN = [
    "Gender=Masc|Number=Sing|POS=ADJ",
    "Gender=Fem|Number=Sing|POS=ADJ",
    "Number=Sing|POS=ADJ",
    "Gender=Masc|Number=Sing|POS=VERB|Tense=Past|VerbForm=Part",
    "Gender=Fem|Number=Sing|POS=VERB|Tense=Past|VerbForm=Part",
    "POS=ADV",
]


def test_an_epicene_adjective_need_not_bear_gender_and_a_participle_is_an_adjective_too():
    readings = {
        "forte": [("forte", "adj:MS"), ("forte", "adj:FS")],
        "rosso": [("rosso", "adj:MS")],
        "amicato": [("amicare", "verb:part/padj:past:S")],
    }
    table = TagTable.read(RECIPES / "tags-it.yaml")
    found = fitting(list(readings), table, lambda form: readings[form.lower()], ITALIAN, ("Gender",))
    assert found == {
        WORD + "forte": frozenset({0, 1, 2}),
        WORD + "rosso": frozenset({0}),
        WORD + "amicato": frozenset({0, 3}),
    }


def test_labels_of_the_training_text_are_added_to_those_of_the_dictionary():
    words = [Word("Forte", upos="ADV", features="_"), Word("xyz", upos="ADV", features="_")]
    assert with_seen({WORD + "forte": frozenset({0})}, words, ITALIAN) == {WORD + "forte": frozenset({0, 5})}


def test_the_recipes_name_a_dictionary():
    for language in ("es", "it", "pl", "ru"):
        recipe = AgreementRecipe.read(RECIPES / f"agreement-{language}.yaml")
        assert recipe.forms is None
        assert recipe.lexicon is not None
        assert recipe.lexicon.language == language
