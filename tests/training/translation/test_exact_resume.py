"""A training that is killed goes on where it stood, and ends with the bytes of one that was never killed."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from forked import start
from safetensors.torch import load_file
from toy_text import toy_documents, write_toy
from toy_training import train_toy

from command import run
from endophora.engine.directory import DirectoryLock
from endophora.errors import EngineError, InputError
from endophora.training.translation.loop import Watch
from endophora.training.translation.train import TrainingRun


def same_state(one: Path, other: Path) -> None:
    """Check that weights, moments and random numbers are equal bit for bit, and so is the best model."""
    first, second = (load_file(folder / "work" / "checkpoint.safetensors") for folder in (one, other))
    assert first.keys() == second.keys()
    assert any(name.startswith("optimiser.") for name in first)
    assert any(name.startswith("random.") for name in first)
    for name, value in first.items():
        assert torch.equal(value, second[name]), name
    assert (one / "model.safetensors").read_bytes() == (other / "model.safetensors").read_bytes()


def test_after_kill_9_the_weights_are_those_of_an_uninterrupted_run(tmp_path: Path):
    look = write_toy(tmp_path / "look.tsv", toy_documents(9, 1))
    text = write_toy(tmp_path / "train.tsv", toy_documents(40))
    # Word dropout and dropout draw at each update; the updates do not divide evenly into epochs.
    command = (
        f"train model --languages en-de --train {text} --validation {look} --preset tiny --context-size 1"
        " --vocabulary-size 420 --batch-tokens 600 --accumulate 2 --word-dropout 0.1 --updates 30 --evaluate-every 8"
        " --checkpoint-minutes 0.01 --device cpu --threads 1"
    ).split()
    output = ("--output", str(tmp_path / "killed"))
    shown = tmp_path / "err"
    shown.touch()
    program = start([*command, *output], Path(os.devnull), shown)
    # The line of a look is printed before its model and its checkpoint are written: the kill comes among these.
    while "\nupdate 16," not in shown.read_text():
        assert program.is_alive(), shown.read_text()
        time.sleep(0.002)
    program.kill()
    program.join()
    assert program.exitcode == -signal.SIGKILL
    assert run(*command, *output, "--quiet") == 0
    assert run(*command, "--output", str(tmp_path / "whole"), "--quiet") == 0
    same_state(tmp_path / "killed", tmp_path / "whole")


def test_a_training_that_is_stopped_and_one_with_a_raised_limit_go_on_exactly(tmp_path: Path):
    common: dict[str, Any] = {"documents": 40, "evaluate_every": 5}
    train_toy(tmp_path / "whole", updates=15, **common)
    calls = iter(range(1000))
    stopped = train_toy(tmp_path / "stopped", watch=Watch(stop=lambda: next(calls) == 7), updates=15, **common)
    assert (stopped.ended, stopped.update) == ("stopped", 8)
    again = train_toy(tmp_path / "stopped", updates=10, **common)
    assert (again.ended, again.update) == ("updates", 10)
    notes: list[str] = []
    last = train_toy(tmp_path / "stopped", watch=Watch(note=notes.append), updates=15, **common)
    assert notes == ["taken up again after update 10"]
    assert last.ended == "updates"
    assert [row["update"] for row in last.history] == [5, 10, 15]
    same_state(tmp_path / "whole", tmp_path / "stopped")
    done = train_toy(tmp_path / "stopped", updates=15, **common)
    assert (done.update, done.history) == (15, last.history)


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        ({"label_smoothing": 0.2}, "E292", "label_smoothing was 0.1, now 0.2"),
        ({"documents": 99}, "E293", "training text"),
        ({"seed": 3}, "E293", "training text"),
    ],
)
def test_what_has_changed_is_named_and_fresh_begins_anew(tmp_path: Path, change: dict[str, Any], code: str, named: str):
    train_toy(tmp_path, updates=2)
    with pytest.raises(InputError, match=named) as caught:
        train_toy(tmp_path, updates=2, **change)
    assert [fault.code for fault in caught.value.faults] == [code]
    again = train_toy(tmp_path, TrainingRun(device="cpu", threads=1, fresh=True), updates=3, **change)
    assert again.update == 3


def test_a_training_from_before_there_was_a_setting_goes_on_if_it_has_the_default(tmp_path: Path):
    train_toy(tmp_path, updates=2)
    file = tmp_path / "work" / "begun.json"
    begun = json.loads(file.read_text("utf-8"))
    assert begun["settings"].pop("gates") is begun["settings"].pop("freeze") is False
    file.write_text(json.dumps(begun), "utf-8")
    assert train_toy(tmp_path, updates=3).update == 3
    del begun["settings"]["clip"]  # 1 by default
    file.write_text(json.dumps(begun), "utf-8")
    with pytest.raises(InputError, match=r"E292.*clip was 1\.0, now 2\.0$|E292.*clip was 1\.0, now 2\.0"):
        train_toy(tmp_path, updates=3, clip=2.0)


def test_a_model_of_another_origin_is_not_overwritten(tmp_path: Path):
    (tmp_path / "model.safetensors").write_bytes(b"precious")
    for fresh in (False, True):
        with pytest.raises(InputError, match=r"E356.*model.safetensors"):
            train_toy(tmp_path, TrainingRun(device="cpu", threads=1, fresh=fresh), updates=2)
    assert (tmp_path / "model.safetensors").read_bytes() == b"precious"


def test_a_second_run_on_a_folder_is_refused(tmp_path: Path):
    with DirectoryLock(tmp_path / "work" / "lock"), pytest.raises(EngineError, match="E151") as caught:
        train_toy(tmp_path, updates=2)
    assert str(tmp_path) in str(caught.value)


def test_a_crash_while_the_model_is_written_leaves_the_better_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from transformers import PreTrainedModel

    train_toy(tmp_path, updates=4, evaluate_every=4)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    state = (tmp_path / "work" / "checkpoint.safetensors").read_bytes()

    def half(model: object, folder: Path, **options: object) -> None:
        """Write half a model, and fail as a full disk does."""
        Path(folder).mkdir()
        (Path(folder) / "model.safetensors").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(PreTrainedModel, "save_pretrained", half)
        with pytest.raises(EngineError, match="E154"):
            train_toy(tmp_path, updates=8, evaluate_every=4)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    assert (tmp_path / "work" / "checkpoint.safetensors").read_bytes() == state
    assert train_toy(tmp_path, updates=8, evaluate_every=4).update == 8
