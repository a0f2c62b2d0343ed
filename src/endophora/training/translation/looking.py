"""Looks at the validation text: the perplexity of its targets with all the context that there is."""

from __future__ import annotations

import math
from typing import Any

import torch

from endophora.models.batching import batches
from endophora.models.multi_encoder import MultiEncoderForTranslation
from endophora.training.translation.batches import TensorBatch, tensor_batch
from endophora.training.translation.devices import Devices
from endophora.training.translation.loss import Loss, cross_entropy
from endophora.training.translation.settings import TrainingSettings
from endophora.training.translation.text import Examples


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
