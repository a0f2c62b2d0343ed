"""Which source verb a target verb translates, and in which form, on documents written by hand."""

from __future__ import annotations

import pytest
from handmade import document

from endophora.align.priors import Priors
from endophora.judgments.judging import JudgedText
from endophora.judgments.records import UNSAID_VERB, Choice, Choices
from endophora.judgments.verbs import verbs as verbs_of
from endophora.languages import load_language
from endophora.phenomena.records import AnnotatedDocument, Occurrence
from endophora.phenomena.verb_form import VerbFormTagger

PLUPERFECT = "hatte/AUX lemma=haben VerbForm=Fin Mood=Ind Tense=Past >1 :aux | gehört/VERB lemma=hören VerbForm=Part"
PRETERITE = "hörte/VERB lemma=hören VerbForm=Fin Mood=Ind Tense=Past"
TAGGER = VerbFormTagger(load_language("en"), load_language("de"))
FIN = "VerbForm=Fin Mood=Ind"
HE_SANG = f"he/PRON >1 :nsubj | sang/VERB lemma=sing {FIN} Tense=Past"
ER_SINGT = f"er/PRON >1 :nsubj | singt/VERB lemma=singen {FIN} Tense=Pres"
THEN_HE_SAID = f"{HE_SANG} | he/PRON >3 :nsubj | said/VERB lemma=say {FIN} Tense=Past"
THEN_SAGT_ER = f"{ER_SINGT} | er/PRON >3 :nsubj | sagt/VERB lemma=sagen {FIN} Tense=Pres"


def verbs(made: AnnotatedDocument, tagger: VerbFormTagger) -> list[Choice]:
    """Return the verbs that a document shows."""
    found = verbs_of(made, tagger, Priors())
    return [choice for choice in found if choice.phenomenon != UNSAID_VERB]


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        (HE_SANG, ER_SINGT, "0-0 1-1", [(1,)]),
        (HE_SANG, ER_SINGT, "0-0", [(1,)]),  # the verb of the same subject
        (HE_SANG, ER_SINGT, "", [(1,)]),  # the only verb on either side
        (THEN_HE_SAID, THEN_SAGT_ER, "1-1", [(1,), (3,)]),  # the only ones that are left
        (THEN_HE_SAID, THEN_SAGT_ER, "", [(), ()]),  # two are left on either side
        (THEN_HE_SAID, THEN_SAGT_ER, "2-2", [(), (3,)]),
        (HE_SANG, THEN_SAGT_ER, "1-1", [(1,), ()]),  # no source verb is left
    ],
)
def test_a_verb_without_a_link_translates_the_verb_that_is_left(source, target, links, expected):
    assert [choice.source_tokens for choice in verbs(document([(source, target, links)]), TAGGER)] == expected


def test_a_copula_without_a_link_translates_that_of_the_same_predicate():
    was_tired = f"was/AUX lemma=be {FIN} Tense=Past >1 :cop | tired/ADJ"
    ist_müde = f"ist/AUX lemma=sein {FIN} Tense=Pres >1 :cop | müde/ADJ"
    (choice,) = verbs(document([(was_tired, ist_müde, "1-1")]), TAGGER)
    assert choice.source_tokens == (0, 1)


def test_a_verb_that_an_auxiliary_alone_is_linked_to_translates_its_verb():
    was_supposed = f"was/AUX lemma=be {FIN} Tense=Past >1 :aux:pass | supposed/VERB lemma=suppose VerbForm=Part"
    sollte = f"sollte/AUX lemma=sollen {FIN} Tense=Past"
    (choice,) = verbs(document([(was_supposed, sollte, "0-0")]), TAGGER)
    assert choice.source_tokens == (0, 1)


@pytest.mark.parametrize(
    ("said", "form"), [("va/VERB | a/ADP | matar/VERB", "Fut"), ("va/VERB | a/ADP | casa/NOUN", "")]
)
def test_a_motion_verb_before_an_infinitive_is_the_future(said: str, form: str):
    spanish = VerbFormTagger(load_language("en"), load_language("es"))
    going = said.replace("va/VERB", f"va/VERB lemma=ir {FIN} Tense=Pres")
    (choice, *_) = verbs(document([(f"goes/VERB lemma=go {FIN} Tense=Pres", going, "0-0")]), spanish)
    assert choice.shown == (form or "Ind.Pres")


def test_what_differs_by_region_alone_is_one_form():
    spanish = VerbFormTagger(load_language("en"), load_language("es"))
    agreed = f"agreed/VERB lemma=agree {FIN} Tense=Past"
    perfect = f"han/AUX lemma=haber {FIN} Tense=Pres >1 :aux | acordado/VERB lemma=acordar VerbForm=Part"
    preterite = f"acordaron/VERB lemma=acordar {FIN} Tense=Past"
    rows = [(agreed, perfect, "0-0 0-1"), (agreed, preterite, "0-0")]
    assert len({choice.shown for row in rows for choice in verbs(document([row]), spanish)}) == 1


@pytest.mark.parametrize(
    ("had", "asked", "shown", "verdict"),
    [
        (False, PLUPERFECT, PRETERITE, "right"),  # what was before may be in the preterite
        (False, PRETERITE, PLUPERFECT, "wrong"),
        (True, PLUPERFECT, PRETERITE, "wrong"),  # the source says that it was before
    ],
)
def test_a_preterite_may_stand_for_a_german_pluperfect_where_the_source_has_none(had, asked, shown, verdict):
    auxiliary = f"had/AUX lemma=have {FIN} Tense=Past >1 :aux | " if had else ""
    heard = f"{auxiliary}heard/VERB lemma=hear " + ("VerbForm=Part" if had else f"{FIN} Tense=Past")
    verb = 1 if had else 0
    reference, text = (
        Choices(tuple(verbs(document([(heard, written, f"{verb}-{written.count('|')}")]), TAGGER)))
        for written in (asked, shown)
    )
    occurrence = Occurrence("d", 0, "verb_form", "Pqp", (verb,), (0,), "")
    sizes = [2 if had else 1]
    assert JudgedText(reference, text, [[(verb, 0)]], sizes).judge(occurrence).verdict == verdict
