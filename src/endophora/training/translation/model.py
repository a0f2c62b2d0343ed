"""Makes the model that is trained, and warm-starts it from another one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForSeq2SeqLM, MarianMTModel, PreTrainedModel

from endophora.models.layout import Layout
from endophora.models.multi_encoder import MultiEncoderForTranslation
from endophora.models.presets import LONGEST, NEVER, Architecture, marian_config, preset
from endophora.models.vocabulary import Vocabulary
from endophora.training.translation.settings import TrainingSettings


def new_model(settings: TrainingSettings, vocabulary: Vocabulary) -> PreTrainedModel:
    """Return a model with random weights; the seed determines them.

    Args:
        settings: architecture, preset, dropout, seed.
        vocabulary: of source and target.
    """
    torch.manual_seed(settings.seed)
    size = preset(settings.preset)
    if settings.dropout is not None:
        size = size.model_copy(update={"dropout": settings.dropout})
    config = marian_config(size, vocabulary, settings.architecture, settings.context_size)
    multiple = settings.architecture is Architecture.MULTI_ENCODER
    model: Any = MultiEncoderForTranslation(config) if multiple else MarianMTModel(config)
    with torch.no_grad():
        # The variance of Vaswani et al.'s shared embeddings, which are scaled by the root of the width on their way in.
        torch.nn.init.normal_(model.model.shared.weight, std=size.hidden**-0.5)
        model.model.shared.weight[vocabulary.pad] = 0
        model.final_logits_bias[0, vocabulary.pad] = NEVER
    return model


def warm_start(model: PreTrainedModel, path: Path) -> list[str]:
    """Take over the weights of a trained model where names and shapes are the same.

    A multi-encoder's context encoders begin as copies of a single encoder.

    Returns:
        Names of the weights that were not found and stay as they are.
    """
    other = AutoModelForSeq2SeqLM.from_pretrained(path, use_safetensors=True)
    found = other.state_dict()
    for name in ("source_context_encoder", "target_context_encoder"):
        for key, value in list(found.items()):
            if key.startswith("model.encoder."):
                found.setdefault(key.replace("model.encoder.", f"model.{name}."), value)
    own = model.state_dict()
    fitting = {key: value for key, value in found.items() if key in own and own[key].shape == value.shape}
    model.load_state_dict(fitting, strict=False)
    return sorted(own.keys() - fitting.keys())


def layout_of(settings: TrainingSettings, vocabulary: Vocabulary) -> Layout:
    """Return how a model of these settings takes context."""
    return Layout(settings.architecture, (vocabulary.separator,), (vocabulary.eos,), LONGEST)
