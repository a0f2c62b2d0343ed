"""Sequence-to-sequence models on torch, those trained here and those of the Hub; log-probabilities of many targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from endophora.models.forward import TorchSteps, decoder_logits, encode, padded, sources_key
from endophora.models.layout import LaidOut, Layout, batches, decoder_length, source_length
from endophora.models.records import Decoding
from endophora.models.search import search
from endophora.models.sequence_model import Advance, Found, SequenceModel, Task
from endophora.models.tokenization import Coder

Floats = NDArray[np.float64]

SHARED = 8
"""Tokens from which what stands before several targets is read once for all of them."""

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
) -> list[Floats]:
    """Return the log-probability of each token of each target, given its source and what stands before it.

    Args:
        start: the token that the decoder starts with; ``None`` if the prefix begins with it, as in decoder-only models.

    Returns:
        For each example (T,) natural logarithms; the softmax is computed in float32.
    """
    found: list[Floats] = [np.zeros(0)] * len(examples)
    vocabulary = int(model.get_output_embeddings().weight.shape[0])
    most = max(1, LOGITS // vocabulary)
    head = () if start is None else (start,)
    groups = [group for group in _groups(examples) if len(group) > 1 and len(examples[group[0]].prefix) >= SHARED]
    together = {number for group in groups for number in group}
    alone = [number for number in range(len(examples)) if number not in together]

    def keep(numbers: Sequence[int], values: Sequence[Floats]) -> None:
        """Put log-probabilities in their places."""
        for number, value in zip(numbers, values, strict=True):
            found[number] = value
        if advance is not None:
            advance(len(numbers))

    with torch.inference_mode():
        for batch in _group_batches(groups, examples, batch_tokens, most):
            chosen = [[examples[number] for number in group] for group in batch]
            keep([number for group in batch for number in group], _shared(model, chosen, head, pad))
        for batch in score_batches([examples[number] for number in alone], batch_tokens, most):
            numbers = [alone[index] for index in batch]
            keep(numbers, _batch(model, [examples[number] for number in numbers], head, pad))
    return found


def _groups(examples: Sequence[LaidOut]) -> list[list[int]]:
    """Return the numbers of examples that differ in nothing but the target, together."""
    found: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for number, example in enumerate(examples):
        found.setdefault((*sources_key(example), example.prefix), []).append(number)
    return list(found.values())


def _group_batches(
    groups: Sequence[list[int]], examples: Sequence[LaidOut], batch_tokens: int, most_targets: int
) -> list[list[list[int]]]:
    """Share groups out to batches in which all prefixes are of the same length."""
    made: list[list[list[int]]] = []
    taken = targets = last = 0
    for group in sorted(groups, key=lambda group: (len(examples[group[0]].prefix), source_length(examples[group[0]]))):
        prefix = len(examples[group[0]].prefix)
        ahead = prefix + source_length(examples[group[0]])
        cost = ahead + len(group) * max(len(examples[number].target) for number in group)
        wanted = sum(len(examples[number].target) for number in group)
        if made and prefix == last and taken + cost <= batch_tokens and targets + wanted <= most_targets:
            made[-1].append(group)
            taken, targets = taken + cost, targets + wanted
        else:
            made.append([group])
            taken, targets, last = cost, wanted, prefix
    return made


def score_batches(examples: Sequence[LaidOut], batch_tokens: int, most_targets: int) -> list[list[int]]:
    """Share examples out to batches of like length; those whose sources are the same come together."""
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


def _batch(model: Any, examples: Sequence[LaidOut], head: tuple[int, ...], pad: int) -> list[Floats]:
    begins = [(*head, *one.prefix) for one in examples]
    sequences = [(*begin, *one.target[:-1]) for begin, one in zip(begins, examples, strict=True)]
    tokens = padded(sequences, pad, model.device)
    width = tokens.shape[1]
    rows = [
        number * width + len(begin) - 1 + place
        for number, (begin, one) in enumerate(zip(begins, examples, strict=True))
        for place in range(len(one.target))
    ]
    wanted = [token for one in examples for token in one.target]
    places = torch.tensor(rows, device=model.device)
    # Padding stands behind everything, where a causal decoder does not see it.
    encoded = encode(model, examples, pad) if model.config.is_encoder_decoder else None
    logits, _ = decoder_logits(model, encoded, tokens, places)
    return list(np.split(_chosen(logits, wanted), np.cumsum([len(one.target) for one in examples])[:-1]))


def _shared(model: Any, groups: Sequence[Sequence[LaidOut]], head: tuple[int, ...], pad: int) -> list[Floats]:
    """Score groups of examples that differ in the target alone: what stands before it is read once for each group."""
    firsts = [group[0] for group in groups]
    examples = [one for group in groups for one in group]
    owners = torch.tensor([place for place, group in enumerate(groups) for _ in group], device=model.device)
    begin = padded([(*head, *one.prefix) for one in firsts], pad, model.device)
    tokens = padded([one.target[:-1] for one in examples], pad, model.device)
    width = tokens.shape[1]
    places = [number * width + place for number, one in enumerate(examples) for place in range(len(one.target) - 1)]
    rows = torch.tensor(places, dtype=torch.long, device=model.device)
    wanted = [one.target[0] for one in examples], [token for one in examples for token in one.target[1:]]
    steps = TorchSteps(model, encode(model, firsts, pad) if model.config.is_encoder_decoder else None)
    first, rest = _chosen(steps.begin(begin)[owners], wanted[0]), np.zeros(0)
    if width:
        steps.keep(owners)
        rest = _chosen(steps.read(tokens, rows), wanted[1])
    ends = np.cumsum([len(one.target) - 1 for one in examples])[:-1]
    return [np.concatenate(([value], more)) for value, more in zip(first, np.split(rest, ends), strict=True)]


def _chosen(logits: Tensor, wanted: Sequence[int]) -> Floats:
    """Return the log-probability of one token in each row of logits, (N, vocabulary)."""
    logits = logits.float()
    tokens = torch.tensor(wanted, device=logits.device)
    return (logits.gather(1, tokens[:, None])[:, 0] - logits.logsumexp(1)).double().cpu().numpy()


class TorchModel(SequenceModel):
    """A model on torch."""

    def __init__(
        self, model: Any, coder: Coder, layout: Layout, signature: str, batch_tokens: int = 512, weights: str = ""
    ) -> None:
        super().__init__(coder, layout, signature, batch_tokens, weights)
        self.model: Any = model

    def _logprobs(self, examples: Sequence[LaidOut], advance: Advance) -> list[NDArray[np.float64]]:
        return target_logprobs(
            self.model,
            examples,
            start=self.coder.start,
            pad=self.coder.pad,
            batch_tokens=self.batch_tokens,
            advance=advance,
        )

    def _search(self, tasks: Sequence[Task], decoding: Decoding) -> list[Found]:
        with torch.inference_mode():
            encoded = encode(self.model, [task.example for task in tasks], self.coder.pad)
            return search(
                TorchSteps(self.model, encoded),
                [(self.coder.start, *task.example.prefix) for task in tasks],
                [task.limit for task in tasks],
                self.layout.closing[:1],
                (self.coder.pad,),
                decoding,
                self.model.device,
            )
