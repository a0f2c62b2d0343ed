"""Fine-tunes a classifier: weighted loss, warm-up and decay, early stopping on validation text."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import groupby
from math import isfinite, log
from operator import itemgetter
from random import Random
from typing import Any

from endophora.errors import Fault, InputError
from endophora.phenomena.ellipsis_detection import encode, judge, pad
from endophora.phenomena.ellipsis_examples import Example
from endophora.training.ellipsis_encoder import Encoder, length_limit
from endophora.training.ellipsis_settings import EllipsisSettings

_POOL = 50
"""Batches whose sentences are sorted by length together: the order stays random, and little is padded."""

_CLIP = 1.0
_DECAY = 0.01
_LEAST = 1e-12


@dataclass(frozen=True, slots=True)
class EpochReport:
    """How training stands after an epoch.

    Attributes:
        loss: mean weighted loss of a sentence, in units of the mean weight.
        best: whether no epoch before was better.
    """

    epoch: int
    epochs: int
    loss: float
    average_precision: float
    best: bool


@dataclass(frozen=True, slots=True)
class Fitted:
    """How the fitting went; the encoder has the weights of the best epoch."""

    epochs: int
    best_epoch: int


def fit(
    encoder: Encoder,
    train: Sequence[Example],
    validation: Sequence[Example],
    settings: EllipsisSettings,
    saved: Callable[[EpochReport], None],
    progress: Callable[[EpochReport], None] | None = None,
) -> Fitted:
    """Fine-tune a classifier.

    The loss of a batch of B sentences is Σ w·ℓ / (B·m), with ℓ the cross-entropy, w the weight of the label and m the
    mean weight of the training text: a batch with an elliptical sentence counts for as much more as the weight says.
    (A mean weighted within each batch would let it count for as much as one without.)

    Raises: InputError: the loss is no number any more (E256).
    """
    torch: Any = import_module("torch")
    model: Any = encoder.model
    rows = encode(encoder.tokenizer, [example.text for example in train], length_limit(encoder, settings.longest))
    mean = sum(settings.weight if example.elliptical else 1.0 for example in train) / len(train)
    step_count = settings.epochs * -(-len(rows) // settings.batch)
    optimiser: Any = torch.optim.AdamW(model.parameters(), lr=settings.learning_rate, weight_decay=_DECAY)
    rate = partial(_rate, steps=step_count, warmup=settings.warmup)
    schedule: Any = torch.optim.lr_scheduler.LambdaLR(optimiser, rate)
    half = settings.half(model.device.type)
    best, best_epoch, epoch = (-1.0, 0.0), 0, 0
    kept: dict[str, Any] = {}
    for epoch in range(1, settings.epochs + 1):
        model.train()
        total = 0.0
        for chosen in batches(rows, settings.batch, settings.seed * 1_000 + epoch):
            labels = [train[index].elliptical for index in chosen]
            share = sum(settings.weight if label else 1.0 for label in labels) / (len(chosen) * mean)
            loss = _loss(encoder, [rows[index] for index in chosen], labels, settings.weight, half)
            optimiser.zero_grad()
            (loss / (len(chosen) * mean)).backward()
            # A heavy batch may be as much longer as it is heavier: clipping must not undo the weight.
            torch.nn.utils.clip_grad_norm_(model.parameters(), _CLIP * share)
            optimiser.step()
            schedule.step()
            total += float(loss.item())
        if not isfinite(total):
            cause = f"the loss is no number in epoch {epoch}"
            raise InputError(Fault("E256", cause, "give a lower --rate, or --precision float32"))
        judged = validate(encoder, validation, settings)
        # Where the ranking cannot get better, the probabilities still can.
        value = average_precision(*judged), -log_loss(*judged, settings.weight)
        report = EpochReport(epoch, settings.epochs, total / (len(rows) * mean), value[0], value > best)
        if report.best:
            best, best_epoch = value, epoch
            kept = {name: tensor.detach().cpu().clone() for name, tensor in model.state_dict().items()}
            saved(report)
        if progress is not None:
            progress(report)
        if epoch - best_epoch >= settings.patience:
            break
    model.load_state_dict(kept)
    model.eval()
    return Fitted(epoch, best_epoch)


def validate(
    encoder: Encoder, examples: Sequence[Example], settings: EllipsisSettings
) -> tuple[list[bool], list[float]]:
    """Return whether each sentence is elliptical, and how probably it is according to the model."""
    encoder.model.eval()
    longest = length_limit(encoder, settings.longest)
    texts = [example.text for example in examples]
    probabilities = judge(encoder.model, encoder.tokenizer, texts, longest=longest, batch=settings.batch)
    return [example.elliptical for example in examples], probabilities


def average_precision(elliptical: Sequence[bool], probabilities: Sequence[float]) -> float:
    """Return the mean of the precisions at each elliptical sentence, by descending probability.

    Sentences of equal probability are taken together. With no elliptical sentence it is 0.
    """
    right = seen = 0
    total = 0.0
    for _, labels in ranked(elliptical, probabilities):
        right += sum(labels)
        seen += len(labels)
        total += sum(labels) * right / seen
    return total / right if right else 0.0


def ranked(elliptical: Sequence[bool], probabilities: Sequence[float]) -> Iterator[tuple[float, list[bool]]]:
    """Yield each probability, descending, and whether the sentences that have it are elliptical."""
    pairs = sorted(zip(probabilities, elliptical, strict=True), reverse=True)
    for value, same in groupby(pairs, key=itemgetter(0)):
        yield value, [label for _, label in same]


def log_loss(elliptical: Sequence[bool], probabilities: Sequence[float], weight: float) -> float:
    """Return the mean weighted cross-entropy."""
    pairs = list(zip(elliptical, probabilities, strict=True))
    weights = [weight if label else 1.0 for label, _ in pairs]
    losses = (-log(max(_LEAST, value if label else 1 - value)) for label, value in pairs)
    return sum(w * loss for w, loss in zip(weights, losses, strict=True)) / sum(weights) if weights else 0.0


def batches(rows: Sequence[Sequence[int]], size: int, seed: int) -> Iterator[list[int]]:
    """Yield the indices of each batch of an epoch, in an order drawn by the seed; rows of like length go together."""
    random = Random(seed)  # noqa: S311 (no secret is drawn)
    order = list(range(len(rows)))
    random.shuffle(order)
    drawn: list[list[int]] = []
    for start in range(0, len(order), size * _POOL):
        pool = sorted(order[start : start + size * _POOL], key=lambda index: len(rows[index]))
        drawn.extend(pool[first : first + size] for first in range(0, len(pool), size))
    random.shuffle(drawn)
    yield from drawn


def _loss(encoder: Encoder, rows: Sequence[list[int]], elliptical: Sequence[bool], weight: float, half: bool) -> Any:
    """Return the sum of the weighted losses of a batch."""
    torch: Any = import_module("torch")
    device: Any = encoder.model.device
    ids, mask = pad(rows, encoder.tokenizer.pad_token_id, device)
    with torch.autocast(device.type, torch.bfloat16, enabled=half):
        logits: Any = encoder.model(input_ids=ids, attention_mask=mask).logits
    weights: Any = torch.tensor([1.0, weight], device=device)
    labels: Any = torch.tensor(elliptical, device=device, dtype=torch.long)
    return torch.nn.functional.cross_entropy(logits.float(), labels, weight=weights, reduction="sum")


def _rate(step: int, steps: int, warmup: float) -> float:
    """Return the share of the learning rate at a step: up in a line for the warm-up, then down in a line to 0."""
    first = max(1, round(steps * warmup))
    return (step + 1) / first if step < first else max(0.0, (steps - step) / max(1, steps - first))


@contextmanager
def reproducible(seed: int, threads: int) -> Generator[None]:
    """Draw from a seed, on a fixed number of threads, with deterministic kernels on the CPU; then all is as before."""
    torch: Any = import_module("torch")
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        torch.set_num_threads(threads)
        # Some kernels of GPUs have no deterministic form; on the CPU all have.
        torch.use_deterministic_algorithms(not torch.cuda.is_available())
        try:
            yield
        finally:
            torch.set_num_threads(before[0])
            torch.use_deterministic_algorithms(before[1])
