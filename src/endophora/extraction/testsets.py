"""Test sets from the rows of an extraction: split by document, limited by rule, written in any format of suites.

Rows may be more than memory holds. A first pass counts them by document and rule; from the counts follow the split of
each document and how many of its items are taken; a second pass reads no more than those.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from endophora.engine.shards import parquet
from endophora.errors import Fault, InputError
from endophora.extraction.rows import SuiteFile, columns, items_of
from endophora.languages.schema import EXTRACTION
from endophora.options import option
from endophora.signature import unkeyed
from endophora.suites.records import Item, Suite
from endophora.suites.splits import Split, SplitOptions, plan_splits, write_splits

FOLDER = "suites/"
"""Where the test sets of an extraction are, in its directory."""

_FORMATS = ("jsonl", "ctxpro", "contrapro", "huggingface", "huggingface-jsonl")
_NEEDS_VARIANTS = frozenset({"contrapro"})
_NEEDS_DETAILS = frozenset({"ctxpro", "contrapro"})
_DETAILED = frozenset({*EXTRACTION, "formality"})
_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def _read_formats(names: Sequence[str]) -> tuple[str, ...]:
    """Return the formats that are named; ``none`` alone names none (E206 with others)."""
    wanted = tuple(dict.fromkeys(names))
    if "none" in wanted and len(wanted) > 1:
        raise InputError(Fault("E206", "“none” together with formats", "name formats, or none alone", "--suite-format"))
    return () if wanted == ("none",) else wanted


@unkeyed("test sets are written from the rows of a run each time; nothing is kept")
@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetOptions:
    """How test sets are made; E171 and E205 for a format that is none and a malformed expression.

    ``year`` is a regular expression with one group, the year in a document's id; empty looks for any year from 1900.
    """

    __test__ = False  # it is no test, though pytest takes its name for one

    formats: tuple[str, ...] = option(
        ("jsonl",),
        "--suite-format",
        metavar="NAME",
        help="jsonl, ctxpro, contrapro, huggingface, or none. Repeatable.",
        read=_read_formats,
    )
    split: SplitOptions = field(default_factory=SplitOptions)
    year: str = option("", "--year-pattern", metavar="REGEX", help="Its group is the year (four digits) in an id.")

    def __post_init__(self) -> None:
        for name in self.formats:
            if name not in _FORMATS:
                advice = f"write one of {', '.join(_FORMATS)}"
                raise InputError(Fault("E171", f"test sets are not written as “{name}”", advice, "--suite-format"))
        if self.year:
            _compiled(self.year)


def write_test_sets(rows: Path, output: Path, languages: tuple[str, str], options: TestSetOptions) -> list[SuiteFile]:
    """Write the test sets of a Parquet file of occurrences into :data:`FOLDER` of a directory.

    A format that needs wrong translations (ContraPro) has the items that have one, and ctxpro's and ContraPro's have
    the phenomena of :data:`~endophora.languages.schema.EXTRACTION` only.
    """
    if not options.formats:
        return []
    files: list[SuiteFile] = []
    for phenomenon, counts in sorted(_counts(rows).items()):
        quotas = plan(counts, options)
        parts: dict[Split, list[Item]] = defaultdict(list)
        for item in _chosen(rows, phenomenon, quotas):
            parts[quotas[item.document].split].append(item)
        for form in options.formats:
            files += _write(phenomenon, parts, output, form, languages)
    return files


@dataclass(frozen=True, slots=True)
class Quota:
    """What is taken of a document: its split, and rule → how many of its items, the first ones."""

    split: Split
    items: Mapping[str, int]


def plan(counts: Mapping[str, Mapping[str, int]], options: TestSetOptions) -> dict[str, Quota]:
    """Return what is taken of each document."""
    names = {_dated(document, options.year): document for document in counts}
    splits = plan_splits({dated: counts[document] for dated, document in names.items()}, options.split)
    taken = Counter[tuple[Split, str]]()
    quotas: dict[str, Quota] = {}
    # The plan is in the order in which documents are taken.
    for dated, split in splits.items():
        items: dict[str, int] = {}
        for rule, count in counts[names[dated]].items():
            items[rule] = min(count, options.split.limit(split) - taken[split, rule])
            taken[split, rule] += items[rule]
        quotas[names[dated]] = Quota(split, items)
    return quotas


def _dated(document: str, pattern: str) -> str:
    """Return an id in which the year that a pattern finds is the only one."""
    if not pattern:
        return document
    found = _compiled(pattern).search(document)
    digest = hashlib.blake2b(document.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return f"{found[1] if found else ''}-{digest.translate(_LETTERS)}"


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        cause = f"“{pattern}” is no regular expression ({error})"
        raise InputError(Fault("E205", cause, "as in --year-pattern '/(\\d{4})/'", "--year-pattern")) from error
    if compiled.groups != 1:
        cause = f"“{pattern}” has {compiled.groups} groups"
        raise InputError(Fault("E205", cause, "put the year, and it alone, in parentheses", "--year-pattern"))
    return compiled


def _counts(rows: Path) -> dict[str, dict[str, Counter[str]]]:
    """Return phenomenon → document → rule → rows."""
    found: dict[str, dict[str, Counter[str]]] = {}
    for phenomenon, document, rule in columns(rows, "phenomenon", "document", "rule"):
        found.setdefault(phenomenon, {}).setdefault(document, Counter())[rule] += 1
    return found


def _chosen(rows: Path, phenomenon: str, quotas: Mapping[str, Quota]) -> Iterator[Item]:
    """Yield the items that are taken, in order."""
    taken = Counter[tuple[str, str]]()
    with parquet().ParquetFile(rows) as file:
        for batch in file.iter_batches(batch_size=2_048):
            keys = zip(*(batch.column(name).to_pylist() for name in ("phenomenon", "document", "rule")), strict=True)
            kept: list[int] = []
            for index, (mine, document, rule) in enumerate(keys):
                if mine == phenomenon:
                    taken[document, rule] += 1
                    if taken[document, rule] <= quotas[document].items[rule]:
                        kept.append(index)
            yield from items_of(batch.take(kept).to_pylist(), str(rows)) if kept else ()


def _write(
    phenomenon: str, parts: Mapping[Split, Sequence[Item]], output: Path, form: str, languages: tuple[str, str]
) -> list[SuiteFile]:
    if form in _NEEDS_DETAILS and phenomenon not in _DETAILED:
        return []
    if form in _NEEDS_VARIANTS:
        parts = {split: [item for item in items if item.variants] for split, items in parts.items()}
    parts = {split: items for split, items in parts.items() if items}
    if not parts:
        return []
    folder = output / FOLDER / form
    suite = Suite(f"{phenomenon}.{'-'.join(languages)}", *languages, ())
    one_directory = form.startswith("huggingface")
    paths = write_splits(suite, parts, folder / suite.name if one_directory else folder, form)
    return [
        SuiteFile(
            path=str(Path(path).relative_to(output)), format=form, phenomenon=phenomenon, split=split, items=items
        )
        for (path, items), split in zip(paths.items(), parts, strict=True)
    ]
