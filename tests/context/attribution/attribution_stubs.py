"""A coder without a vocabulary file, and models on torch that use it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from attributed_models import PAD, tiny
from transformers import MarianMTModel

from endophora.models.layout import Architecture, Layout, marian_config, preset
from endophora.models.multi_encoder import MultiEncoderForTranslation
from endophora.models.records import ContextSentence
from endophora.models.tokenization import Pieces, train_vocabulary
from endophora.models.torch_model import TorchModel

EOS, SEPARATOR = 0, 2


class PairCoder:
    """Two characters a piece; a blank ends one."""

    start = pad = PAD
    ordinary = target_ordinary = range(3, PAD)

    def source(self, sentence: ContextSentence) -> Pieces:
        if not isinstance(sentence, str):
            return Pieces(sentence, tuple(map(str, sentence)), ((0, 0),) * len(sentence))
        spans, start = [], 0
        for word in sentence.split(" "):
            spans += [(start + at, start + min(at + 2, len(word))) for at in range(0, len(word), 2)]
            start += len(word) + 1
        texts = [sentence[start:end] for start, end in spans]
        return Pieces(tuple(3 + sum(map(ord, text)) % 27 for text in texts), tuple(texts), tuple(spans))

    target = source

    def piece(self, index: int) -> str:
        return str(index)

    def text(self, ids: Sequence[int]) -> str:
        return " ".join(map(str, ids))


def torch_model(architecture: Architecture, *, longest: int = 60, model: Any = None) -> TorchModel:
    name = "endophora_multi_encoder" if architecture is Architecture.MULTI_ENCODER else "marian"
    layout = Layout(architecture, (SEPARATOR,), (EOS,), longest)
    signature = f"tiny {architecture} {longest} {id(model)}"
    return TorchModel(model or tiny(name).double(), PairCoder(), layout, signature)


SENTENCES = (
    "The lamp is old, and the cat sat on it.",
    "I bought the lamp here; it works well!",
    "Die Lampe ist alt, und die Katze saß darauf.",
    "Ich habe die Lampe hier gekauft. Sie geht gut.",
    "Do you see the house? Siehst du das Haus?",
)


def own_folder(folder: Path, architecture: Architecture) -> Path:
    """A model as training leaves it, with random weights."""
    folder.mkdir(parents=True)
    vocabulary = train_vocabulary(SENTENCES * 10, folder / "source.spm", 300)
    config = marian_config(preset("tiny"), vocabulary, architecture, 3)
    torch.manual_seed(1)
    model = (MultiEncoderForTranslation if architecture is Architecture.MULTI_ENCODER else MarianMTModel)(config)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.dim() > 1 and "embed_positions" not in name:
                value.normal_(std=0.3)
    model.save_pretrained(folder)
    vocabulary.save(folder, "en", "de")
    return folder
