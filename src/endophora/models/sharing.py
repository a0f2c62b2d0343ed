"""Models whose work other processes do, on this machine or on many: each of them opens the model itself.

The process that asks has what lays texts out, and no weights: it cuts, counts and keeps, and workers compute. What an
answer depends on is the model's signature, here and there: a worker with another one refuses (E357).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from endophora.engine.answering import Answering
from endophora.engine.shards import Answer, EngineOptions
from endophora.errors import Fault, InputError
from endophora.models.loading import need_libraries, without_weights
from endophora.models.options import ModelOptions, read_spec
from endophora.models.specs import open_model

M = TypeVar("M")

Call = tuple[Any, ...]
"""What a method of a model is given, in order."""


class ModelWork:
    """A model by its spec, as workers get it."""

    def __init__(self, spec: str, options: ModelOptions, signature: str) -> None:
        self._spec, self._options, self.signature = spec, options, signature

    def load(self) -> Answer:
        """Open the model, and return what answers calls of its methods."""
        model = open_model(self._spec, self._options)
        self.signature = model.signature
        return partial(answered, model)


def answered(model: object, payload: bytes) -> bytes:
    """Return what a method of a model returns, as a payload names them."""
    method, given = pickle.loads(payload)  # noqa: S301 - from the process that has started this one
    return pickle.dumps(getattr(model, method)(*given), pickle.HIGHEST_PROTOCOL)


class ModelWorkers:
    """The workers of one model; those of another one end when it is its turn."""

    def __init__(self, work: ModelWork, options: EngineOptions, turns: list[ModelWorkers]) -> None:
        self._answering, self._turns = Answering(work, options), turns

    def each(self, method: str, calls: Sequence[Call]) -> Iterator[tuple[int, Any]]:
        """Yield number and result of each call of a method, as they come."""
        if self._turns != [self]:
            # Memory, and room on a cluster, is for one model at a time.
            for other in self._turns:
                other.close()
            self._turns[:] = [self]
        payloads = [pickle.dumps((method, given), pickle.HIGHEST_PROTOCOL) for given in calls]
        for number, answer in self._answering.each(payloads):
            yield number, pickle.loads(answer)  # noqa: S301 - from a process that this one has started

    def close(self) -> None:
        """End the workers."""
        self._answering.close()


def each_call(model: object, method: str, calls: Sequence[Call]) -> Iterator[tuple[int, Any]]:
    """Yield number and result of each call of a model's method, as they come: from its workers, or from itself."""
    workers: ModelWorkers | None = getattr(model, "workers", None)
    if workers is not None:
        yield from workers.each(method, calls)
        return
    for number, given in enumerate(calls):
        yield number, getattr(model, method)(*given)


@contextmanager
def opened(
    open_one: Callable[[str, ModelOptions], M],
    specs: Mapping[str, str],
    options: ModelOptions,
    engine: EngineOptions | None = None,
    shard: int = 0,
) -> Generator[dict[str, M]]:
    """Yield models by name; with options of the engine, workers have their weights, and end with the block.

    Args:
        shard: inputs that are asked for and kept together; 0 for what suits what is asked.

    Raises:
        InputError: as ``open_one``; or the model is no one of this machine's (E272).
    """
    turns: list[ModelWorkers] = []
    for spec in specs.values() if engine is not None else ():
        # It would load the weights before it could be refused.
        if spec.startswith("vllm:"):
            raise _unshared(spec)
    try:
        with nullcontext() if engine is None else without_weights():
            models = {name: open_one(spec, options) for name, spec in specs.items()}
        for name, model in models.items():
            if shard and hasattr(model, "__dict__"):
                vars(model)["shard"] = shard
            if engine is not None:
                _share(model, specs[name], options, engine, turns)
        yield models
    finally:
        for one in turns:
            one.close()


def _share(model: Any, spec: str, options: ModelOptions, engine: EngineOptions, turns: list[ModelWorkers]) -> None:
    if hasattr(model, "estimate"):
        raise _unshared(spec)
    named = read_spec(spec, options)[1]
    for one in ("device", "threads"):
        # What a worker has is its share of the machine.
        if getattr(named, one) != getattr(options, one):
            raise InputError(Fault("E272", f"“{spec}” names {one} of this process", f"say it by --{one}", "--executor"))
    # Each process sees one GPU, whatever its number is.
    device = "cuda" if options.device.startswith("cuda") and engine.gpus else options.device
    work = ModelWork(spec, options.model_copy(update={"device": device}), model.signature)
    model.workers = ModelWorkers(work, engine, turns)


def _unshared(spec: str) -> InputError:
    advice = "leave --executor out: what answers it works on several requests by itself"
    return InputError(Fault("E272", f"“{spec}” has no workers", advice, "--executor"))


def shared_by(engine: EngineOptions, options: ModelOptions) -> EngineOptions:
    """Return on how many workers, and GPUs of this machine, a model is; on each GPU there is where none is named."""
    if engine.executor != "process":
        return engine
    need_libraries()
    torch: Any = import_module("torch")
    device = options.device
    every = tuple(range(torch.cuda.device_count())) if device in ("auto", "cuda") else ()
    gpus = (int(device.rpartition(":")[2]),) if device.startswith("cuda:") else every
    return replace(engine, gpus=gpus, workers=engine.workers or len(gpus) or 1)
