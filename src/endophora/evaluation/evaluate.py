"""The main job: a corpus in, the result out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, cast

import numpy as np

from endophora.corpus.records import Corpus, Segment
from endophora.errors import Fault, InputError
from endophora.evaluation.examples import sample_examples
from endophora.evaluation.options import EvaluationOptions
from endophora.evaluation.result import Column, CorpusInfo, DocumentInfo, Phenomenon, Result, Settings
from endophora.evaluation.setup import Setup
from endophora.evaluation.sides import DocumentTexts, TaggedDocument, side_texts, tag_sides
from endophora.evaluation.tables import Measured, compute_figures
from endophora.evaluation.texts import TextJob, text_statistics
from endophora.metrics import TaggedTokens, load_metric
from endophora.metrics.word_f import WordF, tag_tokens
from endophora.phenomena.records import Occurrence
from endophora.statistics import Units, choose_units, each_row
from endophora.version import __version__


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation yields.

    Attributes:
        result: the figures, with a sample of examples.
        occurrences: all occurrences in the first reference.
        tagged: all documents of the first reference, and of each system, tagged.
    """

    result: Result
    occurrences: list[Occurrence]
    tagged: Mapping[str, Sequence[TaggedDocument]]


def evaluate(
    corpus: Corpus,
    setup: Setup,
    options: EvaluationOptions | None = None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Find the occurrences in the first reference and in all outputs, and score every system on them.

    Without systems the result has counts and examples, and no scores.

    Args:
        corpus: documents with at least one reference.
        setup: the tools.
        options: metrics and statistics.
        workers: number of processes.
        progress: called with numbers of segments as they are done.

    Raises:
        InputError: the corpus has no reference (E107), or an option is wrong.
        MissingModelError: a tool of the setup is not installed.
    """
    chosen = options or EvaluationOptions()
    if not corpus.references:
        raise InputError(Fault("E107", "the corpus has no reference", "occurrences are found in one: give it"))
    texts = [
        side_texts(corpus, _reference(corpus.references[0])),
        *(side_texts(corpus, _output(s)) for s in corpus.systems),
    ]
    reference, *outputs = tag_sides(setup, texts, workers, progress)
    systems = dict(zip(corpus.systems, outputs, strict=True))
    tokens = [_tagged_tokens(side, documents) for side, documents in zip(texts, (reference, *outputs), strict=True)]
    measured = _measured(corpus, setup, chosen, tokens, workers)
    figures = compute_figures(measured, corpus.systems, chosen)
    tools = setup.load()
    result = Result(
        version=__version__,
        signature=f"{tools.signature}|{_statistics_signature(corpus, chosen)}",
        corpus=_corpus_info(corpus, reference),
        settings=Settings(
            baseline=chosen.baseline,
            alpha=chosen.alpha,
            confidence=chosen.confidence,
            resamples=chosen.resamples,
            seed=chosen.seed,
            units=_units(corpus, chosen).kind,
            test=cast("Literal['approximate-randomisation', 'bootstrap']", chosen.test),
        ),
        columns=[entry.column for entry in measured],
        phenomena=[_phenomenon(name, reference, systems) for name in setup.taggers.phenomena],
        scores=figures.scores,
        comparisons=figures.comparisons,
        examples=sample_examples(corpus, reference, systems, chosen.examples, chosen.seed),
        warnings=[*corpus.warnings, *_reference_warnings(corpus), *figures.warnings],
    )
    occurrences = list(chain.from_iterable(document.occurrences for document in reference))
    return Evaluation(result, occurrences, {corpus.references[0]: reference, **systems})


def _reference(name: str) -> Callable[[Segment], str]:
    return lambda segment: segment.references[name]


def _output(system: str) -> Callable[[Segment], str]:
    return lambda segment: segment.outputs[system]


def _tagged_tokens(side: Sequence[DocumentTexts], documents: Sequence[TaggedDocument]) -> list[TaggedTokens]:
    tagged: list[TaggedTokens] = []
    for texts, document in zip(side, documents, strict=True):
        forms = [
            [text[start:end] for start, end in segment.target]
            for text, segment in zip(texts.target, document.segments, strict=True)
        ]
        tagged.extend(tag_tokens(forms, document.occurrences))
    return tagged


def _document_numbers(corpus: Corpus) -> list[int]:
    return [number for number, document in enumerate(corpus.documents) for _ in document.segments]


def _units(corpus: Corpus, options: EvaluationOptions) -> Units:
    return choose_units(_document_numbers(corpus), cast("Literal['documents', 'segments']", options.units))


def _measured(
    corpus: Corpus, setup: Setup, options: EvaluationOptions, tokens: Sequence[Sequence[TaggedTokens]], workers: int
) -> list[Measured]:
    """Return the statistics of all systems in all columns: phenomena first, then text metrics."""
    if not corpus.systems:
        return []
    numbers = _document_numbers(corpus)
    units = _units(corpus, options)
    documents = Units("documents", np.array(numbers, dtype=np.intp), len(corpus.documents))
    word_f = WordF(setup.taggers.phenomena, options.variant)
    counts = np.stack([word_f.statistics(side, tokens[0]) for side in tokens[1:]])
    measured = [
        Measured(
            Column(name=tag, kind="phenomenon", scale=1.0, higher_is_better=True, signature=word_f.signature()),
            counts[:, :, index],
            word_f.score,
            units,
            documents,
            (word_f.precision, word_f.recall),
        )
        for index, tag in enumerate(word_f.tags)
    ]
    segments = [segment for document in corpus.documents for segment in document.segments]
    references = tuple(tuple(segment.references[name] for segment in segments) for name in corpus.references)
    jobs = [
        TextJob(name, tuple(segment.outputs[system] for segment in segments), references, tuple(numbers))
        for name in options.metrics
        for system in corpus.systems
    ]
    found = text_statistics(setup, jobs, workers)
    size = len(corpus.systems)
    for index, name in enumerate(options.metrics):
        metric = load_metric(name, setup.target_language)
        by_document = metric.level == "document"
        own = each_row(len(corpus.documents), "documents")
        measured.append(
            Measured(
                Column(
                    name=metric.name,
                    kind="text",
                    scale=metric.maximum,
                    higher_is_better=metric.higher_is_better,
                    signature=metric.signature(references=len(references)),
                ),
                np.stack(found[index * size : (index + 1) * size]),
                metric.score,
                own if by_document else units,
                own if by_document else documents,
            )
        )
    return measured


def _phenomenon(
    name: str, reference: Sequence[TaggedDocument], systems: Mapping[str, Sequence[TaggedDocument]]
) -> Phenomenon:
    def of(documents: Sequence[TaggedDocument]) -> list[Occurrence]:
        """Return the phenomenon's occurrences of some documents."""
        return [found for document in documents for found in document.occurrences if found.phenomenon == name]

    occurrences = of(reference)
    words = {(o.document, o.segment, token) for o in occurrences for token in o.target_tokens}
    rules = Counter(occurrence.rule for occurrence in occurrences)
    distances = Counter(o.support.distance for o in occurrences if o.support is not None)
    return Phenomenon(
        name=name,
        occurrences=len(occurrences),
        words=len(words),
        rules=dict(rules.most_common()),
        distances=dict(sorted(distances.items())),
        systems={system: len(of(documents)) for system, documents in systems.items()},
    )


def _corpus_info(corpus: Corpus, reference: Sequence[TaggedDocument]) -> CorpusInfo:
    segments = [segment for document in reference for segment in document.segments]
    return CorpusInfo(
        source_language=corpus.source_language,
        target_language=corpus.target_language,
        documents=[DocumentInfo(id=document.id, segments=len(document.segments)) for document in corpus.documents],
        segments=len(corpus),
        source_words=sum(len(segment.source) for segment in segments),
        reference_words=sum(len(segment.target) for segment in segments),
        references=list(corpus.references),
        systems=list(corpus.systems),
    )


def _reference_warnings(corpus: Corpus) -> list[str]:
    if len(corpus.references) < 2:
        return []
    return [f"occurrences are found and matched in the first reference, {corpus.references[0]}; text metrics use all"]


def _statistics_signature(corpus: Corpus, options: EvaluationOptions) -> str:
    fields = {
        "refs": ",".join(corpus.references),
        "variant": options.variant,
        "test": options.test,
        "units": _units(corpus, options).kind,
        "resamples": options.resamples,
        "confidence": options.confidence,
        "alpha": options.alpha,
        "seed": options.seed,
    }
    return "|".join(f"{key}:{value}" for key, value in fields.items())
