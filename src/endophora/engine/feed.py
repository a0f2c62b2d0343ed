"""The work of a run: shards from the input, without those that an earlier run has done."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NoReturn

from endophora.corpus.records import Document
from endophora.engine.manifest import DONE, Manifest, ShardRecord
from endophora.engine.records import EngineError
from endophora.engine.shards import Shard, cut
from endophora.engine.working import Job
from endophora.errors import Fault


class Feed:
    """Gives executors their jobs.

    Args:
        documents: read once, in order; never held.
        size: the most segments in a shard.
        manifest: what an earlier run has done.
        holds: tells whether the rows of a shard that was done are still there.
        skip: told of each shard that need not be done again.
        check: called for each shard; raises if the run is to stop.

    Attributes:
        shards: shards of the input so far.
        ended: the whole input was read.
        closed: no more jobs are given, because the run cannot be completed.
    """

    def __init__(
        self,
        documents: Iterator[Document],
        size: int,
        manifest: Manifest,
        holds: Callable[[ShardRecord], bool],
        skip: Callable[[ShardRecord], None],
        check: Callable[[], None],
    ) -> None:
        self._shards = cut(documents, size)
        self._manifest = manifest
        self._complete = manifest.finished is not None
        self._holds = holds
        self._skip = skip
        self._check = check
        self._again: deque[Job] = deque()
        self._digest = hashlib.blake2b(digest_size=16)
        self.shards = 0
        self.ended = False
        self.closed = False

    @property
    def input_hash(self) -> str:
        """The hash of all documents so far; it does not depend on where shards are cut."""
        return self._digest.hexdigest()

    def take(self) -> Job | None:
        """Return the next job, or ``None`` if there is none now.

        Raises:
            EngineError: the input is not the one with which the run began (E153).
        """
        if self.closed:
            return None
        if self._again:
            return self._again.popleft()
        for full in self._shards:
            self._check()
            self._digest.update(full.text)
            self.shards += 1
            if not self._is_done(full.shard):
                return Job(full.shard, full.payload())
        if not self.ended:
            self.ended = True
            self._check_end()
        return None

    def give_back(self, job: Job, *, moved: bool) -> None:
        """Take back a job whose worker died, to be tried again.

        Args:
            job: the job.
            moved: its machine was lost; it is not counted as an attempt.
        """
        self._again.append(replace(job, moves=job.moves + 1) if moved else replace(job, attempt=job.attempt + 1))

    def _is_done(self, shard: Shard) -> bool:
        record = self._manifest.shard(shard.number)
        if record is None:
            if self._complete:
                _changed(f"it goes on after shard {shard.number - 1}, where it ended (document “{shard.first}”)")
            return False
        if record.state != DONE:
            return False
        if record.input_hash != shard.input_hash:
            was = f"documents “{record.first}” to “{record.last}”, {record.segments} segments"
            now = f"“{shard.first}” to “{shard.last}”, {shard.segments}"
            _changed(f"shard {shard.number} was {was}, and is now {now}")
        if not self._complete and not self._holds(record):
            return False
        self._skip(record)
        return True

    def _check_end(self) -> None:
        if self._manifest.shard(self.shards) is not None:
            _changed(f"it ends after {self.shards} shards, and was longer")


def _changed(how: str) -> NoReturn:
    cause = f"the input is not the one with which this output was begun ({how}; text, ids, files and lines count)"
    raise EngineError(Fault("E153", cause, "give the same input, begin anew with --fresh, or name another directory"))
