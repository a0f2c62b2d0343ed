"""ALTI+ of a batch: the model runs once, and each attention block is taken apart as it runs.

No block's attention weights are kept: of an encoder its rollout so far stays, (B, S, S), of the decoder (B, T, S + T).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from endophora.context.attribution.blocks import Block, Normalisation, Resultant, distances, normalise
from endophora.context.attribution.flows import EncodedExample, Floats
from endophora.errors import Fault, InputError
from endophora.models.torch_model import masked, padded


@dataclass(frozen=True, slots=True)
class Architecture:
    """How the layers of a kind of model are built. All are of Bart's family: the attributes have the same names."""

    name: str
    norm_first: bool
    encoders: tuple[str, ...] = ("model.encoder",)
    decoder: str = "model.decoder"
    norm: str = "{}_layer_norm"


ARCHITECTURES: Mapping[str, Architecture] = {
    "marian": Architecture("Marian", norm_first=False),
    "m2m_100": Architecture("M2M100 and NLLB", norm_first=True),
    "mbart": Architecture("mBART", norm_first=True),
    "bart": Architecture("BART", norm_first=False),
    "endophora_multi_encoder": Architecture(
        "multi-encoder",
        norm_first=False,
        encoders=("model.source_context_encoder", "model.encoder", "model.target_context_encoder"),
    ),
}
"""By the ``model_type`` of a model's configuration."""


def architecture_of(model: Any) -> Architecture:
    """Return how a model is built; of an unknown kind E260."""
    kind = str(getattr(getattr(model, "config", None), "model_type", "") or type(model).__name__)
    if kind not in ARCHITECTURES:
        known = ", ".join(architecture.name for architecture in ARCHITECTURES.values())
        cause = f"this method does not know how a model of the kind “{kind}” is built"
        advice = f"take one of {known}; --method input_x_gradient works with any"
        raise InputError(Fault("E260", cause, advice, "--model"))
    if getattr(model.config, "context_gates", False):
        cause = "gates mix the context into each layer of this model, which this method does not take apart"
        raise InputError(Fault("E260", cause, "--method input_x_gradient works with it", "--model"))
    return ARCHITECTURES[kind]


def block_diagonal(encoders: Sequence[Tensor]) -> Tensor:
    """Join encoders (…, S_k, S_k), of which each has seen its own sequence only, to (…, S, S), S the sum of all S_k."""
    if len(encoders) == 1:
        return encoders[0]
    sizes = [encoder.shape[-1] for encoder in encoders]
    joined = encoders[0].new_zeros((*encoders[0].shape[:-2], sum(sizes), sum(sizes)))
    start = 0
    for encoder, size in zip(encoders, sizes, strict=True):
        joined[..., start : start + size, start : start + size] = encoder
        start += size
    return joined


class DecoderRollout:
    """What source and prefix contribute to each position, layer by layer, given the encoder's rollout (…, S, S)."""

    def __init__(self, encoder: Tensor, positions: int) -> None:
        self._encoder = encoder
        prefix = torch.eye(positions, dtype=encoder.dtype, device=encoder.device)
        self._prefix = prefix.expand(*encoder.shape[:-2], positions, positions)
        self._source = encoder.new_zeros((*encoder.shape[:-2], positions, encoder.shape[-1]))

    def add(self, self_attention: Tensor, cross_attention: Tensor) -> None:
        """Add the next layer: contributions (…, T, T) of its self-attention, (…, T, S + 1) of its cross-attention."""
        residual, crossed = cross_attention[..., -1:], cross_attention[..., :-1]
        self._source = crossed @ self._encoder + residual * (self_attention @ self._source)
        self._prefix = residual * (self_attention @ self._prefix)

    def result(self) -> Tensor:
        """Return (…, T, S + T): the row of a position is that of the token which is predicted there, and sums to 1."""
        return torch.cat([self._source, self._prefix], -1)


TOLERANCE = 1e-3
"""Most that a block's own sum may differ from what the model made, as a share of the largest value."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Token ids of some examples.

    Attributes:
        encoders: for each encoder, in the order in which their outputs are joined, ids and mask, (B, S_k) each; a mask
            is 1 where there is a token. ``None`` for an encoder that has nothing in the whole batch.
        decoder_ids: (B, T) what the decoder reads, padding at the right.
    """

    encoders: tuple[tuple[Tensor, Tensor] | None, ...]
    decoder_ids: Tensor


