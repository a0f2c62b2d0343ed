"""Our own JSON Lines: one item a line, nothing lost. Keys are the records' attributes; what is empty is left out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Any, cast

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.corpus.writing import write_lines
from endophora.suites.fields import Fields, parse_json
from endophora.suites.records import CRITERIA, Antecedent, Item, Json, Pair, Suite, Variant, suite_name
from endophora.suites.writable import check_texts

_TEXTS = ("source_form", "source_lemma", "reference_lemma", "reference_features")


def read_suite_jsonl(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a suite from our JSON Lines.

    Args:
        path: the file, gzipped or not, or ``-``.
        languages: ISO 639-1 codes, where the file has none.

    Raises:
        InputError: with all faults: malformed JSON (E170), a key that is missing or of the wrong type, or languages
            that change within the file (E172).
    """
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
    """Write a suite as our JSON Lines, gzipped if the path says so.

    Raises:
        InputError: a text has half of a surrogate pair (E176), or the file cannot be written (E026).
    """
    check_texts(suite, "JSON Lines")
    write_lines(path, (json.dumps(row, ensure_ascii=False) for row in rows(suite)))


def rows(suite: Suite) -> Iterable[dict[str, Json]]:
    """Yield each item as JSON, with the suite's languages and, where it has one, its way of comparing."""
    head: dict[str, Json] = {"languages": f"{suite.source_language}-{suite.target_language}"}
    if suite.matching:
        head["matching"] = suite.matching
    for item in suite.items:
        yield {**head, **_json(item)}


def item_from_fields(entry: Fields) -> Item:
    """Return the item that a JSON object is; faults are noted in its log."""
    criterion = entry.text("criterion", default="present")
    if criterion not in CRITERIA:
        entry.fault(f"the criterion “{criterion}” is unknown", f"one of: {', '.join(CRITERIA)}")
        criterion = "present"
    before = tuple(map(_pair, entry.objects("before"))) if entry.has("before") else None
    extra = entry.object("extra")
    return Item(
        id=entry.text("id"),
        document=entry.text("document"),
        segment=entry.number("segment") or 0,
        source=entry.text("source"),
        reference=entry.text("reference"),
        phenomenon=entry.text("phenomenon"),
        rule=entry.text("rule"),
        expected=entry.texts("expected") if entry.has("expected") else (),
        forbidden=entry.texts("forbidden") if entry.has("forbidden") else (),
        criterion=criterion,
        **{name: entry.text(name, default="") for name in _TEXTS},
        source_antecedent=_antecedent(entry.object("source_antecedent")),
        target_antecedent=_antecedent(entry.object("target_antecedent")),
        distance=entry.number("distance"),
        before=before,
        after=tuple(map(_pair, entry.objects("after"))) if entry.has("after") else (),
        variants=tuple(map(_variant, entry.objects("variants"))) if entry.has("variants") else (),
        correct=entry.number("correct") or 0,
        extra=extra.rest() if extra else {},
    )


def _json(record: Any) -> dict[str, Json]:
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
    if isinstance(value, Antecedent | Pair | Variant):
        return _json(value)
    return cast("Json", value)


def _pair(entry: Fields) -> Pair:
    return Pair(entry.text("source"), entry.text("target", default=""))


def _antecedent(entry: Fields | None) -> Antecedent | None:
    if entry is None:
        return None
    return Antecedent(**{field.name: entry.text(field.name, default="") for field in fields(Antecedent)})


def _variant(entry: Fields) -> Variant:
    before = entry.texts("before") if entry.has("before") else None
    rest = {name: entry.text(name, default="") for name in ("form", "label", "kind")}
    return Variant(entry.text("target"), **rest, before=before)
