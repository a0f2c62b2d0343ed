"""Sentence pairs, and the task of the engine that links their words: annotated, aligned, one-to-one links kept.

Pairs become documents, a run of pairs of one corpus each. They are linked once; counting, vectors and selection then
read the task's rows, as often as they need, and hold none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from endophora.align import ALIGNERS, load_aligner
from endophora.align.records import Aligner, Link
from endophora.annotate.loading import ANNOTATORS, load_annotator
from endophora.annotate.records import AnnotatedText, Annotator
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import each_line
from endophora.corpus.records import Document, Location, Segment
from endophora.errors import Fault, MissingModelError
from endophora.signature import Signature, keyed, run_signature

_REFERENCE, _SEPARATOR = "", "#"
DOCUMENT_PAIRS = 1000
"""Sentence pairs in a document: the aligner learns from one at a time."""


def read_pair_documents(files: Sequence[tuple[str, Path]], *, reverse: bool = False) -> Iterator[Document]:
    """Yield sentence pairs as documents, each pair once: ``corpus TAB source TAB target``, or the last two only.

    All lines of a file with a name are of this corpus; otherwise the first of three fields says it, or the file's name.
    """
    log = FaultLog()
    seen = set[int]()
    for name, path in files:
        held, count = dict[str, list[Segment]](), 0
        for number, line in each_line(path, log):
            fields = (line or "\t").split("\t")
            if len(fields) not in (2, 3):
                advice = "corpus, source, target between tabs, or source and target"
                log.add("E225", f"{len(fields)} fields", advice, str(path), number)
                continue
            source, target = (fields[-1], fields[-2]) if reverse else (fields[-2], fields[-1])
            key = hash((source, target))
            if log or key in seen or not source.strip() or not target.strip():
                continue
            seen.add(key)
            origin = name or (fields[0] if len(fields) == 3 else path.name.partition(".")[0])
            run = held.setdefault(origin, [])
            run.append(Segment(source, {_REFERENCE: target}, {}, Location(str(path), number)))
            if len(run) == DOCUMENT_PAIRS:
                yield Document(f"{_origin_mark(origin)}{path.name}-{count}", tuple(held.pop(origin)))
                count += 1
        for origin, run in held.items():
            yield Document(f"{_origin_mark(origin)}{path.name}-{count}", tuple(run))
            count += 1
    log.check()


def name_documents(name: str, documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents of a corpus with its name, each sentence pair once; documents left empty are dropped."""
    seen = set[int]()
    for document in documents:
        kept = list[Segment]()
        for segment in document.segments:
            key = hash((segment.source, *segment.references.values()))
            if key not in seen:
                seen.add(key)
                kept.append(segment)
        if kept:
            yield replace(document, id=f"{_origin_mark(name)}{document.id}", segments=tuple(kept))


def origin_of_document(id: str) -> str:
    """Return the name of the corpus that the id of a document begins with."""
    return id.partition(_SEPARATOR)[0]


def _origin_mark(origin: str) -> str:
    return origin.replace(_SEPARATOR, "_") + _SEPARATOR


_SIDES = ("source", "target")
_BATCH = 4096


@dataclass(frozen=True, slots=True)
class LinkedSide:
    """One side of a sentence pair; all lists have one value a token."""

    text: str
    lemmas: Sequence[str]
    upos: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]

    def form(self, index: int) -> str:
        """Return a token as it is written in the text."""
        return self.text[self.starts[index] : self.ends[index]]


@dataclass(frozen=True, slots=True)
class LinkedPair:
    """A sentence pair with its one-to-one links."""

    origin: str
    number: str
    source: LinkedSide
    target: LinkedSide
    links: Sequence[tuple[int, int]]


def one_to_one(links: Iterable[Link]) -> list[tuple[int, int]]:
    """Return the links whose two tokens have no other (Raganato et al., 2019, §2.1)."""
    pairs = [(link.source, link.target) for link in links]
    sources, targets = Counter(pair[0] for pair in pairs), Counter(pair[1] for pair in pairs)
    return [(source, target) for source, target in pairs if sources[source] == 1 and targets[target] == 1]


@keyed(names=("annotators", "aligner"))
@dataclass(frozen=True, slots=True)
class _Linking:
    """What the links of a sentence pair depend on besides the pair: names, and the tools that they name."""

    annotators: Mapping[str, str]
    aligner: str | None
    loaded: tuple[Annotator, Annotator, Aligner]


