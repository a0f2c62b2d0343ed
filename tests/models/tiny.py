"""Tiny models with random weights, one of each kind, made on the spot."""

from __future__ import annotations

from pathlib import Path

import torch

from endophora.models.multi_encoder import MultiEncoderForTranslation
from endophora.models.presets import NEVER, Architecture, marian_config, preset
from endophora.models.vocabulary import Vocabulary, train_vocabulary

SENTENCES = (
    "The cat sat on the mat, and the dog did not.",
    "It was raining; she had no umbrella!",
    "Der Hund lag auf der Matte – die Katze nicht.",
    "Es regnete, und sie hatte keinen Schirm.",
    "Do you see the house? Siehst du das Haus?",
    "Well, 17 people came… 17 Leute kamen.",
)


def make_vocabulary(path: Path, size: int = 400) -> Vocabulary:
    """Train a vocabulary of a few sub-words on a few sentences."""
    return train_vocabulary(SENTENCES * 20, path, size)


def make_own(folder: Path, architecture: Architecture, seed: int = 1) -> Path:
    """Write a model as training does, with random weights large enough that it has preferences."""
    from transformers import MarianMTModel

    folder.mkdir(parents=True)
    vocabulary = make_vocabulary(folder / "source.spm")
    config = marian_config(preset("tiny"), vocabulary, architecture, 3)
    torch.manual_seed(seed)
    kind = MultiEncoderForTranslation if architecture is Architecture.MULTI_ENCODER else MarianMTModel
    model = kind(config)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.dim() > 1 and "embed_positions" not in name:
                value.normal_(std=0.3)
        model.model.shared.weight[vocabulary.pad] = 0
        model.final_logits_bias[0, vocabulary.pad] = NEVER
        model.final_logits_bias[0, vocabulary.eos] = 1.5
    model.save_pretrained(folder)
    vocabulary.save(folder, "en", "de")
    return folder
