"""A whole study of context use shown: figures of all parts by model, then the tables of each part as its own report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType

from endophora.context.study import UtilizationResult
from endophora.record import StudyResult
from endophora.report import attribution, contrast, perturbation
from endophora.report.conclusion import conclude_study
from endophora.report.static_page import PageSection, static_page
from endophora.report.table import BRACKETS, Cell, Section, Table, csv_records, figure, figures, names, record_cells

_NOTE = (
    "Each figure is of the same models; the sections below say what it is. n: segments, judged occurrences, items or "
    "words. CXMI is in nats, everything else in per cent."
)
_PARETO = (
    "The accuracy of contrast beside the share of the supporting words. A ring is a model that another one equals in "
    "both and beats in one."
)
_HOLDS = {"%": "translations", "nats": "CXMI"}
"""What the figures of a unit are of, in a part that has both."""
_CSV = ("model", "study", "measure", "unit", "value", "low", "high", "count")


def sections(result: UtilizationResult) -> Iterator[Section]:
    """Yield the joined tables, verdicts, the sections of each part, and warnings."""
    yield [f"Context use of {', '.join(result.models)}", *conclude_study(result)]
    for table in _joined(result):
        yield [table]
    yield [_NOTE]
    for title, part, shown in _parts(result):
        yield [title.upper()]
        yield from shown.sections(part)
    yield [*(f"warning: {warning}" for warning in result.warnings), f"signature: {result.signature}"]


def papers(result: UtilizationResult) -> Iterator[Table]:
    """Yield the joined tables, then each part in the shape of the paper's Tables 2, 4, 1 and 3."""
    yield from _joined(result)
    for _, part, shown in _parts(result):
        yield from shown.papers(part)


def rows(result: UtilizationResult) -> list[Sequence[object]]:
    """Return one row for each joined figure; the parts have all others."""
    return csv_records(_CSV, [record_cells(one) for one in result.figures])


def page(result: UtilizationResult) -> str:
    """Return one page of all tables, with the plot of accuracy against attribution (Figure 3)."""
    found = [PageSection("All parts, by model", [_NOTE, *_joined(result)])]
    for title, part, shown in _parts(result):
        found.append(PageSection(title, list(shown.papers(part))))
    for one in result.attributions:
        if plot := attribution.pareto_plot(one.pareto):
            found.append(PageSection(f"Accuracy and attribution: {one.data}", [_PARETO, plot]))
    if result.warnings:
        found.append(PageSection("Warnings", result.warnings))
    return static_page(
        result,
        title="Context use",
        subtitle=", ".join(result.models),
        conclusion=conclude_study(result),
        facts=[("models", f"{len(result.models):,}"), ("measured", ", ".join(title for title, _, _ in _parts(result)))],
        sections=found,
        settings=[(title, part.signature) for title, part, _ in _parts(result)],
    )


def _parts(result: UtilizationResult) -> Iterator[tuple[str, StudyResult, ModuleType]]:
    """Yield the parts that were measured: heading, result, and the module that shows it."""
    if result.perturbation:
        yield "Perturbed contexts", result.perturbation, perturbation
    if result.contrast:
        yield "Contrastive accuracy", result.contrast, contrast
    for one in result.attributions:
        yield f"Attribution: {one.data}", one, attribution


def _joined(result: UtilizationResult) -> Iterator[Table]:
    """Yield a table for each part and unit: a line for each measure and model, so that many models have room."""
    tables = list(dict.fromkeys((one.study, one.unit) for one in result.figures))
    for study, unit in tables:
        lines: list[list[Cell | str]] = []
        found = [one for one in result.figures if (one.study, one.unit) == (study, unit)]
        for measure in dict.fromkeys(one.measure for one in found):
            for one in (each for each in found if each.measure == measure):
                value = figure(one.value, one.interval, digits=3 if unit == "nats" else 1)
                lines.append([measure, one.model, f"{one.count:,}", value])
        rules = {place for place in range(len(lines) - 1) if lines[place][0] != lines[place + 1][0]}
        alone = [other for other, _ in tables].count(study) == 1
        title = study if alone else f"{study}, {_HOLDS[unit]}"
        heads = [*names("measure", "model"), *figures("n", unit, interval=BRACKETS)]
        yield Table(heads, lines, title, frozenset(rules))
