"""Thematic analysis: parts of speech, vocabulary items and single words by P-CXMI, for a person to read (MuDA, §3).

The paper finds the phenomena that need context by looking at these three views one after the other. Here every group
and every item comes with the words that have the highest P-CXMI in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from endophora.context.cxmi import CxmiOptions, compute_items, tag_groups
from endophora.context.pointwise import SEGMENTS, Condition, Pointwise, read_segments
from endophora.context.results import CxmiResult, GroupFigure, ItemFigure
from endophora.context.samples import Word
from endophora.errors import Fault, InputError
from endophora.models.documents import Sides
from endophora.options import option
from endophora.statistics.units import choose_units


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a page holds, so that a browser opens it: the words with the highest P-CXMI, of each view."""

    tokens: int = option(300, least=1, help="Words with the highest P-CXMI.")
    items: int = option(200, least=1, help="Vocabulary items.")
    of_group: int = option(30, least=1, help="Words of each group.")
    of_item: int = option(10, least=1, help="Words of each vocabulary item.")


@dataclass(frozen=True, slots=True)
class Place:
    """A word: its sample and its number in it."""

    sample: int
    word: int


@dataclass(frozen=True, slots=True)
class Theme:
    """A row of a view, with its words by falling P-CXMI, as numbers of :attr:`Themes.tokens`."""

    figure: GroupFigure | ItemFigure
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Themes:
    """The three views of one condition.

    Attributes:
        top: how many of them, from the first, are the highest of all words; others stand there for their row's sake.
    """

    result: CxmiResult
    condition: Condition
    row: int
    measured: Sequence[Pointwise]
    groups: tuple[Theme, ...]
    items: tuple[Theme, ...]
    tokens: tuple[Place, ...]
    top: int
    limits: Limits


def read_measurement(directory: Path) -> tuple[CxmiResult, list[Pointwise]]:
    """Read what ``context cxmi`` left in a directory.

    Raises: InputError: there is no such result (E317), or P-CXMI of its words is not there, faulty, or of another
        result (E001–E007, E310, E312, E315).
    """
    path = directory / "result.json"
    try:
        result = CxmiResult.read(path)
    except (OSError, ValidationError) as error:
        cause = "there is no result of CXMI" if isinstance(error, OSError) else "this is no result of CXMI"
        raise InputError(Fault("E317", cause, "run: endophora context cxmi --output DIR", str(path))) from error
    return result, read_segments(directory / SEGMENTS, len(result.conditions))


def make_themes(
    result: CxmiResult, measured: Sequence[Pointwise], condition: str | None = None, limits: Limits | None = None
) -> Themes:
    """Return the three views.

    Args:
        condition: name of the one to look at; by default the main one.

    Raises: InputError: the result has no such condition (E317).
    """
    limit = limits or Limits()
    names = [one.name for one in result.conditions]
    name = result.settings.main if condition is None else condition
    if name not in names:
        raise InputError(Fault("E317", f"“{name}” was not measured", f"choose {', '.join(names)}", "--condition"))
    row = names.index(name)
    chosen = Condition(Sides(result.conditions[row].sides), result.conditions[row].size)
    groups = [one for one in result.groups if one.condition == name and one.kind != "all"]
    items = _items(result, measured, chosen, limit)
    ranked = _ranked(measured, row)
    members = _Members(groups, items, result.settings.item, limit)
    for rank, place in enumerate(ranked):
        members.add(rank, measured[place.sample].sample.words[place.word])
    top = min(limit.tokens, len(ranked))
    kept = sorted({*range(top), *members.ranks()})
    numbers = {rank: number for number, rank in enumerate(kept)}
    return Themes(
        result=result,
        condition=chosen,
        row=row,
        measured=measured,
        groups=tuple(Theme(one, _numbered(members.groups[one.group], numbers)) for one in groups),
        items=tuple(Theme(one, _numbered(members.items[one.item], numbers)) for one in items),
        tokens=tuple(ranked[rank] for rank in kept),
        top=top,
        limits=limit,
    )


class _Members:
    """The ranks of the first words of each row."""

    def __init__(self, groups: Sequence[GroupFigure], items: Sequence[ItemFigure], item: str, limits: Limits) -> None:
        self.groups: dict[str, list[int]] = {one.group: [] for one in groups}
        self.items: dict[str, list[int]] = {one.item: [] for one in items}
        self._item = item
        self._limits = limits

    def add(self, rank: int, word: Word) -> None:
        """Note a word in its rows; words come by rank."""
        for name in (*word.labels, *tag_groups(word)):
            _append(self.groups, name, rank, self._limits.of_group)
        _append(self.items, word.lemma if self._item == "lemma" else word.form, rank, self._limits.of_item)

    def ranks(self) -> set[int]:
        """Return the ranks of all words noted."""
        return {rank for ranks in (*self.groups.values(), *self.items.values()) for rank in ranks}


def _append(rows: dict[str, list[int]], name: str, rank: int, most: int) -> None:
    if name in rows and len(rows[name]) < most:
        rows[name].append(rank)


def _numbered(ranks: Sequence[int], numbers: dict[int, int]) -> tuple[int, ...]:
    return tuple(numbers[rank] for rank in ranks)


def _ranked(measured: Sequence[Pointwise], row: int) -> list[Place]:
    """Return all words by falling P-CXMI; equal ones in the order of the text."""
    places = [Place(number, word) for number, one in enumerate(measured) for word in range(len(one.sample.words))]
    return sorted(places, key=lambda place: -measured[place.sample].words[row, place.word])


def _items(
    result: CxmiResult, measured: Sequence[Pointwise], condition: Condition, limits: Limits
) -> Sequence[ItemFigure]:
    """Return the items of a condition: those of the result, or computed again for another condition."""
    settings = result.settings
    if condition.name == settings.main:
        return result.items[: limits.items]
    options = CxmiOptions(
        sides=tuple(dict.fromkeys(Sides(one.sides) for one in result.conditions)),
        size=max(one.size for one in result.conditions),
        item=settings.item,
        minimum=settings.minimum,
        pseudo_count=None if result.shrinkage.estimated else result.shrinkage.pseudo_count,
        items=limits.items,
        units=settings.units,
        resamples=settings.resamples,
        confidence=settings.confidence,
        seed=settings.seed,
    )
    units = choose_units([one.sample.document for one in measured], settings.units)
    return compute_items(measured, units, options, condition)[0]
