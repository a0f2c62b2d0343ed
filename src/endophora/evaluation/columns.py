"""The columns of a result: the statistics of all systems, for phenomena, text metrics and document-level metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from endophora.annotate.records import Annotator
from endophora.corpus.records import Corpus, Segment
from endophora.errors import Fault, InputError
from endophora.evaluation.choices import LEVEL, JudgmentCounts, parts_of, split_counts
from endophora.evaluation.figures import MetricTable
from endophora.evaluation.result import Column
from endophora.evaluation.setup import EvaluationOptions, Loaded, Setup, Toolbox
from endophora.evaluation.tagging import DocumentTexts, TaggedDocument, tag_targets, target_texts
from endophora.evaluation.texts import kept, text_jobs, text_statistics
from endophora.judgments.judging import rests_on, score, score_alone
from endophora.judgments.records import VERDICTS
from endophora.metrics import load_document_metric, load_metric, reads_annotations
from endophora.metrics.blonde import BlonDe
from endophora.metrics.readings import TextReader
from endophora.metrics.records import DocumentMetric, FloatArray, Metric, Reading, TaggedTokens
from endophora.metrics.texts import PlainTextMetric
from endophora.metrics.word_f import WordF, tag_tokens
from endophora.process import part
from endophora.record import number_of
from endophora.signature import Keys, StoreKey, digest_of, keyed
from endophora.statistics.comparison import in_a_column
from endophora.statistics.units import FEWEST_DOCUMENTS, BoolArray, Units, choose_units, each_row
from endophora.version import __version__


@dataclass(frozen=True)
class TargetSide:
    """One target text of the corpus: a reference, or a system's output."""

    name: str
    texts: Sequence[DocumentTexts]
    documents: Sequence[TaggedDocument]

    @cached_property
    def readings(self) -> list[Reading]:
        """What document-level metrics read of each segment; one list, by which a metric knows a reference again."""
        return [reading for document in self.documents for reading in document.readings]

    def forget(self) -> None:
        """Drop what was decoded of its documents: those of all systems together take much memory."""
        self.__dict__.pop("readings", None)
        for document in self.documents:
            document.forget()

    def flat_texts(self) -> tuple[str, ...]:
        """Return the text of each segment."""
        return tuple(text for document in self.texts for text in document.target)

    def tokens(self) -> list[TaggedTokens]:
        """Return each segment's tokens with the phenomena of their occurrences as tags."""
        tagged: list[TaggedTokens] = []
        for texts, document in zip(self.texts, self.documents, strict=True):
            forms = [
                [text[start:end] for start, end in spans]
                for text, spans in zip(texts.target, document.target, strict=True)
            ]
            tagged.extend(tag_tokens(forms, document.occurrences))
        return tagged


@keyed()
@dataclass(frozen=True, slots=True)
class _WordStatistics:
    """What the matches of phenomena depend on besides the texts."""

    loaded: Loaded
    signature: str
    tags: tuple[str, ...]


@keyed()
@dataclass(frozen=True, slots=True)
class _ChoiceStatistics:
    """What judgments depend on besides the texts."""

    loaded: Loaded
    columns: tuple[str, ...]
    support: str


@keyed(names=("metric",))
@dataclass(frozen=True, slots=True)
class _DocumentStatistics:
    """What the statistics of a metric of annotated texts depend on besides the texts."""

    metric: str
    signature: str
    language: str
    rules: tuple[Path, ...]
    annotator: Annotator
    reader: TextReader | None


