"""The evaluation of metrics: WMT's score files, MQM annotations, and how well metrics agree with people."""

from __future__ import annotations

from endophora.evaluation.levels import Documents, Scores, ScoreSet, documents_of, scores_of_statistics
from endophora.meta.compare import MetaOptions
from endophora.meta.evaluate import meta_evaluate
from endophora.meta.mqm import (
    Annotation,
    Judgements,
    Weights,
    in_blocks,
    judge,
    load_weights,
    mqm_corpus,
    read_mqm,
    write_mqm,
)
from endophora.meta.people import People, match_people, read_metrics, read_people, score_corpus, score_people
from endophora.meta.result import MetaResult
from endophora.meta.score_files import (
    ScoreName,
    find_human,
    find_metrics,
    human_file,
    metric_file,
    parse_metric_name,
    read_documents,
    read_scored,
    read_scores,
    write_documents,
    write_human,
    write_metric,
    write_scores,
)

__all__ = [
    "Annotation",
    "Documents",
    "Judgements",
    "MetaOptions",
    "MetaResult",
    "People",
    "ScoreName",
    "ScoreSet",
    "Scores",
    "Weights",
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
    "write_documents",
    "write_human",
    "write_metric",
    "write_mqm",
    "write_scores",
]
