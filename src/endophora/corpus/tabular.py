"""A segment a row, everything in one file: JSON Lines, TSV and Parquet.

A line of JSON Lines has ``document``, ``source``, ``references`` and ``outputs`` (name → text). Tables have the columns
``document``, ``source``, ``reference:NAME`` and ``system:NAME``; ``reference`` alone is a reference of that name, and
so is ``target``, as parallel text has it. A field of a TSV is taken as it stands: no quotes, no escapes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from endophora.corpus.codes import bare_language
from endophora.corpus.faults import FaultLog, whole_number
from endophora.corpus.lines import PathLike, display_name, each_line, is_cut, need_library
from endophora.corpus.records import Corpus
from endophora.corpus.streams import ReadOptions, Row, TableColumns, translated
from endophora.corpus.writing import check_writable, rows, write_lines, writing_faults
from endophora.errors import first_line

_KEYS = frozenset({"document", "source", "references", "outputs"})
_KINDS = ("document", "source", "reference", "system")
_TWICE = {"system": "E011", "reference": "E012"}
TALK = "talk_name"
"""The column of document ids in the tables of TED talks of Qi et al. (2018)."""

_NULL = ("__NULL__", "_ _ NULL _ _")
"""What these tables have where there is no translation, as it is and tokenised."""
_BATCH = 4_096

_Note = Callable[[str, str, str], None]
"""Takes code, cause and advice of a fault in the line that is being read."""


def jsonl_rows(path: PathLike, _: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the segments of our JSON Lines.

    Faults: E001–E007, malformed JSON or a key that is there twice (E018), a key that is missing or of the wrong type
    (E019).
    """
    file = display_name(path)
    unused: set[str] = set()
    for number, text in each_line(path, log):
        note = partial(log.add, file=file, line=number)
        if text is None or (value := _parse(text, note)) is None:
            continue
        source = _text(value, "source", note)
        document = _text(value, "document", note) if "document" in value else ""
        references, outputs = _texts(value, "references", note), _texts(value, "outputs", note)
        if source is None or document is None or references is None or outputs is None:
            continue
        unused.update(value.keys() - _KEYS)
        yield Row(document if "document" in value else None, source, references, outputs, file, number)
    if unused:
        log.remarks.append(f"Keys of {file} that were not used: {', '.join(sorted(unused))}.")


def write_jsonl(corpus: Corpus, path: PathLike) -> None:
    """Write a corpus as JSON Lines, gzipped if the path says so (E022, E026)."""
    check_writable(corpus, "JSON Lines", forbidden="")
    write_lines(
        path,
        (
            json.dumps(
                {
                    "document": document.id,
                    "source": segment.source,
                    "references": {name: segment.references[name] for name in corpus.references},
                    "outputs": {name: segment.outputs[name] for name in corpus.systems},
                },
                ensure_ascii=False,
            )
            for document in corpus.documents
            for segment in document.segments
        ),
    )


class _TwiceError(ValueError):
    """A JSON object has a key twice; Python would keep the last without a word."""


def _parse(text: str, note: _Note) -> Mapping[str, object] | None:
    """Return the object of a line, or note why there is none (E018, E019)."""
    try:
        # As floats, numbers of any length parse; none is wanted, and each is reported where it stands.
        value: object = json.loads(text, object_pairs_hook=_unique_keys, parse_int=float)
    except json.JSONDecodeError as error:
        if text.strip():
            note("E018", f"malformed JSON at column {error.colno}: {error.msg}", "write one JSON object a line")
        else:
            note("E018", "the line is empty", "delete it")
    except _TwiceError as error:
        note("E018", f"the key “{error}” is there twice", "keep one of them")
    except RecursionError:
        note("E018", "the JSON is nested too deeply", "write one flat object a line")
    else:
        if isinstance(value, dict):
            return cast("dict[str, object]", value)
        note("E019", "the line is no JSON object", 'write {"source": "…", …}')
    return None


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return value


def _text(value: Mapping[str, object], key: str, note: _Note) -> str | None:
    """Return the text of a key, or note why there is none."""
    text = value.get(key)
    if text is None and key not in value:
        note("E019", f"the key “{key}” is missing", "every line needs it")
    elif not isinstance(text, str):
        note("E019", f"“{key}” is no text", "put it in double quotes")
    elif is_sound(text, key, note):
        return text
    return None


def _texts(value: Mapping[str, object], key: str, note: _Note) -> dict[str, str] | None:
    """Return the object of names and texts of a key."""
    named = value.get(key, {})
    if not isinstance(named, dict):
        note("E019", f"“{key}” is no object of names and texts", f'write "{key}": {{"NAME": "…"}}')
        return None
    items = cast("dict[str, object]", named)
    texts = {name: _text(items, name, note) for name in items if is_sound(name, key, note)}
    whole = {name: text for name, text in texts.items() if text is not None}
    return whole if len(whole) == len(items) else None


