"""Tense from a language without it: which verbs are tagged and how they are judged, on documents written by hand."""

from __future__ import annotations

import pytest
from handmade import document

from endophora.align.priors import Priors
from endophora.judgments.judging import JudgedText
from endophora.judgments.reading import read_choices
from endophora.judgments.records import Judgment
from endophora.languages import load_language
from endophora.phenomena import make_taggers
from endophora.phenomena.records import AnnotatedDocument
from endophora.phenomena.tagging import TaggerOptions
from endophora.phenomena.tense import TenseTagger

TAGGER = TenseTagger(load_language("zh"), load_language("en"))
FIN = "VerbForm=Fin Mood=Ind"
SHE_CAME = (
    "她/PRON >1 :nsubj | 来/VERB | 了/AUX >1 :aux",
    f"she/PRON >1 :nsubj | came/VERB lemma=come {FIN} Tense=Past",
    "0-0 1-1",
)
SHE_COMES = ("她/PRON >1 :nsubj | 来/VERB", f"she/PRON >1 :nsubj | comes/VERB lemma=come {FIN} Tense=Pres", "0-0 1-1")
HE_LIVES = "他/PRON >1 :nsubj | 住/VERB"
LIVED = f"he/PRON >1 :nsubj | lived/VERB lemma=live {FIN} Tense=Past"
TIRED = "他/PRON >1 :nsubj | 累/ADJ"
WAS_TIRED = f"he/PRON >2 :nsubj | was/AUX lemma=be {FIN} Tense=Past >2 :cop | tired/ADJ"


def tagged(*rows: tuple[str, str, str]) -> list[tuple[int, str, str]]:
    """Return segment, rule and words of what is tagged."""
    return [(one.segment, one.rule, one.expected) for one in TAGGER.tag(document(rows))]


def test_a_verb_has_the_tense_of_what_was_told_before():
    made = document([SHE_CAME, (HE_LIVES, LIVED, "0-0 1-1")])
    (found,) = TAGGER.tag(made)
    assert (found.segment, found.rule, found.expected, found.source_tokens) == (1, "past", "lived", (1,))
    assert found.support is not None
    assert (found.support.target_tokens, found.support.distance) == (((0, 1),), 1)
    assert found.support.source_tokens == ((0, 1), (0, 2))  # the verb, and the particle that says when


def test_a_copula_is_tagged_by_the_link_of_its_predicate():
    assert tagged(SHE_CAME, (TIRED, WAS_TIRED, "0-0 1-2")) == [(1, "past", "was")]


@pytest.mark.parametrize("sign", ["昨天/NOUN", "曾经/ADV", "没/ADV", "会/AUX", "1995年/NOUN", "过/PART"])
def test_a_sign_of_time_in_the_segment_leaves_no_choice(sign: str):
    assert tagged(SHE_CAME, (f"{HE_LIVES} | {sign}", LIVED, "0-0 1-1")) == []


@pytest.mark.parametrize("word", ["正在/ADV", "着/AUX", "通过/ADP", "为了/ADP", "会议/NOUN", "常常/ADV"])
def test_what_is_of_any_time_is_no_sign(word: str):
    assert tagged(SHE_CAME, (f"{HE_LIVES} | {word}", LIVED, "0-0 1-1")) == [(1, "past", "lived")]


def test_the_nearest_segment_that_tells_anything_must_tell_of_the_past():
    nothing = ("啊/INTJ", "oh/INTJ", "0-0")
    lived = (HE_LIVES, LIVED, "0-0 1-1")
    assert tagged(SHE_CAME, nothing, nothing, lived) == [(3, "past", "lived")]
    assert tagged(SHE_CAME, SHE_COMES, lived) == []
    assert tagged(SHE_CAME, nothing, nothing, nothing, lived) == []  # too far
    assert tagged(lived) == []


def test_a_perfect_tells_of_no_past():
    has_come = f"she/PRON >2 :nsubj | has/AUX lemma=have {FIN} Tense=Pres >2 :aux | come/VERB VerbForm=Part"
    assert tagged((SHE_CAME[0], has_come, "0-0 1-2"), (HE_LIVES, LIVED, "0-0 1-1")) == []


def test_a_present_is_what_the_sentence_says_by_itself():
    assert tagged(SHE_COMES, SHE_COMES) == []


