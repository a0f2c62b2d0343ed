"""The judgments of an evaluation: every occurrence of the reference, on every text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from endophora.evaluation.tagging import TaggedDocument
from endophora.judgments.address import PLURAL
from endophora.judgments.judging import JudgedText
from endophora.judgments.records import PARTS, REASONS, VERDICTS, Judgment, Reason
from endophora.metrics.records import FloatArray
from endophora.phenomena.records import Occurrence

LEVEL = "formality level"
"""The second figure of formality: the share of words of address at the reference's own level."""


def parts_of(phenomena: Sequence[str]) -> Mapping[str, str]:
    """Return the name of each category's column → its phenomenon."""
    return {f"{name} {part}": name for name in phenomena for part in PARTS.get(name, ())}


COUNTED = (*VERDICTS, *REASONS)
"""What is counted of the occurrences of a phenomenon: the verdicts, and why there is none."""


def left_out(occurrence: Occurrence, support: str) -> Reason | None:
    """Return why an occurrence does not count: with ``inter``, its support must be in another segment."""
    if support == "any" or (occurrence.support is not None and occurrence.support.distance > 0):
        return None
    return "support not known" if occurrence.support is None else "support in the segment"


def asked(document: TaggedDocument, support: str) -> list[Occurrence]:
    """Return the occurrences that count: those with support in another segment (``inter``), or all."""
    return [occurrence for occurrence in document.occurrences if left_out(occurrence, support) is None]


def split_counts(counted: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (…, segments, columns, :data:`COUNTED`) as verdicts, and sums of the reasons: (…, columns, reasons)."""
    judged, left = np.split(counted, [len(VERDICTS)], axis=-1)
    return judged.copy(), left.sum(axis=-3)  # a copy, for the reasons of each segment take most of the memory


def judged_text(reference: TaggedDocument, text: TaggedDocument) -> JudgedText:
    """Return what judges the occurrences of a reference on a text of the same source."""
    sizes = [len(tokens) for tokens in reference.source]
    return JudgedText(reference.choices, text.choices, text.links, sizes, asked=reference.occurrences)


def judge_all(
    reference: Sequence[TaggedDocument], texts: Sequence[TaggedDocument], support: str
) -> Iterator[tuple[int, Occurrence, Judgment]]:
    """Yield the number of each document's first segment, each occurrence, and its judgment; see :func:`left_out`."""
    start = 0
    for theirs, ours in zip(reference, texts, strict=True):
        text = judged_text(theirs, ours)
        for occurrence in theirs.occurrences:
            reason = left_out(occurrence, support)
            yield start, occurrence, text.unjudged(occurrence, reason) if reason else text.judge(occurrence)
        start += len(theirs.source)


@dataclass(frozen=True, slots=True)
class JudgmentCounts:
    """Counts judgments a segment, for the statistics.

    Attributes:
        phenomena: in the order of the result; :data:`LEVEL` and categories (:func:`parts_of`) stand last.
        support: which occurrences count.
    """

    phenomena: tuple[str, ...]
    support: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of what is counted."""
        return (*self.phenomena, *([LEVEL] if "formality" in self.phenomena else []), *parts_of(self.phenomena))

    def statistics(self, reference: Sequence[TaggedDocument], texts: Sequence[TaggedDocument]) -> FloatArray:
        """Return (segments, columns, :data:`COUNTED`), of which :func:`split_counts` makes two."""
        places = {name: at for at, name in enumerate(self.columns)}
        counts = np.zeros((sum(len(each.source) for each in reference), len(places), len(COUNTED)))
        for start, occurrence, judgment in judge_all(reference, texts, self.support):
            row = counts[start + occurrence.segment]
            counted = COUNTED.index(judgment.verdict or judgment.why)
            row[places[occurrence.phenomenon], counted] += 1
            if (
                occurrence.phenomenon == "formality"
                and judgment.shown
                and PLURAL not in (judgment.asked, judgment.shown)
            ):
                row[places[LEVEL], 0 if judgment.shown == occurrence.rule else 1] += 1
            if judgment.part:
                row[places[f"{occurrence.phenomenon} {judgment.part}"], counted] += 1
        return counts
