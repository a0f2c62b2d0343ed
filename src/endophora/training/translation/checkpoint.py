"""Checkpoints: weights, the optimiser, random numbers and where the training stands, in one file: whole or not at all.

The file is safetensors; what is no tensor stands in its head as JSON. It is written beside its place, synced, and
renamed.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from endophora.files import replacing
from endophora.training.translation.devices import Devices

_WEIGHTS, _OPTIMISER, _RANDOM, _CUDA = "weights.", "optimiser.", "random.", "cuda."


@dataclass(slots=True)
class TrainingState:
    """Where a training stands.

    Attributes:
        epoch: the pass over the text, from 0.
        batch: batches taken of this pass.
        tokens: labels seen, in all passes.
        loss, labels: since the last look: sum of the negative log-likelihoods, in nats, and how many they are.
        best: lowest validation perplexity; infinite before the first look.
        since_best: looks since then.
        history: one entry for each look: update, epoch, tokens, perplexity, loss since the last look.
    """

    update: int = 0
    epoch: int = 0
    batch: int = 0
    tokens: int = 0
    loss: float = 0.0
    labels: int = 0
    seconds: float = 0.0
    best: float = float("inf")
    best_update: int = 0
    since_best: int = 0
    looked: int = 0
    history: list[dict[str, float]] = field(default_factory=list[dict[str, float]])


def save_checkpoint(
    path: Path, model: torch.nn.Module, optimiser: torch.optim.Optimizer, state: TrainingState, devices: Devices
) -> None:
    """Write a checkpoint; the one that was there is replaced when the new one is whole.

    Raises: EngineError: the disk is full (E154) or the file cannot be written (E155).
    """
    drawn = devices.gather(_random(devices.device))
    if devices.rank:
        return
    tensors = {_WEIGHTS + name: value.detach().contiguous() for name, value in model.named_parameters()}
    tensors |= {_OPTIMISER + name: value for name, value in _flat(optimiser).items()}
    for rank, states in enumerate(drawn):
        tensors |= {f"{kind}{rank}": value for kind, value in states.items()}
    with replacing(path) as temporary, weights_written():
        save: Any = import_module("safetensors.torch").save_file
        save(tensors, temporary, {"state": json.dumps(asdict(state))})


def load_checkpoint(
    path: Path, model: torch.nn.Module, optimiser: torch.optim.Optimizer, devices: Devices
) -> TrainingState | None:
    """Take a training up again where a checkpoint left it; ``None`` if there is none."""
    if not path.is_file():
        return None
    # The library's types are of its compiled part, which tells none.
    reader: Any = safe_open(path, framework="pt")
    with reader as held:
        names: list[str] = list(held.keys())
        with torch.no_grad():
            for name, value in model.named_parameters():
                value.copy_(held.get_tensor(_WEIGHTS + name))
        moments = {name.removeprefix(_OPTIMISER): held.get_tensor(name) for name in names if _OPTIMISER in name[:10]}
        _restore(optimiser, moments)
        if (mine := f"{_RANDOM}{devices.rank}") in names:
            torch.set_rng_state(held.get_tensor(mine))
        if devices.device.type == "cuda" and (mine := f"{_CUDA}{devices.rank}") in names:
            torch.cuda.set_rng_state(held.get_tensor(mine), devices.device)
        return TrainingState(**json.loads(held.metadata()["state"]))


@contextmanager
def weights_written() -> Generator[None]:
    """Turn the library's errors of writing into those of the disk that they are."""
    try:
        yield
    except SafetensorError as error:
        full = f"code: {errno.ENOSPC}" in str(error) or f"os error {errno.ENOSPC}" in str(error)
        raise OSError(errno.ENOSPC if full else errno.EIO, str(error)) from error


def _random(device: torch.device) -> dict[str, Tensor]:
    states = {_RANDOM: torch.get_rng_state()}
    if device.type == "cuda":
        states[_CUDA] = torch.cuda.get_rng_state(device)
    return states


def _flat(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    states: dict[int, dict[str, Any]] = optimiser.state_dict()["state"]
    return {f"{number}.{name}": value.contiguous() for number, held in states.items() for name, value in held.items()}


def _restore(optimiser: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    whole = optimiser.state_dict()
    states: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        number, _, name = key.partition(".")
        states.setdefault(int(number), {})[name] = value
    optimiser.load_state_dict({"state": states, "param_groups": whole["param_groups"]})
