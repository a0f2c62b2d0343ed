"""The file formats by name, and the two ways to read them: as a corpus, or as a stream of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from endophora.corpus.bwb import bwb_rows, is_bwb
from endophora.corpus.codes import check_languages, parse_languages
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import STDIN, PathLike, bare_name, begins_with, display_name, fetched
from endophora.corpus.meaning import Text, check_meaning
from endophora.corpus.opus import opus_rows
from endophora.corpus.outputs import Reader, with_outputs
from endophora.corpus.pairs import is_paired, pair_rows
from endophora.corpus.parallel import (
    Files,
    packed_or_not,
    parallel_rows,
    select,
    text_rows,
    unique_files,
    wmt_pairs,
    wmt_rows,
    write_text,
    write_wmt,
)
from endophora.corpus.po import po_rows, write_po
from endophora.corpus.published import DATA_SET, TEST_SET, data_set_rows, is_named, test_set_pairs, test_set_rows
from endophora.corpus.records import Corpus, Document, Realigned
from endophora.corpus.sheets import csv_rows, write_csv, write_xlsx, xlsx_rows
from endophora.corpus.streams import (
    REFERENCE,
    DocumentStream,
    Names,
    ReadOptions,
    Row,
    checked,
    left_out,
    runs,
)
from endophora.corpus.tabular import jsonl_rows, parquet_rows, tsv_rows, write_jsonl, write_parquet, write_tsv
from endophora.corpus.tmx import tmx_rows, write_tmx
from endophora.corpus.wmt_files import is_sgm, sgm_rows, wmt_xml_rows
from endophora.corpus.xliff import write_xliff, write_xliff_2, xliff_rows
from endophora.errors import Fault, InputError
from endophora.registry import Registry


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    ``rows`` yields the rows of a path, and notes its faults in the log; ``recognises`` says of a path, which may be of
    no file, whether it is of this format; ``pairs`` names the language pairs that the names of the files say.
    """

    description: str
    recognises: Callable[[Path], bool]
    rows: Callable[[PathLike, ReadOptions, FaultLog], Iterator[Row]]
    write: Callable[[Corpus, PathLike], None] | None = None
    pairs: Callable[[PathLike], list[tuple[str, str]]] = lambda path: []  # noqa: ARG005


def _ends(*suffixes: str) -> Callable[[Path], bool]:
    return lambda path: bare_name(path).endswith(suffixes)


FORMATS: Registry[Format] = Registry(
    "format",
    {
        "jsonl": Format("JSON Lines, one segment a line", _ends(".jsonl"), jsonl_rows, write_jsonl),
        "tsv": Format("tab-separated values, with a header or columns by number", _ends(".tsv"), tsv_rows, write_tsv),
        "csv": Format("comma-separated values, columns by name", _ends(".csv"), csv_rows, write_csv),
        "xlsx": Format("workbooks of spreadsheets, columns by name", _ends(".xlsx"), xlsx_rows, write_xlsx),
        "wmt": Format(
            "directory in the layout of WMT and mt-metrics-eval",
            lambda path: (path / "sources").is_dir(),
            wmt_rows,
            write_wmt,
            wmt_pairs,
        ),
        "text": Format(
            "directory of plain text, one segment a line",
            lambda path: packed_or_not(path / "source.txt") is not None,
            text_rows,
            write_text,
        ),
        "parquet": Format(
            "Parquet, or a directory of it, with a column each",
            lambda path: path.name.endswith(".parquet") or (path.is_dir() and any(path.glob("*.parquet"))),
            parquet_rows,
            write_parquet,
        ),
        "tmx": Format("TMX 1.4, translation memories", _ends(".tmx"), tmx_rows, write_tmx),
        "xliff": Format("XLIFF 1.2 or 2.x; written as 1.2", _ends(".xlf", ".xliff"), xliff_rows, write_xliff),
        "xliff2": Format("XLIFF 2.x, written as 2.0", _ends(".xlf2"), xliff_rows, write_xliff_2),
        "po": Format("PO, message catalogues of gettext", _ends(".po"), po_rows, write_po),
        "wmtxml": Format(
            "WMT's XML, 2021 and later",
            lambda path: _ends(".xml")(path) and begins_with(path, b"<dataset"),
            wmt_xml_rows,
        ),
        "sgm": Format("SGML of WMT until 2020, and IWSLT's XML", is_sgm, sgm_rows),
        "sacrebleu": Format(
            "sacrebleu:NAME, a test set of sacreBLEU",
            lambda path: is_named(path, TEST_SET),
            test_set_rows,
            pairs=test_set_pairs,
        ),
        "hf": Format("hf:NAME, a data set of Hugging Face", lambda path: is_named(path, DATA_SET), data_set_rows),
        "bwb": Format("BWB's folders of books, with or without marks of mentions", is_bwb, bwb_rows),
        "opus": Format("OPUS: sentence links, and documents in folders or zip files", _ends(".xml"), opus_rows),
    },
    check=lambda thing: isinstance(thing, Format),
)
"""Formats by name; an outside package adds to them through an entry point of the group ``endophora.format``."""


