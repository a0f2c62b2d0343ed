"""Which noun a pronoun is believed to stand for, and what the noun's translation must be: worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from handmade import document, resolution, rules

from endophora.phenomena.antecedents import Belief, believed, by_coreference, by_possessed
from endophora.phenomena.item_details import details_of
from endophora.phenomena.pronoun_cases import Pair
from endophora.phenomena.records import Occurrence, Support
from endophora.phenomena.verdicts import Reason

RULES = rules(
    """\
extraction:
  gender:
    - {label: NOM.*, english: [it], forms: {FEM.SING: sie}, source: grammar}
"""
)
(CASE,) = RULES.extracted.gender[0].cases()
IT = ("It/PRON >1 :nsubj | broke/VERB", "Sie/PRON >1 :nsubj | brach/VERB", "0-0 1-1")
LAMP = ("the/DET >1 :det | lamp/NOUN Number=Sing", "die/DET >1 | Lampe/NOUN Gender=Fem Number=Sing", "0-0 1-1")
VASE = ("the/DET >1 :det | vase/NOUN", "die/DET >1 | Vase/NOUN Gender=Fem Number=Sing", "0-0 1-1")
ACME = ("Acme/PROPN", "Acme/PROPN", "0-0")
SEGMENTS = [LAMP, VASE, LAMP, ACME, IT]


def pair(segment: int, source: int = 0, target: int = 0) -> Pair:
    return Pair(CASE, segment, source, (target,), Reason.HIT, False)


BELIEFS = {
    "one that is likely enough": ([(0, 1, 0.5)], Belief(0.5), (0, 1), 0.5),
    "one that is not": ([(0, 1, 0.49)], Belief(0.5), None, 0.49),
    "none": ([], Belief(0.1), None, 0.0),
    "mentions of one noun together, the nearest": ([(0, 1, 0.3), (2, 1, 0.2)], Belief(0.5), (2, 1), 0.5),
    "the nearest that is half as likely": ([(0, 1, 0.4), (2, 1, 0.2)], Belief(0.5), (2, 1), 0.6),
    "the nearest is less than half as likely": ([(0, 1, 0.5), (2, 1, 0.2)], Belief(0.5), (0, 1), 0.7),
    "the more likely of two nouns": ([(1, 1, 0.3), (0, 1, 0.2), (2, 1, 0.2)], Belief(0.3), (2, 1), 0.4),
    "a share of all nouns": ([(0, 1, 0.6), (1, 1, 0.19)], Belief(0.5, 0.75), (0, 1), 0.6),
    "less than its share": ([(0, 1, 0.6), (1, 1, 0.25)], Belief(0.5, 0.75), None, 0.6),
    "a name beside it": ([(0, 1, 0.6), (3, 0, 0.09)], Belief(0.5, 0.0, 0.1), (0, 1), 0.6),
    "a name that rivals it": ([(0, 1, 0.6), (3, 0, 0.1)], Belief(0.5, 0.0, 0.1), None, 0.6),
    "a name itself": ([(3, 0, 0.6), (0, 1, 0.3)], Belief(0.5, 0.0, 0.1), (3, 0), 0.6),
    "names do not rival by default": ([(0, 1, 0.6), (3, 0, 0.4)], Belief(0.5), (0, 1), 0.6),
}


@pytest.mark.parametrize("case", BELIEFS)
def test_a_noun_is_believed_to_be_the_antecedent(case: str):
    candidates, belief, place, probability = BELIEFS[case]
    found, mass = believed(document(SEGMENTS), resolution(4, 0, *candidates), belief)
    assert (found and (found.segment, found.head)) == place
    assert mass == pytest.approx(probability)


def test_barred_and_impossible_nouns_are_left_out_but_names_among_them_still_rival():
    made, found = document(SEGMENTS), resolution(4, 0, (0, 1, 0.6), (1, 1, 0.2), (3, 0, 0.2))
    assert believed(made, None, Belief(0.1)) == (None, 0.0)
    barred, mass = believed(made, found, Belief(0.1), barred={"lamp", "acme"})
    assert (barred and barred.segment, mass) == (1, 0.2)
    assert believed(made, found, Belief(0.1, names=0.2), barred={"lamp", "acme"}) == (None, 0.2)
    asked: list[tuple[int, int]] = []

    def possible(segment: int, head: int) -> bool:
        asked.append((segment, head))
        return segment == 1

    alone, mass = believed(made, found, Belief(0.1, 1.0, 0.2), possible=possible)
    assert (alone and alone.segment, mass) == (1, 0.2)
    assert asked == [(0, 1), (1, 1), (3, 0)]


def earlier(source: str = LAMP[0], target: str = LAMP[1], links: str = LAMP[2]) -> tuple[str, str, str]:
    return source, target, links


TRANSLATIONS = {
    "of the right gender and number": (earlier(), Reason.HIT),
    "of several genders": (earlier(target="die/DET >1 | Lampe/NOUN Gender=Masc,Fem Number=Sing"), Reason.HIT),
    "of another gender": (earlier(target="der/DET >1 | Strahl/NOUN Gender=Masc Number=Sing"), Reason.HEAD_GENDER),
    "of no gender": (earlier(target="der/DET >1 | Strahl/NOUN Number=Sing"), Reason.HEAD_GENDER),
    "of another number": (earlier(target="die/DET >1 | Lampen/NOUN Gender=Fem Number=Plur"), Reason.HEAD_NUMBER),
    "of no number": (earlier(target="die/DET >1 | Lampen/NOUN Gender=Fem"), Reason.HEAD_NUMBER),
    "a verb": (earlier(target="sie/PRON >1 | leuchtet/VERB Gender=Fem Number=Sing"), Reason.HEAD_UPOS),
    "written as in English with a capital": (
        earlier("the/DET >1 | Vienna/NOUN", "die/DET >1 | Vienna/NOUN Gender=Fem Number=Sing"),
        Reason.HEAD_UPOS,
    ),
    "written as in English without one": (
        earlier("the/DET >1 | radio/NOUN", "la/DET >1 | radio/NOUN Gender=Fem Number=Sing"),
        Reason.HIT,
    ),
    "linked by its article alone": (
        earlier(target="die/DET >1 :det | Lampe/NOUN Gender=Fem Number=Sing", links="1-0"),
        Reason.HIT,
    ),
    "an adjective as a noun": (earlier(target="die/DET >1 | Tote/ADJ Gender=Fem Number=Sing :obj"), Reason.HIT),
    "an adverb": (earlier(target="die/DET >1 | dort/ADV Gender=Fem Number=Sing :obj"), Reason.HEAD_UPOS),
    "without a link": (earlier(links=""), Reason.NO_LINK),
    "with a sure link": (earlier(links="1-1:.25"), Reason.HIT),
    "with a doubtful link": (earlier(links="1-1:.24"), Reason.NO_LINK),
    "with one sure link and a doubtful one": (earlier(links="0-1:.1 1-1:.3"), Reason.HIT),
}


@pytest.mark.parametrize("case", TRANSLATIONS)
def test_the_translation_of_the_noun_must_agree(case: str):
    segment, reason = TRANSLATIONS[case]
    made = document([segment, IT])
    found, support = by_coreference(made, pair(1), resolution(1, 0, (0, 1, 0.9)), Belief(0.5))
    assert found is reason
    assert (support is not None) is (reason is Reason.HIT)


def test_support_is_the_mention_and_its_translation():
    made = document([ACME, LAMP, ACME, IT])
    told = resolution(3, 0, (1, 1, 0.7), (1, 1, 0.6))
    told = replace(told, antecedents=tuple(replace(one, tokens=(0, 1)) for one in told.antecedents))
    reason, support = by_coreference(made, pair(3), told, Belief(0.5))
    assert reason is Reason.HIT
    assert support == Support(((1, 0), (1, 1)), ((1, 0), (1, 1)), 2, 1.0)  # no probability is above 1
    assert by_coreference(made, pair(3), None, Belief(0.5)) == (Reason.NO_CHAIN, None)
    assert by_coreference(made, pair(3), resolution(3, 0, (0, 0, 0.9)), Belief(0.5)) == (Reason.NO_NOUN, None)
    assert by_coreference(made, pair(3), told, Belief(0.5), {"lamp"}) == (Reason.NO_CHAIN, None)
    assert by_coreference(made, pair(3), told, Belief(0.5), frozenset(), lambda *_: False) == (Reason.NO_CHAIN, None)


MINE = ("Mine/PRON >1 :nsubj | broke/VERB", "Meine/PRON >1 :nsubj | brach/VERB", "0-0 1-1")
CAR = (
    "his/PRON >2 :nmod:poss | old/ADJ >2 :amod | car/NOUN >3 :nsubj | hit/VERB | a/DET >5 | wall/NOUN >3 :obj",
    "sein/DET >2 | altes/ADJ >2 | Auto/NOUN Gender=Fem Number=Sing >3 | traf/VERB | die/DET >5"
    " | Wand/NOUN Gender=Fem Number=Sing >3",
    "0-0 1-1 2-2 3-3 4-4 5-5",
)
WALL = ("a/DET >1 :det | wall/NOUN >2 :nsubj | fell/VERB", "die/DET >1 | Wand/NOUN Gender=Fem Number=Sing", "0-0 1-1")


def test_a_possessive_stands_for_the_nearest_noun_with_a_possessor_or_else_for_the_nearest():
    owned = Support(((0, 0), (0, 1), (0, 2)), ((0, 0), (0, 1), (0, 2)), 2, 1.0)
    assert by_possessed(document([CAR, WALL, MINE]), pair(2), 5) == (Reason.HIT, owned)
    assert by_possessed(document([CAR, WALL, MINE]), pair(2), 2) == (Reason.HIT, owned)
    near = Support(((1, 0), (1, 1)), ((1, 0), (1, 1)), 1, 1.0)
    assert by_possessed(document([CAR, WALL, MINE]), pair(2), 1) == (Reason.HIT, near)
    assert by_possessed(document([WALL, WALL, MINE]), pair(2), 5) == (Reason.HIT, near)
    assert by_possessed(document([WALL, MINE]), pair(1), 0) == (Reason.NO_CHAIN, None)


@pytest.mark.parametrize(
    ("noun", "found"),
    [
        ("wall/NOUN >2 :nsubj:pass", True),
        ("wall/NOUN :dep", True),  # without a head it is the predicate
        ("wall/NOUN >2 :conj", True),
        ("wall/NOUN >2 :nmod", False),
        ("Wall/PROPN >2 :nsubj", False),
    ],
)
def test_a_possessive_stands_for_subjects_objects_and_predicates(noun: str, found: bool):
    made = document([(f"a/DET >1 :det | {noun} | fell/VERB", WALL[1], WALL[2]), MINE])
    assert by_possessed(made, pair(1), 5)[0] is (Reason.HIT if found else Reason.NO_CHAIN)


def test_in_its_own_segment_only_what_stands_before_a_possessive_is_looked_at():
    target = "die/DET >1 | Wand/NOUN Gender=Fem Number=Sing | ist/AUX | meine/PRON"
    before = ("the/DET >1 :det | wall/NOUN >3 :nsubj | is/AUX >3 :cop | mine/PRON", target, "0-0 1-1 3-3")
    after = ("mine/PRON >3 :nsubj | is/AUX >3 :cop | a/DET >3 :det | wall/NOUN", target, "3-1")
    reason, support = by_possessed(document([before]), pair(0, 3, 3), 5)
    assert (reason, support) == (Reason.HIT, Support(((0, 0), (0, 1)), ((0, 0), (0, 1)), 0, 1.0))
    assert by_possessed(document([after]), pair(0, 0, 3), 5) == (Reason.NO_CHAIN, None)
    for relation in ("nmod:poss", "det"):
        with_noun = (before[0].replace("mine/PRON", f"mine/PRON :{relation}"), *before[1:])
        assert by_possessed(document([with_noun]), pair(0, 3, 3), 5) == (Reason.NO_NOUN, None)


def test_details_of_gender_are_those_of_heads_phrases_and_segments():
    made = document([LAMP, ACME, IT])
    support = Support(((0, 0), (0, 1)), ((0, 0), (0, 1)), 2, 0.9)
    found = Occurrence("d", 2, "gender", "NOM.FEM.SING", (0,), (0,), "Sie", support)
    assert list(details_of(found, made).items()) == [
        ("src pronoun", "it"),
        ("expected", "sie"),
        ("ante distance", 2),
        ("intrasegmental", False),
        ("ref ante head", "Lampe"),
        ("ref ante head gender", "Fem"),
        ("ref ante head lemma", "lampe"),
        ("ref ante head morpho", "Gender=Fem|Number=Sing"),
        ("ref ante head pos", "NOUN"),
        ("ref ante head number", "Sing"),
        ("ref ante phrase", "die Lampe"),
        ("ref segment", "Sie brach"),
        ("ref ante segment", "die Lampe"),
        ("src ante head", "lamp"),
        ("src ante head gender", ""),
        ("src ante head lemma", "lamp"),
        ("src ante head morpho", "Number=Sing"),
        ("src ante head pos", "NOUN"),
        ("src ante head number", "Sing"),
        ("src ante phrase", "the lamp"),
        ("src segment", "It broke"),
        ("src ante segment", "the lamp"),
    ]
    with pytest.raises(ValueError, match="without support"):
        details_of(replace(found, support=None), made)


def test_noun_of_the_pronouns_own_segment_must_be_more_likely():
    same = ("the/DET >1 :det | lamp/NOUN Number=Sing | it/PRON Number=Sing", "Lampe/NOUN Gender=Fem Number=Sing", "1-0")
    made = document([LAMP, same])
    belief = Belief(0.25, here=0.45)
    here, before = (resolution(1, 2, (segment, 1, 0.4)) for segment in (1, 0))
    assert believed(made, here, belief)[0] is None
    assert believed(made, before, belief)[0] is not None
    both = resolution(1, 2, (0, 1, 0.2), (1, 1, 0.2))  # spoken of before as well
    assert believed(made, both, belief)[0] is not None
