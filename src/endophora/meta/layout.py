"""Names of files in mt-metrics-eval's directories, and what is found there.

``metric-scores/SRC-TGT/NAME-REF.LEVEL.score``, where REF is ``src``, ``all`` or references joined by dots;
``human-scores/SRC-TGT.NAME.LEVEL.score``; ``documents/SRC-TGT.docs`` with ``DOMAIN DOCUMENT`` for each segment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, is_canary, read_lines
from endophora.errors import Fault, InputError
from endophora.meta.scores import Level

_NAME = re.compile(r"(?P<stem>.+)\.(?P<level>seg|doc|domain|sys)\.score(?:\.gz)?")


@dataclass(frozen=True, slots=True)
class ScoreName:
    """What a metric's file name says.

    Attributes:
        name: the metric, with its references as they stand in the name (``BLEU-refA``).
    """

    name: str
    level: Level

    @property
    def base(self) -> str:
        """The metric without its references, as ``BLEU``."""
        return self.name.rpartition("-")[0] or self.name

    @property
    def references(self) -> tuple[str, ...]:
        """The references that it read: none for ``src``, ``all`` for all; none known if the name has no dash."""
        _, dash, names = self.name.rpartition("-")
        return () if not dash or names == "src" else tuple(names.split("."))


@dataclass(frozen=True, slots=True)
class Documents:
    """Which document, and which domain, each segment of a test set is of.

    Attributes:
        ids: for each segment its document's id; a document is a run of equal ids.
        domains: for each segment its domain, or nothing if nobody says.
    """

    ids: tuple[str, ...]
    domains: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The documents' ids, in order."""
        return tuple(dict.fromkeys(self.ids))

    @property
    def index(self) -> list[int]:
        """For each segment the index of its document."""
        number = {name: index for index, name in enumerate(self.names)}
        return [number[name] for name in self.ids]

    def blocks(self, size: int) -> Documents:
        """Return documents cut into blocks of ``size`` segments; the last of each may be shorter.

        People judge long documents block by block, five sentences at a time in BlonDe's study (Appendix D).
        """
        seen: dict[str, int] = {}
        ids: list[str] = []
        for name in self.ids:
            seen[name] = seen.get(name, -1) + 1
            ids.append(f"{name}#{seen[name] // size + 1}")
        return Documents(tuple(ids), self.domains)


def parse_metric_name(path: PathLike) -> ScoreName:
    """Return what the name of a file of metric scores says.

    Raises: InputError: it is not ``NAME.LEVEL.score`` (E116).
    """
    found = _NAME.fullmatch(Path(path).name)
    if found is None:
        cause = f"“{Path(path).name}” is no name of a score file"
        raise InputError(Fault("E116", cause, "name it METRIC.LEVEL.score, LEVEL being seg, doc or sys", str(path)))
    return ScoreName(found["stem"], cast("Level", found["level"]))


def metric_file(pair: str, name: str, references: Sequence[str], level: Level) -> Path:
    """Return the path of a metric's scores in a test set's directory.

    Raises: InputError: a reference's name has a dash or a dot, or is ``src`` (E116).
    """
    if bad := [reference for reference in references if re.search(r"[-./\s]", reference) or reference in ("", "src")]:
        cause = f"a file name cannot hold the references {', '.join(bad)}"
        raise InputError(Fault("E116", cause, "rename them: no dash, dot, slash or blank, and not “src”"))
    return Path("metric-scores") / pair / f"{name}-{'.'.join(references) or 'src'}.{level}.score"


def human_file(pair: str, name: str, level: Level) -> Path:
    """Return the path of human scores in a test set's directory, given languages, a name as ``mqm``, and the level."""
    return Path("human-scores") / f"{pair}.{name}.{level}.score"


def find_metrics(path: Path, pair: str = "") -> dict[str, dict[Level, Path]]:
    """Return the files of metric scores below a path: metric → level → file.

    Args:
        path: a file, a directory of files, or a test set's directory, in which those of ``pair`` are taken.

    Raises: InputError: there are none (E117).
    """
    folders = (path / "metric-scores" / pair, path / pair, path) if pair else (path,)
    files = [path] if path.is_file() else []
    for folder in folders:
        files = files or sorted(file for file in folder.glob("*") if _NAME.fullmatch(file.name))
    if not files:
        cause = "there are no files of metric scores"
        raise InputError(Fault("E117", cause, "name a directory with METRIC.LEVEL.score files", str(path)))
    found: dict[str, dict[Level, Path]] = {}
    for file in files:
        name = parse_metric_name(file)
        found.setdefault(name.name, {})[name.level] = file
    return found


def find_human(path: Path, pair: str, name: str = "") -> Mapping[Level, Path]:
    """Return the files of human scores: level → file.

    Args:
        path: a file ``….LEVEL.score``, whose sisters of other levels are taken too, or a test set's directory.

    Raises: InputError: there are none, or several (E117).
    """
    if path.is_file():
        stem = parse_metric_name(path).name
        found = find_metrics(path.parent)
        return found[stem]
    folder = path / "human-scores" if (path / "human-scores").is_dir() else path
    stems = {
        parse_metric_name(file).name
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
    """Read a file of documents: ``DOMAIN DOCUMENT`` or ``DOCUMENT`` on each segment's line.

    Raises:
        InputError: with all faults: the file cannot be read (E001–E007), a line has another number of fields (E112), or
            a document comes back after another (E013).
    """
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
