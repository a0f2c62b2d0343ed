"""The training itself: its devices, updates, looks at the validation text, checkpoints, and the end.

With several devices (`accelerate` has started a process for each), each takes its part of the batches of an update, and
`accelerate` brings their gradients together: the batches of an update, and so the weights except for rounding and the
drawing of dropout, do not depend on how many devices there are.
"""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from endophora.errors import Fault, InputError, MissingModelError
from endophora.models.layout import batches, preset
from endophora.models.multi_encoder import MultiEncoderForTranslation
from endophora.stopping import deferring
from endophora.training.translation.examples import ExamplePlace, Examples, TensorBatch, epoch_batches, tensor_batch
from endophora.training.translation.model import (
    Loss,
    TrainingState,
    cross_entropy,
    learning_rate,
    load_checkpoint,
    save_checkpoint,
    seed_everything,
)
from endophora.training.translation.settings import TrainingSettings

KINDS = ("auto", "cpu", "cuda")
"""What ``--device`` takes."""


class Devices:
    """This process's device, and how it works with the others; the only one where there are none.

    Attributes:
        rank: the number of this process; 0 writes and speaks.
    """

    rank = 0
    count = 1

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def prepare(self, module: Any) -> Any:
        """Return a module that computes on this device, and whose gradients are those of all."""
        return module

    def apart(self, module: Any) -> AbstractContextManager[object]:
        """Return a block in which gradients stay on this device; what is done after it brings them together."""
        del module
        return nullcontext()

    def backward(self, loss: Any) -> None:
        """Add the gradient of a share of an update's loss."""
        # Of a frozen model a batch without context teaches nothing.
        if loss.requires_grad:
            loss.backward()

    def add_up(self, tensors: Iterable[Tensor]) -> None:
        """Replace tensors, the same ones on all devices, by their sums over the devices."""

    def totals(self, values: list[float]) -> list[float]:
        """Return the sums of values over the devices; a single GPU is not asked, which would make it wait."""
        return values

    def gather(self, value: Any) -> list[Any]:
        """Return the value of each process, in the order of their numbers."""
        return [value]

    def wait(self) -> None:
        """Wait until all processes are here."""


class SeveralDevices(Devices):
    """The devices of a training by ``accelerate launch``."""

    def __init__(self, kind: str) -> None:
        if find_spec("accelerate") is None:
            advice = "pip install 'endophora[train]'"
            raise MissingModelError(Fault("E291", "training on several devices needs accelerate", advice))
        library: Any = import_module("accelerate")
        # A batch without context leaves context encoders out. Precision is ours to set.
        some = library.DistributedDataParallelKwargs(find_unused_parameters=True, broadcast_buffers=False)
        self._accelerator: Any = library.Accelerator(cpu=kind == "cpu", mixed_precision="no", kwargs_handlers=[some])
        super().__init__(self._accelerator.device)
        self.rank: int = self._accelerator.process_index
        self.count: int = self._accelerator.num_processes

    def prepare(self, module: Any) -> Any:
        """Have the library share out the module."""
        module.shared = True
        return self._accelerator.prepare(module)

    def apart(self, module: Any) -> AbstractContextManager[object]:
        """Return the library's own block."""
        return self._accelerator.no_sync(module)

    def backward(self, loss: Any) -> None:
        """Add a gradient; the library makes it the mean over the devices."""
        self._accelerator.backward(loss * self.count)

    def add_up(self, tensors: Iterable[Tensor]) -> None:
        """Add up in one message: many small ones take longer."""
        parts = list(tensors)
        flat = torch.cat([tensor.reshape(-1) for tensor in parts])
        total: Any = self._accelerator.reduce(flat, reduction="sum")
        for tensor, sums in zip(parts, total.split([tensor.numel() for tensor in parts]), strict=True):
            tensor.copy_(sums.view_as(tensor))

    def totals(self, values: list[float]) -> list[float]:
        """Return the sums of values over the devices."""
        mine = torch.tensor(values, dtype=torch.float64, device=self.device)
        return self._accelerator.reduce(mine, "sum").tolist()

    def gather(self, value: Any) -> list[Any]:
        """Return the value of each process, in the order of their numbers."""
        tools: Any = import_module("accelerate.utils")
        return tools.gather_object([value])

    def wait(self) -> None:
        """Wait until all processes are here."""
        self._accelerator.wait_for_everyone()


def open_devices(kind: str = "auto") -> Devices:
    """Return the devices of this process; ``auto`` takes a GPU if there is one (E296, E291)."""
    if kind not in KINDS:
        raise InputError(Fault("E296", f"unknown device “{kind}”", f"known: {', '.join(KINDS)}", "--device"))
    there = torch.cuda.is_available()
    if kind == "cuda" and not there:
        cause = f"torch {torch.__version__} finds no GPU"
        raise InputError(Fault("E296", cause, "--device cpu, or torch for this machine's driver", "--device"))
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        return SeveralDevices(kind)
    return Devices(torch.device("cuda" if there and kind != "cpu" else "cpu"))


