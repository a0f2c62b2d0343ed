"""The rows of extracted occurrences: their columns, the items in them, and how many there are of each rule."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import Field

from endophora.annotate.records import AnnotatedText
from endophora.corpus.faults import FaultLog
from endophora.corpus.records import Segment
from endophora.engine.shards import arrow, parquet
from endophora.phenomena.records import Occurrence
from endophora.record import Record
from endophora.suites.files import Fields
from endophora.suites.own_formats import item_from_fields, rows
from endophora.suites.records import Item, Json, Suite

_TEXTS = (
    "languages",
    "id",
    "document",
    "phenomenon",
    "rule",
    "source",
    "reference",
    "source_form",
    "source_lemma",
    "reference_lemma",
    "reference_features",
)
_HEADS = ("head", "lemma", "pos", "features", "gender", "number", "phrase", "segment")
_OWN = ("file", "line", "source_spans", "reference_spans", "probability")
"""Columns that an item does not have."""


def schema() -> Any:
    """Return the columns, a ``pyarrow.Schema``; ``docs/extract.md`` says what each holds."""
    pa = arrow()
    text, number, spans = pa.string(), pa.int32(), pa.list_(pa.list_(pa.int32(), 2))
    antecedent = pa.struct([(name, text) for name in _HEADS])
    pairs = pa.list_(pa.struct([("source", text), ("target", text)]))
    named = [(name, text) for name in ("target", "form", "label", "kind")]
    variants = pa.list_(pa.struct([*named, ("before", pa.list_(text))]))
    return pa.schema(
        [
            *((name, text) for name in _TEXTS),
            ("segment", number),
            ("expected", pa.list_(text)),
            ("distance", number),
            ("probability", pa.float32()),
            ("source_antecedent", antecedent),
            ("target_antecedent", antecedent),
            ("before", pairs),
            ("variants", variants),
            ("source_spans", spans),
            ("reference_spans", spans),
            ("extra", text),
            ("file", text),
            ("line", number),
        ]
    )


def item_rows(
    items: Sequence[Item],
    occurrences: Sequence[Occurrence],
    texts: tuple[Sequence[AnnotatedText], Sequence[AnnotatedText]],
    segments: Sequence[Segment],
    languages: tuple[str, str],
) -> Iterable[dict[str, object]]:
    """Yield the rows of a document's items."""
    names = cast("list[str]", schema().names)
    for row, occurrence in zip(rows(Suite("", *languages, tuple(items))), occurrences, strict=True):
        found: dict[str, object] = {name: "" if name in _TEXTS else None for name in names}
        unknown = row.keys() - set(names)
        if unknown:
            raise ValueError(f"an item has what no column holds: {', '.join(sorted(unknown))}")
        found.update(row)
        found["extra"] = json.dumps(row["extra"], ensure_ascii=False, sort_keys=True) if "extra" in row else None
        location = segments[occurrence.segment].location
        support = occurrence.support
        found["probability"] = None if support is None else support.probability
        found["source_spans"] = _spans(texts[0][occurrence.segment], occurrence.source_tokens)
        found["reference_spans"] = _spans(texts[1][occurrence.segment], occurrence.target_tokens)
        found["file"], found["line"] = location.file, location.line
        yield found


def items_of(table: Sequence[Mapping[str, Json]], file: str) -> list[Item]:
    """Return the items of rows that :func:`item_rows` made (E172)."""
    log = FaultLog()
    fields = (Fields(_item_fields(row), f"row {number}", file, log) for number, row in enumerate(table))
    items = list(map(item_from_fields, fields))
    log.check()
    return items


def _item_fields(row: Mapping[str, Json]) -> dict[str, Json]:
    kept = {key: _without_nulls(value) for key, value in row.items() if value is not None and key not in _OWN}
    if isinstance(extra := kept.get("extra"), str):
        kept["extra"] = cast("Json", json.loads(extra))
    return kept


def _without_nulls(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value


def _spans(text: AnnotatedText, tokens: Sequence[int]) -> list[list[int]]:
    return [[text.tokens[index].start, text.tokens[index].end] for index in tokens]


def columns(path: Path, *names: str) -> Iterator[tuple[Any, ...]]:
    """Yield the values of some columns of a file of rows, row by row, one row group at a time."""
    with parquet().ParquetFile(path) as file:
        for batch in file.iter_batches(columns=list(names)):
            table = batch.to_pydict()
            yield from zip(*(table[name] for name in names), strict=True)


_SHOWN_FORMS = 12
"""How many expected forms of a rule the statistics name, the most frequent."""


class RuleStatistics(Record):
    """A rule and what it found."""

    phenomenon: str
    rule: str
    occurrences: int
    documents: int = Field(description="documents with at least one")
    per_million: float = Field(description="occurrences in a million segments of the corpus")
    between: int = Field(description="occurrences whose antecedent is in another segment")
    with_variants: int = Field(description="occurrences with a wrong translation to contrast")
    distances: dict[str, int] = Field(description="segments to the antecedent → occurrences; unknown ones left out")
    forms: dict[str, int] = Field(description="expected form, lower case → occurrences, the most frequent first")


class SuiteFile(Record):
    """A file of a test set."""

    path: str = Field(description="the file, from the output directory; of a data set its directory and split")
    format: str
    phenomenon: str
    split: str
    items: int


class ExtractionStatistics(Record):
    """What an extraction has found in a corpus."""

    languages: str
    documents: int
    segments: int
    occurrences: int
    checksum: str = Field(description="SHA-256 of rows.parquet")
    signature: str = Field(description="setup, models and versions")
    skipped: dict[str, int] = Field(description="code of a fault → lines, rows or links left out for it")
    left_out: dict[str, int] = Field(description="what was left out that is no fault → how often")
    rules: list[RuleStatistics]
    suites: list[SuiteFile] = Field(default_factory=list[SuiteFile])


@dataclass(slots=True)
class _Count:
    occurrences: int = 0
    documents: int = 0
    between: int = 0
    with_variants: int = 0
    last: str | None = None
    distances: Counter[int] = field(default_factory=Counter[int])
    forms: Counter[str] = field(default_factory=Counter[str])

    def add(self, document: str, distance: int | None, forms: list[str] | None, variants: list[Any] | None) -> None:
        """Count one row."""
        self.occurrences += 1
        # Rows are in the order of documents, so a document is new if it is not the last one.
        self.documents += document != self.last
        self.last = document
        self.with_variants += bool(variants)
        if distance is not None:
            self.distances[distance] += 1
            self.between += distance > 0
        if forms:
            self.forms[forms[0].lower()] += 1


def count_rules(path: Path, segments: int) -> list[RuleStatistics]:
    """Count the rows of an extraction by phenomenon and rule."""
    counts: dict[tuple[str, str], _Count] = {}
    for phenomenon, rule, *values in columns(
        path, "phenomenon", "rule", "document", "distance", "expected", "variants"
    ):
        counts.setdefault((phenomenon, rule), _Count()).add(*values)
    return [
        RuleStatistics(
            phenomenon=phenomenon,
            rule=rule,
            occurrences=count.occurrences,
            documents=count.documents,
            per_million=round(1e6 * count.occurrences / segments, 2) if segments else 0.0,
            between=count.between,
            with_variants=count.with_variants,
            distances={str(distance): count.distances[distance] for distance in sorted(count.distances)},
            forms=dict(sorted(count.forms.items(), key=lambda pair: (-pair[1], pair[0]))[:_SHOWN_FORMS]),
        )
        for (phenomenon, rule), count in sorted(counts.items())
    ]
