"""Items from the occurrences of a document, and wrong translations of them; documents written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from suite_items import make_suite

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText, Token
from endophora.languages.load import load_language
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Support
from endophora.suites import Pair
from endophora.suites.build import InflectedForms, build_items, contrast
from endophora.suites.formats import read_suite, write_suite


def text(written: str) -> AnnotatedText:
    """Return tokens written as ``form/UPOS/lemma/Features/head/relation``, separated by spaces; all may be left out."""
    tokens, start = list[Token](), 0
    for part in written.split():
        form, upos, lemma, features, head, relation = (part.split("/") + [""] * 5)[:6]
        pairs = dict(pair.split("=") for pair in features.split("|") if pair)
        governor = int(head) if head else -1
        tokens.append(
            Token(form, lemma or form.lower(), upos, "", pairs, governor, relation, "", start, start + len(form))
        )
        start += len(form) + 1
    return AnnotatedText(" ".join(token.form for token in tokens), tuple(tokens), (0,) if tokens else ())


LAMP = AnnotatedDocument(
    "2016/lamp",
    (
        text("Well ."),
        text("Where/ADV is/AUX the/DET/the//3/det lamp/NOUN/lamp/Number=Sing/0/nsubj ?"),
        text("It/PRON/it/Case=Nom/1/nsubj is/AUX/be///root here ."),
    ),
    (
        text("Nun ."),
        text("Wo/ADV ist/AUX die/DET/der/Gender=Fem/3/det Lampe/NOUN/Lampe/Gender=Fem|Number=Sing/0/nsubj ?"),
        text("Sie/PRON/sie/Case=Nom|Gender=Fem|Number=Sing/1/nsubj ist/AUX/sein///root hier ."),
    ),
    ((Link(0, 0, 1.0),), tuple(Link(n, n, 1.0) for n in range(5)), tuple(Link(n, n, 1.0) for n in range(4))),
)
SUPPORT = Support(((1, 2), (1, 3)), ((1, 2), (1, 3)), 1)
SHE = Occurrence("2016/lamp", 2, "gender", "NOM.FEM.SING", (0,), (0,), "Sie", SUPPORT)


def test_an_item_of_gender_has_heads_contexts_and_distance() -> None:
    (item,) = build_items(LAMP, [SHE], 1)
    assert (item.id, item.document, item.segment) == ("2016/lamp:2:0:NOM.FEM.SING", "2016/lamp", 2)
    assert (item.phenomenon, item.expected, item.source_form, item.distance) == ("gender", ("sie",), "it", 1)
    assert item.before == (Pair("Where is the lamp ?", "Wo ist die Lampe ?"),)
    assert item.target_antecedent is not None
    assert (item.target_antecedent.head, item.target_antecedent.gender) == ("Lampe", "Fem")
    assert item.target_antecedent.phrase == "die Lampe"
    assert item.source_antecedent is not None
    assert item.source_antecedent.segment == "Where is the lamp ?"


def test_the_window_ends_at_the_start_of_the_document() -> None:
    (item,) = build_items(LAMP, [SHE], 10)
    assert item.before is not None
    assert [pair.source for pair in item.before] == ["Well .", "Where is the lamp ?"]
    assert build_items(LAMP, [SHE], 0)[0].before == ()


def test_an_occurrence_of_another_phenomenon_becomes_an_item_too() -> None:
    occurrence = Occurrence("2016/lamp", 2, "pronouns", "it", (0,), (0,), "Sie", SUPPORT)
    (item,) = build_items(LAMP, [occurrence])
    assert (item.phenomenon, item.expected, item.source_form) == ("pronouns", ("Sie",), "It")
    assert item.reference_features == "Case=Nom|Gender=Fem|Number=Sing"
    assert item.source_antecedent is not None
    assert (item.source_antecedent.head, item.source_antecedent.phrase) == ("lamp", "the lamp")


def test_an_occurrence_without_support_has_no_antecedent() -> None:
    (item,) = build_items(LAMP, [Occurrence("2016/lamp", 2, "ellipsis", "verb", (), (1,), "ist")])
    assert (item.source_antecedent, item.distance, item.source_form) == (None, None, "")


@pytest.mark.parametrize("form", ["ctxpro", "jsonl", "contrapro", "huggingface-jsonl"])
def test_items_go_through_every_format(form: str, tmp_path: Path) -> None:
    items = build_items(LAMP, [SHE], 2, load_language("de"))
    write_suite(make_suite(*items), tmp_path / "toy.en-de.x", form)
    (read,) = read_suite(tmp_path / "toy.en-de.x").items
    assert (read.expected, read.distance, read.document) == (("sie",), 1, "2016/lamp")


def test_the_pronoun_is_replaced_by_those_of_the_other_genders() -> None:
    variants = contrast(LAMP, SHE, load_language("de"))
    assert {(variant.label, variant.form, variant.target) for variant in variants} == {
        ("Masc", "Er", "Er ist hier ."),
        ("Neut", "Es", "Es ist hier ."),
    }


def french(segment: str) -> AnnotatedDocument:
    return AnnotatedDocument("d", (text("It is here ."),), (text(segment),), ((Link(0, 0, 1.0),),))


ELLE = Occurrence("d", 0, "gender", "NOM.FEM.SING", (0,), (0,), "Elle", SUPPORT)
TOMBEE = "tombée/VERB/tomber/Gender=Fem|Number=Sing|VerbForm=Part//root"
FALLEN = f"Elle/PRON/il/Gender=Fem|Number=Sing/2/nsubj est/AUX/être//2/aux {TOMBEE} ."


def test_what_agrees_with_the_pronoun_changes_with_it() -> None:
    lexicon = InflectedForms()
    lexicon.add([text("Il est tombé/VERB/tomber/Gender=Masc|Number=Sing|VerbForm=Part .")])
    (variant,) = contrast(french(FALLEN), ELLE, load_language("fr"), lexicon)
    assert (variant.target, variant.form, variant.label) == ("Il est tombé .", "Il", "Masc")


def test_no_wrong_translation_is_made_whose_agreement_is_not_known() -> None:
    assert contrast(french(FALLEN), ELLE, load_language("fr")) == ()
    assert contrast(french(FALLEN), ELLE, load_language("fr"), InflectedForms()) == ()


def test_a_gender_that_distinguishes_animacy_is_found_as_well() -> None:
    segment = "Ona/PRON/on/Gender=Fem/1/nsubj spadła/VERB/spaść/Gender=Fem|Number=Sing|Tense=Past//root ."
    occurrence = Occurrence("d", 0, "gender", "NOM.FEM.SING", (0,), (0,), "Ona", SUPPORT)
    lexicon = InflectedForms()
    lexicon.add(
        [text("spadł/VERB/spaść/Animacy=Inan|Gender=Masc|Number=Sing|Tense=Past . spadli/VERB/spaść/Gender=Masc")]
    )
    found = contrast(french(segment), occurrence, load_language("pl"), lexicon)
    assert [(variant.target, variant.label) for variant in found] == [("On spadł .", "Masc")]


def test_a_noun_that_is_its_own_word_does_not_change() -> None:
    segment = "Elle/PRON/il/Gender=Fem/2/nsubj est/AUX/être//2/cop lampe/NOUN/lampe/Gender=Fem//root ."
    (variant,) = contrast(french(segment), ELLE, load_language("fr"))
    assert variant.target == "Il est lampe ."


def test_phenomena_other_than_gender_have_no_wrong_translation() -> None:
    occurrence = Occurrence("2016/lamp", 2, "auxiliary", "DO.ELL", (1,), (1,), "ist", SUPPORT)
    assert contrast(LAMP, occurrence, load_language("de")) == ()
