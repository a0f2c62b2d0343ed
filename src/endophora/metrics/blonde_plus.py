"""Spans and names that people marked, for BlonD+ (Jiang et al., 2022, §4.3 and Appendix B).

The published data have a line for each segment in two files. In the file of spans it is the annotated sentence and,
after tabs, its errors: ``1,right, wrong <pos/5,9>;…`` for ambiguous words and ``3,…`` for omitted ones, first as
written in the reference; other numbers are other errors. In the file of names it is
``PERSON: (Qiao Lian: 1; )`` and, after a tab, ``NONPERSON: (Weibo: 2; )``: each name, and how often it is in the
reference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import read_lines
from endophora.errors import Fault, InputError
from endophora.metrics.readings import OTHER_NAME, PERSON, clean_name
from endophora.metrics.records import Reading
from endophora.signature import keyed

T = TypeVar("T")

PLUS = ("ambiguity", "ellipsis")
"""The categories that BlonD+ adds: spans that people marked (§4.3)."""
_CODES = {"1": PLUS[0], "3": PLUS[1]}
ERRORS = {
    "0": "none",
    "1": "document/ambiguity",
    "2": "document/ellipsis/pronoun",
    "3": "document/ellipsis/other",
    "4": "document/inconsistency/entity",
    "5": "document/inconsistency/tense",
    "6": "sentence",
}
"""The numbers of errors in the file of spans, by the data's own page, as paths of ``meta/data/errors.yaml``."""
_ERROR = re.compile(r"(\d)(?:,(.*))?")
_POSITION = re.compile(r"<pos/.*?>")
_SPAN = re.compile(r"(?:(.*),\s*)?(.*?)\s*<pos/(\d+),\s*(\d+)>\s*")
_NAMES = re.compile(r"PERSON:\s*\((.*)\)\s*\tNONPERSON:\s*\((.*)\)\s*")
_NAME = re.compile(r"(.+?)\s*:\s*(\d{1,4})")


@keyed()
@dataclass(frozen=True)
class Annotations:
    """What people marked, segment by segment; ``None`` where they did not."""

    marked: tuple[dict[str, tuple[str, ...]], ...] | None = None  # category → spans as written in the reference
    names: tuple[dict[str, dict[str, int]], ...] | None = None  # kind → name → how often it is in the reference

    def spans(self, category: str, readings: Sequence[Reading]) -> list[list[str]]:
        """Return for each text the marked spans of a category that are in it, whole words, in any case."""
        marked = self._matching(self.marked or (), readings)
        return [
            [span.lower() for span in dict.fromkeys(each.get(category, ())) for _ in _found(span, reading.text)]
            for each, reading in zip(marked, readings, strict=True)
        ]

    def reference_names(self, kind: str, readings: Sequence[Reading]) -> list[list[str]]:
        """Return for each text of the reference its names of a kind, as annotated, lower case."""
        names = self._matching(self.names or (), readings)
        return [[name for name, count in each.get(kind, {}).items() for _ in range(count)] for each in names]

    def hypothesis_names(self, kind: str, readings: Sequence[Reading]) -> list[list[str]]:
        """Return for each text of a hypothesis its names of a kind, lower case.

        A name that is annotated in the segment is found by its words, even if the annotator calls it something else; of
        the names that the annotator found, those are added that have no word in common with an annotated one.
        """
        found: list[list[str]] = []
        for each, reading in zip(self._matching(self.names or (), readings), readings, strict=True):
            annotated = {name for names in each.values() for name in names}
            words = {word for name in annotated for word in name.split()}
            own = [name for name in each.get(kind, {}) for _ in _found(name, reading.text)]
            others = [name.lower() for known, name in reading.names if known == kind]
            found.append([*own, *(name for name in others if words.isdisjoint(name.split()))])
        return found

    @staticmethod
    def _matching(rows: Sequence[T], readings: Sequence[Reading]) -> Sequence[T]:
        if len(rows) != len(readings):
            cause = f"{len(readings)} segments, and annotations of {len(rows)}"
            raise InputError(Fault("E070", cause, "give one line of annotations for each segment"))
        return rows


