"""MuCoW's JSON, of the variants for scoring (``…scoring.json``) and for translation (``…tts.json``), and ContraWSD's.

A list of objects: the ambiguous word, the sentence pair, the right sense as its words joined by ``_`` (ContraWSD: by
``|``), and the wrong translations under ``errors``. What other keys there are is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name
from endophora.corpus.writing import write_lines
from endophora.suites.fields import Fields, each_object
from endophora.suites.records import Item, Json, Suite, suite_name
from endophora.suites.senses.words import (
    domain_of,
    is_sense_suite,
    make_item,
    make_variant,
    origin_of,
    sense_of,
    senses_of_words,
)
from endophora.suites.writable import check_texts

_PAIR = re.compile(r"(?:^|[./\\_])([a-z]{2})-([a-z]{2})(?=[._]|$)")
_TRANSLATIONS, _DOMAIN, _NUMBER = "translations", "domain", "id"


def pair_in(name: str) -> tuple[str, str]:
    """Return the languages that a file's name says, such as ``tr-en.mucow.scoring.json``; empty where it does not."""
    found = _PAIR.findall(name)
    return (found[-1][0], found[-1][1]) if found else ("", "")


def read_mucow_json(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a suite of MuCoW or ContraWSD.

    Args:
        path: the JSON file, gzipped or not, or ``-``.
        languages: ISO 639-1 codes; by default those in the file's name.

    Raises:
        InputError: with all faults of the file: it is no such JSON (E170), an item lacks a key or has one of the wrong
            type (E172).
    """
    log = FaultLog()
    items = [_item(fields, number) for number, fields in enumerate(each_object(path, log))]
    log.check()
    return Suite(suite_name(path), *(languages or pair_in(display_name(path))), tuple(_labelled(items)))


def write_mucow_json(suite: Suite, path: PathLike) -> None:
    """Write a suite as MuCoW's JSON; what the published files do not say stands under keys of its own.

    Raises:
        InputError: it is no suite of word senses (E222), an item has no expected word (E176), or the file cannot be
            written (E026).
    """
    check_sense_suite(suite, "MuCoW's JSON")
    check_texts(suite, "MuCoW's JSON", expected=True)
    body = json.dumps([_object(item) for item in suite.items], ensure_ascii=False, indent=2)
    write_lines(path, body.split("\n"))


def check_sense_suite(suite: Suite, form: str) -> None:
    """Check that a suite is one of word senses.

    Raises:
        InputError: it is not (E222).
    """
    if not is_sense_suite(suite):
        log = FaultLog()
        log.add("E222", f"“{suite.name}” is no suite of word senses", "write another format", form)
        log.check()


def _item(fields: Fields, number: int) -> Item:
    word, sense = fields.text("ambig word"), fields.text("sense")
    errors = [
        make_variant(error.text("contrastive"), error.text("replacement", default=""), error.text("sense", default=""))
        for error in fields.objects("errors")
    ]
    # A wrong word may be known, and no sentence with it.
    variants = [variant for variant in errors if variant.target]
    own = fields.texts(_TRANSLATIONS) if fields.has(_TRANSLATIONS) else ()
    words = own or tuple(filter(None, sense.split("|" if "|" in sense else "_")))
    name = fields.number(_NUMBER)
    if not words:
        fields.fault("“sense” names no word")
    return make_item(
        number,
        word,
        sense,
        fields.text("source"),
        fields.text("reference"),
        expected=words,
        forbidden=[error.form for error in errors if error.form],
        variants=variants,
        origin=fields.text("origin", default=""),
        domain=fields.text(_DOMAIN, default=""),
        form=fields.text("original translation", default=""),
        name="" if name is None else str(name),
        extra=fields.rest(),
    )


def _labelled(items: Sequence[Item]) -> list[Item]:
    """Return items whose wrong translations say of which sense they are, where another item of the word tells."""
    senses = senses_of_words(items)
    return [
        replace(
            item,
            variants=tuple(
                replace(variant, label=variant.label or senses[item.source_lemma].get(variant.form.lower(), ""))
                for variant in item.variants
            ),
        )
        for item in items
    ]


def _object(item: Item) -> dict[str, Json]:
    sense = sense_of(item)
    rest = {key: value for key, value in item.extra.items() if key not in ("sense", "origin", "domain")}
    value: dict[str, Json] = {
        "ambig word": item.source_lemma,
        "reference": item.reference,
        "original translation": item.expected[0],
        "origin": origin_of(item),
        "sense": sense,
        "source": item.source,
    }
    if item.id.isdecimal() and item.id != str(item.segment):
        value[_NUMBER] = int(item.id)
    if domain_of(item):
        value[_DOMAIN] = domain_of(item)
    if sorted(item.expected) != sorted(sense.split("_")):
        value[_TRANSLATIONS] = list(item.expected)
    errors: list[Json] = []
    written = {variant.form for variant in item.variants}
    bare = [make_variant("", word) for word in item.forbidden if word not in written]
    for variant in (*item.variants, *bare):
        error: dict[str, Json] = {
            "contrastive": variant.target,
            "type": variant.kind or "word_sense",
            "replacement": variant.form,
        }
        errors.append(error)
    value["errors"] = errors
    return value | rest
