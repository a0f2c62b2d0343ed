from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest
from scipy import stats

from endophora.errors import InputError
from endophora.metrics import load_metric
from endophora.metrics.records import ratio
from endophora.statistics.significance import randomise
from endophora.statistics.units import choose_units, each_row


def share(sums: np.ndarray) -> np.ndarray:
    return ratio(sums[..., 0], sums[..., 1])


@pytest.mark.parametrize(("name", "scorer"), [("bleu", BLEU()), ("chrf", CHRF())])
def test_p_values_are_sacrebleus_for_the_same_seed(name: str, scorer: Any, made_up: Any):
    systems = [(str(index), output) for index, output in enumerate(made_up.systems)]
    _, expected = PairedTest(systems, {name: scorer}, [made_up.reference], test_type="ar", n_samples=1000)()
    _, *others = next(values for key, values in expected.items() if key != "System")
    metric = load_metric(name, "")
    counts = np.stack([metric.statistics(output, [made_up.reference]) for output in made_up.systems])
    found = randomise(counts, metric.score, each_row(60, "segments"), trials=1000, seed=12345)
    assert np.isnan(found.p_values[0])
    assert found.p_values[1:].tolist() == pytest.approx([result.p_value for result in others], abs=1e-12)
    assert 0.001 < found.p_values[1] < 0.999
    assert not found.exact


def test_three_documents_by_hand():
    # Differences 3, 2 and 1 of equal size: of the eight sums ±3 ±2 ±1, two are as large as 6, and four as 4.
    first = np.array([[3.0, 1.0], [2.0, 1.0], [1.0, 1.0]])
    none = np.array([[0.0, 1.0]] * 3)
    mixed = np.array([[3.0, 1.0], [2.0, 1.0], [-1.0, 1.0]])
    found = randomise(np.stack([none, first, mixed]), share, each_row(3, "documents"))
    assert (found.exact, found.trials) == (True, 8)
    assert found.p_values[1:].tolist() == [2 / 8, 4 / 8]
    assert found.differences.tolist() == pytest.approx([0, 2, 4 / 3])


def test_few_units_give_the_share_of_all_ways_of_swapping():
    rng = np.random.default_rng(11)
    counts = rng.integers(1, 20, size=(2, 9, 2)).astype(float)
    found = randomise(counts, share, each_row(9, "documents"))
    observed = abs(share(counts[0].sum(0)) - share(counts[1].sum(0)))
    reached = 0
    for swaps in product([False, True], repeat=9):
        chosen = np.array(swaps)[:, None]
        one = np.where(chosen, counts[1], counts[0]).sum(0)
        other = np.where(chosen, counts[0], counts[1]).sum(0)
        reached += abs(share(one) - share(other)) >= observed - 1e-12
    assert found.p_values[1] == reached / 2**9
    assert 0 < found.p_values[1] < 1


def test_drawn_trials_are_near_the_exact_p():
    counts = np.random.default_rng(12).integers(1, 20, size=(2, 12, 2)).astype(float)
    units = each_row(12, "documents")
    exact, drawn = (randomise(counts, share, units, trials=trials) for trials in (4096, 4095))
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.p_values[1] == pytest.approx(exact.p_values[1], abs=0.03)


def test_p_of_a_mean_is_scipys_permutation_test():
    rng = np.random.default_rng(13)
    one, other = rng.normal(size=25), rng.normal(0.4, size=25)
    ones = np.ones(25)
    found = randomise(
        np.stack([np.stack([one, ones], -1), np.stack([other, ones], -1)]), share, each_row(25, "segments")
    )
    expected = stats.permutation_test(
        (other, one), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=9999, rng=rng
    )
    assert found.p_values[1] == pytest.approx(expected.pvalue, abs=0.02)


def test_equal_systems_have_p_one():
    one = np.random.default_rng(0).random((50, 2))
    assert randomise(np.stack([one, one]), share, each_row(50, "segments"), trials=500).p_values[1] == 1.0


def test_swapping_documents_whole_asks_for_more_evidence():
    # 40 segments agree, but they are in four documents.
    better = np.stack([np.stack([np.zeros(40), np.ones(40)], -1), np.ones((40, 2))])
    by_segment = randomise(better, share, each_row(40, "segments"))
    by_document = randomise(better, share, choose_units(np.repeat(np.arange(4), 10).tolist()))
    assert by_segment.p_values[1] == pytest.approx(1 / 10_001)
    assert by_document.p_values[1] == 2 / 16


def test_tags_are_tested_apart_and_nothing_to_count_is_nan():
    counts = np.random.default_rng(14).integers(1, 9, size=(2, 30, 3, 2)).astype(float)
    counts[:, :, 1] = 0
    found = randomise(counts, share, each_row(30, "segments"), trials=300)
    alone = randomise(counts[:, :, 2], share, each_row(30, "segments"), trials=300)
    assert np.isnan(found.p_values[1]).tolist() == [False, True, False]
    assert found.p_values[1, 2] == alone.p_values[1]


def test_one_unit_has_no_p_value():
    assert np.isnan(randomise(np.ones((2, 1, 2)), share, each_row(1, "documents")).p_values).all()


def test_no_trials_are_an_error():
    with pytest.raises(InputError, match=r"\[E075\]"):
        randomise(np.ones((2, 2, 2)), share, each_row(2, "segments"), trials=0)


def test_a_baseline_that_is_no_system_is_an_error():
    with pytest.raises(InputError, match=r"\[E076\]"):
        randomise(np.ones((2, 2, 2)), share, each_row(2, "segments"), baseline=-1)


def test_columns_with_baselines_of_their_own_are_those_of_each_baseline():
    counts = np.random.default_rng(14).integers(1, 20, size=(3, 30, 4, 2)).astype(float)
    units = each_row(30, "documents")
    baselines = [2, 0, 2, 1]
    asked: list[list[int]] = []

    def alone(columns: Sequence[int]) -> Any:
        asked.append(list(columns))
        return lambda sums: share(sums[..., columns, :])

    together = randomise(counts, share, units, baseline=baselines, trials=300)
    chosen = randomise(counts, share, units, baseline=baselines, trials=300, alone=alone)
    np.testing.assert_array_equal(together.p_values, chosen.p_values)
    assert asked == [[0, 2], [1], [3]]
    for column, baseline in enumerate(baselines):
        apart = randomise(counts, share, units, baseline=baseline, trials=300)
        np.testing.assert_array_equal(together.p_values[:, column], apart.p_values[:, column])
