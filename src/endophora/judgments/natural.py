"""The judgment of pronouns into English: *he*, *she*, *it* or *they*, by person or thing, gender and number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from endophora.annotate.records import NOUNS
from endophora.corefer.natural import ALL, HE, IT, SHE, THEY, Kinds
from endophora.judgments.records import Choice, Judgment, Place
from endophora.phenomena.natural_pronouns import NaturalPronounTagger
from endophora.phenomena.records import AnnotatedDocument, sources_of, targets_of, verb_group

_PERSONS = frozenset({HE, SHE})


def natural_pronouns(document: AnnotatedDocument, tagger: NaturalPronounTagger) -> Iterator[Choice]:
    """Yield what a text's personal pronouns show; ``certain`` is 1 where it is the source's only translation."""
    for found in tagger.pronouns(document):
        told = float(found.told == found.shown or found.shown not in ALL)
        near = _governors(document, found.segment, found.target)
        place = found.segment, found.source, (found.target,)
        yield Choice("pronouns", *place, found.shown, found.role, certain=told, near=near)


def _governors(document: AnnotatedDocument, segment: int, pronoun: int) -> tuple[int, ...]:
    """Return the source words that a pronoun's verb, or the noun it possesses, translates; none of a passive."""
    target = document.target[segment].tokens
    token = target[pronoun]
    if token.head < 0 or token.relation.startswith("nsubj:pass"):
        return ()
    group = verb_group(target, token.head)
    return tuple(sorted({at for one in group for at in sources_of(one, document.links[segment])[:1]}))


def natural_nouns(
    document: AnnotatedDocument, segments: Sequence[int], kinds: Kinds
) -> Iterator[tuple[Place, tuple[int, str, str]]]:
    """Yield source nouns with their translation: its token, the pronouns that may take it up, and its number."""
    for segment in segments:
        links, target = document.links[segment], document.target[segment].tokens
        for index, token in enumerate(document.source[segment].tokens):
            for place in targets_of(index, links)[:1] if token.upos in NOUNS else ():
                known = kinds.pronouns(target, place, token) if target[place].upos in NOUNS else ALL
                if known != ALL:  # a noun of which nothing is known agrees with anything
                    yield (segment, index), (place, ",".join(sorted(known)), target[place].features.get("Number", ""))


def judge_natural(asked: str, found: Choice, noun: tuple[Place, tuple[int, str, str]] | None) -> Judgment:
    """Judge a pronoun against the reference's.

    Args:
        asked: what the reference has.
        noun: the antecedent's place, and its translation in the text that is judged.
    """
    suits, places = ALL, tuple[Place, ...]()
    if noun is not None:
        (segment, _), (token, written, _) = noun
        suits, places = frozenset(written.split(",")), ((segment, token),)
    shown = found.shown, found.target_tokens, places
    if found.shown == asked:
        return Judgment("right", asked, *shown, why="the pronoun for the antecedent")
    if found.certain and found.shown in ALL:
        return Judgment("other", asked, *shown, why="what the source's pronoun says")
    if _PERSONS.issuperset({asked, found.shown}):
        if asked in suits and found.shown not in suits:
            return Judgment("wrong", asked, *shown, why="the antecedent's gender is another")
        return Judgment("other", asked, *shown, why="the antecedent does not tell its gender")
    if THEY in {asked, found.shown} and found.shown in suits:
        return Judgment("other", asked, *shown, why="another number, which the antecedent allows")
    if {asked, found.shown} == {IT, THEY} and noun is not None and not noun[1][2]:
        return Judgment("other", asked, *shown, why="the antecedent shows no number")
    if IT in {asked, found.shown} and noun is not None and {asked, found.shown} <= suits and suits != ALL:
        return Judgment("other", asked, *shown, why="the antecedent may be a person or a thing")
    return Judgment("wrong", asked, *shown, why="does not stand for the antecedent")
