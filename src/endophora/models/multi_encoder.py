"""The multi-encoder model: encoders for source context, source and target context, joined before a Marian decoder.

Mohammed and Niculae (2024), section 3.2 and Figure 2c: the outputs of the three encoders are concatenated. All share
one table of embeddings. A sequence that is absent (no context) is left out by its mask.

With gates (Zhang et al. 2018, section 2) each layer of the source's encoder and of the decoder attends to the context
after its self-attention, and a gate mixes in what it finds; the decoder's own cross-attention reads the source alone.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, ClassVar, cast

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForSeq2SeqLM, GenerationMixin, MarianConfig, masking_utils
from transformers.modeling_outputs import BaseModelOutput, Seq2SeqLMOutput, Seq2SeqModelOutput
from transformers.models.marian.modeling_marian import (
    MarianAttention,
    MarianDecoder,
    MarianEncoder,
    MarianPreTrainedModel,
    shift_tokens_right,
)

from endophora.models.torch_model import CACHE

# What follows overrides more than the library's annotations allow for.
_Marian: Any = MarianPreTrainedModel
_Config: Any = AutoConfig
_Auto: Any = AutoModelForSeq2SeqLM
_masks: Any = masking_utils


class MultiEncoderConfig(MarianConfig):
    """Configuration of a multi-encoder: that of a Marian model, whose encoder it has three times."""

    model_type = "endophora_multi_encoder"
    context_gates: bool = False


OPEN = 4.0
"""What the bias of a gate begins with: σ(4) = .98 of what it lets through is the sentence-level model's."""

_CONTEXT = 2
"""In the mask of a gated model's joined states: a token of the context; 1 is one of the source, 0 padding."""


_READ: ContextVar[tuple[Tensor, Tensor] | None] = ContextVar("context that is read", default=None)
"""States (batch, C, hidden) and mask (batch, C), true where a token stands; threads may share a model."""


class GatedNorm(nn.LayerNorm):
    """The norm after self-attention, and a gated attention to the context behind it (Zhang et al. 2018, 2.2 to 2.4).

    Of states h and of what is found in the context, c, it makes λ ⊙ h + (1 − λ) ⊙ c with λ = σ(W [h; c] + b). No norm
    follows: that of the next sub-layer is the sentence-level model's. An example without context keeps h as it is.
    """

    def __init__(self, config: MultiEncoderConfig, heads: int) -> None:
        super().__init__(config.d_model)  # pyright: ignore[reportUnknownMemberType]
        self.context_attention = MarianAttention(config.d_model, heads, config.attention_dropout, config=config)
        self.context_gate = nn.Linear(2 * config.d_model, config.d_model)
        self._config, self._dropout = config, config.dropout

    def forward(self, input: Tensor) -> Tensor:
        """Return states of the form of ``input``, (batch, T, hidden)."""
        states = super().forward(input)
        if (given := _READ.get()) is None:
            return states
        read, mask = given
        there = mask.any(1)
        # Without any token, attention would be to nothing; what it finds is not taken.
        seen = mask | ~there[:, None]
        wide: Tensor | None = _masks.create_bidirectional_mask(self._config, states, seen, encoder_hidden_states=read)
        found, _ = self.context_attention(states, key_value_states=read, attention_mask=wide)
        found = nn.functional.dropout(found, self._dropout, self.training)
        kept = torch.sigmoid(self.context_gate(torch.cat([states, found], -1)))
        return torch.where(there[:, None, None], kept * states + (1 - kept) * found, states)


@contextmanager
def reading(states: Tensor, mask: Tensor) -> Generator[None]:
    """Let the layers with gates read a context, if there is any in the batch."""
    token = _READ.set((states, mask.bool()) if bool(mask.any()) else None)
    try:
        yield
    finally:
        _READ.reset(token)


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
        if config.context_gates:
            for part, heads in (
                (self.encoder, config.encoder_attention_heads),
                (self.decoder, config.decoder_attention_heads),
            ):
                for layer in part.layers:
                    layer.self_attn_layer_norm = GatedNorm(config, heads)
        self.post_init()


_ENCODERS = ("encoder", "source_context_encoder", "target_context_encoder")
_GIVEN = ("source_context_ids", "source_context_mask", "target_context_ids", "target_context_mask")


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
        context, and their mask; with gates, its tokens of context are 2.
        """
        if self.config.context_gates:
            first, last = (source_context_ids, source_context_mask), (target_context_ids, target_context_mask)
            return self._encode_gated(input_ids, attention_mask, first, last)
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

    def _encode_gated(self, ids: Tensor, mask: Tensor, *contexts: tuple[Tensor | None, Tensor | None]) -> Any:
        encoders = self.model.source_context_encoder, self.model.target_context_encoder
        width = self.config.d_model
        read = [(self.model.shared.weight.new_zeros(len(ids), 0, width), mask[:, :0])] * 2
        for number, (encoder, (tokens, there)) in enumerate(zip(encoders, contexts, strict=True)):
            if tokens is not None and there is not None:
                read[number] = (_states(encoder, tokens, there), there)
        (before, seen), (after, known) = read
        with reading(torch.cat([before, after], 1), torch.cat([seen, known], 1)):
            states = _states(self.model.encoder, ids, mask)
        return torch.cat([before, states, after], 1), torch.cat([_CONTEXT * seen, mask, _CONTEXT * known], 1)

    def decoded(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        encoder_outputs: BaseModelOutput | None = None,
        **options: Any,
    ) -> Seq2SeqModelOutput:
        """Run the model up to what its output layer takes; the arguments are those of :meth:`forward`."""
        context = {name: options.pop(name, None) for name in _GIVEN}
        if encoder_outputs is None:
            if input_ids is None or attention_mask is None:
                raise ValueError("input_ids and attention_mask, or encoder_outputs")
            states, attention_mask = self.encode(input_ids, attention_mask, **context)
            encoder_outputs = BaseModelOutput(last_hidden_state=states)
        states, mask = cast("Tensor", encoder_outputs[0]), attention_mask
        within = nullcontext()
        if self.config.context_gates and mask is not None:
            within = reading(states, mask == _CONTEXT)
            mask = (mask == 1).to(mask.dtype)
        with within:
            encoded: dict[str, Any] = {"encoder_hidden_states": states, "encoder_attention_mask": mask}
            outputs = self.model.decoder(input_ids=decoder_input_ids, **encoded, **options)
        return Seq2SeqModelOutput(
            last_hidden_state=outputs.last_hidden_state,
            decoder_attentions=outputs.attentions,
            cross_attentions=outputs.cross_attentions,
            encoder_last_hidden_state=states,
            **cast("Any", {CACHE: outputs.get(CACHE)}),
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