def read_corpus(
    path: PathLike,
    format: str | None = None,
    languages: tuple[str, str] | None = None,
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    outputs: Mapping[str, PathLike] | None = None,
) -> Corpus:
    """Read a corpus from one file or directory.

    Args:
        path: the file or directory; ``-`` is standard input, which needs ``format``.
        format: a name in :data:`FORMATS`; by default the first that recognises the path.
        languages: ISO 639-1 codes of source and target; may be left out where the path names them.
        references: names of the references to keep; all by default.
        systems: names of the systems to keep; all by default.
        outputs: further systems, each with a file of its own: plain text with a line a segment, or a file of any
            format, whose only translation is the output and whose segments are those of ``path`` by id or source.

    Raises:
        InputError: the format is not recognised (E015) or the languages are not known (E014), or all that is wrong
            with the files; ``docs/errors.md`` lists it.
    """
    path = fetched(path)
    rows_of = _opened(path, format)
    form = FORMATS.get(format or _recognise(path if _is_known(path) else next(iter(_files(path)), path)))
    options = ReadOptions(languages=languages or _languages(form, path), references=references, systems=systems)
    log = FaultLog()
    rows: Iterable[Row] = _selected(rows_of(options, log), options, log)
    if outputs:
        files = {name: fetched(each) for name, each in outputs.items()}
        rows = with_outputs(list(rows), {name: (each, _reader(each, options)) for name, each in files.items()}, log)
    return _collect(rows, options, log, display_name(path))


_SHARED = "documents that are in several files of the folder count as one for each file"


def _opened(path: PathLike, format: str | None) -> Callable[[ReadOptions, FaultLog], Iterator[Row]]:
    """Return what reads a file, or a folder of files; there a file without document ids is a document."""
    files = [] if format or _is_known(path) else _files(path)
    if not files:
        form = FORMATS.get(format or _recognise(path))
        return lambda options, log: form.rows(path, options, log)
    forms = [(file, FORMATS.get(_recognise(file))) for file in files]

    def rows(options: ReadOptions, log: FaultLog) -> Iterator[Row]:
        before, here = set[int](), set[int]()
        for file, form in forms:
            for row in form.rows(file, options, log):
                name = file.name if row.document is None else row.document
                here.add(hash(name))
                # Two catalogues may have messages of one file of a program.
                yield row._replace(document=f"{name} ({file.name})" if hash(name) in before else name)
            log.notes.update([_SHARED] * len(here & before))
            before |= here
            here.clear()

    return rows


def _is_known(path: PathLike) -> bool:
    return str(path) == STDIN or any(FORMATS.get(name).recognises(Path(path)) for name in FORMATS)


def _files(path: PathLike) -> list[Path]:
    """Return the files in a folder that are of some format, in the order of their names."""
    return [file for file in sorted(Path(path).glob("*")) if file.is_file() and _is_known(file)]


def _reader(path: PathLike, options: ReadOptions) -> Reader | None:
    """Return what reads a file of outputs; ``None`` for plain text."""
    if not _is_known(path):
        return None
    rows, wanted = _opened(path, None), ReadOptions(languages=options.languages, untranslated=True)
    return lambda _, log: rows(wanted, log)


def read_parallel(
    source: PathLike,
    references: Iterable[PathLike],
    documents: PathLike | None = None,
    systems: Iterable[PathLike] = (),
    languages: tuple[str, str] = ("en", "de"),
) -> Corpus:
    """Read plain text, one segment a line; or subtitles (``.srt``, ``.vtt``) or ``.docx``, a file a language.

    Args:
        source: the source file; each of the files may be gzipped, and one of them ``-``, standard input.
        references: files of references, as ``NAME=FILE`` or ``FILE``.
        documents: the file that gives each line's document id, any text; without it all is one document.
        systems: files of outputs, as ``NAME=FILE`` or ``FILE``.
        languages: ISO 639-1 codes of source and target.

    Raises:
        InputError: with all faults of all files; ``docs/errors.md`` lists them.
    """
    log = FaultLog()
    files = Files(
        fetched(source),
        documents,
        unique_files(references, "E012", "reference", log),
        unique_files(systems, "E011", "system", log),
    )
    return _collect(_file_rows(files, log), ReadOptions(languages=languages), log, display_name(source))


