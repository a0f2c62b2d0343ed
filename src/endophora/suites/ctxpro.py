"""ctxpro's JSON (Wicks & Post, 2023): a list of objects, in one of four shapes.

Gender and animacy share a shape, with the antecedent's head on both sides; formality has no antecedent, auxiliaries and
inflection have a verb and a noun in the place of the pronoun. Context is not in the file: an item names its document
and its segment in OpenSubtitles.
"""

from __future__ import annotations

from typing import Any, cast

from endophora.corpus.lines import PathLike, display_name
from endophora.suites.files import Fields, check_texts, languages_in, read_items, write_objects
from endophora.suites.records import Antecedent, Item, Json, Suite, suite_name

_HEAD = {"head": "", "gender": " gender", "lemma": " lemma", "features": " morpho", "pos": " pos", "number": " number"}
"""Attribute of an antecedent → how its key continues after ``src ante head``."""
_CASE = "Case="
_ITEM, _SOURCE, _TARGET = range(3)
"""Where a value belongs: to the item, or to its antecedent on either side."""
_Keys = dict[str, tuple[int, str]]
_INTRASEGMENTAL = "intrasegmental"
_NOT_TEXTS = {(_ITEM, "distance"), (_ITEM, "segment"), (_ITEM, "")}


def _side(name: str, text: str, part: int) -> _Keys:
    heads = {f"{name} ante head{key}": (part, attribute) for attribute, key in _HEAD.items()}
    phrase, segment = (part, "phrase"), (part, "segment")
    return {**heads, f"{name} ante phrase": phrase, f"{name} segment": (_ITEM, text), f"{name} ante segment": segment}


_KEYS: dict[str, _Keys] = {
    "auxiliary": {
        "src verb": (_ITEM, "source_form"),
        "expected": (_ITEM, "expected"),
        "ante distance": (_ITEM, "distance"),
        "ref verb lemma": (_ITEM, "reference_lemma"),
        "ref segment": (_ITEM, "reference"),
        "ref ante segment": (_TARGET, "segment"),
        "src verb lemma": (_ITEM, "source_lemma"),
        "src segment": (_ITEM, "source"),
        "src ante segment": (_SOURCE, "segment"),
        "src ante verb lemma": (_SOURCE, "lemma"),
    },
    "inflection": {
        "src noun": (_ITEM, "source_form"),
        "expected": (_ITEM, "expected"),
        "ante distance": (_ITEM, "distance"),
        "ref noun case": (_ITEM, "reference_features"),
        "ref segment": (_ITEM, "reference"),
        "ref ante segment": (_TARGET, "segment"),
        "src segment": (_ITEM, "source"),
        "src ante segment": (_SOURCE, "segment"),
        "src ante noun case": (_SOURCE, "features"),
    },
    "gender": {
        "expected": (_ITEM, "expected"),
        "src pronoun": (_ITEM, "source_form"),
        "ante distance": (_ITEM, "distance"),
        _INTRASEGMENTAL: (_ITEM, ""),
        **_side("src", "source", _SOURCE),
        **_side("ref", "reference", _TARGET),
    },
    "formality": {
        "src pronoun": (_ITEM, "source_form"),
        "expected": (_ITEM, "expected"),
        "ref segment": (_ITEM, "reference"),
        "src segment": (_ITEM, "source"),
    },
}
"""Shape → its keys in the order of the published files, and the attribute that each is."""
_ENDS: _Keys = {"segment id": (_ITEM, "segment"), "document id": (_ITEM, "document"), "rule": (_ITEM, "rule")}
_SHAPES = {"src verb": "auxiliary", "src noun": "inflection", "src ante head": "gender"}
"""Key that only one shape has → the shape."""
_OPTIONAL = {
    "gender": {key for key, (part, _) in _KEYS["gender"].items() if part != _ITEM},
    "inflection": {"src ante noun case"},
}
"""Shape → the keys that a file need not have."""


def read_ctxpro(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a suite of ctxpro."""
    items = read_items(path, item_from_ctxpro)
    return Suite(suite_name(path), *(languages or languages_in(display_name(path))), items)


def write_ctxpro(suite: Suite, path: PathLike) -> None:
    """Write a suite as ctxpro's JSON, as the published files are: indented by two, text as it is."""
    check_texts(suite, "ctxpro's JSON", expected=True)
    write_objects(path, [_object(item) for item in suite.items])


def item_from_ctxpro(fields: Fields, index: int) -> Item:
    """Return the item that an object of ctxpro's JSON is; faults are noted in its log."""
    shape = next((shape for key, shape in _SHAPES.items() if fields.has(key)), "formality")
    places = {key: place for key, place in {**_KEYS[shape], **_ENDS}.items() if place not in _NOT_TEXTS}
    # Newer extractions call a formality item's form “ref pronoun”.
    if not fields.has("expected") and fields.has("ref pronoun"):
        places["ref pronoun"] = places.pop("expected")
    parts: tuple[dict[str, Any], ...] = ({}, {}, {})
    optional = [key for key in places if key in _OPTIONAL.get(shape, ())]
    needed = [key for key in places if key not in optional]
    for keys, values in ((optional, fields.many(*optional, default="")), (needed, fields.many(*needed))):
        for key, value in zip(keys, values, strict=True):
            part, attribute = places[key]
            parts[part][attribute] = _CASE + value if key.endswith("noun case") else value
    item, source, target = parts
    # Animacy is gender the other way round: the gender is on the source side.
    animate = shape == "gender" and source["gender"] and not target["gender"]
    item["expected"] = (item["expected"],)
    return Item(
        **item,
        id=str(index),
        segment=fields.number("segment id") or 0,
        phenomenon="animacy" if animate else shape,
        source_antecedent=Antecedent(**source) if source else None,
        target_antecedent=Antecedent(**target) if target else None,
        distance=fields.number("ante distance"),
        extra=fields.rest(),
    )


def _object(item: Item) -> dict[str, Json]:
    """Return an item as ctxpro has it, the keys in the order of the published files."""
    extra = dict(item.extra)
    shape = item.phenomenon
    if shape not in ("auxiliary", "inflection"):
        shape = "gender" if item.source_antecedent or item.target_antecedent else "formality"
    parts = item, item.source_antecedent or Antecedent(), item.target_antecedent or Antecedent()
    found: dict[str, Json] = {}
    for key, (part, attribute) in {**_KEYS[shape], **_ENDS}.items():
        if key == _INTRASEGMENTAL:
            found[key] = extra.pop(key, item.distance == 0)
        elif key == "expected":
            found[key] = item.expected[0]
        else:
            value = cast("Json", getattr(parts[part], attribute))
            found[key] = value.removeprefix(_CASE) if isinstance(value, str) and "noun case" in key else value
    return {**found, **extra}
