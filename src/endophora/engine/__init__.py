"""The engine: work that grows, in shards, on one core or on many machines, with the same results.

:func:`run` does a task over a stream of documents, resumes, and writes one Parquet file; :func:`map_ordered` is the
small road, for work that fits into memory.
"""

from endophora.engine.processes import map_ordered, useful_workers
from endophora.engine.resumable_run import run
from endophora.engine.shards import EngineOptions, Progress, Row, RunSummary, Task, Work
from endophora.engine.workers import EXECUTORS
from endophora.errors import EngineError

__all__ = [
    "EXECUTORS",
    "EngineError",
    "EngineOptions",
    "Progress",
    "Row",
    "RunSummary",
    "Task",
    "Work",
    "map_ordered",
    "run",
    "useful_workers",
]
