"""ctxpro's JSON (Wicks & Post, 2023): a list of objects, in one of four shapes.

Gender and animacy share a shape, with the antecedent's head on both sides; formality has no antecedent, auxiliaries and
inflection have a verb and a noun in the place of the pronoun. Context is not in the file: an item names its document
and its segment in OpenSubtitles.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name
from endophora.corpus.writing import write_lines
from endophora.suites.fields import Fields, each_object
from endophora.suites.records import Antecedent, Item, Json, Suite, suite_name
from endophora.suites.writable import check_texts

_HEAD = {"head": "", "lemma": " lemma", "pos": " pos", "features": " morpho", "gender": " gender", "number": " number"}
"""Attribute of an antecedent → how its key goes on after ``src ante head``."""
_PAIR = re.compile(r"(?:^|[._])([a-z]{2})-([a-z]{2})(?:[._]|$)")
_CASE = "Case="
_KEYS = {
    side: [*(f"{side} ante head{key}" for key in _HEAD.values()), f"{side} ante phrase", f"{side} ante segment"]
    for side in ("src", "ref")
}
"""The keys of each attribute of an antecedent, in order."""
_FORMS = {"auxiliary": "src verb", "inflection": "src noun"}


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
    for index, fields in enumerate(each_object(path, log)):
        items.append(item_from_ctxpro(fields, index))
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
    shape, phenomenon = _shape(fields), ""
    source, target = Antecedent(), Antecedent()
    # Lemmas and cases stand beside the form, where there are any; built in one go, since suites have many items.
    source_lemma = reference_lemma = features = ""
    if shape == "auxiliary":
        verbs = ("src verb lemma", "ref verb lemma", "src ante verb lemma", "src ante segment", "ref ante segment")
        source_lemma, reference_lemma, lemma, earlier, other = fields.many(*verbs)
        source, target = Antecedent(lemma=lemma, segment=earlier), Antecedent(segment=other)
    elif shape == "inflection":
        features = _CASE + fields.text("ref noun case")
        case = _CASE + fields.text("src ante noun case", default="")
        source = Antecedent(features=case, segment=fields.text("src ante segment"))
        target = Antecedent(segment=fields.text("ref ante segment"))
    elif shape == "gender":
        source = Antecedent(*fields.many(*_KEYS["src"], default=""))
        target = Antecedent(*fields.many(*_KEYS["ref"], default=""))
        # Animacy is gender the other way round: the gender is on the source side.
        phenomenon = "animacy" if source.gender and not target.gender else "gender"
    # Newer extractions call a formality item's form “ref pronoun”.
    expected = "ref pronoun" if not fields.has("expected") and fields.has("ref pronoun") else "expected"
    wanted = ("document id", "src segment", "ref segment", "rule", expected, _FORMS.get(shape, "src pronoun"))
    document, segment, reference, rule, form, source_form = fields.many(*wanted)
    return Item(
        id=str(index),
        document=document,
        segment=fields.number("segment id") or 0,
        source=segment,
        reference=reference,
        phenomenon=phenomenon or shape,
        rule=rule,
        expected=(form,),
        source_form=source_form,
        source_lemma=source_lemma,
        reference_lemma=reference_lemma,
        reference_features=features,
        source_antecedent=None if shape == "formality" else source,
        target_antecedent=None if shape == "formality" else target,
        distance=fields.number("ante distance"),
        extra=fields.rest(),
    )


def _shape(fields: Fields) -> str:
    for key, shape in (("src verb", "auxiliary"), ("src noun", "inflection"), ("src ante head", "gender")):
        if fields.has(key):
            return shape
    return "formality"


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