class Forward(torch.nn.Module):
    """Runs batches through a model, in the precision that the settings and the device ask for."""

    def __init__(self, model: Any, pad: int, settings: TrainingSettings, device: torch.device) -> None:
        super().__init__()
        self.model = model
        # All but the output layer, whose scores the loss makes itself.
        self._body: Any = model.decoded if isinstance(model, MultiEncoderForTranslation) else model.model
        self.reduced = settings.precision == "bfloat16" or (settings.precision == "auto" and device.type == "cuda")
        self._pad, self._settings, self._device = pad, settings, device
        self.shared = False

    def batch(self, examples: list[Any], *, context_loss: bool) -> TensorBatch:
        """Return laid-out examples as tensors; ``context_loss`` counts the target context's tokens as well."""
        architecture = self._settings.architecture
        return tensor_batch(examples, self._pad, architecture, context_loss=context_loss, device=self._device)

    def loss(self, batch: TensorBatch, smoothing: float) -> Loss:
        """Return the loss of a batch."""
        return Loss(*self(batch.inputs, batch.labels, smoothing))

    def forward(self, inputs: Mapping[str, Tensor], labels: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
        """Return the loss of a batch, smoothed and plain."""
        with torch.autocast(self._device.type, dtype=torch.bfloat16, enabled=self.reduced):
            states = self._body(**inputs, use_cache=False).last_hidden_state
        weight, bias = self.model.lm_head.weight, self.model.final_logits_bias[0]
        found = cross_entropy(states, weight, bias, labels, smoothing, self._pad, half=self.reduced)
        smoothed = found.smoothed
        if self.shared and self.training and not smoothed.requires_grad:
            # All weights that this batch uses are frozen; other devices wait for a gradient of each of the others.
            smoothed = smoothed + 0.0 * sum(one.sum() for one in self.parameters() if one.requires_grad)
        return smoothed, found.plain


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
class TrainingProgress:
    """How far a training is."""

    update: int
    epoch: int
    tokens: int
    loss: float  # mean negative log-likelihood of a label since the last report, in nats
    words_per_second: float  # target words, those of contexts included, since the last report
    rate: float
    perplexity: float | None  # of the validation text, if this is a look at it
    best: float
    seconds_left: float  # until the first limit is reached; it may end earlier, when nothing gets better
    done: float


@dataclass(frozen=True, slots=True)
class Watch:
    """Who hears of a training, and who may end it."""

    tell: Callable[[TrainingProgress], None] = lambda _: None  # how far it is
    note: Callable[[str], None] = lambda _: None
    keep: Callable[[Any, TrainingState], None] = lambda _, __: None  # the best model so far, each time there is one
    stop: Callable[[], bool] = lambda: False  # asked after each update whether to stop there


class Training:
    """One training, from the first or a later checkpoint to its end."""

    def __init__(
        self,
        model: Any,
        pad: int,
        texts: tuple[Examples, Examples],
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
        self._train, self._validation = texts
        self._checkpoint, self._watch, self._devices = checkpoint, watch, devices
        self._forward = Forward(self.model, pad, settings, devices.device)
        self._shared: Any = devices.prepare(self._forward)
        self._peak = settings.peak_learning_rate or preset(settings.preset).peak_learning_rate
        self._parameters = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        # An Any: the library's types are unknown in parts.
        self._optimiser: Any = torch.optim.Adam(
            self._parameters, lr=self._peak, betas=(0.9, 0.98), eps=1e-9, fused=True
        )
        # Weights are drawn alike on all devices, what is left out of them is not.
        seed_everything(1_000_003 * (settings.seed + 1) + devices.rank)
        self.state = load_checkpoint(checkpoint, self.model, self._optimiser, devices) or TrainingState()
        # Loss and labels that are not in the state yet: a GPU is asked for the sum only when it is needed.
        self._sum, self._labels = torch.zeros(1, dtype=torch.float64, device=devices.device), 0
        # Moments of the start, the last entry of the seconds, the last checkpoint and the last report.
        self._begun = self._counted = self._saved = self._spoke = time.monotonic()
        self._first, self._batches_left = self.state.update, 0
        self._unsaid = (0.0, 0)

    def run(self) -> str:
        """Train to the end, and return why it ended (E300, E294)."""
        # A signal is asked for after each update, and a checkpoint is written then.
        with deferring():
            return self._run()

    def _run(self) -> str:
        self.model.train()
        state, settings = self.state, self.settings
        why = self._ended()
        for group in self._groups() if not why else ():
            end, save, speak = self._update(group)
            why = self._ended() or end
            if state.update % settings.evaluate_every == 0 or (why and why != "stopped"):
                self._look()
                why = self._ended() or why
            elif why or save:
                self._save()
            elif speak:
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

    def _groups(self) -> Iterator[list[list[ExamplePlace]]]:
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

    def _update(self, group: list[list[ExamplePlace]]) -> tuple[str, bool, bool]:
        """Learn from the batches of one update; return why to end, and whether to save or to report."""
        state, devices, settings = self.state, self._devices, self.settings
        first = state.batch - len(group)
        state.update += 1
        made: list[TensorBatch] = []
        # At the end of an epoch there may be fewer batches than devices: what has none reads one that counts nothing.
        spare = devices.rank >= len(group)
        for number, places in enumerate(group[:1] if spare else group):
            if spare or number % devices.count == devices.rank:
                draw = random.Random(f"{settings.seed} {state.epoch} {first + number} words")  # noqa: S311 - no secret
                examples = [self._train.example(place, draw) for place in places]
                made.append(self._forward.batch(examples, context_loss=settings.context_loss))
        labels, end, save, speak = self._ask(0 if spare else sum(batch.tokens for batch in made))
        for number, batch in enumerate(made, 1):
            with nullcontext() if number == len(made) else devices.apart(self._shared):
                smoothed, plain = self._shared(batch.inputs, batch.labels, settings.label_smoothing)
                devices.backward(smoothed / labels * (not spare))
            self._sum += plain.detach() * (not spare)
        self._step()
        self._labels += labels
        state.tokens += labels
        return end, save, speak

    def _ask(self, labels: int) -> tuple[int, str, bool, bool]:
        """Return the labels of this update on all devices, and what all are to do after it: their clocks differ."""
        now, minutes, first = time.monotonic(), self.settings.minutes, not self._devices.rank
        late = minutes is not None and now - self._begun > 60 * minutes
        due = first and now - self._saved > 60 * self.settings.checkpoint_minutes
        silent = first and now - self._spoke > _SPEAK_SECONDS
        mine = [float(labels), *map(float, (self._watch.stop(), late, due, silent))]
        total, stop, late, due, silent = self._devices.totals(mine)
        return round(total), "stopped" if stop else "minutes" if late else "", due > 0, silent > 0

    def _step(self) -> None:
        if self.settings.clip:
            torch.nn.utils.clip_grad_norm_(self._parameters, self.settings.clip)
        for parameters in self._optimiser.param_groups:
            parameters["lr"] = self._rate()
        self._optimiser.step()
        self._optimiser.zero_grad(set_to_none=True)

    def _rate(self) -> float:
        return learning_rate(max(self.state.update, 1), self._peak, self.settings.warmup)

    def _look(self) -> None:
        """Look at the validation text, keep the model if it is the best so far, and write a checkpoint."""
        self._take_stock()
        state = self.state
        found = perplexity(self._forward, self._validation, self.settings, self._devices)
        better = found < state.best
        if better:
            state.best, state.best_update, state.since_best = found, state.update, 0
        elif state.update % self.settings.evaluate_every == 0:
            # A look that only a limit has brought about counts for nothing when the training continues.
            state.since_best += 1
        state.looked = state.update
        loss = round(state.loss / max(state.labels, 1), 6)
        entry = {"update": state.update, "epoch": state.epoch, "tokens": state.tokens}
        state.history.append({**entry, "perplexity": found, "loss": loss})
        self._speak(found)
        state.loss, state.labels = 0.0, 0
        if better and not self._devices.rank:
            self._watch.keep(self.model, state)
        self._save()

    def _save(self) -> None:
        self._take_stock()
        save_checkpoint(self._checkpoint, self.model, self._optimiser, self.state, self._devices)
        self._saved = time.monotonic()

    def _take_stock(self) -> None:
        """Move the sums of the losses from the device into the state, and the seconds with them."""
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
        before, self._counted = self._counted, time.monotonic()
        self.state.loss += loss
        self.state.labels += labels
        self.state.seconds += self._counted - before
        self._unsaid = (self._unsaid[0] + loss, self._unsaid[1] + labels)

    def _speak(self, found: float | None) -> None:
        """Report how far it is."""
        self._take_stock()
        state, settings, now = self.state, self.settings, time.monotonic()
        seconds = now - self._begun
        each = seconds / max(state.update - self._first, 1)
        left = each * min(settings.updates - state.update, self._batches_left / settings.accumulate)
        if settings.minutes is not None:
            left = min(left, max(60 * settings.minutes - seconds, 0.0))
        (loss, labels), speed = self._unsaid, self._unsaid[1] / max(now - self._spoke, 1e-9)
        self._unsaid, self._spoke = (0.0, 0), now
        if self._devices.rank:
            return
        self._watch.tell(
            TrainingProgress(
                state.update,
                state.epoch,
                state.tokens,
                loss / max(labels, 1),
                speed * self._train.words_per_token,
                self._rate(),
                found,
                state.best,
                max(left, 0.0),
                seconds / (seconds + left) if seconds + left else 1.0,
            )
        )
