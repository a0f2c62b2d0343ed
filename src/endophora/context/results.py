"""The results of CXMI, contrast and perturbation: typed schemas, which reports render.

They are published as JSON Schema (``docs/*.schema.json``).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from endophora.context.context_read import ContextCounts
from endophora.record import Difference, Figure, Interval, Record, ResamplingSettings, StudyResult, find, first_of
from endophora.statistics.units import FloatArray
from endophora.suites.result import SuiteIdentity

ContextSides = Literal["source", "target", "both"]
Definition = Literal["total", "normalised"]
Over = Literal["all", "kept"]
WordGroupKind = Literal["all", "tag", "label"]
ItemGroupKind = Literal["all", "phenomenon", "rule", "form", "distance"]
Label = Literal["uses", "indifferent", "harmed", "collapses", "undecided", "refused"]


class CxmiCondition(Record):
    """A context that is compared with none."""

    name: str = Field(description="as both-3")
    sides: ContextSides
    size: int = Field(description="most segments of context")
    samples: int = Field(description="samples that were given any such context")
    context: ContextCounts = Field(description="how much of it the model read")


class CxmiCorpus(Record):
    """What was measured."""

    kind: Literal["documents", "tasks"]
    source_language: str = Field(description="ISO 639-1 code; empty if unknown")
    target_language: str = Field(description="ISO 639-1 code; empty if unknown")
    documents: int
    samples: int = Field(description="segments of the documents, or lines of the task")
    skipped: int = Field(default=0, description="others that were left out, too long for the model")
    words: int = Field(description="of the gold outputs")
    pieces: int = Field(description="sub-words of the gold outputs, the ends of sentences included")


class CxmiSettings(ResamplingSettings):
    """What the figures depend on besides model and text."""

    main: str = Field(description="the condition whose items and tokens are listed")
    item: Literal["form", "lemma"] = Field(description="what a vocabulary item is")
    minimum: int = Field(description="occurrences from which an item is listed")


class CxmiFigure(Record):
    """CXMI of the whole text under a condition; nats."""

    condition: str
    definition: Definition = Field(description="of the whole sentence's difference, or that ÷ its sub-words")
    over: Over = Field(description="all samples, or those of whose context the model read anything")
    samples: int = Field(description="how many these are")
    value: float
    interval: Interval | None
    helped: int = Field(description="samples that the context makes more probable")
    harmed: int = Field(description="samples that the context makes less likely")


class GroupFigure(Record):
    """Mean P-CXMI of a group of words under a condition; nats a word."""

    condition: str
    kind: WordGroupKind = Field(description="all words, a phenomenon's, a part of speech's")
    group: str = Field(description="pronouns, “with tag”, “no tag”; PRON, PRON.3.Plur; “words”, “ends of sentences”")
    count: int = Field(description="words")
    mean: float
    interval: Interval | None = Field(description="null where the words are in fewer than six units")
    kept_count: int = Field(description="words of samples of whose context the model read anything")
    kept_mean: float | None = Field(description="the mean over these")


class TagContrast(Difference):
    """Words with a tag against words with none; left out where either are in fewer than six units."""

    condition: str
    tag: str = Field(description="a phenomenon, or “with tag” for any")
    difference: float = Field(description="mean with the tag less mean of words without any")
    p_value: float = Field(description="two-sided, bootstrap over the units")
    p_adjusted: float = Field(description="Holm, over the phenomena of a condition; “with tag” stands alone")


class ItemFigure(Record):
    """Mean P-CXMI of a vocabulary item under the main condition."""

    item: str
    count: int
    mean: float
    interval: Interval | None
    shrunk: float = Field(description="the mean with as many occurrences of the overall mean added as shrinkage says")


class ShrinkageInfo(Record):
    """How far rare items' means are drawn to the mean of all."""

    mean: float
    pseudo_count: float | None = Field(description="null: items do not differ by more than chance")
    estimated: bool = Field(description="empirical Bayes; false: as the user set it")

    def shrink(self, mean: FloatArray, count: FloatArray) -> FloatArray:
        """Return the shrunk means of items, (V,), from their means and counts."""
        if self.pseudo_count is None:
            return 0 * mean + self.mean
        return (count * mean + self.pseudo_count * self.mean) / (count + self.pseudo_count)


class TokenExample(Record):
    """One word with a high P-CXMI, and what a reader needs to see why."""

    document: str
    segment: int = Field(description="from 0, in the document")
    start: int = Field(description="in the target, in characters")
    end: int
    form: str
    labels: list[str]
    tags: list[str]
    value: float = Field(description="P-CXMI")
    sentence: float = Field(description="P-CXMI of the whole sentence")
    probability: float = Field(description="of the word without context")
    source: str
    target: str
    source_context: list[str] = Field(description="as the condition gives it, oldest first")
    target_context: list[str]


class CxmiResult(StudyResult):
    """Everything that a measurement of CXMI found."""

    corpus: CxmiCorpus
    settings: CxmiSettings
    conditions: list[CxmiCondition]
    cxmi: list[CxmiFigure]
    groups: list[GroupFigure]
    contrasts: list[TagContrast]
    items: list[ItemFigure] = Field(description="by shrunk mean, the highest first")
    items_found: int = Field(description="items with the least number of occurrences or more")
    shrinkage: ShrinkageInfo
    tokens: list[TokenExample] = Field(description="the highest first")
    warnings: list[str]

    def figure(self, condition: str, definition: Definition = "total", over: Over = "all") -> CxmiFigure:
        """Return the CXMI of a condition; KeyError if there is none."""
        return find(self.cxmi, condition=condition, definition=definition, over=over)

    def kept_figure(self, condition: str, definition: Definition = "total") -> CxmiFigure | None:
        """Return the CXMI over samples of whose context anything was read; ``None`` if there are none."""
        return first_of(self.cxmi, condition=condition, definition=definition, over="kept")

    def contrast(self, condition: str, tag: str) -> TagContrast | None:
        """Return a phenomenon against words without any; ``None`` where it was not tested."""
        return first_of(self.contrasts, condition=condition, tag=tag)


