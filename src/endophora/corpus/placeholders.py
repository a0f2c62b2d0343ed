"""Placeholders and markup in a text: ``{0}``, ``%s``, ``%(name)s``, ``<b>``, the heads of ICU's arguments.

A translation has to keep them. The patterns are data, ``data/placeholders.yaml``, each with its source; inline markup
that a file format keeps out of a text (:class:`~endophora.corpus.records.Code`) is not among them.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import NamedTuple, cast

from endophora.corpus.records import Corpus
from endophora.corpus.trees import load_yaml


class Losses(NamedTuple):
    """Placeholders of an output against those of its source: over all segments, and those that are not right."""

    expected: int
    missing: int
    extra: int
    segments: int
    wrong: int


@cache
def _patterns() -> re.Pattern[str]:
    text = (files("endophora.corpus") / "data" / "placeholders.yaml").read_text(encoding="utf-8")
    rows = cast("list[dict[str, str]]", load_yaml(text))
    return re.compile("|".join(row["pattern"].replace("?P<key>", f"?P<{row['name']}>") for row in rows))


def placeholders(text: str) -> Counter[str]:
    """Return the placeholders of a text and how often each is there; tags without their attributes."""
    if not any(character in text for character in "%{<"):
        return Counter()
    return Counter("".join((found[found.lastgroup or 0] or "").split()) for found in _patterns().finditer(text))


def masked(text: str) -> str:
    """Return a text with blanks in place of its placeholders, so that every other character stays in its place."""
    if not any(character in text for character in "%{<"):
        return text
    return _patterns().sub(lambda found: " " * len(found[0]), text)


def count_losses(corpus: Corpus) -> dict[str, Losses]:
    """Return what each output lost and added; nothing for a corpus whose source has no placeholder."""
    segments = [segment for document in corpus.documents for segment in document.segments]
    wanted = [(segment, expected) for segment in segments if (expected := placeholders(segment.source))]
    found: dict[str, Losses] = {}
    for name in corpus.systems if wanted else ():
        missing = [(expected - placeholders(segment.outputs[name])).total() for segment, expected in wanted]
        extra = [(placeholders(one.outputs[name]) - placeholders(one.source)).total() for one in segments]
        kept = [(placeholders(one.outputs[name]) == expected) for one, expected in wanted]
        total = sum(expected.total() for _, expected in wanted)
        found[name] = Losses(total, sum(missing), sum(extra), len(wanted), kept.count(False))
    return found
