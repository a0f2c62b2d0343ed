"""Score files of mt-metrics-eval, WMT's collection of metric and human scores: reading and writing.

A line is ``SYSTEM SCORE``, at domain level ``DOMAIN SYSTEM SCORE``, with any blanks between; ``None`` is a missing
score. Of each system there is one line at system level, and at the others one for each document or segment, in the
order of the test set. The level is in the file's name: ``.sys.score``, ``.domain.score``, ``.doc.score`` or
``.seg.score``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.corpus.writing import write_lines
from endophora.statistics.units import FloatArray

Level: TypeAlias = Literal["seg", "doc", "domain", "sys"]

LEVELS: tuple[Level, ...] = ("seg", "doc", "domain", "sys")
MISSING = "None"

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The scores of one file.

    Attributes:
        values: (systems, items), NaN where missing; one item at system level.
        domains: at domain level the name of each item, else nothing.
    """

    level: Level
    systems: tuple[str, ...]
    values: FloatArray
    domains: tuple[str, ...] = ()

    def of(self, systems: Sequence[str]) -> FloatArray:
        """Return the scores of these systems, in this order, NaN for one that is not there."""
        index = {name: row for row, name in enumerate(self.systems)}
        rows = [self.values[index[name]] if name in index else self._empty() for name in systems]
        return np.stack(rows) if rows else np.zeros((0, self.values.shape[1]))

    def _empty(self) -> FloatArray:
        return np.full((self.values.shape[1],), np.nan, dtype=np.float64)


def read_scores(path: PathLike, level: Level) -> Scores:
    """Read a score file.

    Raises:
        InputError: with all faults: the file cannot be read (E001–E007), a line is no name and score (E112), systems
            have different numbers of scores (E113), or a system has two at system level or in a domain (E114).
    """
    log, file = FaultLog(), display_name(path)
    found: dict[str, list[float]] = {}
    domains: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    width = 3 if level == "domain" else 2
    for number, text in each_line(path, log):
        if text is None:
            continue
        fields = text.split()
        score = _score(fields[-1]) if len(fields) == width else None
        if score is None:
            _complain(text, fields, width, file, number, log)
            continue
        system = fields[-2]
        lines.setdefault(system, number)
        twice = level == "sys" and system in found
        if twice or (level == "domain" and fields[0] in domains.get(system, ())):
            log.add("E114", f"a second score of “{system}”", "give one for each", file, number)
            continue
        found.setdefault(system, []).append(score)
        if level == "domain":
            domains.setdefault(system, []).append(fields[0])
    names = _checked(found, domains, lines, file, log)
    log.check()
    return Scores(level, tuple(found), np.array(list(found.values()), dtype=np.float64), names)


def write_scores(scores: Scores, path: PathLike) -> None:
    """Write a score file that reads back the same, gzipped if the path ends in ``.gz``; ``-`` is standard output.

    Raises:
        InputError: with all faults: a name is empty or has blanks, or a score is infinite (E115), or the file cannot be
            written (E026).
    """
    log = FaultLog()
    for name in (*scores.systems, *scores.domains):
        if name.split() != [name] or "\0" in name:
            log.add("E115", f"the name “{name}” is empty or has blanks", "rename it", display_name(path))
    if np.isinf(scores.values).any():
        log.add("E115", "a score is infinite", "give finite numbers, or none", display_name(path))
    log.check()
    prefixes = [f"{domain}\t" for domain in scores.domains] or [""] * scores.values.shape[1]
    write_lines(
        path,
        (
            f"{prefix}{system}\t{_written(score)}"
            for system, row in zip(scores.systems, scores.values.tolist(), strict=True)
            for prefix, score in zip(prefixes, row, strict=True)
        ),
    )


def _written(score: float) -> str:
    return MISSING if math.isnan(score) else repr(score)


def _score(text: str) -> float | None:
    """Return a score, NaN for a missing one, nothing for what is no score."""
    if text == MISSING:
        return math.nan
    value = float(text) if _NUMBER.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def _complain(text: str, fields: list[str], width: int, file: str, number: int, log: FaultLog) -> None:
    wanted = "DOMAIN SYSTEM SCORE" if width == 3 else "SYSTEM SCORE"
    if not text.strip():
        log.add("E112", "the line is empty", "delete it", file, number)
    elif len(fields) != width:
        log.add("E112", f"{len(fields)} fields, where {wanted} is expected", "no name may have blanks", file, number)
    else:
        advice = f"write a finite number, or {MISSING} where there is none"
        log.add("E112", f"“{fields[-1]}” is no score", advice, file, number)


def _checked(
    found: dict[str, list[float]], domains: dict[str, list[str]], lines: dict[str, int], file: str, log: FaultLog
) -> tuple[str, ...]:
    """Note systems with other numbers of scores, or other domains, than most (E113); return the domains."""
    counts = [len(values) for values in found.values()]
    usual = max(counts, key=counts.count, default=0)
    for system, values in found.items():
        if len(values) != usual:
            cause = f"“{system}” has {len(values)} scores, others {usual}"
            log.add("E113", cause, f"write {MISSING} for what has no score", file, lines[system])
    names = next(iter(domains.values()), list[str]())
    for system, own in domains.items():
        if own != names and len(own) == len(names):
            cause = f"“{system}” has the domains {' '.join(own)}, others {' '.join(names)}"
            log.add("E113", cause, "write the same domains in the same order", file, lines[system])
    return tuple(names)
