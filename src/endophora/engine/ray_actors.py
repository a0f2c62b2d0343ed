"""The executor that works in actors on Ray, on one machine or on many.

A shard travels in the message to its actor, compressed and in pieces small enough that Ray sends them with the call:
the corpus needs to be on no other machine, the object store holds no text, and an actor can be on any node. The rows
come back as a Parquet file, and the run's own process writes it: the output directory, too, is on one machine.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

from endophora.engine.shards import EngineOptions, Loaded, require
from endophora.engine.shipping import Shipment
from endophora.engine.workers import (
    Cause,
    Failure,
    Job,
    JobOutcome,
    Jobs,
    Message,
    WorkerHandle,
    Workers,
    cores,
    load_worker,
    work_with,
)
from endophora.errors import EngineError, Fault, first_line

PIECE = 64 * 1024
"""Bytes of a piece of a shard; Ray puts arguments of more than 100 kB into its object store."""

_STORE = 128 * 1024 * 1024
_POLL = 1.0
_KNOCK = 10.0
_PATIENCE = 600.0


class RayExecutor:
    """Does shards in actors; an actor that dies with its process or its node is replaced where there is room.

    Without a number of workers there are as many as the cluster has room for, also when nodes come and go (E150, E163).
    """

    def __init__(self, options: EngineOptions) -> None:
        require("ray", "ray")
        self._options = options

    def work(self, task: Loaded, jobs: Jobs) -> Generator[JobOutcome, None, None]:
        """Yield the outcome of each job, in the order in which they end."""
        first = jobs.take()
        if first is None:
            return
        with _connected(self._options) as ray:
            # Nodes may have other files, or none, at the paths that a task names.
            sent = task.packed() if isinstance(task, Shipment) else task
            yield from work_with(_Actors(ray, self._options), sent, _With(first, jobs), self._options)


class _With:
    """Jobs, and one that was taken to see whether there are any."""

    def __init__(self, first: Job, jobs: Jobs) -> None:
        self._first: Job | None = first
        self._jobs = jobs

    @property
    def lasting(self) -> bool:
        """Whether more may come."""
        return self._jobs.lasting

    def take(self) -> Job | None:
        """Return the first job, then the others."""
        first, self._first = self._first, None
        return first or self._jobs.take()


@contextmanager
def _connected(options: EngineOptions) -> Generator[Any, None, None]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Ray takes the handler of SIGTERM when it is imported and when it starts; the run's own are put back.
    main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)} if main else {}
    ray: Any = import_module("ray")
    mine = not ray.is_initialized()
    try:
        if mine:
            _start_ray(ray, options)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    try:
        yield ray
    finally:
        if mine:
            ray.shutdown()


def _start_ray(ray: Any, options: EngineOptions) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": True}
    if not options.address:
        need = (options.workers or cores()) * options.cores_per_worker
        ray.init("local", num_cpus=max(1, round(need)), include_dashboard=False, object_store_memory=_STORE, **quiet)
        return
    try:
        _knock(options.address)
        ray.init(options.address, **quiet)
    except (OSError, ValueError, RuntimeError) as error:
        cause = f"the Ray cluster at {options.address} cannot be reached ({first_line(error)})"
        advice = "start it with `ray start --head`, and give the address that it prints, or `auto`"
        raise EngineError(Fault("E163", cause, advice)) from error


def _knock(address: str) -> None:
    # Ray itself tries for minutes to reach a cluster that is not there.
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), _KNOCK).close()


class _Actor:
    """A worker; runs in a process of Ray."""

    def __init__(self, task: Loaded) -> None:
        self._worker = load_worker(task)

    def loaded(self) -> Failure | None:
        """Return ``None`` if the task was loaded, or why it was not."""
        return self._worker if isinstance(self._worker, Failure) else None

    def work(self, *pieces: bytes) -> Message:
        """Return the result of a shard."""
        return self._worker if isinstance(self._worker, Failure) else self._worker.work(b"".join(pieces))


@dataclass(slots=True, eq=False, kw_only=True)
class _ActorHandle(WorkerHandle):
    actor: Any
    answer: Any = field(default=None)


class _Actors(Workers[_ActorHandle]):
    def __init__(self, ray: Any, options: EngineOptions) -> None:
        self._ray = ray
        self._options = options
        self._class = ray.remote(
            num_cpus=options.cores_per_worker, num_gpus=options.gpus_per_worker, max_restarts=0, max_task_retries=0
        )(_Actor)
        self._task: Any = None
        self._heard = time.monotonic()

    def limit(self) -> int:
        """Return how many actors were asked for, or how many the cluster has room for now."""
        if self._options.workers:
            return self._options.workers
        resources = cast("dict[str, float]", self._ray.cluster_resources())
        room = [
            resources.get(name, 0.0) / need
            for name, need in (("CPU", self._options.cores_per_worker), ("GPU", self._options.gpus_per_worker))
            if need
        ]
        return max(1, int(min(room, default=1)))

    def start(self, task: Loaded) -> _ActorHandle:
        """Ask for an actor; it is there when a node has room for it."""
        if self._task is None:
            # Once in the object store for all actors, since it may bring whole models.
            self._task = self._ray.put(task)
        actor = self._class.remote(self._task)
        return _ActorHandle(actor=actor, answer=actor.loaded.remote())

    def send(self, member: _ActorHandle, job: Job) -> None:
        """Send an actor its documents, in pieces."""
        pieces = [job.payload[at : at + PIECE] for at in range(0, len(job.payload), PIECE)]
        member.answer = member.actor.work.remote(*pieces)

    def listen(self, members: Sequence[_ActorHandle]) -> list[tuple[_ActorHandle, Message]]:
        """Return what actors have answered, or that they are lost."""
        asked = {member.answer: member for member in members if member.answer is not None}
        answered, _ = self._ray.wait(list(asked), num_returns=1, timeout=_POLL)
        if answered or any(member.job for member in members):
            self._heard = time.monotonic()
        elif time.monotonic() - self._heard > _PATIENCE:
            cause = f"the Ray cluster has had no room for a worker for {_PATIENCE / 60:.0f} minutes"
            raise EngineError(Fault("E163", cause, "see `ray status`: each worker takes cores, and GPUs if asked"))
        return [(asked[answer], self._receive(asked[answer])) for answer in answered]

    def _receive(self, member: _ActorHandle) -> Message:
        answer, member.answer = member.answer, None
        errors = self._ray.exceptions
        try:
            return cast("Message", self._ray.get(answer))
        except errors.RayTaskError as error:
            return Failure(Cause.ERROR, str(error).strip().splitlines()[-1])
        except errors.RayError as error:
            self._ray.kill(member.actor)
            what = str(error).strip()
            # Ray has no separate class for an actor that was lost with its node.
            cause = Cause.GONE if "node has died" in what else Cause.LOST
            last = what.splitlines()[-1].strip() if what else type(error).__name__
            return Failure(cause, f"lost with its {'node' if cause is Cause.GONE else 'process'} ({last})")

    def end(self, members: Sequence[_ActorHandle]) -> None:
        """Kill actors."""
        for member in members:
            self._ray.kill(member.actor)
