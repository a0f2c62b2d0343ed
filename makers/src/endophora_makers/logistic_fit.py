"""Fits the two log-linear models of the ranker by L-BFGS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy.optimize as optimize
import scipy.sparse as sparse
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Instance:
    """One pronoun to learn from.

    Attributes:
        rows: features of each candidate, and last those of "outside".
        right: whether each is right; at least one is.
        weight: how much it counts.
    """

    rows: Sequence[Sequence[str]]
    right: Sequence[bool]
    weight: float = 1.0


def fit_choices(instances: Sequence[Instance], *, least: int = 4, penalty: float = 3.0) -> dict[str, float]:
    """Learn weights that maximise the log of the summed probability of the right candidates.

    Returns:
        Feature → weight.
    """
    rows = [row for instance in instances for row in instance.rows]
    names, matrix = _matrix(rows, least)
    sizes = np.array([len(instance.rows) for instance in instances])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    owner = np.repeat(np.arange(len(instances)), sizes)
    right = np.array([flag for instance in instances for flag in instance.right], dtype=float)
    counts = np.array([instance.weight for instance in instances])
    shares = counts[owner]

    def _objective(weights: Vector) -> tuple[float, Vector]:
        scores = matrix @ weights
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        whole = np.add.reduceat(powers, starts)
        good = np.add.reduceat(powers * right, starts) + 1e-30
        loss = float(counts @ (np.log(whole) - np.log(good)) + penalty / 2 * weights @ weights)
        return loss, matrix.T @ (shares * (powers / whole[owner] - powers * right / good[owner])) + penalty * weights

    return dict(zip(names, _minimise(_objective, len(names)), strict=True))


def fit_binary(
    rows: Sequence[Sequence[str]], right: Sequence[bool], *, least: int = 3, penalty: float = 3.0
) -> dict[str, float]:
    """Learn a logistic regression.

    Returns:
        Feature → weight.
    """
    names, matrix = _matrix(rows, least)
    truth = np.array(right, dtype=float)

    def _objective(weights: Vector) -> tuple[float, Vector]:
        scores = matrix @ weights
        loss = float(np.sum(np.logaddexp(0, scores) - truth * scores) + penalty / 2 * weights @ weights)
        return loss, matrix.T @ (1 / (1 + np.exp(-scores)) - truth) + penalty * weights

    return dict(zip(names, _minimise(_objective, len(names)), strict=True))


def _matrix(rows: Sequence[Sequence[str]], least: int) -> tuple[list[str], Any]:
    counts = Counter(feature for row in rows for feature in row)
    names = sorted(feature for feature, count in counts.items() if count >= least)
    column = {name: place for place, name in enumerate(names)}
    columns = [[column[feature] for feature in row if feature in column] for row in rows]
    ends = np.cumsum([0, *(len(row) for row in columns)])
    flat = np.array([place for row in columns for place in row], dtype=np.int64)
    shape = (len(rows), len(names))
    return names, cast("Any", sparse).csr_matrix((np.ones(len(flat)), flat, ends), shape=shape)


def _minimise(objective: Callable[[Vector], tuple[float, Vector]], size: int) -> list[float]:
    found = cast("Any", optimize).minimize(
        objective, np.zeros(size), jac=True, method="L-BFGS-B", options={"maxiter": 300}
    )
    return [float(value) for value in found.x]
