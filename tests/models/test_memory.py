"""Batches that memory does not suffice for are done in halves, and how models are placed is handed to transformers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from endophora.errors import InputError, MissingModelError  # noqa: E402
from endophora.models import loading, sequence_model, torch_model  # noqa: E402
from endophora.models.loading import fitting_tokens, in_halves  # noqa: E402
from endophora.models.options import ModelOptions, read_spec  # noqa: E402
from endophora.models.records import (  # noqa: E402
    Decoding,
    ModelInput,
    contextual_inputs,
)
from endophora.models.specs import open_scorer, open_translator  # noqa: E402

PAIR = ModelOptions(languages=("en", "de"), batch_tokens=512)
INPUTS = [ModelInput(text) for text in ("She had no umbrella.", "It was raining.", "The car.", "She had a car.")]
TARGETS = ["Sie hatte keinen Schirm.", "Es regnete.", "Das Auto.", "Sie hatte ein Auto."]


class Once:
    """Lets memory run out in the first call of a function, as torch says it."""

    def __init__(self, function: Any) -> None:
        self._function, self.calls = function, 0

    def __call__(self, *given: Any, **more: Any) -> Any:
        self.calls += 1
        if self.calls == 1:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return self._function(*given, **more)


def test_batches_on_a_gpu_are_as_large_as_what_is_free_allows():
    from transformers import LlamaConfig, T5Config

    large = LlamaConfig(hidden_size=4096, intermediate_size=11008, num_hidden_layers=32)
    # A token takes 2 bytes × (8 × 4,096 + 3 × 11,008 + 2 × 32 × 4,096) = 655,872; a fourth of the memory is for them.
    assert [fitting_tokens(gigabytes * 10**9, large, 2) for gigabytes in (1, 10, 64)] == [1024, 3811, 24395]
    small = T5Config(d_model=512, d_ff=2048, num_layers=6)
    assert fitting_tokens(10**9, small, 4) == 10**9 // (4 * 4 * (8 * 512 + 3 * 2048 + 2 * 6 * 512))
    assert fitting_tokens(10**12, small, 4) == 65_536


@pytest.mark.parametrize("kind", ["lm:llama", "concatenation"])
def test_scores_are_the_same_where_memory_ran_out(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, kind: str):
    prefix, _, name = kind.rpartition(":")
    model = open_scorer(f"{prefix}:{folders[name]}".removeprefix(":"), PAIR)
    whole = model.score(INPUTS, TARGETS)
    once = Once(torch_model._batch)
    monkeypatch.setattr(torch_model, "_batch", once)
    for one, other in zip(model.score(INPUTS, TARGETS), whole, strict=True):
        np.testing.assert_allclose(one.logprobs, other.logprobs, atol=1e-5)
    assert once.calls >= 3


def test_scores_of_one_source_are_the_same_where_memory_ran_out(folders, monkeypatch: pytest.MonkeyPatch):
    model = open_scorer(f"lm:{folders['llama']}", PAIR)
    inputs, targets = [INPUTS[0]] * 4 + [INPUTS[1]] * 4, TARGETS * 2
    whole = model.score(inputs, targets)
    once = Once(torch_model._shared)
    monkeypatch.setattr(torch_model, "_shared", once)
    for one, other in zip(model.score(inputs, targets), whole, strict=True):
        np.testing.assert_allclose(one.logprobs, other.logprobs, atol=1e-5)
    assert once.calls


def test_translations_are_the_same_where_memory_ran_out(folders, monkeypatch: pytest.MonkeyPatch):
    model = open_translator(str(folders["concatenation"]), PAIR)
    whole = model.translate(INPUTS, Decoding(beam=2))
    once = Once(model._search)
    monkeypatch.setattr(model, "_search", once)
    assert [one.text for one in model.translate(INPUTS, Decoding(beam=2))] == [one.text for one in whole]
    assert once.calls >= 3
    assert sequence_model.in_halves is in_halves


def test_one_segment_that_memory_does_not_suffice_for_is_an_error():
    def never(batch: Any) -> Any:
        raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")

    with pytest.raises(InputError, match="E286"):
        in_halves([1, 2, 3], never)


def test_other_errors_are_not_hidden():
    def broken(batch: Any) -> Any:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    with pytest.raises(RuntimeError, match="shapes"):
        in_halves([1, 2], broken)


@pytest.mark.parametrize(
    ("device", "bfloat16", "given", "wanted"),
    [
        ("cpu", False, None, "float32"),
        ("cuda", True, None, "bfloat16"),
        ("cuda", False, None, "float32"),
        ("cuda", True, "float32", "float32"),
    ],
)
def test_a_gpu_has_bfloat16_by_default(
    monkeypatch: pytest.MonkeyPatch, device: str, bfloat16: bool, given: Any, wanted: str
):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: device == "cuda")
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: bfloat16)
    assert loading.precision_of(ModelOptions(precision=given)) == wanted


def test_the_precision_that_was_used_is_in_the_signature(folders):
    assert "precision:float32" in open_scorer(f"lm:{folders['llama']}", PAIR).signature
    assert "precision:bfloat16" in open_scorer(f"lm:{folders['llama']},precision=bfloat16", PAIR).signature


def test_how_a_model_is_placed_reaches_transformers(folders, monkeypatch: pytest.MonkeyPatch):
    """The libraries need not be there: what from_pretrained is given is looked at, and the adapter's place."""
    import transformers

    seen: dict[str, Any] = {}
    real = transformers.AutoModelForCausalLM.from_pretrained

    def from_pretrained(name: str, **given: Any) -> Any:
        seen.update(given)
        model, told = real(name, **{key: value for key, value in given.items() if key not in placed})
        model.load_adapter = lambda place: seen.update(adapter=place)
        return model, told

    placed = {"device_map", "quantization_config"}
    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", from_pretrained)
    monkeypatch.setattr(transformers, "BitsAndBytesConfig", lambda **bits: SimpleNamespace(**bits))
    monkeypatch.setattr(loading, "_there", lambda library: True)
    open_scorer(f"lm:{folders['llama']},device_map=auto,weights=4bit,adapter={folders['chat']}", PAIR)
    assert seen["device_map"] == "auto"
    assert vars(seen["quantization_config"]) == {"load_in_4bit": True}
    assert seen["adapter"] == str(folders["chat"])
    open_scorer(f"lm:{folders['llama']},weights=8bit", PAIR)
    assert seen["device_map"] == {"": "cpu"}
    assert vars(seen["quantization_config"]) == {"load_in_8bit": True}


