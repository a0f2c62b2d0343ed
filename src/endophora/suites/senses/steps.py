"""The files of a build: a table for each step, the suites in all formats, and a drawing of the thresholds."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from markupsafe import Markup

from endophora.corpus.writing import write_lines
from endophora.suites.own_formats import write_suite_jsonl
from endophora.suites.senses.build import Build
from endophora.suites.senses.clusters import ClusterScore, SenseLexicon
from endophora.suites.senses.mucow import write_mucow_json, write_mucow_lines, write_mucow_table
from endophora.version import __version__

_TABLES = ("1-words.tsv", "2a-clusters.tsv", "2b-merges.tsv", "2b-clusters.tsv", "2b-thresholds.tsv")
_SCORING = ("mucow.scoring.json", "scoring.jsonl", "test.txt")
_TRANSLATION = ("mucow.tts.json", "translation.jsonl", "key.txt", "text.txt", "ref.txt", "domain.txt")


def build_files(source_language: str, target_language: str) -> list[str]:
    """Return the names of all files that :func:`write_build` may write."""
    suites = [f"{source_language}-{target_language}.{name}" for name in (*_SCORING, *_TRANSLATION)]
    return [*_TABLES, "2b-thresholds.svg", "build.json", *suites]


def write_build(build: Build, folder: Path) -> None:
    """Write the outcome of each step of a build into a directory, which exists."""
    pair = f"{build.scoring.source_language}-{build.scoring.target_language}"
    _write_table(folder / "1-words.tsv", "word upos translation links", _words(build))
    _write_table(folder / "2a-clusters.tsv", "word upos cluster translations senses", _clusters(build.clustered))
    _write_table(folder / "2b-merges.tsv", "word upos first second similarity merged", _merges(build))
    _write_table(folder / "2b-clusters.tsv", "word upos cluster translations senses", _clusters(build.refined))
    if build.curve:
        _write_table(
            folder / "2b-thresholds.tsv",
            "threshold precision recall f1 f05 correct inferred gold",
            _curve_rows(build.curve),
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


def _write_table(path: Path, head: str, rows: Iterable[Sequence[object]]) -> None:
    body = ("\t".join(" ".join(str(cell).split()) for cell in row) for row in rows)
    write_lines(path, ["\t".join(head.split()), *body])


def _words(build: Build) -> Iterable[Sequence[object]]:
    return (
        (word.lemma, word.upos, lemma, count) for word, found in build.targets.items() for lemma, count in found.items()
    )


def _clusters(lexicon: SenseLexicon) -> Iterable[Sequence[object]]:
    for word, clusters in lexicon.items():
        for number, cluster in enumerate(clusters):
            senses = " / ".join(sense.gloss or sense.id for sense in cluster.senses)
            yield word.lemma, word.upos, number, "|".join(cluster.words), senses


def _merges(build: Build) -> Iterable[Sequence[object]]:
    for one in build.merges:
        similarity = "" if math.isnan(one.similarity) else f"{one.similarity:.3f}"
        yield one.word.lemma, one.word.upos, one.first, one.second, similarity, "yes" if one.merged else "no"


def _curve_rows(curve: Sequence[ClusterScore]) -> Iterable[Sequence[object]]:
    for one in curve:
        figures = (one.precision, one.recall, one.f(1), one.f(0.5))
        yield f"{one.threshold:g}", *(f"{figure:.4f}" for figure in figures), one.correct, one.inferred, one.gold


_WIDTH, _HEIGHT, _LEFT, _TOP, _BELOW = 320.0, 200.0, 44.0, 28.0, 44.0
_PANEL = _WIDTH + 72.0
_ROOM = 5
"""Characters that the marks of the axis have room for, if each is written."""
_Line = tuple[str, str, Callable[[ClusterScore], float]]
_PANELS: tuple[tuple[_Line, _Line], ...] = (
    (("precision", "5 3", lambda one: one.precision), ("recall", "none", lambda one: one.recall)),
    (("F1", "5 3", lambda one: one.f(1)), ("F0.5", "none", lambda one: one.f(0.5))),
)
_FRAME = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" '
    'font-size="11" fill="currentColor" role="img" aria-label="{label}">\n{body}\n</svg>'
)
_CURVE = Markup(
    '<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5" stroke-dasharray="{dash}"/>'
)
_TEXT = Markup('<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>')
_BEST = Markup('<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="currentColor"/>')
_RULE = Markup('<path d="M{x:.1f} {y:.1f}h{width:.1f}" stroke="currentColor" stroke-opacity="0.2"/>')


def draw_curves(curve: Sequence[ClusterScore]) -> str:
    """Return the curves as SVG, two panels side by side; dashed and solid lines as in the paper, a dot at the best."""
    body = list[Markup]()
    marks = [f"{one.threshold:g}" for one in curve]
    step = 1 if max(map(len, marks)) <= _ROOM else 2
    best = max(curve, key=lambda one: (one.f(0.5), -one.threshold))
    for number, lines in enumerate(_PANELS):
        left = _LEFT + number * _PANEL
        for percent in range(0, 101, 20):
            y = _y(percent / 100)
            body += [_RULE.format(x=left, y=y, width=_WIDTH), _svg_text(left - 6, y + 4, f"{percent} %", "end")]
        for one, mark in list(zip(curve, marks, strict=True))[::step]:
            body.append(_svg_text(left + _x(one, curve), _TOP + _HEIGHT + 16, mark, "middle"))
        body.append(_svg_text(left + _WIDTH / 2, _TOP + _HEIGHT + 34, "threshold γ", "middle"))
        for place, (name, dash, value) in enumerate(lines):
            points = " ".join(f"{left + _x(one, curve):.1f},{_y(value(one)):.1f}" for one in curve)
            body.append(_CURVE.format(points=points, dash=dash))
            x = left + 110 * place
            body.append(_CURVE.format(points=f"{x},{_TOP - 16} {x + 24},{_TOP - 16}", dash=dash))
            body.append(_svg_text(x + 30, _TOP - 12, name, "start"))
    body.append(_BEST.format(x=_LEFT + _PANEL + _x(best, curve), y=_y(best.f(0.5))))
    label = f"F0.5 is highest, {100 * best.f(0.5):.0f} %, at the threshold {best.threshold:g}"
    drawn = _FRAME.format(width=2 * _PANEL, height=_HEIGHT + _TOP + _BELOW, label=label, body=Markup("\n").join(body))
    return str(drawn)


def _x(one: ClusterScore, curve: Sequence[ClusterScore]) -> float:
    low, high = curve[0].threshold, curve[-1].threshold
    return (one.threshold - low) / (high - low) * _WIDTH if high > low else _WIDTH / 2


def _y(value: float) -> float:
    return _TOP + (1 - value) * _HEIGHT


def _svg_text(x: float, y: float, text: str, anchor: str) -> Markup:
    return _TEXT.format(x=x, y=y, text=text, anchor=anchor)
