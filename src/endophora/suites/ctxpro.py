"""ctxpro's JSON (Wicks & Post, 2023): a list of objects, in one of four shapes.

Gender and animacy share a shape, with the antecedent's head on both sides; formality has no antecedent, auxiliaries and
inflection have a verb and a noun in the place of the pronoun. Context is not in the file: an item names its document
and its segment in OpenSubtitles.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import cast

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name
from endophora.corpus.writing import write_lines
from endophora.suites.fields import Fields, read_objects
from endophora.suites.records import Antecedent, Item, Json, Suite, suite_name
from endophora.suites.writable import check_texts

_HEAD = {"head": "", "lemma": " lemma", "pos": " pos", "features": " morpho", "gender": " gender", "number": " number"}
"""Attribute of an antecedent → how its key goes on after ``src ante head``."""
_PAIR = re.compile(r"(?:^|[._])([a-z]{2})-([a-z]{2})(?:[._]|$)")
_CASE = "Case="
_KEYS = {
    side: (*(f"{side} ante head{key}" for key in _HEAD.values()), f"{side} ante phrase", f"{side} ante segment")
    for side in ("src", "ref")
}
"""The keys of each attribute of an antecedent, in order."""
_FORMS = {"auxiliary": "src verb", "inflection": "src noun"}
_SHAPES = {"src verb": "auxiliary", "src noun": "inflection", "src ante head": "gender"}
"""Key that only one shape has → the shape."""
_OPTIONAL = {"gender": (*_KEYS["src"], *_KEYS["ref"]), "inflection": ("src ante noun case",)}
_OWN = {
    "auxiliary": ("src verb lemma", "ref verb lemma", "src ante verb lemma", "src ante segment", "ref ante segment"),
    "inflection": ("ref noun case", "src ante segment", "ref ante segment"),
}
"""Keys of the texts of a shape beside those of all shapes: those that may be missing, and the others."""


def read_ctxpro(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a suite of ctxpro.

    Args:
        path: the JSON file, gzipped or not, or ``-``.
        languages: ISO 639-1 codes; by default those in the file's name, as in ``….en-de.test.json``.

    Raises:
        InputError: with all faults of the file: it is no such JSON (E170), an item lacks a key or has one of the wrong
            type (E172).
    """
    log, items = FaultLog(), list[Item]()
    readers: dict[tuple[str, ...], _Reader] = {}
    for index, value in enumerate(read_objects(path, log)):
        keys = tuple(value)
        reader = readers.get(keys)
        if reader is None:
            reader = readers[keys] = _Reader(keys)
        item = reader.read(value, index)
        if item is None:
            item = item_from_ctxpro(Fields(value, f"item {index + 1}", display_name(path), log), index)
        items.append(item)
    log.check()
    source, target = languages or languages_in(display_name(path))
    return Suite(suite_name(path), source, target, tuple(items))


def write_ctxpro(suite: Suite, path: PathLike) -> None:
    """Write a suite as ctxpro's JSON, as the published files are: indented by two, text as it is.

    Raises:
        InputError: an item has nothing that is expected (E176), or the file cannot be written (E026).
    """
    check_texts(suite, "ctxpro's JSON", expected=True)
    objects = [_object(item) for item in suite.items]
    write_lines(path, json.dumps(objects, ensure_ascii=False, indent=2).split("\n"))


def languages_in(name: str) -> tuple[str, str]:
    """Return the language pair that stands in a file's name, as in ``gender.opensubtitles.en-de.test.json``."""
    found = _PAIR.search(name.replace("\\", "/").rpartition("/")[2])
    return (found[1], found[2]) if found else ("", "")


def item_from_ctxpro(fields: Fields, index: int) -> Item:
    """Return the item that an object of ctxpro's JSON is; faults are noted in its log.

    Args:
        fields: the object.
        index: its place in the file, from 0, which becomes its id.
    """
    shape = _shape(fields.has)
    texts = (*fields.many(*_OPTIONAL.get(shape, ()), default=""), *fields.many(*_texts(shape, fields.has)))
    segment, distance = fields.number("segment id") or 0, fields.number("ante distance")
    return _item(shape, index, texts, segment, distance, fields.rest())


