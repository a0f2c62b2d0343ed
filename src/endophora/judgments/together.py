"""What several texts of one source say together of the nouns that its pronouns stand for.

A text's own pronoun is no evidence of what it should be; those of the other texts are. Where these differ in a noun's
gender, and their pronouns with it, that noun is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp, log2
from typing import NamedTuple

from endophora.corefer.target import marked_ratios
from endophora.judgments.agreement import stands_for
from endophora.judgments.records import Choice, Choices, Place

HEARD = 3
"""Other texts, with a pronoun in the place and a translation of the noun, from which they are heard."""

_MOST = 0.5
"""Part of these that must agree with their own translation of a noun, for it to be the one."""

_Found = tuple[tuple[Place, float], ...]


def heard_by(texts: int) -> int:
    """Return how many others each of so many texts is judged with."""
    return texts - 1 if texts > HEARD else 0


class _Shown(NamedTuple):
    """A text's pronoun in one place, and its translations of the nouns that it may stand for."""

    choice: Choice
    nouns: tuple[tuple[int, str, str] | None, ...]

    def agreements(self) -> list[bool | None]:
        """Return for each noun whether the pronoun may stand for it; None where nothing tells."""
        return [noun and stands_for(self.choice, *noun[1:]) for noun in self.nouns]


def heard_together(texts: Sequence[Choices]) -> list[Choices]:
    """Return each text's choices, with the probabilities of antecedents that the other texts leave.

    A noun with which less than half of the others' pronouns agree is left out: either it is not meant, or most texts
    are wrong, and nothing tells which. With fewer than :data:`HEARD` others everything stays as it is.
    """
    if not heard_by(len(texts)):
        return list(texts)
    places = {place for text in texts for place in text.antecedents}
    heard = [dict(text.antecedents) for text in texts]
    for place in places:
        found = next(text.antecedents[place] for text in texts if place in text.antecedents)
        shown = [_shown(text, place, found) for text in texts]
        for at, own in enumerate(heard):
            if place in own:
                # Equal translations are one: two versions of a system vouch for each other's errors.
                others = {one: None for k, one in enumerate(shown) if one is not None and k != at}
                own[place] = _reweighed(found, list(others))
    return [replace(text, antecedents=own) for text, own in zip(texts, heard, strict=True)]


def _shown(text: Choices, place: Place, found: _Found) -> _Shown | None:
    choices = text.of("pronouns", place[0], place[1:])
    return _Shown(choices[0], tuple(text.nouns.get(noun) for noun, _ in found)) if len(choices) == 1 else None


def _reweighed(found: _Found, others: Sequence[_Shown]) -> _Found:
    """Return the nouns that a pronoun may stand for, most probable first, as the pronouns of other texts leave them.

    The texts are not independent, so that their mean counts as that of the logarithm of their number. A form that may
    stand for no noun (*es*) says nothing: a translator that knows no context writes it everywhere.
    """
    agreements = [one.agreements() for one in others]
    marked = [row for one, row in zip(others, agreements, strict=True) if one.choice.about != "unmarked"]
    agree, disagree = marked_ratios()
    weight = log2(1 + len(marked)) / len(marked) if len(marked) >= HEARD else 0.0
    weighed: list[tuple[Place, float]] = []
    out = set[Place]()
    for at, (noun, probability) in enumerate(found):
        said = [row[at] for row in agreements if row[at] is not None]
        ratio = sum(agree if row[at] else disagree for row in marked if row[at] is not None)
        if len(said) >= HEARD and sum(map(bool, said)) < _MOST * len(said):
            out.add(noun)
            ratio = min(ratio, 0.0)
        weighed.append((noun, probability * exp(ratio * weight)))
    whole = 1.0 - sum(probability for _, probability in found) + sum(probability for _, probability in weighed)
    weighed.sort(key=lambda one: -one[1])
    return tuple((noun, round(probability / whole, 3)) for noun, probability in weighed if noun not in out)
