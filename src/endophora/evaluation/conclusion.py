"""What an evaluation says, in one to three sentences made of its figures: the first thing that a report shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from endophora.evaluation.result import Column, Comparison, Result, points, title

_NAMED = 3
"""So many systems are named in a sentence; of more, the first ones and their number."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A column whose systems are compared: the figures as shown, and whom the test found to differ, weakest first."""

    column: Column
    size: str
    figures: dict[str, float]
    baseline: str
    worse: tuple[str, ...]
    better: tuple[str, ...]


def conclude(result: Result) -> list[str]:
    """Return what the figures of a result say, a sentence each.

    First who is significantly worse or better than the baseline, and in what; then in what nobody is, with the smallest
    difference that could have been told; then what rests on too few words. Of text metrics only where no phenomenon is
    measured. Of one system: what it does best and worst. Without systems: how many words were found.
    """
    if not result.corpus.systems:
        return _counted(result)
    kind = "phenomenon" if any(column.kind == "phenomenon" for column in result.columns) else "text"
    columns = [column for column in result.columns if column.kind == kind]
    few = [column for column in columns if not column.enough]
    if len(result.corpus.systems) == 1:
        return [*_alone(result, [column for column in columns if column.enough]), *_too_few(few)]
    told = [one for column in columns if (one := _told(column, result)) is not None]
    found = [one for one in told if one.worse or one.better]
    return [*_differing(found, result), *_same([one for one in told if one not in found]), *_too_few(few)]


def join(names: Sequence[str], last: str = "and") -> str:
    """Return names as a list in a sentence, ``a, b and c``."""
    return f" {last} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _counted(result: Result) -> list[str]:
    found = [one for one in result.phenomena if one.occurrences]
    if not result.phenomena:
        return []
    if not found:
        return [f"No word that needs context was found in {result.corpus.segments:,} segments."]
    found.sort(key=lambda one: -one.occurrences)
    parts = [f"{title(one.name)} {one.occurrences:,}" for one in found]
    total = sum(one.occurrences for one in found)
    return [f"{_number(total, 'occurrence')} in {result.corpus.segments:,} segments: {join(parts)}."]


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
    if not column.enough or not compared:
        return None
    sign = 1 if column.higher_is_better else -1
    compared.sort(key=lambda one: sign * one.difference)
    size, figures = _size(column, result), _figures(column, result)
    worse = tuple(one.system for one in compared if _differs(one) and sign * one.difference < 0)
    better = tuple(one.system for one in compared[::-1] if _differs(one) and sign * one.difference > 0)
    return _Told(column, size, figures, compared[0].baseline, worse, better)


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


def _same(told: Sequence[_Told]) -> list[str]:
    """Say in what nobody differs significantly, and from what size on a difference could have been told."""
    if not told:
        return []
    sized = [(one, found.difference) for one in told if (found := one.column.detectable) is not None]
    names = join([f"{title(one.column.name)}{one.size and f' ({one.size})'}" for one in told], "or")
    could = [(one, size) for one, size in sized if size is not None]
    could_not = [title(one.column.name) for one, size in sized if size is None]
    said = [
        f"differences under {join([f'{points(size, one.column):.1f}' for one, size in could])} points cannot be told"
        f"{' there' if len(told) == len(could) else f' in {join([title(one.column.name) for one, _ in could])}'}"
    ] * bool(could)
    said += [f"no difference of any size could be told in {join(could_not, 'or')}"] * bool(could_not)
    return [f"No significant difference in {names}{': ' if said else ''}{', and '.join(said)}."]


def _too_few(few: Sequence[Column]) -> list[str]:
    """Say what rests on too few words, and how much text like this would do."""
    if not few:
        return []
    names = join([f"{title(column.name)} ({column.occurrences or 0:,} judged)" for column in few])
    needed = [f"{column.needed:,}" for column in few if column.needed]
    rest = "rests" if len(few) == 1 else "rest"
    more = f"; {join(needed)} segments like these would be enough" if len(needed) == len(few) else ""
    return [f"{names[:1].upper()}{names[1:]} {rest} on too few words to compare systems{more}."]


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


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
