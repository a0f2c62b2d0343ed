"""The loss that is trained on, and the perplexity that is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from endophora.training.translation.batches import IGNORED


@dataclass(frozen=True, slots=True)
class Loss:
    """Sums over the labels that count, in nats."""

    smoothed: Tensor
    plain: Tensor


def cross_entropy(
    states: Tensor, weight: Tensor, bias: Tensor, labels: Tensor, smoothing: float, pad: int, *, half: bool = False
) -> Loss:
    """Return the loss of a batch.

    The scores of all V tokens are made for some rows at a time, and their gradient with them: what is kept is of the
    size of the states, not of the scores, and what is not counted has no scores at all.

    Args:
        states: (batch, T, d) what the decoder ends with.
        weight: (V, d) of the output layer.
        bias: (V,) of the output layer; it is not learned.
        labels: (batch, T); :data:`~endophora.training.translation.batches.IGNORED` where they do not count.
        smoothing: share ε of the probability that goes to all V − 1 tokens but padding alike (Szegedy et al. 2016).
        pad: id of the padding token, which is never predicted: its bias is far below the others.
    """
    counted = labels != IGNORED
    function: Any = _CrossEntropy
    smoothed, plain = function.apply(states[counted], weight, bias, labels[counted], (smoothing, pad, half))
    return Loss(smoothed, plain)


class _CrossEntropy(torch.autograd.Function):
    """The loss of rows (N, d) whose tokens (N,) are known, and its gradients, which are made on the way."""

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weight: Tensor, bias: Tensor, wanted: Tensor, options: tuple[float, int, bool]
    ) -> tuple[Tensor, Tensor]:
        """Return the smoothed and the plain loss; keep the gradients of the first where they are wanted."""
        smoothing, pad, half = options
        kind = torch.bfloat16 if half else weight.dtype
        table, offset = weight.to(kind), bias.to(kind)
        even = smoothing / (len(weight) - 1)
        # What smoothing adds is the same for every token but padding, so that sums over the tokens do for it.
        ordinary = weight.sum(0) - weight[pad]
        pull = (even * ordinary).to(kind)
        learning = ctx.needs_input_grad[0] or ctx.needs_input_grad[1]
        by_state = torch.empty_like(states) if learning else None
        by_weight = torch.zeros_like(weight) if learning else None
        # The sums of very many rows would lose digits in float32.
        sums = torch.zeros(2, dtype=torch.float64, device=states.device)
        for start in range(0, len(states), _ROWS):
            rows, tokens = states[start : start + _ROWS].to(kind), wanted[start : start + _ROWS, None]
            scores = functional.linear(rows, table, offset).float()
            logs = functional.log_softmax(scores, -1)
            known = logs.gather(1, tokens)
            sums[1] -= known.sum()
            sums[0] -= (1 - smoothing) * known.sum()
            if smoothing:
                totals = (scores.gather(1, tokens) - known).sum()
                sums[0] += smoothing * totals - even * (rows.float().sum(0) @ ordinary.float())
            if by_state is None or by_weight is None:
                continue
            slope = logs.exp_().scatter_add_(1, tokens, torch.full_like(known, smoothing - 1)).to(kind)
            by_state[start : start + _ROWS] = slope @ table - pull
            by_weight += slope.T @ rows
        sums[0] -= even * len(states) * (bias.sum() - bias[pad])
        if by_state is not None and by_weight is not None:
            shared = even * states.sum(0, dtype=weight.dtype)
            by_weight -= shared
            by_weight[pad] += shared
            ctx.save_for_backward(by_state, by_weight)
        smoothed, plain = sums.to(torch.float32)
        ctx.mark_non_differentiable(plain)
        return smoothed, plain

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        """Return the kept gradients, times that of the smoothed loss."""
        by_state, by_weight = ctx.saved_tensors
        return by_state * slopes[0].to(by_state.dtype), by_weight * slopes[0], None, None, None


_ROWS = 512
"""Rows whose scores are held at a time; with 16,000 tokens, 32 MB."""


def learning_rate(update: int, peak: float, warmup: int) -> float:
    """Return the rate of an update, from 1: linear to the peak, then with the inverse square root of the updates."""
    return peak * min(update / warmup, (warmup / update) ** 0.5)
