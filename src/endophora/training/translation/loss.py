"""The loss that is trained on, and the perplexity that is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional

from endophora.training.translation.batches import IGNORED


@dataclass(frozen=True, slots=True)
class Loss:
    """Sums over the labels that count, in nats.

    Attributes:
        smoothed: what is minimised.
        plain: negative log-likelihood.
    """

    smoothed: Tensor
    plain: Tensor


def cross_entropy(logits: Tensor, labels: Tensor, smoothing: float, pad: int) -> Loss:
    """Return the loss of a batch.

    Args:
        logits: (batch, T, V).
        labels: (batch, T); :data:`~endophora.training.translation.batches.IGNORED` where they do not count.
        smoothing: share ε of the probability that goes to all V − 1 tokens but padding alike (Szegedy et al. 2016).
        pad: id of the padding token, which is never predicted.
    """
    counted = labels != IGNORED
    rows, wanted = logits[counted].float(), labels[counted]
    logs = functional.log_softmax(rows, -1)
    plain = functional.nll_loss(logs, wanted, reduction="sum")
    if not smoothing:
        return Loss(plain, plain.detach())
    # Padding's logit is a constant far below; its part of the sum is taken out again.
    even = -(logs.sum() - logs[:, pad].sum()) / (logs.shape[1] - 1)
    return Loss((1 - smoothing) * plain + smoothing * even, plain.detach())


def learning_rate(update: int, peak: float, warmup: int) -> float:
    """Return the rate of an update, from 1: linear to the peak, then with the inverse square root of the updates.

    Args:
        update: its number.
        peak: the rate at the end of the warm-up.
        warmup: updates of warm-up.
    """
    return peak * min(update / warmup, (warmup / update) ** 0.5)
