"""The task of an extraction: documents to occurrences, as one pure function of a shard.

Of a shard's documents, what has to be parsed is chosen first, then all of it is annotated at once: every distinct text
once, sorted by length, so that annotators work on full and even batches however short the documents are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from endophora.annotate.records import AnnotatedText, Annotator
from endophora.corpus.records import Document
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
    """

    def __init__(self, tools: ExtractionTools) -> None:
        self._tools = tools
        self._selector = Selector(tools)

    def __call__(self, documents: Sequence[Document]) -> Iterator[Row]:
        """Yield the rows of documents, in order."""
        chosen = [(document, self._selector.select(document)) for document in documents]
        wanted = [(document, selection) for document, selection in chosen if selection.parsed]
        sources = _annotate(
            self._tools.source_annotator,
            (document.segments[index].source for document, selection in wanted for index in selection.parsed),
        )
        targets = _annotate(
            self._tools.target_annotator,
            (
                document.segments[index].references[REFERENCE]
                for document, selection in wanted
                for index in selection.parsed
            ),
        )
        pairs = [
            (
                _side(selection, sources, (segment.source for segment in document.segments)),
                _side(selection, targets, (segment.references[REFERENCE] for segment in document.segments)),
            )
            for document, selection in wanted
        ]
        linked = self._tools.aligner.align_many(pairs)
        for (document, selection), (source, target), links in zip(wanted, pairs, linked, strict=True):
            annotated = self._resolved(AnnotatedDocument(document.id, source, target, tuple(links)), selection)
            yield from self._rows(document, annotated)

    def _resolved(self, document: AnnotatedDocument, selection: Selection) -> AnnotatedDocument:
        """Return a document with the pronouns resolved that its phenomena need, if there is any."""
        if selection.resolve_source:
            found = tuple(self._tools.resolver.resolve(document.source, document.target, document.links))
            document = _with_resolutions(document, found, document.target_resolutions)
        if selection.resolve_target:
            turned = reverse(document)
            found = tuple(self._tools.target_resolver.resolve(turned.source, turned.target, turned.links))
            document = _with_resolutions(document, document.resolutions, found)
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


def _with_resolutions(document: AnnotatedDocument, source: Any, target: Any) -> AnnotatedDocument:
    return AnnotatedDocument(document.id, document.source, document.target, document.links, source, target)


def _annotate(annotator: Annotator, texts: Iterable[str]) -> dict[str, AnnotatedText]:
    """Annotate every distinct text once, the longest first."""
    distinct = sorted(dict.fromkeys(texts), key=lambda text: (-len(text), text))
    return {text.text: text for text in annotator.annotate(distinct)} if distinct else {}


def _side(
    selection: Selection, annotated: Mapping[str, AnnotatedText], texts: Iterable[str]
) -> tuple[AnnotatedText, ...]:
    """Return one side of a document; what was not parsed has no tokens."""
    parsed = frozenset(selection.parsed)
    return tuple(annotated[text] if index in parsed else AnnotatedText(text, ()) for index, text in enumerate(texts))
