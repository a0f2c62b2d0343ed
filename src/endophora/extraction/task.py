"""The task of an extraction: documents to occurrences, as one pure function of a shard.

Of a shard's documents, what has to be parsed is chosen first, then all of it is annotated at once: every distinct text
once, sorted by length, so that annotators work on full and even batches however short the documents are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, cast

from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.records import AnnotatedText, Annotator
from endophora.corefer.ranker import Ranker
from endophora.corefer.records import Resolution, Resolver
from endophora.corpus.records import Document, Segment
from endophora.corpus.streams import REFERENCE
from endophora.engine import Row, Work
from endophora.extraction.rows import item_rows, schema
from endophora.extraction.select import Selection, Selector
from endophora.extraction.setup import ExtractionSetup, ExtractionTools
from endophora.phenomena import tag_document
from endophora.phenomena.records import AnnotatedDocument
from endophora.phenomena.reversal import reverse
from endophora.suites.build import build_items
from endophora.suites.contrast import Lexicon


@dataclass(frozen=True)
class ExtractionTask:
    """Extracts occurrences from documents; a :class:`~endophora.engine.Task`.

    Attributes:
        setup: the tools, by name.
        known_signature: the signature, where it is known already; else models are loaded to tell it.
    """

    setup: ExtractionSetup
    known_signature: str = ""

    @property
    def signature(self) -> str:
        """What decides the rows besides the documents."""
        return self.known_signature or self.setup.load().signature

    @property
    def schema(self) -> Any:
        """The columns of the rows, a ``pyarrow.Schema``."""
        return schema()

    def load(self) -> Work:
        """Load the tools and return the function that extracts."""
        return Extractor(self.setup.load())


class Extractor:
    """Extracts the occurrences of documents with loaded tools.

    Args:
        tools: the tools.
        selector: chooses what is parsed; by default by the setup.
    """

    def __init__(self, tools: ExtractionTools, selector: Selector | None = None) -> None:
        self._tools = tools
        self._selector = selector or Selector(tools)

    def __call__(self, documents: Sequence[Document]) -> Iterator[Row]:
        """Yield the rows of documents, in order."""
        tools, selector = self._tools, self._selector
        candidates = [selector.candidates(document) for document in documents]
        sources = _Annotations(tools.source_annotator)
        targets = _Annotations(tools.target_annotator)
        # Nothing of a source that is ruled out is needed but its words, and most are.
        looked = sources.words()
        looked.add(_texts(zip(documents, map(selector.first, candidates), strict=True), _source))
        selections = [
            selector.select(document, found, looked.known)
            for document, found in zip(documents, candidates, strict=True)
        ]
        wanted = [pair for pair in zip(documents, selections, strict=True) if pair[1].parsed]
        parsed = [(document, selection.parsed) for document, selection in wanted]
        sources.add(_texts(parsed, _source))
        targets.add(_texts(parsed, _target))
        pairs = [
            (sources.side(document, indices, _source), targets.side(document, indices, _target))
            for document, indices in parsed
        ]
        linked = tools.aligner.align_many(pairs)
        for (document, selection), (source, target), links in zip(wanted, pairs, linked, strict=True):
            annotated = self._resolved(AnnotatedDocument(document.id, source, target, tuple(links)), selection)
            yield from self._rows(document, annotated)

    def _resolved(self, document: AnnotatedDocument, selection: Selection) -> AnnotatedDocument:
        """Return a document with the pronouns resolved that its phenomena need, if there is any."""
        if selection.resolve_source:
            document = replace(document, resolutions=_resolve(self._tools.resolver, document))
        if selection.resolve_target:
            document = replace(document, target_resolutions=_resolve(self._tools.target_resolver, reverse(document)))
        return document

    def _rows(self, document: Document, annotated: AnnotatedDocument) -> Iterable[Row]:
        occurrences = tag_document(annotated, self._tools.taggers)
        if not occurrences:
            return ()
        setup = self._tools.extraction
        # Forms of this document alone: what others have would make its rows depend on them.
        lexicon = Lexicon()
        lexicon.add(annotated.target)
        items = build_items(annotated, occurrences, setup.context, self._tools.target_rules, lexicon)
        languages = (setup.source_language, setup.target_language)
        return item_rows(items, occurrences, (annotated.source, annotated.target), document.segments, languages)


def _resolve(resolver: Resolver, document: AnnotatedDocument) -> tuple[Resolution, ...]:
    """Resolve the pronouns of a document's source, and keep nothing of it.

    A ranker would remember hundreds of sources for other targets of them; here each has one.
    """
    if isinstance(resolver, Ranker):
        return tuple(resolver.with_target(resolver.prepare(document.source), document.target, document.links))
    return tuple(resolver.resolve(document.source, document.target, document.links))


class _Annotations:
    """The annotations of a shard's texts in one language.

    Args:
        annotator: makes them.
        unused: names of components of its pipeline that are not run.
    """

    def __init__(self, annotator: Annotator, unused: Sequence[str] = ()) -> None:
        self._annotator = annotator
        self._unused = unused
        self.known: dict[str, AnnotatedText] = {}

    def words(self) -> _Annotations:
        """Return annotations of words alone, without trees and names; these ones, where they cannot be left out."""
        unused = needless(self._annotator)
        return _Annotations(self._annotator, unused) if unused else self

    def add(self, texts: Iterable[str]) -> None:
        """Annotate every distinct text that is not known yet, the longest first, so that batches are even."""
        missing = {text for text in texts if text not in self.known}
        ordered = sorted(missing, key=lambda text: (-len(text), text))
        if ordered:
            with _memory(self._annotator), _without(self._annotator, self._unused):
                self.known.update((text.text, text) for text in self._annotator.annotate(ordered))

    def side(
        self, document: Document, parsed: Sequence[int], text_of: Callable[[Segment], str]
    ) -> tuple[AnnotatedText, ...]:
        """Return one side of a document; what is not parsed has no tokens."""
        wanted = frozenset(parsed)
        texts = map(text_of, document.segments)
        return tuple(
            self.known[text] if index in wanted else AnnotatedText(text, ()) for index, text in enumerate(texts)
        )


def _memory(annotator: Annotator) -> AbstractContextManager[object]:
    """Return a block after which a pipeline forgets the words it met in it: names are without number."""
    if not isinstance(annotator, SpacyAnnotator):
        return nullcontext()
    return annotator.forgetting()


_TREES_AND_NAMES = frozenset({"parser", "ner"})
_BY_WORDS = frozenset({"tok2vec", "tagger", "morphologizer", "trainable_lemmatizer"})
"""Components (by factory) that read nothing of what others write but the shared layer."""


def needless(annotator: Annotator) -> tuple[str, ...]:
    """Return the components of a pipeline that parts of speech and lemmas do not depend on.

    Args:
        annotator: any annotator; one that is no pipeline, or has a component that may read trees, needs all it has.
    """
    if not isinstance(annotator, SpacyAnnotator):
        return ()
    nlp = annotator.nlp
    factories = {name: nlp.get_pipe_meta(name).factory for name in nlp.pipe_names}
    if not set(factories.values()) <= _BY_WORDS | _TREES_AND_NAMES:
        return ()
    return tuple(name for name, factory in factories.items() if factory in _TREES_AND_NAMES)


def _without(annotator: Annotator, components: Sequence[str]) -> AbstractContextManager[object]:
    """Return a block in which a pipeline does without some components."""
    if not components:
        return nullcontext()
    return cast("Any", annotator).nlp.select_pipes(disable=list(components))


def _texts(documents: Iterable[tuple[Document, Sequence[int]]], text_of: Callable[[Segment], str]) -> Iterator[str]:
    for document, indices in documents:
        for index in indices:
            yield text_of(document.segments[index])


def _source(segment: Segment) -> str:
    return segment.source


def _target(segment: Segment) -> str:
    return segment.references[REFERENCE]
