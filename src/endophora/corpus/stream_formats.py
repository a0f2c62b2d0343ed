"""Corpora of any size by format: from paths to a stream of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from endophora.corpus.formats import read_corpus
from endophora.corpus.lines import STDIN, PathLike
from endophora.corpus.opus import opus_rows
from endophora.corpus.records import Corpus
from endophora.corpus.stream_lines import TableColumns, jsonl_rows, parallel_rows, tsv_rows
from endophora.corpus.stream_parquet import parquet_rows
from endophora.corpus.streams import DocumentStream, Row, StreamLog
from endophora.errors import Fault, InputError
from endophora.registry import Registry
from endophora.signature import unkeyed


@unkeyed("what is read counts, document by document, and not how")
@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOptions:
    """What a reader of a large format is told.

    Attributes:
        languages: ISO 639-1 codes of source and target.
        columns: the columns of a table.
        reference: name of the reference, where a format has several; the first by default.
        texts: folders and zip files in which OPUS' documents lie; by default the folder of the alignment.
    """

    languages: tuple[str, str]
    columns: TableColumns = field(default_factory=TableColumns)
    reference: str | None = None
    texts: tuple[PathLike, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamFormat:
    """A format that can be read as a stream.

    Attributes:
        description: what it is, in one line.
        recognises: tells from a path whether it is of this format.
        rows: yields the rows of a path.
    """

    description: str
    recognises: Callable[[Path], bool]
    rows: Callable[[PathLike, StreamOptions, StreamLog], Iterator[Row]]


def _ends(*suffixes: str) -> Callable[[Path], bool]:
    return lambda path: path.name.removesuffix(".gz").endswith(suffixes)


def _tsv(path: PathLike, options: StreamOptions, log: StreamLog) -> Iterator[Row]:
    return tsv_rows(path, options.columns, log)


def _jsonl(path: PathLike, options: StreamOptions, log: StreamLog) -> Iterator[Row]:
    return jsonl_rows(path, options.reference, log)


def _parquet(path: PathLike, options: StreamOptions, log: StreamLog) -> Iterator[Row]:
    return parquet_rows(path, options.columns, log)


def _opus(path: PathLike, options: StreamOptions, log: StreamLog) -> Iterator[Row]:
    return opus_rows(path, options.languages, options.texts, log)


def _is_parquet(path: Path) -> bool:
    return path.name.endswith(".parquet") or (path.is_dir() and any(path.glob("*.parquet")))


STREAM_FORMATS: Registry[StreamFormat] = Registry(
    "stream_format",
    {
        "tsv": StreamFormat("tab-separated values: document, source, target", _ends(".tsv"), _tsv),
        "jsonl": StreamFormat("JSON Lines, one segment a line", _ends(".jsonl"), _jsonl),
        "parquet": StreamFormat("Parquet, or a directory of it, with a column each", _is_parquet, _parquet),
        "opus": StreamFormat("OPUS: sentence links, and documents in folders or zip files", _ends(".xml"), _opus),
    },
    check=lambda thing: isinstance(thing, StreamFormat),
)
"""Formats by name; an outside package adds to them through an entry point of the group ``endophora.stream_format``."""


def open_stream(
    paths: Sequence[PathLike], options: StreamOptions, format: str | None = None, *, skip_faults: bool = False
) -> DocumentStream:
    """Return the documents of files, one file after the other; a document may go on in the next file.

    Args:
        paths: files, or directories of the formats that :func:`~endophora.corpus.formats.read_corpus` knows, which are
            read into memory; one may be ``-``, which needs ``format``.
        options: languages, columns, names.
        format: a name in :data:`STREAM_FORMATS`; by default the first that recognises each path.
        skip_faults: leave out and count what is faulty.

    Raises:
        InputError: there is no path (E098), or a format is not recognised (E015).
    """
    if not paths:
        raise InputError(Fault("E098", "no input is named", "name one with --input", "--input"))
    opened = [_opener(path, format, options) for path in paths]

    def rows(log: StreamLog) -> Iterator[Row]:
        """Yield the rows of all files."""
        for opener in opened:
            yield from opener(log)

    return DocumentStream(rows, skip_faults=skip_faults)


def open_parallel(
    source: PathLike, target: PathLike, documents: PathLike, *, skip_faults: bool = False
) -> DocumentStream:
    """Return the documents of three files that are parallel line by line: source, target and document ids.

    Raises:
        InputError: standard input is named more than once (E021).
    """
    if [str(path) for path in (source, target, documents)].count(STDIN) > 1:
        raise InputError(Fault("E021", "standard input is named more than once", "give all but one as files"))
    return DocumentStream(lambda log: parallel_rows(source, target, documents, log), skip_faults=skip_faults)


def _opener(path: PathLike, name: str | None, options: StreamOptions) -> Callable[[StreamLog], Iterator[Row]]:
    chosen = name or _recognise(path)
    if chosen is None or chosen not in STREAM_FORMATS:
        return _in_memory(path, chosen, options)
    form = STREAM_FORMATS.get(chosen)
    return lambda log: form.rows(path, options, log)


def _recognise(path: PathLike) -> str | None:
    if str(path) == STDIN:
        advice = "say it: --input-format tsv"
        raise InputError(Fault("E015", "the format of standard input is not known", advice, "<stdin>"))
    return next((name for name in STREAM_FORMATS if STREAM_FORMATS.get(name).recognises(Path(path))), None)


def _in_memory(path: PathLike, name: str | None, options: StreamOptions) -> Callable[[StreamLog], Iterator[Row]]:
    """Read a corpus of a small format at once, and yield its rows."""
    references = None if options.reference is None else [options.reference]
    corpus = read_corpus(path, name, languages=options.languages, references=references, systems=())
    if not corpus.references:
        raise InputError(
            Fault("E107", "the corpus has no reference", "occurrences are found in one: give it", str(path))
        )
    return lambda log: _corpus_rows(corpus, log)


def _corpus_rows(corpus: Corpus, log: StreamLog) -> Iterator[Row]:
    del log
    name = corpus.references[0]
    for document in corpus.documents:
        for segment in document.segments:
            place = segment.location
            yield Row(document.id, segment.source, segment.references[name], place.file, place.line)
