"""How many a source addresses, on English written by hand; where nothing says so, nothing is known."""

import pytest
from tests.phenomena.handmade import document

from endophora.judgments.address import levels
from endophora.languages import load_language
from endophora.phenomena.formality import FormalityTagger

TAGGER = FormalityTagger(load_language("en"), load_language("ru"))
YOU = "you/PRON >1 :nsubj | know/VERB Mood=Ind :root"
KNOW = "вы/PRON Case=Nom Number=Plur Person=2 >1 :nsubj | знаете/VERB lemma=знать Person=2 Number=Plur"
THEM = "them/PRON lemma=they Person=3 Number=Plur"


def numbers(*segments: tuple[str, str, str]) -> list[str]:
    """The number of each *вы*."""
    return [
        one.number
        for one in levels(document(segments), TAGGER)
        if one.phenomenon == "formality" and one.shown == "formal"
    ]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", "either"),
        (" | it/PRON >1 :obj", "either"),
        (" | yourselves/PRON >1 :obj", "several"),
        (" | yourself/PRON >1 :obj", "one"),
        (" | ,/PUNCT | boys/NOUN lemma=boy Number=Plur >1 :vocative", "several"),
        (" | ,/PUNCT | Tom/PROPN Number=Sing >1 :vocative", "one"),
        (
            " | ,/PUNCT | Tom/PROPN Number=Sing >1 :vocative | and/CCONJ >5 :cc | Ann/PROPN Number=Sing >3 :conj",
            "several",
        ),
        (" | Tom/PROPN Number=Sing >1 :vocative", "either"),  # no sign parts it: it is rather an object
        (" | ,/PUNCT | the/DET PronType=Art >4 :det | boys/NOUN lemma=boy Number=Plur >1 :vocative", "either"),
    ],
)
def test_forms_and_calls_tell_how_many_are_addressed(more: str, expected: str):
    assert numbers((YOU + more, KNOW, "0-0 1-1")) == [expected]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("you/PRON >2 :nsubj | all/DET >0 :det | know/VERB", "several"),
        ("you/PRON >1 :det | guys/NOUN lemma=guy >2 :nsubj | know/VERB", "several"),
        ("you/PRON >2 :nsubj | all/ADV >2 :advmod | right/ADJ", "either"),
        ("both/DET >3 :nsubj | of/ADP >2 :case | you/PRON >0 :nmod | know/VERB", "several"),
        ("a/DET >1 :det | picture/NOUN | of/ADP >3 :case | you/PRON >1 :nmod", "either"),
        ("you/PRON >3 :nsubj | are/AUX >3 :cop | a/DET >3 :det | doctor/NOUN Number=Sing", "one"),
        ("you/PRON >2 :nsubj | are/AUX >2 :cop | doctors/NOUN lemma=doctor Number=Plur", "several"),
        ("you/PRON >2 :nsubj | are/AUX >2 :cop | rocks/NOUN lemma=rock Number=Plur", "either"),
    ],
)
def test_words_beside_the_pronoun_and_its_predicate_tell_it(source: str, expected: str):
    words = [part.split("/")[0].strip() for part in source.split("|")]
    assert numbers((source, KNOW, f"{words.index('you')}-0")) == [expected]


TOLD = "he/PRON >1 :nsubj | told/VERB lemma=tell Mood=Ind :root"
SAID = "he/PRON >1 :nsubj | said/VERB lemma=say Mood=Ind :root | to/ADP >3 :case"


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (f"{SAID} | {THEM} >1 :obl", "several"),
        # what is told hears nothing: he told it to them
        (f"{TOLD} | it/PRON Gender=Neut Person=3 Number=Sing >1 :obj | to/ADP >4 :case | {THEM} >1 :obl", "several"),
        (f"{SAID} | him/PRON lemma=he Person=3 Number=Sing >1 :obl", "either"),  # he and others may be meant
        ("did/AUX >2 :aux | you/PRON >2 :nsubj | tell/VERB Mood=Ind :root | " + f"{THEM} >2 :obj", "either"),
        ("to/PART >1 :mark | tell/VERB VerbForm=Inf :root | " + f"{THEM} >1 :obj", "either"),
    ],
)
def test_what_is_told_to_several_addresses_several(told: str, expected: str):
    at = told.count("|") + 1
    clause = f"you/PRON >{at + 1} :nsubj | know/VERB >1 :parataxis"
    assert numbers((f"{told} | {clause}", KNOW, f"{at}-0 {at + 1}-1")) == [expected]


def test_in_indirect_speech_those_who_hear_are_not_addressed():
    clause = "that/SCONJ >6 :mark | you/PRON >6 :nsubj | know/VERB >1 :ccomp"
    assert numbers((f"{SAID} | {THEM} >1 :obl | {clause}", KNOW, "5-0 6-1")) == ["either"]


def test_a_verb_of_saying_without_a_subject_goes_on_with_the_same_hearers():
    """*He spoke to them and said, you know*, and on into the next segment."""
    spoke = SAID.replace("said/VERB lemma=say", "spoke/VERB lemma=speak")
    source = f"{spoke} | {THEM} >1 :obl | and/CCONJ >5 :cc | said/VERB lemma=say >1 :conj | {YOU.replace('>1', '>7')}"
    assert numbers((source, KNOW, "6-0 7-1"), (YOU, KNOW, "0-0 1-1")) == ["several", "several"]


def test_only_an_answer_in_the_main_clause_ends_what_is_told():
    first = f"{SAID} | {THEM} >1 :obl"
    answer = "he/PRON >1 :nsubj | answered/VERB lemma=answer Mood=Ind :root | "
    later = YOU.replace(">1", ">3")
    assert numbers((first, "", ""), (answer + later, KNOW, "2-0 3-1")) == ["either"]


def test_a_polite_noun_is_no_plural():
    """*Господин* names one, whoever else is addressed."""
    source = "come/VERB Mood=Imp :root | sir/NOUN Number=Sing >0 :vocative"
    target = "приходи/VERB | господин/NOUN Number=Sing >0 :vocative"
    assert numbers((source, target, "0-0 1-1")) == [""]


def test_who_is_called_outside_of_a_quotation_is_not_addressed_in_it():
    """*Jesus, seeing it, said: “why do you doubt?”*: parsers take many a subject for a call."""
    source = (
        "Jesus/PROPN Number=Sing >2 :vocative | ,/PUNCT | said/VERB lemma=say :root | “/PUNCT | you/PRON >5 :nsubj "
        "| doubt/VERB >2 :ccomp | ”/PUNCT"
    )
    assert numbers((source, KNOW, "4-0 5-1")) == ["either"]