@dataclass(frozen=True)
class Measurement:
    """What all columns are measured on."""

    corpus: Corpus
    setup: Setup
    tools: Toolbox
    options: EvaluationOptions
    references: Sequence[TargetSide]
    systems: Sequence[TargetSide]
    workers: int

    def columns(self) -> list[MetricTable]:
        """Return the statistics of all systems in all columns: phenomena first, then metrics in the order given."""
        return [*self._phenomena(), *self.metrics()] if self.systems else []

    @part("metrics")
    def metrics(self) -> list[MetricTable]:
        """Return the statistics of all systems in the metrics and their categories, in the order given."""
        names = list(dict.fromkeys(self.options.metrics))
        plain = [name for name in names if not reads_annotations(name)]
        texts = dict(zip(plain, self._texts(plain), strict=True))
        tables = [texts[name] if name in texts else self._document_metric(name) for name in names]
        found = [replace(table, scored=name) for name, table in zip(names, tables, strict=True)]
        # Any column, not the first alone: BlonD+ has BlonDe among its parts.
        titles = Counter(column.name for measured in found for column in measured.columns)
        return [
            _told_apart(measured, name) if any(titles[column.name] > 1 for column in measured.columns) else measured
            for name, measured in zip(names, found, strict=True)
        ]

    def units(self) -> Units:
        """Return what is resampled."""
        return choose_units(self._numbers(), self.options.units)

    def _numbers(self) -> list[int]:
        return [number for number, document in enumerate(self.corpus.documents) for _ in document.segments]

    def documents(self) -> Units:
        """Return the documents, of which each has a figure of its own."""
        return Units("documents", np.array(self._numbers(), dtype=np.intp), len(self.corpus.documents))

    def _phenomena(self) -> list[MetricTable]:
        if not self.setup.taggers.phenomena:
            return []
        return self._words() if self.options.judge == "wording" else self._choices()

    @part("judgments")
    def _choices(self) -> list[MetricTable]:
        counting = JudgmentCounts(self.setup.taggers.phenomena, self.options.support)
        reference, *others = self.references
        key = Keys(_ChoiceStatistics(self.tools.loaded, counting.columns, self.options.support))
        meant = digest_of(reference.texts)
        found = [
            split_counts(
                self._of_side(
                    side,
                    key(meant, side.texts),
                    partial(counting.statistics, reference.documents, side.documents),
                )
            )
            for side in (*self.systems, *others)
        ]
        size = len(self.systems)
        counts, left = (np.stack([each[part] for each in found[:size]]) for part in (0, 1))
        people = [verdicts for verdicts, _ in found[size:]]
        documents = self.documents()
        columns, enough = choice_columns(counting.columns, counts, documents, self.options, people)
        return [
            MetricTable(
                columns=columns,
                statistics=counts,
                score=score,
                alone=score_alone,
                units=self.units(),
                documents=documents,
                counts=VERDICTS,
                enough=enough,
                left=left,
                scored="choice",
            )
        ]

    def _words(self) -> list[MetricTable]:
        word_f = WordF(self.setup.taggers.phenomena, self.options.variant)
        reference = self.references[0]
        tokens = cache(reference.tokens)
        key = Keys(_WordStatistics(self.tools.loaded, word_f.signature(), tuple(word_f.tags)))
        counts = np.stack(
            [
                self._of_side(
                    side, key(reference.texts, side.texts), lambda side=side: word_f.statistics(side.tokens(), tokens())
                )
                for side in self.systems
            ]
        )
        units, documents = self.units(), self.documents()
        signature = word_f.signature()
        columns = tuple(
            Column(name=tag, kind="phenomenon", scale=1.0, higher_is_better=True, signature=signature)
            for tag in word_f.tags
        )
        return [
            MetricTable(
                columns=columns,
                statistics=counts,
                score=word_f.score,
                units=units,
                documents=documents,
                halves=lambda sums: (word_f.precision(sums), word_f.recall(sums)),
                counts=word_f.columns,
                scored=f"wording:{self.options.variant}",
            )
        ]

    def _texts(self, names: Sequence[str]) -> list[MetricTable]:
        found = text_statistics(self.setup, text_jobs(self.corpus, names), self.workers)
        size = len(self.systems)
        measured: list[MetricTable] = []
        for index, name in enumerate(names):
            metric = load_metric(name, self.setup.target_language)
            counts = np.stack(found[index * size : (index + 1) * size])
            entry = self._measured(metric, (self._column(metric),), counts, in_a_column(metric.score))
            sums = {side.name: each.sum(axis=0) for side, each in zip(self.systems, counts, strict=True)}
            measured.append(replace(entry, warning=metric.warn(sums) if isinstance(metric, PlainTextMetric) else ""))
        return measured

    def _document_metric(self, name: str) -> MetricTable:
        metric = load_document_metric(name, self.tools.rules(self.setup.target_language))
        counts = np.stack([self._kept_statistics(name, metric, side) for side in self.systems])
        whole = self._column(metric)
        parts = [
            whole.model_copy(update={"name": part, "kind": "category", "metric": metric.name})
            for part in metric.parts[1:]
        ]
        measured = self._measured(metric, (whole, *parts), counts, metric.figures)
        alone = metric.alone if isinstance(metric, BlonDe) else None
        return replace(measured, halves=metric.precision_and_recall, alone=alone)

    def _kept_statistics(self, name: str, metric: DocumentMetric, side: TargetSide) -> FloatArray:
        """Return the statistics of one system, from the store if they were computed before."""
        references = [reference.flat_texts() for reference in self.references]
        setup = _DocumentStatistics(
            name,
            metric.signature(references=len(references)),
            self.setup.target_language,
            self.setup.rules,
            self.tools.target_annotator,
            self.tools.reader,
        )
        return self._of_side(
            side,
            Keys(setup)(side.flat_texts(), references, self._numbers()),
            lambda: metric.statistics(
                side.readings, [reference.readings for reference in self.references], self._numbers()
            ),
        )

    def _of_side(self, side: TargetSide, key: StoreKey, compute: Callable[[], FloatArray]) -> FloatArray:
        """Return the statistics of a side, from the store if they were computed before."""
        counts = kept(self.tools.store, key, compute)
        side.forget()
        return counts

    def _column(self, metric: Metric) -> Column:
        return Column(
            name=metric.name,
            kind="text",
            scale=metric.maximum,
            higher_is_better=metric.higher_is_better,
            signature=metric.signature(references=len(self.corpus.references)),
        )

    def _measured(
        self, metric: Metric, columns: tuple[Column, ...], counts: FloatArray, score: Callable[[FloatArray], FloatArray]
    ) -> MetricTable:
        by_document = metric.level == "document"
        own = each_row(len(self.corpus.documents), "documents")
        units, documents = (own, own) if by_document else (self.units(), self.documents())
        return MetricTable(
            columns=columns, statistics=counts, score=score, units=units, documents=documents, by_document=by_document
        )