class ContrastSuite(SuiteIdentity):
    """The suite, without items that have no wrong translation."""

    skipped: int = Field(default=0, description="others that were left out, too long for a model")
    documents: int
    translations: int = Field(description="right and wrong ones of all items")


class ContrastSettings(ResamplingSettings):
    """What the figures depend on besides suite and models."""

    sizes: list[int] = Field(description="segments of context that models were given")
    sides: ContextSides = Field(description="on which context was given")
    normalised: bool = Field(description="log-probabilities were divided by the translation's tokens")
    ties: Literal["wrong", "correct"] = Field(description="what a tie counts as")
    baseline: str = Field(description="the model that others are compared with; empty if there is one only")


class ContrastRun(Record):
    """A model with so much context."""

    model: str
    size: int = Field(description="most segments of context")
    signature: str = Field(description="of the model; empty if its scores were read from a file")
    ties: int = Field(description="items whose right translation is scored like the best wrong one")
    file: str = Field(description="where its scores were read from, or were written to, next to the result")
    context: ContextCounts | None = Field(
        default=None, description="how much context was read, the same for all translations of an item"
    )


class ContrastScore(Figure):
    """Accuracy in per cent; ``value`` is null where nothing is counted."""

    model: str
    size: int
    kind: ItemGroupKind
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
    kind: ItemGroupKind
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


class ContrastResult(StudyResult):
    """Everything that the scoring found."""

    suite: ContrastSuite
    settings: ContrastSettings
    runs: list[ContrastRun]
    scores: list[ContrastScore]
    comparisons: list[ContrastComparison]
    warnings: list[str]

    def score(self, model: str, size: int, kind: ItemGroupKind = "all", group: str = "") -> ContrastScore | None:
        """Return a figure; ``None`` if there is none."""
        return first_of(self.scores, model=model, size=size, kind=kind, group=group)

    def comparison(
        self, of: str, model: str, size: int, kind: ItemGroupKind = "all", group: str = ""
    ) -> ContrastComparison | None:
        """Return what a run was compared with; ``None`` if it was not."""
        return first_of(self.comparisons, of=of, model=model, size=size, kind=kind, group=group)


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
    sides: ContextSides = Field(description="on which context is given")
    target_context: Literal["own", "reference"] = Field(
        default="own", description="whether the target context is the model's own translations or references"
    )
    beam: int
    length_penalty: float
    longest: float = Field(description="most tokens of a translation, as a multiple of the source's, plus ten")
    cxmi: Literal["total", "normalised", "off"] = Field(description="definition of CXMI")
    judge: Literal["off", "choice", "wording"] = Field(default="off", description="how phenomena are measured")
    test: Literal["approximate-randomisation", "bootstrap"]
    seed: int = Field(description="of the perturbations and of resampling")
    margin: float = Field(description="smallest difference in the first metric that a verdict counts, points of 100")
    cxmi_margin: float = Field(description="smallest difference in CXMI that a verdict counts, nats")
    collapse: float = Field(description="share of the score without context whose loss is a collapse")
    without_context: float = Field(
        description="largest share of answers to segments with context that may be made without it, for a verdict"
    )


class PerturbedModel(Record):
    """A model that was tried."""

    name: str
    signature: str


class PerturbedCondition(Record):
    """What replaced the context."""

    name: str
    description: str


class PerturbationColumn(Record):
    """A measured quantity."""

    name: str = Field(description="BLEU, chrF, …, a phenomenon, CXMI")
    kind: Literal["metric", "phenomenon", "cxmi"]
    scale: float = Field(description="the value of a perfect score: 1 or 100; 1 for CXMI, which has none")
    higher_is_better: bool
    signature: str
    occurrences: int | None = Field(
        default=None,
        description="of a phenomenon: judged ones, the most under any condition; of word F, words of the reference",
    )


class PerturbationScore(Figure):
    """One figure of a model under a condition; ``value`` is null where there is nothing to count."""

    model: str
    condition: str
    column: str
    judged: int | None = Field(
        default=None,
        description="of a phenomenon: occurrences judged under this condition; of word F, words of the reference",
    )
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
    p_adjusted: float = Field(description="Holm, over all differences of metrics, of phenomena, or of CXMI")


class PerturbedOutput(Record):
    """What a model was given and wrote under a condition."""

    model: str
    condition: str
    changed: int = Field(description="segments whose input is another than under the correct context")
    warned: int = Field(description="segments of whose translation the model gave a warning")
    context: ContextCounts = Field(description="what happened to the context of the segments that were translated")
    scored: ContextCounts | None = Field(
        default=None, description="how much context references were scored with; null where they were not"
    )
    file: str = Field(description="the translations, one a line, next to the result; empty if they were not written")


class Verdict(Record):
    """What the figures say of a model, by the settings' thresholds."""

    model: str
    label: Label
    sentence: str


class PerturbationResult(StudyResult):
    """Everything that a perturbation found."""

    corpus: PerturbedCorpus
    settings: PerturbationSettings
    models: list[PerturbedModel]
    conditions: list[PerturbedCondition] = Field(description="the correct context first")
    columns: list[PerturbationColumn]
    scores: list[PerturbationScore]
    differences: list[PerturbationDifference] = Field(
        description="correct less each other condition; gold less none; and, in CXMI, each condition less none"
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
