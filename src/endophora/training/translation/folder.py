"""The folder of a model that is trained: the best model so far, there whole or not at all, and its checkpoint.

::

    DIR/  config.json, model.safetensors, source.spm, …   the best model, as ``transformers`` reads it
          card.json, README.md                            its card
          work/lock                                       who is at work here
          work/begun.json                                 the settings and the text that it was begun with
          work/source.spm                                 the vocabulary, if it was trained here
          work/checkpoint.safetensors                     where the training stands: weights, optimiser, random numbers

The checkpoint is safetensors; what is not a tensor is in its head as JSON.
"""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from endophora.engine.directory import DirectoryLock
from endophora.errors import Fault, refuse
from endophora.files import TEMPORARY, Output, check_directory, disk_faults, replacing, write_whole
from endophora.models.loading import quiet

if TYPE_CHECKING:
    from endophora.training.translation.loop import Devices

_WEIGHTS, _OPTIMISER, _RANDOM, _CUDA = "weights.", "optimiser.", "random.", "cuda."


@dataclass(slots=True)
class TrainingState:
    """Where a training stands."""

    update: int = 0
    epoch: int = 0  # the pass over the text, from 0
    batch: int = 0  # batches taken of this pass
    tokens: int = 0  # labels seen, in all passes
    loss: float = 0.0  # since the last look, sum of the negative log-likelihoods in nats …
    labels: int = 0  # … and how many they are
    seconds: float = 0.0
    best: float = float("inf")  # lowest validation perplexity
    best_update: int = 0
    since_best: int = 0  # looks since then
    looked: int = 0
    history: list[dict[str, float]] = field(default_factory=list[dict[str, float]])  # one entry for each look


def save_checkpoint(
    path: Path, model: torch.nn.Module, optimiser: torch.optim.Optimizer, state: TrainingState, devices: Devices
) -> None:
    """Write a checkpoint; the one that was there is replaced when the new one is whole (E154, E155)."""
    drawn = {_RANDOM: torch.get_rng_state()}
    if devices.device.type == "cuda":
        drawn[_CUDA] = torch.cuda.get_rng_state(devices.device)
    gathered = devices.gather(drawn)
    if devices.rank:
        return
    tensors = {_WEIGHTS + name: value.detach().contiguous() for name, value in model.named_parameters()}
    states: dict[int, dict[str, Any]] = optimiser.state_dict()["state"]
    for number, moments in states.items():
        tensors |= {f"{_OPTIMISER}{number}.{name}": value.contiguous() for name, value in moments.items()}
    for rank, drawn in enumerate(gathered):
        tensors |= {f"{kind}{rank}": value for kind, value in drawn.items()}
    with replacing(path) as temporary, weights_written():
        save: Any = import_module("safetensors.torch").save_file
        save(tensors, temporary, {"state": json.dumps(asdict(state))})


def load_checkpoint(
    path: Path, model: torch.nn.Module, optimiser: torch.optim.Optimizer, devices: Devices
) -> TrainingState | None:
    """Take a training up again where a checkpoint left it; ``None`` if there is none."""
    if not path.is_file():
        return None
    # The library's types are in its compiled part, which declares none.
    reader: Any = safe_open(path, framework="pt")
    with reader as held:
        names: list[str] = list(held.keys())
        with torch.no_grad():
            for name, value in model.named_parameters():
                value.copy_(held.get_tensor(_WEIGHTS + name))
        moments: dict[int, dict[str, Tensor]] = {}
        for key in (name for name in names if name.startswith(_OPTIMISER)):
            number, _, name = key.removeprefix(_OPTIMISER).partition(".")
            moments.setdefault(int(number), {})[name] = held.get_tensor(key)
        groups = optimiser.state_dict()["param_groups"]
        optimiser.load_state_dict({"state": moments, "param_groups": groups})
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


WEIGHTS = "model.safetensors"

_SHARD = "1000GB"
"""One file of weights takes its place at once; several could be of two models."""


