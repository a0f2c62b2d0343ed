"""The result of scoring systems on a suite: one typed schema, which reports render."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from endophora.record import Figure, Record, ResamplingSettings, SystemDifference, WrittenRecord, find, first_of

SUITE_SCHEMA_VERSION = 1

Kind = Literal["all", "phenomenon", "rule", "distance", "metric"]


class SuiteIdentity(Record):
    """Which suite it is, of any kind."""

    name: str
    source_language: str = Field(description="ISO 639-1 code; empty if unknown")
    target_language: str = Field(description="ISO 639-1 code; empty if unknown")
    items: int
    variants: int = Field(description="wrong translations of all items")


class SuiteInfo(SuiteIdentity):
    """The suite."""

    documents: int


class ScoringSettings(ResamplingSettings):
    """What the figures of any suite depend on besides suite and systems."""

    higher_is_better: bool = Field(description="of scores; contrastive only")
    ties: Literal["wrong", "correct"] = Field(description="what a tie of scores counts as; contrastive only")
    baseline: str = Field(description="the system that the others are compared with; empty if there is one only")
    trials: int = Field(description="of the approximate randomisation test")


class SuiteSettings(ScoringSettings):
    """What the figures depend on besides suite and systems."""

    kind: Literal["generative", "contrastive"]
    matching: dict[str, str] = Field(description="criterion → how outputs and forms were compared; generative only")
    part: str = Field(description="of an output in which the form was looked for; generative only")
    separator: str = Field(description="between joined segments of an output; empty if none")


class SuiteScore(Figure):
    """One figure of one system: accuracy in per cent, or a metric's."""

    kind: Kind
    group: str = Field(description="name of the phenomenon, rule, distance or metric; empty for all items")
    system: str
    correct: int | None = Field(description="items that are right; null for a metric")
    counted: int = Field(description="items that are right or wrong; segments for a metric")


class SuiteComparison(SystemDifference):
    """A system against the baseline, on the same items; Holm over all systems and groups of the same kind."""

    kind: Kind
    group: str


class SuiteResult(WrittenRecord):
    """Everything that the scoring of a suite found."""

    schema_version: int = SUITE_SCHEMA_VERSION
    version: str = Field(description="of the package")
    signature: str
    suite: SuiteInfo
    settings: SuiteSettings
    systems: list[str]
    scores: list[SuiteScore]
    comparisons: list[SuiteComparison]
    metrics: dict[str, str] = Field(description="metric → its signature")
    warnings: list[str]

    def score(self, system: str, kind: Kind = "all", group: str = "") -> SuiteScore:
        """Return a figure of a system; KeyError if there is none."""
        return find(self.scores, system=system, kind=kind, group=group)

    def comparison(self, system: str, kind: Kind = "all", group: str = "") -> SuiteComparison | None:
        """Return the comparison of a system with the baseline; ``None`` if there is none."""
        return first_of(self.comparisons, system=system, kind=kind, group=group)
