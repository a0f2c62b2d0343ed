"""ContraPro's JSON (Müller et al., 2018, en–de), which the large en–fr set has too (Lopes et al., 2020).

A list of objects, each with its wrong translations under ``errors``. Context is not in the file: an item names its
document and segment in OpenSubtitles, en–de from 1, en–fr from 0.
"""

from __future__ import annotations

import json

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name
from endophora.corpus.writing import write_lines
from endophora.suites.ctxpro import languages_in
from endophora.suites.fields import Fields, each_object
from endophora.suites.records import Antecedent, Item, Json, Suite, Variant, suite_name
from endophora.suites.writable import check_texts

_HEAD = {"head": "", "gender": " gender", "lemma": " lemma", "features": " morpho", "pos": " pos"}
_KIND = "pronominal coreference"


def read_contrapro(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a suite of ContraPro or of the large en–fr set.

    Args:
        path: the JSON file, gzipped or not, or ``-``.
        languages: ISO 639-1 codes; by default those in the corpus' name (``opensubs1921-ende``), or the file's.

    Raises:
        InputError: with all faults of the file: it is no such JSON (E170), an item lacks a key or has one of the wrong
            type (E172).
    """
    log = FaultLog()
    items = [_item(fields, index) for index, fields in enumerate(each_object(path, log))]
    log.check()
    source, target = languages or _languages(items[0], display_name(path))
    # What is generated is compared as GenPro does it (Post & Junczys-Dowmunt, 2023).
    return Suite(suite_name(path), source, target, tuple(items), matching="spaced")


def write_contrapro(suite: Suite, path: PathLike) -> None:
    """Write a suite as ContraPro's JSON; what is not known of an antecedent is null.

    Raises:
        InputError: an item has no expected form or no wrong translation (E176), or the file cannot be written (E026).
    """
    check_texts(suite, "ContraPro's JSON", expected=True, variants=True)
    objects = [_object(item, f"{suite.source_language}{suite.target_language}") for item in suite.items]
    write_lines(path, json.dumps(objects, ensure_ascii=False, indent=2).split("\n"))


def _languages(first: Item, name: str) -> tuple[str, str]:
    corpus = str(first.extra.get("corpus", ""))
    pair = corpus.rpartition("-")[2]
    return (pair[:2], pair[2:]) if len(pair) == 4 and pair.isalpha() else languages_in(name)


def _item(fields: Fields, index: int) -> Item:
    distance = fields.number("ante distance")
    form, pronoun = fields.text("ref pronoun"), fields.text("src pronoun")
    variants = tuple(
        Variant(
            error.text("contrastive"),
            error.text("replacement", default=""),
            error.text("replacement gender", default=""),
            error.text("type", default=""),
        )
        for error in fields.objects("errors")
    )
    item = Item(
        id=str(index),
        document=fields.text("document id"),
        segment=fields.number("segment id") or 0,
        source=fields.text("src segment"),
        reference=fields.text("ref segment"),
        phenomenon="gender",
        rule=f"{pronoun.lower()}:{form.lower()}",
        expected=(form,),
        source_form=pronoun,
        source_antecedent=_antecedent(fields, "src"),
        target_antecedent=_antecedent(fields, "ref"),
        distance=distance if distance is None or distance >= 0 else None,
        variants=variants,
        extra=fields.rest() | ({} if distance is None or distance >= 0 else {"ante distance": distance}),
    )
    if not variants and fields.sound:
        fields.fault("there is no wrong translation in “errors”")
    return item


def _antecedent(fields: Fields, side: str) -> Antecedent | None:
    if not any(fields.has(f"{side} ante {key}") for key in ("head", "phrase")):
        return None
    head = {name: fields.text(f"{side} ante head{key}", default="") for name, key in _HEAD.items()}
    return Antecedent(**head, phrase=fields.text(f"{side} ante phrase", default=""))


def _object(item: Item, pair: str) -> dict[str, Json]:
    corpus: Json = item.extra.get("corpus", pair)
    value: dict[str, Json] = {
        "document id": item.document,
        "segment id": item.segment,
        "corpus": corpus,
        "src pronoun": item.source_form,
        "ref pronoun": item.expected[0],
        "src segment": item.source,
        "ref segment": item.reference,
        "ante distance": item.distance,
        "intrasegmental": None if item.distance is None else item.distance == 0,
        "errors": [
            {
                "contrastive": variant.target,
                "replacement": variant.form,
                "replacement gender": variant.label or None,
                "type": variant.kind or _KIND,
            }
            for variant in item.variants
        ],
    }
    for side, antecedent in (("src", item.source_antecedent), ("ref", item.target_antecedent)):
        if antecedent is not None:
            heads: dict[str, Json] = {
                f"{side} ante head{key}": getattr(antecedent, name) or None for name, key in _HEAD.items()
            }
            value |= heads | {f"{side} ante head id": None, f"{side} ante phrase": antecedent.phrase or None}
    return value | dict(item.extra)
