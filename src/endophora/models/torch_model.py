"""Models on torch: tensors of batches, a decoder that keeps what it has read, and log-probabilities of many targets."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import DynamicCache, EncoderDecoderCache
from transformers.modeling_outputs import BaseModelOutput, Seq2SeqModelOutput

from endophora.models.layout import LaidOut, batches, decoder_length, source_length
from endophora.models.loading import in_halves
from endophora.models.records import Decoding
from endophora.models.search import Search
from endophora.models.sequence_model import Found, SequenceModel, Task

Floats = NDArray[np.float64]

SHARED = 8
"""Tokens from which what stands before several targets is read once for all of them."""

LOGITS = 1 << 26
"""Most logits that are in memory at once on the CPU: 256 MiB of float32."""

CACHE = "cache" if "cache" in Seq2SeqModelOutput.__annotations__ else "past_key_values"
"""What transformers calls the keys and values that a decoder keeps: the first from 5.24 on, the second before."""

_LOGIT_BYTES = 16
"""Memory of a GPU that a logit takes on the way to its softmax, on the high side; a half of what is free may go so."""


def most_logits(device: torch.device) -> int:
    """Return how many logits may be in memory at once: by what is free on a GPU, a constant elsewhere."""
    if device.type != "cuda":
        return LOGITS
    free, _ = torch.cuda.mem_get_info(device)
    return max(LOGITS, free // (2 * _LOGIT_BYTES))


def padded(sequences: Sequence[Sequence[int]], filler: int, device: torch.device | str = "cpu") -> Tensor:
    """Return sequences as one tensor (N, longest), filled up at the end."""
    width = max((len(sequence) for sequence in sequences), default=0)
    rows = [[*sequence, *[filler] * (width - len(sequence))] for sequence in sequences]
    return torch.tensor(rows, dtype=torch.long, device=device).reshape(len(sequences), width)


def masked(sequences: Sequence[Sequence[int]], device: torch.device | str = "cpu") -> Tensor:
    """Return the mask (N, longest) of sequences: 1 where a token stands, 0 where it is padding."""
    return padded([[1] * len(sequence) for sequence in sequences], 0, device)


@dataclass(frozen=True, slots=True)
class Encoded:
    """What all encoders have made of a batch: (B, S, hidden), and a mask (B, S) with 1 where a token stands."""

    states: Tensor
    mask: Tensor

    def rows(self, numbers: Tensor) -> Encoded:
        """Return these examples of the batch, (N,) numbers; an example may be there several times."""
        return Encoded(self.states[numbers], self.mask[numbers])


def sources_key(example: LaidOut) -> tuple[tuple[int, ...], ...]:
    """Return what the encoders read of an example: examples that have it in common are encoded once."""
    return example.source, example.source_context, example.target_context


def encode(model: Any, examples: Sequence[LaidOut], pad: int) -> Encoded:
    """Run the encoder, or all encoders, over a batch, once for examples whose sources are the same."""
    places: dict[tuple[tuple[int, ...], ...], int] = {}
    rows = [places.setdefault(sources_key(example), len(places)) for example in examples]
    source, *context = zip(*places, strict=True)
    device = model.device
    ids, mask = padded(source, pad, device), masked(source, device)
    if not hasattr(model, "encode"):
        found = Encoded(model.get_encoder()(input_ids=ids, attention_mask=mask)[0], mask)
    else:
        more: list[Tensor | None] = []
        for sequences in context:
            more += [padded(sequences, pad, device), masked(sequences, device)] if any(sequences) else [None, None]
        found = Encoded(*model.encode(ids, mask, *more))
    return found if len(places) == len(rows) else found.rows(torch.tensor(rows, device=found.mask.device))


@contextmanager
def _only(model: Any, rows: Tensor) -> Generator[None]:
    """Let the output layer see only some of the decoder's states."""

    def choose(layer: Any, arguments: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Replace the states (batch, length, hidden) by those that are wanted (1, N, hidden)."""
        del layer
        states, *others = arguments
        return (states.flatten(0, -2)[rows][None], *others)

    handle = model.get_output_embeddings().register_forward_pre_hook(choose)
    try:
        yield
    finally:
        handle.remove()


def decoder_logits(
    model: Any, encoded: Encoded | None, tokens: Tensor, rows: Tensor, cache: Any = None
) -> tuple[Tensor, Any]:
    """Return the logits, (N, vocabulary), of a decoder that reads (B, T) tokens, and the cache with these tokens.

    ``rows`` are (N,) places in the flattened tokens (B · T) whose next token is asked for. The model is a decoder-only
    one if there is nothing encoded.
    """
    given: dict[str, Any] = {"use_cache": cache is not None, CACHE: cache}
    if encoded is None:
        given |= {"input_ids": tokens}
    else:
        given |= {
            "encoder_outputs": BaseModelOutput(last_hidden_state=cast("Any", encoded.states)),
            "attention_mask": encoded.mask,
            "decoder_input_ids": tokens,
        }
    with _only(model, rows):
        output = model(**given)
    return output.logits[0], output[CACHE] if cache is not None else None


class TorchSteps:
    """Steps of a decoder that keeps keys and values of what it has read."""

    def __init__(self, model: Any, encoded: Encoded | None) -> None:
        self._model = model
        self._encoded = encoded
        own = DynamicCache(config=model.config)
        self._own: Any = own
        self._cache: Any = own if encoded is None else EncoderDecoderCache(own, DynamicCache(config=model.config))

    def begin(self, tokens: Tensor) -> Tensor:
        """Read the first tokens, (B, T), and return the logits of the next one, (B, vocabulary)."""
        count, width = tokens.shape
        last = torch.arange(1, count + 1, device=tokens.device) * width - 1
        logits, self._cache = decoder_logits(self._model, self._encoded, tokens, last, self._cache)
        return logits

    def step(self, tokens: Tensor) -> Tensor:
        """Read one more token of each, (N,), and return the logits of the next one, (N, vocabulary)."""
        rows = torch.arange(len(tokens), device=tokens.device)
        logits, self._cache = decoder_logits(self._model, self._encoded, tokens[:, None], rows, self._cache)
        return logits

    def read(self, tokens: Tensor, rows: Tensor) -> Tensor:
        """Read more tokens of each, (N, T), and return the logits at (M,) places of the flattened (N · T)."""
        logits, self._cache = decoder_logits(self._model, self._encoded, tokens, rows, self._cache)
        return logits

    def repeat(self, times: int) -> None:
        """Make each example of the batch so many, one after the other."""
        self._cache.batch_repeat_interleave(times)
        if self._encoded is not None:
            states, mask = self._encoded.states, self._encoded.mask
            self._encoded = Encoded(states.repeat_interleave(times, 0), mask.repeat_interleave(times, 0))

    def reorder(self, rows: Tensor) -> None:
        """Let each row, (N,), go on from another one of the same example: what the encoder said stays the same."""
        self._own.reorder_cache(rows)

    def keep(self, rows: Tensor) -> None:
        """Forget all but some rows, (M,); a row may be there several times."""
        self._cache.batch_select_indices(rows)
        if self._encoded is not None:
            self._encoded = self._encoded.rows(rows)


def target_logprobs(
    model: Any, examples: Sequence[LaidOut], *, start: int | None, pad: int, batch_tokens: int
) -> list[Floats]:
    """Return the log-probability of each token of each target, (T,), given its source and what stands before it.

    The softmax is computed in float32. ``start`` is the token that the decoder starts with; ``None`` if the prefix
    begins with it, as in decoder-only models.
    """
    found: list[Floats] = [np.zeros(0)] * len(examples)
    vocabulary = int(model.get_output_embeddings().weight.shape[0])
    most = max(1, most_logits(torch.device(model.device)) // vocabulary)
    head = () if start is None else (start,)
    groups = [group for group in _groups(examples) if len(group) > 1 and len(examples[group[0]].prefix) >= SHARED]
    together = {number for group in groups for number in group}
    alone = [number for number in range(len(examples)) if number not in together]

    def keep(numbers: Sequence[int], values: Sequence[Floats]) -> None:
        """Put log-probabilities in their places."""
        for number, value in zip(numbers, values, strict=True):
            found[number] = value

    with torch.inference_mode():
        for batch in _group_batches(groups, examples, batch_tokens, most):
            members = [(place, number) for place, group in enumerate(batch) for number in group]
            pairs = [(place, examples[number]) for place, number in members]
            scored = in_halves(pairs, lambda some: _shared(model, _regrouped(some), head, pad))
            keep([number for _, number in members], scored)
        # A causal decoder reads a text as it reads its beginning: what is the beginning of another is read with it.
        readings = _readings(examples, alone, most) if start is None else [[number] for number in alone]
        for batch in score_batches([[examples[number] for number in one] for one in readings], batch_tokens, most):
            chosen = [readings[place] for place in batch]
            some = [[examples[number] for number in one] for one in chosen]
            scored = in_halves(some, lambda part: _batch(model, part, head, pad))
            keep([number for one in chosen for number in one], [value for one in scored for value in one])
    return found


def _readings(examples: Sequence[LaidOut], numbers: Sequence[int], most_targets: int) -> list[list[int]]:
    """Return the numbers of examples that one pass reads: the longest text first, then those that it begins with.

    So a window of context that has not begun to slide is read once for all its segments, and the windows of all sizes
    that begin with the same segment are read as one; not more at once than there is room for logits.
    """
    texts = {number: (*examples[number].prefix, *examples[number].target[:-1]) for number in numbers}
    found: list[list[int]] = []
    taken = 0
    # In this order a text stands right before those that begin with it.
    for number in sorted(numbers, key=lambda number: texts[number], reverse=True):
        wanted = len(examples[number].target)
        fits = taken + wanted <= most_targets
        if found and fits and texts[found[-1][-1]][: len(texts[number])] == texts[number]:
            found[-1].append(number)
            taken += wanted
        else:
            found.append([number])
            taken = wanted
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


def score_batches(readings: Sequence[Sequence[LaidOut]], batch_tokens: int, most_targets: int) -> list[list[int]]:
    """Share readings out to batches of like length; those whose sources are the same come together."""
    firsts = [reading[0] for reading in readings]
    targets = [sum(len(one.target) for one in reading) for reading in readings]
    # Equal sources have equal lengths; among those, order them by what they are.
    order = sorted(range(len(readings)), key=lambda number: sources_key(firsts[number]))
    lengths = [max(source_length(firsts[number]), decoder_length(firsts[number])) for number in order]
    made: list[list[int]] = []
    for batch in batches(lengths, batch_tokens):
        taken = 0
        made.append([])
        for number in (order[index] for index in batch):
            taken += targets[number]
            if made[-1] and taken > most_targets:
                made.append([])
                taken = targets[number]
            made[-1].append(number)
    return made


def _batch(model: Any, readings: Sequence[Sequence[LaidOut]], head: tuple[int, ...], pad: int) -> list[list[Floats]]:
    """Score the examples of each reading, whose first is all that is read."""
    firsts = [reading[0] for reading in readings]
    tokens = padded([(*head, *one.prefix, *one.target[:-1]) for one in firsts], pad, model.device)
    width = tokens.shape[1]
    rows = [
        number * width + len(head) + len(one.prefix) - 1 + place
        for number, reading in enumerate(readings)
        for one in reading
        for place in range(len(one.target))
    ]
    examples = [one for reading in readings for one in reading]
    wanted = [token for one in examples for token in one.target]
    places = torch.tensor(rows, device=model.device)
    # Padding stands behind everything, where a causal decoder does not see it.
    encoded = encode(model, firsts, pad) if model.config.is_encoder_decoder else None
    logits, _ = decoder_logits(model, encoded, tokens, places)
    values = iter(np.split(_chosen(logits, wanted), np.cumsum([len(one.target) for one in examples])[:-1]))
    return [[next(values) for _ in reading] for reading in readings]


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


def _regrouped(members: Sequence[tuple[int, LaidOut]]) -> list[list[LaidOut]]:
    """Return examples by the number of their group; those of a group follow each other."""
    return [[one for _, one in found] for _, found in groupby(members, key=lambda member: member[0])]


def _chosen(logits: Tensor, wanted: Sequence[int]) -> Floats:
    """Return the log-probability of one token in each row of logits, (N, vocabulary)."""
    logits = logits.float()
    tokens = torch.tensor(wanted, device=logits.device)
    return (logits.gather(1, tokens[:, None])[:, 0] - logits.logsumexp(1)).cpu().double().numpy()


class TorchModel(SequenceModel):
    """A model on torch."""

    def _logprobs(self, examples: Sequence[LaidOut]) -> list[NDArray[np.float64]]:
        special = {"start": self.coder.start, "pad": self.coder.pad}
        return target_logprobs(self.model, examples, **special, batch_tokens=self.batch_tokens)

    def _search(self, tasks: Sequence[Task], decoding: Decoding) -> list[Found]:
        begins = [(self.coder.start, *task.example.prefix) for task in tasks]
        limits, ends = [task.limit for task in tasks], self.layout.closing[:1]
        with torch.inference_mode():
            encoded = encode(self.model, [task.example for task in tasks], self.coder.pad)
            steps = TorchSteps(self.model, encoded)
            return Search(steps, begins, limits, ends, (self.coder.pad,), decoding, self.model.device).run()
