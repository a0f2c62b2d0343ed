"""What an item of a word-sense suite says beside what every item does: its sense, domain and origin.

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
    """Tell whether all items of a suite are of word senses."""
    return bool(suite.items) and all(item.phenomenon == WORD_SENSE for item in suite.items)


def make_item(
    number: int,
    word: str,
    sense: str,
    source: str,
    reference: str,
    *,
    expected: Sequence[str],
    forbidden: Sequence[str] = (),
    variants: Sequence[Variant] = (),
    origin: str = "",
    domain: str = "",
    form: str = "",
    name: str = "",
    extra: Mapping[str, Json] | None = None,
) -> Item:
    """Return an item.

    Args:
        number: its place in the suite, from 0.
        form: the reference's own word; it comes first among those expected.
        name: id; the place by default.
    """
    words = dict.fromkeys((*((form,) if form else ()), *expected))
    known: dict[str, Json] = {"sense": sense}
    known |= {key: text for key, text in (("origin", origin), ("domain", domain)) if text}
    return Item(
        id=name or str(number),
        document=word,
        segment=number,
        source=source,
        reference=reference,
        phenomenon=WORD_SENSE,
        rule=f"{word}:{sense}",
        expected=tuple(words),
        forbidden=tuple(dict.fromkeys(forbidden)),
        source_lemma=word,
        variants=tuple(variants),
        extra=known | dict(extra or {}),
    )


def make_variant(target: str, form: str, label: str = "") -> Variant:
    """Return a wrong translation with a word of another sense, ``label``."""
    return Variant(target=target, form=form, label=label, kind=_KIND)


def sense_of(item: Item) -> str:
    """Return the name of the right sense."""
    return str(item.extra.get("sense", "")) or join_words(item.expected)


def origin_of(item: Item) -> str:
    """Return the name of the corpus; empty if it is not known."""
    return str(item.extra.get("origin", ""))


def domain_of(item: Item) -> str:
    """Return ``in``, ``out``, or nothing where the suite does not say."""
    return str(item.extra.get("domain", ""))


def knows_distances(item: Item) -> bool:
    """Tell whether an item says how far other senses are from the right one."""
    return isinstance(item.extra.get(DISTANCES), dict)


def has_distance(item: Item, sense: str) -> bool:
    """Tell whether an item says how far a sense is from the right one."""
    distances = item.extra.get(DISTANCES)
    return isinstance(distances, dict) and sense in distances


def distance_to(item: Item, sense: str) -> float:
    """Return how far a sense is from the right one; 1, quite another, where the suite does not say."""
    distances = item.extra.get(DISTANCES)
    value = distances.get(sense, 1.0) if isinstance(distances, dict) else 1.0
    return float(value) if isinstance(value, int | float) else 1.0


def join_words(words: Iterable[str]) -> str:
    """Return words as the published suites name a sense: underscores between them."""
    return "_".join(words)


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