def measure(
    corpus: Corpus, metrics: Sequence[str], setup: Setup | None = None, workers: int = 1
) -> Sequence[MetricTable]:
    """Return the statistics of all systems in some metrics, without looking for phenomena."""
    named = setup or Setup(corpus.source_language, corpus.target_language)
    named = replace(named, taggers=replace(named.taggers, phenomena=()))
    return measure_columns(corpus, named, EvaluationOptions(metrics=tuple(metrics)), workers)


def measure_columns(
    corpus: Corpus, setup: Setup, options: EvaluationOptions, workers: int = 1
) -> Sequence[MetricTable]:
    """Return the statistics of all systems in the phenomena of a setup, and in the metrics of some options."""
    if not corpus.references:
        raise InputError(Fault("E107", "the corpus has no reference", "metrics compare with one: give it"))
    tools, metrics = setup.load(), options.metrics
    check_metrics(options, tools, len(corpus.references))
    texts = [target_texts(corpus, reference_text(name)) for name in corpus.references]
    texts += [target_texts(corpus, output_text(system)) for system in corpus.systems]
    annotated = any(map(reads_annotations, metrics)) or bool(setup.taggers.phenomena)
    unread: list[list[TaggedDocument]] = [[] for _ in texts]
    documents = tag_targets(setup, texts, workers) if annotated else unread
    sides = [TargetSide(*each) for each in zip((*corpus.references, *corpus.systems), texts, documents, strict=True)]
    size = len(corpus.references)
    return Measurement(corpus, setup, tools, options, sides[:size], sides[size:], workers).columns()


