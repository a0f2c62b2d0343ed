"""Ellipsis on documents written by hand: which words are tagged, and with what support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from handmade import document, rules

from endophora.annotate.records import AnnotatedText
from endophora.errors import InputError
from endophora.phenomena import TaggerOptions, make_taggers
from endophora.phenomena.ellipsis import EllipsisTagger, load_rule_detector
from endophora.phenomena.ellipsis_rules import EllipsisSite

KNOW = ("They/PRON | know/VERB", "Sie/PRON | wissen/VERB lemma=wissen | es/PRON", "0-0 1-1")
NEUTRAL = ("Fine/ADJ", "Gut/ADJ", "0-0")
DONT = (
    "I/PRON >1 :nsubj | do/AUX :root | n't/PART >1 :advmod | ./PUNCT >1 :punct",
    "Ich/PRON | weiß/VERB lemma=wissen | nichts/PRON | ./PUNCT",
    "0-0 3-3",
)
FULL = (
    "I/PRON >3 :nsubj | do/AUX >3 :aux | n't/PART >3 :advmod | know/VERB :root | ./PUNCT >3 :punct",
    "Ich/PRON | weiß/VERB lemma=wissen | nichts/PRON | ./PUNCT",
    "0-0 4-3",
)


def tagger(window: int | None = None) -> EllipsisTagger:
    return EllipsisTagger(load_rule_detector("en"), window)


def test_an_unlinked_word_that_repeats_an_earlier_one_is_tagged_where_the_source_is_elliptical():
    (found,) = tagger().tag(document([KNOW, DONT]))
    assert (found.segment, found.phenomenon, found.rule, found.expected) == (1, "ellipsis", "verb_phrase", "weiß")
    assert (found.source_tokens, found.target_tokens) == ((1, 2), (1,))


def test_support_is_the_latest_earlier_word_and_its_source():
    (found,) = tagger().tag(document([KNOW, KNOW, NEUTRAL, DONT]))
    assert found.support is not None
    assert found.support.target_tokens == ((1, 1),)
    assert found.support.source_tokens == ((1, 1),)
    assert found.support.distance == 2


def test_without_ellipsis_in_the_source_nothing_is_tagged():
    assert tagger().tag(document([KNOW, FULL])) == []


def test_the_variant_without_a_detector_tags_all_the_same():
    (found,) = EllipsisTagger(None).tag(document([KNOW, FULL]))
    assert (found.rule, found.source_tokens, found.expected) == ("unaligned", (), "weiß")


def test_a_linked_word_is_not_tagged():
    source, target, _ = DONT
    assert tagger().tag(document([KNOW, (source, target, "0-0 1-1:.1")])) == []


def test_the_segment_itself_is_no_context():
    source, _, _ = DONT
    twice = "weiß/VERB lemma=wissen | weiß/VERB lemma=wissen"
    assert tagger().tag(document([NEUTRAL, (source, twice, "")])) == []


@pytest.mark.parametrize(
    ("upos", "tagged"), [("VERB", 1), ("NOUN", 1), ("PROPN", 1), ("PRON", 1), ("AUX", 0), ("ADV", 0)]
)
def test_only_verbs_nouns_names_and_pronouns_are_tagged(upos: str, tagged: int):
    source, _, _ = DONT
    word = f"wort/{upos}"
    assert len(tagger().tag(document([("x/X", word, ""), (source, word, "")]))) == tagged


def test_the_window_bounds_the_distance():
    far = document([KNOW, NEUTRAL, NEUTRAL, DONT])
    assert len(tagger(window=3).tag(far)) == 1
    assert tagger(window=2).tag(far) == []


def test_the_local_variant_asks_for_a_word_beside_the_translation_of_what_is_left_over():
    source = "I/PRON >1 :nsubj | do/AUX :root | n't/PART >1 | ./PUNCT >1"
    beside = "Ich/PRON >1 | weiß/VERB lemma=wissen | nicht/PART >1 | Freund/NOUN >4 | kam/VERB"
    doc = document([("x/X | x/X", "Freund/NOUN | wissen/VERB lemma=wissen", ""), (source, beside, "0-0 2-2")])
    local = EllipsisTagger(load_rule_detector("en"), local=True)
    assert [found.expected for found in local.tag(doc)] == ["weiß"]
    assert [found.expected for found in tagger().tag(doc)] == ["weiß", "Freund"]
    assert local.signature != tagger().signature


def test_the_local_variant_gives_no_verb_for_a_missing_noun():
    source = "He/PRON >1 :nsubj | took/VERB :root | two/NUM >1 :obj | ./PUNCT >1"
    target = "Er/PRON >3 | zwei/NUM >2 | Birnen/NOUN lemma=Birne >3 | nahm/VERB lemma=nehmen"
    doc = document([("x/X", "Birne/NOUN lemma=Birne | nehmen/VERB lemma=nehmen", ""), (source, target, "0-0 2-1")])
    local = EllipsisTagger(load_rule_detector("en"), local=True)
    assert [found.expected for found in local.tag(doc)] == ["Birnen"]


def test_neither_speaker_nor_hearer_is_a_noun_that_is_left_out():
    source = "Mine/PRON >2 :nsubj | is/AUX >2 :cop | red/ADJ :root | ./PUNCT >2"
    target = "Mir/PRON lemma=ich Person=1 >3 | das/PRON lemma=das Person=3 >3 | Rote/ADJ >3 | gehört/X"
    known = ("x/X", "ich/PRON lemma=ich | das/PRON lemma=das", "")
    local = EllipsisTagger(load_rule_detector("en"), local=True)
    assert [found.expected for found in local.tag(document([known, (source, target, "0-3")]))] == ["das"]


def test_a_fragment_lacks_its_verb():
    source = "To/ADP >2 :case | the/DET >2 :det | town/NOUN :root | !/PUNCT >2"
    target = "Geh/VERB lemma=gehen | zur/ADP >2 | Stadt/NOUN lemma=Stadt >0 | hin/NOUN lemma=hin >0"
    known = ("x/X", "gehen/VERB lemma=gehen | hin/NOUN lemma=hin", "")
    local = EllipsisTagger(load_rule_detector("en"), local=True)
    assert [found.expected for found in local.tag(document([known, (source, target, "0-1 2-2")]))] == ["Geh"]


ALONE = "I/PRON >1 :nsubj | do/AUX :root | n't/PART >1 | ./PUNCT >1"


@pytest.mark.parametrize(("starts", "tagged"), [((0,), ["weiß"]), ((0, 2), [])], ids=["its own", "another"])
def test_what_is_left_out_comes_back_in_the_sentence_that_translates_its_own(
    starts: tuple[int, ...], tagged: list[str]
):
    source = f"{ALONE} | You/PRON >5 :nsubj | know/VERB :root | him/PRON >5 :obj | ./PUNCT >5"
    target = "Ich/PRON | nein/X | du/PRON >6 | kennst/X | ihn/PRON >6 | so/ADV >6 | weiß/VERB lemma=wissen"
    known = ("x/X", "wissen/VERB lemma=wissen", "")
    # A wrong link takes "do" into the second sentence.
    doc = document([known, (source, target, "0-0 1-5 2-1 4-2 5-3 6-4")])
    doc = replace(
        doc,
        source=(doc.source[0], replace(doc.source[1], sentences=(0, 4))),
        target=(doc.target[0], replace(doc.target[1], sentences=starts)),
    )
    found = EllipsisTagger(load_rule_detector("en"), local=True).tag(doc)
    assert [each.expected for each in found] == tagged


def test_a_word_of_another_clause_stands_not_beside_what_is_left_over():
    target = "Ich/PRON >2 | nicht/PART >2 | mag/VERB lemma=mögen | weil/SCONJ >4 | regnet/VERB lemma=regnen >2 :advcl"
    doc = document([("x/X", "regnen/VERB | mögen/VERB", ""), (ALONE, target, "0-0 2-1")])
    assert [found.expected for found in EllipsisTagger(load_rule_detector("en"), local=True).tag(doc)] == ["mag"]


@pytest.mark.parametrize(
    ("links", "tagged"),
    [("0-0", []), ("0-0 5-4", ["weiß"])],
    ids=["its own source word has no link", "its source word is linked elsewhere"],
)
def test_a_word_whose_known_source_word_stands_there_unlinked_has_lost_its_link(links: str, tagged: list[str]):
    source = f"{ALONE} | You/PRON >5 :nsubj | know/VERB lemma=know >1 :parataxis"
    target = "Ich/PRON >2 | nicht/PART >2 | weiß/VERB lemma=wissen | ,/PUNCT >2 | kenne/VERB lemma=kennen >2 :parataxis"
    earlier = ("know/VERB lemma=know", "wissen/VERB lemma=wissen", "0-0")
    found = EllipsisTagger(load_rule_detector("en"), local=True).tag(document([earlier, (source, target, links)]))
    assert [each.expected for each in found] == tagged


def test_a_subject_is_not_left_out_where_the_source_has_one():
    target = "Sie/PRON lemma=sie >1 :nsubj | weiß/VERB lemma=wissen | es/PRON lemma=es >1 :obj"
    known = ("x/X", "sie/PRON lemma=sie | es/PRON lemma=es", "")
    local = EllipsisTagger(load_rule_detector("en"), local=True)
    assert [found.expected for found in local.tag(document([known, (ALONE, target, "1-1")]))] == ["es"]


@pytest.mark.parametrize(("links", "tagged"), [("1-1", []), ("1-1 4-3", ["es"])], ids=["without a link", "linked"])
def test_an_object_that_the_source_has_without_a_link_is_not_left_out(links: str, tagged: list[str]):
    source = f"{ALONE} | it/PRON Person=3 >1 :obj"
    target = "Ich/PRON >1 | weiß/VERB lemma=wissen | es/PRON lemma=es Person=3 >1 :obj | x/X"
    local = EllipsisTagger(load_rule_detector("en"), local=True)
    found = local.tag(document([("x/X", "es/PRON lemma=es", ""), (source, target, links)]))
    assert [each.expected for each in found] == tagged


def test_empty_segments_are_passed_over():
    assert tagger().tag(document([("", "", ""), KNOW, ("", "", "")])) == []


@dataclass(frozen=True)
class _Shorts:
    """A detector that takes short texts for elliptical."""

    signature: str = "shorts-1"

    def detect_many(self, texts: Sequence[AnnotatedText]) -> list[list[EllipsisSite]]:
        return [[EllipsisSite("sentence", ())] if len(text.tokens) < 5 else [] for text in texts]


def test_a_detector_plugs_in():
    short = EllipsisTagger(_Shorts())
    assert [found.rule for found in short.tag(document([KNOW, DONT]))] == ["sentence"]
    assert short.tag(document([KNOW, FULL])) == []
    assert "shorts-1" in short.signature


def test_signatures_tell_variants_apart():
    taggers = [
        tagger(),
        tagger(3),
        EllipsisTagger(None),
        EllipsisTagger(None, 3),
        EllipsisTagger(_Shorts()),
    ]
    assert len({each.signature for each in taggers}) == len(taggers)


def test_options_choose_the_variant():
    only = ("ellipsis",)
    (classifier,) = make_taggers("de", TaggerOptions(only))
    (unaligned,) = make_taggers("de", TaggerOptions(only, ellipsis="unaligned"))
    doc = document([KNOW, FULL])
    assert (len(classifier.tag(doc)), len(unaligned.tag(doc))) == (0, 1)


def test_a_source_language_without_rules_is_refused():
    with pytest.raises(InputError, match=r"E066.*--phenomenon"):
        make_taggers("en", TaggerOptions(("ellipsis",)), source_language="de")
    assert make_taggers("en", TaggerOptions(("ellipsis",), ellipsis="unaligned"), source_language="de")


def test_words_that_the_rules_call_empty_say_nothing_of_what_is_left_out():
    common = "content_words: {upos: [NOUN], boundary: +, source: grammar}\n"
    empty = "ellipsis: {except_lemmas: [machen], source: grammar}"
    full, bare = (rules(common + own) for own in (empty, ""))
    known = ("I/PRON >1 :nsubj | run/VERB", "ich/PRON | mache/VERB lemma=machen+e", "0-0 1-1")
    source = "you/PRON >1 :nsubj | do/AUX | not/PART >1 :advmod"
    segments = [known, (source, "du/PRON | nicht/PART | machst/VERB lemma=machen+st >0", "0-0 2-1")]
    detector = load_rule_detector("en")
    found = [EllipsisTagger(detector, local=True, target=one).tag(document(segments)) for one in (bare, full)]
    assert [[occurrence.expected for occurrence in each] for each in found] == [["machst"], []]
    assert EllipsisTagger(detector, target=full).signature != EllipsisTagger(detector).signature
