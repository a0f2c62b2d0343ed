"""The verb that a text restores where its source leaves one out, and whether the text has said it, written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from handmade import document

from endophora.judgments.restored import restored
from endophora.languages.schema import EllipsisWords
from endophora.phenomena.ellipsis_rules import EllipsisSite

HE_SANG = ("he/PRON >1 :nsubj | sang/VERB lemma=sing", "er/PRON >1 :nsubj | sang/VERB lemma=singen", "0-0 1-1")
RAIN = ("rain/NOUN", "Regen/NOUN", "0-0")
HE_SAYS_SHE_SANG = (
    "he/PRON >1 :nsubj | says/VERB lemma=say | she/PRON >3 :nsubj | sang/VERB lemma=sing >1 :ccomp",
    "er/PRON >1 :nsubj | sagt/VERB lemma=sagen | sie/PRON >3 :nsubj | sang/VERB lemma=singen >1 :ccomp",
    "0-0 1-1 2-2 3-3",
)
I_KNEW_YOU_SANG = (
    "I/PRON >1 :nsubj Person=1 | knew/VERB lemma=know | you/PRON >3 :nsubj Person=2 | sang/VERB lemma=sing >1 :ccomp",
    "ich/PRON >1 :nsubj | wusste/VERB lemma=wissen | du/PRON >3 :nsubj | sangst/VERB lemma=singen >1 :ccomp",
    "0-0 1-1 2-2 3-3",
)
I_DID = "I/PRON >1 :nsubj | did/AUX lemma=do"


class Sites:
    """Says that the last segment leaves out what *did* stands for."""

    words = EllipsisWords(
        pro_verbs=frozenset({"tun"}),
        pro_forms=frozenset({"das"}),
        stranded=frozenset({"können"}),
        particles=frozenset({"auch"}),
        source="written for this test",
    )

    def sites(self, source: Sequence[object]) -> list[list[EllipsisSite]]:
        return [[] for _ in source[1:]] + [[EllipsisSite("verb_phrase", (1,))]]


class Known:
    """Knows a translation of two words."""

    def translates(self, source: str, target: str) -> float:
        return 0.5 if (source, target) in {("sing", "trällern"), ("can", "können")} else 0.0


def about(before: Sequence[tuple[str, str, str]], verb: str, links: str = "0-0") -> list[str]:
    rows = [*before, (I_DID, f"ich/PRON >1 :nsubj | {verb}", links)]
    tools: Any = Sites(), Known()
    return [choice.about for choice in restored(document(rows), *tools)]


@pytest.mark.parametrize(
    ("before", "verb", "expected"),
    [
        ([HE_SANG], "sang/VERB lemma=singen", "said"),
        ([HE_SANG], "besang/VERB lemma=besingen", "said"),  # except for a prefix
        ([HE_SANG, RAIN], "sang/VERB lemma=singen", "said"),  # a segment without a verb is passed over
        ([HE_SANG], "schlief/VERB lemma=schlafen", "new"),
        ([HE_SANG], "trällerte/VERB lemma=trällern", ""),  # known to translate *sing*
        ([HE_SAYS_SHE_SANG], "sang/VERB lemma=singen", "said"),
        ([HE_SAYS_SHE_SANG], "sagte/VERB lemma=sagen", ""),  # a verb that governs a clause
        ([HE_SANG, HE_SAYS_SHE_SANG], "sang/VERB lemma=singen", "said"),
        ([HE_SANG, ("she/PRON >1 | ran/VERB lemma=run", "sie/PRON >1 | lief/VERB lemma=laufen", "1-1")],
         "sang/VERB lemma=singen", ""),  # said, but not last
        ([HE_SANG, RAIN, RAIN, RAIN], "sang/VERB lemma=singen", ""),  # too far back: none is there to answer
        ([HE_SANG], "tat/VERB lemma=tun | das/PRON", "otherwise"),  # a pro-form
        ([HE_SANG], "tat/VERB lemma=tun | ,/PUNCT | das/PRON", "new"),  # no pro-form of another clause
        ([HE_SANG], "war/AUX lemma=sein :cop", "new"),  # no auxiliary of a verb left out
        ([HE_SANG], "tat/VERB lemma=tun", "new"),  # no pro-form without what stands for the clause
        ([I_KNEW_YOU_SANG], "wusste/VERB lemma=wissen", ""),
        ([I_KNEW_YOU_SANG], "sang/VERB lemma=singen", "said"),  # what the hearer did, said of the speaker
    ],
)  # fmt: skip
def test_what_is_restored_was_said_is_new_or_in_doubt(before, verb: str, expected: str):
    assert about(before, verb) == [expected]


def test_a_particle_that_stands_at_the_site_leaves_the_verb_out_as_the_source_does():
    assert about([HE_SANG], "auch/ADV", "0-0 1-1") == ["otherwise"]
    assert about([HE_SANG], "oft/ADV | heute/ADV | auch/ADV") == []


@pytest.mark.parametrize(("said", "verb"), [("va/VERB lemma=aller", "a/VERB lemma=avoir"), ("X/VERB", "abX/VERB")])
def test_a_verb_of_a_letter_or_two_is_no_stem_of_another(said: str, verb: str):
    goes = ("he/PRON >1 | goes/VERB lemma=go", f"il/PRON >1 | {said}", "1-1")
    assert about([goes], verb) == ["new"]
    assert about([goes], said) == ["said"]


def test_a_verb_of_one_chinese_character_is_a_stem():
    goes = ("he/PRON >1 | left/VERB lemma=leave", "他/PRON >1 | 出去/VERB", "1-1")
    assert about([goes], "去/VERB") == ["said"]


@pytest.mark.parametrize(
    ("said", "verb", "expected"),
    [
        ("besprochen", "besprechen", "said"),  # five letters, half of the word
        ("begießen", "beginnen", "new"),  # four, half of the word
    ],
)
def test_of_a_long_verb_five_letters_in_common_are_a_stem(said: str, verb: str, expected: str):
    before = ("he/PRON >1 | talked/VERB lemma=talk", f"er/PRON >1 | {said}/VERB", "1-1")
    assert about([before], f"{verb}/VERB") == [expected]


@pytest.mark.parametrize(("auxiliary", "expected"), [("can/AUX lemma=can", "otherwise"), ("did/AUX lemma=do", "new")])
def test_a_modal_that_stands_alone_leaves_its_verb_out_if_it_translates_the_sources(auxiliary: str, expected: str):
    rows = [HE_SANG, (f"I/PRON >1 :nsubj | {auxiliary}", "ich/PRON >1 :nsubj | kann/VERB lemma=können", "0-0 1-1")]
    tools: Any = Sites(), Known()
    assert [choice.about for choice in restored(document(rows), *tools)] == [expected]


def test_a_verb_that_translates_another_one_restores_nothing():
    rows = [HE_SANG, (f"{I_DID} | slept/VERB lemma=sleep", "ich/PRON >1 | schlief/VERB lemma=schlafen", "0-0 2-1")]
    tools: Any = Sites(), Known()
    assert list(restored(document(rows), *tools)) == []