@pytest.mark.parametrize(
    ("options", "library"), [("device_map=auto", "accelerate"), ("weights=8bit", "bitsandbytes"), ("adapter=x", "peft")]
)
def test_a_library_that_is_missing_is_named(folders, monkeypatch: pytest.MonkeyPatch, options: str, library: str):
    monkeypatch.setattr(loading, "_there", lambda name: name != library)
    with pytest.raises(MissingModelError, match=f"E273.*pip install {library}"):
        open_scorer(f"lm:{folders['llama']},{options}", PAIR)


def test_an_adapter_counts_by_its_content(tmp_path: Path):
    from endophora.signature import digest_of

    digests = set[str]()
    for text in ("a", "b"):
        (tmp_path / "adapter.json").write_text(text)
        digests.add(digest_of(read_spec(f"lm:x,adapter={tmp_path}", ModelOptions())[1]))
    assert len(digests) == 2


def test_an_adapter_or_tokenizer_of_the_hub_counts_with_the_commit_that_is_kept_here(tmp_path: Path, monkeypatch):
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    asked = loading.signature("tokenizer", "some/words", "chat", ModelOptions(adapter="some/more"), precision="float32")
    assert "some/words|" in asked
    names = set[str]()
    for commit in ("a" * 40, "b" * 40):
        for name, file in (("words", "tokenizer_config.json"), ("more", "adapter_config.json")):
            place = tmp_path / f"models--some--{name}"
            (place / "snapshots" / commit).mkdir(parents=True)
            (place / "refs").mkdir(exist_ok=True)
            (place / "snapshots" / commit / file).write_text("{}")
            (place / "refs/main").write_text(commit)
        signed = loading.signature(
            "tokenizer", "some/words", "chat", ModelOptions(adapter="some/more"), precision="float32"
        )
        assert f"some/words@{commit}" in signed
        assert f"some/more@{commit}" in signed
        names.add(signed)
    assert len(names) == 2


def test_a_window_that_is_read_once_is_read_in_parts_where_logits_have_no_room(folders, monkeypatch):
    model = open_scorer(f"lm:{folders['llama']},form=plain", PAIR)
    targets = TARGETS * 3
    inputs = contextual_inputs([one.source for one in INPUTS] * 3, targets, len(targets))
    whole = model.score(inputs, targets)
    taken: list[list[int]] = []

    def batch(model: Any, readings: Sequence[Sequence[Any]], *rest: Any) -> Any:
        taken.append([sum(len(one.target) for one in reading) for reading in readings])
        return read(model, readings, *rest)

    read, room = torch_model._batch, max(len(one.logprobs) for one in whole) * 2
    monkeypatch.setattr(torch_model, "_batch", batch)
    monkeypatch.setattr(torch_model, "most_logits", lambda device: room * model.model.config.vocab_size)
    for one, other in zip(model.score(inputs, targets), whole, strict=True):
        np.testing.assert_allclose(one.logprobs, other.logprobs, atol=1e-5)
    assert len(taken) > 1
    assert max(map(sum, taken)) <= room
