"""Score files and directories of mt-metrics-eval, WMT's collection of metric and human scores: reading and writing.

A line is ``SYSTEM SCORE``, at domain level ``DOMAIN SYSTEM SCORE``, with any blanks between; ``None`` is a missing
score. Of each system there is one line at system level, and at the others one for each document or segment, in the
order of the test set. Names of files: ``metric-scores/SRC-TGT/NAME-REF.LEVEL.score``, where REF is ``src``, ``all`` or
references joined by dots; ``human-scores/SRC-TGT.NAME.LEVEL.score``; ``documents/SRC-TGT.docs`` with
``DOMAIN DOCUMENT`` for each segment.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, each_line, is_canary, read_lines
from endophora.corpus.writing import write_lines
from endophora.errors import Fault, InputError, refuse
from endophora.evaluation.levels import Documents, Level, Scores, ScoreSet

UPWARD: tuple[Level, ...] = ("seg", "doc", "sys")
MISSING = "None"

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NAME = re.compile(r"(?P<stem>.+)\.(?P<level>seg|doc|domain|sys)\.score(?:\.gz)?")
DOMAIN = "all"
"""The domain of documents of which nobody says one; the format asks for a word."""


def read_scores(path: PathLike, level: Level) -> Scores:
    """Read a score file."""
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
            wanted = "DOMAIN SYSTEM SCORE" if width == 3 else "SYSTEM SCORE"
            cause, advice = f"{len(fields)} fields, where {wanted} is expected", "no name may have blanks"
            if not fields:
                cause, advice = "the line is empty", "delete it"
            elif len(fields) == width:
                cause = f"“{fields[-1]}” is no score"
                advice = f"write a finite number, or {MISSING} where there is none"
            log.add("E112", cause, advice, file, number)
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
    """Write a score file that reads back the same, gzipped if the path ends in ``.gz``; ``-`` is standard output."""
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
            f"{prefix}{system}\t{MISSING if math.isnan(score) else repr(score)}"
            for system, row in zip(scores.systems, scores.values.tolist(), strict=True)
            for prefix, score in zip(prefixes, row, strict=True)
        ),
    )


def _score(text: str) -> float | None:
    """Return a score, NaN for a missing one, nothing for what is no score."""
    if text == MISSING:
        return math.nan
    value = float(text) if _NUMBER.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


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


def parse_metric_name(path: PathLike) -> tuple[str, Level]:
    """Return what the name of a file of metric scores says: the metric, with references as ``BLEU-refA``; the level."""
    found = _NAME.fullmatch(Path(path).name)
    if found is None:
        cause = f"“{Path(path).name}” is no name of a score file"
        raise InputError(Fault("E116", cause, "name it METRIC.LEVEL.score, LEVEL being seg, doc or sys", str(path)))
    return found["stem"], cast("Level", found["level"])


def metric_file(pair: str, name: str, references: Sequence[str], level: Level) -> Path:
    """Return the path of a metric's scores in a test set's directory."""
    if bad := [reference for reference in references if re.search(r"[-./\s]", reference) or reference in ("", "src")]:
        cause = f"a file name cannot hold the references {', '.join(bad)}"
        raise InputError(Fault("E116", cause, "rename them: no dash, dot, slash or blank, and not “src”"))
    return Path("metric-scores") / pair / f"{name}-{'.'.join(references) or 'src'}.{level}.score"


def human_file(pair: str, name: str, level: Level) -> Path:
    """Return the path of human scores in a test set's directory, given languages, a name as ``mqm``, and the level."""
    return Path("human-scores") / f"{pair}.{name}.{level}.score"


def find_metrics(path: Path, pair: str = "") -> dict[str, dict[Level, Path]]:
    """Return the files of metric scores below a path: metric → level → file."""
    folders = (path / "metric-scores" / pair, path / pair, path) if pair else (path,)
    files = [path] if path.is_file() else []
    for folder in folders:
        files = files or sorted(file for file in folder.glob("*") if _NAME.fullmatch(file.name))
    if not files:
        cause = "there are no files of metric scores"
        raise InputError(Fault("E117", cause, "name a directory with METRIC.LEVEL.score files", str(path)))
    found: dict[str, dict[Level, Path]] = {}
    for file in files:
        name, level = parse_metric_name(file)
        found.setdefault(name, {})[level] = file
    return found


