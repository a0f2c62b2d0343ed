"""The result of a meta-evaluation: how well each metric agrees with people, as one typed schema."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from endophora.evaluation.result import Paired
from endophora.meta.options import MetaLevel
from endophora.record import Interval, Record, ResamplingSettings, StudyResult, find

Measure = Literal["pearson", "spearman", "kendall", "kendall-wmt", "accuracy"]


class MetaSettings(ResamplingSettings):
    """What the figures depend on besides the scores; ``units`` are drawn below system level."""

    average: Literal["none", "item", "system"] = Field(description="what is one list below system level")
    system_units: Literal["systems", "documents", "segments"] = Field(description="what is resampled at system level")
    trials: int = Field(description="of the permutation test")
    two_sided: bool = Field(description="of all tests")


class LevelInfo(Record):
    """What was compared at a level."""

    level: MetaLevel
    systems: list[str]
    items: int = Field(description="segments, documents, or 1")
    scores: int = Field(description="human scores that are there")
    human_mean: bool = Field(description="whether the human scores are means of those of segments")
    resampled: Literal["systems", "documents", "segments", "words"] = Field(description="for the intervals")
    units: int = Field(description="how many of these there are")


class MetricInfo(Record):
    """A metric."""

    name: str
    levels: list[MetaLevel]
    means: list[MetaLevel] = Field(description="levels whose scores are means of those of segments")
    signature: str = Field(description="of the metric; empty if its scores were read from files")


class Correlated(Record):
    """One coefficient. ``value`` is null where it is undefined."""

    metric: str
    level: MetaLevel
    coefficient: Literal["pearson", "spearman", "kendall", "kendall-wmt"]
    average: Literal["none", "item", "system"]
    value: float | None
    interval: Interval | None
    scores: int = Field(description="pairs of scores, system-level: systems")
    groups: int = Field(description="coefficients of which this is the mean")


class Accuracy(Record):
    """How many pairs a metric orders as people do: of systems, or of the outputs of a segment or document."""

    metric: str
    level: MetaLevel
    value: float | None
    interval: Interval | None
    pairs: int
    epsilon: float | None = Field(description="up to this a difference is a tie; null at system level")
    calibrated: bool = Field(description="whether epsilon was chosen on these scores, which flatters")


class Test(Record):
    """A test of the difference of two metrics."""

    __test__ = False  # it is no test of pytest's

    statistic: float | None = Field(description="Williams' t; null for the permutation test")
    p_value: float
    p_adjusted: float = Field(description="Holm, over all pairs of metrics at this level and measure")
    significant: bool


class MetricComparison(Record):
    """Two metrics, the one that agrees better first."""

    level: MetaLevel
    measure: Measure
    first: str
    second: str
    difference: float = Field(description="first minus second, over what both scored")
    interval: Interval | None
    williams: Test | None = Field(description="Pearson only, all scores as one list")
    permutation: Test | None


class Between(Record):
    """Pearson's correlation of two metrics with one another."""

    level: MetaLevel
    first: str
    second: str
    value: float | None


class RaterPair(Record):
    """Agreement of two raters: kappa with linear weights on the worst error of an output."""

    first: str
    second: str
    kappa: float | None
    observed: float
    expected: float
    items: int


class Points(Record):
    """Scores as they were compared: for a scatter plot. Not of segments."""

    level: Literal["doc", "sys"]
    name: str = Field(description="of the metric; empty for people")
    scores: dict[str, list[float | None]] = Field(description="system → a score an item")


class MetaResult(StudyResult):
    """Everything that a meta-evaluation found."""

    schema_version: int = 1
    human: str = Field(description="name of the human scores")
    settings: MetaSettings
    levels: list[LevelInfo]
    metrics: list[MetricInfo]
    correlations: list[Correlated]
    accuracies: list[Accuracy]
    comparisons: list[MetricComparison]
    between: list[Between]
    paired: list[Paired] = Field(
        default=[],
        description="each metric's t of neighbouring systems in a given order, or from the worst to the best by human "
        "scores; those of people have no column",
    )
    raters: list[RaterPair]
    points: list[Points]
    warnings: list[str]

    def correlation(self, metric: str, level: str, coefficient: str) -> Correlated:
        """Return a coefficient; KeyError if there is none."""
        return find(self.correlations, metric=metric, level=level, coefficient=coefficient)

    def accuracy(self, metric: str, level: str) -> Accuracy:
        """Return an accuracy; KeyError if there is none."""
        return find(self.accuracies, metric=metric, level=level)