class LinkTask:
    """A task of the engine: documents of sentence pairs to one row a pair."""

    def __init__(
        self,
        source_language: str,
        target_language: str,
        annotators: Mapping[str, str] | None = None,
        aligner: str | None = None,
    ) -> None:
        self._languages = (source_language, target_language)
        self._annotators = dict(annotators or {})
        self._aligner = aligner

    @property
    def signature(self) -> Signature:
        """What decides the rows besides the documents: annotators and aligner."""
        return self._signature

    @cached_property
    def _signature(self) -> Signature:
        source, target = map(self._annotator, self._languages)
        tools = (source, target, load_aligner(self._aligner, *self._languages))
        return run_signature(_Linking(self._annotators, self._aligner, tools))

    @property
    def schema(self) -> Any:
        """The columns, a ``pyarrow.Schema``."""
        arrow = _arrow()
        columns = [("origin", arrow.string()), ("number", arrow.string())]
        for side in _SIDES:
            columns += [
                (side, arrow.string()),
                (f"{side}_lemmas", arrow.list_(arrow.string())),
                (f"{side}_upos", arrow.list_(arrow.string())),
                (f"{side}_starts", arrow.list_(arrow.int32())),
                (f"{side}_ends", arrow.list_(arrow.int32())),
            ]
        return arrow.schema([*columns, ("links", arrow.list_(arrow.int32()))])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the settings alone: another process derives its own signature from its models."""
        return LinkTask, (*self._languages, self._annotators, self._aligner)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files and folders of models that the settings name by path."""
        named = [*map(ANNOTATORS.path_in, self._annotators.values()), ALIGNERS.path_in(self._aligner)]
        return tuple(path for path in named if path is not None)

    def moved(self, places: Mapping[Path, Path]) -> LinkTask:
        """Return the task with these files and folders at other places."""
        annotators = {language: ANNOTATORS.moved(name, places) for language, name in self._annotators.items()}
        return LinkTask(*self._languages, annotators, self._aligner and ALIGNERS.moved(self._aligner, places))

    def load(self) -> _Work:
        """Load the models and return the function."""
        source, target = (self._annotator(language) for language in self._languages)
        return _Work(source, target, load_aligner(self._aligner, *self._languages))

    def _annotator(self, language: str) -> Annotator:
        return load_annotator(language, self._annotators.get(language))


class _Work:
    """Whole documents to their rows."""

    def __init__(self, source: Any, target: Any, aligner: Any) -> None:
        self._source, self._target, self._aligner = source, target, aligner

    def __call__(self, documents: Sequence[Document]) -> Iterator[dict[str, object]]:
        """Yield a row a sentence pair."""
        for document in documents:
            sources = list(self._source.annotate(segment.source for segment in document.segments))
            # The first reference; a pair corpus has no other.
            texts = (next(iter(segment.references.values())) for segment in document.segments)
            targets = list(self._target.annotate(texts))
            linked = cast("list[tuple[Link, ...]]", self._aligner.align(sources, targets))
            origin = origin_of_document(document.id)
            for number, (source, target, links) in enumerate(zip(sources, targets, linked, strict=True)):
                flat = [index for pair in one_to_one(links) for index in pair]
                row: dict[str, object] = {"origin": origin, "number": f"{document.id}:{number}", "links": flat}
                yield row | _columns("source", source) | _columns("target", target)


def _columns(side: str, text: AnnotatedText) -> dict[str, object]:
    return {
        side: text.text,
        f"{side}_lemmas": [token.lemma for token in text.tokens],
        f"{side}_upos": [token.upos for token in text.tokens],
        f"{side}_starts": [token.start for token in text.tokens],
        f"{side}_ends": [token.end for token in text.tokens],
    }


def read_links(path: Path, *, reverse: bool = False) -> Iterator[LinkedPair]:
    """Yield the pairs of the engine's output, in order, without holding more than some thousand."""
    _arrow()
    from pyarrow import parquet

    file = cast("Any", parquet).ParquetFile(path)
    for batch in file.iter_batches(_BATCH):
        for row in cast("list[dict[str, Any]]", batch.to_pylist()):
            source, target = (_side(row, side) for side in _SIDES)
            first, second = row["links"][::2], row["links"][1::2]
            if reverse:
                source, target, first, second = target, source, second, first
            yield LinkedPair(row["origin"], row["number"], source, target, list(zip(first, second, strict=True)))


def _side(row: Mapping[str, Any], side: str) -> LinkedSide:
    return LinkedSide(row[side], *(row[f"{side}_{name}"] for name in ("lemmas", "upos", "starts", "ends")))


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        advice = "install it with: pip install 'endophora[extract]'"
        raise MissingModelError(Fault("E226", "a build of word senses needs pyarrow", advice)) from error
    return pyarrow
