"""MQM annotations: the errors that people marked in translations, as TSV with a header (Freitag et al., 2021).

From them come human scores, raters' agreement, and the corpus that was judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

import numpy as np

from endophora.corpus.faults import FaultLog, too_long
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.corpus.trees import load_yaml
from endophora.corpus.writing import write_lines
from endophora.errors import Fault, InputError
from endophora.evaluation.levels import Documents, Scores, documents_of
from endophora.record import Fixed
from endophora.statistics.agreement import Kappa, pairwise_kappa
from endophora.statistics.units import FloatArray


class ErrorWeights(Fixed):
    """What errors cost.

    Attributes:
        values: ``severity``, ``severity/category`` or ``severity/category/subcategory`` → weight.
    """

    title: str
    values: dict[str, float]

    def weight(self, category: str, severity: str) -> float | None:
        """Return what an error costs by the longest key that fits, nothing if none does; case does not matter."""
        table = _folded(tuple(self.values.items()))
        parts = [severity, *category.split("/")]
        keys = ("/".join(parts[:length]).casefold() for length in range(len(parts), 0, -1))
        return next((table[key] for key in keys if key in table), None)


class MqmFormat(Fixed):
    """What the package's own data say of MQM files."""

    columns: dict[str, list[str]]
    optional: list[str]
    marks: tuple[str, str]
    weights: dict[str, ErrorWeights]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One error, or the verdict that there is none."""

    system: str
    document: str
    position: int
    segment: int
    rater: str
    source: str
    target: str
    category: str
    severity: str
    line: int


@cache
def mqm_format() -> MqmFormat:
    """Return the package's own data on MQM files, read once."""
    text = (files("endophora.meta") / "data" / "mqm.yaml").read_text(encoding="utf-8")
    return MqmFormat.model_validate(load_yaml(text))


def read_mqm(path: PathLike) -> tuple[Annotation, ...]:
    """Read a file of MQM annotations; its fields have no quotes and no escapes."""
    log, file = FaultLog(), display_name(path)
    lines = each_line(path, log)
    header = (next(lines, (1, ""))[1] or "").split("\t")
    log.check()
    places = _places(header, file, log)
    log.check()
    found: list[Annotation] = []
    for number, text in lines:
        fields = (text or "").split("\t")
        if text is None:
            continue
        if len(fields) != len(header):
            cause = f"{len(fields)} fields where the header has {len(header)}"
            log.add("E119", cause, "a text may hold no tab" if text else "the line is empty: delete it", file, number)
            continue
        _add(found, {name: fields[place] for name, place in places.items()}, file, number, log)
    if not found and not log:
        log.add("E119", "there is no annotation", "was the file written to its end?", file)
    log.check()
    return tuple(found)


def write_mqm(annotations: Sequence[Annotation], path: PathLike) -> None:
    """Write annotations as TSV; what :func:`read_mqm` gives is read back the same except for the lines."""
    columns = mqm_format().columns
    log = FaultLog()
    rows = [[str(getattr(annotation, name)) for name in columns] for annotation in annotations]
    for annotation, row in zip(annotations, rows, strict=True):
        if any(character in cell for cell in row for character in "\t\n\0") or row[-1].endswith("\r"):
            cause = f"an annotation of “{annotation.system}” has a tab or a line end"
            log.add("E115", cause, "replace it", display_name(path))
    log.check()
    write_lines(path, ("\t".join(row) for row in ([names[0] for names in columns.values()], *rows)))


def read_weights(path: PathLike) -> ErrorWeights:
    """Read weights of your own: a YAML file with ``title`` and ``values``."""
    log, file = FaultLog(), display_name(path)
    text = "\n".join(line or "" for _, line in each_line(path, log))
    log.check()
    try:
        return ErrorWeights.model_validate(load_yaml(text))
    except ValueError as error:
        cause = f"no weights: {' '.join(str(error).split())}"
        raise InputError(Fault("E120", cause, "write title: TEXT and values: {Major: 5, …}", file)) from error


def load_weights(name: str) -> ErrorWeights:
    """Return weights by name, or from a file if the name is one of a YAML file."""
    known = mqm_format().weights
    if name in known:
        return known[name]
    if name.endswith((".yaml", ".yml")):
        return read_weights(name)
    raise InputError(Fault("E120", f"there are no weights “{name}”", f"known: {', '.join(known)}, or a FILE.yaml"))


def _places(header: Sequence[str], file: str, log: FaultLog) -> dict[str, int]:
    """Return our name of a column → its place."""
    written = [name.casefold() for name in header]
    data, places = mqm_format(), dict[str, int]()
    for name, names in data.columns.items():
        found = [place for place, text in enumerate(written) if text in {other.casefold() for other in names}]
        if len(found) > 1:
            log.add("E118", f"{len(found)} columns are “{names[0]}”", "keep one", file, 1)
        elif found:
            places[name] = found[0]
        elif name not in data.optional:
            log.add("E118", f"the header has no column “{names[0]}”", f"it has {', '.join(header)}", file, 1)
    return places


def _add(found: list[Annotation], row: Mapping[str, str], file: str, number: int, log: FaultLog) -> None:
    """Add the annotation of a line, or note what is wrong with it (E119)."""
    names = mqm_format().columns
    faults = [
        f"“{row[key]}” is no number in {names[key][0]}"
        for key in _NUMBERS
        if not re.fullmatch("[0-9]{1,15}", row.get(key, "0"))
    ]
    faults += [
        f"{names[key][0]} is empty" for key in ("system", "document", "rater", "severity") if not row[key].strip()
    ]
    for cause in faults:
        log.add("E119", cause, "correct the line", file, number)
    for key in ("source", "target"):
        if cause := too_long(row[key]):
            log.add("E345", cause, "leave the lines of this segment out: it is a paragraph at most", file, number)
    if not faults:
        numbers = {key: int(row.get(key, "0")) for key in _NUMBERS}
        texts = {key: value for key, value in row.items() if key not in _NUMBERS}
        found.append(Annotation(**texts, **numbers, line=number))  # pyright: ignore[reportArgumentType]


