"""What is read of pronouns and of the nouns that they may stand for, on documents written by hand."""

from __future__ import annotations

import pytest
from tests.phenomena.handmade import document

from endophora.judgments.reading import read_choices
from endophora.judgments.records import Choices
from endophora.languages import load_language
from endophora.phenomena.pronouns import PronounTagger

IT = "it/PRON Number=Sing Person=3 PronType=Prs >1 :nsubj | sleeps/VERB :root"


def read(language: str, *segments: tuple[str, str, str]) -> Choices:
    return read_choices(document(segments), [PronounTagger(load_language(language))], ())


@pytest.mark.parametrize(
    ("target", "read_as"),
    [
        ("es/PRON >1 :nsubj | schläft/VERB :root", ["unmarked"]),
        ("es/PRON >2 :nsubj | ist/AUX >2 :cop | Lamm/NOUN :root", []),  # what it is said to be gives no gender
        ("sie/PRON Number=Sing >1 :nsubj | schläft/VERB :root", ["Sing"]),
        ("sie/PRON Number=Plur >1 :nsubj | schläft/VERB :root", ["either"]),  # source and annotator differ
    ],
)
def test_a_text_shows_a_gender_where_its_pronoun_may_stand_for_a_noun(target: str, read_as: list[str]):
    assert [choice.about for choice in read("de", (IT, target, "0-0 1-1")).shown] == read_as


@pytest.mark.parametrize(
    ("said", "predicate", "shows"),
    [
        ("why/ADV", "razón/NOUN Gender=Fem", False),
        ("why/ADV", "motivo/NOUN Gender=Masc", True),  # another gender: it is not the predicate's
        ("broken/VERB", "rota/NOUN Gender=Fem", True),  # what the parser takes for a noun
    ],
)
def test_a_demonstrative_that_agrees_with_its_predicate_shows_nothing(said: str, predicate: str, shows: bool):
    this = f"this/PRON Number=Sing PronType=Dem >2 :nsubj | is/AUX >2 :cop | {said} :root"
    esta = f"esta/PRON Gender=Fem Number=Sing PronType=Dem >2 :nsubj | es/AUX >2 :cop | {predicate} :root"
    assert bool(read("es", (this, esta, "0-0 1-1 2-2")).shown) is shows


@pytest.mark.parametrize(
    ("target", "known"),
    [
        ("Kazoom/NOUN Gender=Neut Number=Sing :root", False),  # left as it is: the annotator guesses
        ("das/DET Gender=Neut >1 :det | Kazoom/NOUN Gender=Neut Number=Sing :root", True),
        ("Lampe/NOUN Gender=Fem Number=Sing :root", True),
    ],
)
def test_the_gender_of_a_foreign_noun_is_known_by_the_words_that_agree_with_it(target: str, known: bool):
    noun = ("Kazoom/PROPN :root", target, f"0-{target.count('|')}")
    choices = read("de", noun, (IT, "es/PRON >1 :nsubj | schläft/VERB :root", "0-0 1-1"))
    assert bool(choices.nouns) is known


SEE = "I/PRON Person=1 >1 :nsubj | see/VERB :root | {} >1 :obj"
THEM = "them/PRON Number=Plur Person=3 PronType=Prs"
LOS = "no/ADV >2 :advmod | los/{} Gender=Masc Number=Plur{} >2 :{} | agarres/{} :root"
CLITIC = LOS.format("PRON", " Person=3", "obj", "VERB")


@pytest.mark.parametrize(
    ("source", "target", "links", "shown"),
    [
        (SEE.format(THEM), CLITIC, "1-2", ["Masc"]),  # beside its verb
        (SEE.format(THEM), CLITIC, "", ["Masc"]),  # the only one
        (SEE.format(THEM), LOS.format("DET", "", "det", "NOUN"), "1-2", ["Masc"]),  # misread as an article
        (SEE.format(THEM), LOS.format("DET", "", "det", "NOUN"), "", []),  # an article
        (SEE.format(THEM), CLITIC.replace("Plur", "Sing"), "", []),  # of another number
        (SEE.format("dogs/NOUN"), CLITIC, "1-2", []),
        (SEE.format(THEM), "Despertarlos/PROPN :root", "1-0", ["Masc"]),  # an ending of what is no name
    ],
)
def test_a_clitic_without_a_link_is_found_by_the_translation_of_its_verb(source, target, links, shown):
    assert [choice.shown for choice in read("es", (source, target, links)).shown] == shown
