"""Metrics: one a file, each sufficient statistics per segment or document, and a score of their sums.

A metric is named by ``name`` or, where it takes one, ``name:argument``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from endophora.errors import Fault, InputError
from endophora.languages.schema import LanguageRules
from endophora.metrics.records import DocumentMetric, TextMetric
from endophora.registry import Registry
from endophora.signature import digest_of_name

MetricFactory: TypeAlias = Callable[..., TextMetric]
DocumentMetricFactory: TypeAlias = Callable[[LanguageRules, str], DocumentMetric]

METRICS: Registry[MetricFactory] = Registry(
    "metric",
    {
        "bleu": "endophora.metrics.string_metrics:BLEU",
        "d-bleu": "endophora.metrics.string_metrics:DocumentBLEU",
        "chrf": "endophora.metrics.string_metrics:ChrF",
        "chrf++": "endophora.metrics.string_metrics:ChrFPlusPlus",
        "d-chrf": "endophora.metrics.string_metrics:DocumentChrF",
        "d-chrf++": "endophora.metrics.string_metrics:DocumentChrFPlusPlus",
        "ter": "endophora.metrics.string_metrics:TER",
        "d-ter": "endophora.metrics.string_metrics:DocumentTER",
        "meteor": "endophora.metrics.word_metrics:Meteor",
        "rouge-l": "endophora.metrics.word_metrics:RougeL",
        "cider": "endophora.metrics.word_metrics:CIDEr",
        "cider-d": "endophora.metrics.word_metrics:CIDErD",
        "average": "endophora.metrics.embeddings:EmbeddingAverage",
        "extrema": "endophora.metrics.embeddings:VectorExtrema",
        "greedy": "endophora.metrics.embeddings:GreedyMatching",
        "comet": "endophora.metrics.comet:Comet",
        "doc-comet": "endophora.metrics.comet:DocComet",
    },
)
"""Factories of the metrics of plain texts by name, called with ``language=`` and, where one is given, ``argument=``.

The word F-measure of tags is :class:`endophora.metrics.word_f.WordF`.
"""

DOCUMENT_METRICS: Registry[DocumentMetricFactory] = Registry(
    "document_metric",
    {
        "blonde": "endophora.metrics.blonde:make_blonde",
        "blonde+": "endophora.metrics.blonde:make_blonde_plus",
        "lc": "endophora.metrics.lexical:make_lc",
        "rc": "endophora.metrics.lexical:make_rc",
    },
)
"""Factories of the metrics of annotated texts by name, called with the target language's rules and an argument."""


def load_metric(name: str, language: str) -> TextMetric:
    """Return a metric of texts, the same one for the same arguments: it keeps what it made of the references.

    Files that the name has in it count by their content; the language decides the tokenizer.
    """
    return _metric(name, language, digest_of_name(name))


@cache
def _metric(name: str, language: str, content: str) -> TextMetric:
    del content
    kind, separator, argument = name.partition(":")
    factory = METRICS.get(kind)
    if not separator:
        return factory(language=language)
    try:
        return factory(language=language, argument=argument)
    except TypeError as error:
        if "argument" not in str(error):
            raise
        raise InputError(Fault("E078", f"the metric “{kind}” takes no “:{argument}”", f"name it as {kind}")) from error


def load_document_metric(name: str, rules: LanguageRules) -> DocumentMetric:
    """Return a metric of annotated texts."""
    kind, _, argument = name.partition(":")
    return DOCUMENT_METRICS.get(kind)(rules, argument)


def reads_annotations(name: str) -> bool:
    """Return whether a metric reads annotated texts."""
    kind = name.partition(":")[0]
    if kind in DOCUMENT_METRICS:
        return True
    METRICS.get(kind)
    return False
