"""The files of a build: a table for each step, the suites in all formats, and a drawing of the thresholds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from endophora.corpus.writing import write_lines
from endophora.suites.jsonl import write_suite_jsonl
from endophora.suites.senses.build import Build
from endophora.suites.senses.clusters import Lexicon
from endophora.suites.senses.curves import draw_curves
from endophora.suites.senses.mucow_json import write_mucow_json
from endophora.suites.senses.mucow_lines import write_mucow_lines
from endophora.suites.senses.mucow_table import write_mucow_table
from endophora.suites.senses.thresholds import ClusterScore
from endophora.version import __version__

_TABLES = ("1-words.tsv", "2a-clusters.tsv", "2b-merges.tsv", "2b-clusters.tsv", "2b-thresholds.tsv")
_SCORING = ("mucow.scoring.json", "scoring.jsonl", "test.txt")
_TRANSLATION = ("mucow.tts.json", "translation.jsonl", "key.txt", "text.txt", "ref.txt", "domain.txt")


def build_files(source_language: str, target_language: str) -> list[str]:
    """Return the names of all files that :func:`write_build` may write.

    Args:
        source_language: ISO 639-1 code.
        target_language: ISO 639-1 code.
    """
    suites = [f"{source_language}-{target_language}.{name}" for name in (*_SCORING, *_TRANSLATION)]
    return [*_TABLES, "2b-thresholds.svg", "build.json", *suites]


def write_build(build: Build, folder: Path) -> None:
    """Write the outcome of each step of a build into a directory, which exists.

    Raises:
        InputError: a file cannot be written (E026).
    """
    pair = f"{build.scoring.source_language}-{build.scoring.target_language}"
    _table(folder / "1-words.tsv", "word upos translation links", _words(build))
    _table(folder / "2a-clusters.tsv", "word upos cluster translations senses", _clusters(build.clustered))
    _table(folder / "2b-merges.tsv", "word upos first second similarity merged", _merges(build))
    _table(folder / "2b-clusters.tsv", "word upos cluster translations senses", _clusters(build.refined))
    if build.curve:
        _table(
            folder / "2b-thresholds.tsv", "threshold precision recall f1 f05 correct inferred gold", _curve(build.curve)
        )
        write_lines(folder / "2b-thresholds.svg", draw_curves(build.curve).split("\n"))
    if build.scoring.items:
        write_mucow_json(build.scoring, folder / f"{pair}.mucow.scoring.json")
        write_suite_jsonl(build.scoring, folder / f"{pair}.scoring.jsonl")
        write_mucow_table(build.scoring, folder / f"{pair}.test.txt")
    if build.translation.items:
        write_mucow_json(build.translation, folder / f"{pair}.mucow.tts.json")
        write_suite_jsonl(build.translation, folder / f"{pair}.translation.jsonl")
        write_mucow_lines(build.translation, folder / pair)
    summary = {
        "version": __version__,
        "signature": build.signature,
        "threshold": build.threshold,
        "sizes": asdict(build.sizes),
        "warnings": list(build.warnings),
    }
    write_lines(folder / "build.json", json.dumps(summary, ensure_ascii=False, indent=1).split("\n"))


def _table(path: Path, head: str, rows: Iterable[Sequence[object]]) -> None:
    body = ("\t".join(" ".join(str(cell).split()) for cell in row) for row in rows)
    write_lines(path, ["\t".join(head.split()), *body])


def _words(build: Build) -> Iterable[Sequence[object]]:
    return (
        (word.lemma, word.upos, lemma, count) for word, found in build.targets.items() for lemma, count in found.items()
    )


def _clusters(lexicon: Lexicon) -> Iterable[Sequence[object]]:
    for word, clusters in lexicon.items():
        for number, cluster in enumerate(clusters):
            senses = " / ".join(sense.gloss or sense.id for sense in cluster.senses)
            yield word.lemma, word.upos, number, "|".join(cluster.words), senses


def _merges(build: Build) -> Iterable[Sequence[object]]:
    for one in build.merges:
        similarity = "" if math.isnan(one.similarity) else f"{one.similarity:.3f}"
        yield one.word.lemma, one.word.upos, one.first, one.second, similarity, "yes" if one.merged else "no"


def _curve(curve: Sequence[ClusterScore]) -> Iterable[Sequence[object]]:
    for one in curve:
        figures = (one.precision, one.recall, one.f(1), one.f(0.5))
        yield f"{one.threshold:g}", *(f"{figure:.4f}" for figure in figures), one.correct, one.inferred, one.gold
