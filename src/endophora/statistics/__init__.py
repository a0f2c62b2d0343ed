"""Resampling, significance and correction for many tests; one matrix product for all systems and resamples."""

from __future__ import annotations

from endophora.statistics.bootstrap import Bootstrap, bootstrap, percentile_interval
from endophora.statistics.correction import holm
from endophora.statistics.randomisation import Randomisation, randomise
from endophora.statistics.units import Kind, Units, choose_units, each_row, unit_scores

__all__ = [
    "Bootstrap",
    "Kind",
    "Randomisation",
    "Units",
    "bootstrap",
    "choose_units",
    "each_row",
    "holm",
    "percentile_interval",
    "randomise",
    "unit_scores",
]
