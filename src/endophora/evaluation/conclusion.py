"""What an evaluation says, in one to three sentences made of its figures: the first thing that a report shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from endophora.evaluation.result import Column, Comparison, Result, points, title
from endophora.judgments.judging import rests_on
from endophora.judgments.records import VERDICTS
from endophora.statistics.units import FEWEST_DOCUMENTS

_NAMED = 3
"""So many systems are named in a sentence; of more, the first ones and their number."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A column whose systems are compared: their figures as shown, and whom the test found to differ, weakest first.

    ``few``: systems that are not compared, since too little of them was judged.
    """

    column: Column
    size: str
    figures: dict[str, float]
    baseline: str
    worse: tuple[str, ...]
    better: tuple[str, ...]
    few: tuple[str, ...]


def conclude(result: Result) -> list[str]:
    """Return what the figures of a result say, a sentence each.

    First who is significantly worse or better than the baseline, and in what; then in what nobody is, of two systems
    with the smallest difference that would show; then what rests on too few words, and which systems were left out of
    a column for that. Of text metrics only where no phenomenon is measured. Of one system: what it does best and worst.
    Without systems: how many words were found.
    """
    if not result.corpus.systems:
        return _counted(result)
    kind = "phenomenon" if any(column.kind == "phenomenon" for column in result.columns) else "text"
    columns = [column for column in result.columns if column.kind == kind]
    if len(result.corpus.systems) == 1:
        few = [column for column in columns if not column.enough]
        return [*_alone(result, [column for column in columns if column.enough]), *_too_few(few, [], result)]
    told = [one for column in columns if (one := _told(column, result)) is not None]
    found = [one for one in told if one.worse or one.better]
    same = [one for one in told if one not in found]
    compared = {one.column.name for one in told}
    few = [column for column in columns if not column.enough and column.name not in compared]
    return [*_differing(found, result), *_same(same, result), *_too_few(few, told, result)]


def join(names: Sequence[str], last: str = "and") -> str:
    """Return names as a list in a sentence, ``a, b and c``."""
    return f" {last} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _counted(result: Result) -> list[str]:
    found = [one for one in result.phenomena if one.occurrences]
    if not result.phenomena:
        return []
    if not found:
        return [f"No word that needs context was found in {_segments(result)}."]
    found.sort(key=lambda one: -one.occurrences)
    parts = [f"{title(one.name)} {one.occurrences:,}" for one in found]
    total = sum(one.occurrences for one in found)
    return [f"{_number(total, 'occurrence')} in {_segments(result)}: {join(parts)}."]


def _alone(result: Result, columns: Sequence[Column]) -> list[str]:
    """Say what the only system does best and worst; metrics, whose scales differ, are named one by one."""
    system = result.corpus.systems[0]
    valued = [(figure, column) for column in columns if (figure := _figures(column, result).get(system)) is not None]
    if not valued:
        return []
    if valued[0][1].kind == "text" or len(valued) == 1:
        said = join([f"{figure:.1f} in {_titled(column, result)}" for figure, column in valued])
        return [f"{system} has {said}; there is no other system to compare it with."]
    valued.sort(key=lambda pair: -pair[0])
    strong, weak = (f"{_titled(column, result, f'{figure:.1f}')}" for figure, column in (valued[0], valued[-1]))
    return [f"{system} is strongest in {strong} and weakest in {weak}; there is no other system to compare it with."]


def _told(column: Column, result: Result) -> _Told | None:
    compared = [one for one in result.comparisons if one.column == column.name]
    if not compared:
        return None
    sign = 1 if column.higher_is_better else -1
    compared.sort(key=lambda one: sign * one.difference)
    baseline = compared[0].baseline
    named = {baseline, *(one.system for one in compared)}
    figures = {system: value for system, value in _figures(column, result).items() if system in named}
    few = () if column.enough else tuple(system for system in result.corpus.systems if system not in named)
    worse = tuple(one.system for one in compared if _differs(one) and sign * one.difference < 0)
    better = tuple(one.system for one in compared[::-1] if _differs(one) and sign * one.difference > 0)
    return _Told(column, _size(column, result), figures, baseline, worse, better, few)


def _differs(one: Comparison) -> bool:
    return one.significant and one.difference != 0


def _differing(found: Sequence[_Told], result: Result) -> list[str]:
    """Say who differs from the baseline, columns together in which it is the same systems."""
    others = len(result.corpus.systems) - 1
    together: dict[tuple[bool, str, tuple[str, ...]], list[_Told]] = {}
    for one in found:
        for good, systems in ((False, one.worse), (True, one.better)):
            if systems:
                together.setdefault((good, one.baseline, systems), []).append(one)
    clauses = [
        f"{_some(systems, others)} {'is' if len(systems) == 1 else 'are'} significantly "
        f"{'better' if good else 'worse'} than {_whom(baseline, columns, result)} "
        f"in {join([_against(one, systems) for one in columns])}"
        for (good, baseline, systems), columns in together.items()
    ]
    return [f"{'; '.join(clauses)}."] if clauses else []


def _whom(baseline: str, columns: Sequence[_Told], result: Result) -> str:
    """Return the name of the baseline; where it is the best of the column, with those that have the same figure."""
    if result.settings.baseline != "best" or len(result.corpus.systems) == 2:
        return baseline
    top = (
        {system for system, value in one.figures.items() if value == one.figures.get(baseline)} - {baseline}
        for one in columns
    )
    same = sorted(set[str].intersection(*top))
    return f"the best, {baseline}{f' (level with {_some(same, 0)})' if same else ''},"


def _against(one: _Told, systems: Sequence[str]) -> str:
    """Return a column with the figures of systems against the baseline's, ``formality (2.1–50.0 against 95.2, …)``."""
    values = [one.figures[system] for system in systems if system in one.figures]
    if not values or one.baseline not in one.figures:
        return f"{title(one.column.name)}{one.size and f' ({one.size})'}"
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    span = low if low == high else f"{low}–{high}"
    figures = f"{span} against {one.figures[one.baseline]:.1f}"
    return f"{title(one.column.name)} ({', '.join(filter(None, (figures, one.size)))})"


