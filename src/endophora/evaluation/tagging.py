"""Target texts of an evaluation (a reference, or a system's output): annotated, linked, resolved and tagged.

They are worked on in jobs of whole documents. What comes out of a document depends on its texts and on the setup's
signature only, so it is kept in the store under both, in parts that are read when asked for; a second run computes
nothing.
"""

from __future__ import annotations

import gc
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, chain, islice
from typing import Any, cast

from endophora.annotate.records import AnnotatedText
from endophora.corefer.records import Resolution
from endophora.corpus.records import Corpus, Segment
from endophora.engine import map_ordered
from endophora.evaluation.setup import Setup, Toolbox
from endophora.evaluation.texts import TextJob, do_job, new_jobs
from endophora.judgments.reading import read_choices
from endophora.judgments.records import Choices
from endophora.metrics.records import Reading
from endophora.phenomena import tag_document
from endophora.phenomena.given_tags import Labelled, spans_of
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Support, remembered, swap_sides
from endophora.phenomena.tagging import UNRESOLVED
from endophora.process import give_back_memory, part, uncollected
from endophora.signature import StoreKey, keyed

SEGMENTS_A_JOB = 500
LARGE = 10_000
"""Segments of a run after which models are not kept for the next one."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))

Span = tuple[int, int]
Spans = tuple[tuple[Span, ...], ...]
"""Segment × token → where it begins in the segment's text and where it ends."""

Pairs = Iterable[Sequence[tuple[int, int]]]


@keyed()
@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """A document's texts on one side, one a segment."""

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]


def target_texts(corpus: Corpus, text_of: Callable[[Segment], str]) -> list[DocumentTexts]:
    """Return the texts of each document, with the target text that ``text_of`` takes from a segment."""
    return [
        DocumentTexts(
            document.id,
            tuple(segment.source for segment in document.segments),
            tuple(text_of(segment) for segment in document.segments),
        )
        for document in corpus.documents
    ]


def tag_targets(
    setup: Setup,
    sides: Sequence[Sequence[DocumentTexts]],
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
    counted: Sequence[TextJob] = (),
) -> list[list[TaggedDocument]]:
    """Annotate, link, resolve and tag several target texts of the same source.

    Args:
        progress: called with the number of segments that were done, source and target counted alike.
        counted: text metrics whose statistics are to be in the store as well, made by the same processes.
    """
    # What the store has is read here: it would take a process longer to start and to hand it over.
    reader = _TagWorker(setup.load())
    looked = [reader.look(side) for side in sides]
    del reader  # it holds tools
    # Translations of a document follow one another: the network sees the words that they share once where they are
    # annotated together, and what the source alone decides is found once.
    lacking = [
        side[number]
        for number in range(len(sides[0]) if sides else 0)
        for side, (keys, known) in zip(sides, looked, strict=True)
        if keys[number] not in known
    ]
    sources: list[_SourceJob] = []
    if setup.store is not None and setup.taggers.phenomena:
        fresh = list({document.source: document for document in lacking}.values())
        sources = [_SourceJob([text for each in fresh[chunk] for text in each.source]) for chunk in _chunks(fresh)]
    # One after the other in the same processes, which open their pipelines once.
    work = [*sources, *(lacking[chunk] for chunk in _chunks(lacking)), *new_jobs(setup, counted)]
    done = map_ordered(partial(_worker, setup), work, workers)
    for job in sources:
        next(done)
        _tell(progress, len(job.texts))
    made = chain.from_iterable(cast("Iterator[list[bytes]]", islice(done, sum(1 for _ in _chunks(lacking)))))
    tagged: list[list[TaggedDocument]] = [[] for _ in sides]
    for documents in zip(*sides, strict=True):
        for side, document, (keys, known) in zip(tagged, documents, looked, strict=True):
            key = keys[len(side)]
            side.append(TaggedDocument(document.id, document.target, known[key] if key in known else next(made), key))
            _tell(progress, len(document.target))
    for _ in done:
        pass  # statistics are in the store
    if sum(len(document.target) for document in lacking) >= LARGE:
        _forget_models()
    return tagged


