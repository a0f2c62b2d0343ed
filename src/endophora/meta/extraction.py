"""From MQM annotations to human scores, to raters' agreement, and to the corpus that was judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from endophora.corpus.faults import FaultLog
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.errors import Fault, InputError
from endophora.meta.layout import Documents
from endophora.meta.mqm import Annotation, Weights, mqm_format
from endophora.meta.scores import Scores
from endophora.statistics.agreement import Kappa, kappa, rater_table
from endophora.statistics.units import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Segments that people judged, each with its score.

    Attributes:
        positions: for each segment its number in the test set, from 1, as the file counts.
        values: (raters, systems, segments), the negative sum of the errors' weights; NaN where a rater did not judge.
        worst: (raters, systems, segments), the weight of the worst error.
    """

    systems: tuple[str, ...]
    documents: Documents
    positions: tuple[int, ...]
    raters: tuple[str, ...]
    values: FloatArray
    worst: FloatArray

    def scores(self) -> Scores:
        """Return each segment's score, the mean over the raters who judged it."""
        there = ~np.isnan(self.values)
        count: FloatArray = there.sum(axis=0).astype(np.float64)
        total: FloatArray = np.where(there, self.values, 0.0).sum(axis=0)
        mean = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
        return Scores("seg", self.systems, mean + 0.0)  # no negative zeros

    def spread(self, total: int) -> Scores:
        """Return the scores in a test set of ``total`` segments, of which only some were judged.

        Raises: InputError: a segment's number is not in the test set (E121).
        """
        if self.positions and not (min(self.positions) >= 1 and max(self.positions) <= total):
            cause = f"segment {max(self.positions)} is judged, of {total} segments"
            raise InputError(Fault("E121", cause, "give the documents of the whole test set"))
        scores = self.scores()
        values = np.full((len(self.systems), total), np.nan)
        values[:, np.array(self.positions, dtype=np.intp) - 1] = scores.values
        return Scores("seg", self.systems, values)

    def agreement(self) -> dict[tuple[str, str], Kappa]:
        """Return the raters' agreement on how bad the worst error of an output is: kappa with linear weights.

        The categories are the weights that occur, in order; two raters without a shared output are left out.
        """
        known = np.unique(self.worst[~np.isnan(self.worst)]).tolist()
        found: dict[tuple[str, str], Kappa] = {}
        for i, j in combinations(range(len(self.raters)), 2):
            shared = ~np.isnan(self.worst[i] + self.worst[j])
            if shared.any():
                table = rater_table(self.worst[i][shared].tolist(), self.worst[j][shared].tolist(), known)
                found[self.raters[i], self.raters[j]] = kappa(table, "linear")
        return found


def judge(annotations: Sequence[Annotation], weights: Weights, file: str = "") -> Judgements:
    """Return the scores of MQM annotations.

    Raises:
        InputError: with all faults: an error's severity has no weight (E120), or one segment has two numbers or
            two segments one (E121).
    """
    log = FaultLog()
    segments = _segments(annotations, file, log)
    systems = {name: index for index, name in enumerate(dict.fromkeys(a.system for a in annotations))}
    raters = {name: index for index, name in enumerate(dict.fromkeys(a.rater for a in annotations))}
    values = np.full((len(raters), len(systems), len(segments)), np.nan)
    worst = values.copy()
    number = {key: index for index, key in enumerate(segments)}
    for annotation in annotations:
        cost = weights.weight(annotation.category, annotation.severity)
        if cost is None:
            cause = f"the severity “{annotation.severity}” has no weight"
            log.add("E120", cause, "give weights that have it", file, annotation.line)
            continue
        key = (annotation.document, annotation.position)
        place = (raters[annotation.rater], systems[annotation.system], number[key])
        values[place] = np.nan_to_num(values[place]) - cost
        worst[place] = max(np.nan_to_num(worst[place]), cost)
    log.check()
    return Judgements(
        systems=tuple(systems),
        documents=Documents(tuple(document for document, _ in segments)),
        positions=tuple(segments.values()),
        raters=tuple(raters),
        values=values + 0.0,
        worst=worst,
    )


