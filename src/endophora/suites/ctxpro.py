"""ctxpro's JSON (Wicks & Post, 2023): a list of objects, in one of four shapes.

Gender and animacy share a shape, with the antecedent's head on both sides; formality has no antecedent, auxiliaries and
inflection have a verb and a noun in the place of the pronoun. Context is not in the file: an item names its document
and its segment in OpenSubtitles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TypeAlias, TypeVar, cast

from endophora.corpus.faults import FaultLog, too_long
from endophora.corpus.lines import PathLike, display_name
from endophora.suites.files import Fields, check_texts, languages_in, read_items, read_objects, write_objects
from endophora.suites.records import Antecedent, Item, Json, RecordTable, Suite, suite_name

_HEAD = {"head": "", "lemma": " lemma", "pos": " pos", "features": " morpho", "gender": " gender", "number": " number"}
"""Attribute of an antecedent → how its key goes on after ``src ante head``."""
_CASE = "Case="
_ITEM, _SOURCE, _TARGET = range(3)
"""Where a text belongs: to the item, or to its antecedent on either side."""
_Place: TypeAlias = tuple[int, str]
_Value = TypeVar("_Value")
_Sides: TypeAlias = tuple[dict[str, _Value], dict[str, _Value], dict[str, _Value]]
_Columns: TypeAlias = Mapping[str, Sequence[str]]
_FORMS = {"auxiliary": "src verb", "inflection": "src noun"}
_SHAPES = {"src verb": "auxiliary", "src noun": "inflection", "src ante head": "gender"}
"""Key that only one shape has → the shape."""


def _antecedent(name: str, side: int) -> dict[str, _Place]:
    keys = {f"{name} ante head{key}": (side, attribute) for attribute, key in _HEAD.items()}
    return {**keys, f"{name} ante phrase": (side, "phrase"), f"{name} ante segment": (side, "segment")}


_OPTIONAL: dict[str, dict[str, _Place]] = {
    "gender": {**_antecedent("src", _SOURCE), **_antecedent("ref", _TARGET)},
    "inflection": {"src ante noun case": (_SOURCE, "features")},
}
_SEGMENTS = {"src ante segment": (_SOURCE, "segment"), "ref ante segment": (_TARGET, "segment")}
_OWN: dict[str, dict[str, _Place]] = {
    "auxiliary": {
        "src verb lemma": (_ITEM, "source_lemma"),
        "ref verb lemma": (_ITEM, "reference_lemma"),
        "src ante verb lemma": (_SOURCE, "lemma"),
        **_SEGMENTS,
    },
    "inflection": {"ref noun case": (_ITEM, "reference_features"), **_SEGMENTS},
}
"""The texts of a shape beside those of all shapes, and where they belong: those that may be missing, and the others."""
_ALL = {
    "document id": (_ITEM, "document"),
    "src segment": (_ITEM, "source"),
    "ref segment": (_ITEM, "reference"),
    "rule": (_ITEM, "rule"),
}


def read_ctxpro(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a suite of ctxpro."""
    log, file = FaultLog(), display_name(path)
    objects = read_objects(path, log)
    items: Sequence[Item] | None = _table(objects)
    log.check()
    if items is None:
        items = read_items(path, item_from_ctxpro, objects)
    source, target = languages or languages_in(file)
    return Suite(suite_name(path), source, target, items)


def write_ctxpro(suite: Suite, path: PathLike) -> None:
    """Write a suite as ctxpro's JSON, as the published files are: indented by two, text as it is."""
    check_texts(suite, "ctxpro's JSON", expected=True)
    write_objects(path, [_object(item) for item in suite.items])


def item_from_ctxpro(fields: Fields, index: int) -> Item:
    """Return the item that an object of ctxpro's JSON is; faults are noted in its log."""
    shape = _shape(fields.has)
    optional, needed = _OPTIONAL.get(shape, {}), _texts(shape, fields.has)
    texts = (*fields.many(*optional, default=""), *fields.many(*needed))
    item, source, target = _sorted((*optional.values(), *needed.values()), texts)
    if shape == "inflection":
        source["features"], item["reference_features"] = _CASE + source["features"], _CASE + item["reference_features"]
    return Item(
        str(index),
        item["document"],
        fields.number("segment id") or 0,
        item["source"],
        item["reference"],
        _phenomenon(source["gender"], target["gender"]) if shape == "gender" else shape,
        item["rule"],
        (item["expected"],),
        source_form=item["source_form"],
        source_lemma=item.get("source_lemma", ""),
        reference_lemma=item.get("reference_lemma", ""),
        reference_features=item.get("reference_features", ""),
        source_antecedent=Antecedent(**source) if source else None,
        target_antecedent=Antecedent(**target) if target else None,
        distance=fields.number("ante distance"),
        extra=fields.rest(),
    )


def _shape(has: Callable[[str], bool]) -> str:
    return next((shape for key, shape in _SHAPES.items() if has(key)), "formality")


def _texts(shape: str, has: Callable[[str], bool]) -> dict[str, _Place]:
    """Return the keys of the texts that an object of a shape must have, and where they belong."""
    # Newer extractions call a formality item's form “ref pronoun”.
    expected = "ref pronoun" if not has("expected") and has("ref pronoun") else "expected"
    form = _FORMS.get(shape, "src pronoun")
    return {**_OWN.get(shape, {}), **_ALL, expected: (_ITEM, "expected"), form: (_ITEM, "source_form")}