_NUMBERS = ("position", "segment")


@cache
def _folded(values: tuple[tuple[str, float], ...]) -> dict[str, float]:
    return {key.casefold(): weight for key, weight in values}


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Segments that people judged, each with its score; arrays are (raters, systems, segments), NaN: not judged."""

    systems: tuple[str, ...]
    documents: Documents
    positions: tuple[int, ...]  # for each segment its number in the test set, from 1, as the file counts
    raters: tuple[str, ...]
    values: FloatArray  # the negative sum of the errors' weights
    worst: FloatArray  # the weight of the worst error

    def scores(self) -> Scores:
        """Return each segment's score, the mean over the raters who judged it."""
        there = ~np.isnan(self.values)
        count: FloatArray = there.sum(axis=0).astype(np.float64)
        total: FloatArray = np.where(there, self.values, 0.0).sum(axis=0)
        mean = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
        return Scores("seg", self.systems, mean + 0.0)  # no negative zeros

    def spread(self, total: int) -> Scores:
        """Return the scores in a test set of ``total`` segments, of which only some were judged."""
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
        rows = self.worst.reshape(len(self.raters), -1).tolist()
        ratings = [[None if np.isnan(value) else value for value in row] for row in rows]
        known = sorted({value for row in ratings for value in row if value is not None})
        found = pairwise_kappa(ratings, known, "linear").items()
        return {(self.raters[i], self.raters[j]): one for (i, j), one in found if one.count}


def _is_of(category: str, wanted: str) -> bool:
    """Return whether an error's category is the wanted one or below it; case does not matter."""
    return f"{category}/".casefold().startswith(f"{wanted.rstrip('/')}/".casefold())


def errors_of(annotations: Sequence[Annotation], weights: ErrorWeights, categories: Sequence[str]) -> tuple[int, int]:
    """Return how many errors with a weight are of some categories, and how many there are."""
    errors = [one.category for one in annotations if weights.weight(one.category, one.severity)]
    return sum(any(_is_of(each, wanted) for wanted in categories) for each in errors), len(errors)


def judge(
    annotations: Sequence[Annotation], weights: ErrorWeights, file: str = "", categories: Sequence[str] = ()
) -> Judgements:
    """Return the scores of MQM annotations; errors of others than the named categories, if any, cost nothing."""
    log = FaultLog()
    known = sorted({annotation.category for annotation in annotations})
    for wanted in categories:
        if not any(_is_of(category, wanted) for category in known):
            log.add("E120", f"no error is of the category “{wanted}”", f"there are: {', '.join(known)}", file)
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
        if categories and not any(_is_of(annotation.category, wanted) for wanted in categories):
            cost = 0.0
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
    """Return the corpus that was judged: sources and outputs without marks, in the order of :func:`judge`."""
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
            cause = f"segment {key[1]} of document “{key[0]}” is there in two wordings"
            log.add("E121", cause, "correct the file", file, annotation.line)
    for name in systems:
        lacking = [key for key in segments if (name, key) not in outputs]
        if lacking:
            cause = f"“{name}” lacks {len(lacking)} segments, first {lacking[0][1]} of “{lacking[0][0]}”"
            log.add("E121", cause, "give all systems the same segments", file)
    log.check()
    kept = tuple(name for name in systems if name not in references)
    made = [
        Segment(
            source=sources[key],
            references={name: outputs[name, key] for name in references},
            outputs={name: outputs[name, key] for name in kept},
            location=Location(file, lines[key]),
        )
        for key in segments
    ]
    return Corpus(*languages, _documents([name for name, _ in segments], made), tuple(references), kept)


def _documents(ids: Sequence[str], segments: Sequence[Segment]) -> tuple[Document, ...]:
    grouped: dict[str, list[Segment]] = {}
    for name, segment in zip(ids, segments, strict=True):
        grouped.setdefault(name, []).append(segment)
    return tuple(Document(name, tuple(own)) for name, own in grouped.items())


def without_marks(text: str) -> str:
    """Return a text without the marks around an error."""
    for mark in mqm_format().marks:
        text = text.replace(mark, "")
    return text


def in_blocks(corpus: Corpus, size: int) -> Corpus:
    """Return a corpus whose documents are cut into blocks of ``size`` segments."""
    segments = [segment for document in corpus.documents for segment in document.segments]
    return replace(corpus, documents=_documents(documents_of(corpus).blocks(size).ids, segments))


def _segments(annotations: Iterable[Annotation], file: str, log: FaultLog) -> dict[tuple[str, int], int]:
    """Return (document, position) → number in the test set, documents and segments in the order of those numbers.

    Where the file has no such numbers, documents are in its own order and are counted through.
    """
    found: dict[tuple[str, int], int] = {}
    owners: dict[int, tuple[str, int]] = {}
    for annotation in annotations:
        key, number = (annotation.document, annotation.position), annotation.segment
        if found.setdefault(key, number) != number or (number and owners.setdefault(number, key) != key):
            cause = f"segment {key[1]} of document “{key[0]}” and number {number} do not belong to one another alone"
            log.add("E121", cause, "number the segments through", file, annotation.line)
    first: dict[str, int] = {}
    for (document, _), number in found.items():
        first[document] = min(number, first.get(document, number))
    places = {document: place for place, document in enumerate(first)}
    order = sorted(found, key=lambda key: (first[key[0]], places[key[0]], found[key], key[1]))
    return {key: found[key] or index for index, key in enumerate(order, start=1)}
