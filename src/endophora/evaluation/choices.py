"""The judgments of an evaluation: every occurrence of the reference, on every text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from endophora.evaluation.tagging import TaggedDocument
from endophora.judgments.judging import JudgedText
from endophora.judgments.records import VERDICTS, Judgment
from endophora.metrics.records import FloatArray
from endophora.phenomena.records import Occurrence

LEVEL = "formality level"
"""The second figure of formality: the share of words of address at the reference's own level."""


def asked(document: TaggedDocument, support: str) -> list[Occurrence]:
    """Return the occurrences that count: those with support in another segment (``inter``), or all."""
    return [
        occurrence
        for occurrence in document.occurrences
        if support == "any" or (occurrence.support is not None and occurrence.support.distance > 0)
    ]


def judged_text(reference: TaggedDocument, text: TaggedDocument) -> JudgedText:
    """Return what judges the occurrences of a reference on a text of the same source."""
    return JudgedText(reference.choices, text.choices, text.links, [len(tokens) for tokens in reference.source])


def judge_all(
    reference: Sequence[TaggedDocument], texts: Sequence[TaggedDocument], support: str
) -> Iterator[tuple[int, Occurrence, Judgment | None]]:
    """Yield the number of each document's first segment, each occurrence that counts, and its judgment."""
    start = 0
    for theirs, ours in zip(reference, texts, strict=True):
        wanted = asked(theirs, support)
        if wanted:
            text = judged_text(theirs, ours)
            for occurrence in wanted:
                yield start, occurrence, text.judge(occurrence)
        start += len(theirs.source)


@dataclass(frozen=True, slots=True)
class JudgmentCounts:
    """Counts judgments a segment, for the statistics.

    Attributes:
        phenomena: in the order of the result; :data:`LEVEL` stands last where formality is among them.
        support: which occurrences count.
    """

    phenomena: tuple[str, ...]
    support: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of what is counted."""
        return (*self.phenomena, *([LEVEL] if "formality" in self.phenomena else []))

    def statistics(self, reference: Sequence[TaggedDocument], texts: Sequence[TaggedDocument]) -> FloatArray:
        """Return (segments, columns, 4): right, wrong, other, missing."""
        places = {name: at for at, name in enumerate(self.columns)}
        counts = np.zeros((sum(len(each.source) for each in reference), len(places), len(VERDICTS)))
        for start, occurrence, judgment in judge_all(reference, texts, self.support):
            if judgment is None:
                continue
            row = counts[start + occurrence.segment]
            row[places[occurrence.phenomenon], VERDICTS.index(judgment.verdict)] += 1
            if occurrence.phenomenon == "formality" and judgment.shown:
                row[places[LEVEL], 0 if judgment.shown == occurrence.rule else 1] += 1
        return counts
