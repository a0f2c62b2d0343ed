"""The result of an evaluation: one typed schema, which reports render and which is published as JSON Schema."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from endophora.record import Figure, Interval, Record, ResamplingSettings, StudyResult, SystemDifference, find

SCHEMA_VERSION = 1


class DocumentInfo(Record):
    """A document of the corpus: its id and how many segments it has."""

    id: str
    segments: int


class CorpusInfo(Record):
    """What was evaluated."""

    source_language: str = Field(description="ISO 639-1 code")
    target_language: str = Field(description="ISO 639-1 code")
    documents: list[DocumentInfo]
    segments: int
    source_words: int = Field(description="tokens of the source; 0 where no phenomenon is looked for")
    reference_words: int = Field(description="tokens of the reference that the occurrences are of")
    references: list[str] = Field(description="names; occurrences are found in the first")
    systems: list[str]
    texts: str = Field(default="", description="hash of documents, source and references; what outputs are compared on")


class Settings(ResamplingSettings):
    """What the figures depend on besides the input."""

    baseline: str = Field(description="the system that all are compared with; 'best': each column's best system")
    test: Literal["approximate-randomisation", "bootstrap"]
    judge: Literal["choice", "wording"] = "wording"
    support: Literal["inter", "any"] = "any"
    minimum: int = Field(default=1, description="occurrences that a figure must rest on before systems are compared")


class Detectable(Record):
    """The smallest difference that the test set can tell, by simulation from its own documents."""

    difference: float | None = Field(
        description="on the scale of the column; null if the test finds none within the scale"
    )
    power: float = Field(description="share of the drawn test sets in which it is significant")
    level: float = Field(description="alpha as Holm's correction leaves it for one more difference")
    draws: int = Field(description="test sets drawn from the documents")
    units: int = Field(description="documents, or segments, in each")
    systems: list[str] = Field(description="those whose difference varies as the median of the tested pairs")


class Realignment(Record):
    """An output whose lines were not the source's: what was cut, and what of it answers to nothing."""

    system: str
    lines: int = Field(description="of the output as it came")
    by_document: bool = Field(description="its documents were cut one by one; else the text was cut as a whole")
    segments: int = Field(description="of the source")
    omitted: int = Field(description="segments of the source without translation, which are scored as empty")
    characters: int = Field(description="of the output")
    added: int = Field(description="characters of the output without source, which the segment before them keeps")
    reference: str = Field(description="the reference that helped; empty: the source alone")


class Placeholders(Record):
    """Placeholders and markup of the source ({0}, %s, <b>, …) that an output lost, or has more than it."""

    system: str
    segments: int = Field(description="of the source with a placeholder")
    expected: int = Field(description="placeholders of the source")
    missing: int = Field(description="of them, not in the output")
    extra: int = Field(description="in the output, not in the source")
    wrong: int = Field(description="segments with a placeholder whose output has not the same ones")


class Column(Record):
    """One measured quantity: a phenomenon (judgments or word F-measure), a metric, or a category of a metric."""

    name: str = Field(description="pronouns, BLEU, BlonDe tense, …")
    kind: Literal["phenomenon", "text", "category"]
    metric: str = Field(default="", description="the metric that a category is of")
    scale: float = Field(description="the value of a perfect score: 1 or 100")
    higher_is_better: bool
    signature: str
    occurrences: int | None = Field(default=None, description="judged, of a phenomenon that is judged by its choices")
    documents: int | None = Field(default=None, description="that have a judged occurrence")
    by_document: list[int] = Field(
        default=[], description="judged occurrences of each document, in the order of the corpus; empty as occurrences"
    )
    enough: bool = Field(default=True, description="whether all figures rest on so many that systems are compared")
    needed: int | None = Field(default=None, description="segments like these in which enough would be judged")
    detectable: Detectable | None = Field(
        default=None, description="null where nothing is tested or differs; of categories"
    )
    human: float | None = Field(
        default=None, description="the figure of the other references, judged as systems are; of terms, of the first"
    )
    human_judged: int | None = Field(default=None, description="judged in them")


