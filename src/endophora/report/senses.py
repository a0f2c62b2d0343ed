"""The scores of a word-sense suite as one HTML file: figures, and for each word which sense was taken for which.

Nothing is computed here. Figures are in per cent, with one decimal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from endophora.report.figures import p_number, signed
from endophora.report.markup import asset, source_hash, templates
from endophora.report.plain import bounds
from endophora.report.sense_words import frequent, list_words, numbers
from endophora.report.sheet import Cell, axis_bounds, forest
from endophora.suites.senses.result import FigureName, GroupKind, SenseResult, SenseScore

FREQUENT = 30
"""How many confusions the list of the most frequent has; the words have all."""

_FEW = 4
"""Up to so many words are shown unfolded."""

HEADS: dict[FigureName, str] = {
    "accuracy": "accuracy",
    "precision": "precision",
    "recall_a": "recall",
    "recall_b": "recall",
    "f1_a": "F1",
    "f1_b": "F1",
    "precision_weighted": "weighted precision",
    "f1_weighted_a": "weighted F1",
    "f1_weighted_b": "weighted F1",
    "coverage_forms": "found in forms",
    "coverage": "covered",
}
"""What tables call the figures, in their order."""

_OTHERS: dict[str, tuple[FigureName, ...]] = {
    "A": ("recall_b", "f1_b", "f1_weighted_b"),
    "B": ("recall_a", "f1_a", "f1_weighted_a"),
}
"""The recall that is shown → the figures of the other one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A system against the baseline in one figure, as it is shown.

    Attributes:
        system, figure, group: what differs, in what, on which items.
        value, interval, p, adjusted: as text.
        number, low, high: the difference and its interval, in points.
    """

    system: str
    figure: str
    group: str
    value: str
    interval: str
    p: str
    adjusted: str
    number: float
    low: float | None
    high: float | None


def html(result: SenseResult) -> str:
    """Return a page that loads nothing and runs nothing; the same result gives the same bytes."""
    suite, settings = result.suite, result.settings
    style = asset("report.css", "sheet.css", "senses.css")
    found = differences(result)
    listed, confusions = frequent(result, FREQUENT)
    page = templates().get_template("senses.html.jinja")
    return page.render(
        result=result,
        style=style,
        style_hash=source_hash(style),
        title=f"{suite.source_language} → {suite.target_language}" if suite.target_language else suite.name,
        subtitle="is an ambiguous word taken in its right sense?",
        facts=[
            ("suite", suite.name),
            ("sentences", f"{suite.items:,}"),
            ("ambiguous words", f"{suite.words:,}"),
            ("senses", f"{suite.senses:,}"),
            ("scored by", "what is translated" if settings.kind == "translation" else "scores of translations"),
        ],
        counted=["right", "wrong", *(["not found"] if settings.kind == "translation" else [])],
        heads=[HEADS[name] for name in figures_of(result)],
        groups=[(label(*group), table(result, *group)) for group in groups_of(result, ("all", "domain"))],
        corpora=by_corpus(result),
        main=HEADS[main_figure(result)],
        legend=legend(result),
        differences=found,
        bounds=axis_bounds([end for one in found for end in (one.number, one.low, one.high)]),
        forest=forest,
        frequent=listed,
        confusions=confusions,
        words=list_words(result),
        unfolded=len(result.words) <= _FEW,
        settings=[
            ("tokenizer", settings.tokenizer or "none"),
            *((f"lemmas of {system}", source) for system, source in settings.lemmas.items()),
            ("recall", settings.recall),
            ("ties", settings.ties),
        ],
    )


def groups_of(result: SenseResult, kinds: tuple[GroupKind, ...]) -> list[tuple[GroupKind, str]]:
    """Return the groups of some kinds, in the order of the result."""
    return list(dict.fromkeys((one.kind, one.group) for one in result.scores if one.kind in kinds))


def figures_of(result: SenseResult) -> list[FigureName]:
    """Return the figures that are shown: recall and F1 are those that the settings name."""
    there = {one.figure for one in result.scores}
    return [name for name in HEADS if name in there and name not in _OTHERS[result.settings.recall]]


def main_figure(result: SenseResult) -> FigureName:
    """Return the figure that counts most."""
    if result.settings.kind == "scoring":
        return "accuracy"
    return "f1_a" if result.settings.recall == "A" else "f1_b"


def label(kind: GroupKind, group: str) -> str:
    """Return what a group is called."""
    if kind == "domain":
        return {"in": "In domain", "out": "Out of domain"}.get(group, "Of unknown domain")
    return "All sentences" if kind == "all" else group or "unknown corpus"


def table(result: SenseResult, kind: GroupKind, group: str) -> list[tuple[str, list[str], list[Cell]]]:
    """Return a row a system: its name, its counts, its figures."""
    return [
        (
            system,
            numbers(result, result.count(system, kind, group)),
            [cell(result.score(system, name, kind, group)) for name in figures_of(result)],
        )
        for system in result.systems
    ]


def by_corpus(result: SenseResult) -> list[tuple[str, list[Cell]]]:
    """Return a row a corpus: the figure that counts most, of each system."""
    figure = main_figure(result)
    return [
        (label(*group), [cell(result.score(system, figure, *group)) for system in result.systems])
        for group in groups_of(result, ("origin",))
    ]


def cell(score: SenseScore) -> Cell:
    """Return a figure as it is shown."""
    if score.value is None:
        return Cell("–", "", "")
    low, high = bounds(score.interval)
    mark: Literal["", "*", "†"] = ""
    if score.comparison is not None and score.comparison.significant:
        mark = "*" if score.comparison.difference > 0 else "†"
    return Cell(f"{score.value:.1f}", "" if low is None else f"{low:.1f}–{high:.1f}", mark)


def differences(result: SenseResult) -> list[Difference]:
    """Return the systems against the baseline, in all items and by domain: all figures but the coverage in forms."""
    baseline, found = result.settings.baseline, list[Difference]()
    for one in result.scores:
        against = one.comparison
        if against is None or one.system == baseline or one.kind not in ("all", "domain"):
            continue
        if one.figure in figures_of(result) and one.figure != "coverage_forms":
            low, high = bounds(against.interval)
            found.append(
                Difference(
                    system=one.system,
                    figure=HEADS[one.figure],
                    group=label(one.kind, one.group).lower(),
                    value=signed(against.difference, 1) + ("*" if against.significant else ""),
                    interval="" if low is None or high is None else f"{signed(low, 1)} to {signed(high, 1)}",
                    p=p_number(against.p_value),
                    adjusted=p_number(against.p_adjusted),
                    number=against.difference,
                    low=low,
                    high=high,
                )
            )
    return found


def legend(result: SenseResult) -> str:
    """Return what the figures and marks are, and how significance was found."""
    settings = result.settings
    shown = "Accuracy: per cent of sentences whose right translation scores better than all wrong ones."
    if settings.kind == "translation":
        base = "right and not found" if settings.recall == "A" else "all"
        shown = f"In per cent. Precision: right of right and wrong. Recall: right of {base}. Covered: found of all."
    if any(name.endswith("weighted") for name in figures_of(result)):
        shown += " Weighted: a wrong sense counts for what it is like the right one."
    if settings.resamples:
        shown += (
            f" Small: {100 * settings.confidence:g} % intervals, from {settings.resamples:,} resamples of "
            f"{settings.units}."
        )
    if settings.baseline and settings.resamples:
        shown += (
            f" * significantly better than {settings.baseline}, † worse, p ≤ {settings.alpha:g}: paired approximate "
            f"randomisation over {settings.units}, with Holm's correction over systems and groups of a kind."
        )
    return shown