def _forget_models() -> None:
    """Let go of what annotates and resolves, before figures and reports take as much memory again."""
    from endophora.annotate.loading import forget_pipelines
    from endophora.corefer.encoder import load_encoder

    forget_pipelines()
    load_encoder.cache_clear()
    gc.collect()  # a pipeline's parts refer to each other
    give_back_memory()


def _tell(progress: Callable[[int], None] | None, count: int) -> None:
    if progress is not None:
        progress(count)


def _chunks(documents: Sequence[DocumentTexts]) -> Iterator[slice]:
    start = count = 0
    for index, document in enumerate(documents):
        count += len(document.source)
        if count >= SEGMENTS_A_JOB:
            yield slice(start, index + 1)
            start, count = index + 1, 0
    if start < len(documents):
        yield slice(start, len(documents))


def tagged_as_given(side: Sequence[DocumentTexts], segments: Sequence[Labelled]) -> list[TaggedDocument]:
    """Return a target text with tags that were made elsewhere; nothing is known of its source or links."""
    found, rest = list[TaggedDocument](), iter(segments)
    for document in side:
        given = [next(rest) for _ in document.target]
        spans = [spans_of(labelled, text) or [] for labelled, text in zip(given, document.target, strict=True)]
        occurrences = [
            Occurrence(document.id, segment, name, "", (), (place,), form)
            for segment, labelled in enumerate(given)
            for place, (form, names) in enumerate(labelled)
            for name in names
        ]
        bare: list[list[tuple[int, int]]] = [[] for _ in given]
        data = encode_document(bare, spans, bare, occurrences, ())
        found.append(TaggedDocument(document.id, document.target, data))
    return found


@dataclass(frozen=True, slots=True)
class _SourceJob:
    """Texts of the source, to be annotated before the sides that share them."""

    texts: list[str]


_Job = _SourceJob | TextJob | Sequence[DocumentTexts]


def _worker(setup: Setup) -> Callable[[_Job], list[bytes] | None]:
    tools = setup.load()
    return partial(_work, tools, _TagWorker(tools))


@uncollected()
def _work(tools: Toolbox, side: _TagWorker, job: _Job) -> list[bytes] | None:
    """Do a job; of a source and of a metric nothing is handed back: what was found is in the store."""
    if isinstance(job, _SourceJob):
        with part("analysis"):
            tools.annotations.annotate(tools.source_annotator, job.texts)
        return None
    if isinstance(job, TextJob):
        do_job(tools.store, tools.setup.target_language, job)
        return None
    return side(job)


