"""What CXMI is measured on: pairs of an input and its gold output, with all the context that may be given.

Nothing in the measure is about translation: a sample is a segment of a parallel document with the segments before it,
or one line of any conditional generation task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from endophora.annotate import AnnotationStore
from endophora.annotate.records import AnnotatedText, Annotator
from endophora.context.words import Word, annotated_words, plain_words
from endophora.corpus.records import Corpus, Location
from endophora.errors import Fault, InputError
from endophora.evaluation.columns import reference_text
from endophora.evaluation.setup import Setup
from endophora.evaluation.sides import side_texts, tag_sides
from endophora.evaluation.tagged import TaggedDocument
from endophora.models.documents import contextual_inputs
from endophora.models.records import ModelInput

_NOWHERE = Location("", 0)


@dataclass(frozen=True, slots=True)
class Sample:
    """One output to score.

    Attributes:
        document: id of the document that it is from; samples of one document are resampled together.
        segment: its index in the document, from 0.
        whole: the input with all context that there is, oldest first.
        target: the gold output.
        words: the words of the output.
        location: where it stands; line 0 where that is not known.
    """

    document: str
    segment: int
    whole: ModelInput
    target: str
    words: tuple[Word, ...]
    location: Location = _NOWHERE


@dataclass(frozen=True, slots=True)
class Material:
    """All samples of a measurement.

    Attributes:
        kind: segments of documents, or lines of a task.
        languages: ISO 639-1 codes of source and target; empty where unknown.
        samples: in order, those of a document together.
        phenomena: which tags were looked for; empty if none.
        signature: all that the words and their tags depend on besides the text.
        warnings: what the user should know.
    """

    kind: Literal["documents", "tasks"]
    languages: tuple[str, str]
    samples: tuple[Sample, ...]
    phenomena: tuple[str, ...]
    signature: str
    warnings: tuple[str, ...] = ()


def corpus_material(
    corpus: Corpus, setup: Setup, size: int, workers: int = 1, progress: Callable[[int], None] | None = None
) -> Material:
    """Return the segments of a corpus, each with the segments before it and the words of its first reference.

    Args:
        corpus: documents with a reference, which is the gold output.
        setup: annotators and taggers; without phenomena the reference is annotated and nothing is tagged.
        size: most segments of context.
        workers: processes that tag.
        progress: called with numbers of segments as they are annotated and tagged.

    Raises:
        InputError: there is no reference (E107), a language has no rules, or an option of the setup is wrong.
        MissingModelError: a tool of the setup is not installed.
    """
    if not corpus.references:
        raise InputError(Fault("E107", "the corpus has no reference", "it is what the model scores: give it"))
    name = corpus.references[0]
    text_of = reference_text(name)
    tools = setup.load()
    tagged: list[TaggedDocument] | None = None
    if setup.taggers.phenomena:
        (tagged,) = tag_sides(setup, [side_texts(corpus, text_of)], workers, progress)
    texts = [text_of(segment) for document in corpus.documents for segment in document.segments]
    annotated = iter(tools.annotations.annotate(tools.target_annotator, texts))
    samples: list[Sample] = []
    for number, document in enumerate(corpus.documents):
        sources = [segment.source for segment in document.segments]
        targets = [text_of(segment) for segment in document.segments]
        words = [next(annotated) for _ in targets]
        tags = _tags(tagged[number], words) if tagged is not None else [None] * len(words)
        samples.extend(
            Sample(document.id, index, whole, target, annotated_words(text, tag), document.segments[index].location)
            for index, (whole, target, text, tag) in enumerate(
                zip(contextual_inputs(sources, targets, size), targets, words, tags, strict=True)
            )
        )
    signature = tools.signature if tagged is not None else f"target:{tools.target_annotator.signature}"
    pair = (corpus.source_language, corpus.target_language)
    return Material("documents", pair, tuple(samples), setup.taggers.phenomena, signature, corpus.warnings)


def with_annotation(material: Material, annotator: Annotator, store: AnnotationStore) -> Material:
    """Return the same samples with the words that an annotator finds in the outputs.

    Args:
        material: the samples.
        annotator: of the outputs' language.
        store: keeps the annotations.
    """
    texts = store.annotate(annotator, [sample.target for sample in material.samples])
    samples = tuple(
        replace(sample, words=annotated_words(text)) for sample, text in zip(material.samples, texts, strict=True)
    )
    return replace(material, samples=samples, signature=f"target:{annotator.signature}")


def task_samples(rows: Sequence[tuple[str, str, tuple[str, ...], str, Location]]) -> tuple[Sample, ...]:
    """Return samples from (document, input, context, output, place); the words are those of :func:`plain_words`."""
    seen: dict[str, int] = {}
    samples: list[Sample] = []
    for document, source, context, target, place in rows:
        index = seen[document] = seen.get(document, -1) + 1
        samples.append(Sample(document, index, ModelInput(source, context), target, plain_words(target), place))
    return tuple(samples)


def _tags(document: TaggedDocument, texts: Sequence[AnnotatedText]) -> list[list[frozenset[str]]]:
    """Return for each segment, for each of its tokens, the phenomena that it is an occurrence of."""
    found: list[list[set[str]]] = [[set() for _ in text.tokens] for text in texts]
    for occurrence in document.occurrences:
        for token in occurrence.target_tokens:
            found[occurrence.segment][token].add(occurrence.phenomenon)
    return [[frozenset(names) for names in segment] for segment in found]
