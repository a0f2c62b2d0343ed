"""The text metrics' statistics of all systems, computed side by side and kept in the store."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from endophora.engine import map_ordered
from endophora.evaluation.setup import Setup
from endophora.metrics import load_metric
from endophora.metrics.records import FloatArray
from endophora.store import Store, content_key


@dataclass(frozen=True, slots=True)
class TextJob:
    """One metric of one system.

    Attributes:
        metric: name of the metric.
        hypotheses: the system's output, one text a segment.
        references: for each reference its texts, one a segment.
        documents: for each segment the index of its document.
        sources: the source, one text a segment.
    """

    metric: str
    hypotheses: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    documents: tuple[int, ...]
    sources: tuple[str, ...]


def text_statistics(setup: Setup, jobs: Sequence[TextJob], workers: int = 1) -> list[FloatArray]:
    """Return the sufficient statistics of each job: (segments, columns), or (documents, columns)."""
    # A metric that holds a large model says that it is not parallel: it runs in this process, where the model is once.
    language = setup.target_language
    alone = [not getattr(load_metric(job.metric, language), "parallel", True) for job in jobs]
    shared = [job for job, own in zip(jobs, alone, strict=True) if not own]
    found = map_ordered(partial(_worker, setup), shared, workers)
    worker = _worker(setup)
    return [worker(job) if own else next(found) for job, own in zip(jobs, alone, strict=True)]


def _worker(setup: Setup) -> Callable[[TextJob], FloatArray]:
    return partial(_statistics, Store(setup.store), setup.target_language)


def _statistics(store: Store, language: str, job: TextJob) -> FloatArray:
    metric = load_metric(job.metric, language)
    signature = metric.signature(references=len(job.references))
    parts = ("text", signature, *map(repr, (job.hypotheses, job.references, job.documents, job.sources)))
    return kept(
        store, parts, lambda: metric.statistics(job.hypotheses, job.references, job.documents, sources=job.sources)
    )


def kept(store: Store, parts: Sequence[str], compute: Callable[[], FloatArray]) -> FloatArray:
    """Return an array from the store, or compute it and keep it.

    Args:
        store: the store.
        parts: all that the array depends on.
        compute: makes it.
    """
    key = content_key(*parts)
    if (known := store.get_many([key]).get(key)) is not None:
        return np.load(io.BytesIO(known), allow_pickle=False)
    counts = compute()
    buffer = io.BytesIO()
    np.save(buffer, counts, allow_pickle=False)
    store.put_many({key: buffer.getvalue()})
    return counts
