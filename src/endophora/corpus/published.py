"""Corpora that have a public name and no file of the user's: sacreBLEU's test sets, and data sets of Hugging Face.

``sacrebleu:wmt24/en-de`` has the segments that sacreBLEU scores, in its folder (``$SACREBLEU``, or ``~/.sacrebleu``),
with document ids and the outputs of systems where its data have them. ``hf:NAME[:CONFIGURATION][:SPLIT]`` is what
``datasets`` loads under a name, or from a folder: columns as those of a table, or ``translation`` with both languages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, need_library
from endophora.corpus.parallel import Files, parallel_rows, select
from endophora.corpus.streams import ReadOptions, Row
from endophora.corpus.tabular import Columns, find_columns
from endophora.errors import first_line

TEST_SET = "sacrebleu:"
DATA_SET = "hf:"

_ABOUT = ("src", "docid", "origlang", "domain", "genre")
"""Fields of sacreBLEU's data that are no translation."""

_BATCH = 1_000


def is_named(path: PathLike, prefix: str) -> bool:
    """Return whether a path is a public name of a kind, and no file: ``hf://`` is a place of files."""
    return str(path).startswith(prefix) and not str(path).startswith(f"{prefix}//")


def _parted(path: PathLike, pair: str) -> tuple[str, str]:
    """Return name and language pair of a test set, the pair of the options where the name has none."""
    whole = str(path).removeprefix(TEST_SET)
    known = import_module("sacrebleu.dataset").DATASETS
    name, _, own = whole.rpartition("/")
    return (whole, pair) if whole in known or not name else (name, own)


def test_set_pairs(path: PathLike) -> list[tuple[str, str]]:
    """Return the language pairs of a test set; one, where the path says it."""
    name, pair = _parted(path, "")
    known = import_module("sacrebleu.dataset").DATASETS
    names = [pair] if pair else list(known[name].langpairs if name in known else ())
    return [(source, target) for source, _, target in (each.partition("-") for each in names)]


def test_set_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the segments of a test set as sacreBLEU has them, with the references that it scores by, or those named.

    Faults: there is no such test set or pair, or it cannot be loaded (E258); the options name another pair (E232).
    """
    known = import_module("sacrebleu.dataset").DATASETS
    pair = "-".join(options.languages)
    name, own = _parted(path, pair)
    if name not in known or own not in known[name].langpairs:
        what = f"{name} has no pair {own}" if name in known else f"there is no test set “{name}”"
        there = known[name].langpairs if name in known else known
        log.add("E258", f"{what}; there are: {', '.join(there)}", "sacrebleu --list shows all", str(path))
    elif own != pair:
        log.add("E232", f"“{path}” is of {own}, not of {pair}", "name its languages: --languages", str(path))
    else:
        try:
            files = _files(known[name], pair, options, log)
        except (Exception, SystemExit) as error:  # of the network, of archives, of XML
            advice = f"where there is a network: sacrebleu -t {name} -l {pair} --echo src; its folder is $SACREBLEU"
            log.add("E258", f"sacreBLEU's data cannot be loaded ({error})", advice, str(path))
            return
        yield from parallel_rows(files, log)


def _files(data: Any, pair: str, options: ReadOptions, log: FaultLog) -> Files:
    fields = dict(zip(data.fieldnames(pair), data.get_files(pair), strict=True))
    named = {field: file for field, file in fields.items() if field.partition(":")[0] == "ref"}
    references = {field.partition(":")[2] or field: file for field, file in named.items()}
    scored = [name for name, file in references.items() if file in data.get_reference_files(pair)]
    systems = {field: file for field, file in fields.items() if field not in _ABOUT and field not in named}
    return Files(
        fields["src"],
        fields.get("docid"),
        select(references, scored if options.references is None else options.references, "reference", log),
        select(systems, options.systems, "system", log),
    )


def data_set_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the rows of a data set, in constant memory; a null is empty text.

    Faults: it cannot be loaded, or the split is not named (E258), those of the columns (E011, E012, E016), what is no
    text (E200). Without datasets: E150.
    """
    need_library("datasets", "a data set of Hugging Face", path, "datasets")
    try:
        data = _loaded(str(path), log)
        if data is None:
            return
        columns: Columns | None = None
        number = 0
        for batch in data.iter(_BATCH):
            table = _flat(cast("dict[str, list[Any]]", batch), options.languages)
            columns = columns or find_columns(list(table), options, str(path), log)
            if columns is None:
                return
            for values in zip(*table.values(), strict=True):
                number += 1
                fields = ["" if value is None else value for value in values]
                if strange := [place for place in columns.all() if not isinstance(fields[place], (str, int))]:
                    cause = f"the column “{list(table)[strange[0]]}” is no text"
                    log.add("E200", cause, "name columns of text", str(path), number)
                    return
                yield columns.row(list(map(str, fields)), str(path), number)
    except Exception as error:  # of the network, of files, of what makes rows: they have no class in common
        cause = f"the data set cannot be loaded ({first_line(error)})"
        log.add("E258", cause, "check its name, and the network: hf:NAME[:CONFIGURATION][:SPLIT]", str(path))


def _loaded(path: str, log: FaultLog) -> Any:
    """Return a split of a data set; ``None`` if it is not known which (E258)."""
    datasets = cast("Any", import_module("datasets"))
    name, *parts = path.removeprefix(DATA_SET).split(":")
    if any((Path(name) / mark).exists() for mark in ("dataset_dict.json", "state.json")):
        data = datasets.load_from_disk(name)
    else:
        has_configuration = len(parts) > 1 or (parts and parts[0] in datasets.get_dataset_config_names(name))
        data = datasets.load_dataset(name, parts.pop(0) if has_configuration else None, streaming=True)
    splits = cast("Mapping[str, Any]", data) if isinstance(data, dict) else {"": data}
    chosen: Sequence[str] = parts or list(splits)
    if len(chosen) == 1 and chosen[0] in splits:
        return splits[chosen[0]]
    what = f"there is no split “{parts[0]}”" if parts else "there are several splits"
    log.add("E258", f"{what}; there are: {', '.join(splits) or 'none'}", f"name one: {DATA_SET}{name}:SPLIT", path)
    return None


def _flat(batch: dict[str, list[Any]], languages: tuple[str, str]) -> dict[str, list[Any]]:
    """Return columns of texts: a column ``translation`` has both languages of the pair."""
    rows = batch.get("translation", [])
    if not all(isinstance(row, dict) for row in rows) or not rows or "source" in batch:
        return batch
    pairs = zip(("source", "target"), languages, strict=True)
    others = {name: column for name, column in batch.items() if name != "translation"}
    return others | {role: [row.get(language) for row in rows] for role, language in pairs}
