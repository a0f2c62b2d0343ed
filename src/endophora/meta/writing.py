"""A test set's directory, written: scores of people and metrics, and the documents, as mt-metrics-eval reads them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from endophora.corpus.writing import write_lines
from endophora.errors import Fault, InputError
from endophora.meta.layout import Documents, human_file, metric_file
from endophora.meta.scores import write_scores
from endophora.meta.scoring import Scored

DOMAIN = "all"
"""The domain of documents of which nobody says one; the format asks for a word."""


def write_human(directory: Path, pair: str, human: Scored) -> list[Path]:
    """Write human scores of all levels below a directory, and return the files.

    Raises: InputError: a name cannot stand in a file (E115), or a file cannot be written (E026).
    """
    paths: list[Path] = []
    for level, scores in human.levels.items():
        paths.append(_parent(directory / human_file(pair, human.name, level)))
        write_scores(scores, paths[-1])
    return paths


def write_metric(directory: Path, pair: str, metric: Scored, references: Sequence[str]) -> list[Path]:
    """Write a metric's scores of all levels below a directory, and return the files.

    Raises: InputError: a name cannot stand in a file (E115) or its name (E116), or a file cannot be written (E026).
    """
    paths: list[Path] = []
    for level, scores in metric.levels.items():
        paths.append(_parent(directory / metric_file(pair, metric.name, references, level)))
        write_scores(scores, paths[-1])
    return paths


def write_documents(directory: Path, pair: str, documents: Documents) -> Path:
    """Write the documents of a test set below a directory, and return the file.

    Raises: InputError: an id is empty or has blanks (E115), or the file cannot be written (E026).
    """
    path = _parent(directory / "documents" / f"{pair}.docs")
    faults = [
        Fault("E115", f"the name “{name}” is empty or has blanks", "rename it", str(path))
        for name in dict.fromkeys((*documents.ids, *documents.domains))
        if name.split() != [name]
    ]
    if faults:
        raise InputError(faults)
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
