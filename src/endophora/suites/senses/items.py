"""What an item of a word-sense suite says in addition to what every item does: its sense, domain and origin.

An item has the ambiguous word in ``source_lemma``, the words of the right sense in ``expected`` and those of the wrong
ones in ``forbidden``. ``extra`` has ``sense``, ``origin`` and ``domain``. Its document is the ambiguous word: sentences
of one word are not independent, and are drawn together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from endophora.suites.records import Item, Json, Suite, Variant

WORD_SENSE = "word-sense"
"""The phenomenon of the items."""

IN_DOMAIN, OUT_OF_DOMAIN = "in", "out"
OTHER = "other"
"""What a wrong word is filed under that is of no known sense."""

DISTANCES = "distances"
"""In an item's ``extra``: name of each other sense → its distance from the right one, usually 0 to 1."""

_KIND = "word_sense"


def is_sense_suite(suite: Suite) -> bool:
    """Return whether all items of a suite are of word senses."""
    return bool(suite.items) and all(item.phenomenon == WORD_SENSE for item in suite.items)


def make_item(
    number: int,
    word: str,
    sense: str,
    source: str,
    reference: str,
    *,
    expected: Iterable[str],
    forbidden: Iterable[str] = (),
    variants: Iterable[Variant] = (),
    name: str = "",
    extra: Mapping[str, Json],
) -> Item:
    """Return the item at a place, from 0; an origin or domain in ``extra`` that is empty is left out."""
    known = {key: value for key, value in extra.items() if value or key not in ("origin", "domain")}
    return Item(
        id=name or str(number),
        document=word,
        segment=number,
        source=source,
        reference=reference,
        phenomenon=WORD_SENSE,
        rule=f"{word}:{sense}",
        expected=tuple(dict.fromkeys(expected)),
        forbidden=tuple(dict.fromkeys(forbidden)),
        source_lemma=word,
        variants=tuple(variants),
        extra={"sense": sense, **known},
    )


def make_variant(target: str, form: str, label: str = "") -> Variant:
    """Return a wrong translation with a word of another sense, ``label``."""
    return Variant(target=target, form=form, label=label, kind=_KIND)


def sense_of(item: Item) -> str:
    """Return the name of the right sense."""
    return str(item.extra.get("sense", "")) or "_".join(item.expected)


def origin_of(item: Item) -> str:
    """Return the name of the corpus; empty if it is not known."""
    return str(item.extra.get("origin", ""))


def domain_of(item: Item) -> str:
    """Return ``in``, ``out``, or nothing where the suite does not say."""
    return str(item.extra.get("domain", ""))


def distances_of(item: Item) -> dict[str, float]:
    """Return how far each other sense is from the right one, by its name, where the suite says that."""
    found = item.extra.get(DISTANCES)
    listed = found.items() if isinstance(found, dict) else ()
    return {name: float(value) for name, value in listed if isinstance(value, int | float)}


def senses_of_words(items: Sequence[Item]) -> dict[str, dict[str, str]]:
    """Return for each ambiguous word what each translation, in lower case, says: its sense's name.

    A translation of two senses is the first's.
    """
    found: dict[str, dict[str, str]] = {}
    for item in items:
        table = found.setdefault(item.source_lemma, {})
        for word in item.expected:
            table.setdefault(word.lower(), sense_of(item))
    for item in items:
        for variant in item.variants:
            if variant.label:
                found[item.source_lemma].setdefault(variant.form.lower(), variant.label)
    return found
