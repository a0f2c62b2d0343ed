"""The study of Mohammed and Niculae (2024) over the same models: the results of its parts, and their figures joined.

Each part is measured by its own module: perturbation (Table 2), contrastive accuracy (Table 4), and attribution of the
supporting words of a contrastive suite (Table 1, Figure 3) and of one that people annotated (Table 3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from endophora.context.attribution.results import AttributionResult, Measure
from endophora.context.results import ContrastResult, PerturbationResult
from endophora.record import Figure, Interval, StudyResult
from endophora.signature import write_signature
from endophora.version import __version__


class JoinedFigure(Figure):
    """A figure of one model in one part of the study."""

    model: str
    study: str = Field(description="perturbation, contrast, or attribution and the name of its suite")
    measure: str = Field(description="as “bleu, correct”, “accuracy, context 5” or “supporting words”")
    unit: Literal["%", "nats"] = Field(description="metrics are in per cent of a perfect score")
    count: int = Field(description="segments, judged occurrences, items or words that it is of")


class UtilizationResult(StudyResult):
    """The parts of the study as they were measured, and their main figures side by side."""

    models: list[str]
    perturbation: PerturbationResult | None = Field(description="Table 2; null without a corpus")
    contrast: ContrastResult | None = Field(description="Table 4; null without a suite")
    attributions: list[AttributionResult] = Field(description="Tables 1 and 3, Figure 3")
    figures: list[JoinedFigure]
    warnings: list[str] = Field(description="of all parts; what a model has no part in is among them")


def join_study(
    models: Sequence[str],
    perturbation: PerturbationResult | None,
    contrast: ContrastResult | None,
    attributions: Sequence[AttributionResult],
    warnings: Sequence[str] = (),
) -> UtilizationResult:
    """Return the results of the parts as one; no figure is computed again."""
    parts = [
        *([("perturbation", perturbation)] if perturbation else []),
        *([("contrast", contrast)] if contrast else []),
        *((f"attribution of {one.data}", one) for one in attributions),
    ]
    figures = [
        *(_of_perturbation(perturbation) if perturbation else ()),
        *(_of_contrast(contrast) if contrast else ()),
        *(figure for one in attributions for figure in _of_attribution(one)),
    ]
    return UtilizationResult(
        version=__version__,
        signature=write_signature((name, {"signature": part.signature}) for name, part in parts),
        models=list(models),
        perturbation=perturbation,
        contrast=contrast,
        attributions=list(attributions),
        figures=sorted(figures, key=lambda one: models.index(one.model)),
        warnings=[*warnings, *(f"{name}: {warning}" for name, part in parts for warning in part.warnings)],
    )


def _of_perturbation(result: PerturbationResult) -> Iterator[JoinedFigure]:
    """Yield the first metric, CXMI and phenomena under each condition."""
    first = next(column.name for column in result.columns if column.kind == "metric")
    for column in result.columns:
        if column.kind == "metric" and column.name != first:
            continue
        nats = column.kind == "cxmi"
        factor = 1.0 if nats else 100 / column.scale
        for score in result.scores:
            if score.column == column.name and score.value is not None:
                yield JoinedFigure(
                    model=score.model,
                    study="perturbation",
                    measure=f"{column.name}, {score.condition}",
                    unit="nats" if nats else "%",
                    value=factor * score.value,
                    interval=_scaled(score.interval, factor),
                    count=result.corpus.segments if score.judged is None else score.judged,
                )


def _scaled(interval: Interval | None, factor: float) -> Interval | None:
    return interval and Interval(low=factor * interval.low, high=factor * interval.high)


def _of_contrast(result: ContrastResult) -> Iterator[JoinedFigure]:
    """Yield the accuracy over all items with each size of context."""
    for score in result.scores:
        if score.kind == "all":
            yield JoinedFigure(
                model=score.model,
                study="contrast",
                measure=f"accuracy, context {score.size}",
                unit="%",
                value=score.value,
                interval=score.interval,
                count=score.counted,
            )


_SHARES: tuple[tuple[Measure, str], ...] = (
    ("support", "supporting words"),
    ("context", "context"),
    ("source", "source"),
    ("target prefix", "target prefix"),
    ("prompt", "prompt"),
)


def _of_attribution(result: AttributionResult) -> Iterator[JoinedFigure]:
    """Yield the shares of the supporting words and of the context over all words."""
    for model in result.models:
        # A prompt has words around the segments; an encoder reads nothing else.
        prompted = result.share(model.name, "prompt").value > 0
        for name, title in _SHARES[: None if prompted else -1]:
            share = result.share(model.name, name)
            yield JoinedFigure(
                model=model.name,
                study=f"attribution of {result.data}",
                measure=title,
                unit="%",
                value=share.value,
                interval=share.interval,
                count=share.words,
            )
