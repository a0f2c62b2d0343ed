"""The result of measuring CXMI: one typed schema, which reports render and which is published as JSON Schema."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from endophora.context.context_read import ContextCounts
from endophora.record import Difference, Interval, Record, ResamplingSettings, WrittenRecord, find, first_of

CXMI_SCHEMA_VERSION = 2

Definition = Literal["total", "normalised"]
Over = Literal["all", "kept"]
GroupKind = Literal["all", "tag", "label"]


class CxmiCondition(Record):
    """A context that is compared with none."""

    name: str = Field(description="as both-3")
    sides: Literal["source", "target", "both"]
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
    helped: int = Field(description="samples that the context makes likelier")
    harmed: int = Field(description="samples that the context makes less likely")


class GroupFigure(Record):
    """Mean P-CXMI of a group of words under a condition; nats a word."""

    condition: str
    kind: GroupKind = Field(description="all words, a phenomenon's, a part of speech's")
    group: str = Field(description="pronouns, “with tag”, “no tag”; PRON, PRON.3.Plur; “words”, “ends of sentences”")
    count: int = Field(description="words")
    mean: float
    interval: Interval | None = Field(description="null where the words stand in fewer than six units")
    kept_count: int = Field(description="words of samples of whose context the model read anything")
    kept_mean: float | None = Field(description="the mean over these")


class TagContrast(Difference):
    """Words with a tag against words with none; left out where either stand in fewer than six units."""

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


class CxmiResult(WrittenRecord):
    """Everything that a measurement of CXMI found."""

    schema_version: int = CXMI_SCHEMA_VERSION
    version: str = Field(description="of the package")
    signature: str
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
        return self.figure(condition, definition, "kept") if self.condition(condition).context.kept else None

    def condition(self, name: str) -> CxmiCondition:
        """Return a condition; KeyError if there is none."""
        return find(self.conditions, name=name)

    def group(self, condition: str, group: str) -> GroupFigure:
        """Return the mean of a group of words; KeyError if there is none."""
        return find(self.groups, condition=condition, group=group)

    def contrast(self, condition: str, tag: str) -> TagContrast | None:
        """Return a phenomenon against words without any; ``None`` where it was not tested."""
        return first_of(self.contrasts, condition=condition, tag=tag)
