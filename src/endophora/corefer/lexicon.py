"""What is known of words: pronouns and cues by name, the entity types of nouns, the preferences of governors."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import log
from typing import Any, cast

from endophora.errors import Fault, InputError


@dataclass(frozen=True, slots=True)
class Pronoun:
    """One anaphoric pronoun form.

    Attributes:
        group: the name under which its features are shared (``"them"`` for *them* and *'em*).
    """

    group: str
    number: str
    kind: str


@dataclass(frozen=True, slots=True)
class Idiom:
    """A turn of phrase in which a pronoun stands for nothing.

    Attributes:
        text: as it is written in the data, ``_`` for the pronoun (``"worth _"``).
        words: (place from the pronoun, lemmas or forms that may stand there); none for the end of a clause.
    """

    text: str
    words: tuple[tuple[int, frozenset[str]], ...]


def read_idiom(text: str) -> Idiom:
    """Return an idiom from its text: words beside ``_``, alternatives parted by ``|``, ``.`` for a clause's end.

    Raises:
        ValueError: it has no pronoun.
    """
    words = text.split()
    pronoun = words.index("_")
    pairs = ((i - pronoun, frozenset(() if w == "." else w.split("|"))) for i, w in enumerate(words) if i != pronoun)
    return Idiom(text, tuple(pairs))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of one language that the resolver treats by name.

    Attributes:
        pronouns: lower-case form → what it is.
        persons: pronouns of persons, which are mentions but are not resolved: form → number.
        cues: name of a word class (``"weather"``, ``"raising"``, …) → its lemmas, as cues of non-referential use.
        words: name of a word list (``"collective"``, ``"definite"``, …) → its lemmas.
    """

    language: str
    pronouns: Mapping[str, Pronoun]
    persons: Mapping[str, str]
    expletive_groups: frozenset[str]
    cues: Mapping[str, frozenset[str]]
    words: Mapping[str, frozenset[str]]
    idioms: tuple[Idiom, ...] = ()


def read_data(name: str) -> dict[str, Any] | None:
    """Return a JSON object that ships with this room, or ``None`` if there is none of that name."""
    file = files("endophora.corefer") / "data" / name
    if not file.is_file():
        return None
    return cast("dict[str, Any]", json.loads(file.read_text(encoding="utf-8")))


@cache
def load_lexicon(language: str) -> Lexicon:
    """Return the lexicon of a language.

    Raises:
        InputError: there is none (E060).
    """
    data = read_data(f"{language}.json")
    if data is None:
        raise InputError(
            Fault("E060", f"no pronoun lexicon for the language “{language}”", "the resolver knows English only (en)")
        )
    expletive = data["expletive"]
    return Lexicon(
        language=language,
        pronouns={
            form: Pronoun(entry["class"], entry["number"], entry["kind"]) for form, entry in data["pronouns"].items()
        },
        persons=data["persons"],
        expletive_groups=frozenset(expletive["classes"]),
        cues={name: frozenset(words) for name, words in expletive.items() if name != "classes"},
        words={name: frozenset(words) for name, words in data["words"].items()},
        idioms=tuple(read_idiom(text) for text in data.get("idioms", ())),
    )


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
