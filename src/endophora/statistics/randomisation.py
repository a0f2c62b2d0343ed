"""Paired approximate randomisation (Noreen, 1989; Riezler & Maxwell, 2005).

If two systems do not differ, it does not matter which of them wrote a document: swap their outputs at random, unit by
unit, and see how often the difference is as large as the one observed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError
from endophora.statistics.units import BLOCK, Baseline, FloatArray, Kind, Score, Units, at_least, baseline_index

DRAW = 1 << 26
"""Truth values drawn at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Randomisation:
    """p-values of a two-sided test; arrays are (systems, …), where … is what the metric yields, such as tags.

    Attributes:
        scores: of the corpus as it is; NaN where undefined.
        p_values: of each difference; NaN for the baseline itself and where undefined.
    """

    scores: FloatArray
    differences: FloatArray
    p_values: FloatArray
    baseline: Baseline
    trials: int
    exact: bool
    seed: int
    units: Kind
    warnings: tuple[str, ...]


def randomise(
    statistics: FloatArray,
    score: Score,
    units: Units,
    *,
    baseline: Baseline = 0,
    trials: int = 10_000,
    seed: int = 12345,
    alone: Callable[[Sequence[int]], Score] | None = None,
) -> Randomisation:
    """Compare every system with the baseline by swapping their outputs.

    The p-value is the share of trials, (c + 1) / (n + 1), whose difference reaches the one observed, as in sacreBLEU,
    where however a tie does not count. With so few units that all ways of swapping are within the trials asked for, all
    are tried once, and the p-value is their plain share.

    Args:
        statistics: (systems, rows, …, columns).
        score: (…, columns) → (…), NaN where undefined; trials where it is undefined are left out.
        alone: columns → what scores these alone, where that is less work than to score them all: columns with another
            baseline are another test.

    Raises: InputError (E074, E075, E076).
    """
    if trials < 1:
        raise InputError(Fault("E075", f"{trials} trials are asked for", "ask for at least 1; 10000 is usual"))
    of_baseline = baseline_index(statistics, baseline)
    sums = np.moveaxis(units.sums(statistics), 1, 0)
    observed = score(sums.sum(axis=0))
    differences = observed - observed[of_baseline]
    exact = units.count < 63 and 2**units.count <= trials
    reached = np.zeros(differences.shape)
    defined = np.zeros(differences.shape)
    for other, columns in _tests(baseline):
        chosen = score if columns is None else _alone(score, alone, columns)
        where = ... if columns is None else (..., columns)
        draws = _moved(sums, other, trials, seed, exact)
        tested = _count(chosen, sums.sum(axis=0), other, draws, differences[where], observed[where])
        reached[where], defined[where] = tested
    drawn = 0 if exact else 1
    undefined = np.isnan(differences) | (defined == 0)
    p_values = np.where(undefined, np.nan, (reached + drawn) / np.maximum(defined + drawn, 1))
    p_values[of_baseline] = np.nan
    if units.count < 2:
        p_values[...] = np.nan
    return Randomisation(
        scores=observed,
        differences=differences,
        p_values=p_values,
        baseline=baseline,
        trials=2**units.count if exact else trials,
        exact=exact,
        seed=seed,
        units=units.kind,
        warnings=units.warnings,
    )


def _tests(baseline: Baseline) -> Iterator[tuple[int, list[int] | None]]:
    """Yield every baseline and the columns that have it; ``None`` for whatever the score yields."""
    if isinstance(baseline, int):
        yield baseline, None
        return
    for each in dict.fromkeys(baseline):
        yield each, [column for column, other in enumerate(baseline) if other == each]


def _alone(score: Score, alone: Callable[[Sequence[int]], Score] | None, columns: Sequence[int]) -> Score:
    return alone(columns) if alone is not None else lambda sums: score(sums)[..., columns]


def _count(
    score: Score,
    totals: FloatArray,
    baseline: int,
    draws: Iterable[FloatArray],
    differences: FloatArray,
    scale: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return in how many trials the difference is reached, and in how many there is one, both (systems, …)."""
    reached, defined = np.zeros(differences.shape), np.zeros(differences.shape)
    for moved in draws:
        changes = np.abs(score(totals - moved) - score(totals[baseline] + moved))
        reached += np.sum(at_least(changes, np.abs(differences), np.abs(scale)), axis=0)
        defined += np.sum(~np.isnan(changes), axis=0)
    return reached, defined


def _moved(sums: FloatArray, baseline: int, trials: int, seed: int, exact: bool) -> Iterator[FloatArray]:
    """Yield in blocks what each trial's swaps move from a system to the baseline.

    (units, systems, …, columns) → (block, systems, …, columns)
    """
    units, shape = len(sums), sums.shape[1:]
    surplus = (sums - sums[:, baseline : baseline + 1]).reshape(units, int(np.prod(shape)))
    rows = max(1, BLOCK // max(units, surplus.shape[1], 1))
    selections = _all_selections(units) if exact else _drawn_selections(units, trials, seed)
    for selection in selections:
        for start in range(0, len(selection), rows):
            block = selection[start : start + rows].astype(np.float64)
            yield (block @ surplus).reshape(len(block), *shape)


def _drawn_selections(units: int, trials: int, seed: int) -> Iterator[npt.NDArray[np.bool_]]:
    generator = np.random.default_rng(seed)
    rows = max(1, DRAW // max(units, 1))
    for start in range(0, trials, rows):
        yield generator.integers(2, size=(min(rows, trials - start), units), dtype=np.bool_)


def _all_selections(units: int) -> Iterator[npt.NDArray[np.bool_]]:
    numbers: npt.NDArray[np.int64] = np.arange(2**units, dtype=np.int64)[:, np.newaxis]
    yield (numbers >> np.arange(units)) % 2 == 1
