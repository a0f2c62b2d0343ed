"""Whether a pronoun agrees with the translation of the noun that it stands for."""

from __future__ import annotations

from collections.abc import Mapping

from endophora.judgments.records import Choice, Choices, Judgment, Place

_FAR = 2
"""How much more probable other nouns must be if a pronoun is to stand for one of them, and not be wrong."""

_GENERIC = "Masc"
"""The gender of a plural of persons of either sex."""

_BEFORE = 1
"""Segments before a pronoun in which the text may have named what it stands for in its own way."""


def agrees(gender: str, shown: str) -> bool:
    """Return whether a noun's gender is one that a pronoun shows; a noun of two genders (``Com,Neut``) has either."""
    return not set(gender.split(",")).isdisjoint(shown.split(","))


def stands_for(found: Choice, gender: str, number: str) -> bool | None:
    """Return whether a pronoun may stand for a noun of some gender and number; None where neither is an error.

    A plural may for a singular: people (*le peuple … ils*), one of several nouns (*un homme et une femme … ils*); its
    gender then need not be the noun's (*la gente … los*), but a feminine is that of the noun.
    A singular of the noun's gender may for a plural: one of several (*von den Steinen … ihn*), and annotators take
    singulars for plurals of the same form (*der Bogen*). A form of both numbers may be the plural, which shows another
    gender or none (*die Haare … sie*).
    """
    about = "Sing" if found.about == "unmarked" else found.about
    suits = agrees(gender, found.shown)
    if (number, about) == ("Sing", "Plur"):
        return suits or (None if agrees(_GENERIC, found.shown) else False)
    return suits or (None if number == "Plur" and about in ("Sing", "either") else False)


def agreement(found: Choice, gender: str, number: str, places: tuple[Place, ...] = ()) -> Judgment:
    """Judge a pronoun by gender and number of its antecedent's translation, which is at the given places."""
    shown = found.shown, found.target_tokens, places
    right = stands_for(found, gender, number)
    if right is None:
        return Judgment("other", gender, *shown, why="the antecedent is translated in another number")
    why = "agrees with the translation of the antecedent" if right else "does not agree with it"
    return Judgment("right" if right else "wrong", gender, *shown, why=why)


def stands_for_own(found: Choice, choices: Choices) -> bool:
    """Return whether a pronoun may stand for a noun that the text has in place of another pronoun, here or just before.

    The text may call a thing otherwise there (*das Werk* of *it*, a book).
    """
    return any(
        place in choices.antecedents
        and found.segment - _BEFORE <= place[0] <= found.segment
        and place[1] not in (found.source_tokens if place[0] == found.segment else ())
        and stands_for(found, gender, number)
        for place, (_, gender, number) in choices.nouns.items()
    )


def is_doubtful(found: Choice, nouns: Mapping[Place, tuple[int, str, str]], antecedents: Mapping[Place, float]) -> bool:
    """Return whether a pronoun that does not agree with the antecedent may well stand for another noun.

    By the source alone, nouns whose translations it agrees with are far more probable than those it contradicts.
    """
    masses = {True: 0.0, False: 0.0}
    for noun, probability in antecedents.items():
        if noun in nouns:
            _, gender, number = nouns[noun]
            masses[bool(stands_for(found, gender, number))] += probability
    return masses[True] > _FAR * masses[False]