@dataclass(frozen=True, slots=True)
class Alti:
    """ALTI+ as an attribution; ``memory`` as in :func:`~endophora.context.attribution.blocks.distances`."""

    normalisation: Normalisation = Normalisation.MIN_SUM
    resultant: Resultant = Resultant.OUTPUT
    memory: int | None = None

    @property
    def signature(self) -> str:
        """Method and variants."""
        return f"alti+ norm:{self.normalisation} from:{self.resultant}"

    def contributions(self, block: Block) -> Tensor:
        """Return the contributions of a block, (B, T, S), or (B, T, S + 1) with the residual's last."""
        far, norms, reachable = distances(block, self.resultant, memory=self.memory)
        return normalise(far, norms, self.normalisation, reachable)

    def batch(self, model: Any, examples: Sequence[EncodedExample], pad: int) -> list[Floats]:
        """Return the contributions of each example; a model that cannot be taken apart is E260 or E261."""
        given = as_batch(examples, pad, model.device)
        found = trace(model, given, self).double().cpu().numpy()
        return [own_part(found[index], example, given) for index, example in enumerate(examples)]


def as_batch(examples: Sequence[EncodedExample], pad: int, device: torch.device | str = "cpu") -> Batch:
    """Return examples as padded tensors."""
    read: list[tuple[Tensor, Tensor] | None] = []
    for sequences in zip(*(example.encoders for example in examples), strict=True):
        read.append((padded(sequences, pad, device), masked(sequences, device)) if any(sequences) else None)
    return Batch(tuple(read), padded([example.decoder for example in examples], pad, device))


def own_part(found: Floats, example: EncodedExample, batch: Batch) -> Floats:
    """Return an example's rows and columns, (R, C), of a batch's (T, S + T)."""
    start, kept = 0, list[int]()
    for ids, tensors in zip(example.encoders, batch.encoders, strict=True):
        kept += range(start, start + len(ids))
        start += 0 if tensors is None else tensors[0].shape[1]
    kept += range(start, start + len(example.decoder))
    rows = slice(example.first, example.first + len(example.rows))
    return np.ascontiguousarray(found[rows][:, kept])


def trace(model: Any, batch: Batch, settings: Alti | None = None) -> Tensor:
    """Return how much each token of input and target prefix contributes to each position of the decoder, (B, T, S + T).

    S is the length of the joined encoder outputs. Row t is of the token that is predicted after the decoder's tokens
    0 … t, and sums to 1. A model of an unknown kind is E260, one whose attention is not as it should be E261.
    """
    architecture = architecture_of(model)
    rollouts = _Rollouts(settings or Alti(), batch.decoder_ids.shape[1])
    with torch.no_grad(), observed(model, architecture, rollouts.take), plain_attention(model):
        run(model, architecture, batch)
    return rollouts.result(architecture)


def run(model: Any, architecture: Architecture, batch: Batch) -> Tensor:
    """Run a model on a batch and return the decoder's last states, (B, T, d)."""
    if len(architecture.encoders) == 1:
        (read,) = batch.encoders
        if read is None:
            raise ValueError("a model with one encoder needs its input")
        ids, mask = read
        states = model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
    else:
        context, read, translations = batch.encoders
        if read is None:
            raise ValueError("a multi-encoder needs the source")
        states, mask = model.encode(*read, *(context or (None, None)), *(translations or (None, None)))
    decoder = model.get_decoder()
    return decoder(
        input_ids=batch.decoder_ids, encoder_hidden_states=states, encoder_attention_mask=mask, use_cache=False
    ).last_hidden_state


@dataclass(slots=True)
class _Rollouts:
    """What has come together so far while the model runs."""

    settings: Alti
    positions: int
    encoders: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    decoder: DecoderRollout | None = None
    _prefix: Tensor | None = None

    def take(self, place: str, block: Block) -> None:
        """Take up a block, of the encoder that is named or of the decoder (an empty name)."""
        found = self.settings.contributions(block)
        if place:
            self.encoders[place] = found @ self.encoders[place] if place in self.encoders else found
        elif block.own:
            self._prefix = found
        elif self._prefix is not None:
            self.decoder = self.decoder or DecoderRollout(block_diagonal(list(self.encoders.values())), self.positions)
            self.decoder.add(self._prefix, found)

    def result(self, architecture: Architecture) -> Tensor:
        """Return the decoder's rollout."""
        if self.decoder is None:
            raise InputError(strange(f"no attention was seen in a model of the kind {architecture.name}"))
        return self.decoder.result()


