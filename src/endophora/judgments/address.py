"""What a target text shows of its levels of address, and where words of address stand that have lost their link."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from endophora.annotate.records import Token
from endophora.judgments.records import POSSIBLE, Choice, Choices, Place
from endophora.judgments.speech import conversations
from endophora.languages.schema import PluralAddress, Words
from endophora.phenomena.formality import FormalityTagger
from endophora.phenomena.records import AnnotatedDocument, subjects, verb_group

PLURAL = "plural"
"""What a plural shows that may be that of any level: nothing else."""

_OBJECTS = ("obj", "iobj", "obl")
_MARGIN = 3
"""Target tokens by which a word may stand outside of what its neighbours are linked to: clitics move."""
_NEAR = 6
"""Source tokens on either side of a word whose links say where its translation stands."""


def levels(document: AnnotatedDocument, tagger: FormalityTagger) -> Iterator[Choice]:
    """Yield the words of address of a document, and those that would be some if someone were addressed."""
    spoken, told, second = conversations(document.target), set[Place](), tagger.persons.second

    def choice(name: str, segment: int, index: int, level: str, linked: tuple[int, ...], about: str) -> Choice:
        number = _number(document.target[segment].tokens[index].form.lower(), level, tagger.plural)
        near = _near(document.source[segment].tokens, linked, second)
        return Choice(name, segment, linked, (index,), level, about, number=number, near=near)

    found: list[Choice] = []
    for segment, index, level, linked, _ in tagger.words(document, evident=True):
        told.add((segment, index))
        found.append(choice("formality", segment, index, level, linked, str(spoken[segment][index] or "")))
    for segment, index, level, linked in tagger.possible(document):
        if (segment, index) not in told:
            found.append(choice(POSSIBLE, segment, index, level, linked, ""))
    known = [one for one in found if one.number in ("Sing", "Plur") and one.phenomenon == "formality"]
    for one in found:
        yield one if one.number or not tagger.plural else one._replace(number=_nearest(one, known))


def _nearest(choice: Choice, known: Sequence[Choice]) -> str:
    """Return the number of the nearest word of address of one level, for a word that tells none (*su*)."""
    alike = [one for one in known if one.shown == choice.shown]
    place = choice.segment, choice.target_tokens[0]
    return min(
        ((abs(one.segment - place[0]), abs(one.target_tokens[0] - place[1]), one.number) for one in alike),
        default=(0, 0, ""),
    )[2]


def _number(form: str, level: str, rule: PluralAddress | None) -> str:
    if rule is None or (level == rule.level and rule.either and re.search(rule.either, form)):
        return ""
    if level == rule.level:
        return "Plur" if re.search(rule.pattern, form) else "Sing"
    return "Own" if rule.other and re.search(rule.other, form) else "Sing"


def _near(tokens: Sequence[Token], linked: Sequence[int], second: Words) -> tuple[int, ...]:
    """Return the other source words that tell whom some words address; none for what is linked to an object."""
    found: set[int] = set()
    for index in linked:
        token = tokens[index]
        if token.form.lower() in second:
            found.update(
                verb_group(tokens, token.head) if token.relation.startswith("nsubj") and token.head >= 0 else ()
            )
            continue
        group = verb_group(tokens, index)
        told = [at for at in subjects(tokens, group) if tokens[at].form.lower() in second]
        found.update((*told, *group) if told else ())
        found.update(
            at
            for at, one in enumerate(tokens)
            if not told and one.head == index and one.form.lower() in second and one.relation.startswith(_OBJECTS)
        )
    return tuple(sorted(found - set(linked)))


def in_clause(choices: Choices, asked: Choice) -> list[Choice]:
    """Return a text's words of address for another text's word, by the verb and the person that it belongs to."""
    place = asked.segment, asked.near
    own = set(asked.source_tokens)
    found = choices.of("formality", *place) or choices.of(POSSIBLE, *place)
    return found or [
        one for one in choices.by_segment.get(("formality", asked.segment), ()) if not own.isdisjoint(one.near)
    ]


def is_near(token: int, source_tokens: Sequence[int], links: Sequence[tuple[int, int]]) -> bool:
    """Return whether a target word stands between the translations of what is around some source words.

    Where too little around them is translated, any place is near.
    """
    first, last = min(source_tokens), max(source_tokens)
    before = max((link for link in links if first - _NEAR <= link[0] < first), default=None)
    after = min((link for link in links if last < link[0] <= last + _NEAR), default=None)
    places = [link[1] for link in (before, after) if link is not None]
    return not places or min(places) - _MARGIN <= token <= max(places) + _MARGIN


def shown_level(choice: Choice, choices: Choices) -> str:
    """Return the level that a word of address of a text shows; :data:`PLURAL` for a plural of any level."""
    return PLURAL if choice.number == "Plur" and not choices.tells_plurals else choice.shown
