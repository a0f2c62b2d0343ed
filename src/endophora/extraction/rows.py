"""The columns of extracted occurrences: those of a suite's item, and where the words stand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, cast

from endophora.annotate.records import AnnotatedText
from endophora.corpus.faults import FaultLog
from endophora.corpus.records import Segment
from endophora.engine.shards import arrow
from endophora.phenomena.records import Occurrence
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
    """Return the items of rows that :func:`item_rows` made.

    Raises:
        InputError: the rows are not of this shape (E172).
    """
    log = FaultLog()
    items = [
        item_from_fields(Fields(_item_fields(row), f"row {number}", file, log)) for number, row in enumerate(table)
    ]
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


def parquet_module() -> Any:
    """Return the module ``pyarrow.parquet``; its absence is the engine's fault E150."""
    arrow()
    return import_module("pyarrow.parquet")