def _same(told: Sequence[_Told], result: Result) -> list[str]:
    """Say in what nobody differs significantly, and of two systems, from what size on a difference would show."""
    if not told:
        return []
    names = join([f"{title(one.column.name)}{one.size and f' ({one.size})'}" for one in told], "or")
    # Of more systems each pair has a smallest difference of its own.
    pair = told if len(result.corpus.systems) == 2 else ()
    sized = [(one.column, found.difference) for one in pair if (found := one.column.detectable) is not None]
    shown = [(column, f"{points(size, column):.1f}") for column, size in sized if size is not None]
    could = [(title(column.name), size) for column, size in shown if float(size) > 0]
    never = [title(column.name) for column, size in sized if size is None]
    where = "there" if len(told) == len(could) else f"in {join([name for name, _ in could])}"
    said = [f"only differences of {join([size for _, size in could])} points or more would show {where}"] * bool(could)
    said += [f"no difference of any size would show in {join(never, 'or')}"] * bool(never)
    return [f"No significant difference in {names}{': ' if said else ''}{', and '.join(said)}."]


def _too_few(few: Sequence[Column], told: Sequence[_Told], result: Result) -> list[str]:
    """Say what rests on too few words or documents, how much text like this would do, and who is not compared in what.

    Where some systems are compared in a column, only the others are named.
    """
    scattered = [column for column in few if _fewest(column, result)[0] >= result.settings.minimum]
    words = [column for column in few if column not in scattered]
    clauses: list[str] = []
    if words:
        rest = "rest" if _are_many(words) else "rests"
        clauses.append(f"{_judged(words, result)} {rest} on too few words to compare systems")
        clauses += _needed(words)
    if scattered:
        lie = "lie" if _are_many(scattered) else "lies"
        sizes = {column.documents for column in scattered}
        size = sizes.pop() if len(sizes) == 1 else None
        # Of the system that has most: where even that is enough, it is another that has too few.
        shown = f"{size:,}; " if size is not None and size < FEWEST_DOCUMENTS else ""
        clauses.append(
            f"{_judged(scattered, result)} {lie} in too few documents ({shown}{FEWEST_DOCUMENTS} are needed)"
        )
        clauses += _needed(scattered)
    said = "; ".join([*clauses, *_left_out(told, result)])
    return [f"{said[:1].upper() if clauses else said[:1]}{said[1:]}."] if said else []