def is_sound(text: str, key: str, note: _Note) -> bool:
    """Return whether a text could be in a UTF-8 file; JSON's escapes can say what UTF-8 cannot."""
    if "\0" in text:
        note("E007", f"a NUL character in “{key}”", "remove \\u0000")
    elif is_cut(text):
        note("E006", f"half of a surrogate pair in “{key}”", "a character was cut in two; write it again")
    else:
        return True
    return False


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table, by their index; ``document`` is ``None`` where there are no ids."""

    document: int | None
    source: int
    references: Mapping[str, int]
    outputs: Mapping[str, int] = field(default_factory=dict[str, int])

    def all(self) -> list[int]:
        """Return the indices of all columns that are read."""
        ids = [] if self.document is None else [self.document]
        return [*ids, self.source, *self.references.values(), *self.outputs.values()]

    def row(self, fields: Sequence[str] | Mapping[int, str], file: str, number: int) -> Row:
        """Return the row of a table's fields."""
        return Row(
            None if self.document is None else fields[self.document],
            fields[self.source],
            {name: fields[place] for name, place in self.references.items()},
            {name: fields[place] for name, place in self.outputs.items()},
            file,
            number,
        )


def with_roles(names: Sequence[str], languages: tuple[str, str]) -> list[str]:
    """Return the names of columns as tables have them: in capitals or not, or the languages of the pair."""
    found: list[str] = []
    for name in names:
        kind, colon, rest = name.partition(":")
        known = kind.strip().lower()
        found.append(f"{known}{colon}{rest}" if known in (*_KINDS, "target") else name)
    if TALK in found and "document" not in found:
        found[found.index(TALK)] = "document"
    for language, role in zip(languages, ("source", "target"), strict=True):
        near = [place for place, name in enumerate(found) if bare_language(name) == language]
        places = [place for place in near if found[place].lower() == language] or near
        if role not in found and len(places) == 1:
            found[places[0]] = role
    return found


def find_columns(names: Sequence[str], options: ReadOptions, file: str, log: FaultLog) -> Columns | None:
    """Return what the columns of a table are, by their names; ``None`` if the source is not known.

    Faults: a column that is missing or there twice (E016), a system (E011) or reference (E012) that is.
    """
    if options.columns is not None:
        return _named_columns(names, options.columns, file, log)
    names = with_roles(names, options.languages)
    if "source" not in names:
        cause = f"there is no column “source”; there are: {', '.join(names)}"
        log.add("E016", cause, "name the columns document, source, reference:NAME, system:NAME", file, 1)
    for (kind, name), count in Counter(map(_split, filter(None, names))).items():
        if count > 1:
            cause = f"{count} columns are called “{name or kind}”"
            log.add(_TWICE.get(kind, "E016"), cause, "name them apart", file, 1)
    if "source" not in names:
        return None
    if unused := [name or "(one without a name)" for name in names if _split(name)[0] not in _KINDS]:
        log.remarks.append(f"Columns of {file} that were not used: {', '.join(unused)}.")
    references, outputs = (
        {_split(name)[1]: index for index, name in enumerate(names) if _split(name)[0] == kind}
        for kind in ("reference", "system")
    )
    return Columns(names.index("document") if "document" in names else None, names.index("source"), references, outputs)


def _named_columns(names: Sequence[str], columns: TableColumns, file: str, log: FaultLog) -> Columns | None:
    targets = (name for name in names if _split(name)[0] == "reference")
    wanted = (columns.document, columns.source, columns.target or next(targets, "target"))
    wrong = [name for name in wanted if names.count(name) != 1]
    for name in wrong:
        what = "no column" if name not in names else f"{names.count(name)} columns"
        cause = f"there is {what} “{name}”; there are: {', '.join(names)}"
        advice = "name the columns of document id, source and target: --columns document,source,target"
        log.add("E016", cause, advice, file, 1)
    if wrong:
        return None
    document, source, target = map(names.index, wanted)
    return Columns(document, source, {wanted[2]: target})


def _split(column: str) -> tuple[str, str]:
    """Return kind and name of a column; ``reference`` alone is a reference of that name, and ``target`` is one too."""
    kind, _, name = column.partition(":")
    if column == "target":
        return "reference", column
    return kind, name or (kind if kind in _TWICE else "")


