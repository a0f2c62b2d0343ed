"""What a program writes before a translation: numbers of lines, a label, a sentence that says what comes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

FOLLOWING = 3
"""Fewest lines that have the number after that of the line before."""

LABELLED, SHARE = 5, 0.005
"""Fewest lines that have one label, and their least share: at most 6 of 1,997 have one in NTREX (*he said:*), 8 of 998
where a system of WMT24 writes one."""

_LONGEST = 60
"""Letters that a label has at most."""

_NUMBER = re.compile(r"\s*[(\[]?(\d{1,6})\s?[.):\]]\s*(?=\S)")
_LABEL = re.compile(rf"\s*[*#\"«„“]*(\w[^:：\n]{{0,{_LONGEST}}})[:：]")
_SAYING = re.compile(
    r"(?i)\W*(?:(?:sure|certainly|of course|okay|natürlich|gerne|bien sûr|claro|certo)\b[^:：]{0,30})?"
    r"(?:here(?:['’]s| is| are)|below is|this is|hier ist|voici|aquí (?:está|tienes?)|ecco|aqui está|вот|以下[是は])"
    r"[^:：]{0,40}(?:translat|übersetzung|traduc|traduz|tradu[cç]|перевод|翻译|翻訳)[^:：]{0,60}[:：]"
)
"""A sentence of a language model: *Here is the translation into German:*."""


class Opening(NamedTuple):
    """What lines begin with, and which lines."""

    what: str
    lines: Sequence[int]


def find_opening(source: Sequence[str], texts: Sequence[str]) -> Opening | None:
    """Return what lines of an output begin with where their source does not; the first of numbers, label, sentence."""
    numbers = {
        at: int(found[1])
        for at, (one, text) in enumerate(zip(source, texts, strict=False))
        if (found := _NUMBER.match(text)) and not _NUMBER.match(one)
    }
    following = [at for at, number in numbers.items() if numbers.get(at - 1) == number - 1]
    if len(following) >= min(FOLLOWING, max(1, len(texts) - 1)):
        return Opening("their numbers", list(numbers))
    told = [at for at, text in enumerate(texts) if _SAYING.match(text) and not _SAYING.match(source[at])]
    if told:
        return Opening("a sentence that says what comes", told)
    return _label(source, texts)


def _label(source: Sequence[str], texts: Sequence[str]) -> Opening | None:
    """Return the label that begins most lines whose sources differ and have none (*Translation:*)."""
    labelled: dict[str, dict[str, int]] = {}
    for at, (one, text) in enumerate(zip(source, texts, strict=False)):
        if (found := _LABEL.match(text)) and ":" not in one and "：" not in one:
            labelled.setdefault(found[1].strip(), {}).setdefault(one, at)
    label, lines = max(labelled.items(), key=lambda item: len(item[1]), default=("", _NONE))
    least = max(min(LABELLED, len(texts)), SHARE * len(texts))
    return Opening(f"“{label}:”", list(lines.values())) if len(lines) >= least else None


_NONE: Mapping[str, int] = {}
