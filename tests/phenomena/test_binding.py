"""Nouns that grammar bars, names that rival, words of another pronoun: on sentences parsed by hand."""

from __future__ import annotations

import pytest
from handmade import document, resolution

from endophora.languages import load_language
from endophora.phenomena.binding import cannot_stand_for
from endophora.phenomena.gender import GenderTagger

IT = "it/PRON Number=Sing Person=3 Gender=Neut"

# (sentence, pronoun, noun, whether the pronoun cannot stand for the noun)
CASES = {
    "two arguments of a verb": (f"dog/NOUN >1 :nsubj | licked/VERB | {IT} >1 :obj", 2, 0, True),
    "what is beside a subject": (f"on/ADP >1 :case | hand/NOUN >3 :obl | {IT} >3 :nsubj | works/VERB", 2, 1, True),
    "a topic has a preposition of two words": (
        f"as/ADP >2 :case | for/ADP >0 :fixed | reform/NOUN >4 :obl | {IT} >4 :nsubj | works/VERB",
        3,
        2,
        False,
    ),
    "a participle has the verb's subject": (
        f"leaving/VERB >3 :advcl | school/NOUN >0 :obj | {IT} >3 :nsubj | works/VERB",
        2,
        1,
        True,
    ),
    "a clause with a subject of its own": (
        f"she/PRON >1 :nsubj | left/VERB >4 :advcl | school/NOUN >1 :obj | {IT} >4 :nsubj | works/VERB",
        3,
        2,
        False,
    ),
    "a clause that says what a noun is": (
        f"the/DET >1 | advantage/NOUN | that/SCONJ >4 :mark | {IT} >4 :nsubj | has/VERB >1 :acl",
        3,
        1,
        True,
    ),
    "the trouble is that": (
        f"trouble/NOUN >4 :nsubj | is/AUX >4 :cop | that/SCONJ >4 :mark | {IT} >4 :nsubj | works/VERB",
        3,
        0,
        True,
    ),
    "who does what a verb without a subject says": (
        f"man/NOUN >1 :nsubj | waits/VERB | open/VERB VerbForm=Inf >1 :advcl | {IT} >2 :obj",
        3,
        0,
        True,
    ),
    "who is asked to do what a complement says": (
        f"man/NOUN >1 :nsubj | asks/VERB | guard/NOUN >1 :obj | open/VERB VerbForm=Inf >1 :xcomp | {IT} >3 :obj",
        4,
        2,
        True,
    ),
    "who asks another": (
        f"man/NOUN >1 :nsubj | asks/VERB | guard/NOUN >1 :obj | open/VERB VerbForm=Inf >1 :xcomp | {IT} >3 :obj",
        4,
        0,
        False,
    ),
    "whose turnover it is": (
        f"its/PRON Number=Sing Person=3 Gender=Neut Poss=Yes >1 :nmod:poss | turnover/NOUN >2 :nsubj | grew/VERB | "
        f"{IT} >4 :nsubj | paid/VERB >2 :conj",
        3,
        1,
        True,
    ),
    "whose dog it is": (
        f"his/PRON Number=Sing Person=3 Gender=Masc Poss=Yes >1 :nmod:poss | dog/NOUN >2 :nsubj | ran/VERB | "
        f"{IT} >4 :nsubj | barked/VERB >2 :conj",
        3,
        1,
        False,
    ),
    "who says it": (
        f"deal/NOUN >1 :nsubj | failed/VERB | bank/NOUN Number=Sing >3 :nsubj | said/VERB >1 :conj | {IT} >5 :nsubj | "
        "paid/VERB >3 :ccomp",
        4,
        0,
        True,
    ),
    "who says it of itself": (
        f"bank/NOUN Number=Sing >1 :nsubj | said/VERB | {IT} >3 :nsubj | paid/VERB >1 :ccomp",
        2,
        0,
        False,
    ),
    "what another noun is": (
        f"chess/NOUN >3 :nsubj | is/AUX >3 :cop | a/DET >3 | sport/NOUN | {IT} >5 :nsubj | spreads/VERB >3 :parataxis",
        4,
        3,
        True,
    ),
    "and that one": (
        f"chess/NOUN >3 :nsubj | is/AUX >3 :cop | a/DET >3 | sport/NOUN | {IT} >5 :nsubj | spreads/VERB >3 :parataxis",
        4,
        0,
        False,
    ),
    "and that one, said by somebody": (
        f"one/PRON PronType=Ind >3 :nsubj | is/AUX >3 :cop | a/DET >3 | sport/NOUN | {IT} >5 :nsubj | spreads/VERB >3",
        4,
        3,
        True,
    ),
    "what no noun is": (
        f"she/PRON PronType=Prs >3 :nsubj | is/AUX >3 :cop | a/DET >3 | queen/NOUN | {IT} >5 :nsubj | spreads/VERB >3",
        4,
        3,
        False,
    ),
    "a participle of its own": (
        f"a/DET >1 | design/NOUN | enabling/VERB VerbForm=Part >1 :acl | {IT} >2 :obj",
        3,
        1,
        True,
    ),
    "a participle with an auxiliary": (
        f"a/DET >1 | design/NOUN | having/AUX >3 :aux | enabled/VERB VerbForm=Part >1 :acl | {IT} >3 :obj",
        4,
        1,
        False,
    ),
    "an infinitive of its own": (
        f"a/DET >1 | book/NOUN | to/PART >3 :mark | love/VERB VerbForm=Inf >1 :acl | {IT} >3 :obj",
        4,
        1,
        False,
    ),
    "an infinitive with it as subject": (
        f"a/DET >1 | book/NOUN | for/SCONJ >4 :mark | {IT} >4 :nsubj | work/VERB VerbForm=Inf >1 :acl",
        3,
        1,
        False,
    ),
    "a finite clause with it as object": (
        f"a/DET >1 | book/NOUN | loved/VERB VerbForm=Fin >1 :acl:relcl | {IT} >2 :obj",
        3,
        1,
        False,
    ),
    "a topic with a preposition for each": (
        f"out/ADP >2 :case | of/ADP >2 :case | reform/NOUN >4 :obl | {IT} >4 :nsubj | works/VERB",
        3,
        2,
        False,
    ),
    "what another noun only goes with": (
        f"chess/NOUN >1 :nsubj | sport/NOUN | {IT} >3 :nsubj | spreads/VERB >1 :parataxis",
        2,
        1,
        False,
    ),
    "another clause": (f"dog/NOUN >1 :nsubj | ran/VERB | {IT} >3 :nsubj | barked/VERB >1 :conj", 2, 0, False),
}