def find_human(path: Path, pair: str, name: str = "") -> Mapping[Level, Path]:
    """Return the files of human scores, level → file, of a test set's directory or, with its sisters, of one file."""
    if path.is_file():
        return find_metrics(path.parent)[parse_metric_name(path)[0]]
    folder = path / "human-scores" if (path / "human-scores").is_dir() else path
    stems = {
        parse_metric_name(file)[0]
        for file in folder.glob(f"{pair}.{name or '*'}.*.score*")
        if _NAME.fullmatch(file.name)
    }
    if len(stems) != 1:
        known = f": {', '.join(sorted(stems))}" if stems else ""
        cause = f"there are {len(stems) or 'no'} human scores of {pair or 'unnamed languages'}{known}"
        advice = "name one of them" if stems else "name the languages, or a file"
        raise InputError(Fault("E117", cause, advice, str(folder)))
    return find_metrics(folder)[stems.pop()]


def read_documents(path: PathLike) -> Documents:
    """Read a file of documents: ``DOMAIN DOCUMENT`` or ``DOCUMENT`` on each segment's line."""
    log = FaultLog()
    lines = read_lines(path, log)
    texts = lines.texts[1:] if lines.texts and is_canary(lines.texts[0]) else lines.texts
    rows = [text.split() for text in texts]
    width = len(rows[0]) if rows and len(rows[0]) in (1, 2) else 2
    first, seen, before = len(lines.texts) - len(texts) + 1, set[str](), ""
    for number, row in enumerate(rows, start=first):
        if len(row) != width:
            cause = f"{len(row)} fields where {width} are expected"
            log.add("E112", cause, "write DOMAIN and DOCUMENT, or DOCUMENT alone", display_name(path), number)
            continue
        if row[-1] != before and row[-1] in seen:
            cause = f"document “{row[-1]}” comes back after another"
            log.add("E013", cause, "bring its lines together", display_name(path), number)
        before = row[-1]
        seen.add(before)
    log.check()
    return Documents(tuple(row[-1] for row in rows), tuple(row[0] for row in rows) if width == 2 else ())


def read_scored(name: str, files: Mapping[Level, Path], documents: Documents | None) -> ScoreSet:
    """Read a metric's files, and fill the levels above those that there are."""
    levels: dict[Level, Scores] = {level: read_scores(files[level], level) for level in UPWARD if level in files}
    counts = {} if documents is None else {"seg": len(documents.ids), "doc": len(documents.names)}
    refuse(
        Fault("E113", f"{size} scores a system, but {counts[level]} in the documents", "", str(files[level]))
        for level, scores in levels.items()
        if (size := scores.values.shape[1]) != counts.get(level, size)
    )
    return ScoreSet(name, levels).complete(documents)


def write_human(directory: Path, pair: str, human: ScoreSet) -> list[Path]:
    """Write human scores of all levels below a directory, and return the files."""
    return [_write(scores, directory / human_file(pair, human.name, level)) for level, scores in human.levels.items()]


def write_metric(directory: Path, pair: str, metric: ScoreSet, references: Sequence[str]) -> list[Path]:
    """Write a metric's scores of all levels below a directory, and return the files."""
    return [
        _write(scores, directory / metric_file(pair, metric.name, references, level))
        for level, scores in metric.levels.items()
    ]


def _write(scores: Scores, path: Path) -> Path:
    write_scores(scores, _parent(path))
    return path


def write_documents(directory: Path, pair: str, documents: Documents) -> Path:
    """Write the documents of a test set below a directory, and return the file."""
    path = _parent(directory / "documents" / f"{pair}.docs")
    refuse(
        Fault("E115", f"the name “{name}” is empty or has blanks", "rename it", str(path))
        for name in dict.fromkeys((*documents.ids, *documents.domains))
        if name.split() != [name]
    )
    domains = documents.domains or (DOMAIN,) * len(documents.ids)
    write_lines(path, (f"{domain}\t{name}" for domain, name in zip(domains, documents.ids, strict=True)))
    return path


def _parent(path: Path) -> Path:
    """Return a path, its directory made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cause = f"the directory cannot be made ({error.strerror or error})"
        raise InputError(Fault("E026", cause, "name another directory", str(path.parent))) from error
    return path
