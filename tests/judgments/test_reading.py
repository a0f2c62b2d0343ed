"""What is read of pronouns and of the nouns that they may stand for, on documents written by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.phenomena.handmade import document, resolution

from endophora.align.priors import PairCounts, Priors, PriorSide
from endophora.judgments.reading import read_choices
from endophora.judgments.records import LOOSE, Choices
from endophora.languages import load_language
from endophora.phenomena.pronouns import PronounTagger

IT = "it/PRON Number=Sing Person=3 PronType=Prs >1 :nsubj | sleeps/VERB :root"


def shown_by(choices: Choices) -> list[str]:
    """What is shown by the pronouns that are known."""
    return [choice.shown for choice in choices.shown if choice.phenomenon == "pronouns"]


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
    found = read("de", (IT, target, "0-0 1-1")).shown
    assert [choice.about for choice in found if choice.phenomenon == "pronouns"] == read_as


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
    assert bool(shown_by(read("es", (this, esta, "0-0 1-1 2-2")))) is shows


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


@pytest.mark.parametrize(
    ("source", "target", "known"),
    [
        ("box/NOUN :root", "die/DET Gender=Fem >1 :det | Nistbox/PROPN Gender=Fem :root", True),
        ("box/NOUN :root", "die/DET >1 :det | Nistbox/PROPN Gender=Fem :root", False),  # nothing tells it
        ("Box/PROPN :root", "die/DET Gender=Fem >1 :det | Nistbox/PROPN Gender=Fem :root", False),  # a name
    ],
)
def test_a_noun_taken_for_a_name_is_one_where_a_word_agrees_with_it(source: str, target: str, known: bool):
    nouns = read("de", (source, target, "0-1"), (IT, "sie/PRON >1 :nsubj | schläft/VERB :root", "0-0 1-1")).nouns
    assert bool(nouns) is known


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
    assert shown_by(read("es", (source, target, links))) == shown


OBJECT = "you/PRON Person=2 >1 :nsubj | return/VERB :root | it/PRON Number=Sing Person=3 PronType=Prs >1 :obj"
SUBJECT = "it/PRON Number=Sing Person=3 PronType=Prs >1 :nsubj{} | listed/VERB :root"
SIE = "{}/PRON >1 :nsubj | findet/VERB :root | sie/PRON Number=Sing >1 :{}"


@pytest.mark.parametrize(
    ("source", "target", "links", "shown"),
    [
        (OBJECT, SIE.format("man", "obj"), "", ["Fem"]),
        (OBJECT, SIE.format("du", "nsubj"), "", ["Fem"]),  # the second subject of a verb is its object
        (OBJECT, SIE.format("und", "nsubj").replace(":nsubj |", ":cc |", 1), "1-1", ["Fem"]),  # all that the verb has
        (OBJECT, SIE.format("und", "nsubj").replace(":nsubj |", ":cc |", 1), "", []),
        (SUBJECT.format(":pass"), SIE.format("man", "obj"), "", ["Fem"]),  # *it is listed*: *man findet sie*
        (SUBJECT.format(""), SIE.format("man", "obj"), "", []),
    ],
)
def test_a_form_without_a_link_is_in_the_role_of_the_source_pronoun_or_beside_its_verb(source, target, links, shown):
    assert shown_by(read("de", (source, target, links))) == shown


HE = f"he/PRON Gender=Masc Number=Sing Person=3 PronType=Prs >1 :nsubj | held/VERB :root | {IT.split(' >')[0]} >1 :obj"
THEY = "they/PRON Number=Plur Person=3 PronType=Prs >{} :nsubj"
ELLOS = "ellos/PRON Case=Acc,Nom Gender=Masc Number=Plur Person=3 PronType=Prs >1 :{}"
ER, SIE_TOO = "er/PRON Person=3 PronType=Prs >{} :nsubj", "sie/PRON Number=Sing Person=3 PronType=Prs >{} :nsubj"


@pytest.mark.parametrize(
    ("language", "source", "target", "links", "shown"),
    [
        # The second of two personal pronouns is an object, whatever the parser takes it for.
        ("de", HE, f"{ER.format(1)} | hielt/VERB :root | {SIE_TOO.format(1)}", "0-0 1-1 2-2", ["Fem=it"]),
        # A nominative without a preposition is a subject.
        ("es", f"{THEY.format(1)} | feared/VERB :root | {THEM} >1 :obj",
         f"{ELLOS.format('obl')} | temían/VERB :root", "0-0 1-1", ["Masc=they"]),
        ("es", f"{THEY.format(1)} | feared/VERB :root | {THEM} >1 :obj",
         f"a/ADP >2 :case | temían/VERB :root | {ELLOS.format('obl')}", "0-2 1-1", ["Masc=them"]),
        # Of two that are alike the one at whose verb the form stands.
        ("es", f"{THEY.format(1)} | waited/VERB :root | when/ADV >4 | {THEY.format(4)} | tired/VERB >1 :advcl",
         f"{ELLOS.format('nsubj')} | esperaban/VERB :root | cansados/ADV >1", "3-0 1-1 4-2", ["Masc=they@0"]),
        # A form at its verb rather than one that is linked and is at another.
        ("de", IT + " | sure/ADJ >1 :conj", f"es/PRON >1 :nsubj | schläft/VERB | {ER.format(3)} | sicher/ADJ >1",
         "0-2 1-1 2-3", ["Neut=it"]),
    ],
)  # fmt: skip
def test_a_pronoun_is_that_of_the_verb_it_stands_beside(language, source, target, links, shown):
    found = read(language, (source, target, links))
    words = [part.split("/")[0] for part in source.split(" | ")]
    pronouns = [choice for choice in found.shown if choice.phenomenon == "pronouns"]
    given = [f"{one.shown}={words[one.source_tokens[0]]}@{one.source_tokens[0]}" for one in pronouns]
    assert [one.startswith(wanted) for one, wanted in zip(given, shown, strict=True)] == [True] * len(shown)


def test_a_form_that_nothing_tells_to_be_a_pronouns_is_kept_as_loose():
    target = "dass/SCONJ >2 | sie/PRON Number=Sing >2 :nsubj | kommt/VERB :root"
    found = read("de", (OBJECT, target, "0-1"))
    assert [(one.phenomenon, one.source_tokens, one.target_tokens) for one in found.shown] == [(LOOSE, (2,), (1,))]


ITS = "its/PRON Poss=Yes Person=3 PronType=Prs >{} :nmod:poss"
SEIN = "sein/DET Poss=Yes >{} :det:poss"


@pytest.mark.parametrize(
    ("target", "links", "shown"),
    [
        (f"{SEIN.format(1)} | Griff/NOUN :root", "1-1", ["Masc,Neut"]),  # beside what is possessed
        (f"{SEIN.format(1)} | Griff/NOUN :root", "", ["Masc,Neut"]),  # the only one
        (f"{SEIN.format(1)} | Griff/NOUN :root", "2-0", []),  # another word's
        (f"{SEIN.format(1)} | Griff/NOUN :root | {SEIN.format(3)} | Rand/NOUN >1 :conj", "1-3", ["Masc,Neut"]),
        (f"{SEIN.format(1)} | Griff/NOUN :root | {SEIN.format(3)} | Rand/NOUN >1 :conj", "", []),  # which of them?
    ],
)
def test_a_possessive_without_a_link_stands_beside_what_is_possessed(target: str, links: str, shown: list[str]):
    source = f"{ITS.format(1)} | handle/NOUN :root | broke/VERB >1 :acl"
    assert shown_by(read("de", (source, target, links))) == shown


def test_a_pronoun_with_a_preposition_may_be_a_nouns_or_a_verbs():
    source = "part/NOUN :root | with/ADP >2 :case | it/PRON Number=Sing Person=3 PronType=Prs >0 :nmod"
    target = "aus/ADP >1 :case | ihm/PRON Number=Sing Case=Dat >2 :obl | kommt/VERB :root"
    assert shown_by(read("de", (source, target, ""))) == ["Masc,Neut"]


NEST = "the/DET >2 :det | nest/NOUN >2 :compound | box/NOUN :root"


@pytest.mark.parametrize(
    ("target", "gender"),
    [
        ("der/DET >1 :det | Kasten/NOUN Gender=Masc Number=Sing :root", "Masc"),
        ("der/DET >1 :det | Nistkasten/NOUN Gender=Masc Number=Sing :root", "Masc"),  # its end is the translation
        ("der/DET >1 :det | Kastenbau/NOUN Gender=Masc Number=Sing :root", None),
        ("der/DET >1 | Kasten/NOUN Gender=Masc :root | Kasten/NOUN Gender=Masc >1", None),  # which of them?
    ],
)
def test_a_noun_without_a_link_has_the_only_translation_of_it_that_is_left(target: str, gender: str | None):
    sides = (PriorSide([word], *[np.array([9], np.float32)] * 2) for word in ("box", "kasten"))
    known = Priors(*sides, PairCounts(np.array([0]), np.array([9], np.float32), 1))
    segments = document([(NEST, target, "0-0"), (IT, "er/PRON >1 :nsubj | schläft/VERB :root", "0-0 1-1")])
    nouns = read_choices(segments, [PronounTagger(load_language("de"))], (), known).nouns
    assert nouns.get((0, 2), (0, None))[1] == gender


@pytest.mark.parametrize(
    ("target", "number"),
    [("Bogen/NOUN lemma=Bogen", ""), ("Bögen/NOUN lemma=Bogen", "Plur")],
)
def test_a_noun_written_as_its_lemma_is_no_sure_plural_of_a_singular(target: str, number: str):
    bow = ("bow/NOUN Number=Sing :root", f"{target} Gender=Masc Number=Plur :root", "0-0")
    assert read("de", bow, (IT, "er/PRON >1 :nsubj | schläft/VERB :root", "0-0 1-1")).nouns[0, 0][2] == number


def test_an_ending_has_the_number_of_the_source_pronoun():
    source = "praising/VERB :root | them/PRON Number=Plur Person=3 PronType=Prs >0 :obj"
    (found,) = read("es", (source, "alabándolos/VERB VerbForm=Ger :root", "0-0")).shown
    assert (found.shown, found.about) == ("Masc", "Plur")


@pytest.mark.parametrize(
    ("noun", "links", "instead"),
    [
        ("Werk/NOUN Gender=Neut Number=Sing >1 :obj", "1-1 2-0:.5", (0, "Neut", "Sing")),
        ("Werk/NOUN Gender=Neut Number=Sing >1 :obj", "0-0 1-1", None),  # it translates a noun
        ("Werk/NOUN Gender=Neut Number=Sing >1 :nsubj", "1-1", None),  # another part of the sentence
        ("Werk/NOUN Gender=Neut Number=Sing >1 :obj", "0-1", None),  # of another verb
    ],
)
def test_a_noun_in_the_place_of_a_pronoun_is_known_by_it(noun: str, links: str, instead: tuple[int, str, str] | None):
    book = ("book/NOUN Number=Sing :root", "Buch/NOUN Gender=Neut Number=Sing :root", "0-0")
    source = "people/NOUN >1 :nsubj | read/VERB :root | it/PRON Person=3 PronType=Prs >1 :obj | its/PRON Poss=Yes"
    made = document(
        [book, (source, f"{noun} | liest/VERB :root | sein/DET Poss=Yes", f"{links} 3-2")],
        [resolution(1, 2, (0, 0, 0.9))],
    )
    assert read_choices(made, [PronounTagger(load_language("de"))]).nouns.get((1, 2)) == instead


@pytest.mark.parametrize(
    ("target", "links", "shows"),
    [
        ("seine/DET Poss=Yes >1 :det | Firma/NOUN :nsubj >2 | verkauft/VERB :root | Land/NOUN >2 :obj",
         "1-1 2-2 4-3", False),
        ("die/DET >1 :det | Firma/NOUN :nsubj >2 | verkauft/VERB :root | sein/DET Poss=Yes >4 :det | Land/NOUN >2 :obj",
         "1-1 2-2 4-4", True),
    ],
)  # fmt: skip
def test_a_possessive_of_what_nobody_possesses_is_the_translators_own(target: str, links: str, shows: bool):
    source = f"the/DET >1 :det | firm/NOUN >2 :nsubj | sells/VERB :root | {ITS.format(4)} | land/NOUN >2 :obj"
    at = next(place for place, word in enumerate(target.split(" | ")) if "Poss=Yes" in word)
    assert bool(shown_by(read("de", (source, target, f"{links} 3-{at}")))) is shows


@pytest.mark.parametrize(
    ("source", "target", "links"),
    [
        ("cups/NOUN :root | like/ADP >2 :case | these/PRON Number=Plur PronType=Dem >0 :nmod",
         "copas/NOUN :root | como/ADP >2 :case | estas/PRON Number=Plur Gender=Fem >0 :nmod", "0-0 1-1 2-2"),
    ],
)  # fmt: skip
def test_a_demonstrative_of_a_kind_stands_for_the_noun_beside_it(source: str, target: str, links: str):
    rules = (load_language("es"), load_language("en"))
    (tagger, lone) = (PronounTagger(rules[0], source=some) for some in (rules[1], None))
    made = document([(source, target, links)])
    assert [shown_by(read_choices(made, [one], ())) for one in (lone, tagger)] == [["Fem"], []]


@pytest.mark.parametrize(("other", "shown"), [("there/PRON", ["Fem"]), ("he/PRON Person=3 PronType=Prs", [])])
def test_a_word_that_is_no_pronoun_takes_none(other: str, shown: list[str]):
    source = (
        f"{other} >1 :nsubj | is/VERB :root | see/VERB >1 :conj | it/PRON Number=Sing Person=3 PronType=Prs >2 :obj"
    )
    target = "sehen/VERB :root | sie/PRON Number=Sing >0 :nsubj"
    assert shown_by(read("de", (source, target, "2-0"))) == shown


@pytest.mark.parametrize(
    ("target", "guessed"),
    [
        ("скинию/NOUN Gender=Masc Case=Acc", True),
        ("скиния/NOUN Gender=Fem Case=Nom", False),
        ("скинию/NOUN Gender=Fem Case=Acc | новую/ADJ Gender=Fem >0 :amod", False),
        ("la/DET Gender=Fem >1 :det | tente/NOUN Gender=Fem", False),  # no case: its gender is that of its form
    ],
)
def test_the_gender_of_an_oblique_form_is_guessed_where_no_word_shows_it(target: str, guessed: bool):
    at = target.split(" | ").index(next(one for one in target.split(" | ") if "/NOUN" in one))
    found = read("ru", ("tent/NOUN Number=Sing", target, f"0-{at}"), ("it/PRON", "она/PRON", "0-0"))
    assert ((0, 0) in found.guessed, (0, 0) in found.nouns) == (guessed, True)
