"""Sizes of the models that are trained here, and the configuration of a Marian model of that size."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, ConfigDict, Field
from ruamel.yaml import YAML

from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from transformers import MarianConfig

    from endophora.models.vocabulary import Vocabulary

LONGEST = 1024
"""Positions of a model: most tokens of a source or target with its context."""

NEVER = -1.0e4
"""Logit of the padding token: it is never predicted, and so its embedding stays zero, as the decoder's start needs."""


class Architecture(StrEnum):
    """How a model takes context (Mohammed and Niculae 2024, sections 2 and 3.2)."""

    SENTENCE = "sentence"
    """None in training; context given all the same is put before the sentence: the paper's sentence-level*."""
    CONCATENATION = "concatenation"
    """Source context before the source, target context before the target, with separators: k-to-k."""
    SOURCE_CONCATENATION = "source-concatenation"
    """Source context before the source; the target stands alone: k-to-1."""
    MULTI_ENCODER = "multi-encoder"
    """Encoders of their own for source and target context; the outputs of all are joined before the decoder."""


class Preset(BaseModel):
    """The size of a Transformer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    hidden: int = Field(gt=0)
    feed_forward: int = Field(gt=0)
    encoder_layers: int = Field(gt=0)
    decoder_layers: int = Field(gt=0)
    heads: int = Field(gt=0)
    dropout: float = Field(ge=0, lt=1)
    peak_learning_rate: float = Field(gt=0)


@cache
def presets() -> dict[str, Preset]:
    """Return the sizes by name, from ``presets.yaml``."""
    table = cast("Any", YAML(typ="safe")).load(files("endophora.models").joinpath("presets.yaml").read_text("utf-8"))
    return {name: Preset.model_validate(values) for name, values in table.items()}


def preset(name: str) -> Preset:
    """Return the size of a name.

    Raises: InputError: there is none of that name (E270).
    """
    if name not in presets():
        raise InputError(Fault("E270", f"unknown preset “{name}”", f"known: {', '.join(presets())}"))
    return presets()[name]


def marian_config(
    size: Preset, vocabulary: Vocabulary, architecture: Architecture, context_size: int, context_window: int = LONGEST
) -> MarianConfig:
    """Return the configuration of a model of a size, which also says how it takes context."""
    from transformers import MarianConfig

    from endophora.models.multi_encoder import MultiEncoderConfig

    kind: Any = MultiEncoderConfig if architecture is Architecture.MULTI_ENCODER else MarianConfig
    return kind(
        vocab_size=vocabulary.size,
        decoder_vocab_size=vocabulary.size,
        d_model=size.hidden,
        encoder_layers=size.encoder_layers,
        decoder_layers=size.decoder_layers,
        encoder_ffn_dim=size.feed_forward,
        decoder_ffn_dim=size.feed_forward,
        encoder_attention_heads=size.heads,
        decoder_attention_heads=size.heads,
        dropout=size.dropout,
        attention_dropout=0.0,
        activation_dropout=0.0,
        activation_function="relu",
        scale_embedding=True,
        share_encoder_decoder_embeddings=True,
        max_position_embeddings=LONGEST,
        pad_token_id=vocabulary.pad,
        eos_token_id=vocabulary.eos,
        decoder_start_token_id=vocabulary.pad,
        forced_eos_token_id=None,
        bos_token_id=None,
        # What follows is ours: transformers keeps attributes that it does not know.
        context_architecture=architecture.value,
        context_size=context_size,
        context_window=context_window,
        context_separator=vocabulary.separator_piece,
    )
