"""Makes the model that is trained, and warm-starts it from another one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForSeq2SeqLM, MarianMTModel, PreTrainedModel

from endophora.errors import Fault, InputError
from endophora.models.layout import Layout
from endophora.models.multi_encoder import MultiEncoderForTranslation
from endophora.models.presets import LONGEST, NEVER, Architecture, marian_config, preset
from endophora.models.vocabulary import Vocabulary
from endophora.training.translation.settings import TrainingSettings

_COMPUTED = "embed_positions"
"""Weights of this name are sines, and in no file."""


def new_model(settings: TrainingSettings, vocabulary: Vocabulary) -> PreTrainedModel:
    """Return a model with random weights; the seed determines them."""
    seed_everything(settings.seed)
    size = preset(settings.preset)
    if settings.dropout is not None:
        size = size.model_copy(update={"dropout": settings.dropout})
    config = marian_config(size, vocabulary, settings.architecture, settings.context_size, settings.most_with_context)
    multiple = settings.architecture is Architecture.MULTI_ENCODER
    kind: Any = MultiEncoderForTranslation if multiple else MarianMTModel
    model = kind(config)
    with torch.no_grad():
        # The variance of Vaswani et al.'s shared embeddings, which are scaled by the root of the width on their way in.
        torch.nn.init.normal_(model.model.shared.weight, std=size.hidden**-0.5)
        model.model.shared.weight[vocabulary.pad] = 0
        model.final_logits_bias[0, vocabulary.pad] = NEVER
    return model


def warm_start(model: PreTrainedModel, vocabulary: Vocabulary, path: Path) -> list[str]:
    """Take over the weights of a trained model where names and shapes are the same.

    A multi-encoder's context encoders begin as copies of a single encoder. Where the vocabularies differ, embeddings
    are carried over sub-word by sub-word; a new one begins as the mean of those that the trained model cuts it into
    (Gee et al. 2022, "Fast Vocabulary Transfer for Language Model Compression", section 3).

    Raises: InputError: there is no such model, or none of its weights fits (E295).
    """
    try:
        reader: Any = AutoModelForSeq2SeqLM
        other = reader.from_pretrained(path, use_safetensors=True, local_files_only=True)
    except (OSError, ValueError) as error:
        cause = f"no model can be read there ({str(error).splitlines()[0]})"
        raise InputError(Fault("E295", cause, "name the folder of a trained model", str(path))) from error
    found: dict[str, Any] = other.state_dict()
    for name in ("source_context_encoder", "target_context_encoder"):
        for key, value in list(found.items()):
            if key.startswith("model.encoder."):
                found.setdefault(key.replace("model.encoder.", f"model.{name}."), value)
    own: dict[str, Any] = model.state_dict()
    theirs = Vocabulary(path / "source.spm")
    if theirs.path.read_bytes() != vocabulary.path.read_bytes():
        rows = _rows(vocabulary, theirs)
        for key, value in list(found.items()):
            if theirs.size in value.shape and _COMPUTED not in key:
                found[key] = _carried(value, rows, value.shape.index(theirs.size))
    wanted = {key for key in own if _COMPUTED not in key}
    fitting = {key: found[key] for key in wanted if key in found and found[key].shape == own[key].shape}
    if not fitting:
        raise InputError(Fault("E295", "none of its weights fits", "name a model of the same preset", str(path)))
    model.load_state_dict(fitting, strict=False)
    return sorted(wanted - fitting.keys())


def _rows(vocabulary: Vocabulary, theirs: Vocabulary) -> list[tuple[int, ...]]:
    """Return, for each sub-word, the sub-words of another vocabulary that stand for it."""
    rows: list[tuple[int, ...]] = []
    for index in range(vocabulary.pad):
        piece = vocabulary.piece(index)
        same = theirs.index(piece)
        cut = same == theirs.unknown and index != vocabulary.unknown
        rows.append((cut and theirs.ids(piece.replace("▁", " ").lstrip())) or (same,))
    return [*rows, (theirs.pad,)]


def _carried(value: torch.Tensor, rows: list[tuple[int, ...]], dimension: int) -> torch.Tensor:
    return torch.stack([value.index_select(dimension, torch.tensor(row)).mean(dimension) for row in rows], dimension)


def seed_everything(seed: int) -> None:
    """Seed torch's random numbers, on all devices."""
    torch.manual_seed(seed)  # pyright: ignore[reportUnknownMemberType]


def layout_of(settings: TrainingSettings, vocabulary: Vocabulary) -> Layout:
    """Return how a model of these settings takes context."""
    return Layout(
        settings.architecture, (vocabulary.separator,), (vocabulary.eos,), LONGEST, window=settings.most_with_context
    )
