"""A morphological dictionary's readings of a form, as facts about its label.

A dictionary lists all that a form may be; a teacher chooses. Tags are put into the terms of Universal Dependencies by
a table, ``recipes/tags-<language>.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, Literal, cast

from ruamel.yaml import YAML

from endophora.errors import Fault, MissingModelError
from endophora.record import Fixed
from endophora_makers.labelling import Facts, Label

Analyses = list[tuple[str, str]]
"""Lemma and tag of each reading."""


class TagClass(Fixed):
    """What a tag says of the part of speech.

    Attributes:
        upos: the parts of speech that a word of that tag may have; all tags of a word must agree.
        drops: features that it does not bear, even if its other tags say so.
        leaves: features that the dictionary does not decide for such words.
    """

    upos: tuple[str, ...]
    gives: dict[str, str] = {}
    drops: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()


class Combination(Fixed):
    """What tags say together, beyond what each says.

    Attributes:
        gives: features that a word of all these tags bears.
        drops: features that it does not bear.
    """

    tags: tuple[str, ...]
    gives: dict[str, str] = {}
    drops: tuple[str, ...] = ()


class TagTable(Fixed):
    """A dictionary's tags in the terms of Universal Dependencies.

    Attributes:
        analyser: the library, if it is one; only training needs it.
        between: what parts the tags of a reading, a regular expression.
        either: what parts alternatives within a tag; none if empty.
        decides: the features that the dictionary decides; one that no tag gives is one that the word does not bear.
        classes: tag → part of speech. ``capital`` stands for a lemma with a capital.
        values: tag → features.
        together: what tags say together; applied last.
    """

    analyser: Literal["morfeusz2", "pymorphy3", ""] = ""
    between: str
    either: str = ""
    decides: tuple[str, ...]
    classes: dict[str, TagClass]
    values: dict[str, dict[str, str]]
    together: tuple[Combination, ...] = ()

    @classmethod
    def read(cls, path: Path) -> TagTable:
        """Read a table."""
        return cls.model_validate(cast("Any", YAML(typ="safe")).load(path.read_text("utf-8")))

    def reading(self, lemma: str, tags: tuple[str, ...]) -> Facts | None:
        """Return what one reading says; ``None`` if its tags name no part of speech."""
        marks = (*tags, "capital") if lemma[:1].isupper() else tags
        classes = [self.classes[tag] for tag in marks if tag in self.classes]
        upos = frozenset[str].intersection(*(frozenset(c.upos) for c in classes)) if classes else frozenset[str]()
        if not upos:
            return None
        left = {name for each in classes for name in each.leaves}
        sets: dict[str, str | None] = dict.fromkeys(name for name in self.decides if name not in left)
        for tag in tags:
            sets |= {name: value for name, value in self.values.get(tag, {}).items() if name not in left}
        for each in classes:
            sets |= each.gives
            sets |= dict.fromkeys(each.drops)
        for each in (each for each in self.together if set(each.tags) <= set(tags)):
            sets |= {**each.gives, **dict.fromkeys(each.drops)}
        return Facts(upos, sets=sets, lemma=lemma)

    def readings(self, analyses: Analyses) -> tuple[Facts, ...]:
        """Return what each reading says, alternatives apart."""
        found: dict[tuple[object, ...], Facts] = {}
        for lemma, text in analyses:
            parts = [tag for tag in re.split(self.between, text) if tag]
            for tags in product(*(tag.split(self.either) if self.either else [tag] for tag in parts)):
                fact = self.reading(lemma, tags)
                if fact:
                    found.setdefault((*fact.key, lemma), fact)
        return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Readings(Facts):
    """Facts of which one holds: a label is corrected by the reading that changes least of it."""

    each: tuple[Facts, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """What decides the correction of labels, to be looked up."""
        return tuple(fact.key for fact in self.each)

    def correct(self, upos: str, values: Mapping[str, str]) -> Label | None:
        """Return a corrected label; ``None`` if no reading allows its part of speech."""
        nearest = self._nearest(upos, values)
        return nearest.correct(upos, values) if nearest else None

    def lemma_of(self, upos: str, values: Mapping[str, str]) -> str | None:
        """Return the lemma of the reading that a label is of."""
        nearest = self._nearest(upos, values)
        return nearest.lemma if nearest else None

    def _nearest(self, upos: str, values: Mapping[str, str]) -> Facts | None:
        def changes(fact: Facts) -> int:
            """Return how many features a reading would change."""
            return sum(values.get(name) != value for name, value in fact.sets.items())

        return min((fact for fact in self.each if upos in fact.upos), key=changes, default=None)


class Dictionary:
    """Looks forms up.

    Raises:
        MissingModelError: its library is not installed (E085).
    """

    def __init__(self, table: TagTable) -> None:
        if find_spec(table.analyser) is None:
            raise MissingModelError(
                Fault(
                    "E085", f"the dictionary “{table.analyser}” is missing", f"install it: pip install {table.analyser}"
                )
            )
        self._table = table
        self._analyse = _ANALYSERS[table.analyser]()
        self._known: dict[str, Facts | None] = {}

    def facts(self, form: str, *, opens: bool = False) -> Facts | None:
        """Return what a form may be; ``None`` if the dictionary does not have it.

        Args:
            opens: whether it opens a sentence, so that its capital says nothing.
        """
        small = form.lower()
        if opens and small != form and self._look_up(small):
            return self._look_up(small)
        return self._look_up(form)

    def _look_up(self, form: str) -> Facts | None:
        """Look up a form as it is written: one in lower case is no name."""
        if form not in self._known:
            each = self._table.readings(self.analyses(form))
            self._known[form] = Readings(each=each) if each else None
        return self._known[form]

    def analyses(self, form: str) -> Analyses:
        """Return lemma and tag of each reading of a form as it is written; there may be none."""
        analyses = self._analyse(form) if any(map(str.isalpha, form)) else iter(())
        return [(lemma, tag) for lemma, tag in analyses if not (form.islower() and lemma[:1].isupper())]


def _morfeusz() -> Callable[[str], Iterator[tuple[str, str]]]:
    """Return the readings of Morfeusz in which a form is one word, endings of persons included."""
    analyser = __import__("morfeusz2").Morfeusz(praet="composite")

    def analyse(form: str) -> Iterator[tuple[str, str]]:
        """Yield the lemma and the tag of each reading of a form."""
        rows = cast("list[tuple[int, int, tuple[str, str, str, list[str], list[str]]]]", analyser.analyse(form))
        last = max(end for _, end, _ in rows)
        for start, end, (_, lemma, tag, _, _) in rows:
            if (start, end) == (0, last) and tag != "ign":
                yield lemma.partition(":")[0], tag

    return analyse


def _pymorphy() -> Callable[[str], Iterator[tuple[str, str]]]:
    """Return the readings of pymorphy3's dictionary, without guesses."""
    analyser = _russian()

    def analyse(form: str) -> Iterator[tuple[str, str]]:
        """Yield the lemma and the tag of each reading of a form."""
        for parse in analyser.parse(form):
            if parse.is_known:
                yield str(parse.normal_form), str(parse.tag)

    return analyse


@cache
def _russian() -> Any:
    return __import__("pymorphy3").MorphAnalyzer()


_ANALYSERS: dict[str, Callable[[], Callable[[str], Iterator[tuple[str, str]]]]] = {
    "morfeusz2": _morfeusz,
    "pymorphy3": _pymorphy,
}