def mqm_corpus(
    annotations: Sequence[Annotation], languages: tuple[str, str], references: Sequence[str], file: str = ""
) -> Corpus:
    """Return the corpus that was judged: sources and outputs without marks, in the order of :func:`judge`.

    Raises:
        InputError: with all faults: an output or a source stands there in two wordings, or a system lacks a segment
            that others have (E121), or a reference is no system of the file (E122).
    """
    log = FaultLog()
    segments = _segments(annotations, file, log)
    systems = list(dict.fromkeys(a.system for a in annotations))
    for name in references:
        if name not in systems:
            log.add("E122", f"there is no translation “{name}”", f"there are: {', '.join(systems)}", file)
    sources: dict[tuple[str, int], str] = {}
    outputs: dict[tuple[str, tuple[str, int]], str] = {}
    lines: dict[tuple[str, int], int] = {}
    for annotation in annotations:
        key = (annotation.document, annotation.position)
        lines.setdefault(key, annotation.line)
        source, target = without_marks(annotation.source), without_marks(annotation.target)
        if sources.setdefault(key, source) != source or outputs.setdefault((annotation.system, key), target) != target:
            cause = f"segment {key[1]} of document “{key[0]}” stands there in two wordings"
            log.add("E121", cause, "mend the file", file, annotation.line)
    for name in systems:
        lacking = [key for key in segments if (name, key) not in outputs]
        if lacking:
            cause = f"“{name}” lacks {len(lacking)} segments, first {lacking[0][1]} of “{lacking[0][0]}”"
            log.add("E121", cause, "give all systems the same segments", file)
    log.check()
    made = [
        (
            key[0],
            Segment(
                source=sources[key],
                references={name: outputs[name, key] for name in references},
                outputs={name: outputs[name, key] for name in systems if name not in references},
                location=Location(file, lines[key]),
            ),
        )
        for key in segments
    ]
    documents = tuple(
        Document(name, tuple(segment for own, segment in made if own == name))
        for name in dict.fromkeys(d for d, _ in made)
    )
    kept = tuple(name for name in systems if name not in references)
    return Corpus(*languages, documents, tuple(references), kept)


def without_marks(text: str) -> str:
    """Return a text without the marks around an error."""
    for mark in mqm_format().marks:
        text = text.replace(mark, "")
    return text


def in_blocks(corpus: Corpus, size: int) -> Corpus:
    """Return a corpus whose documents are cut into blocks, as :meth:`~endophora.meta.layout.Documents.blocks` does."""
    segments = [segment for document in corpus.documents for segment in document.segments]
    ids = documents_of(corpus).blocks(size).ids
    grouped: dict[str, list[Segment]] = {}
    for name, segment in zip(ids, segments, strict=True):
        grouped.setdefault(name, []).append(segment)
    documents = tuple(Document(name, tuple(own)) for name, own in grouped.items())
    return Corpus(
        corpus.source_language, corpus.target_language, documents, corpus.references, corpus.systems, corpus.warnings
    )


def documents_of(corpus: Corpus) -> Documents:
    """Return which document each segment of a corpus is of."""
    return Documents(tuple(document.id for document in corpus.documents for _ in document.segments))


def _segments(annotations: Iterable[Annotation], file: str, log: FaultLog) -> dict[tuple[str, int], int]:
    """Return (document, position) → number in the test set, documents and segments in the order of those numbers.

    Where the file has no such numbers, documents stand in its own order and are counted through.
    """
    found: dict[tuple[str, int], int] = {}
    owners: dict[int, tuple[str, int]] = {}
    for annotation in annotations:
        key, number = (annotation.document, annotation.position), annotation.segment
        if found.setdefault(key, number) != number or (number and owners.setdefault(number, key) != key):
            cause = f"segment {key[1]} of document “{key[0]}” and number {number} do not belong to one another alone"
            log.add("E121", cause, "number the segments through", file, annotation.line)
    first: dict[str, int] = {}
    for document, _ in found:
        numbers = [number for (own, _), number in found.items() if own == document] if document not in first else []
        if numbers:
            first[document] = min(numbers)
    order = sorted(found, key=lambda key: (first[key[0]], list(first).index(key[0]), found[key], key[1]))
    return {key: found[key] or index for index, key in enumerate(order, start=1)}
