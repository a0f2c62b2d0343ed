"""The neural aligner's arithmetic by hand, and the whole of it on a tiny random model."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toy import texts

from endophora.align import load_aligner
from endophora.align.external import both_softmaxes, link_words, word_confidence
from endophora.errors import InputError, MissingModelError
from endophora_makers.alignment_evaluation import points


def test_both_softmaxes_of_hand_worked_embeddings() -> None:
    # Scores are [[ln 3, 0], [0, 0]].
    source = np.array([[np.log(3), 0], [0, 1]], np.float32)
    target = np.array([[1, 0], [0, 0]], np.float32)
    forward, backward = both_softmaxes(source, target)
    assert forward == pytest.approx(np.array([[0.75, 0.25], [0.5, 0.5]]))
    assert backward == pytest.approx(np.array([[0.75, 0.5], [0.25, 0.5]]))


def test_words_take_the_links_and_the_highest_value_of_their_sub_words() -> None:
    values = np.array([[0.1, 0.9], [0.3, 0.2], [0.0, 0.6]], np.float32)
    assert link_words(values > 0.5, [0, 0, 1], [0, 1]) == {(0, 1), (1, 1)}
    found = word_confidence(values, [0, 0, 1], [0, 1])
    assert found == pytest.approx({(0, 0): 0.3, (0, 1): 0.9, (1, 0): 0.0, (1, 1): 0.6})


def test_neural_needs_a_model_name() -> None:
    with pytest.raises(InputError, match="E057"):
        load_aligner("neural", "en", "de")


@pytest.mark.skipif(find_spec("transformers") is not None, reason="transformers is installed")
def test_neural_names_the_command_that_installs_it() -> None:
    with pytest.raises(MissingModelError, match=r"E056.*pip install 'endophora\[neural\]'"):
        load_aligner("neural:bert-base-multilingual-cased", "en", "de")


PAIRS = {"the": "das", "red": "rote", "book": "buch", "##s": "##er"}


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A model of random weights that knows no positions, and in which a word and its translation are the same."""
    torch: Any = pytest.importorskip("torch")
    transformers: Any = pytest.importorskip("transformers")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *PAIRS, *PAIRS.values()]
    (tmp_path / "vocab.txt").write_text("\n".join(words), "utf-8")
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = transformers.BertConfig(vocab_size=len(words), max_position_embeddings=16, **sizes)
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(1)
        model = transformers.BertModel(config)
        table = model.embeddings.word_embeddings.weight
        model.embeddings.position_embeddings.weight.zero_()
        for word, translation in PAIRS.items():
            table[words.index(translation)] = table[words.index(word)]
    model.save_pretrained(tmp_path)
    transformers.BertTokenizerFast.from_pretrained(tmp_path).save_pretrained(tmp_path)
    return tmp_path


def test_neural_links_words_to_their_translations_wherever_they_stand(tiny: Path) -> None:
    aligner = load_aligner(f"neural:{tiny}", "en", "de", symmetrisation="intersection")
    sides = texts("the red books", "red the book", "red"), texts("bucher das rote", "buch rote", "rote das")
    linked = [points(links) for links in aligner.align(*sides)]
    assert linked == [[(0, 1), (1, 2), (2, 0)], [(0, 1), (2, 0)], [(0, 0)]]


def test_neural_leaves_empty_sides_and_words_beyond_the_longest_input_without_links(tiny: Path) -> None:
    aligner = load_aligner(f"neural:{tiny}", "en", "de")
    sides = texts("the", "", " ".join(["red"] * 40)), texts("", "das", "rote")
    nothing, none, long = aligner.align(*sides)
    assert nothing == none == ()
    assert {place for place, _ in points(long)} <= set(range(14))
    assert long
    assert all(0 <= link.confidence <= 1 for link in long)
    assert aligner.align(*sides) == [nothing, none, long]
    assert "layer 2" in aligner.signature


@pytest.mark.parametrize("damage", [b"", b"\x00" * 64, b"half"])
def test_neural_names_a_model_whose_weights_are_broken(tiny: Path, damage: bytes) -> None:
    weights = tiny / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000] if damage == b"half" else damage)
    with pytest.raises(MissingModelError, match=r"E056.*cannot be loaded"):
        load_aligner(f"neural:{tiny}", "en", "de")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_neural_names_a_model_whose_description_is_broken(tiny: Path, name: str) -> None:
    (tiny / name).write_text('{"version": ', "utf-8")
    with pytest.raises(MissingModelError, match=r"E056.*cannot be loaded"):
        load_aligner(f"neural:{tiny}", "en", "de")


def test_neural_takes_no_weights_but_safetensors(tiny: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    (tiny / "model.safetensors").unlink()
    torch.save({}, tiny / "pytorch_model.bin")
    with pytest.raises(MissingModelError, match="E056"):
        load_aligner(f"neural:{tiny}", "en", "de")


@pytest.mark.parametrize(("lost", "accepted"), [("pooler.dense", True), ("encoder.layer.1.attention", False)])
def test_neural_does_not_align_by_weights_that_a_file_lacks(tiny: Path, lost: str, accepted: bool) -> None:
    numpy: Any = pytest.importorskip("safetensors.numpy")
    path = tiny / "model.safetensors"
    kept = {key: value for key, value in numpy.load_file(path).items() if not key.startswith(lost)}
    numpy.save_file(kept, path, {"format": "pt"})
    if accepted:
        load_aligner(f"neural:{tiny}", "en", "de")
        return
    with pytest.raises(MissingModelError, match=r"E056.*lacks \d+ weights.*encoder\.layer\.1"):
        load_aligner(f"neural:{tiny}", "en", "de")