def _shape(has: Callable[[str], bool]) -> str:
    return next((shape for key, shape in _SHAPES.items() if has(key)), "formality")


def _texts(shape: str, has: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the keys of the texts that an object of a shape must have, in the order in which ``_item`` takes them."""
    # Newer extractions call a formality item's form “ref pronoun”.
    expected = "ref pronoun" if not has("expected") and has("ref pronoun") else "expected"
    form = _FORMS.get(shape, "src pronoun")
    return (*_OWN.get(shape, ()), "document id", "src segment", "ref segment", "rule", expected, form)


def _item(
    shape: str, index: int, texts: Sequence[str], segment: int, distance: int | None, extra: Mapping[str, Json]
) -> Item:
    """Return the item of an object's texts: those of its shape first, then those that all shapes have."""
    document, source, reference, rule, form, source_form = texts[-6:]
    # Lemmas and cases stand beside the form, where there are any.
    source_lemma = reference_lemma = features = ""
    earlier = other = None
    if shape == "gender":
        earlier, other = Antecedent(*texts[:8]), Antecedent(*texts[8:16])
        # Animacy is gender the other way round: the gender is on the source side.
        shape = "animacy" if earlier.gender and not other.gender else "gender"
    elif shape == "auxiliary":
        source_lemma, reference_lemma = texts[:2]
        earlier, other = Antecedent(lemma=texts[2], segment=texts[3]), Antecedent(segment=texts[4])
    elif shape == "inflection":
        features = _CASE + texts[1]
        earlier = Antecedent(features=_CASE + texts[0], segment=texts[2])
        other = Antecedent(segment=texts[3])
    return Item(
        str(index),
        document,
        segment,
        source,
        reference,
        shape,
        rule,
        (form,),
        source_form=source_form,
        source_lemma=source_lemma,
        reference_lemma=reference_lemma,
        reference_features=features,
        source_antecedent=earlier,
        target_antecedent=other,
        distance=distance,
        extra=extra,
    )


class _Reader:
    """Reads objects that have the same keys, as those of a file do, without asking for each key on its own.

    An object in which anything is missing or of another type it leaves to :func:`item_from_ctxpro`, which says what.

    Args:
        keys: the keys.
    """

    def __init__(self, keys: tuple[str, ...]) -> None:
        known = frozenset(keys)
        self._shape = _shape(known.__contains__)
        wanted = (*_OPTIONAL.get(self._shape, ()), *_texts(self._shape, known.__contains__))
        numbers = ("segment id", "ante distance")[: 1 if self._shape == "formality" else 2]
        self._rest = tuple(key for key in keys if key not in wanted and key not in numbers)
        self._types = {(str,) * len(wanted) + (int,) * len(numbers)}
        whole = known.issuperset((*wanted, *numbers)) and ("ante distance" in known) == (len(numbers) == 2)
        self._values: Callable[[Mapping[str, Json]], tuple[Json, ...]] | None = None
        if whole:
            self._values = cast("Callable[[Mapping[str, Json]], tuple[Json, ...]]", itemgetter(*wanted, *numbers))

    def read(self, value: Mapping[str, Json], index: int) -> Item | None:
        """Return the item of an object with these keys, or ``None`` if something is wrong with it."""
        if self._values is None:
            return None
        values = self._values(value)
        if tuple(map(type, values)) not in self._types:
            return None
        count = len(values) - (1 if self._shape == "formality" else 2)
        segment, distance = cast("list[int]", [*values[count:], None][:2])
        extra = {key: value[key] for key in self._rest} if self._rest else {}
        return _item(self._shape, index, cast("tuple[str, ...]", values[:count]), segment, distance, extra)


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
