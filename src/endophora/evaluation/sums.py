"""The sums that figures are computed from, kept beside a result: with them two results are compared by a paired test.

A file has for each table of an evaluation (:class:`~endophora.evaluation.figures.MetricTable`) the statistics of every
system, summed within each unit of resampling. It is NumPy's ``npz`` without pickled objects; ``about`` is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
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


def write_sums(result: Result, tables: Sequence[MetricTable], path: Path) -> None:
    """Write the sums of a result's tables."""
    arrays: dict[str, FloatArray | BoolArray] = {}
    abouts = [
        asdict(About(table.scored, tuple(column.name for column in table.columns), table.units.kind))
        for table in tables
    ]
    for number, table in enumerate(tables):
        arrays[f"sums{number}"] = table.units.sums(table.statistics)
        shape = len(table.statistics), len(table.columns)
        arrays[f"enough{number}"] = np.broadcast_to(True if table.enough is None else table.enough, shape)
    about = {"signature": result.signature, "systems": result.corpus.systems, "tables": abouts}
    with path.open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, about=np.array(json.dumps(about)), **arrays)


def read_sums(result: Result, path: Path) -> list[Sums]:
    """Read the sums of a result (E373: absent, damaged, or of another result)."""
    try:
        with np.load(path, allow_pickle=False) as found:
            about = json.loads(str(found["about"]))
            if (about["signature"], about["systems"]) != (result.signature, result.corpus.systems):
                raise ValueError("it is of another result than the one beside it")
            return [
                Sums(
                    About(one["scored"], tuple(one["columns"]), cast("Kind", one["units"])),
                    found[f"sums{number}"],
                    found[f"enough{number}"],
                )
                for number, one in enumerate(about["tables"])
            ]
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
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
