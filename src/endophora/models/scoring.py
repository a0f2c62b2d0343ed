"""Log-probabilities of given targets, many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from endophora.models.batching import batches, padded
from endophora.models.forward import decoder_logits, encode, sources_key
from endophora.models.layout import LaidOut, decoder_length, source_length

LOGITS = 1 << 26
"""Most logits that are in memory at once: 256 MiB of float32."""


def target_logprobs(
    model: Any,
    examples: Sequence[LaidOut],
    *,
    start: int | None,
    pad: int,
    batch_tokens: int,
    advance: Callable[[int], None] | None = None,
) -> list[NDArray[np.float64]]:
    """Return the log-probability of each token of each target, given its source and what stands before it.

    Args:
        model: of ``transformers``, in evaluation mode.
        examples: the laid-out segments, with targets.
        start: the token that the decoder starts with; ``None`` if the prefix begins with it, as in decoder-only models.
        pad: the padding token.
        batch_tokens: most tokens of a batch on either side, padding included.
        advance: told how many more are done.

    Returns:
        For each example (T,) natural logarithms; the softmax is computed in float32.
    """
    found: list[NDArray[np.float64]] = [np.zeros(0)] * len(examples)
    vocabulary = int(model.get_output_embeddings().weight.shape[0])
    with torch.inference_mode():
        for batch in score_batches(examples, batch_tokens, max(1, LOGITS // vocabulary)):
            values = _batch(model, [examples[number] for number in batch], start, pad)
            for number, value in zip(batch, values, strict=True):
                found[number] = value
            if advance is not None:
                advance(len(batch))
    return found


def score_batches(examples: Sequence[LaidOut], batch_tokens: int, most_targets: int) -> list[list[int]]:
    """Share examples out to batches of like length; those whose sources are the same come together.

    Args:
        examples: the laid-out segments.
        batch_tokens: most tokens of a batch on either side, padding included.
        most_targets: most tokens of targets in a batch.
    """
    # Equal sources have equal lengths; among those, order them by what they are.
    order = sorted(range(len(examples)), key=lambda number: sources_key(examples[number]))
    lengths = [max(source_length(examples[number]), decoder_length(examples[number])) for number in order]
    made: list[list[int]] = []
    for batch in batches(lengths, batch_tokens):
        taken = 0
        made.append([])
        for number in (order[index] for index in batch):
            taken += len(examples[number].target)
            if made[-1] and taken > most_targets:
                made.append([])
                taken = len(examples[number].target)
            made[-1].append(number)
    return made


def _batch(model: Any, examples: Sequence[LaidOut], start: int | None, pad: int) -> list[NDArray[np.float64]]:
    head = () if start is None else (start,)
    begins = [(*head, *one.prefix) for one in examples]
    sequences = [(*begin, *one.target[:-1]) for begin, one in zip(begins, examples, strict=True)]
    tokens = padded(sequences, pad, model.device)
    width = tokens.shape[1]
    rows = [
        number * width + len(begin) - 1 + place
        for number, (begin, one) in enumerate(zip(begins, examples, strict=True))
        for place in range(len(one.target))
    ]
    wanted = torch.tensor([token for one in examples for token in one.target], device=model.device)
    # Padding stands behind everything, where a causal decoder does not see it.
    encoded = encode(model, examples, pad) if model.config.is_encoder_decoder else None
    logits, _ = decoder_logits(model, encoded, tokens, torch.tensor(rows, device=model.device))
    logits = logits.float()
    values = logits.gather(1, wanted[:, None])[:, 0] - logits.logsumexp(1)
    ends = np.cumsum([len(one.target) for one in examples])[:-1]
    return list(np.split(values.double().cpu().numpy(), ends))
