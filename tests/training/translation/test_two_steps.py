"""Two steps of training (Zhang et al. 2018): of a frozen sentence-level model only the context encoders learn."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from toy_training import train_toy

from endophora.errors import InputError
from endophora.training.translation.train import TrainingRun


@pytest.mark.parametrize("gates", [False, True])
def test_the_second_step_changes_what_reads_context_alone(tmp_path: Path, *, gates: bool):
    train_toy(tmp_path / "first", architecture="sentence", documents=10, updates=2, evaluate_every=2)
    run = TrainingRun(device="cpu", threads=1, start=tmp_path / "first")
    second = {"architecture": "multi-encoder", "freeze": True, "documents": 10, "evaluate_every": 2, "gates": gates}
    train_toy(tmp_path / "second", run, updates=1, **second)
    train_toy(tmp_path / "second", run, updates=3, **second)  # goes on: its optimiser has what learns alone
    before, after = (load_file(tmp_path / name / "model.safetensors") for name in ("first", "second"))
    same = [name for name, value in after.items() if name in before and torch.equal(before[name], value)]
    assert set(same) == set(before) & set(after)
    assert len(same) > 20
    copies = {
        name.replace("model.encoder.", f"model.{one}_context_encoder."): value
        for one in ("source", "target")
        for name, value in before.items()
        if ".encoder." in name
    }
    changed = [name for name, value in copies.items() if name in after and not torch.equal(after[name], value)]
    new = [name for name in after if "context_attention" in name or "context_gate" in name]
    assert len(new) == gates * 40  # of each of four layers: four projections and a gate, with their biases
    assert len(changed) == len([name for name in after if "context_encoder" in name]) > 20


def test_what_has_nothing_to_freeze_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match=r"E290.*no context encoders"):
        train_toy(tmp_path / "one", architecture="concatenation", freeze=True)
    with pytest.raises(InputError, match=r"E290.*gates: .*no context encoders.*no --gates"):
        train_toy(tmp_path / "one", architecture="concatenation", gates=True)
    with pytest.raises(InputError, match=r"E290.*--start DIR"):
        train_toy(tmp_path / "two", architecture="multi-encoder", freeze=True)
