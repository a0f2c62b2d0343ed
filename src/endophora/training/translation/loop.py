"""The training itself: updates, evaluation on the validation text, checkpoints, and the end."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from endophora.errors import Fault, InputError
from endophora.models.layout import batches, preset
from endophora.models.multi_encoder import MultiEncoderForTranslation
from endophora.stopping import deferring
from endophora.training.translation.devices import Devices
from endophora.training.translation.examples import Examples, Place, TensorBatch, epoch_batches, tensor_batch
from endophora.training.translation.folder import TrainingState, load_checkpoint, save_checkpoint
from endophora.training.translation.model import Loss, cross_entropy, learning_rate, seed_everything
from endophora.training.translation.settings import TrainingSettings


class Forward:
    """Runs batches through a model, in the precision that the settings and the device ask for."""

    def __init__(self, model: Any, pad: int, settings: TrainingSettings, device: torch.device) -> None:
        self.model = model
        # All but the output layer, whose scores the loss makes itself.
        self._body: Any = model.decoded if isinstance(model, MultiEncoderForTranslation) else model.model
        self.half = settings.precision == "bfloat16" or (settings.precision == "auto" and device.type == "cuda")
        self._pad, self._settings, self._device = pad, settings, device

    def batch(self, examples: list[Any], *, context_loss: bool) -> TensorBatch:
        """Return laid-out examples as tensors; ``context_loss`` counts the target context's tokens as well."""
        architecture = self._settings.architecture
        return tensor_batch(examples, self._pad, architecture, context_loss=context_loss, device=self._device)

    def loss(self, batch: TensorBatch, smoothing: float) -> Loss:
        """Return the loss of a batch."""
        with torch.autocast(self._device.type, dtype=torch.bfloat16, enabled=self.half):
            states = self._body(**batch.inputs, use_cache=False).last_hidden_state
        weight, bias = self.model.lm_head.weight, self.model.final_logits_bias[0]
        return cross_entropy(states, weight, bias, batch.labels, smoothing, self._pad, half=self.half)


def perplexity(forward: Forward, examples: Examples, settings: TrainingSettings, devices: Devices) -> float:
    """Return the perplexity of a token of the current targets, given the targets before them as context."""
    places = examples.draw(None).places
    lengths = [examples.length(place) for place in places]
    sums = torch.zeros(2, dtype=torch.float64, device=devices.device)
    forward.model.eval()
    with torch.no_grad():
        for numbers in batches(lengths, settings.batch_tokens)[devices.rank :: devices.count]:
            # Only the tokens of the current target are looked at.
            batch = forward.batch([examples.example(places[number]) for number in numbers], context_loss=False)
            sums[0] += forward.loss(batch, 0.0).plain
            sums[1] += batch.tokens
    forward.model.train()
    devices.add_up([sums])
    return math.exp(min(sums[0].item() / max(sums[1].item(), 1), 700.0))


_SPEAK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training is.

    Attributes:
        loss: mean negative log-likelihood of a label since the last word, in nats.
        words_per_second: target words seen in a second, those of contexts included, since the last word.
        perplexity: of the validation text, if this is a look at it.
        seconds_left: until the first limit is reached; it may end earlier, when nothing gets better.
    """

    update: int
    epoch: int
    tokens: int
    loss: float
    words_per_second: float
    rate: float
    perplexity: float | None
    best: float
    seconds_left: float
    done: float


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told of a training, and who may end it.

    Attributes:
        tell: told how far it is.
        keep: called with the model and the state each time the model is the best so far.
        stop: asked after each update whether to stop there.
    """

    tell: Callable[[Progress], None] = lambda _: None
    note: Callable[[str], None] = lambda _: None
    keep: Callable[[Any, TrainingState], None] = lambda _, __: None
    stop: Callable[[], bool] = lambda: False