class PeopleAgreement(Record):
    """How far a language model's judgments, and ours, agree with people's: both over the same occurrences."""

    judged: int = Field(description="by people right or wrong, and asked about")
    answered: int = Field(description="to which the model said right or wrong: the n of all figures here")
    agreement: float | None = Field(description="of the model with people: share of the answered; null where none is")
    kappa: float | None = Field(description="Cohen's; null where chance alone agrees fully")
    ours: float | None = Field(description="our judgments' agreement with people")
    ours_kappa: float | None


class ModelAgreement(Record):
    """How far a language model's judgments agree with ours, over one phenomenon or all."""

    phenomenon: str = Field(description="empty: all")
    asked: int = Field(description="occurrences of all systems that it was asked about")
    answered: int = Field(description="to which it said right or wrong: the n of agreement and kappa")
    unclear: int = Field(description="of which it said that the text does not tell")
    unanswered: int = Field(description="answers that twice had not the form that was asked for")
    both_right: int
    ours_alone_right: int = Field(description="right by our judgment, wrong by the model's")
    theirs_alone_right: int = Field(description="wrong by our judgment, right by the model's")
    both_wrong: int
    agreement: float | None = Field(description="share of the answered; null where none is")
    kappa: float | None = Field(description="Cohen's; null where chance alone agrees fully")
    people: PeopleAgreement | None = Field(default=None, description="null where no judgments of people are named")


class PeopleFile(Record):
    """Where people's verdicts were read, and how many of them were used."""

    file: str
    hash: str = Field(description="SHA-256 of the file, its first twelve digits")
    given: int = Field(description="occurrences that people judged right or wrong")
    unmatched: int = Field(description="of them, those that are no judged occurrence of these outputs")
    asked: int = Field(description="of them, those that the model was asked about")


class ModelJudge(Record):
    """A language model that was asked about occurrences which are judged without it; no other figure depends on it."""

    model: str = Field(description="server, model and parameters")
    judged: int = Field(description="occurrences of all systems with a judgment of ours")
    asked: int = Field(
        description="a seeded sample of each phenomenon; with people's verdicts, what people judged comes first, "
        "and all agreements are mostly over people's choice, not over a random sample"
    )
    asked_again: int = Field(description="since the first answer had not the form that was asked for")
    spent: float | None = Field(description="what this run has cost; null where no price is known")
    currency: str
    people: PeopleFile | None = Field(default=None, description="null where no judgments of people are named")
    agreements: list[ModelAgreement]


class GlossaryInfo(Record):
    """What happened to the terms of a glossary."""

    file: str
    signature: str = Field(description="of its terms")
    terms: int = Field(description="source terms")
    unfound: list[str] = Field(description="source terms that occur nowhere in the source")


class Phenomenon(Record):
    """How often a phenomenon occurs in the reference and in each system's output."""

    name: str
    occurrences: int
    words: int = Field(description="tokens of the reference that carry the tag; of terms, of the source")
    side: Literal["reference", "source"] = Field(default="reference", description="whose tokens the words are")
    rules: dict[str, int] = Field(description="rule → occurrences in the reference")
    distances: dict[int, int] = Field(description="segments to the supporting context → occurrences")
    systems: dict[str, int] = Field(description="system → occurrences in its output")


class Score(Figure):
    """One figure of one system."""

    column: str
    system: str
    precision: float | None = None
    recall: float | None = None
    counts: dict[str, int] = Field(
        default={}, description="right, wrong, other, missing; of word F matched, reference, hypothesis"
    )
    unjudged: dict[str, int] = Field(
        default={}, description="why tagged words are not judged → how many; with the counts, all that are tagged"
    )
    documents: list[float | None] = Field(description="the figure of each document, in the order of the corpus")


class Comparison(SystemDifference):
    """A system against the baseline in one column; Holm's correction is over all systems and columns of a kind."""

    column: str


class Correlation(Record):
    """How two metrics agree over all systems' documents (Jiang et al. 2022, Figure 5)."""

    first: str = Field(description="column")
    second: str = Field(description="column")
    pearson: float | None = Field(description="null where one of them is constant, and of fewer than 20 pairs")
    pairs: int = Field(description="(system, document) pairs in which both are defined")


