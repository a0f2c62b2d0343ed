from __future__ import annotations

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.metrics.records import ratio
from endophora.statistics.units import choose_units, each_row, unit_scores


def test_documents_are_numbered_by_first_appearance():
    units = choose_units(["b", "b", "a", "c", "c", "d", "e", "f"])
    assert (units.kind, units.count, units.warnings) == ("documents", 6, ())
    assert units.index.tolist() == [0, 0, 1, 2, 2, 3, 4, 5]


def test_sums_are_of_each_unit_and_system():
    statistics = np.arange(16, dtype=float).reshape(2, 4, 2)
    # The rows of a document need not be neighbours.
    sums = choose_units(["a", "b", "a", "b"]).sums(statistics)
    assert sums.tolist() == [[[4, 6], [8, 10]], [[20, 22], [24, 26]]]


def test_one_document_is_resampled_by_segments_with_a_warning():
    units = choose_units(["a", "a", "a"])
    assert (units.kind, units.count) == ("segments", 3)
    assert "only one document" in units.warnings[0]


def test_few_documents_are_kept_with_a_warning():
    units = choose_units(["a", "b", "b"])
    assert (units.kind, units.count) == ("documents", 2)
    assert units.warnings == ("with 2 documents no difference can be significant at .05",)


def test_segments_when_asked_for():
    units = choose_units(["a", "a", "b"], "segments")
    assert (units.kind, units.index.tolist(), units.warnings) == ("segments", [0, 1, 2], ())


def test_score_of_every_unit():
    statistics = np.array([[[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]]])
    scores = unit_scores(statistics, lambda sums: ratio(sums[..., 0], sums[..., 1]), each_row(3, "segments"))[0]
    assert scores[:2].tolist() == [0.5, 0.5]
    assert np.isnan(scores[2])


@pytest.mark.parametrize("shape", [(1, 3, 2), (3, 4), (2, 5, 1, 2)])
def test_statistics_that_do_not_fit_are_an_error(shape: tuple[int, ...]):
    with pytest.raises(InputError, match=r"\[E074\]"):
        each_row(4, "segments").sums(np.zeros(shape))
