"""Whether two words of a text are one: forms of a name, words of one root, compounds with a part in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from endophora.corpus.scripts import unspaced

_ROOT, _PART = 4, 6
"""Letters of a root, and of a part that makes two compounds of one head or modifier the same word."""

_SHORT = 2
"""Letters of a name so short that no more than one may follow it (*Ri*, *Ris*)."""

_ALIKE = 0.6
"""Similarity from which a word of another class counts as a name that the annotator does not know."""

_SPELT = 0.75
"""Similarity above which two words, or parts of compounds, are one name in two spellings, and no two names."""

_ENDING = 2
"""Letters by which the forms of one name may differ at their end."""

_SUFFIX = 3
"""Letters by which a word derived of a name is longer than it."""

_SPELT_LAST = re.compile(r"(?!en in|in en)[aeiouy]([bcdfghjklnpqrtvwxz]) [aeiouy]\1")
"""Two ends that differ in a vowel alone and are no endings: of *Harlan, Harlen*, not of
*mexicanos, mexicanas*, *Demokratin, Demokraten*."""

_VOWELS = frozenset("aeiouyäëïöüáéíóúàèìòùâêîôûãõåæøœ")
_JOINTS = re.compile(r"[-‐‑–'’]")


def is_same_word(one: str, other: str) -> bool:
    """Return whether two lemmas are one word, of one root, or compounds with one part in common."""
    if one == other:
        return True
    if unspaced(one):  # a compound: *全民公投* is a *公投*
        shorter, longer = sorted((one, other), key=len)
        return len(shorter) > 1 and shorter in longer
    size = _common_part(one, other)
    return size >= max(_ROOT, 0.6 * min(len(one), len(other))) or size >= _PART


def is_any_of(words: Sequence[str], known: Set[str]) -> bool:
    """Return whether one of some words is among the known ones, or of the root of one."""
    own = {word.lower() for word in words}
    if not known.isdisjoint(own):
        return True
    joined, without_spaces = _joined(frozenset(known))
    return any(
        is_same_word(one, other)
        for other in own
        # Most words share no root with any of them, and that is seen at once.
        if without_spaces or _shares_root(other, joined)
        for one in known
    )


@lru_cache(maxsize=1 << 12)
def _joined(words: frozenset[str]) -> tuple[str, bool]:
    """Return words as one text, and whether some of them are of a script without spaces."""
    text = "\n".join(words)
    return text, unspaced(text)


def _shares_root(word: str, text: str) -> bool:
    return any(word[at : at + _ROOT] in text for at in range(len(word) - _ROOT + 1))


@lru_cache(maxsize=1 << 16)
def _common_part(one: str, other: str) -> int:
    """Return how many letters the longest part has that two words have in common; 0 if it is shorter than a root."""
    # Most pairs of words have none, and that is seen at once.
    if not _shares_root(one, other):
        return 0
    return SequenceMatcher(None, one, other, autojunk=False).find_longest_match().size


class Endings(NamedTuple):
    """The endings that either of two forms may have in one declension, and the letters that a stem ends in, if some."""

    one: Set[str]
    other: Set[str]
    after: str = ""


def is_same_name(one: str, other: str, declensions: Sequence[Endings] = ()) -> bool:
    """Return whether two forms are of one name: with endings of one declension, or in a compound.

    *Фрэна* is a form of *Фрэн*, and *Фран* is another name. Without declensions the last two letters may differ.
    """
    return one == other or _is_same_name(one, other, tuple(declensions))


@lru_cache(maxsize=1 << 16)
def _is_same_name(one: str, other: str, declensions: Sequence[Endings]) -> bool:
    one, other = one.casefold(), other.casefold()
    if unspaced(one):  # an abbreviation: *印尼* is *印度尼西亚*
        shorter, longer = sorted((one, other), key=len)
        letters = iter(longer)
        return shorter[:1] == longer[:1] and all(letter in letters for letter in shorter)
    if one == other:
        return True
    if not declensions and _lacks_consonant(*sorted((one, other), key=len)):
        return False
    if _is_inflected(one, other, declensions):
        return True
    parts, others = (_JOINTS.split(form) for form in (one, other))
    if len(parts) == len(others) > 1 and any(
        not (a == b or _is_inflected(a, b, declensions))
        and SequenceMatcher(None, a, b, autojunk=False).ratio() > _SPELT
        for a, b in zip(parts, others, strict=True)
    ):
        return False  # *Barners-Lee*
    if max(len(parts), len(others)) > 1 and any(
        a == b or _is_inflected(a, b, declensions) for a in parts for b in others if min(len(a), len(b)) > 1
    ):
        return True
    if declensions:
        return False
    size = _common_part(one, other)
    # Of nearly one length they are no compounds: *Nottingham* and *Nattingham* are two.
    gap = abs(len(one) - len(other))
    return size == min(len(one), len(other)) >= _ROOT or (size > _PART and gap > _ENDING)


def _lacks_consonant(shorter: str, longer: str) -> bool:
    """Return whether one consonant of a name is left out: within it (*Okonko*), or of two at its end (*Hartwel*).

    Endings are behind a name, and none of them doubles its last letter.
    """
    size = common_start(shorter, longer)
    if len(longer) != len(shorter) + 1 or not longer[size].isalpha() or longer[size] in _VOWELS:
        return False
    return longer[size + 1 :] == shorter[size:] and (size < len(shorter) or longer[size] == longer[size - 1])


def is_respelt(form: str, names: Iterable[str]) -> bool:
    """Return whether a form is nearly spelt like a name, or like a part of one, whatever their endings (*Nardland*)."""
    form = form.casefold()
    for part in {part for name in map(str.casefold, names) for part in (name, *_JOINTS.split(name))}:
        size = min(len(form), len(part))
        near = form != part and form[:1] == part[:1] and max(len(form), len(part)) - size <= _ENDING
        if near and SequenceMatcher(None, form[:size], part[:size], autojunk=False).ratio() > _SPELT:
            return True
    return False


def common_start(one: str, other: str) -> int:
    """Return how many letters two words begin with alike."""
    size = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        size += 1
    return size


def _is_inflected(one: str, other: str, declensions: Sequence[Endings]) -> bool:
    stem = common_start(one, other)
    if not declensions:
        if _SPELT_LAST.fullmatch(f"{one[stem:]} {other[stem:]}"):
            return False
        shorter, longer = sorted((len(one), len(other)))
        return (stem > _SHORT and longer - stem <= _ENDING) or (stem == shorter == _SHORT and longer - stem == 1)
    return any(
        ends[0] in endings.one and ends[1] in endings.other and (not endings.after or one[at - 1] in endings.after)
        for at in range(stem, max(1, stem - 3), -1)
        for ends in [[form[at:].replace("ё", "е") for form in (one, other)]]
        for endings in declensions
    )


def is_name_misread(form: str, names: Iterable[str]) -> bool:
    """Return whether a word of another class is alike a name, and not derived of it (*Лондон*, *лондонский*)."""
    form = form.casefold()
    for name in map(str.casefold, names):
        shorter, longer = sorted((form, name), key=len)
        derived = longer.startswith(shorter[:-1]) and len(longer) >= len(shorter) + _SUFFIX
        if not derived and SequenceMatcher(None, form, name, autojunk=False).ratio() >= _ALIKE:
            return True
    return False
