"""Converted models: the probabilities are those on torch, and so are greedy translations."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("ctranslate2")

import safetensors.torch as safetensors  # noqa: E402
from tiny_models import SENTENCES  # noqa: E402

from endophora.errors import InputError  # noqa: E402
from endophora.models.ctranslate import convert_model  # noqa: E402
from endophora.models.options import ModelOptions  # noqa: E402
from endophora.models.records import Decoding, ModelInput, Scorer, Translator  # noqa: E402
from endophora.models.specs import open_model  # noqa: E402

PAIR = ModelOptions(languages=("en", "de"))
CONVERTED = ("sentence", "concatenation", "source-concatenation", "marian", "nllb", "t5")
INPUTS = [
    ModelInput(SENTENCES[0]),
    ModelInput(SENTENCES[1], SENTENCES[:1], SENTENCES[2:3]),
    ModelInput(SENTENCES[5], SENTENCES[:3], SENTENCES[2:5]),
    ModelInput("It", ((25, 26, 27),), ((31, 30),)),
]
TARGETS = [SENTENCES[2], SENTENCES[3], "", "x"]


@pytest.fixture(scope="module")
def pairs(folders, tmp_path_factory: pytest.TempPathFactory):
    place = tmp_path_factory.mktemp("ct2")
    made = {}
    for name in CONVERTED:
        convert_model(str(folders[name]), place / name)
        kind = "" if name in ("sentence", "concatenation", "source-concatenation") else "hf:"
        made[name] = open_model(f"{kind}{folders[name]}", PAIR), open_model(f"ct2:{place / name}", PAIR)
    return made


@pytest.mark.parametrize("name", CONVERTED)
def test_scores_are_those_on_torch(pairs, name: str):
    model, converted = pairs[name]
    assert isinstance(converted, Scorer)
    for one, other in zip(model.score(INPUTS, TARGETS), converted.score(INPUTS, TARGETS), strict=True):
        assert (one.pieces, one.spans) == (other.pieces, other.spans)
        np.testing.assert_allclose(one.logprobs, other.logprobs, atol=1e-4)


@pytest.mark.parametrize("name", CONVERTED)
def test_greedy_translations_are_those_on_torch(pairs, name: str):
    model, converted = pairs[name]
    assert isinstance(converted, Translator)
    # One at a time: the library has one limit for a batch.
    for given in INPUTS:
        (one,), (other,) = (each.translate([given], Decoding(beam=1)) for each in (model, converted))
        assert one.text == other.text
        assert one.warning == other.warning
        assert one.logprob == pytest.approx(other.logprob, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("name", ["concatenation", "nllb"])
def test_the_probability_of_a_translation_is_its_score_whatever_is_forced(pairs, name: str):
    _, converted = pairs[name]
    tasks = [converted._task(0, given, converted.encode([given])[0], Decoding(beam=4)) for given in INPUTS]
    for task in tasks:
        (found,) = converted._search([task], Decoding(beam=4))
        if found.ids[-1] not in converted.layout.closing:
            continue
        from dataclasses import replace

        (logprobs,) = converted._logprobs([replace(task.example, target=found.ids)])
        assert logprobs.sum() == pytest.approx(found.logprob, abs=1e-3)


def test_a_model_kept_in_half_precision_is_converted_as_it_is_read(folders, tmp_path: Path):
    half = tmp_path / "half"
    shutil.copytree(folders["concatenation"], half)
    weights = safetensors.load_file(half / "model.safetensors")
    safetensors.save_file(
        {key: value.half() for key, value in weights.items()}, half / "model.safetensors", {"format": "pt"}
    )
    config = json.loads((half / "config.json").read_text("utf-8"))
    (half / "config.json").write_text(json.dumps({**config, "dtype": "float16"}), "utf-8")
    convert_model(str(half), tmp_path / "converted")
    model, converted = open_model(str(half), PAIR), open_model(f"ct2:{tmp_path / 'converted'}", PAIR)
    for one, other in zip(model.score(INPUTS, TARGETS), converted.score(INPUTS, TARGETS), strict=True):
        np.testing.assert_allclose(one.logprobs, other.logprobs, atol=2e-5)


def test_an_int8_model_says_so_and_stays_near(folders, pairs, tmp_path: Path):
    card = convert_model(str(folders["concatenation"]), tmp_path / "small", "int8")
    assert card.precision == "int8"
    small = open_model(f"ct2:{tmp_path / 'small'}", PAIR)
    assert "precision:int8" in small.signature
    for one, other in zip(pairs["concatenation"][0].score(INPUTS, TARGETS), small.score(INPUTS, TARGETS), strict=True):
        assert abs(one.total - other.total) / len(one.logprobs) < 0.5


def test_a_multi_encoder_cannot_be_converted(folders, tmp_path: Path):
    with pytest.raises(InputError, match="E279"):
        convert_model(str(folders["multi-encoder"]), tmp_path / "out")


def test_folders_that_are_no_converted_models_and_folders_in_use_are_told(folders, tmp_path: Path):
    with pytest.raises(InputError, match=r"E279.*models convert"):
        open_model(f"ct2:{folders['sentence']}")
    (tmp_path / "x").write_text("x")
    with pytest.raises(InputError, match="E356"):
        convert_model(str(folders["sentence"]), tmp_path)
    (tmp_path / "y").mkdir()
    (tmp_path / "y" / "endophora.json").write_text(json.dumps({"kind": "own"}))
    with pytest.raises(InputError, match="E279"):
        open_model(f"ct2:{tmp_path / 'y'}")