class Paired(Record):
    """Student's paired t of two systems over the documents (Jiang et al. 2022, Table 4)."""

    column: str
    first: str
    second: str
    statistic: float | None = Field(
        description="positive where the second system is better; null with fewer than two documents, where no document "
        "differs, or (p 0) where all differ by the same"
    )
    p_value: float | None = Field(description="two-sided, not corrected")
    difference: float | None = Field(description="mean over documents of second minus first")
    interval: Interval | None = Field(description="of the difference, by Student's distribution")
    documents: int = Field(description="that both systems have a score of")


class HumanScore(Record):
    """What people said of a system's output."""

    system: str
    value: float | None
    documents: list[float | None] = Field(description="of each document, in the order of the corpus")


class Agreement(Record):
    """How a metric agrees with people, at one level."""

    column: str
    level: Literal["segment", "document", "system"]
    coefficient: Literal["pearson", "spearman", "kendall"]
    value: float | None
    interval: Interval | None
    pairs: int = Field(description="pairs of a metric's and a human score")


class Human(Record):
    """Human scores, and how the metrics agree with them."""

    name: str = Field(description="of the scores: mqm, …")
    higher_is_better: bool
    scores: list[HumanScore]
    agreements: list[Agreement]


class Highlight(Record):
    """A stretch of a text, in characters, and why it is marked."""

    start: int
    end: int
    role: Literal["occurrence", "support", "source", "written"]


class Passage(Record):
    """A text with marked stretches."""

    text: str
    highlights: list[Highlight] = Field(default_factory=list["Highlight"])


class ContextSegment(Record):
    """A segment before the occurrence, for the reader."""

    segment: int
    source: Passage
    reference: Passage


class SystemOutput(Record):
    """What a system wrote in the segment of an occurrence."""

    system: str
    passage: Passage
    correct: bool = Field(description="it is judged right; of word F, the expected form was matched")
    verdict: Literal["", "right", "wrong", "other", "missing"] = Field(default="", description="empty if not judged")
    asked: str = Field(default="", description="what the context asks for: a level, a form, a lemma, a gender")
    shown: str = Field(default="", description="what the system shows")
    why: str = Field(default="", description="what the verdict rests on, or why there is none")
    written: str = Field(description="what is in its place by the word links; empty if nothing is linked")


class Example(Record):
    """One occurrence with all that a reader needs to judge it."""

    document: str
    segment: int = Field(description="from 0, in the document")
    file: str
    line: int
    phenomenon: str
    rule: str
    expected: str
    antecedent: str = Field(default="", description="head of the antecedent, or nearest supporting word, source side")
    distance: int | None = None
    probability: float | None = None
    context: list[ContextSegment]
    source: Passage
    reference: Passage
    outputs: list[SystemOutput]


class Result(StudyResult):
    """Everything that an evaluation found."""

    schema_version: int = SCHEMA_VERSION
    corpus: CorpusInfo
    settings: Settings
    columns: list[Column]
    phenomena: list[Phenomenon]
    scores: list[Score]
    comparisons: list[Comparison]
    correlations: list[Correlation] = Field(default=[], description="of every two columns, each pair once")
    paired: list[Paired] = Field(
        default=[],
        description="of each two neighbours: systems as given, or from the worst to the best by human scores",
    )
    human: Human | None = None
    glossary: GlossaryInfo | None = None
    realigned: list[Realignment] = Field(default=[], description="outputs that were cut into the source's segments")
    placeholders: list[Placeholders] = Field(default=[], description="empty where the source has none")
    model_judge: ModelJudge | None = None
    examples: list[Example] = Field(description="a seeded sample for each phenomenon; all are in occurrences.jsonl")
    warnings: list[str]
    conclusion: list[str] = Field(default=[], description="what the figures say, in one to three sentences")

    def score(self, column: str, system: str) -> Score:
        """Return the figure of a system in a column; KeyError if there is none."""
        return find(self.scores, column=column, system=system)

    def words(self, column: Column) -> int | None:
        """Return on how many words the figures of a phenomenon rest: judged, or tagged; ``None`` of a metric."""
        if column.kind == "text" or column.occurrences is not None:
            return column.occurrences
        return next((one.words for one in self.phenomena if one.name == column.name), None)


def title(name: str) -> str:
    """Return a name of ours as it is read: ``lexical_cohesion`` is *lexical cohesion*."""
    return name.replace("_", " ")


def points(value: float, column: Column) -> float:
    """Return a value or difference of a column in points of 100."""
    return 100 * value / column.scale
