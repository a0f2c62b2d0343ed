"""Rankings of systems by BlonDe beside those by other metrics, as in research/notes/blonde-wmt24.md, from result files.

endophora evaluate -i wmt24 -l en-de -r refA -p none -m bleu -m chrf -m blonde -o out/en-de
python benchmarks/blonde_rankings.py out/en-de/result.json
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import stats

from endophora.evaluation.result import Result

FloatArray = npt.NDArray[np.float64]

BLONDE = "BlonDe"
DISCOURSE = "BlonD-d"
WORST = 0.6
"""Systems below this share of the best system's score are left out of the line that relates two metrics."""
MOVED = 2
"""A system stands elsewhere in a ranking if it is so many ranks away."""


def values(result: Result, column: str) -> FloatArray:
    """Return the score of every system in a column, (systems,); NaN where there is none."""
    found = [result.score(column, system).value for system in result.corpus.systems]
    return np.array([np.nan if value is None else value for value in found])


def ranks(result: Result, column: str) -> list[int]:
    """Return the rank of every system, 1 for the best; equal scores have equal ranks."""
    up = next(one.higher_is_better for one in result.columns if one.name == column)
    scores = values(result, column) * (1 if up else -1)
    return stats.rankdata(-scores, method="min").astype(int).tolist()


def categories(result: Result) -> list[str]:
    """Return the columns of BlonDe's categories."""
    return [c.name for c in result.columns if c.metric == BLONDE and c.name != DISCOURSE]


def residuals(result: Result, other: str) -> FloatArray:
    """Return by how much each category lifts BlonDe above what another metric lets expect, in per cent.

    For each category the logarithm of the score is fitted by that of the other metric over the systems (least squares).
    What a system has above the line, divided by the number of categories, is what the category adds to BlonDe, which
    is nearly the geometric mean of its categories.

    Returns:
        (categories, systems), NaN for systems below ``WORST`` of the best, which the line does not fit.
    """
    scores = values(result, other)
    near = scores >= WORST * np.nanmax(scores)
    names = categories(result)
    found = np.full((len(names), len(scores)), np.nan)
    for row, name in enumerate(names):
        known = np.log(values(result, name)[near])
        slope, level = np.polyfit(np.log(scores[near]), known, 1)
        found[row, near] = known - slope * np.log(scores[near]) - level
    return 100 * found / len(names)


def signed(value: float, unit: str = "") -> str:
    """Return a figure with its sign, a dash where there is none."""
    return "–" if np.isnan(value) else f"{value:+.1f}{unit}".replace("-", "−")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table in Markdown."""
    print(f"| {' | '.join(head)} |")
    print("|---" * len(head) + "|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print()


def rankings(result: Result, metrics: Sequence[str]) -> None:
    """Print the score and rank of every system in every metric, the best by BlonDe first."""
    places = {name: ranks(result, name) for name in metrics}
    rows: list[list[str]] = []
    for index in sorted(range(len(result.corpus.systems)), key=lambda index: places[BLONDE][index]):
        system = result.corpus.systems[index]
        cells = [system]
        for name in metrics:
            score = result.score(name, system)
            bounds = f" [{score.interval.low:.1f}, {score.interval.high:.1f}]" if score.interval is not None else ""
            shown = "–" if score.value is None else f"{score.value:.1f}"
            cells.append(f"{shown}{bounds if name == BLONDE else ''} ({places[name][index]})")
        rows.append(cells)
    table(["system", *metrics], rows)


def agreement(result: Result, metrics: Sequence[str]) -> None:
    """Print how the metrics' scores of the systems correlate, of all and without the worst systems."""
    first = values(result, metrics[0])
    near = first >= WORST * np.nanmax(first)
    rows: list[list[str]] = []
    for one, other in combinations(metrics, 2):
        x, y = values(result, one), values(result, other)
        cells = [f"{one}, {other}"]
        for kept in (np.ones(len(x), dtype=bool), near):
            cells.append(f"{stats.pearsonr(x[kept], y[kept]).statistic:.3f}")
            cells.append(f"{stats.kendalltau(x[kept], y[kept]).statistic:.3f}")
        rows.append(cells)
    count = f"{int(near.sum())} systems"
    table(["", f"Pearson, {len(near)} systems", "Kendall", f"Pearson, {count}", "Kendall"], rows)


def moved(result: Result, other: str) -> None:
    """Print the systems that BlonDe ranks otherwise than another metric, and which category it is due to."""
    before, after = ranks(result, other), ranks(result, BLONDE)
    above = residuals(result, other)
    names = [name.removeprefix(f"{BLONDE} ") for name in categories(result)]
    orders = [index for index, name in enumerate(names) if name.endswith("-grams")]
    others = [index for index in range(len(names)) if index not in orders]
    rows = [
        [
            result.corpus.systems[index],
            f"{before[index]} → {after[index]}",
            signed(above[:, index].sum(), " %"),
            *(signed(above[row, index]) for row in others),
            signed(above[orders, index].sum()),
        ]
        for index in sorted(range(len(before)), key=lambda index: after[index] - before[index])
        if abs(after[index] - before[index]) >= MOVED
    ]
    print(f"Ranks by {other} and by BlonDe that are {MOVED} or more apart, and what BlonDe has beyond the line:\n")
    table(["system", "rank", "BlonDe", *(names[row] for row in others), "n-grams"], rows)


def main() -> None:
    """Print the tables of each result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path)
    for path in parser.parse_args().results:
        result = Result.read(path)
        metrics = [column.name for column in result.columns if column.kind == "text"]
        pair = f"{result.corpus.source_language}–{result.corpus.target_language}"
        print(f"### {pair}: {len(result.corpus.systems)} systems, {result.corpus.segments} segments\n")
        rankings(result, [*metrics, DISCOURSE])
        agreement(result, [*metrics, DISCOURSE])
        for other in metrics:
            if other != BLONDE:
                moved(result, other)


if __name__ == "__main__":
    main()
