"""The results of scoring systems on a suite, of word senses or not: two typed schemas, which reports render."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from endophora.record import (
    Difference,
    Figure,
    Record,
    ResamplingSettings,
    StudyResult,
    SystemDifference,
    find,
    first_of,
)

Kind = Literal["all", "phenomenon", "rule", "distance", "metric"]


class SuiteIdentity(Record):
    """Which suite it is, of any kind."""

    name: str
    source_language: str = Field(description="ISO 639-1 code; empty if unknown")
    target_language: str = Field(description="ISO 639-1 code; empty if unknown")
    items: int

    @property
    def title(self) -> str:
        """Its languages, or its name where they are not known."""
        return f"{self.source_language} → {self.target_language}" if self.target_language else self.name


class SuiteInfo(SuiteIdentity):
    """The suite."""

    variants: int = Field(description="wrong translations of all items")
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
    judge: Literal["wording", "choice"] = Field(
        default="wording", description="choice: right ÷ (right + wrong + missing beyond a tenth); generative only"
    )
    part: str = Field(description="of an output in which the form was looked for; generative only")
    separator: str = Field(description="between joined segments of an output; empty if none")


class SuiteScore(Figure):
    """One figure of one system: accuracy in per cent, or a metric's."""

    kind: Kind
    group: str = Field(description="name of the phenomenon, rule, distance or metric; empty for all items")
    system: str
    correct: int | None = Field(description="items that are right; null for a metric")
    counted: int = Field(description="items that are right or wrong; segments for a metric")
    verdicts: dict[str, int] = Field(default={}, description="right, wrong, other, missing; of judge choice only")


class SuiteComparison(SystemDifference):
    """A system against the baseline, on the same items; Holm over all systems and groups of the same kind."""

    kind: Kind
    group: str


WrittenKind = Literal["form", "gender", "lemma"]


class WrittenForm(Record):
    """In how many outputs of a system a form stands, or any form of a gender, or a lemma that should not be there."""

    phenomenon: str
    system: str
    kind: WrittenKind
    what: str = Field(description="form in lower case, gender, or lemma; “none of these”, “any of these”")
    outputs: int = Field(description="outputs that have it")
    wrong: int | None = Field(description="of these, those without the expected form; null for lemmas")
    asked: int | None = Field(description="items whose reference has it; null if that is not known")
    items: int


class SuiteResult(StudyResult):
    """Everything that the scoring of a suite found."""

    schema_version: int = 3
    suite: SuiteInfo
    settings: SuiteSettings
    systems: list[str]
    scores: list[SuiteScore]
    comparisons: list[SuiteComparison]
    metrics: dict[str, str] = Field(description="metric → its signature")
    lower_is_better: list[str] = Field(description="the metrics of which a lower figure is the better one")
    written: list[WrittenForm] = Field(default=[], description="what systems wrote; generative only")
    outcomes: dict[str, str] = Field(
        description="system → a letter an item: r right, w wrong, o other, m missing, - not counted"
    )
    warnings: list[str]

    def score(self, system: str, kind: Kind = "all", group: str = "") -> SuiteScore:
        """Return a figure of a system; KeyError if there is none."""
        return find(self.scores, system=system, kind=kind, group=group)

    def comparison(self, system: str, kind: Kind = "all", group: str = "") -> SuiteComparison | None:
        """Return the comparison of a system with the baseline; ``None`` if there is none."""
        return first_of(self.comparisons, system=system, kind=kind, group=group)


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
    """A suite of word senses."""

    variants: int = Field(description="wrong translations of all items")
    words: int = Field(description="ambiguous source words")
    senses: int = Field(description="of all words together")


class SenseSettings(ScoringSettings):
    """What the figures of word senses depend on besides suite and systems."""

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


class SenseScore(Figure):
    """One figure of one system in one group, in per cent."""

    kind: GroupKind
    group: str
    system: str
    figure: FigureName
    comparison: Difference | None = Field(
        description="with the baseline, in points; Holm over all systems and groups of one kind and figure"
    )


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
    """A text, and where in it the words are that matter."""

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


class SenseResult(StudyResult):
    """Everything that the scoring of a word-sense suite found."""

    schema_version: int = 3
    suite: SenseSuiteInfo
    settings: SenseSettings
    systems: list[str]
    counts: list[SenseCounts]
    scores: list[SenseScore]
    mean_coverage: dict[FigureName, float] = Field(
        description="coverage of all items, the mean of the systems; empty for one system, and for scores"
    )
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
