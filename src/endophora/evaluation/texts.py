"""The text metrics' statistics of all systems, computed side by side and kept in the store."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

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
    store, language = Store(setup.store), setup.target_language
    # The references, the documents and the source of all jobs are the same: they are spelt out once.
    spelt = cache(repr)
    keys = [content_key(*_parts(job, language, spelt)) for job in jobs]
    # What the store has is read here: it would take a process longer to start.
    known = store.get_many(keys)
    # A metric that holds a large model says that it is not parallel: it runs in this process, where the model is once.
    alone = [not getattr(load_metric(job.metric, language), "parallel", True) for job in jobs]
    shared = [job for job, key, own in zip(jobs, keys, alone, strict=True) if not own and key not in known]
    found = map_ordered(partial(_worker, setup), shared, workers)
    return [
        _read(known[key]) if key in known else _statistics(store, language, job) if own else next(found)
        for job, key, own in zip(jobs, keys, alone, strict=True)
    ]


def _worker(setup: Setup) -> Callable[[TextJob], FloatArray]:
    return partial(_statistics, Store(setup.store), setup.target_language)


def _statistics(store: Store, language: str, job: TextJob) -> FloatArray:
    metric = load_metric(job.metric, language)
    return kept(
        store,
        _parts(job, language),
        lambda: metric.statistics(job.hypotheses, job.references, job.documents, sources=job.sources),
    )


def _parts(job: TextJob, language: str, spelt: Callable[[object], str] = repr) -> tuple[str, ...]:
    """Return all that a job's statistics depend on."""
    signature = load_metric(job.metric, language).signature(references=len(job.references))
    return ("text", signature, *map(spelt, (job.hypotheses, job.references, job.documents, job.sources)))


def kept(store: Store, parts: Sequence[str], compute: Callable[[], FloatArray]) -> FloatArray:
    """Return an array from the store, or compute it and keep it.

    Args:
        store: the store.
        parts: all that the array depends on.
        compute: makes it.
    """
    key = content_key(*parts)
    if (known := store.get_many([key]).get(key)) is not None:
        return _read(known)
    counts = compute()
    buffer = io.BytesIO()
    np.save(buffer, counts, allow_pickle=False)
    store.put_many({key: buffer.getvalue()})
    return counts


def _read(value: bytes) -> FloatArray:
    return np.load(io.BytesIO(value), allow_pickle=False)
