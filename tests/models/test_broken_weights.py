"""Weights that are no numbers are an error with their file: when they are read, and when a model computes with them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from endophora.errors import InputError
from endophora.models.options import ModelOptions
from endophora.models.records import Decoding, ModelInput
from endophora.models.specs import open_model

OPTIONS = ModelOptions(device="cpu", languages=("en", "de"))
KINDS = ("concatenation", "multi-encoder", "hf:marian", "lm:llama")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_weight_that_is_no_number_is_told_with_its_file(folders: dict[str, Path], tmp_path: Path, value: float):
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "broken"
    shutil.copytree(folders["concatenation"], folder)
    weights = load_file(folder / "model.safetensors")
    weights["model.encoder.layers.0.fc1.weight"][0, 0] = value
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError) as caught:
        open_model(str(folder), OPTIONS)
    (fault,) = caught.value.faults
    assert (fault.code, fault.file) == ("E370", str(folder / "model.safetensors"))
    assert "model.encoder.layers.0.fc1.weight" in fault.cause


@pytest.mark.parametrize("name", KINDS)
def test_nan_in_scores_and_translations_is_told_with_the_file_of_the_weights(folders: dict[str, Path], name: str):
    kind, colon, folder = name.rpartition(":")
    model = open_model(f"{kind}{colon}{folders[folder]}", OPTIONS)
    part = "mlp" if name.startswith("lm:") else "decoder.layers.0.fc1"
    with torch.no_grad():
        next(value for key, value in model.model.named_parameters() if part in key).fill_(float("nan"))
    for ask in (
        lambda: model.score([ModelInput("The cat.")], ["Die Katze."]),
        lambda: model.translate([ModelInput("The cat.")], Decoding(beam=2)),
    ):
        with pytest.raises(InputError) as caught:
            ask()
        (fault,) = caught.value.faults
        assert (fault.code, fault.file) == ("E370", str(folders[folder] / "model.safetensors"))
