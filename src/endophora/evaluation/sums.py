"""The sums that figures are computed from, kept beside a result: with them two results are compared by a paired test.

A file has for each table of an evaluation (:class:`~endophora.evaluation.figures.MetricTable`) the statistics of every
system, summed within each unit of resampling. It is NumPy's ``npz`` without pickled objects; ``about`` is JSON.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast
from zipfile import BadZipFile

import numpy as np

from endophora.errors import Fault, InputError
from endophora.evaluation.figures import MetricTable
from endophora.evaluation.result import Result
from endophora.judgments.judging import score as score_choices
from endophora.languages import load_language
from endophora.metrics import load_document_metric, load_metric, reads_annotations
from endophora.metrics.word_f import WordF
from endophora.signature import digest_of
from endophora.statistics.comparison import in_a_column
from endophora.statistics.resampling import Kind
from endophora.statistics.units import BoolArray, FloatArray, Score

SUMS = "statistics.npz"


@dataclass(frozen=True, slots=True)
class About:
    """What a table is: what scores it, its columns, and its units."""

    scored: str
    columns: tuple[str, ...]
    units: Kind


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """A table of an evaluation, summed within units."""

    about: About
    sums: FloatArray  # (systems, units, …, statistics)
    enough: BoolArray  # (systems, columns): whether enough was judged for a test


def write_sums(result: Result, tables: Sequence[MetricTable], path: Path, judgments: Path) -> None:
    """Write the sums of a result's tables, with marks of the result and of the judgments written with them."""
    arrays: dict[str, FloatArray | BoolArray] = {}
    abouts = [
        asdict(About(table.scored, tuple(column.name for column in table.columns), table.units.kind))
        for table in tables
    ]
    for number, table in enumerate(tables):
        arrays[f"sums{number}"] = table.units.sums(table.statistics)
        shape = len(table.statistics), len(table.columns)
        arrays[f"enough{number}"] = np.broadcast_to(True if table.enough is None else table.enough, shape)
    with judgments.open("rb") as lines:
        mark = _mark_of_lines(line.rstrip(b"\r\n") for line in lines)
    about = {"result": _mark(result), "judgments": mark, "tables": abouts}
    with path.open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, about=np.array(json.dumps(about)), **arrays)


def _mark(result: Result) -> str:
    """Return what tells a result from others: its settings, texts and systems, and what these scored."""
    # Nine digits: what is written and read again is the same.
    scores = [
        (one.column, one.system, None if one.value is None else f"{one.value:.9g}", one.counts) for one in result.scores
    ]
    return digest_of([result.signature, result.corpus.texts, result.corpus.systems, scores])


def _mark_of_lines(judgments: Iterable[bytes]) -> str:
    """Return what tells judgments from others; what ends their lines is left out."""
    mark = hashlib.blake2b(digest_size=16)
    for number, line in enumerate(judgments):
        mark.update(b"\n" + line if number else line)
    return mark.hexdigest()


_DAMAGED = (OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, EOFError, BadZipFile, zlib.error)
"""What reading a damaged file can raise; of those, a ``RuntimeError`` where it seems encrypted or of another form."""


def read_sums(result: Result, path: Path, judgments: bytes) -> list[Sums]:
    """Read the sums of a result (E373: absent, damaged, or of another result, as may be the judgments beside it)."""
    try:
        with np.load(path, allow_pickle=False) as found:
            about = json.loads(str(found["about"]))
            if about.get("result") != _mark(result):
                raise ValueError("they are of another result than the one beside them")
            if about.get("judgments") != _mark_of_lines(judgments.splitlines()):
                raise ValueError("the judgments beside them are damaged, or of another result")
            return [
                Sums(
                    About(one["scored"], tuple(one["columns"]), cast("Kind", one["units"])),
                    found[f"sums{number}"],
                    found[f"enough{number}"],
                )
                for number, one in enumerate(about["tables"])
            ]
    except _DAMAGED as error:
        why = f"the statistics of the result cannot be read: {getattr(error, 'strerror', None) or error}"
        advice = "evaluate again: each evaluation writes result.json, judgments.jsonl and statistics.npz together"
        raise InputError(Fault("E373", why, advice, str(path))) from error


def score_of(about: About, language: str) -> Score:
    """Return what scores the sums of a table again, (…, statistics) → (…, columns)."""
    kind, _, argument = about.scored.partition(":")
    if kind == "choice":
        return score_choices
    if kind == "wording":
        return WordF(about.columns, argument).score
    if reads_annotations(about.scored):
        return load_document_metric(about.scored, load_language(language)).figures
    return in_a_column(load_metric(about.scored, language).score)
