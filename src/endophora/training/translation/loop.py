"""The training itself: updates, looks at the validation text, checkpoints, and the end."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from endophora.models.batching import batches
from endophora.models.presets import preset
from endophora.models.vocabulary import Vocabulary
from endophora.training.translation.batches import TensorBatch, epoch_batches, tensor_batch
from endophora.training.translation.checkpoint import TrainingState, load_checkpoint, save_checkpoint
from endophora.training.translation.loss import cross_entropy, learning_rate
from endophora.training.translation.settings import TrainingSettings
from endophora.training.translation.text import Examples, Place


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training is.

    Attributes:
        update, epoch, tokens: as in the state.
        loss: mean negative log-likelihood of a label since the last word, in nats.
        words_per_second: labels seen in a second, since the last word.
        rate: the learning rate.
        perplexity: of the validation text, if this is a look at it.
        best: the lowest one.
    """

    update: int
    epoch: int
    tokens: int
    loss: float
    words_per_second: float
    rate: float
    perplexity: float | None
    best: float


class Training:
    """One training, from the first or a later checkpoint to its end.

    Args:
        model: what is trained.
        vocabulary: of source and target.
        train, validation: the text.
        settings: what it is told.
        folder: where checkpoints are (``last``), and the best model (``best``) by the caller's ``keep``.
        keep: called with the model each time it is the best so far.
        device: where it is trained.
    """

    def __init__(
        self,
        model: Any,
        vocabulary: Vocabulary,
        train: Examples,
        validation: Examples,
        settings: TrainingSettings,
        folder: Path,
        keep: Callable[[Any, TrainingState], None],
        device: torch.device,
    ) -> None:
        self.model = model.to(device)
        self.settings = settings
        self.state = TrainingState()
        self._vocabulary = vocabulary
        self._train, self._validation = train, validation
        self._folder, self._keep, self._device = folder, keep, device
        self._peak = settings.peak_learning_rate or preset(settings.preset).peak_learning_rate
        self._optimiser = torch.optim.Adam(model.parameters(), lr=self._peak, betas=(0.9, 0.98), eps=1e-9, fused=True)
        half = settings.precision == "bfloat16" or (settings.precision == "auto" and device.type == "cuda")
        self._half = half

    def run(self, tell: Callable[[Progress], None], every: int = 50) -> TrainingState:
        """Train to the end and return where it stands then.

        Args:
            tell: told how far it is.
            every: updates between two words.
        """
        self._resume()
        started, spoken = time.monotonic(), time.monotonic()
        self.model.train()
        loss = tokens = since_loss = since_tokens = 0.0
        for group in self._groups():
            one, counted = self._update(group)
            loss, tokens = loss + one, tokens + counted
            since_loss, since_tokens = since_loss + one, since_tokens + counted
            state = self.state
            look = state.update % self.settings.evaluate_every == 0
            over = self._over(started)
            perplexity = None
            if look or over:
                perplexity = self._look(since_loss / max(since_tokens, 1))
                since_loss = since_tokens = 0.0
            if look or over or state.update % every == 0:
                now = time.monotonic()
                tell(
                    Progress(
                        state.update,
                        state.epoch,
                        state.tokens,
                        loss / max(tokens, 1),
                        tokens / (now - spoken),
                        self._rate(),
                        perplexity,
                        state.best,
                    )
                )
                loss, tokens, spoken = 0.0, 0.0, now
            if over or state.since_best >= self.settings.patience:
                break
        return self.state

    def _resume(self) -> None:
        state = load_checkpoint(self._folder / "last", self.model, self._optimiser)
        if state is not None:
            self.state = state

    def _over(self, started: float) -> bool:
        minutes = self.settings.minutes
        late = minutes is not None and time.monotonic() - started > 60 * minutes
        return late or self.state.update >= self.settings.updates

    def _rate(self) -> float:
        return learning_rate(max(self.state.update, 1), self._peak, self.settings.warmup)

    def _groups(self) -> Iterator[list[list[Place]]]:
        """Yield the batches of each update, from where the state stands on."""
        while self.state.epoch < self.settings.epochs:
            taken = epoch_batches(self._train, self.settings, self.state.epoch).batches
            while self.state.batch < len(taken):
                group = taken[self.state.batch : self.state.batch + self.settings.accumulate]
                self.state.batch += len(group)
                yield group
            self.state.epoch, self.state.batch = self.state.epoch + 1, 0

    def _update(self, group: list[list[Place]]) -> tuple[float, int]:
        """Learn from the batches of one update; return the negative log-likelihood and the labels."""
        state = self.state
        state.update += 1
        draw = random.Random(f"{self.settings.seed} {state.update} words")  # noqa: S311 - not for secrets
        made = [self._batch(batch, self._train, draw) for batch in group]
        counted = sum(batch.tokens for batch in made)
        total = 0.0
        for batch in made:
            loss = self._loss(batch, self.settings.label_smoothing)
            (loss.smoothed / counted).backward()
            total += float(loss.plain)
        if self.settings.clip:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip)
        for parameters in self._optimiser.param_groups:
            parameters["lr"] = self._rate()
        self._optimiser.step()
        self._optimiser.zero_grad(set_to_none=True)
        state.tokens += counted
        return total, counted

    def _batch(self, places: list[Place], examples: Examples, draw: random.Random | None) -> TensorBatch:
        settings = self.settings
        return tensor_batch(
            [examples.example(place, draw) for place in places],
            self._vocabulary.pad,
            settings.architecture,
            # Only the tokens of the current target are looked at in validation.
            context_loss=settings.context_loss and draw is not None,
            device=self._device,
        )

    def _loss(self, batch: TensorBatch, smoothing: float) -> Any:
        with torch.autocast(self._device.type, dtype=torch.bfloat16, enabled=self._half):
            logits = self.model(**batch.inputs, use_cache=False).logits
        return cross_entropy(logits, batch.labels, smoothing, self._vocabulary.pad)

    @torch.no_grad()
    def _look(self, loss: float) -> float:
        """Return the perplexity of the validation text, with all context, and keep what is worth keeping."""
        self.model.eval()
        places = self._validation.places(None)
        lengths = [self._validation.length(place) for place in places]
        total, tokens = 0.0, 0
        for numbers in batches(lengths, self.settings.batch_tokens):
            batch = self._batch([places[number] for number in numbers], self._validation, None)
            total += float(self._loss(batch, 0.0).plain)
            tokens += batch.tokens
        self.model.train()
        perplexity = math.exp(min(total / max(tokens, 1), 700))
        state = self.state
        better = perplexity < state.best
        state.best, state.since_best = (perplexity, 0) if better else (state.best, state.since_best + 1)
        state.history.append({"update": state.update, "tokens": state.tokens, "perplexity": perplexity, "loss": loss})
        if better:
            self._keep(self.model, state)
        save_checkpoint(self._folder / "last", self.model, self._optimiser, state)
        return perplexity
