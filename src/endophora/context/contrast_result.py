"""The result of scoring right against wrong translations: one typed schema, which reports render."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from endophora.context.context_read import ContextCounts
from endophora.record import Difference, Figure, Interval, Record, ResamplingSettings, WrittenRecord, first_of

CONTRAST_SCHEMA_VERSION = 2

GroupKind = Literal["all", "phenomenon", "rule", "form", "distance"]


class ContrastSuite(Record):
    """The suite, without items that have no wrong translation."""

    name: str
    source_language: str = Field(description="ISO 639-1 code; empty if unknown")
    target_language: str = Field(description="ISO 639-1 code; empty if unknown")
    items: int
    skipped: int = Field(default=0, description="others that were left out, too long for a model")
    documents: int
    translations: int = Field(description="right and wrong ones of all items")


class ContrastSettings(ResamplingSettings):
    """What the figures depend on besides suite and models."""

    sizes: list[int] = Field(description="segments of context that models were given")
    sides: Literal["source", "target", "both"] = Field(description="on which context was given")
    normalised: bool = Field(description="log-probabilities were divided by the translation's tokens")
    ties: Literal["wrong", "correct"] = Field(description="what a tie counts as")
    baseline: str = Field(description="the model that others are compared with; empty if there is one only")


class ContrastRun(Record):
    """A model with so much context."""

    model: str
    size: int = Field(description="most segments of context")
    signature: str = Field(description="of the model; empty if its scores were read from a file")
    ties: int = Field(description="items whose right translation is scored like the best wrong one")
    file: str = Field(description="where its scores were read from, or were written to, beside the result")
    context: ContextCounts | None = Field(
        default=None, description="how much context was read, the same for all translations of an item"
    )


class ContrastScore(Figure):
    """Accuracy in per cent; ``value`` is null where nothing is counted."""

    model: str
    size: int
    kind: GroupKind
    group: str = Field(description="form, distance, rule or phenomenon; empty for all items")
    correct: int
    counted: int
    kept_value: float | None = Field(
        default=None, description="the same over items of whose context the model read anything"
    )
    kept_interval: Interval | None = Field(default=None, description="null where these are in fewer than six units")
    kept_least: float | None = Field(
        default=None, description="accuracy on these items of the same model with the least context"
    )
    kept_correct: int = 0
    kept_counted: int = 0


class ContrastComparison(Difference):
    """Two runs on the same items: of one model with more and with the least context, or of two models with the same."""

    of: Literal["context", "model"]
    kind: GroupKind
    group: str
    model: str
    size: int
    other_model: str = Field(description="what it is compared with")
    other_size: int
    difference: float = Field(description="of the accuracies, in points: this run less the other")
    gained: int = Field(description="items that only this run has right")
    lost: int = Field(description="items that only the other has right")
    p_value: float = Field(description="paired approximate randomisation over the units, two-sided")
    p_adjusted: float = Field(description="Holm, over all comparisons of the same sort in groups of the same kind")


class ContrastResult(WrittenRecord):
    """Everything that the scoring found."""

    schema_version: int = CONTRAST_SCHEMA_VERSION
    version: str = Field(description="of the package")
    signature: str
    suite: ContrastSuite
    settings: ContrastSettings
    runs: list[ContrastRun]
    scores: list[ContrastScore]
    comparisons: list[ContrastComparison]
    warnings: list[str]

    def score(self, model: str, size: int, kind: GroupKind = "all", group: str = "") -> ContrastScore | None:
        """Return a figure; ``None`` if there is none."""
        return first_of(self.scores, model=model, size=size, kind=kind, group=group)

    def comparison(
        self, of: str, model: str, size: int, kind: GroupKind = "all", group: str = ""
    ) -> ContrastComparison | None:
        """Return what a run was compared with; ``None`` if it was not."""
        return first_of(self.comparisons, of=of, model=model, size=size, kind=kind, group=group)
