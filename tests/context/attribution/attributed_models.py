"""Tiny models with random weights, biases and layer norms, of each architecture that can be taken apart."""

from __future__ import annotations

from typing import Any

import torch
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    M2M100Config,
    M2M100ForConditionalGeneration,
    MarianConfig,
    MarianMTModel,
    MBartConfig,
    MBartForConditionalGeneration,
)

from endophora.context.attribution.alti import Batch
from endophora.models.multi_encoder import MultiEncoderConfig, MultiEncoderForTranslation

VOCABULARY, PAD = 31, 30

_SIZES = {
    "vocab_size": VOCABULARY,
    "d_model": 16,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_ffn_dim": 24,
    "decoder_ffn_dim": 24,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "max_position_embeddings": 64,
    "activation_function": "relu",
    "pad_token_id": PAD,
    "bos_token_id": 0,
    "eos_token_id": 0,
    "decoder_start_token_id": PAD,
}

ARCHITECTURES: dict[str, tuple[type[Any], type[Any]]] = {
    "marian": (MarianConfig, MarianMTModel),
    "m2m_100": (M2M100Config, M2M100ForConditionalGeneration),
    "mbart": (MBartConfig, MBartForConditionalGeneration),
    "bart": (BartConfig, BartForConditionalGeneration),
    "endophora_multi_encoder": (MultiEncoderConfig, MultiEncoderForTranslation),
}


def tiny(name: str, *, seed: int = 3, **changes: Any) -> Any:
    """A model whose every parameter is random, biases and norms too."""
    torch.manual_seed(seed)
    config, kind = ARCHITECTURES[name]
    model = kind(config(**(_SIZES | changes))).eval()
    with torch.no_grad():
        for path, parameter in model.named_parameters():
            if "embed_positions" in path:
                continue
            parameter.normal_(1.0 if "norm" in path and path.endswith("weight") else 0.0, 0.5)
    return model


def random_batch(model: Any, lengths: list[tuple[int, ...]], *, seed: int = 5) -> Batch:
    """Examples of the given lengths: of each encoder's sequence, then of the decoder's; padded at the right."""
    generator = torch.Generator().manual_seed(seed)
    columns = [
        [torch.randint(1, PAD, (length,), generator=generator) for length in column]
        for column in zip(*lengths, strict=True)
    ]
    padded = [(_padded(column), _mask(column)) for column in columns]
    *encoders, (decoder, _) = padded
    decoder[:, 0] = PAD
    return Batch(tuple(one if one[1].any() else None for one in encoders), decoder)


def single(batch: Batch, index: int, lengths: tuple[int, ...]) -> Batch:
    """One example of a batch without its padding."""
    encoders = tuple(
        None if one is None or not length else (one[0][index : index + 1, :length], one[1][index : index + 1, :length])
        for one, length in zip(batch.encoders, lengths, strict=False)
    )
    return Batch(encoders, batch.decoder_ids[index : index + 1, : lengths[-1]])


def _padded(rows: list[torch.Tensor]) -> torch.Tensor:
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)


def _mask(rows: list[torch.Tensor]) -> torch.Tensor:
    return torch.nn.utils.rnn.pad_sequence([torch.ones_like(row) for row in rows], batch_first=True, padding_value=0)
