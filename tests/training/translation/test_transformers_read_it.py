"""A model that was trained here is a Marian model to `transformers`: the same ids, and the same log-probabilities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from toy_text import toy_documents
from toy_training import train_toy
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from endophora.corpus.streams import REFERENCE
from endophora.errors import InputError
from endophora.models.layout import NEVER
from endophora.models.records import ModelInput
from endophora.models.specs import open_scorer
from endophora.models.tokenization import SEPARATOR, Vocabulary, train_vocabulary
from endophora.training.translation.loop import Watch
from endophora.training.translation.model import new_model, warm_start
from endophora.training.translation.settings import TrainingSettings
from endophora.training.translation.train import TrainingRun

PROBES = ("the lamp is here", "it is  wet", "Überraschung: “x” 東京 – 100 %", "the lamp is here<brk> it is wet", "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model")
    train_toy(path, updates=30, evaluate_every=30)
    return path


def test_the_tokenizer_cuts_and_joins_as_the_vocabulary_does(folder: Path):
    theirs, ours = AutoTokenizer.from_pretrained(folder), Vocabulary(folder / "source.spm")
    for text in PROBES:
        assert tuple(theirs(text).input_ids) == (*ours.ids(text), ours.eos)
        assert tuple(theirs(text_target=text).input_ids) == (*ours.ids(text), ours.eos)
    assert theirs.pad_token_id == ours.pad
    assert theirs.convert_tokens_to_ids(SEPARATOR) == ours.separator
    assert theirs.decode(ours.ids("the lamp"), skip_special_tokens=True) == "the lamp"


def test_log_probabilities_are_those_of_transformers(folder: Path):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    document = toy_documents(1, seed=5)[0]
    (source, target), (text, wanted) = ((each.source, each.references[REFERENCE]) for each in document.segments)
    # The blank after the separator begins a word, as at the beginning of a sentence.
    inputs = tokenizer(f"{source}{SEPARATOR} {text}", return_tensors="pt")
    labels = tokenizer(text_target=f"{target}{SEPARATOR} {wanted}", return_tensors="pt").input_ids
    with torch.no_grad():
        logs = torch.log_softmax(model(**inputs, labels=labels).logits[0], -1)
    theirs = logs.gather(-1, labels[0][:, None])[:, 0].numpy()
    ours = open_scorer(str(folder)).score([ModelInput(text, (source,), (target,))], [wanted])[0]
    assert np.allclose(ours.logprobs, theirs[-len(ours.logprobs) :], atol=1e-5)


def test_a_multi_encoder_begins_with_a_sentence_level_models_weights(folder: Path, tmp_path: Path):
    notes: list[str] = []
    run = TrainingRun(device="cpu", threads=1, start=folder)
    card = train_toy(tmp_path / "m", run, Watch(note=notes.append), architecture="multi-encoder", updates=1)
    assert card.start == folder.name
    assert card.start_missing == ()
    assert notes == []
    assert (tmp_path / "m" / "source.spm").read_bytes() == (folder / "source.spm").read_bytes()
    assert AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "m").config.context_architecture == "multi-encoder"


def test_weights_that_are_not_found_are_named(folder: Path, tmp_path: Path):
    notes: list[str] = []
    # A shallower model finds nothing for its further layers in the start, nor for matrices of another shape.
    run = TrainingRun(device="cpu", threads=1, start=folder)
    card = train_toy(tmp_path / "larger", run, Watch(note=notes.append), preset="mini", updates=1, batch_tokens=100)
    assert any("final_logits_bias" not in name for name in card.start_missing)
    assert "begin at random" in notes[0]
    assert "not found there" in (tmp_path / "larger" / "README.md").read_text("utf-8")
    with pytest.raises(InputError, match="E295"):
        train_toy(tmp_path / "absent", TrainingRun(device="cpu", start=tmp_path / "nowhere"), updates=1)


def test_embeddings_are_carried_over_to_another_vocabulary_sub_word_by_sub_word(folder: Path, tmp_path: Path):
    old = Vocabulary(folder / "source.spm")
    train_vocabulary(["the lamp is old", "eine neue lampe", "the lampshade glows"] * 9, tmp_path / "new.spm", 290)
    new = Vocabulary(tmp_path / "new.spm")
    settings = TrainingSettings(preset="tiny", architecture="concatenation", context_size=1)
    model = new_model(settings, new)
    assert warm_start(model, new, folder) == []
    theirs = AutoModelForSeq2SeqLM.from_pretrained(folder).model.shared.weight
    ours = model.model.shared.weight
    assert ours.shape[0] == new.size != old.size
    compared = set()
    for index in range(new.size):
        piece = new.piece(index)
        same = old.pad if index == new.pad else old.index(piece)
        ids = (same,) if same != old.unknown or index == new.unknown else old.ids(piece.replace("▁", " ").lstrip())
        compared.add(min(len(ids), 2))
        assert torch.allclose(ours[index], theirs[list(ids)].mean(0), atol=1e-6), piece
    assert compared == {1, 2}
    assert model.final_logits_bias[0, new.pad] == NEVER


def test_a_new_vocabulary_is_trained_in_spite_of_a_start(folder: Path, tmp_path: Path):
    run = TrainingRun(device="cpu", threads=1, start=folder, new_vocabulary=True)
    train_toy(tmp_path / "m", run, updates=1, vocabulary_size=305, documents=30)
    assert (tmp_path / "m" / "source.spm").read_bytes() != (folder / "source.spm").read_bytes()
    assert (tmp_path / "m" / "source.spm").read_bytes() == (tmp_path / "m" / "work" / "source.spm").read_bytes()
