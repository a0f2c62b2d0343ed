"""Thematic analysis: parts of speech, vocabulary items and single words by P-CXMI, for a person to read (MuDA, §3).

The paper finds the phenomena that need context by looking at these three views one after the other. Here every group
and every item comes with the words that have the highest P-CXMI in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from pydantic import ValidationError

from endophora.context.cxmi import CxmiOptions, compute_items, tag_groups
from endophora.context.pointwise import SEGMENTS, ContextCondition, Pointwise, read_segments
from endophora.context.results import CxmiResult, GroupFigure, ItemFigure
from endophora.errors import Fault, InputError
from endophora.models.records import Sides
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
class WordPlace:
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

    Groups and items have the result's least number of words; ``few`` groups have fewer, and are left out.
    Of ``tokens`` the first ``top`` are the highest of all words; the others are there for a row of a view.
    """

    result: CxmiResult
    condition: ContextCondition
    row: int
    measured: Sequence[Pointwise]
    groups: tuple[Theme, ...]
    items: tuple[Theme, ...]
    tokens: tuple[WordPlace, ...]
    top: int
    limits: Limits
    few: int = 0


def read_measurement(directory: Path) -> tuple[CxmiResult, list[Pointwise]]:
    """Read what ``context cxmi`` left in a directory; where there is no such result E317."""
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
    """Return the three views of a condition, by default the main one; one that was not measured is E317."""
    limit = limits or Limits()
    names = [one.name for one in result.conditions]
    name = result.settings.main if condition is None else condition
    if name not in names:
        raise InputError(Fault("E317", f"“{name}” was not measured", f"choose {', '.join(names)}", "--condition"))
    row = names.index(name)
    chosen = ContextCondition(Sides(result.conditions[row].sides), result.conditions[row].size)
    found = [one for one in result.groups if one.condition == name and one.kind != "all"]
    groups = [one for one in found if one.count >= result.settings.minimum]
    items = _items(result, measured, chosen, limit)
    # All words by falling P-CXMI; equal ones in the order of the text.
    ranked = [WordPlace(number, word) for number, one in enumerate(measured) for word in range(len(one.sample.words))]
    ranked.sort(key=lambda place: -measured[place.sample].words[row, place.word])
    of_groups: dict[str, list[int]] = {one.group: [] for one in groups}
    of_items: dict[str, list[int]] = {one.item: [] for one in items}
    for rank, place in enumerate(ranked):
        word = measured[place.sample].sample.words[place.word]
        item = word.lemma if result.settings.item == "lemma" else word.form
        for rows, name, most in (
            *((of_groups, name, limit.of_group) for name in (*word.labels, *tag_groups(word))),
            (of_items, item, limit.of_item),
        ):
            if name in rows and len(rows[name]) < most:
                rows[name].append(rank)
    top = min(limit.tokens, len(ranked))
    kept = sorted({*range(top), *chain(*of_groups.values(), *of_items.values())})
    numbers = {rank: number for number, rank in enumerate(kept)}

    def theme(figure: GroupFigure | ItemFigure, ranks: list[int]) -> Theme:
        return Theme(figure, tuple(numbers[rank] for rank in ranks))

    return Themes(
        result=result,
        condition=chosen,
        row=row,
        measured=measured,
        groups=tuple(theme(one, of_groups[one.group]) for one in groups),
        items=tuple(theme(one, of_items[one.item]) for one in items),
        tokens=tuple(ranked[rank] for rank in kept),
        top=top,
        limits=limit,
        few=len(found) - len(groups),
    )


def _items(
    result: CxmiResult, measured: Sequence[Pointwise], condition: ContextCondition, limits: Limits
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