_BEGUN = "work/begun.json"
_FILES = (
    WEIGHTS,
    "card.json",
    "config.json",
    "generation_config.json",
    "README.md",
    "source.spm",
    "target.spm",
    "tokenizer_config.json",
    "vocab.json",
    "work/checkpoint.safetensors",
    "work/new/",
    "work/source.spm",
)


def check_place(path: Path) -> None:
    """Check a model's folder before the work: where no training was begun, nothing of a model's may be there.

    Raises: InputError: it cannot be written (E355), or has files of others in the way (E356).
    """
    check_directory(path)
    Output(path, () if (path / _BEGUN).is_file() else _FILES)


class ModelFolder:
    """A model's folder, held for this run (E151, E154, E155, E355, E356)."""

    def __init__(self, path: Path) -> None:
        check_place(path)
        self.path = path
        self.work = path / "work"
        self.checkpoint = self.work / "checkpoint.safetensors"
        self.vocabulary = self.work / "source.spm"
        self._begun = path / _BEGUN
        self.lock = DirectoryLock(self.work / "lock")
        for left in self.work.glob(f".*{TEMPORARY}"):
            left.unlink(missing_ok=True)

    def begin(self, identity: Mapping[str, Any], usual: Mapping[str, Any], *, fresh: bool) -> None:
        """Begin a training, or go on with the one that was begun here.

        ``identity`` is what decides the weights, by name; tables in it are compared entry by entry. An entry that was
        not there yet when it was begun counts as that of ``usual``, which has the defaults in the same form.

        Raises: InputError: it was begun with something else (E292 for settings, E293 for the text).
        """
        if self._begun.is_file() and not fresh:
            self._compare(json.loads(self._begun.read_text("utf-8")), identity, usual)
            return
        for path in (self.checkpoint, self.vocabulary, self.path / WEIGHTS):
            path.unlink(missing_ok=True)
        write_whole(self._begun, (json.dumps(identity, indent=1) + "\n").encode())

    def keep(self, model: Any, files: Mapping[str, str], save_vocabulary: Callable[[Path], None]) -> None:
        """Put a model in the place of the one before.

        It is written elsewhere; each file is synced and renamed, the weights last. All other files of two models of a
        training are the same, so that there is a whole model at any moment (E154, E155).
        """
        new = self.work / "new"
        shutil.rmtree(new, ignore_errors=True)
        with disk_faults(new), weights_written(), quiet(import_module("transformers")):
            model.save_pretrained(new, max_shard_size=_SHARD)
            save_vocabulary(new)
        for path in sorted(new.iterdir(), key=lambda path: path.name == WEIGHTS):
            if path.name == WEIGHTS:
                self.write(files)
            with replacing(self.path / path.name, self.work) as temporary:
                path.replace(temporary)
        new.rmdir()

    def write(self, files: Mapping[str, str]) -> None:
        """Write texts, each there whole or not at all (E154, E155)."""
        for name, text in files.items():
            with replacing(self.path / name, self.work) as temporary:
                temporary.write_bytes(text.encode())

    def _compare(self, begun: Mapping[str, Any], identity: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
        advice = "give the same, begin again with --fresh, or name another folder"
        faults: list[Fault] = []
        for name, value in identity.items():
            before: Any = begun.get(name)
            if isinstance(before, dict):
                before = {**usual[name], **cast("dict[str, Any]", before)}
            if before == value:
                continue
            if isinstance(value, dict) and isinstance(before, dict):
                was, new = cast("dict[str, Any]", before), cast("dict[str, Any]", value)
                changed = [key for key in {**was, **new} if was.get(key) != new.get(key)]
                what = "; ".join(f"{key} was {was.get(key)}, now {new.get(key)}" for key in changed)
                faults.append(Fault("E292", f"begun with other {name}: {what}", advice, str(self.path)))
            elif name.endswith("text"):
                cause = f"the {name.replace('_', ' ')} is not the one it was begun with"
                faults.append(Fault("E293", cause, advice, str(self.path)))
            else:
                was, new = ("none" if one is None else str(one) for one in (before, cast("object", value)))
                cause = f"begun with another {name}: it was {was}, now {new}"
                faults.append(Fault("E292", cause, advice, str(self.path)))
        refuse(faults)
