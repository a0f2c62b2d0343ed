"""The multi-encoder model: encoders for source context, source and target context, joined before a Marian decoder.

Mohammed and Niculae (2024), section 3.2 and Figure 2c: the outputs of the three encoders are concatenated. All share
one table of embeddings. A sequence that is absent (no context) is left out by its mask.
"""

from __future__ import annotations

from typing import Any, ClassVar, cast

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForSeq2SeqLM, GenerationMixin, MarianConfig
from transformers.modeling_outputs import BaseModelOutput, Seq2SeqLMOutput, Seq2SeqModelOutput
from transformers.models.marian.modeling_marian import (
    MarianDecoder,
    MarianEncoder,
    MarianPreTrainedModel,
    shift_tokens_right,
)

# What follows overrides more than the library's annotations allow for.
_Marian: Any = MarianPreTrainedModel
_Config: Any = AutoConfig
_Auto: Any = AutoModelForSeq2SeqLM


class MultiEncoderConfig(MarianConfig):
    """Configuration of a multi-encoder: that of a Marian model, whose encoder it has three times."""

    model_type = "endophora_multi_encoder"


class _Body(_Marian):
    """The encoders and the decoder, without the output layer."""

    config_class = MultiEncoderConfig

    def __init__(self, config: MultiEncoderConfig) -> None:
        super().__init__(config)  # pyright: ignore[reportUnknownMemberType]
        self.shared = nn.Embedding(config.vocab_size, config.d_model, config.pad_token_id)
        self.encoder = MarianEncoder(config)
        self.source_context_encoder = MarianEncoder(config)
        self.target_context_encoder = MarianEncoder(config)
        self.decoder = MarianDecoder(config)
        self.post_init()


_ENCODERS = ("encoder", "source_context_encoder", "target_context_encoder")
_CONTEXT = ("source_context_ids", "source_context_mask", "target_context_ids", "target_context_mask")


class MultiEncoderForTranslation(_Marian, GenerationMixin):
    """A Transformer with encoders of their own for source and target context.

    The order of what the decoder attends to is source context, source, target context.
    """

    config_class = MultiEncoderConfig
    base_model_prefix = "model"
    _tied_weights_keys: ClassVar[dict[str, str]] = {
        "lm_head.weight": "model.shared.weight",
        "model.decoder.embed_tokens.weight": "model.shared.weight",
        **{f"model.{name}.embed_tokens.weight": "model.shared.weight" for name in _ENCODERS},
    }
    _keys_to_ignore_on_load_missing: ClassVar[list[str]] = [
        f"model.{name}.embed_positions.weight" for name in (*_ENCODERS, "decoder")
    ]
    _keys_to_ignore_on_save = _keys_to_ignore_on_load_missing

    def __init__(self, config: MultiEncoderConfig) -> None:
        super().__init__(config)  # pyright: ignore[reportUnknownMemberType]
        self.model = _Body(config)
        self.final_logits_bias = nn.Buffer(torch.zeros((1, config.vocab_size)))
        self.lm_head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.post_init()

    def get_encoder(self) -> MarianEncoder:
        """Return the encoder of the source."""
        return self.model.encoder

    def get_decoder(self) -> MarianDecoder:
        """Return the decoder."""
        return self.model.decoder

    def get_input_embeddings(self) -> nn.Embedding:
        """Return the embeddings that all parts share."""
        return self.model.shared

    def set_input_embeddings(self, value: nn.Embedding) -> None:
        """Replace the embeddings of all parts."""
        self.model.shared = value
        for part in (*(getattr(self.model, name) for name in _ENCODERS), self.model.decoder):
            part.embed_tokens = value

    def encode(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        source_context_ids: Tensor | None = None,
        source_context_mask: Tensor | None = None,
        target_context_ids: Tensor | None = None,
        target_context_mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Encode the three sequences and join them.

        Contexts are (batch, C) and (batch, D), with a row of zeros in the mask for none in one example; ``None`` for
        none in the whole batch. Returns states (batch, C + S + D, hidden) in the order source context, source, target
        context, and their mask.
        """
        parts = [
            (encoder, ids, mask)
            for encoder, ids, mask in (
                (self.model.source_context_encoder, source_context_ids, source_context_mask),
                (self.model.encoder, input_ids, attention_mask),
                (self.model.target_context_encoder, target_context_ids, target_context_mask),
            )
            if ids is not None and mask is not None
        ]
        states = [_states(encoder, ids, mask) for encoder, ids, mask in parts]
        return torch.cat(states, 1), torch.cat([mask for _, _, mask in parts], 1)

    def decoded(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        encoder_outputs: BaseModelOutput | None = None,
        **options: Any,
    ) -> Seq2SeqModelOutput:
        """Run the model up to what its output layer takes; the arguments are those of :meth:`forward`."""
        context = {name: options.pop(name, None) for name in _CONTEXT}
        if encoder_outputs is None:
            if input_ids is None or attention_mask is None:
                raise ValueError("input_ids and attention_mask, or encoder_outputs")
            states, attention_mask = self.encode(input_ids, attention_mask, **context)
            encoder_outputs = BaseModelOutput(last_hidden_state=states)
        encoded: dict[str, Any] = {
            "encoder_hidden_states": encoder_outputs[0],
            "encoder_attention_mask": attention_mask,
        }
        outputs = self.model.decoder(input_ids=decoder_input_ids, **encoded, **options)
        return Seq2SeqModelOutput(
            last_hidden_state=outputs.last_hidden_state,
            past_key_values=outputs.past_key_values,
            decoder_attentions=outputs.attentions,
            cross_attentions=outputs.cross_attentions,
            encoder_last_hidden_state=cast("Tensor", encoder_outputs[0]),
        )

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        encoder_outputs: BaseModelOutput | None = None,
        labels: Tensor | None = None,
        **options: Any,
    ) -> Seq2SeqLMOutput:
        """Run the model on sequences, or on what :meth:`encode` has given of them, with its mask.

        The decoder's input follows from ``labels`` (−100 is not counted) if it is not given. ``options`` are the
        sequences of context, as :meth:`encode` takes them, and what the decoder takes.
        """
        if decoder_input_ids is None and labels is not None:
            decoder_input_ids = shift_tokens_right(labels, self.config.pad_token_id, self.config.decoder_start_token_id)
        outputs = self.decoded(input_ids, attention_mask, decoder_input_ids, encoder_outputs, **options)
        logits = self.lm_head(outputs.last_hidden_state) + self.final_logits_bias
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits.view(-1, logits.shape[-1]), labels.view(-1))
        shared: dict[str, Any] = dict(cast("dict[str, Any]", outputs))
        del shared["last_hidden_state"]
        return Seq2SeqLMOutput(loss=loss, logits=logits, **shared)


def _states(encoder: MarianEncoder, ids: Tensor, mask: Tensor) -> Tensor:
    """Encode sequences; one without any token attends to its first padding, and the decoder's mask leaves it out."""
    seen = mask.clone()
    seen[:, 0] = 1
    return encoder(input_ids=ids, attention_mask=seen).last_hidden_state


_Config.register(MultiEncoderConfig.model_type, MultiEncoderConfig, exist_ok=True)
_Auto.register(MultiEncoderConfig, MultiEncoderForTranslation, exist_ok=True)
