"""Resampling, significance, correlation and agreement; one matrix product for all systems and resamples."""

from __future__ import annotations

from endophora.statistics.accuracy import SystemAccuracy, TieAccuracy, system_accuracy, tie_accuracy
from endophora.statistics.agreement import Kappa, kappa, pairwise_kappa, rater_table, verdicts
from endophora.statistics.bootstrap import Bootstrap, bootstrap, percentile_interval
from endophora.statistics.coefficients import COEFFICIENTS, Coefficient
from endophora.statistics.correction import holm, is_significant
from endophora.statistics.correlation import AVERAGES, Average, Correlation, correlate, correlate_means
from endophora.statistics.paired import PairedT, paired_t
from endophora.statistics.permutation import Permutation, permute_accuracies, permute_correlations
from endophora.statistics.randomisation import Randomisation, randomise
from endophora.statistics.units import Kind, Units, choose_units, each_row, unit_scores
from endophora.statistics.williams import Williams, williams, williams_p, williams_t

__all__ = [
    "AVERAGES",
    "COEFFICIENTS",
    "Average",
    "Bootstrap",
    "Coefficient",
    "Correlation",
    "Kappa",
    "Kind",
    "PairedT",
    "Permutation",
    "Randomisation",
    "SystemAccuracy",
    "TieAccuracy",
    "Units",
    "Williams",
    "bootstrap",
    "choose_units",
    "correlate",
    "correlate_means",
    "each_row",
    "holm",
    "is_significant",
    "kappa",
    "paired_t",
    "pairwise_kappa",
    "percentile_interval",
    "permute_accuracies",
    "permute_correlations",
    "randomise",
    "rater_table",
    "system_accuracy",
    "tie_accuracy",
    "unit_scores",
    "verdicts",
    "williams",
    "williams_p",
    "williams_t",
]
