"""The devices that a training runs on: one, or several that `accelerate` has started a process each for.

With several, each takes its part of the batches of an update, and the gradients are added up: the batches of an update,
and so the weights but for rounding and the drawing of dropout, do not depend on how many devices there are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

from endophora.errors import Fault, InputError, MissingModelError

KINDS = ("auto", "cpu", "cuda")
"""What ``--device`` takes."""


class Devices:
    """This process's device, and its dealings with the others; by itself, the only one.

    Attributes:
        rank: the number of this process; 0 writes and speaks.
    """

    rank = 0
    count = 1

    def __init__(self, device: torch.device) -> None:
        self.device = device

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
    """A training on several devices, by ``accelerate launch``."""

    def __init__(self, kind: str) -> None:
        if find_spec("accelerate") is None:
            advice = "pip install 'endophora[train]'"
            raise MissingModelError(Fault("E291", "training on several devices needs accelerate", advice))
        self._library: Any = import_module("accelerate")
        self._tools: Any = import_module("accelerate.utils")
        # Precision is ours to set: the library would wrap the model, and hide its names.
        self._accelerator: Any = self._library.Accelerator(cpu=kind == "cpu", mixed_precision="no")
        super().__init__(self._accelerator.device)
        self.rank: int = self._accelerator.process_index
        self.count: int = self._accelerator.num_processes

    def add_up(self, tensors: Iterable[Tensor]) -> None:
        """Add up in one message: many small ones take longer."""
        all_of_them = list(tensors)
        flat = torch.cat([tensor.reshape(-1) for tensor in all_of_them])
        total: Tensor = self._accelerator.reduce(flat, reduction="sum")
        begin = 0
        for tensor in all_of_them:
            end = begin + tensor.numel()
            tensor.copy_(total[begin:end].view_as(tensor))
            begin = end

    def totals(self, values: list[float]) -> list[float]:
        """Return the sums of values over the devices."""
        own = torch.tensor(values, dtype=torch.float64, device=self.device)
        return self._accelerator.reduce(own, "sum").tolist()

    def gather(self, value: Any) -> list[Any]:
        """Return the value of each process."""
        return self._tools.gather_object([value])

    def wait(self) -> None:
        """Wait until all processes are here."""
        self._accelerator.wait_for_everyone()


def open_devices(kind: str = "auto") -> Devices:
    """Return the devices of this process.

    Args:
        kind: ``auto`` takes a GPU if there is one.

    Raises: InputError (E296), MissingModelError (E291).
    """
    if kind not in KINDS:
        raise InputError(Fault("E296", f"unknown device “{kind}”", f"known: {', '.join(KINDS)}", "--device"))
    there = torch.cuda.is_available()
    if kind == "cuda" and not there:
        cause = f"torch {torch.__version__} finds no GPU"
        raise InputError(Fault("E296", cause, "--device cpu, or torch for this machine's driver", "--device"))
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        return SeveralDevices(kind)
    return Devices(torch.device("cuda" if there and kind != "cpu" else "cpu"))
