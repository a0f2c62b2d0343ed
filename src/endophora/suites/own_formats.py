"""Our own formats: JSON Lines, and a directory as Hugging Face's ``datasets`` reads it.

JSON Lines have one item a line and lose nothing: keys are the records' attributes, and what is empty is left out. A
directory has a data card, ``README.md``, and a file a split in ``data``, of JSON Lines or Parquet.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.corpus.writing import write_lines
from endophora.errors import Fault, InputError, MissingModelError, first_line
from endophora.suites.files import Fields, check_texts, parse_json
from endophora.suites.records import Antecedent, Item, Json, Pair, Suite, Variant, suite_name

_Reader = Callable[[Fields, str], Any]
_Kind = TypeVar("_Kind", Item, Antecedent, Pair, Variant)


def read_suite_jsonl(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a suite from our JSON Lines."""
    log, file = FaultLog(), display_name(path)
    items, pairs, matching = list[Item](), dict[str, int](), ""
    for number, text in each_line(path, log):
        value = None if text is None else parse_json(text, file, log, number)
        if isinstance(value, dict):
            entry = Fields(value, "the item", file, log, number)
            pairs.setdefault(entry.text("languages", default="-"), number)
            matching = entry.text("matching", default="")
            items.append(item_from_fields(entry))
        elif value is not None:
            log.add("E172", "the line is no JSON object", "write one item a line", file, number)
    if len(pairs) > 1:
        pair, number = list(pairs.items())[1]
        log.add("E172", f"the languages change to “{pair}”", "keep one pair of languages a file", file, number)
    log.check()
    source, _, target = next(iter(pairs)).partition("-")
    return Suite(suite_name(path), *(languages or (source, target)), tuple(items), matching=matching)


def write_suite_jsonl(suite: Suite, path: PathLike) -> None:
    """Write a suite as our JSON Lines, gzipped if the path says so."""
    check_texts(suite, "JSON Lines")
    write_lines(path, (json.dumps(row, ensure_ascii=False) for row in rows(suite)))


def rows(suite: Suite) -> Iterable[dict[str, Json]]:
    """Yield each item as JSON, with the suite's languages and, where it has one, its way of comparing."""
    head: dict[str, Json] = {"languages": f"{suite.source_language}-{suite.target_language}"}
    if suite.matching:
        head["matching"] = suite.matching
    for item in suite.items:
        yield {**head, **_record_json(item)}


def _record_json(record: Any) -> dict[str, Json]:
    """Return a record as JSON, without what is as by default."""
    found: dict[str, Json] = {}
    for field in fields(record):
        value = getattr(record, field.name)
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if value != default:
            found[field.name] = _value(value)
    return found


def _value(value: Any) -> Json:
    if isinstance(value, tuple):
        return [_value(inner) for inner in cast("tuple[Any, ...]", value)]
    return _record_json(value) if is_dataclass(value) else value


def item_from_fields(entry: Fields) -> Item:
    """Return the item that a JSON object is; what is absent or null is as by default, faults are in its log."""
    return _read_record(Item, entry)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _readers(kind: type[_Kind]) -> dict[str, tuple[_Reader, bool]]:
    """Return field → what reads it, and whether it must be there."""
    required = {one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING}
    return {name: (_reader(hint), name in required) for name, hint in _hints(kind).items()}


def _read_record(kind: type[_Kind], entry: Fields) -> _Kind:
    readers = _readers(kind).items()
    return kind(**{name: read(entry, name) for name, (read, needed) in readers if needed or entry.known(name)})


def _reader(hint: Any) -> _Reader:
    """Return what reads a field of a type; where a value is of another, a fault is noted."""
    origin, inner = get_origin(hint), [each for each in get_args(hint) if each not in (NoneType, Ellipsis)]
    if origin in (Union, UnionType):
        return _reader(inner[0])
    if origin is tuple and inner == [str]:
        return Fields.texts
    if origin is tuple:
        return lambda entry, name: tuple(_read_record(inner[0], one) for one in entry.objects(name))
    if origin is Mapping:
        return lambda entry, name: found.rest() if (found := entry.object(name)) else {}
    if origin is Literal:
        return lambda entry, name: entry.one_of(name, inner)
    if is_dataclass(hint):
        return lambda entry, name: (found := entry.object(name)) and _read_record(cast("Any", hint), found)
    return Fields.text if hint is str else lambda entry, name: entry.number(name, 0) or 0


SPLITS = ("test", "devtest", "validation", "dev", "train")
"""Names of splits in the order in which one is chosen where a directory has several."""

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def is_dataset(path: Path) -> bool:
    """Return whether a directory is laid out so, or a file is a split of one."""
    if path.is_dir():
        return bool(_splits(path))
    return path.suffix == ".parquet"


