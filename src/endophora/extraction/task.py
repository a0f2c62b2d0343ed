"""The task of an extraction: documents to occurrences, as one pure function of a shard.

Of a shard's documents, what has to be parsed is chosen first, then all of it is annotated at once: every distinct text
once, sorted by length, so that annotators work on full and even batches however short the documents are. Links and
antecedents come from windows, so that what is parsed besides does not change a row (:mod:`endophora.extraction.select`
says why none is lost); for phenomena that look at whole documents, links and antecedents are those of the document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from endophora.annotate.agreement import Agreement
from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.records import AnnotatedText, Annotator
from endophora.annotate.store import annotate_words
from endophora.corpus.records import Document, Segment
from endophora.corpus.streams import REFERENCE
from endophora.engine import Row, Work
from endophora.extraction.rows import item_rows, schema
from endophora.extraction.select import WINDOWED, Selection, Selector, Sides, align_alone, resolve, resolve_windows
from endophora.extraction.setup import ExtractionSetup, ExtractionTools
from endophora.phenomena import tag_document
from endophora.phenomena.records import AnnotatedDocument, Occurrence, swap_sides
from endophora.signature import Signature
from endophora.suites.build import InflectedForms, build_items

_RESOLVED = frozenset({"pronouns"})
"""Phenomena of whole documents that need the antecedents of source pronouns."""


@dataclass(frozen=True)
class ExtractionTask:
    """Extracts occurrences from documents; a :class:`~endophora.engine.Task`.

    Where the signature is not known yet, models are loaded for it. It does not go to other processes: each makes its
    own, from the models and files that it has.
    """

    setup: ExtractionSetup
    known_signature: Signature | None = None

    @property
    def signature(self) -> Signature:
        """What decides the rows besides the documents."""
        return self.known_signature or self._tools.signature

    @cached_property
    def _tools(self) -> ExtractionTools:
        return self.setup.load()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the setup alone."""
        return ExtractionTask, (self.setup,)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files and folders that the setup names by path."""
        return self.setup.files()

    def moved(self, places: Mapping[Path, Path]) -> ExtractionTask:
        """Return the task with these files and folders at other places."""
        return ExtractionTask(self.setup.moved(places))

    @property
    def schema(self) -> Any:
        """The columns of the rows, a ``pyarrow.Schema``."""
        return schema()

    def load(self) -> Work:
        """Load the tools and return the function that extracts."""
        return Extractor(self._tools)


class Extractor:
    """Extracts the occurrences of documents with loaded tools."""

    def __init__(self, tools: ExtractionTools, selector: Selector | None = None) -> None:
        self._tools = tools
        self._selector = selector or Selector(tools)
        self._taggers = tuple(
            [tagger for tagger in tools.taggers if (tagger.phenomenon in WINDOWED) is windowed]
            for windowed in (True, False)
        )

    def __call__(self, documents: Sequence[Document]) -> Iterator[Row]:
        """Yield the rows of documents, in order."""
        tools, selector = self._tools, self._selector
        candidates = [selector.candidates(document) for document in documents]
        sources = _Side(tools.source_annotator, lambda segment: segment.source)
        targets = _Side(tools.target_annotator, lambda segment: segment.references[REFERENCE])
        # Nothing of a source that is ruled out is needed but its words, and most are.
        looked = sources.words()
        looked.add(zip(documents, map(selector.first, candidates), strict=True))
        selections = [
            selector.select(document, found, looked.known)
            for document, found in zip(documents, candidates, strict=True)
        ]
        wanted = [pair for pair in zip(documents, selections, strict=True) if pair[1].parsed]
        parsed = [(document, selection.parsed) for document, selection in wanted]
        sources.add(parsed)
        targets.add(parsed)
        pairs = [(sources.annotated(*one), targets.annotated(*one)) for one in parsed]
        windowed, whole = self._windowed(wanted, pairs), self._whole(wanted, pairs)
        for (document, _), *views in zip(wanted, windowed, whole, strict=True):
            yield from self._rows(document, views)

    def _windowed(
        self, wanted: Sequence[tuple[Document, Selection]], pairs: Sequence[Sides]
    ) -> Iterator[AnnotatedDocument]:
        """Yield documents whose links and antecedents come from windows, for the phenomena of windows."""
        tools, reach = self._tools, self._selector.seen
        linked = align_alone(tools.aligner, pairs) if self._taggers[0] else [((),) * len(one) for one, _ in pairs]
        for (document, selection), sides, links in zip(wanted, pairs, linked, strict=True):
            found = AnnotatedDocument(document.id, *sides, links)
            if selection.resolve_source:
                resolutions = resolve_windows(tools.resolver, found, selection.resolve_source, reach)
                found = replace(found, resolutions=resolutions)
            if selection.resolve_target:
                turned = resolve_windows(tools.target_resolver, swap_sides(found), selection.resolve_target, reach)
                found = replace(found, target_resolutions=turned)
            yield found

    def _whole(
        self, wanted: Sequence[tuple[Document, Selection]], pairs: Sequence[Sides]
    ) -> Iterator[AnnotatedDocument | None]:
        """Yield documents linked and resolved as wholes, for the other phenomena; they have all segments parsed."""
        tools, taggers = self._tools, self._taggers[1]
        if not taggers:
            yield from [None] * len(wanted)
            return
        linked = tools.aligner.align_many(pairs)
        for (document, _), sides, links in zip(wanted, pairs, linked, strict=True):
            found = AnnotatedDocument(document.id, *sides, tuple(links))
            if any(tagger.phenomenon in _RESOLVED for tagger in taggers):
                found = replace(found, resolutions=tuple(resolve(tools.resolver, *sides, links)))
            if tools.resolves_target:
                turned = swap_sides(found)
                seen = resolve(tools.target_resolver, turned.source, turned.target, turned.links)
                found = replace(found, target_resolutions=tuple(seen))
            yield found

    def _rows(self, document: Document, views: Sequence[AnnotatedDocument | None]) -> Iterator[Row]:
        """Yield the rows of a document, ordered by segment, then target token."""
        found: list[tuple[Occurrence, Row]] = []
        for view, taggers in zip(views, self._taggers, strict=True):
            if view is not None and (occurrences := tag_document(view, taggers)):
                found.extend(zip(occurrences, self._items(document, view, occurrences), strict=True))
        for _, row in sorted(found, key=lambda one: (one[0].segment, one[0].target_tokens[0])):
            yield row

    def _items(
        self, document: Document, annotated: AnnotatedDocument, occurrences: Sequence[Occurrence]
    ) -> Iterable[Row]:
        setup = self._tools.extraction
        items = build_items(
            annotated, occurrences, setup.context, self._tools.target_rules, self._lexicon(annotated, occurrences)
        )
        languages = (setup.source_language, setup.target_language)
        return item_rows(items, occurrences, (annotated.source, annotated.target), document.segments, languages)

    def _lexicon(self, annotated: AnnotatedDocument, occurrences: Iterable[Occurrence]) -> InflectedForms:
        """Return the forms that are in the windows of a document's occurrences of gender.

        What others have, and what was parsed in vain, would make its rows depend on them.
        """
        reach = self._selector.window
        near = {
            index
            for one in occurrences
            if one.phenomenon == "gender"
            for index in range(max(0, one.segment - reach), one.segment + 1)
        }
        lexicon = InflectedForms()
        lexicon.add(annotated.target[index] for index in sorted(near))
        return lexicon


class _Side:
    """The annotations of a shard's texts in one language."""

    def __init__(self, annotator: Annotator, text_of: Callable[[Segment], str], unused: Sequence[str] = ()) -> None:
        self._annotator = annotator
        self._text_of = text_of
        self._unused = unused
        self.known: dict[str, AnnotatedText] = {}

    def words(self) -> _Side:
        """Return annotations of words alone, without trees and names; these ones, where they cannot be left out."""
        unused = needless(self._annotator)
        return _Side(self._annotator, self._text_of, unused) if unused else self

    def add(self, documents: Iterable[tuple[Document, Sequence[int]]]) -> None:
        """Annotate every distinct text that is not known yet, the longest first, so that batches are even."""
        texts = {self._text_of(document.segments[index]) for document, indices in documents for index in indices}
        ordered = sorted(texts - self.known.keys(), key=lambda text: (-len(text), text))
        if not ordered:
            return
        with ExitStack() as block:
            if isinstance(self._annotator, SpacyAnnotator):
                # A pipeline forgets the words it met: names are without number.
                block.enter_context(self._annotator.forgetting())
                if self._unused:
                    block.enter_context(self._annotator.nlp.select_pipes(disable=list(self._unused)))
            self.known.update((text.text, text) for text in annotate_words(self._annotator, ordered))

    def annotated(self, document: Document, parsed: Sequence[int]) -> tuple[AnnotatedText, ...]:
        """Return this side of a document; what is not parsed has no tokens."""
        wanted = frozenset(parsed)
        texts = enumerate(map(self._text_of, document.segments))
        return tuple(self.known[text] if index in wanted else AnnotatedText(text, ()) for index, text in texts)


_TREES_AND_NAMES = frozenset({"parser", "ner"})
_BY_WORDS = frozenset({"tok2vec", "tagger", "morphologizer", "trainable_lemmatizer"})
"""Components (by factory) that read nothing of what others write but the shared layer."""


def needless(annotator: Annotator) -> tuple[str, ...]:
    """Return the components of an annotator that parts of speech and lemmas do not depend on.

    One that is no pipeline, or has a component that may read trees, needs all it has.
    """
    if not isinstance(annotator, SpacyAnnotator):
        return ()
    nlp = annotator.nlp
    factories = {name: nlp.get_pipe_meta(name).factory for name in nlp.pipe_names}
    for name in nlp.pipe_names:
        rules = getattr(nlp.get_pipe(name), "rules", None)
        if isinstance(rules, Agreement) and not rules.reads_trees:
            factories[name] = "morphologizer"
    if not set(factories.values()) <= _BY_WORDS | _TREES_AND_NAMES:
        return ()
    return tuple(name for name, factory in factories.items() if factory in _TREES_AND_NAMES)
