"""The evaluation of metrics: WMT's score files, MQM annotations, and how well metrics agree with people."""

from __future__ import annotations

from endophora.meta.attach import Matched, match_people, with_people
from endophora.meta.evaluate import meta_evaluate
from endophora.meta.extraction import Judgements, documents_of, in_blocks, judge, mqm_corpus
from endophora.meta.inputs import People, read_metrics, read_people, score_people
from endophora.meta.layout import (
    Documents,
    ScoreName,
    find_human,
    find_metrics,
    human_file,
    metric_file,
    parse_metric_name,
    read_documents,
)
from endophora.meta.mqm import Annotation, Weights, load_weights, read_mqm, write_mqm
from endophora.meta.options import MetaOptions
from endophora.meta.result import MetaResult
from endophora.meta.scores import Scores, read_scores, write_scores
from endophora.meta.scoring import Scored, complete, read_scored, score_corpus, scores_of_statistics
from endophora.meta.writing import write_documents, write_human, write_metric

__all__ = [
    "Annotation",
    "Documents",
    "Judgements",
    "Matched",
    "MetaOptions",
    "MetaResult",
    "People",
    "ScoreName",
    "Scored",
    "Scores",
    "Weights",
    "complete",
    "documents_of",
    "find_human",
    "find_metrics",
    "human_file",
    "in_blocks",
    "judge",
    "load_weights",
    "match_people",
    "meta_evaluate",
    "metric_file",
    "mqm_corpus",
    "parse_metric_name",
    "read_documents",
    "read_metrics",
    "read_mqm",
    "read_people",
    "read_scored",
    "read_scores",
    "score_corpus",
    "score_people",
    "scores_of_statistics",
    "with_people",
    "write_documents",
    "write_human",
    "write_metric",
    "write_mqm",
    "write_scores",
]
