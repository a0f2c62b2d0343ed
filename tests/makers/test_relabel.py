"""Old labels limit new ones, and a dictionary's readings limit silver ones: examples worked by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest
import spacy
from numpy.typing import NDArray
from spacy.tokens import Doc

from endophora_makers import annotators
from endophora_makers.conllu import Sentence, Word, read_conllu
from endophora_makers.labelling import Facts, Labeller
from endophora_makers.morph_analyses import Readings, TagTable
from endophora_makers.recipe import RECIPES, Recipe, load_recipe
from endophora_makers.relabel import Relabelling, TagRule, parted
from endophora_makers.treebanks import Source

OLD = Relabelling(
    upos={"PRON": ("PRON", "DET")},
    keep=("Case", "Number"),
    fixed=("VerbForm",),
    tags=(TagRule(xpos="P...g.", allows={"Case": ("Gen",)}), TagRule(xpos="Vgi.*", allows={"VerbForm": ("Inf",)})),
)


def test_an_old_part_of_speech_allows_those_that_it_has_become_and_values_that_are_kept_hold():
    facts = OLD.facts(Word("tą", upos="PRON", features="Case=Acc|Number=Sing|PronType=Tot"))
    assert facts.correct("DET", {"Case": "Nom", "PronType": "Dem"}) == ("DET", "Case=Acc|PronType=Dem")
    assert facts.correct("NOUN", {"Case": "Acc"}) is None


def test_a_tag_of_the_treebanks_own_overrides_the_old_feature():
    facts = OLD.facts(Word("kitų", upos="PRON", xpos="Pgmpgn", features="Case=Nom|PronType=Tot"))
    assert facts.correct("PRON", {"Case": "Acc", "Number": "Plur"}) == ("PRON", "Case=Gen|Number=Plur")


def test_a_label_without_a_feature_that_is_fixed_is_ruled_out():
    facts = OLD.facts(Word("eiti", upos="VERB", xpos="Vgi--", features="Mood=Ind|VerbForm=Fin"))
    assert facts.correct("VERB", {"VerbForm": "Fin", "Mood": "Ind"}) is None
    assert facts.correct("VERB", {"VerbForm": "Inf"}) == ("VERB", "VerbForm=Inf")


def test_words_with_spaces_are_parted_and_heads_move_along():
    rows = ["1\ttaip pat\ttaip pat\tADV\t_\t_\t2\tadvmod\t_\t_", "2\teina\teiti\tVERB\t_\t_\t0\troot\t_\t_"]
    (sentence,) = read_conllu(rows)
    words = parted(sentence).words
    assert [(w.form, w.head, w.relation) for w in words] == [
        ("taip", 2, "advmod"),
        ("pat", 0, "fixed"),
        ("eina", -1, "root"),
    ]
    assert parted(sentence).text == sentence.text


def test_clitic_auxiliaries_give_a_merged_word_their_person_and_mood():
    rows = [
        "1-3\tchciałbym\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tchciał\tchcieć\tVERB\t_\tGender=Masc|Mood=Ind|Number=Sing|Tense=Past\t0\troot\t_\t_",
        "2\tby\tby\tAUX\t_\t_\t1\taux:cnd\t_\t_",
        "3\tm\tbyć\tAUX\t_\tNumber=Sing|Person=1|Variant=Short\t1\taux:clitic\t_\t_",
    ]
    (sentence,) = read_conllu(rows, merge=True)
    (word,) = sentence.words
    assert (word.form, word.lemma) == ("chciałbym", "chcieć")
    assert word.features == "Gender=Masc|Mood=Cnd|Number=Sing|Person=1"
    (split,) = read_conllu(rows)
    assert [w.form for w in split.words] == ["chciał", "by", "m"]


@pytest.mark.parametrize(
    ("file", "lemma", "tag", "upos", "sets"),
    [
        # Tags of SGJP and of OpenCorpora as their documentation explains them.
        ("tags-pl.yaml", "zrobić", "praet:sg:f:sec:perf", "VERB", {"Gender": "Fem", "Person": "2", "Tense": "Past"}),
        ("tags-pl.yaml", "chodzić", "impt:pl:sec:imperf", "VERB", {"Mood": "Imp", "Number": "Plur", "Gender": None}),
        ("tags-pl.yaml", "kot", "subst:sg:inst:m2", "NOUN", {"Case": "Ins", "Gender": "Masc", "Person": None}),
        ("tags-pl.yaml", "w", "prep:loc:nwok", "ADP", {"Case": None}),
        ("tags-ru.yaml", "прийти", "VERB,perf,intr femn,sing,past,indc", "VERB", {"Gender": "Fem", "Aspect": "Perf"}),
        ("tags-ru.yaml", "читать", "VERB,impf,tran sing,impr,excl", "VERB", {"Mood": "Imp", "Person": "2"}),
        ("tags-ru.yaml", "москва", "NOUN,inan,femn,Sgtm,Geox sing,loct", "PROPN", {"Case": "Loc", "Number": "Sing"}),
    ],
)
def test_tags_of_a_dictionary_in_the_terms_of_universal_dependencies(
    file: str, lemma: str, tag: str, upos: str, sets: dict[str, str | None]
):
    (fact, *_) = TagTable.read(RECIPES / file).readings([(lemma, tag)])
    assert upos in fact.upos
    assert {name: fact.sets[name] for name in sets} == sets


def test_alternatives_within_a_tag_are_readings_of_their_own():
    each = TagTable.read(RECIPES / "tags-pl.yaml").readings([("pański", "adj:sg:nom.voc:f:pos")])
    assert [fact.sets["Case"] for fact in each] == ["Nom", "Voc"]


def test_the_reading_that_changes_least_puts_a_label_right():
    dative = Facts(frozenset({"NOUN"}), sets={"Case": "Dat", "Number": "Sing"}, lemma="kość")
    nominative = Facts(frozenset({"NOUN"}), sets={"Case": "Nom", "Number": "Plur"}, lemma="kości")
    readings = Readings(each=(dative, nominative))
    label = {"Case": "Nom", "Number": "Sing", "Gender": "Fem"}
    assert readings.correct("NOUN", label) == ("NOUN", "Case=Dat|Gender=Fem|Number=Sing")  # the first of equals
    assert readings.correct("NOUN", label | {"Number": "Plur"}) == ("NOUN", "Case=Nom|Gender=Fem|Number=Plur")
    assert readings.lemma_of("NOUN", label | {"Number": "Plur"}) == "kości"
    assert readings.correct("VERB", {}) is None


class Teacher:
    """A pipeline in miniature: its tagger has three labels and the same scores for every word."""

    def __init__(self, scores: list[float]):
        self.vocab = spacy.blank("xx").vocab
        self.labels = ("POS=NOUN|Case=Nom", "POS=NOUN|Case=Acc", "POS=VERB")
        self.model = self
        self.scores = scores

    def get_pipe(self, _name: str) -> Teacher:
        return self

    def predict(self, docs: Sequence[Doc]) -> list[NDArray[np.float32]]:
        return [np.array([self.scores] * len(doc), np.float32) for doc in docs]

    def set_annotations(self, docs: Sequence[Doc], scores: object) -> None:
        pass


@pytest.mark.parametrize(
    ("scores", "facts", "expected"),
    [
        # e³ / (e³ + e⁻⁹ + e²) = 73 %: a score far below zero takes nothing from the labels that it adds to.
        ([3.0, -9.0, 2.0], Facts(sets={"Case": "Dat"}, upos=frozenset({"NOUN", "VERB"})), "NOUN"),
        # 2 e¹ against e^1.5: two labels that become one are more likely together.
        ([1.0, 1.0, 1.5], Facts(features={"Case": ("Dat",)}), "NOUN"),
        ([1.0, 1.0, 1.8], Facts(features={"Case": ("Dat",)}), "VERB"),
    ],
)
def test_probabilities_add_up_and_not_the_scores_of_the_network(scores: list[float], facts: Facts, expected: str):
    labeller = Labeller(cast("Any", Teacher(scores)))
    ((word,),) = labeller.label([[Word("x")]], [[facts]])
    assert word.upos == expected


@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        (0, [["old"], ["old", "unimorph"], ["old", "unimorph", "silver"]]),
        (1, [["old", "unimorph", "silver"]]),
        (2, [["old"], ["old", "unimorph", "silver"]]),
    ],
)
def test_each_stage_labels_one_source_more_and_the_last_all_that_are_left(
    stages: int, expected: list[list[str]], monkeypatch: pytest.MonkeyPatch
):
    kinds = {"old": "relabel", "unimorph": "unimorph", "silver": "silver"}
    sources = [{"name": name, "archive": "-", "files": ["-"], "convert": kind} for name, kind in kinds.items()]
    base = load_recipe("de").model_dump()
    training = base["training"] | {"stages": stages}
    recipe = Recipe.model_validate(base | {"sources": sources, "tests": [], "training": training})
    rounds: list[list[str]] = []

    def teach(*_arguments: object) -> None:
        rounds.append([])

    def label(source: Source, *_arguments: object) -> list[Sentence]:
        rounds[-1].append(source.name)
        return []

    monkeypatch.setattr(annotators, "fit", teach)
    monkeypatch.setattr(annotators, "_labelled", label)
    assert annotators.gather(recipe, RECIPES) == {name: [] for name in kinds}
    assert rounds == expected
