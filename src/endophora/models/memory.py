"""Batches in the memory of a device: what does not fit is done in halves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from endophora.errors import Fault, InputError

T = TypeVar("T")
R = TypeVar("R")

_SAID = ("out of memory", "can't allocate memory")
"""How libraries say it that have no error of their own for it."""


def in_halves(batch: Sequence[T], run: Callable[[Sequence[T]], Sequence[R]]) -> list[R]:
    """Return what ``run`` makes of a batch, one for each; where memory runs out, of its halves (E286).

    What one example needs is not known before: it depends on the model, and on who else uses the device.
    """
    try:
        return list(run(batch))
    except RuntimeError as error:
        if not _out_of_memory(error):
            raise
        if len(batch) < 2:
            cause = "there is not enough memory on the device for one segment"
            advice = "--precision bfloat16, a smaller model, gpus= of vllm:, or --device cpu"
            raise InputError(Fault("E286", cause, advice, "--device")) from error
    # Outside of the block: the error holds on to what was computed.
    if (torch := sys.modules.get("torch")) is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
    middle = len(batch) // 2
    return [*in_halves(batch[:middle], run), *in_halves(batch[middle:], run)]


def _out_of_memory(error: RuntimeError) -> bool:
    return type(error).__name__ == "OutOfMemoryError" or any(words in str(error).lower() for words in _SAID)
