"""The result of scoring systems on a word-sense suite: one typed schema, which reports render."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from endophora.record import Difference, Figure, Record, WrittenRecord, find
from endophora.suites.result import ScoringSettings, SuiteIdentity

SENSE_SCHEMA_VERSION = 2

GroupKind = Literal["all", "domain", "origin", "sense"]
"""What items are counted by."""

FigureName = Literal[
    "precision",
    "recall_a",
    "recall_b",
    "f1_a",
    "f1_b",
    "coverage",
    "coverage_forms",
    "precision_weighted",
    "f1_weighted_a",
    "f1_weighted_b",
    "accuracy",
]
"""``accuracy`` is of the scoring variant, the others of the translation variant; all in per cent.

The weighted ones are there where the suite has distances between senses.
"""


class SenseSuiteInfo(SuiteIdentity):
    """The suite."""

    words: int = Field(description="ambiguous source words")
    senses: int = Field(description="of all words together")


class SenseSettings(ScoringSettings):
    """What the figures depend on besides suite and systems."""

    kind: Literal["translation", "scoring"]
    tokenizer: str = Field(description="of outputs and entries; translation only")
    lemmas: dict[str, str] = Field(description="system → where its lemmas are from; empty without back-off")
    recall: Literal["A", "B"] = Field(description="the recall that is shown, and that F1 is of")
    examples: int = Field(description="kept of each word, right sense, and sense taken for it; one where none is found")


class SenseCounts(Record):
    """How the items of a group came out for one system."""

    kind: GroupKind
    group: str = Field(description="name of the domain or origin, or WORD:SENSE; empty for all items")
    system: str
    right: int
    wrong: int
    missing: int = Field(description="items of which no word was found; 0 in the scoring variant")
    in_forms: int = Field(description="items of which a word was found before the lemmas were looked at")


class SenseComparison(Difference):
    """A system less the baseline, in points of one figure; Holm over all systems and groups of one kind and figure."""


class SenseScore(Figure):
    """One figure of one system in one group, in per cent."""

    kind: GroupKind
    group: str
    system: str
    figure: FigureName
    comparison: SenseComparison | None


class SenseConfusion(Record):
    """How often a system took one sense of a word for another."""

    system: str
    word: str
    sense: str = Field(description="the right one")
    instead: str = Field(description="the one that was taken; “other” for a word of no known sense")
    count: int
    of: int = Field(description="items of the right sense")


class SenseEntry(Record):
    """One sense of an ambiguous word."""

    name: str = Field(description="as confusions and examples have it")
    group: str = Field(description="as the counts have it; empty for a sense that only wrong translations have")
    words: list[str] = Field(description="its translations")
    items: int = Field(description="of which it is the right sense")


class SenseWord(Record):
    """An ambiguous source word."""

    word: str
    senses: list[SenseEntry] = Field(description="in the order of the suite; those without items come last")


class SensePassage(Record):
    """A text, and where the words stand in it that matter."""

    text: str
    marks: list[tuple[int, int]] = Field(description="start and end of each, in characters; empty if none was found")


class SenseOutput(Record):
    """What a system made of an item."""

    system: str
    outcome: Literal["right", "wrong", "missing"]
    sense: str = Field(description="the one that was found; empty if none was")
    by_lemma: bool = Field(description="whether it was found among the lemmas alone")
    written: SensePassage = Field(
        description="the output, and the words that decided; of scores the wrong translation with the best one"
    )
    margin: float | None = Field(
        description="by how much the right translation's score is better than that one's; null for outputs"
    )


class SenseExample(Record):
    """An item that a system got wrong, or of which nothing was found, with what all systems made of it."""

    item: str = Field(description="its id")
    word: str
    sense: str = Field(description="the right one")
    origin: str
    domain: str
    source: SensePassage
    reference: SensePassage
    outputs: list[SenseOutput] = Field(description="of all systems, in their order")


class SenseResult(WrittenRecord):
    """Everything that the scoring of a word-sense suite found."""

    schema_version: int = SENSE_SCHEMA_VERSION
    version: str = Field(description="of the package")
    signature: str
    suite: SenseSuiteInfo
    settings: SenseSettings
    systems: list[str]
    counts: list[SenseCounts]
    scores: list[SenseScore]
    confusions: list[SenseConfusion]
    words: list[SenseWord] = Field(description="by alphabet")
    examples: list[SenseExample] = Field(description="a few of each confusion, by word; see the settings")
    warnings: list[str]

    def score(self, system: str, figure: FigureName, kind: GroupKind = "all", group: str = "") -> SenseScore:
        """Return a figure of a system; KeyError if there is none."""
        return find(self.scores, system=system, figure=figure, kind=kind, group=group)

    def count(self, system: str, kind: GroupKind = "all", group: str = "") -> SenseCounts:
        """Return the counts of a system; KeyError if there are none."""
        return find(self.counts, system=system, kind=kind, group=group)