def _are_many(columns: Sequence[Column]) -> bool:
    """Return whether a verb after the names of columns is plural: *pronouns rest*, *ellipsis rests*."""
    return len(columns) > 1 or (columns[0].name.endswith("s") and not columns[0].name.endswith("sis"))


def _judged(columns: Sequence[Column], result: Result, systems: Collection[str] = ()) -> str:
    return join([f"{title(column.name)} ({_resting(column, result, systems)})" for column in columns])


def _resting(column: Column, result: Result, systems: Collection[str]) -> str:
    """Return how many words are judged, and where they would be enough, on how many of them the figure rests."""
    rests, judged = _fewest(column, result, systems)
    few = rests < result.settings.minimum <= judged
    return f"{judged:,} judged{f', its figure rests on {rests:,}' if few else ''}"


def _needed(few: Sequence[Column]) -> list[str]:
    needed = [column.needed for column in few if column.needed]
    if len(needed) < len(few):
        return []
    return [f"{join([f'{size:,}' for size in dict.fromkeys(needed)])} segments like these would be enough"]


def _left_out(told: Sequence[_Told], result: Result) -> list[str]:
    """Say which systems are not compared in columns in which others are."""
    together: dict[tuple[tuple[str, ...], str], list[Column]] = {}
    for one in told:
        if one.few:
            words = _fewest(one.column, result, one.few)[0] < result.settings.minimum
            together.setdefault((one.few, "words" if words else "documents"), []).append(one.column)
    return [
        f"{_some(systems, 0)} {'has' if len(systems) == 1 else 'have'} too few {what} to be compared "
        f"in {_judged(columns, result, systems)}"
        for (systems, what), columns in together.items()
    ]


def _fewest(column: Column, result: Result, systems: Collection[str] = ()) -> tuple[int, int]:
    """Return on how many words a figure rests, and how many are judged, of the system, of some or all, with fewest."""
    sizes = [
        (
            int(rests_on(np.array([score.counts.get(verdict, 0) for verdict in VERDICTS], float))),
            sum(score.counts.values()),
        )
        for score in result.scores
        if score.column == column.name and score.counts and (not systems or score.system in systems)
    ]
    judged = column.occurrences or 0
    return min(sizes, default=(judged, judged))


def _figures(column: Column, result: Result) -> dict[str, float]:
    """Return the figure of each system in points of 100, as far as it is shown."""
    return {
        score.system: round(points(score.value, column), 1)
        for score in result.scores
        if score.column == column.name and score.value is not None
    }


def _size(column: Column, result: Result) -> str:
    """Return on how many words the figures of a phenomenon rest; empty of a text metric."""
    size = result.words(column)
    return "" if size is None else f"{size:,} {'words' if column.occurrences is None else 'judged'}"


def _titled(column: Column, result: Result, figure: str = "") -> str:
    inside = ", ".join(filter(None, (figure, _size(column, result))))
    return title(column.name) + (f" ({inside})" if inside else "")


def _some(systems: Sequence[str], others: int) -> str:
    """Return the names of systems; of more than :data:`_NAMED` the first ones, and how many of all there are."""
    if len(systems) <= _NAMED + 1:
        return join(systems)
    of = f" of the {others:,} others" if others else ""
    return f"{len(systems):,}{of} ({', '.join(systems[:_NAMED])}, …)"


def _segments(result: Result) -> str:
    return _number(result.corpus.segments, "segment")


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
