"""The result of an attribution: typed schemas, published as ``docs/attribution.schema.json``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from endophora.record import Difference, Interval, Record, ResamplingSettings, StudyResult, find

CaseGroupKind = Literal["all", "phenomenon", "distance"]
Measure = Literal[
    "support", "context", "current", "current support", "source context", "source", "target context", "target prefix",
    "prompt",
]  # fmt: skip


class AttributionShare(Record):
    """One share of one model: the mean over the words of a group, in per cent.

    ``support`` is of the supporting words in the context (the papers' antecedents); ``context``, ``current``
    and ``prompt``, a language model's words around the segments, are together 100.
    """

    model: str
    measure: Measure
    kind: CaseGroupKind
    group: str = Field(description="name of the phenomenon or distance; empty for all words")
    value: float
    interval: Interval | None
    words: int


class AttributionDifference(Difference):
    """A share of a model less the baseline's, over the same words."""

    model: str
    baseline: str
    measure: Measure
    p_value: float = Field(description="paired approximate randomisation, two-sided")
    p_adjusted: float = Field(description="Holm, over all models of the measure")


class AttributedModel(Record):
    """A model, and what the attribution of its words depends on."""

    name: str
    signature: str
    context: bool = Field(description="whether it was given context")
    cut_off: int = Field(
        description="words of which it has no shares: it had no room for their support, or its file (inseq:) "
        "lacks them; left out for all models"
    )


class AttributionSettings(ResamplingSettings):
    """What the figures depend on besides words and models."""

    method: str = Field(description="signature of the method and its variants")
    rows: Literal["word", "prefix-mean"] = Field(description="which rows are used for a word")
    context_size: int = Field(description="most segments of context")
    sides: Literal["none", "source", "target", "both"] = Field(description="of which the context was given")
    trials: int = Field(description="of the approximate randomisation test")


class ParetoPoint(Record):
    """A model by two measures that do not follow from each other (Mohammed and Niculae 2024, Figure 3)."""

    model: str
    accuracy: float
    support: float
    dominated: bool = Field(description="another model is as good in both measures and better in one")


class FlowWord(Record):
    """A word that was read, and its share in per cent."""

    text: str = Field(description="empty for a token that is no word: separator, end, language")
    share: float
    support: bool


class FlowSentence(Record):
    """A sentence that was read."""

    part: Literal["source context", "source", "target context", "target prefix", "prompt"]
    words: list[FlowWord]


class FlowRow(Record):
    """Where another word of the target came from, in per cent."""

    word: str
    source_context: float
    source: float
    target_context: float
    target_prefix: float
    prompt: float = 0.0


class AttributedExample(Record):
    """What one model generated one word from."""

    id: str
    model: str
    document: str
    phenomenon: str
    distance: int | None
    word: str
    place: int = Field(description="number of the word in the target, from 0")
    support: float = Field(description="share of the supporting words in the context, in per cent")
    context: float = Field(description="share of the context, in per cent")
    sentences: list[FlowSentence]
    target: list[FlowRow] = Field(description="all words of the target, in order")


class AttributionResult(StudyResult):
    """Everything that an attribution found."""

    data: str = Field(description="name of the suite or corpus")
    settings: AttributionSettings
    models: list[AttributedModel]
    words: int = Field(description="measured for every model")
    left_out: dict[str, int] = Field(description="why words were left out → how many")
    shares: list[AttributionShare]
    differences: list[AttributionDifference]
    pareto: list[ParetoPoint]
    examples: list[AttributedExample]
    warnings: list[str]

    def share(self, model: str, measure: Measure, kind: CaseGroupKind = "all", group: str = "") -> AttributionShare:
        """Return a share of a model; KeyError if there is none."""
        return find(self.shares, model=model, measure=measure, kind=kind, group=group)
