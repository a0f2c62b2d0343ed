"""Batches in the memory of a device: what does not fit is done in halves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from endophora.errors import Fault, InputError

T = TypeVar("T")
R = TypeVar("R")

_SAID = ("out of memory", "can't allocate memory")
"""How libraries say it that have no error of their own for it."""


_LEAST, _MOST = 1024, 65_536
_SHARE = 4
"""Of what is free, a batch may take one part of so many: searches keep more than scores do, and logits come besides."""


def fitting_tokens(free: int, config: Any, size: int) -> int:
    """Return how many tokens of a batch there is room for.

    A token takes its states in one layer (eight of the hidden size, three of the feed-forward one, on the high side),
    and keys and values in all. Where that is too little, :func:`in_halves` does the rest.

    Args:
        free: bytes of memory.
        config: of the model, with the names of ``transformers``.
        size: bytes of a number.
    """
    text = config.get_text_config(decoder=True)

    def named(*names: str, default: int) -> int:
        return next((int(found) for name in names if (found := getattr(text, name, None))), default)

    hidden = named("hidden_size", "d_model", "n_embd", default=1024)
    inner = named("intermediate_size", "decoder_ffn_dim", "d_ff", "n_inner", default=4 * hidden)
    layers = named("num_hidden_layers", "decoder_layers", "num_layers", "n_layer", default=24)
    each = size * (8 * hidden + 3 * inner + 2 * layers * hidden)
    return max(_LEAST, min(_MOST, free // (_SHARE * each)))


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
