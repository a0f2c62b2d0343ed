"""The neural aligner's arithmetic by hand, and the whole of it on a tiny random model."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toy import texts

from endophora.align import load_aligner
from endophora.align.evaluation import points
from endophora.align.neural import both_softmaxes, link_words, word_confidence
from endophora.errors import InputError, MissingModelError


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


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    torch: Any = pytest.importorskip("torch")
    transformers: Any = pytest.importorskip("transformers")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "red", "book", "##s", "rote", "buch", "the", "das"]
    (tmp_path / "vocab.txt").write_text("\n".join(words), "utf-8")
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    model = transformers.BertModel(
        transformers.BertConfig(vocab_size=len(words), max_position_embeddings=16, initializer_range=0.5, **sizes)
    )
    model.save_pretrained(tmp_path, safe_serialization=True)
    transformers.BertTokenizerFast(vocab_file=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    return tmp_path


def test_neural_links_a_text_to_itself_on_a_tiny_model(tiny: Path) -> None:
    aligner = load_aligner(f"neural:{tiny}", "en", "de")
    sides = texts("the red books", "", "book", " ".join(["red"] * 40)), texts("the red books", "x", "", "red")
    links = aligner.align(*sides)
    assert {(k, k) for k in range(3)} <= set(points(links[0]))
    assert links[1:3] == [(), ()]
    assert all(0 <= link.confidence <= 1 for found in links for link in found)
    assert links == aligner.align(*sides)
    assert "@2" in aligner.signature


def test_neural_takes_no_weights_but_safetensors(tiny: Path) -> None:
    torch: Any = pytest.importorskip("torch")
    (tiny / "model.safetensors").unlink()
    torch.save({}, tiny / "pytorch_model.bin")
    with pytest.raises(MissingModelError, match="E056"):
        load_aligner(f"neural:{tiny}", "en", "de")
