"""What a program writes before a translation: numbers of lines, a label, a sentence that says what comes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
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


class Opening(NamedTuple):
    """What lines begin with, and which lines."""

    what: str
    lines: Sequence[int]


@cache
def _saying() -> re.Pattern[str]:
    """Return what finds a sentence of a language model: *Here is the translation into German:*."""
    text = (files("endophora.corpus") / "data" / "openings.tsv").read_text(encoding="utf-8")
    parts: dict[str, list[str]] = {}
    for part, pattern in (line.split("\t") for line in text.splitlines()[1:]):
        parts.setdefault(part, []).append(pattern)
    before, shown, what = ("|".join(parts[part]) for part in ("before", "shown", "what"))
    said = rf"(?:{shown})[^:：]{{0,40}}(?:{what})[^:：]{{0,60}}[:：]"
    return re.compile(rf"(?i)\W*(?:(?:{before})\b[^:：]{{0,30}})?{said}")


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
    saying = _saying().match
    said = [at for at, (one, text) in enumerate(zip(source, texts, strict=False)) if saying(text) and not saying(one)]
    if said:
        return Opening("a sentence that says what comes", said)
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