def tsv_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the rows of a TSV file; columns that are given by number say that it has no header.

    Faults: E001–E007, those of the header, a line with another number of fields than the header, or than the first line
    where there is none (E017).
    """
    file = display_name(path)
    lines = each_line(path, log)
    columns = None if options.columns is None else _numbered(options.columns)
    width = 0
    if columns is None:
        _, header = next(lines, (1, None))
        if header is None:
            return
        names = header.split("\t")
        columns, width = find_columns(names, options, file, log), len(names)
        if columns is None:
            return
        if TALK in names:
            talks = map(_without_null, _fields_rows(lines, columns, width, file, log))
            yield from translated(talks, options, log)
            return
    yield from _fields_rows(lines, columns, width, file, log)


def _without_null(row: Row) -> Row:
    source = "" if row.source in _NULL else row.source
    texts = {name: "" if text in _NULL else text for name, text in row.references.items()}
    return row._replace(source=source, references=texts)


def _fields_rows(
    lines: Iterable[tuple[int, str | None]], columns: Columns, width: int, file: str, log: FaultLog
) -> Iterator[Row]:
    for number, text in lines:
        if text is None:
            continue
        fields = text.split("\t")
        width = width or max(len(fields), *(place + 1 for place in columns.all()))
        if len(fields) == width:
            yield columns.row(fields, file, number)
        else:
            cause = f"{len(fields)} fields, where {width} are expected"
            log.add("E017", cause, "a text may hold no tab" if text else "the line is empty: delete it", file, number)


def _numbered(columns: TableColumns) -> Columns | None:
    """Return the columns, if they are given by number."""
    document, source, target = map(whole_number, (columns.document, columns.source, columns.target))
    return Columns(document - 1, source - 1, {"target": target - 1}) if document and source and target else None


def write_tsv(corpus: Corpus, path: PathLike) -> None:
    """Write a corpus as TSV, gzipped if the path says so (E022, E026)."""
    check_writable(corpus, "TSV", forbidden="\t\n")
    write_lines(path, ("\t".join(row) for row in chain([header(corpus)], rows(corpus))))


def header(corpus: Corpus) -> list[str]:
    """Return the names of the columns of a table that has a corpus."""
    references = [name if name == "target" else f"reference:{name}" for name in corpus.references]
    return ["document", "source", *references, *(f"system:{name}" for name in corpus.systems)]


def write_parquet(corpus: Corpus, path: PathLike) -> None:
    """Write a corpus as a Parquet file with the columns of a TSV (E022, E026); without pyarrow: E150."""
    need_library("pyarrow", "Parquet", path)
    check_writable(corpus, "Parquet", forbidden="\0")
    arrow, parquet = cast("Any", import_module("pyarrow")), cast("Any", import_module("pyarrow.parquet"))
    schema = arrow.schema([(name, arrow.string()) for name in header(corpus)])
    with writing_faults(path), parquet.ParquetWriter(str(path), schema) as writer:
        held = rows(corpus)
        while batch := list(islice(held, _BATCH)):
            columns = [arrow.array(column, arrow.string()) for column in zip(*batch, strict=True)]
            writer.write_batch(arrow.record_batch(columns, schema=schema))


def parquet_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the rows of a Parquet file, or of all ``*.parquet`` of a directory in the order of their names.

    Document ids may be text or whole numbers, all else is text; a null is empty text. Faults: there is no such file
    (E001), those of the columns (E011, E012, E016), a file cannot be read, or a column is no text (E200). Without
    pyarrow: E150.
    """
    need_library("pyarrow", "Parquet", path)
    place = Path(path)
    files = sorted(place.glob("*.parquet")) if place.is_dir() else [place]
    if not files:
        log.add("E001", "the directory has no *.parquet", "check the path", str(path))
    for file in files:
        if file.is_file():
            yield from _parquet_file_rows(file, options, log)
        else:
            log.add("E001", "no such file", "check the path", str(file))


def _parquet_file_rows(file: Path, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    try:
        with parquet.ParquetFile(file) as table:
            names = cast("list[str]", list(table.schema_arrow.names))
            columns = find_columns(names, options, str(file), log)
            if columns is None or not _are_texts(table.schema_arrow, columns, str(file), log):
                return
            places = list(dict.fromkeys(columns.all()))
            number = 0
            for batch in table.iter_batches(_BATCH, columns=[names[place] for place in places]):
                read = (cast("list[Any]", batch.column(names[place]).to_pylist()) for place in places)
                for values in zip(*read, strict=True):
                    number += 1
                    texts = ("" if value is None else str(value) for value in values)
                    yield columns.row(dict(zip(places, texts, strict=True)), str(file), number)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        # A text that is not UTF-8 is found only when it is taken out.
        cause = f"the Parquet file cannot be read ({first_line(error)})"
        log.add("E200", cause, "was it written to its end?", str(file))


def _are_texts(schema: Any, columns: Columns, file: str, log: FaultLog) -> bool:
    types = import_module("pyarrow.types")
    sound = True
    for place in columns.all():
        kind = schema.field(place).type
        kind = kind.value_type if types.is_dictionary(kind) else kind
        fits = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
        if not (fits or (place == columns.document and types.is_integer(kind))):
            log.add("E200", f"the column “{schema.names[place]}” is {kind}, not text", "write it as strings", file)
            sound = False
    return sound