class MarkedSpan(NamedTuple):
    """An error of a sentence; a span is what is wrong, from and to which letter counted from 0, and what is right."""

    code: str
    right: str = ""
    wrong: str = ""
    start: int = 0
    end: int = 0


def read_errors(path: Path) -> list[tuple[str, list[MarkedSpan]]]:
    """Read a file of spans whole: each sentence with its errors (E101, E001 to E007)."""
    log, found = FaultLog(), list[tuple[str, list[MarkedSpan]]]()
    for number, line in _lines(path, log):
        _marked(line, number, path, log)
        text, *cells = line.split("\t")
        errors = list[MarkedSpan]()
        for match in filter(None, map(_ERROR.fullmatch, map(str.strip, cells))):
            spans = [span for part in (match[2] or "").split(";") if (span := _SPAN.fullmatch(part))]
            errors += [MarkedSpan(match[1], one[1] or "", one[2], int(one[3]) - 1, int(one[4])) for one in spans]
            errors += [] if spans else [MarkedSpan(match[1])]
        found.append((text, errors))
    log.check()
    return found


def write_errors(text: str, errors: Sequence[MarkedSpan]) -> str:
    """Return the line of a sentence and its errors in the file of spans."""
    cells = list[str]()
    for code in dict.fromkeys(one.code for one in errors):
        own = [one for one in errors if one.code == code and one.wrong]
        spans = [f"{one.right}, " * bool(one.right) + f"{one.wrong} <pos/{one.start + 1},{one.end}>" for one in own]
        cells.append(",".join([code, ";".join(spans)]) if spans else code)
    return "\t".join([text, *(cells or ["0"])])


@cache
def _pattern(span: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(span)}(?!\w)", re.IGNORECASE)


def _found(span: str, text: str) -> list[str]:
    return _pattern(span).findall(text)


def read_annotations(spans: Path | None = None, names: Path | None = None) -> Annotations:
    """Read the published data's files."""
    log = FaultLog()
    marked = None if spans is None else tuple(_marked(line, n, spans, log) for n, line in _lines(spans, log))
    named = None if names is None else tuple(_named(line, n, names, log) for n, line in _lines(names, log))
    log.check()
    return Annotations(marked, named)


def _lines(path: Path, log: FaultLog) -> list[tuple[int, str]]:
    return list(enumerate(read_lines(path, log).texts, start=1))


def _marked(line: str, number: int, path: Path, log: FaultLog) -> dict[str, tuple[str, ...]]:
    """Return the marked spans of a line, by category."""
    text, *errors = line.split("\t")
    found: dict[str, list[str]] = {}
    if not errors:
        advice = "write the sentence, and after tabs its errors, 0 for none"
        log.add("E101", f"no error code after “{text[:40]}”", advice, str(path), number)
    for error in filter(None, (error.strip() for error in errors)):
        match = _ERROR.fullmatch(error)
        if match is None:
            advice = "write 1,SPAN, SPAN <pos/1,2> or a digit alone"
            log.add("E101", f"“{error[:60]}” is no error", advice, str(path), number)
            continue
        category = _CODES.get(match[1])
        for part in (match[2] or "").split(";") if category else ():
            span = _POSITION.sub("", part).split(",")[0].strip()
            if category and span:
                found.setdefault(category, []).append(span)
    return {category: tuple(spans) for category, spans in found.items()}


def _named(line: str, number: int, path: Path, log: FaultLog) -> dict[str, dict[str, int]]:
    """Return the names of a line, by kind, lower case."""
    match = _NAMES.fullmatch(line)
    if match is None:
        advice = "write PERSON: (NAME: 1; ), a tab, and NONPERSON: (NAME: 1; )"
        log.add("E102", f"“{line[:60]}” has no names of both kinds", advice, str(path), number)
        return {}
    found: dict[str, dict[str, int]] = {PERSON: {}, OTHER_NAME: {}}
    for kind, listed in zip(found, match.groups(), strict=True):
        for part in filter(None, (part.strip() for part in listed.split(";"))):
            pair = _NAME.fullmatch(part)
            if pair is None:
                log.add("E102", f"“{part}” is no name with its count", "write NAME: 1", str(path), number)
                continue
            name = clean_name(pair[1]).lower()
            found[kind][name] = found[kind].get(name, 0) + int(pair[2])
    return found
