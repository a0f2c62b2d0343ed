"""The last sentence of a text: where context was joined to a segment and no separator survived.

A sentence ends after a word that ends in ``.``, ``?`` or ``!``, with or without closing quotes and brackets, where the
next word begins with a capital or a letter of a script without capitals, opening quotes and brackets aside; after a
full stop it may also begin with a digit. A full stop ends no sentence after an abbreviation, an initial or an acronym.
That is the rule of the splitter of Koehn & Schroeder (Europarl) which ctxpro's scores were made with; this one reads
from the right, and stops at the first boundary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

_OPENING = "'\"([¿¡‘‛“‟«‹"
_CLOSING = "'\")]’”»›"
_IDEOGRAPHIC = re.compile(r"[。！？]+[」』”’）]*(?=.)")
_ACRONYM = re.compile(r"\.[A-ZÀ-ÖØ-Þ\u0400-\u042f-]+\.*$")
_ENDING = frozenset(".?!…" + _CLOSING)
_TAIL = re.compile(r"[\w.\-]*$")


@cache
def _abbreviations(language: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """Return a language's abbreviations, those that count only before a number, and whether numbers are ordinals."""
    text = (files("endophora.suites") / "data" / "abbreviations.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    kinds = {kind: words.split() for code, kind, words in rows if code == language}
    return frozenset(kinds.get("always", ())), frozenset(kinds.get("number", ())), "ordinals" in kinds


def last_sentences(texts: Iterable[str], language: str) -> list[str]:
    """Return the last sentence of each text, its words joined by single spaces.

    Args:
        texts: one or more sentences each.
        language: ISO 639-1 code; it chooses the abbreviations, of which an unknown language has none.
    """
    known = _abbreviations(language)
    return [_last(text.split(), known) for text in texts]


def _last(words: list[str], known: tuple[frozenset[str], frozenset[str], bool]) -> str:
    for index in range(len(words) - 2, -1, -1):
        if words[index][-1] in _ENDING and not words[index + 1][0].islower() and _ends(words, index, known):
            words = words[index + 1 :]
            break
    sentence = " ".join(words)
    if not sentence.isascii() and (marks := list(_IDEOGRAPHIC.finditer(sentence))):
        return sentence[marks[-1].end() :].lstrip()
    return sentence


def _ends(words: list[str], index: int, known: tuple[frozenset[str], frozenset[str], bool]) -> bool:
    """Tell whether a sentence ends after a word."""
    word, following = words[index], words[index + 1]
    first = following[0]
    if not first.isupper():
        following = following.lstrip(_OPENING)
        if not following:
            # A quote by itself: what begins stands after it.
            following = words[index + 2] if index + 2 < len(words) else ""
        first = following[:1]
    starts = first.isupper() or (first.isalpha() and not first.islower())
    core = word.rstrip(_CLOSING)
    if not core:
        # A closing quote by itself; an opening one has its word after it and no mark before it.
        core = words[index - 1] if index else ""
        return starts and core[-1:] in (".", "?", "!")
    last = core[-1]
    if last in "?!…":
        return starts
    if last != "." or not (starts or first.isdigit()):
        return False
    if core != word:
        return starts
    return core.endswith("..") or not _is_abbreviation(core[:-1], following, known)


def _is_abbreviation(stem: str, following: str, known: tuple[frozenset[str], frozenset[str], bool]) -> bool:
    """Tell whether a full stop after a stem belongs to it."""
    always, number, ordinals = known
    prefix = stem
    if not stem.isalnum() and (tail := _TAIL.search(stem)):
        prefix = tail.group()
    if prefix in always or (len(prefix) == 1 and prefix.isupper()):
        return True
    if prefix.isdigit():
        return ordinals and len(prefix) <= 2
    return ("." in stem and _ACRONYM.search(stem) is not None) or (prefix in number and following[:1].isdigit())