@contextmanager
def plain_attention(model: Any) -> Generator[None]:
    """Let a model evaluate, with attention that returns its weights; then set it back."""
    before, training = str(model.config._attn_implementation), bool(model.training)
    model.eval()
    model.set_attn_implementation("eager")
    try:
        yield
    finally:
        model.set_attn_implementation(before)
        model.train(training)


@contextmanager
def observed(model: Any, architecture: Architecture, take: Any) -> Generator[None]:
    """Have every attention block of a model given to ``take`` while the model runs."""
    with ExitStack() as stack:
        parts = {name: attrgetter(name)(model) for name in architecture.encoders}
        for name, encoder in parts.items():
            for layer in encoder.layers:
                watch(stack, layer, "self_attn", architecture, name, take)
        for layer in attrgetter(architecture.decoder)(model).layers:
            watch(stack, layer, "self_attn", architecture, "", take)
            if architecture.encoders:
                watch(stack, layer, "encoder_attn", architecture, "", take)
        yield


def watch(stack: ExitStack, layer: Any, name: str, architecture: Architecture, place: str, take: Any) -> None:
    """Hook one attention module, and the norm before it whose input is the residual."""
    norm: nn.LayerNorm = getattr(layer, architecture.norm.format(name))
    kept: list[Tensor] = []
    values: list[Tensor] = []

    def valued(_: nn.Module, __: tuple[Tensor, ...], output: Tensor) -> None:
        values[:] = [output]

    def before(_: nn.Module, args: tuple[Tensor, ...]) -> None:
        kept[:] = [args[0]]

    def after(module: Any, args: tuple[Any, ...], options: Mapping[str, Any], output: Sequence[Any]) -> None:
        states = args[0] if args else options["hidden_states"]
        residual = kept.pop() if architecture.norm_first else states
        crossed = name == "encoder_attn"
        read = options["key_value_states"] if crossed else states
        made = values.pop() if values else module.v_proj(read)
        block = _block(module, output, made, residual, None if architecture.norm_first else norm)
        take(place, block(own=not crossed, causal=not place and not crossed))

    if architecture.norm_first:
        stack.callback(norm.register_forward_pre_hook(before).remove)
    attention: Any = getattr(layer, name)
    stack.callback(attention.v_proj.register_forward_hook(valued).remove)
    stack.callback(attention.register_forward_hook(after, with_kwargs=True).remove)


def _block(module: Any, told: Sequence[Any], made: Tensor, residual: Tensor, norm: nn.LayerNorm | None) -> Any:
    """Return what makes the block of an attention module; E261 where it does not make the module's own output."""
    attended, weights = cast("tuple[Tensor, Tensor | None]", told)
    if weights is None:
        raise InputError(strange(f"{type(module).__name__} does not tell its attention weights"))
    heads = weights.shape[1]
    output = module.out_proj if hasattr(module, "out_proj") else module.o_proj
    width, size = output.weight.shape[0], output.weight.shape[1] // heads
    values = made.reshape(*made.shape[:2], -1, size).transpose(1, 2)
    # Heads may share their values in groups.
    values = values.repeat_interleave(heads // values.shape[1], 1)
    # The first example shows whether the module is as assumed.
    again = output((weights[0] @ values[0]).transpose(0, 1).reshape(-1, heads * size))
    if not bool((again - attended[0]).abs().amax() <= TOLERANCE * attended[0].abs().amax().clamp(min=1.0)):
        raise InputError(strange(f"the output of {type(module).__name__} is not what its values and weights make"))
    exact = torch.promote_types(weights.dtype, torch.float32)
    bias: Tensor | None = output.bias
    projection = output.weight.view(width, heads, -1).permute(1, 2, 0)

    def block(*, own: bool, causal: bool) -> Block:
        return Block(
            weights=weights.to(exact),
            values=values.to(exact),
            projection=projection.to(exact),
            bias=None if bias is None else bias.to(exact),
            residual=residual.to(exact),
            attended=attended.to(exact),
            norm=norm,
            own=own,
            causal=causal,
        )

    return block


_ADVICE = "take a Marian, M2M100, NLLB or mBART model; --method input_x_gradient works with any"


def strange(cause: str, advice: str = _ADVICE) -> Fault:
    """Return the fault of a model that cannot be taken apart."""
    return Fault("E261", f"the model's attention cannot be taken apart: {cause}", advice, "--model")
