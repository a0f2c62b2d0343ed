"""Metrics: one a file, each sufficient statistics per segment or document, and a score of their sums."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from endophora.metrics.records import FloatArray, Level, Metric, TaggedTokens, TagMetric, TextMetric
from endophora.registry import Registry

MetricFactory: TypeAlias = Callable[..., TextMetric]

METRICS: Registry[MetricFactory] = Registry(
    "metric",
    {
        "bleu": "endophora.metrics.bleu:BLEU",
        "d-bleu": "endophora.metrics.bleu:DocumentBLEU",
        "chrf": "endophora.metrics.chrf:ChrF",
        "chrf++": "endophora.metrics.chrf:ChrFPlusPlus",
        "ter": "endophora.metrics.ter:TER",
    },
)
"""Factories of the text metrics by name; the word F-measure of tags is :class:`endophora.metrics.word_f.WordF`."""


@cache
def load_metric(name: str, language: str) -> TextMetric:
    """Return a metric of texts, the same one for the same arguments: it keeps what it made of the references.

    Args:
        name: a name of :data:`METRICS`.
        language: ISO 639-1 code of the texts; it decides the tokenizer.

    Raises:
        InputError: the name is unknown (E090).
    """
    return METRICS.get(name)(language=language)


__all__ = [
    "METRICS",
    "FloatArray",
    "Level",
    "Metric",
    "MetricFactory",
    "TagMetric",
    "TaggedTokens",
    "TextMetric",
    "load_metric",
]
