"""Which words of a text address someone, and by which other words they are found, on Spanish written by hand."""

from tests.phenomena.handmade import document

from endophora.judgments.address import levels
from endophora.languages import load_language
from endophora.phenomena.formality import FormalityTagger

TAGGER = FormalityTagger(load_language("en"), load_language("es"))
CLITIC = "PRON Case=Acc Person=3"


def _shown(source: str, target: str, pairs: str) -> list[tuple[str, str, tuple[int, ...], tuple[int, ...]]]:
    return [
        (one.phenomenon, one.shown, one.target_tokens, one.near)
        for one in levels(document([(source, target, pairs)]), TAGGER)
    ]


def test_a_pronoun_beside_a_verb_of_another_level_addresses_nobody():
    source = "you/PRON >1 :nsubj | know/VERB | it/PRON >1 :obj"
    verb = "sabes/VERB lemma=saber Person=2 Mood=Ind VerbForm=Fin"
    found = _shown(source, f"lo/{CLITIC} >1 :obj | {verb}", "1-1 2-0")
    assert [(name, shown) for name, shown, *_ in found] == [("formality", "informal")]


def test_a_verb_that_has_its_addressee_as_an_object_is_of_somebody_else():
    source = "she/PRON >1 :nsubj | helps/VERB | you/PRON >1 :obj"
    target = "te/PRON Case=Acc Person=2 >1 :obj | ayuda/VERB lemma=ayudar Person=3 Number=Sing Mood=Ind VerbForm=Fin"
    assert [name for name, *_ in _shown(source, target, "1-1 2-0")] == ["formality"]


def test_two_pronouns_for_one_addressee_are_near_each_other():
    source = "if/SCONJ >2 :mark | it/PRON >2 :nsubj | happens/VERB | to/ADP >4 :case | you/PRON >2 :obl"
    verb = "pasa/VERB lemma=pasar Person=3 Mood=Ind VerbForm=Fin"
    pair = "te/PRON Case=Dat Person=2 >2 :iobj", "ti/PRON Case=Acc Person=2 >2 :obl"
    target = f"si/SCONJ >2 :mark | {pair[0]} | {verb} | a/ADP >4 :case | {pair[1]}"
    found = {tokens: near for name, _, tokens, near in _shown(source, target, "2-2 4-4") if name == "formality"}
    assert 4 in found[1,]


def test_what_could_be_address_is_no_past_of_the_first_person():
    past = "toqué/VERB lemma=tocar Person=1 Number=Sing Tense=Past Mood=Ind VerbForm=Fin"
    assert not _shown("hit/VERB Mood=Imp :root", past, "0-0")
    assert _shown("come/VERB Mood=Imp :root", "vení/VERB lemma=venir VerbForm=Fin", "0-0")


def test_what_somebody_else_is_to_do_is_no_possible_address():
    source = "you/PRON >1 :nsubj | want/VERB | me/PRON >1 :obj | get/VERB VerbForm=Inf >1 :xcomp"
    first = "quieres/VERB lemma=querer Person=2 Mood=Ind VerbForm=Fin"
    other = "consiga/VERB lemma=conseguir Person=3 Number=Sing Mood=Sub VerbForm=Fin >0 :ccomp"
    target = f"{first} | que/SCONJ >2 :mark | {other}"
    assert [name for name, *_ in _shown(source, target, "1-0 3-2")] == ["formality"]


def test_a_noun_that_stands_for_you_is_no_title():
    """*Pan* as the subject shows a level; *panie* before a name is a title, and of none."""
    tagger = FormalityTagger(load_language("en"), load_language("pl"))
    asked = ("do/AUX >2 :aux | you/PRON >2 :nsubj | live/VERB", "pan/NOUN >1 :nsubj | mieszka/VERB Person=3", "1-0 2-1")
    called = (
        "sir/NOUN >2 :vocative | you/PRON >2 :nsubj | live/VERB",
        "panie/NOUN >1 :vocative | mieszkasz/VERB",
        "0-0",
    )
    found = [one for one in levels(document([asked, called]), tagger) if one.phenomenon == "formality"]
    assert [(one.segment, one.target_tokens, one.shown, one.upos) for one in found] == [
        (0, (0,), "formal", ""),
        (1, (0,), "formal", "NOUN"),
    ]