def read(
    path: PathLike,
    languages: str | tuple[str, str] | None = None,
    *,
    references: PathLike | Mapping[str, PathLike] | None = None,
    documents: PathLike | None = None,
    systems: Sequence[str] | Mapping[str, PathLike] | None = None,
    format: str | None = None,
) -> Corpus:
    """Read a corpus: from one file or directory with everything, or from a source and files beside it.

    Args:
        path: the file or directory, as :func:`read_corpus`; with ``references`` or ``documents``, the source text.
        languages: source and target, as ``en-de``; may be left out where the path names them.
        references: the file of the reference, or names and files of several.
        documents: the file that gives each line's document id.
        systems: outputs by name, each with its file; or, of those that ``path`` has, the names of some.
        format: a name in :data:`FORMATS`, where it is not recognised.

    Raises:
        InputError: with all faults of all files; ``docs/errors.md`` lists them.
    """
    pair = parse_languages(languages) if isinstance(languages, str) else languages
    outputs = systems if isinstance(systems, Mapping) else dict[str, PathLike]()
    if references is None and documents is None:
        names = None if isinstance(systems, Mapping) else systems
        return read_corpus(path, format, pair, systems=names, outputs=outputs)
    if pair is None:
        advice = "name them: languages='en-de'"
        raise InputError(Fault("E014", "the languages of plain text are not known", advice, display_name(path)))
    several = references if isinstance(references, Mapping) else dict[str, PathLike]()
    files: list[PathLike] = [f"{name}={file}" for name, file in several.items()]
    if references is not None and not isinstance(references, Mapping):
        files.append(references)
    return read_parallel(path, files, documents, [f"{name}={file}" for name, file in outputs.items()], pair)


def open_stream(
    paths: Sequence[PathLike], options: ReadOptions, format: str | None = None, *, skip_faults: bool = False
) -> DocumentStream:
    """Return the documents of files, one file after the other, with the first of their references.

    A document may go on in the next file. Faults: there is no path (E098), or a format is not recognised (E015).
    """
    if not paths:
        raise InputError(Fault("E098", "no input is named", "name one with --input", "--input"))
    opened = [_opened(fetched(path), format) for path in paths]
    wanted = replace(options, systems=())

    def rows(log: FaultLog) -> Iterator[Row]:
        return chain.from_iterable(_selected(each(wanted, log), wanted, log) for each in opened)

    return DocumentStream(rows, skip_faults=skip_faults)


def open_parallel(
    source: PathLike, target: PathLike, documents: PathLike | None = None, *, skip_faults: bool = False
) -> DocumentStream:
    """Return the documents of files that are parallel line by line; without ids all is one document."""
    files = Files(fetched(source), documents, {REFERENCE: fetched(target)})
    return DocumentStream(lambda log: _file_rows(files, log), skip_faults=skip_faults)


def _file_rows(files: Files, log: FaultLog) -> Iterator[Row]:
    return pair_rows(files, log) if is_paired(files.source) else parallel_rows(files, log)


def _recognise(path: PathLike) -> str:
    if str(path) == STDIN:
        advice = "say it: --input-format jsonl (or tsv)"
        raise InputError(Fault("E015", "the format of standard input is not known", advice, "<stdin>"))
    for name in FORMATS:
        if FORMATS.get(name).recognises(Path(path)):
            return name
    if not Path(path).exists():
        raise InputError(Fault("E001", "no such file or directory", "check the path", str(path)))
    advice = f"say --input-format ({', '.join(FORMATS)}); for plain text: --source, --reference, --documents"
    raise InputError(Fault("E015", "the format is not recognised", advice, str(path)))


def _languages(form: Format, path: PathLike) -> tuple[str, str]:
    pairs = form.pairs(path)
    if len(pairs) == 1:
        return pairs[0]
    known = f"; there are: {', '.join('-'.join(pair) for pair in pairs)}" if pairs else ""
    raise InputError(Fault("E014", f"the languages are not known{known}", "say them: --languages en-de", str(path)))


