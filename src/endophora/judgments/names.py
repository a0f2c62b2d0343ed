"""Whether two uses of a name in a text are forms of one name: what its place says of case, gender and number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from endophora.annotate.records import Token
from endophora.judgments.words import Endings, is_same_name
from endophora.languages.schema import Declension

_NOMINATIVES = frozenset({"nsubj", "vocative", "root"})


@dataclass(frozen=True, slots=True)
class NameUse:
    """A form of a name, and what its place says of it.

    ``alone`` where it opens a clause as its subject, alone or as who is spoken to; ``nominative`` where its analysis
    agrees with that, or where it is the subject in both texts.
    """

    form: str
    alone: bool = False
    nominative: bool = False
    number: str = ""


def use_of(source: Token, tokens: Sequence[Token], index: int) -> NameUse:
    """Return what a name shows; its number is that of the source, by which one name may have two."""
    token = tokens[index]
    opens = index == 0 or tokens[index - 1].upos in ("PUNCT", "CCONJ")
    alone = opens and token.relation in _NOMINATIVES
    subject = token.relation == source.relation == "nsubj"
    nominative = (alone or subject) and token.features.get("Case") == "Nom"
    return NameUse(token.form, alone, nominative, source.features.get("Number", ""))


def is_one_name(one: NameUse, other: NameUse, declensions: Sequence[Declension]) -> bool:
    """Return whether two uses are forms of one name, of which two nominatives are alike."""
    if not declensions:
        return is_same_name(one.form, other.form)
    if one.alone and other.alone:
        one, other = replace(one, nominative=True), replace(other, nominative=True)
    return is_same_name(one.form, other.form, tuple(_endings(one, other, declensions)))


def all_endings(declensions: Sequence[Declension]) -> tuple[Endings, ...]:
    """Return the endings of two forms of a name of which nothing else is known."""
    return tuple(Endings(every := one.singular | one.plural, every, one.after) for one in declensions)


def _endings(one: NameUse, other: NameUse, declensions: Sequence[Declension]) -> Iterator[Endings]:
    for declension in declensions:
        both = (declension.singular, declension.plural)
        for endings in both if one.number == other.number else (both[0] | both[1],):
            own, others = (endings & declension.nominative if use.nominative else endings for use in (one, other))
            yield Endings(own, others, declension.after)