class _TagWorker:
    """Tags jobs of documents, one after the other, and remembers the source of the last one."""

    def __init__(self, tools: Toolbox) -> None:
        self._tools = tools
        self._spans_of = remembered(_pack_spans)
        self._source: dict[tuple[str, ...], tuple[AnnotatedText, ...]] = {}
        self._resolved: dict[int, tuple[tuple[AnnotatedText, ...], Sequence[Resolution]]] = {}

    def __call__(self, documents: Sequence[DocumentTexts]) -> list[bytes]:
        """Return what is known of each document, encoded as the store keeps it."""
        keys, known = self.look(documents)
        missing = {key: each for key, each in zip(keys, documents, strict=True) if key not in known}
        new = dict(zip(missing, self._tag(list(missing.values())), strict=True))
        self._tools.store.put_many(new, "tags")
        known |= new
        return [known[key] for key in keys]

    def look(self, documents: Sequence[DocumentTexts]) -> tuple[list[StoreKey], dict[bytes, bytes]]:
        """Return the keys of documents, and those of them that the store has."""
        keys = [self._tools.keys(each.source, each.target) for each in documents]
        return keys, self._tools.store.get_many(keys)

    @part("words found")
    def _tag(self, documents: Sequence[DocumentTexts]) -> list[bytes]:
        if not documents:
            return []
        tools = self._tools
        with part("analysis"):
            texts = tools.annotations.annotate(tools.target_annotator, [text for d in documents for text in d.target])
        targets = _regroup(texts, [len(document.target) for document in documents])
        if not tools.setup.taggers.phenomena:
            # Neither sources nor links are needed.
            return [encode_document((), _spans(target), (), (), _read(tools, target)) for target in targets]
        sources = self._sources(documents)
        with part("links"):
            linked = tools.aligner.align_many(list(zip(sources, targets, strict=True)))
        tagged: list[bytes] = []
        for document, source, target, links in zip(documents, sources, targets, linked, strict=True):
            annotated = _resolved(tools, AnnotatedDocument(document.id, source, target, tuple(links)))
            tagged.append(
                encode_document(
                    self._spans_of(source),
                    _spans(target),
                    [[(link.source, link.target) for link in segment] for segment in links],
                    tag_document(annotated, tools.taggers),
                    _read(tools, target),
                    read_choices(annotated, tools.taggers, self._resolutions(source), tools.priors),
                )
            )
        return tagged

    def _resolutions(self, source: tuple[AnnotatedText, ...]) -> Sequence[Resolution]:
        """Return the pronouns of a source, resolved without a target; all sides of a source share them."""
        if not set(self._tools.setup.taggers.phenomena) & {"pronouns"}:
            return ()
        if id(source) not in self._resolved:
            self._resolved[id(source)] = source, self._tools.resolver.resolve(source)
        return self._resolved[id(source)][1]

    def _sources(self, documents: Sequence[DocumentTexts]) -> list[tuple[AnnotatedText, ...]]:
        missing = list(dict.fromkeys(each.source for each in documents if each.source not in self._source))
        if missing:
            tools = self._tools
            self._resolved = {}
            flat = [text for source in missing for text in source]
            with part("analysis"):
                texts = tools.annotations.annotate(tools.source_annotator, flat)
            # Only the last job's source is kept: the jobs of one source follow one another.
            self._source = dict(zip(missing, _regroup(texts, [len(source) for source in missing]), strict=True)) | {
                document.source: self._source[document.source]
                for document in documents
                if document.source in self._source
            }
        return [self._source[document.source] for document in documents]


def _read(tools: Toolbox, texts: Sequence[AnnotatedText]) -> Sequence[Reading]:
    """Return what document-level metrics read of texts; nothing where the language has no rules."""
    return tools.reader.read_all(texts) if tools.reader else ()


def _regroup(texts: Sequence[AnnotatedText], sizes: Sequence[int]) -> list[tuple[AnnotatedText, ...]]:
    groups: list[tuple[AnnotatedText, ...]] = []
    start = 0
    for size in sizes:
        groups.append(tuple(texts[start : start + size]))
        start += size
    return groups


def _resolved(tools: Toolbox, document: AnnotatedDocument) -> AnnotatedDocument:
    """Return a document with its pronouns resolved, on the side where the phenomena ask for it."""
    phenomena = set(tools.setup.taggers.phenomena)
    source = target = ()
    if phenomena - UNRESOLVED:
        source = tuple(tools.resolver.resolve(document.source, document.target, document.links))
    if tools.resolves_target:
        turned = swap_sides(document)
        target = tuple(tools.target_resolver.resolve(turned.source, turned.target, turned.links))
    return AnnotatedDocument(document.id, document.source, document.target, document.links, source, target)


def _pack_spans(texts: Sequence[AnnotatedText]) -> bytes:
    return _packed(list(map(_flat, _spans(texts))))


def _spans(texts: Sequence[AnnotatedText]) -> list[list[Span]]:
    return [[(token.start, token.end) for token in text.tokens] for text in texts]