def _selected(rows: Iterable[Row], options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield rows with the references and systems that are wanted; one with other names than the first is a fault."""
    first: Row | None = None
    references: Names = None
    systems: Names = None
    for row in rows:
        if first is None:
            first = row
            # A reader that opens only what is wanted has noted unknown names itself.
            noted = FaultLog() if log.has("E024") else log
            references = list(select(row.references, options.references, "reference", noted))
            systems = list(select(row.outputs, options.systems, "system", noted))
        if differences := _differences(first, row):
            cause = f"differs from the first line in: {'; '.join(differences)}"
            log.add("E025", cause, "every line needs the same keys and names", row.file, row.line)
            continue
        if references is not None and options.references is not None:
            row = row._replace(references={name: row.references[name] for name in references})
        if row.outputs and systems is not None and options.systems is not None:
            row = row._replace(outputs={name: row.outputs[name] for name in systems})
        yield row


def _differences(first: Row, row: Row) -> list[str]:
    if row.references.keys() == first.references.keys() and row.outputs.keys() == first.outputs.keys():
        return [] if (row.document is None) == (first.document is None) else ["document"]
    pairs = (("references", first.references, row.references), ("outputs", first.outputs, row.outputs))
    return [
        f"{kind} {', '.join(sorted(one.keys() ^ two.keys()))}" for kind, one, two in pairs if one.keys() ^ two.keys()
    ]


def _collect(rows: Iterable[Row], options: ReadOptions, log: FaultLog, file: str) -> Corpus:
    """Return the corpus of rows, or raise all faults, with no segment (E005) and unknown languages (E014)."""
    documents = list(runs(checked(rows, log), log))
    check_languages(options.languages, log)
    if not documents and not log:
        log.add("E005", "there is no segment", "was it written to its end?", file)
    log.check()
    flat = [row for _, held in documents for row in held]
    source, target = options.languages
    return Corpus(
        source_language=source,
        target_language=target,
        documents=tuple(Document(name, tuple(map(Row.segment, held))) for name, held in documents),
        references=tuple(flat[0].references),
        systems=tuple(flat[0].outputs),
        warnings=(*left_out(log.notes), *log.remarks, *_blank_outputs(flat), *_doubts(flat, source, target)),
    )


def join_outputs(
    corpus: Corpus,
    outputs: Mapping[str, Sequence[str]],
    realigned: Sequence[Realigned],
    files: Mapping[str, str] | None = None,
) -> Corpus:
    """Return a corpus with more outputs, a text for each segment, and the doubts about them (E011: one is there).

    ``files`` are those of outputs with a line a segment; lines of others are the source's.
    """
    log = FaultLog()
    for name in outputs:
        if name in corpus.systems:
            log.add("E011", f"two outputs for system “{name}”", "name them apart: NAME=FILE", name)
    log.check()
    texts = zip(*outputs.values(), strict=True)
    documents = tuple(
        replace(
            document,
            segments=tuple(
                replace(one, outputs={**one.outputs, **dict(zip(outputs, next(texts), strict=True))})
                for one in document.segments
            ),
        )
        for document in corpus.documents
    )
    rows = list[Row]()
    for document in documents:
        for one in document.segments:
            file, line = one.location.file, one.location.line
            places = {f"system {name}": (own, len(rows) + 1 - line) for name, own in (files or {}).items()}
            rows.append(Row(document.id, one.source, one.references, one.outputs, file, line, elsewhere=places))
    told = {warning.partition(" – ")[2] for warning in corpus.warnings}
    doubts = [*_blank_outputs(rows), *_doubts(rows, corpus.source_language, corpus.target_language)]
    doubts = [doubt for doubt in doubts if doubt.partition(" – ")[2] not in told]
    said = [realigned_text(one) for one in realigned]
    return replace(
        corpus,
        documents=documents,
        systems=(*corpus.systems, *outputs),
        warnings=tuple(dict.fromkeys((*corpus.warnings, *said, *doubts))),
        realigned=(*corpus.realigned, *realigned),
    )


def realigned_text(one: Realigned) -> str:
    """Say what was done to an output, with the counts."""
    how = "document by document" if one.by_document else "as one text: its documents are not known"
    return (
        f"system “{one.system}”: {one.lines:,} lines were cut into the {one.segments:,} segments of the source, {how}; "
        f"{one.omitted:,} segments ({one.omitted / one.segments:.1%}) have no translation, {one.added:,} of "
        f"{one.characters:,} characters ({one.added / max(1, one.characters):.1%}) have no source"
    )


def _blank_outputs(rows: Sequence[Row]) -> Iterator[str]:
    """Say how many outputs of each system are blank, and where."""
    for name in rows[0].outputs:
        if blank := [row for row in rows if not row.outputs[name].strip()]:
            places = [row.where(f"system {name}") for row in blank]
            lines = ", ".join(str(line) for _, line in places[:5]) + (", …" if len(blank) > 5 else "")
            which = "line" if len(blank) == 1 else "lines"
            cause = f"system “{name}” left {len(blank)} of {len(rows)} segments blank: {which} {lines}"
            yield str(Fault("E391", cause, "check that it wrote all of them; they are scored as empty", places[0][0]))


def _doubts(rows: Sequence[Row], source: str, target: str) -> list[str]:
    """Return the warnings about what the texts mean."""

    def text(kind: str, name: str, language: str, texts: Sequence[str]) -> Text:
        part = f"{kind} {name}" if name else kind
        return Text(kind, name, language, rows[0].where(part)[0], texts, lambda index: rows[index].where(part)[1])

    references = [
        text("reference", name, target, [row.references[name] for row in rows]) for name in rows[0].references
    ]
    systems = [text("system", name, target, [row.outputs[name] for row in rows]) for name in rows[0].outputs]
    return check_meaning(text("source", "", source, [row.source for row in rows]), references, systems)