class Training:
    """One training, from the first or a later checkpoint to its end."""

    def __init__(
        self,
        model: Any,
        pad: int,
        train: Examples,
        validation: Examples,
        settings: TrainingSettings,
        checkpoint: Path,
        watch: Watch,
        devices: Devices,
    ) -> None:
        self.model = model.to(devices.device)
        if devices.device.type == "cpu" and settings.precision == "bfloat16":
            # There the backward pass of torch's own attention takes ten times its forward pass.
            self.model.set_attn_implementation("eager")
        self.settings = settings
        self._train, self._validation = train, validation
        self._checkpoint, self._watch, self._devices = checkpoint, watch, devices
        self._forward = Forward(self.model, pad, settings, devices.device)
        self._peak = settings.peak_learning_rate or preset(settings.preset).peak_learning_rate
        self._parameters = list(self.model.parameters())
        # An Any: the library's types are unknown in parts.
        self._optimiser: Any = torch.optim.Adam(
            self._parameters, lr=self._peak, betas=(0.9, 0.98), eps=1e-9, fused=True
        )
        # Weights are drawn alike on all devices, what is left out of them is not.
        seed_everything(1_000_003 * (settings.seed + 1) + devices.rank)
        self.state = load_checkpoint(checkpoint, self.model, self._optimiser, devices) or TrainingState()
        self._sum, self._labels = torch.zeros(1, dtype=torch.float64, device=devices.device), 0
        self._clock = _Clock(self.state.update)
        self._batches_left = 0

    def run(self) -> str:
        """Train to the end.

        Raises: InputError: the loss is no number (E300), or there is nothing to learn from (E294).
        """
        # A signal is asked for after each update, and a checkpoint is written then.
        with deferring():
            return self._run()

    def _run(self) -> str:
        self.model.train()
        state, settings = self.state, self.settings
        why = self._ended()
        for group in self._groups() if not why else ():
            asked = self._update(group)
            why = self._ended() or asked.end
            if state.update % settings.evaluate_every == 0 or (why and why != "stopped"):
                self._look()
                why = self._ended() or why
            elif why or asked.save:
                self._save()
            elif asked.speak:
                self._speak(None)
            if why:
                return why
        if why:
            return why
        if state.looked < state.update:
            self._look()
        return "epochs"

    def _ended(self) -> str:
        if self.state.since_best >= self.settings.patience:
            return "patience"
        return "updates" if self.state.update >= self.settings.updates else ""

    def _groups(self) -> Iterator[list[list[Place]]]:
        """Yield the batches of each update, from where the state stands on."""
        state, accumulate = self.state, self.settings.accumulate
        while state.epoch < self.settings.epochs:
            epoch = epoch_batches(self._train, self.settings, state.epoch)
            if not epoch:
                cause = f"no example has at most {self.settings.longest} tokens"
                raise InputError(Fault("E294", cause, "--longest, up to 1024; or split the segments", "--train"))
            while state.batch < len(epoch):
                group = epoch[state.batch : state.batch + accumulate]
                state.batch += len(group)
                later = (self.settings.epochs - state.epoch - 1) * len(epoch)
                self._batches_left = len(epoch) - state.batch + later
                yield group
            state.epoch, state.batch = state.epoch + 1, 0

    def _update(self, group: list[list[Place]]) -> _Asked:
        """Learn from the batches of one update; return what is to be done after it."""
        state, devices = self.state, self._devices
        first = state.batch - len(group)
        state.update += 1
        made = [
            self._batch(batch, f"{self.settings.seed} {state.epoch} {first + number} words")
            for number, batch in enumerate(group)
            if number % devices.count == devices.rank
        ]
        labels, asked = self._ask(sum(batch.tokens for batch in made))
        for batch in made:
            loss = self._forward.loss(batch, self.settings.label_smoothing)
            share: Any = loss.smoothed / labels
            share.backward()
            self._sum += loss.plain
        self._step()
        self._labels += labels
        state.tokens += labels
        return asked

    def _ask(self, labels: int) -> tuple[int, _Asked]:
        """Return the labels of this update on all devices, and what all are to do after it: clocks differ."""
        clock, minutes = self._clock, self.settings.minutes
        late = minutes is not None and clock.seconds() > 60 * minutes
        due = not self._devices.rank and clock.since_checkpoint() > 60 * self.settings.checkpoint_minutes
        word = not self._devices.rank and clock.since_word() > _SPEAK_SECONDS
        wanted = [float(labels), float(self._watch.stop()), float(late), float(due), float(word)]
        total, stop, late, due, word = self._devices.totals(wanted)
        return round(total), _Asked("stopped" if stop else "minutes" if late else "", due > 0, word > 0)

    def _step(self) -> None:
        if self._devices.count > 1:
            for parameter in self._parameters:
                if parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)
            self._devices.add_up([parameter.grad for parameter in self._parameters if parameter.grad is not None])
        if self.settings.clip:
            torch.nn.utils.clip_grad_norm_(self._parameters, self.settings.clip)
        for parameters in self._optimiser.param_groups:
            parameters["lr"] = self._rate()
        self._optimiser.step()
        self._optimiser.zero_grad(set_to_none=True)

    def _batch(self, places: list[Place], seed: str) -> Any:
        draw = random.Random(seed)  # noqa: S311 - not for secrets
        examples = [self._train.example(place, draw) for place in places]
        return self._forward.batch(examples, context_loss=self.settings.context_loss)

    def _rate(self) -> float:
        return learning_rate(max(self.state.update, 1), self._peak, self.settings.warmup)

    def _look(self) -> None:
        """Look at the validation text, keep the model if it is the best so far, and write a checkpoint."""
        self._take_stock()
        state = self.state
        found = perplexity(self._forward, self._validation, self.settings, self._devices)
        regular = state.update % self.settings.evaluate_every == 0
        better = found < state.best
        if better:
            state.best, state.best_update, state.since_best = found, state.update, 0
        elif regular:
            # A look that only a limit has brought about counts for nothing when the training goes on.
            state.since_best += 1
        state.looked = state.update
        state.history.append(
            {
                "update": state.update,
                "epoch": state.epoch,
                "tokens": state.tokens,
                "perplexity": found,
                "loss": round(state.loss / max(state.labels, 1), 6),
            }
        )
        self._speak(found)
        state.loss, state.labels = 0.0, 0
        if better and not self._devices.rank:
            self._watch.keep(self.model, state)
        self._save()

    def _save(self) -> None:
        self._take_stock()
        save_checkpoint(self._checkpoint, self.model, self._optimiser, self.state, self._devices)
        self._clock.saved()

    def _take_stock(self) -> None:
        """Move the sums of the losses from the device into the state."""
        self._devices.add_up([self._sum])
        loss, labels = self._sum.item(), self._labels
        self._sum.zero_()
        self._labels = 0
        if not math.isfinite(loss):
            cause = f"the loss is no number any more, at or before update {self.state.update}"
            advice = (
                "a smaller --peak-learning-rate, a longer --warmup, or --precision float32; the last checkpoint stays"
            )
            raise InputError(Fault("E300", cause, advice))
        self.state.loss += loss
        self.state.labels += labels
        self.state.seconds += self._clock.lap()
        self._clock.heard(loss, labels)

    def _speak(self, found: float | None) -> None:
        self._take_stock()
        state, settings, clock = self.state, self.settings, self._clock
        seconds = clock.seconds()
        each = seconds / max(state.update - clock.first, 1)
        left = each * min(settings.updates - state.update, self._batches_left / settings.accumulate)
        if settings.minutes is not None:
            left = min(left, max(60 * settings.minutes - seconds, 0.0))
        loss, speed = clock.word()
        if self._devices.rank:
            return
        done = seconds / (seconds + left) if seconds + left else 1.0
        self._watch.tell(
            Progress(
                state.update,
                state.epoch,
                state.tokens,
                loss,
                speed * self._train.words_per_token,
                self._rate(),
                found,
                state.best,
                max(left, 0.0),
                done,
            )
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be done after an update: why to end, and whether to write a checkpoint or say something."""

    end: str
    save: bool
    speak: bool


class _Clock:
    """Times of a run: since its start, the last word, the last checkpoint."""

    def __init__(self, first: int) -> None:
        self.first = first
        self._begun = self._lapped = self._spoken = self._kept = time.monotonic()
        self._loss, self._labels = 0.0, 0

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._begun

    def lap(self) -> float:
        """Return the seconds since the last lap."""
        before, self._lapped = self._lapped, time.monotonic()
        return self._lapped - before

    def since_checkpoint(self) -> float:
        """Return the seconds since the last checkpoint."""
        return time.monotonic() - self._kept

    def saved(self) -> None:
        """Note a checkpoint."""
        self._kept = time.monotonic()

    def since_word(self) -> float:
        """Return the seconds since the last word."""
        return time.monotonic() - self._spoken

    def heard(self, loss: float, labels: int) -> None:
        """Note the loss of so many labels."""
        self._loss, self._labels = self._loss + loss, self._labels + labels

    def word(self) -> tuple[float, float]:
        """Return mean loss and labels per second since the last word, and begin anew."""
        now = time.monotonic()
        made = self._loss / max(self._labels, 1), self._labels / max(now - self._spoken, 1e-9)
        self._loss, self._labels, self._spoken = 0.0, 0, now
        return made