class TaggedDocument:
    """One document on one side: its tokens, links and occurrences, and what metrics read of it.

    Args:
        data: what :func:`encode_document` made of it; id and texts are not in it, since equal texts have equal
            occurrences.
        key: under which the store has it: of all that it was made of; ``None`` for what was made elsewhere.
    """

    def __init__(self, identifier: str, texts: Sequence[str], data: bytes, key: StoreKey | None = None) -> None:
        self.identifier = identifier
        self.key = key
        self._texts = texts
        self._data = data

    @cached_property
    def source(self) -> Spans:
        """Where the tokens of each source text stand; none where nothing was looked for."""
        return _pairs_of_line(self._part(0))

    @cached_property
    def target(self) -> Spans:
        """Where the tokens of each target text stand."""
        return _pairs_of_line(self._part(1))

    @cached_property
    def links(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each segment its (source token, target token) that are linked, ordered."""
        return _pairs_of_line(self._part(2))

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Phenomenon → how many occurrences it has; one that is absent has none."""
        return json.loads(self._part(3))

    @cached_property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """The occurrences in the target."""
        return tuple([_occurrence(self.identifier, *row) for row in json.loads(self._part(4))])

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """What document-level metrics read of each target text."""
        rows = zip(self._texts, self.target, json.loads(self._part(5)), strict=True)
        return tuple(
            [
                Reading(text, tuple([text[start:end] for start, end in spans]), *map(_pairs, columns))
                for text, spans, columns in rows
            ]
        )

    @cached_property
    def choices(self) -> Choices:
        """What judgments read of the target."""
        return Choices.from_rows(json.loads(self._part(6)))

    def forget(self) -> None:
        """Drop what was decoded of it; it is decoded again when it is asked for."""
        for name in ("source", "target", "links", "occurrences", "readings", "choices"):
            self.__dict__.pop(name, None)

    def _part(self, number: int) -> bytes:
        sizes, _, parts = self._data.partition(b"\n")
        ends = list(accumulate(map(int, sizes.split(b","))))
        return zlib.decompress(parts[ends[number - 1] if number else 0 : ends[number]])


def encode_document(
    source: Pairs | bytes,
    target: Pairs,
    links: Pairs,
    occurrences: Sequence[Occurrence],
    readings: Iterable[Reading],
    choices: Choices | None = None,
) -> bytes:
    """Return what is known of a document as bytes: a line with the sizes of its parts, and each part compressed.

    ``source`` may be compressed already: it is the same for all targets.
    """
    parts = (
        list(map(_flat, target)),
        list(map(_flat, links)),
        Counter(each.phenomenon for each in occurrences),
        list(map(_row, occurrences)),
        [[_flat(each.classes), _flat(each.names), _flat(each.lemmas)] for each in readings],
        (choices or Choices()).to_rows(),
    )
    first = source if isinstance(source, bytes) else _packed(list(map(_flat, source)))
    packed = [first, *map(_packed, parts)]
    return b",".join(b"%d" % len(part) for part in packed) + b"\n" + b"".join(packed)


def _packed(part: object) -> bytes:
    return zlib.compress(_ENCODER.encode(part).encode("utf-8", "surrogatepass"), 1)


def _flat(pairs: Iterable[tuple[Any, Any]]) -> list[Any]:
    return list(chain.from_iterable(pairs))


def _pairs(items: Sequence[Any]) -> tuple[tuple[Any, Any], ...]:
    return tuple(zip(items[::2], items[1::2], strict=True))


def _pairs_of_line(line: bytes) -> Spans:
    return tuple(map(_pairs, json.loads(line)))


def _row(occurrence: Occurrence) -> list[Any]:
    """Return the fields of an occurrence, the document's id left out."""
    found = occurrence.support
    support = found and (_flat(found.source_tokens), _flat(found.target_tokens), found.distance, found.probability)
    return [
        occurrence.segment,
        occurrence.phenomenon,
        occurrence.rule,
        occurrence.source_tokens,
        occurrence.target_tokens,
        occurrence.expected,
        support,
    ]


def _occurrence(
    document: str,
    segment: int,
    phenomenon: str,
    rule: str,
    source_tokens: list[int],
    target_tokens: list[int],
    expected: str,
    support: tuple[list[int], list[int], int, float] | None,
) -> Occurrence:
    kept = support and Support(_pairs(support[0]), _pairs(support[1]), *support[2:])
    return Occurrence(document, segment, phenomenon, rule, tuple(source_tokens), tuple(target_tokens), expected, kept)
