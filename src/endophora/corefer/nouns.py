"""What kind of thing a noun names, and what kind of thing a verb takes: counts learned from marked entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import log

UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class NounTypes:
    """Entity types of nouns.

    Attributes:
        lemmas: lemma → its usual type.
        endings: last letters of a lemma → the usual type of lemmas that end so.
        labels: label of a named entity (``"PERSON"``) → type.
        slots: ``"lemma role"`` of a governor → type → log-odds that the slot is filled by that type.
    """

    lemmas: Mapping[str, str]
    endings: Mapping[str, str]
    labels: Mapping[str, str]
    slots: Mapping[str, Mapping[str, float]]

    def of(self, lemma: str, label: str = "") -> str:
        """Return the type of a noun by its named-entity label, its lemma, or its ending; ``"?"`` if none tells."""
        if label in self.labels:
            return self.labels[label]
        found = self.lemmas.get(lemma)
        if found is None:
            found = next((self.endings[lemma[-n:]] for n in (4, 3) if lemma[-n:] in self.endings), UNKNOWN)
        return found

    def preference(self, slot: str, kind: str) -> float:
        """Return how much a slot likes a type, as log-odds against the type's share; 0 if nothing is known."""
        entry = self.slots.get(slot)
        return entry.get(kind, 0.0) if entry is not None else 0.0


def count_types(pairs: Iterable[tuple[str, str]], labels: Mapping[str, str]) -> NounTypes:
    """Learn the types of nouns.

    Args:
        pairs: (lemma, type), one for each marked mention.
        labels: label of a named entity → type.
    """
    lemmas: dict[str, Counter[str]] = {}
    for lemma, kind in pairs:
        lemmas.setdefault(lemma, Counter())[kind] += 1
    endings: dict[str, Counter[str]] = {}
    for lemma, kinds in lemmas.items():
        for size in (3, 4):
            if len(lemma) > size:
                endings.setdefault(lemma[-size:], Counter())[_most(kinds)] += 1
    usual = {
        ending: _most(kinds)
        for ending, kinds in sorted(endings.items())
        if kinds.total() >= 5 and kinds[_most(kinds)] >= 0.7 * kinds.total()
    }
    general = NounTypes({}, usual, dict(labels), {})
    # A lemma whose ending tells its type needs no entry of its own.
    special = {lemma: kind for lemma, kinds in sorted(lemmas.items()) if (kind := _most(kinds)) != general.of(lemma)}
    return replace(general, lemmas=special)


def count_slots(pairs: Iterable[tuple[str, str]], least: int = 4, prior: float = 4.0) -> dict[str, dict[str, float]]:
    """Learn what types the slots of governors take.

    Args:
        pairs: (slot, type), one for each noun that fills a slot.

    Returns:
        Slot → type → log-odds, without those near zero.
    """
    slots: dict[str, Counter[str]] = {}
    overall: Counter[str] = Counter()
    for slot, kind in pairs:
        slots.setdefault(slot, Counter())[kind] += 1
        overall[kind] += 1
    found: dict[str, dict[str, float]] = {}
    for slot, kinds in sorted(slots.items()):
        if kinds.total() < least:
            continue
        odds = {
            kind: round(log((kinds[kind] / share + prior) / (kinds.total() + prior)), 1)
            for kind, share in ((kind, n / overall.total()) for kind, n in sorted(overall.items()))
        }
        found[slot] = {kind: value for kind, value in odds.items() if abs(value) >= 0.3}
    return found


def _most(kinds: Counter[str]) -> str:
    return min(kinds, key=lambda kind: (-kinds[kind], kind))
