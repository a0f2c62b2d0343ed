"""The result of a perturbation: one typed schema, which reports render and which is published as JSON Schema."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from endophora.context.context_read import ContextCounts
from endophora.record import Difference, Figure, Interval, Record, ResamplingSettings, WrittenRecord, first_of

PERTURBATION_SCHEMA_VERSION = 2

Label = Literal["uses", "indifferent", "harmed", "collapses", "undecided", "refused"]


class PerturbedCorpus(Record):
    """What was translated."""

    source_language: str = Field(description="ISO 639-1 code")
    target_language: str = Field(description="ISO 639-1 code")
    documents: int
    segments: int
    skipped: int = Field(default=0, description="others that were left out, too long for a model")
    references: list[str] = Field(description="names; the first is scored for CXMI and is the gold context")


class PerturbationSettings(ResamplingSettings):
    """What the figures depend on besides text and models."""

    size: int = Field(description="most segments of context")
    sides: Literal["source", "target", "both"] = Field(description="on which context is given")
    beam: int
    length_penalty: float
    longest: float = Field(description="most tokens of a translation, as a multiple of the source's, plus ten")
    cxmi: Literal["total", "normalised", "off"] = Field(description="definition of CXMI")
    test: Literal["approximate-randomisation", "bootstrap"]
    seed: int = Field(description="of the perturbations and of resampling")
    margin: float = Field(description="smallest difference in the first metric that a verdict heeds, points of 100")
    cxmi_margin: float = Field(description="smallest difference in CXMI that a verdict heeds, nats")
    collapse: float = Field(description="share of the score without context whose loss is a collapse")
    without_context: float = Field(
        description="largest share of answers to segments with context that may be made without it, for a verdict"
    )


class PerturbedModel(Record):
    """A model that was tried."""

    name: str
    signature: str


class PerturbedCondition(Record):
    """What stood in the place of the context."""

    name: str
    description: str


class PerturbationColumn(Record):
    """A measured quantity."""

    name: str = Field(description="BLEU, chrF, …, CXMI")
    kind: Literal["metric", "cxmi"]
    scale: float = Field(description="the value of a perfect score: 1 or 100; 1 for CXMI, which has none")
    higher_is_better: bool
    signature: str


class PerturbationScore(Figure):
    """One figure of a model under a condition; ``value`` is null where there is nothing to count."""

    model: str
    condition: str
    column: str
    kept: int = Field(default=0, description="segments of whose correct context the model read anything")
    kept_value: float | None = Field(
        default=None, description="the same over these; null if there are none, or the metric is of whole documents"
    )
    kept_interval: Interval | None = Field(default=None, description="null where these are in fewer than six units")


class PerturbationDifference(Difference):
    """A model under two conditions."""

    model: str
    column: str
    first: str = Field(description="condition")
    second: str = Field(description="condition")
    difference: float = Field(description="first minus second")
    p_value: float = Field(description="two-sided; paired, by the test that the settings name")
    p_adjusted: float = Field(description="Holm, over all differences of metrics, or of CXMI")


class PerturbedOutput(Record):
    """What a model was given and wrote under a condition."""

    model: str
    condition: str
    changed: int = Field(description="segments whose input is another than under the correct context")
    warned: int = Field(description="segments of whose translation the model gave a warning")
    context: ContextCounts = Field(description="what became of the context of the segments that were translated")
    scored: ContextCounts | None = Field(
        default=None, description="how much context references were scored with; null where they were not"
    )
    file: str = Field(description="the translations, one a line, beside the result; empty if they were not written")


class Verdict(Record):
    """What the figures say of a model, by the settings' thresholds."""

    model: str
    label: Label
    sentence: str


class PerturbationResult(WrittenRecord):
    """Everything that a perturbation found."""

    schema_version: int = PERTURBATION_SCHEMA_VERSION
    version: str = Field(description="of the package")
    signature: str
    corpus: PerturbedCorpus
    settings: PerturbationSettings
    models: list[PerturbedModel]
    conditions: list[PerturbedCondition] = Field(description="the correct context first")
    columns: list[PerturbationColumn]
    scores: list[PerturbationScore]
    differences: list[PerturbationDifference] = Field(
        description="correct less each other condition; and, in CXMI, each condition less none"
    )
    outputs: list[PerturbedOutput]
    verdicts: list[Verdict]
    warnings: list[str]

    def score(self, model: str, condition: str, column: str) -> PerturbationScore | None:
        """Return a figure; ``None`` if there is none."""
        return first_of(self.scores, model=model, condition=condition, column=column)

    def difference(self, model: str, column: str, first: str, second: str) -> PerturbationDifference | None:
        """Return the difference of two conditions; ``None`` if there is none."""
        return first_of(self.differences, model=model, column=column, first=first, second=second)
