"""Metrics: one a file, each sufficient statistics per segment or document, and a score of their sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from endophora.metrics.records import FloatArray, Level, Metric, TaggedTokens, TagMetric, TextMetric
from endophora.registry import Registry

MetricFactory: TypeAlias = Callable[..., Metric]

METRICS: Registry[MetricFactory] = Registry(
    "metric",
    {
        "word-f": "endophora.metrics.word_f:WordF",
        "bleu": "endophora.metrics.bleu:BLEU",
        "d-bleu": "endophora.metrics.bleu:DocumentBLEU",
        "chrf": "endophora.metrics.chrf:ChrF",
        "chrf++": "endophora.metrics.chrf:ChrFPlusPlus",
        "ter": "endophora.metrics.ter:TER",
    },
)
"""All metrics by name. Those of texts are made with ``METRICS.get(name)(language=…)``."""

__all__ = ["METRICS", "FloatArray", "Level", "Metric", "MetricFactory", "TagMetric", "TaggedTokens", "TextMetric"]