@pytest.mark.parametrize("case", CASES)
def test_grammar_bars_a_noun(case):
    sentence, pronoun, noun, barred = CASES[case]
    made = document([(sentence, "es/PRON", "")], [])
    assert cannot_stand_for(made.source[0], pronoun, noun) is barred


LAMP = (
    "the/DET >1 | lamp/NOUN Number=Sing | Siemens/PROPN",
    "die/DET >1 | Lampe/NOUN Gender=Fem Number=Sing",
    "0-0 1-1",
)
BROKE = ("It/PRON Case=Nom >1 :nsubj | broke/VERB", "Sie/PRON Case=Nom >1 :nsubj | brach/VERB", "0-0 1-1")


@pytest.mark.parametrize(("name", "found"), [(0.05, 1), (0.15, 0)])
def test_a_likely_name_speaks_against_a_noun(name, found):
    made = document([LAMP, BROKE], [resolution(1, 0, (0, 1, 0.8), (0, 2, name))])
    assert len(GenderTagger(load_language("de")).tag(made)) == found


@pytest.mark.parametrize(("nothing", "found"), [(0.19, 1), (0.2, 0), (0.21, 0)])
def test_a_pronoun_that_may_well_stand_for_nothing_is_not_taken(nothing, found):
    book = ("the/DET >1 | book/NOUN Number=Sing", "das/DET | Buch/NOUN Gender=Neut Number=Sing", "0-0 1-1")
    broke = ("It/PRON Case=Nom >1 :nsubj | broke/VERB", "Es/PRON Case=Nom >1 :nsubj | brach/VERB", "0-0 1-1")
    made = document([book, broke], [resolution(1, 0, (0, 1, 0.95), non_referential=nothing)])
    assert len(GenderTagger(load_language("de")).tag(made)) == found


def test_a_form_may_be_that_of_a_pronoun_without_translation():
    pair = (
        "It/PRON Case=Nom >1 :nsubj | broke/VERB | for/ADP | her/PRON",
        "sie/PRON Case=Nom >1 :nsubj | brach/VERB",
        "0-0",
    )
    she = (pair[0].replace("her/", "she/"), *pair[1:])
    resolved = [resolution(1, 0, (0, 1, 0.9))]
    tagger = GenderTagger(load_language("de"))
    assert tagger.tag(document([LAMP, pair], resolved))
    assert not tagger.tag(document([LAMP, she], resolved))


def test_a_noun_of_a_set_phrase_is_nothing_that_a_pronoun_stands_for():
    hand = ("on/ADP | the/DET | other/ADJ | hand/NOUN Number=Sing", "Seite/NOUN Gender=Fem Number=Sing", "3-0")
    own = ("on/ADP | the/DET | left/ADJ | hand/NOUN Number=Sing", "Seite/NOUN Gender=Fem Number=Sing", "3-0")
    tagger = GenderTagger(load_language("de"))
    assert [len(tagger.tag(document([one, BROKE], [resolution(1, 0, (0, 3, 0.9))]))) for one in (hand, own)] == [0, 1]
