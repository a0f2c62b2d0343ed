"""The text metrics' statistics of all systems, computed side by side and kept in the store."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from endophora.corpus.records import Corpus
from endophora.engine import map_ordered
from endophora.evaluation.setup import Setup
from endophora.metrics import load_metric
from endophora.metrics.records import FloatArray
from endophora.signature import Keys, StoreKey, digest_of, keyed
from endophora.store import Store


@keyed(names=("metric",))
@dataclass(frozen=True, slots=True)
class _Statistics:
    """What the statistics of a text metric depend on besides the texts."""

    metric: str
    language: str
    signature: str


@dataclass(frozen=True, slots=True)
class TextJob:
    """One metric of one system."""

    metric: str
    hypotheses: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    documents: tuple[int, ...]
    sources: tuple[str, ...]


def text_jobs(corpus: Corpus, metrics: Sequence[str]) -> list[TextJob]:
    """Return the jobs of metrics that read plain texts, each metric of all systems, with all references."""
    segments = [segment for document in corpus.documents for segment in document.segments]
    references = tuple([tuple([segment.references[name] for segment in segments]) for name in corpus.references])
    sources = tuple([segment.source for segment in segments])
    numbers = tuple([number for number, document in enumerate(corpus.documents) for _ in document.segments])
    outputs = [tuple([segment.outputs[system] for segment in segments]) for system in corpus.systems]
    return [TextJob(name, texts, references, numbers, sources) for name in metrics for texts in outputs]


def new_jobs(setup: Setup, jobs: Sequence[TextJob]) -> list[TextJob]:
    """Return the jobs whose statistics the store has not yet and that any process may do (see :func:`do_job`).

    Where the store is in memory, processes have none in common: then there are no such jobs.
    """
    if setup.store is None:
        return []
    keys = _keys(jobs, setup.target_language)
    known = Store(setup.store).get_many(keys)
    return [
        job
        for job, key in zip(jobs, keys, strict=True)
        if key not in known and _is_parallel(job.metric, setup.target_language)
    ]


def do_job(store: Store, language: str, job: TextJob) -> FloatArray:
    """Return the statistics of one job, which the store keeps."""
    (key,) = _keys([job], language)
    metric = load_metric(job.metric, language)
    return kept(
        store, key, lambda: metric.statistics(job.hypotheses, job.references, job.documents, sources=job.sources)
    )


def text_statistics(setup: Setup, jobs: Sequence[TextJob], workers: int = 1) -> list[FloatArray]:
    """Return the sufficient statistics of each job: (segments, columns), or (documents, columns)."""
    store, language = Store(setup.store), setup.target_language
    keys = _keys(jobs, language)
    # What the store has is read here: it would take a process longer to start.
    known = store.get_many(keys)
    alone = [not _is_parallel(job.metric, language) for job in jobs]
    shared = [job for job, key, own in zip(jobs, keys, alone, strict=True) if not own and key not in known]
    found = map_ordered(partial(_worker, setup), shared, workers)
    return [
        _read(known[key]) if key in known else do_job(store, language, job) if own else next(found)
        for job, key, own in zip(jobs, keys, alone, strict=True)
    ]


def _worker(setup: Setup) -> Callable[[TextJob], FloatArray]:
    return partial(do_job, Store(setup.store), setup.target_language)


def _is_parallel(metric: str, language: str) -> bool:
    """Return whether several processes may do it; a metric with a large model says no: the model is there once."""
    return getattr(load_metric(metric, language), "parallel", True)


def _keys(jobs: Sequence[TextJob], language: str) -> list[StoreKey]:
    """Return the key of all that the statistics of each job depend on."""
    # Metrics, texts, documents and source of many jobs are the same: they are hashed once.

    @cache
    def keys(name: str, references: int) -> Keys:
        """Return what makes the keys of a metric."""
        signature = load_metric(name, language).signature(references=references)
        return Keys(_Statistics(name, language, signature))

    @cache
    def hashed(part: tuple[object, ...]) -> str:
        """Return a hash of texts or numbers."""
        return digest_of(part)

    return [
        keys(job.metric, len(job.references))(
            *map(hashed, (job.hypotheses, job.references, job.documents, job.sources))
        )
        for job in jobs
    ]


def kept(store: Store, key: StoreKey, compute: Callable[[], FloatArray]) -> FloatArray:
    """Return an array from the store, or compute it and keep it."""
    if (known := store.get_many([key]).get(key)) is not None:
        return _read(known)
    counts = compute()
    buffer = io.BytesIO()
    np.save(buffer, counts, allow_pickle=False)
    store.put_many({key: buffer.getvalue()}, "statistics")
    return counts


def _read(value: bytes) -> FloatArray:
    return np.load(io.BytesIO(value), allow_pickle=False)