def test_what_follows_another_verb_or_is_not_real_or_said_is_no_choice():
    said = f"she/PRON >1 :nsubj | said/VERB lemma=say {FIN} Tense=Past"
    source = "她/PRON >1 :nsubj | 说/VERB | 他/PRON >3 :nsubj | 住/VERB >1 :ccomp"
    lived = f"he/PRON >3 :nsubj | lived/VERB lemma=live {FIN} Tense=Past >1 :ccomp"
    assert tagged(SHE_CAME, (source, f"{said} | {lived}", "1-1 3-3")) == [(1, "past", "said")]
    unreal = f"if/SCONJ >2 :mark | he/PRON >2 :nsubj | lived/VERB lemma=live {FIN} Tense=Past"
    assert tagged(SHE_CAME, (HE_LIVES, unreal, "0-1 1-2")) == []
    quoted = f"“/PUNCT | he/PRON >2 :nsubj | lived/VERB lemma=live {FIN} Tense=Past | ”/PUNCT"
    assert tagged(SHE_CAME, (HE_LIVES, quoted, "0-1 1-2")) == []


@pytest.mark.parametrize(("upos", "found"), [("VERB", True), ("NOUN", False)])
def test_the_source_must_have_a_predicate_there(upos: str, found: bool):
    assert bool(tagged(SHE_CAME, (f"他/PRON | 住/{upos}", LIVED, "0-0 1-1"))) is found


def test_verb_form_from_a_language_without_tense_is_tense():
    (tagger,) = make_taggers("en", TaggerOptions(phenomena=("verb_form",)), "zh")
    (other,) = make_taggers("zh", TaggerOptions(phenomena=("verb_form",)), "en")
    assert isinstance(tagger, TenseTagger)
    assert not isinstance(other, TenseTagger)


def judged(target: str, links: str = "0-0 1-1") -> Judgment:
    """Judge another text in place of *he lived*."""
    reference = document([SHE_CAME, (HE_LIVES, LIVED, "0-0 1-1")])
    other = document([SHE_CAME, (HE_LIVES, target, links)])

    def choices(made: AnnotatedDocument):
        return read_choices(made, [TAGGER], (), Priors())

    (occurrence,) = TAGGER.tag(reference)
    pairs = [[(link.source, link.target) for link in some] for some in other.links]
    lengths = [len(one.tokens) for one in other.source]
    return JudgedText(choices(reference), choices(other), pairs, lengths).judge(occurrence)


HE = "he/PRON >1 :nsubj"
IS, HAS = (f"{HE} | {{}}/AUX lemma={lemma} {FIN} Tense={{}} >2 :aux |" for lemma in ("be", "have"))
LIVING = "living/VERB lemma=live VerbForm=Part Tense=Pres"
DONE = "lived/VERB lemma=live VerbForm=Part"
MODAL = f"{HE} | {{}}/AUX lemma={{}} VerbForm=Fin >2 :aux | live/VERB lemma=live VerbForm=Inf"


@pytest.mark.parametrize(
    ("target", "verdict", "shown"),
    [
        (f"{HE} | dwelt/VERB lemma=dwell {FIN} Tense=Past", "right", "past"),
        (f"{IS.format('was', 'Past')} {LIVING}", "right", "past"),
        (f"{HAS.format('has', 'Pres')} {DONE}", "right", "perfect"),
        (f"{HAS.format('had', 'Past')} {DONE}", "right", "past perfect"),
        (f"{HE} | lives/VERB lemma=live {FIN} Tense=Pres", "wrong", "present"),
        (f"{IS.format('is', 'Pres')} {LIVING}", "wrong", "present"),
        (MODAL.format("will", "will"), "wrong", "future"),
        (MODAL.format("would", "would"), "other", "modal"),
        (f"{HE} | put/VERB lemma=put {FIN} Tense=Pres", "other", "past or present"),
    ],
)
def test_the_tense_of_an_output_is_held_to_the_time_that_is_told(target: str, verdict: str, shown: str):
    links = "0-0 1-1 1-2" if target.count("|") > 1 else "0-0 1-1"
    judgment = judged(target, links)
    assert (judgment.verdict, judgment.asked, judgment.shown) == (verdict, "past", shown)


def test_going_to_is_the_future_and_going_a_present():
    going = f"{HE} >2 | is/AUX lemma=be {FIN} Tense=Pres >2 :aux | going/VERB lemma=go VerbForm=Part Tense=Pres"
    assert judged(f"{going} | to/PART >4 :mark | live/VERB VerbForm=Inf >2 :xcomp", "0-0 1-2").shown == "future"
    assert judged(f"{going} | home/ADV >2", "0-0 1-2").shown == "present"


def test_a_noun_or_an_infinitive_says_no_tense():
    assert judged("his/PRON | life/NOUN", "0-0 1-1").verdict == "other"
    assert judged("to/PART >1 :mark | live/VERB VerbForm=Inf", "1-1").verdict == "other"


def test_a_verb_that_is_not_translated_is_missing():
    assert judged("oh/INTJ", "").verdict == "missing"
