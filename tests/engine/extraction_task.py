"""The real task for crash runs: extraction, of which each shard that is begun leaves a file; and its documents."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from endophora.corpus.formats import open_stream
from endophora.corpus.records import Document
from endophora.corpus.streams import ReadOptions
from endophora.engine import Work


@dataclass(frozen=True)
class Logged:
    """A task that tells which shards it has begun.

    Attributes:
        task: what is done.
        log: a folder in which each shard that is begun leaves a file, whose name ends in the number of its process.
    """

    task: Any
    log: str

    @property
    def signature(self) -> str:
        return self.task.signature

    @property
    def schema(self) -> Any:
        return self.task.schema

    def load(self) -> Work:
        work = self.task.load()

        def logged(batch: Sequence[Document]) -> Iterable[Any]:
            """Leave a file, then do the shard."""
            Path(self.log, f"{batch[0].id.replace('/', '-')}.{time.time_ns()}.{os.getpid()}").touch()
            return work(batch)

        return logged


def setup_of(languages: str) -> Any:
    """Return the setup of an extraction with all phenomena of a pair, as ``en-de``."""
    from endophora.extraction import ExtractionSetup, default_phenomena

    source, target = languages.split("-")
    return ExtractionSetup(source_language=source, target_language=target, phenomena=default_phenomena(source, target))


def extraction(languages: str, log: Path, signature: str = "") -> Logged:
    """Return the task of an extraction; its signature is that of loaded models where it is not given."""
    from endophora.extraction.task import ExtractionTask

    return Logged(ExtractionTask(setup_of(languages), signature), str(log))


@dataclass(frozen=True)
class Parts:
    """The documents of a corpus in parts, so that shards are small.

    Attributes:
        path: a TSV with the columns document, source, target.
        languages: the pair.
        length: segments of a part.
    """

    path: str
    languages: str
    length: int

    def __iter__(self) -> Iterator[Document]:
        source, target = self.languages.split("-")
        for document in open_stream([self.path], ReadOptions(languages=(source, target))):
            for start in range(0, len(document.segments), self.length):
                part = document.segments[start : start + self.length]
                yield replace(document, id=f"{document.id}/{start // self.length}", segments=part)