def choice_columns(
    names: Sequence[str],
    counts: FloatArray,
    documents: Units,
    options: EvaluationOptions,
    people: Sequence[FloatArray] = (),
    judge: str = "choice",
    heard: int = 0,
) -> tuple[tuple[Column, ...], BoolArray]:
    """Return the columns of judgments, and of each system and column whether its figure rests on enough to compare.

    ``counts``, (systems, segments, columns, 4), are those of the systems; ``people`` those of references, one by one;
    ``judge`` names what judges in the signature, and ``heard`` says how many other texts pronouns are judged with.
    """
    judge = f"judge:{judge}|support:{options.support}"
    judged = counts.sum(axis=-1)
    parts = {LEVEL: "formality", **parts_of(names)}
    each = documents.sums(judged)  # (systems, documents, columns)
    size, spread = judged.sum(axis=1), (each > 0).sum(axis=1)
    # A text in another register throughout has hardly a word that is right or wrong.
    rests = rests_on(counts.sum(axis=1))
    enough = (rests >= options.minimum) & (spread >= FEWEST_DOCUMENTS)
    # More segments like these need be no more documents.
    many = documents.count >= FEWEST_DOCUMENTS
    with np.errstate(divide="ignore"):
        missing = np.maximum(options.minimum / rests, FEWEST_DOCUMENTS / spread).max(axis=0, initial=1.0)
    columns = tuple(
        Column(
            name=name,
            kind="category" if name in parts else "phenomenon",
            metric=parts.get(name, ""),
            scale=1.0,
            higher_is_better=True,
            signature=f"{judge}{f'|heard:{heard}' if heard and name == 'pronouns' else ''}|version:{__version__}",
            occurrences=int(size[:, at].max(initial=0)),
            documents=int(spread[:, at].max(initial=0)),
            by_document=[int(count) for count in each[:, :, at].max(axis=0, initial=0)],
            enough=bool(enough[:, at].all()),
            needed=ceil(missing[at] * counts.shape[1]) if many and 1 < missing[at] < np.inf else None,
            **_human(people, at),
        )
        for at, name in enumerate(names)
    )
    return columns, enough


def _human(people: Sequence[FloatArray], column: int) -> dict[str, Any]:
    """Return what references score, and of how many judged: how far people's own translations are judged right."""
    if not people:
        return {}
    sums = np.sum(people, axis=(0, 1))[column]
    return {"human": number_of(float(score(sums))), "human_judged": int(sums.sum())}


def possible_metrics(
    options: EvaluationOptions, tools: Toolbox, *, annotated: bool = True
) -> tuple[EvaluationOptions, list[str]]:
    """Return options with the default metrics that a target language without rules can have, and what is left out.

    Without ``annotated``, texts come with tags and have no annotations. Metrics that were chosen stay as they are.
    """
    if options.metrics != EvaluationOptions().metrics:
        return options, []
    try:
        _ = annotated and tools.rules(tools.setup.target_language)
        why = "" if annotated else "it reads annotations, and tags are none"
    except InputError as error:
        if error.faults[0].code != "E030":
            raise
        why = error.faults[0].cause
    left = [name for name in options.metrics if why and reads_annotations(name)]
    kept = tuple(name for name in options.metrics if name not in left)
    return replace(options, metrics=kept), [f"{name} is left out: {why}" for name in left]


def check_metrics(options: EvaluationOptions, tools: Toolbox, references: int) -> None:
    """Ask for every metric's signature before anything is computed, so that what is missing is reported at once."""
    language = tools.setup.target_language
    for name in options.metrics:
        annotated = reads_annotations(name)
        metric = load_document_metric(name, tools.rules(language)) if annotated else load_metric(name, language)
        metric.signature(references=references)


def reference_text(name: str) -> Callable[[Segment], str]:
    """Return what takes a reference's text from a segment."""
    return lambda segment: segment.references[name]


def output_text(system: str) -> Callable[[Segment], str]:
    """Return what takes a system's text from a segment."""
    return lambda segment: segment.outputs[system]


def _told_apart(measured: MetricTable, name: str) -> MetricTable:
    """Return columns that have a metric's argument in their names: the same metric is there with another."""
    argument = name.partition(":")[2]
    if not argument:
        return measured
    whole = f"{measured.columns[0].name} ({argument})"
    columns = tuple(
        column.model_copy(update={"name": f"{column.name} ({argument})", "metric": whole if column.metric else ""})
        for column in measured.columns
    )
    return replace(measured, columns=columns)
