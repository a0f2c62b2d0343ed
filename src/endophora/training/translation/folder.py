"""The folder of a model that is trained: the best model so far, there whole or not at all, and what a run goes on from.

::

    DIR/  config.json, model.safetensors, source.spm, …   the best model, as ``transformers`` reads it
          card.json, README.md                            its card
          work/lock                                       who is at work here
          work/begun.json                                 the settings and the text that it was begun with
          work/source.spm                                 the vocabulary, if it was trained here
          work/checkpoint.safetensors                     where the training stands
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from endophora.engine.lock import DirectoryLock
from endophora.errors import Fault, InputError
from endophora.files import TEMPORARY, Output, check_directory, disk_faults, replacing, write_whole
from endophora.training.translation.checkpoint import weights_written

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
    """A model's folder, held for this run.

    Raises: EngineError (E151, E154, E155), InputError (E355, E356).
    """

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

    def begin(self, identity: Mapping[str, Any], *, fresh: bool) -> bool:
        """Begin a training, or go on with the one that was begun here.

        Args:
            identity: what decides the weights, by name; tables are compared entry by entry.

        Raises: InputError: it was begun with something else (E292 for settings, E293 for the text).
        """
        if self._begun.is_file() and not fresh:
            self._compare(json.loads(self._begun.read_text("utf-8")), identity)
            return self.checkpoint.is_file()
        for path in (self.checkpoint, self.vocabulary, self.path / WEIGHTS):
            path.unlink(missing_ok=True)
        write_whole(self._begun, (json.dumps(identity, indent=1) + "\n").encode())
        return False

    def keep(self, model: Any, files: Mapping[str, str], save_vocabulary: Any) -> None:
        """Put a model in the place of the one before.

        It is written elsewhere; each file is synced and renamed, the weights last. All other files of two models of a
        training are the same, so that there is a whole model at any moment.

        Raises: EngineError: the disk is full (E154) or a file cannot be written (E155).
        """
        new = self.work / "new"
        shutil.rmtree(new, ignore_errors=True)
        with disk_faults(new), weights_written(), _without_bar():
            model.save_pretrained(new, max_shard_size=_SHARD)
            save_vocabulary(new)
        for path in sorted(new.iterdir(), key=lambda path: path.name == WEIGHTS):
            if path.name == WEIGHTS:
                self.write(files)
            with replacing(self.path / path.name, self.work) as temporary:
                path.replace(temporary)
        new.rmdir()

    def write(self, files: Mapping[str, str]) -> None:
        """Write texts, each there whole or not at all.

        Raises: EngineError: the disk is full (E154) or a file cannot be written (E155).
        """
        for name, text in files.items():
            with replacing(self.path / name, self.work) as temporary:
                temporary.write_bytes(text.encode())

    def _compare(self, begun: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
        advice = "give the same, begin anew with --fresh, or name another folder"
        faults: list[Fault] = []
        for name, value in identity.items():
            before = begun.get(name)
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
                cause = f"begun with another {name}: it was {_shown(before)}, now {_shown(cast('Any', value))}"
                faults.append(Fault("E292", cause, advice, str(self.path)))
        if faults:
            raise InputError(faults)


@contextmanager
def _without_bar() -> Generator[None]:
    """Keep the library from showing a bar of its own."""
    logging: Any = import_module("transformers.utils.logging")
    before = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if before:
            logging.enable_progress_bar()


def _shown(value: Any) -> str:
    return "none" if value is None else str(value)