def read_huggingface(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a split."""
    where = Path(path)
    name = suite_name(path)
    if where.is_dir():
        splits = _splits(where)
        if not splits:
            raise InputError(
                Fault("E171", "the directory has no split under data/", "name the suite's file", str(path))
            )
        where = splits[min(splits, key=lambda split: (SPLITS.index(split) if split in SPLITS else len(SPLITS), split))]
    if where.suffix == ".jsonl":
        read = read_suite_jsonl(where, languages)
        return replace(read, name=name)
    return _read_parquet(where, name, languages)


FILES = ("data/", "README.md")
"""What the directory of a data set holds; a name that ends in ``/`` is a folder."""


def write_huggingface(suite: Suite, path: PathLike, *, parquet: bool = True) -> None:
    """Write a suite as the test split of a directory."""
    write_dataset({"test": suite}, path, parquet=parquet)


def write_dataset(splits: Mapping[str, Suite], path: PathLike, *, parquet: bool = True) -> None:
    """Write several suites as the splits of one directory, with a data card."""
    if parquet:
        _parquet()
    folder = Path(path)
    for suite in splits.values():
        check_texts(suite, "a data set")
    try:
        (folder / "data").mkdir(parents=True, exist_ok=True)
        for name, suite in splits.items():
            if parquet:
                _write_parquet(suite, folder / "data" / f"{name}.parquet")
            else:
                write_suite_jsonl(suite, folder / "data" / f"{name}.jsonl")
        card = data_card(splits, suite_name(path), "parquet" if parquet else "jsonl")
        (folder / "README.md").write_text(card, encoding="utf-8")
    except OSError as error:
        cause = f"cannot be written ({error.strerror or error})"
        raise InputError(Fault("E026", cause, "check the directory and its permissions", str(path))) from error


def data_card(splits: Mapping[str, Suite], name: str, suffix: str) -> str:
    """Return the data card: a YAML header, what the columns are, and counts of rules by split."""
    from ruamel.yaml import YAML

    suites = list(splits.values())
    codes = sorted({code for suite in suites for code in (suite.source_language, suite.target_language) if code})
    total = sum(map(len, suites))
    header: dict[str, object] = {
        "language": codes,
        "task_categories": ["translation"],
        "pretty_name": name,
        "size_categories": [next((size for limit, size in _SIZES if total < limit), "1M<n<10M")],
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": split, "path": f"data/{split}.{suffix}"} for split in splits],
            }
        ],
    }
    out = io.StringIO()
    YAML().dump(header, out)  # pyright: ignore[reportUnknownMemberType]
    pair = f"{suites[0].source_language}-{suites[0].target_language}"
    counts = {split: Counter((item.phenomenon, item.rule) for item in suite.items) for split, suite in splits.items()}
    counted = [f"| phenomenon | rule | {' | '.join(splits)} |", f"|---|---|{'---|' * len(splits)}"]
    for key in sorted({key for count in counts.values() for key in count}):
        cells = [cell.replace("|", "\\|").replace("\n", " ") for cell in key]
        counted.append(f"| {' | '.join((*cells, *(str(counts[split][key]) for split in splits)))} |")
    lines = [
        "---",
        *out.getvalue().splitlines(),
        "---",
        "",
        f"# {name}",
        "",
        f"A test suite for translation in context ({pair}), made with endophora. Each row is a segment with a",
        "word that cannot be translated without context; `expected` has the forms that are right.",
        "The text is that of the corpus it was taken from, whose licence holds.",
        "",
        *counted,
        "",
        "Columns: `id`, `document`, `segment` (index in the document), `source`, `reference`, `before` and `after`",
        "(the segments around it), `phenomenon`, `rule`, `expected`, `forbidden`, `criterion`, `source_form`,",
        "`distance` (of the antecedent, in segments), `source_antecedent`, `target_antecedent`, `variants` (wrong",
        "translations), `extra` (JSON).",
        "",
    ]
    return "\n".join(lines)


def _splits(folder: Path) -> dict[str, Path]:
    found = sorted((folder / "data").glob("*.jsonl")) + sorted((folder / "data").glob("*.parquet"))
    return {path.stem: path for path in found}


def _parquet() -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet as parquet
    except ImportError as error:
        advice = "pip install 'endophora[extract]', or write huggingface-jsonl"
        raise MissingModelError(Fault("E180", "Parquet needs pyarrow, which is not installed", advice)) from error
    return pa, parquet


def _schema(pa: Any) -> Any:
    """Return the columns: those of :class:`Item`, ``extra`` as JSON text since its keys differ from suite to suite."""
    columns = {"languages": str, "matching": str, **_hints(Item)}
    return pa.schema([(name, _arrow_type(pa, hint)) for name, hint in columns.items()])


def _arrow_type(pa: Any, hint: Any) -> Any:
    """Return the type of a column for the type of a field."""
    inner = [each for each in get_args(hint) if each not in (NoneType, Ellipsis)]
    if get_origin(hint) in (Union, UnionType):
        return _arrow_type(pa, inner[0])
    if get_origin(hint) is tuple:
        return pa.list_(_arrow_type(pa, inner[0]))
    if is_dataclass(hint):
        return pa.struct([(name, _arrow_type(pa, each)) for name, each in _hints(hint).items()])
    return pa.int64() if hint is int else pa.string()


def _write_parquet(suite: Suite, path: Path) -> None:
    pa, parquet = _parquet()
    table: list[dict[str, Json]] = [
        {**row, "extra": json.dumps(row.get("extra", {}), ensure_ascii=False)} for row in rows(suite)
    ]
    parquet.write_table(pa.Table.from_pylist(table, schema=_schema(pa)), path)


def _read_parquet(path: Path, name: str, languages: tuple[str, str] | None) -> Suite:
    pa, parquet = _parquet()
    try:
        table = cast("list[dict[str, Json]]", parquet.read_table(path).to_pylist())
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        cause = f"the Parquet file cannot be read ({first_line(error)})"
        raise InputError(Fault("E170", cause, "was it written to its end?", str(path))) from error
    log, items = FaultLog(), list[Item]()
    for number, row in enumerate(table, start=1):
        if isinstance(extra := row.get("extra"), str):
            row["extra"] = parse_json(extra, str(path), log, number)
        items.append(item_from_fields(Fields(row, f"row {number}", str(path), log)))
    if not items:
        log.add("E170", "the file has no rows", "was it written to its end?", str(path))
    log.check()
    source, _, target = str(table[0].get("languages") or "-").partition("-")
    matching = str(table[0].get("matching") or "")
    return Suite(name, *(languages or (source, target)), tuple(items), matching=matching)