def _sorted(places: Iterable[_Place], values: Iterable[_Value]) -> _Sides[_Value]:
    """Return what belongs to the item, its source antecedent and its target antecedent, by attribute."""
    sides: _Sides[_Value] = ({}, {}, {})
    for (side, attribute), value in zip(places, values, strict=True):
        sides[side][attribute] = value
    return sides


def _phenomenon(source: str, target: str) -> str:
    # Animacy is gender the other way round: the gender is on the source side.
    return "animacy" if source and not target else "gender"


def _table(objects: Sequence[Mapping[str, Json]]) -> RecordTable[Item] | None:
    """Return the items of objects that all have the same keys, as those of a file do.

    ``None`` where they have not, or anything in them is missing or of another type: :func:`item_from_ctxpro` says what.
    """
    keys = tuple(objects[0]) if objects else ()
    shape = _shape(keys.__contains__)
    texts = _OPTIONAL.get(shape, {}) | _texts(shape, keys.__contains__)
    bare = shape == "formality" and "ante distance" not in keys
    numbers = ("segment id",) if bare else ("segment id", "ante distance")
    if not frozenset(keys).issuperset((*texts, *numbers)) or set(map(len, objects)) != {len(keys)}:
        return None
    try:
        values = dict(zip(keys, zip(*map(itemgetter(*keys), objects), strict=True), strict=True))
    except KeyError:
        return None
    wanted = {**dict.fromkeys(texts, str), **dict.fromkeys(numbers, int)}
    if any(set(map(type, values[key])) != {kind} for key, kind in wanted.items()):
        return None
    if any(any(map(too_long, cast("Sequence[str]", values[key]))) for key in texts):
        return None
    columns = _columns(shape, len(objects), *_sorted(texts.values(), (values.pop(key) for key in texts)))
    for key, name in zip(numbers, ("segment", "distance"), strict=False):
        columns[name] = values.pop(key)
    if values:
        columns["extra"] = [dict(pairs) for pairs in zip(*map(_pairs, values.items()), strict=True)]
    return RecordTable(Item, len(objects), columns)


def _pairs(column: tuple[str, Sequence[Json]]) -> list[tuple[str, Json]]:
    key, values = column
    return [(key, value) for value in values]


def _columns(shape: str, count: int, item: _Columns, source: _Columns, target: _Columns) -> dict[str, Sequence[object]]:
    """Return the columns of items but for numbers and what is left over."""
    columns: dict[str, Sequence[object]] = {
        **item,
        "id": list(map(str, range(count))),
        "phenomenon": [shape] * count,
        "expected": list(zip(item["expected"], strict=True)),
    }
    if shape == "gender":
        columns["phenomenon"] = list(map(_phenomenon, source["gender"], target["gender"]))
    elif shape == "inflection":
        source = {**source, "features": [_CASE + case for case in source["features"]]}
        columns["reference_features"] = [_CASE + case for case in item["reference_features"]]
    for name, side in (("source_antecedent", source), ("target_antecedent", target)):
        if side:
            columns[name] = RecordTable(Antecedent, count, side)
    return columns


def _object(item: Item) -> dict[str, Json]:
    """Return an item as ctxpro has it, the keys in the order of the published files."""
    extra = dict(item.extra)
    source, target = item.source_antecedent or Antecedent(), item.target_antecedent or Antecedent()
    texts: dict[str, Json] = {"ref segment": item.reference, "ref ante segment": target.segment}
    sources: dict[str, Json] = {"src segment": item.source, "src ante segment": source.segment}
    distance: dict[str, Json] = {"ante distance": item.distance}
    body: Mapping[str, Json]
    if item.phenomenon == "auxiliary":
        body = {
            "src verb": item.source_form,
            "expected": item.expected[0],
            **distance,
            "ref verb lemma": item.reference_lemma,
            **texts,
            "src verb lemma": item.source_lemma,
            **sources,
            "src ante verb lemma": source.lemma,
        }
    elif item.phenomenon == "inflection":
        body = {
            "src noun": item.source_form,
            "expected": item.expected[0],
            **distance,
            "ref noun case": item.reference_features.removeprefix(_CASE),
            **texts,
            **sources,
            "src ante noun case": source.features.removeprefix(_CASE),
        }
    elif item.source_antecedent is None and item.target_antecedent is None:
        body = {
            "src pronoun": item.source_form,
            "expected": item.expected[0],
            "ref segment": item.reference,
            "src segment": item.source,
        }
    else:
        body = {
            "expected": item.expected[0],
            "src pronoun": item.source_form,
            **distance,
            "intrasegmental": extra.pop("intrasegmental", item.distance == 0),
            **_heads(source, "src", item.source),
            **_heads(target, "ref", item.reference),
        }
    names: dict[str, Json] = {"segment id": item.segment, "document id": item.document, "rule": item.rule}
    return {**body, **names, **extra}


def _heads(antecedent: Antecedent, side: str, segment: str) -> dict[str, Json]:
    ordered = ("head", "gender", "lemma", "features", "pos", "number")
    heads: dict[str, Json] = {f"{side} ante head{_HEAD[name]}": getattr(antecedent, name) for name in ordered}
    return {
        **heads,
        f"{side} ante phrase": antecedent.phrase,
        f"{side} segment": segment,
        f"{side} ante segment": antecedent.segment,
    }
