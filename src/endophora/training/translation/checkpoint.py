"""Checkpoints: a model, its optimiser and where the training stands, there whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

_STATE, _TENSORS, _WEIGHTS = "training.json", "optimiser.safetensors", "weights.safetensors"


@dataclass(slots=True)
class TrainingState:
    """Where a training stands.

    Attributes:
        update: updates done.
        epoch: the pass over the text, from 0.
        batch: batches taken of this pass.
        tokens: labels seen, in all passes.
        best: lowest validation perplexity; infinite before the first look.
        since_best: looks since then.
        history: one entry for each look: update, tokens, perplexity, loss since the last look.
    """

    update: int = 0
    epoch: int = 0
    batch: int = 0
    tokens: int = 0
    best: float = float("inf")
    since_best: int = 0
    history: list[dict[str, float]] = field(default_factory=list[dict[str, float]])


def save_checkpoint(
    folder: Path, model: torch.nn.Module, optimiser: torch.optim.Optimizer, state: TrainingState
) -> None:
    """Write a checkpoint; the one that was there is replaced only when the new one is whole.

    Args:
        folder: its place.
        model: its weights are kept as they are, in full precision.
        optimiser: its moments are kept.
        state: where the training stands; the state of torch's random numbers is added.
    """
    making = folder.with_name(folder.name + ".part")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    save_file({name: value.detach().contiguous() for name, value in model.named_parameters()}, making / _WEIGHTS)
    save_file(_flat(optimiser) | {"random": torch.get_rng_state()}, making / _TENSORS)
    (making / _STATE).write_text(json.dumps(asdict(state)) + "\n", "utf-8")
    for path in (*making.iterdir(), making):
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    making.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def load_checkpoint(folder: Path, model: torch.nn.Module, optimiser: torch.optim.Optimizer) -> TrainingState | None:
    """Take a training up again where a checkpoint left it; ``None`` if there is no whole one."""
    old = folder.with_name(folder.name + ".old")
    place = next((one for one in (folder, old) if (one / _STATE).is_file()), None)
    if place is None:
        return None
    weights = load_file(place / _WEIGHTS)
    with torch.no_grad():
        for name, value in model.named_parameters():
            value.copy_(weights[name])
    tensors = load_file(place / _TENSORS)
    torch.set_rng_state(tensors.pop("random"))
    _restore(optimiser, tensors)
    return TrainingState(**json.loads((place / _STATE).read_text("utf-8")))


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
