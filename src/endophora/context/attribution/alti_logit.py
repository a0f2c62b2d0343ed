"""ALTI-Logit of decoder-only models: which tokens make a logit (Ferrando et al. 2023).

The paper is “Explaining How Transformers Use Context to Build Predictions”.

The logit of a token is linear in what each layer adds to the residual stream: the embedding, each attention block, each
feed-forward block, all through the last norm's own linear part. What an attention block adds is a sum over positions,
and each position holds what ALTI says of the input tokens so far: so each token has a share in the logit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

from endophora.context.attribution.alti import TOLERANCE, Alti, Architecture, plain_attention, strange, watch
from endophora.context.attribution.blocks import Block
from endophora.context.attribution.flows import EncodedExample, Floats
from endophora.errors import Fault, InputError

STACK = Architecture("decoder-only", norm_first=True, encoders=(), decoder="model", norm="input_layernorm")
"""Llama, Mistral, Qwen, Gemma and their like: gated feed-forward blocks, RMS norms, heads that share values."""


_ADVICE = "take one of the kind of Llama, Mistral, Qwen or Gemma; --method input_x_gradient works with any"


@dataclass(frozen=True, slots=True)
class LogitParts:
    """What the logits of R predicted tokens are made of; all parts of a token sum to its logit.

    Attributes:
        tokens: (R, T) what each token that was read adds through attention.
        embedding: (R,) the embedding of the token read last.
        feed_forward: (R,) the feed-forward blocks at its place.
        bias: (R,) biases of attention blocks and of the output layer.
    """

    tokens: Tensor
    embedding: Tensor
    feed_forward: Tensor
    bias: Tensor


@dataclass(frozen=True, slots=True)
class AltiLogit:
    """ALTI-Logit as an attribution; ``alti`` says how what positions hold is traced back to tokens."""

    alti: Alti = field(default_factory=Alti)

    @property
    def signature(self) -> str:
        """Method and variants."""
        return f"alti-logit norm:{self.alti.normalisation} from:{self.alti.resultant} |sum|"

    def batch(self, model: Any, examples: Sequence[EncodedExample], pad: int) -> list[Floats]:  # noqa: ARG002
        """Return the shares of each example's tokens; a model that cannot be taken apart is E260 or E261."""
        return [self._shares(model, example) for example in examples]

    def _shares(self, model: Any, example: EncodedExample) -> Floats:
        found = logit_parts(model, example, self.alti).tokens.abs()
        total = found.sum(-1, keepdim=True)
        even = torch.full_like(found, 1 / found.shape[-1])
        return torch.where(total > 0, found / total.clamp(min=torch.finfo(found.dtype).tiny), even).cpu().numpy()


@torch.no_grad()
def logit_parts(model: Any, example: EncodedExample, alti: Alti | None = None) -> LogitParts:
    """Return what the logits of an example's predicted tokens are made of (E260, E261).

    Where the example compares them with others, the parts are of the differences of the logits.
    """
    stack = stack_of(model)
    ids = torch.tensor([example.decoder], device=model.device)
    rows = torch.arange(example.first, example.first + len(example.rows), device=model.device)
    output = model.get_output_embeddings()
    wanted = torch.tensor(example.predicted, device=model.device)
    direction, bias = output.weight[wanted].double(), _bias(output, wanted)
    if example.against:
        other = torch.tensor(example.against, device=model.device)
        direction, bias = direction - output.weight[other].double(), bias - _bias(output, other)
    with plain_attention(model):
        kept: dict[str, Tensor] = {}
        with ExitStack() as hooks:
            hooks.callback(stack.norm.register_forward_pre_hook(partial(_keep, kept)).remove)
            stack(input_ids=ids, use_cache=False)
        final = kept["last"][0, rows].double()
        if getattr(stack.norm, "weight", None) is None:
            raise InputError(strange("its last norm has no weights", _ADVICE))
        made = stack.norm(kept["last"])[0, rows].double()
        again = final * _scale(stack.norm).double() * _factor(stack.norm, final)[:, None]
        if not bool((made - again).abs().amax() <= TOLERANCE * made.abs().amax()):
            raise InputError(strange("its last norm is no RMS norm", _ADVICE))
        direction = direction * _scale(stack.norm).double() * _factor(stack.norm, final)[:, None]
        trace = _Trace(alti or Alti(), rows, direction)
        with ExitStack() as hooks:
            for layer in stack.layers:
                watch(hooks, layer, "self_attn", STACK, "", partial(trace.attend, layer))
                added = layer.post_feedforward_layernorm if _norms_after(layer) else layer.mlp
                hooks.callback(added.register_forward_hook(trace.feed).remove)
            hooks.callback(stack.layers[0].register_forward_pre_hook(trace.begin, with_kwargs=True).remove)
            stack(input_ids=ids, use_cache=False)
    return trace.result(final, bias)


def _bias(output: Any, ids: Tensor) -> Tensor:
    found: Tensor | None = getattr(output, "bias", None)
    return torch.zeros(len(ids), dtype=torch.float64, device=ids.device) if found is None else found[ids].double()


def _keep(kept: dict[str, Tensor], _: Any, args: tuple[Tensor, ...]) -> None:
    kept["last"] = args[0]


def stack_of(model: Any) -> Any:
    """Return the layers with their last norm; of an unknown kind E260."""
    stack: Any = model.get_decoder() if hasattr(model, "get_decoder") else None
    first = stack.layers[0] if hasattr(stack, "layers") and hasattr(stack, "norm") else None
    if not all(hasattr(first, name) for name in ("self_attn", "mlp", "input_layernorm")):
        cause = f"this method does not know how a model of the kind “{model.config.model_type}” is built"
        raise InputError(Fault("E260", cause, _ADVICE, "--model"))
    return stack


def _norms_after(layer: Any) -> bool:
    """Return whether what attention and feed-forward add goes through a norm, as in Gemma 2 and 3."""
    return hasattr(layer, "post_feedforward_layernorm")


def _scale(norm: Any) -> Tensor:
    """Return the weights of an RMS norm, (d,), however it holds them: less one, in Gemma."""
    ones = torch.ones_like(norm.weight)
    return norm(ones) * (1 + _epsilon(norm)) ** 0.5


def _epsilon(norm: Any) -> float:
    return float(getattr(norm, "variance_epsilon", None) or getattr(norm, "eps", 0.0) or 0.0)


def _factor(norm: Any, states: Tensor) -> Tensor:
    """Return what a norm multiplies each state by besides its weights: (…, d) → (…)."""
    return torch.rsqrt(states.double().square().mean(-1) + _epsilon(norm))


class _Trace:
    """What has come together while the model runs; ``direction`` (R, d) makes a logit of what is added."""

    def __init__(self, alti: Alti, rows: Tensor, direction: Tensor) -> None:
        self._alti, self._rows, self._direction = alti, rows, direction
        self._tokens: Tensor | None = None
        self._mixed: Tensor | None = None
        self._embedding = self._feed = self._bias = torch.zeros_like(direction)

    def begin(self, _: Any, args: tuple[Tensor, ...], options: Mapping[str, Any]) -> None:
        """Take the embeddings."""
        states = args[0] if args else options["hidden_states"]
        self._embedding = states[0, self._rows].double()
        self._mixed = torch.eye(states.shape[1], dtype=torch.float64, device=states.device)
        self._tokens = self._direction.new_zeros((len(self._rows), states.shape[1]))
        self._sum = self._embedding

    def feed(self, _: Any, __: Any, output: Tensor) -> None:
        """Take what a feed-forward block adds."""
        self._feed = self._feed + output[0, self._rows].double()

    def attend(self, layer: Any, _: str, block: Block) -> None:
        """Take what an attention block adds, by the tokens whose states it attends to."""
        found = _through(block, layer.post_attention_layernorm) if _norms_after(layer) else block
        if self._tokens is None or self._mixed is None:
            raise ValueError("the first layer has not begun")
        heads = torch.einsum("hed,rd->rhe", found.projection.double(), self._direction)
        by_value = torch.einsum("hse,rhe->rhs", found.values[0].double(), heads)
        added = (by_value * found.weights[0][:, self._rows].double().transpose(0, 1)).sum(1)
        self._tokens = self._tokens + added @ self._mixed
        if found.bias is not None:
            self._bias = self._bias + found.bias.double()
        self._sum = self._sum + found.attended[0, self._rows].double()
        self._mixed = self._alti.contributions(found)[0].double() @ self._mixed

    def result(self, final: Tensor, bias: Tensor) -> LogitParts:
        """Return the parts, once it is sure that they make the model's own states (E261)."""
        again = self._sum + self._feed
        if self._tokens is None or not bool((again - final).abs().amax() <= TOLERANCE * final.abs().amax()):
            raise InputError(strange("what its blocks add does not make its last states", _ADVICE))

        def logit(states: Tensor) -> Tensor:
            return (states * self._direction).sum(-1)

        return LogitParts(self._tokens, logit(self._embedding), logit(self._feed), logit(self._bias) + bias)


def _through(block: Block, norm: Any) -> Block:
    """Return a block whose output passes an RMS norm: linear, except for a factor of each output (E261: a bias)."""
    if block.bias is not None:
        raise InputError(strange("its attention has a bias before a norm", _ADVICE))
    factor, scale = _factor(norm, block.attended).to(block.weights), _scale(norm).to(block.projection)
    return replace(
        block,
        weights=block.weights * factor[:, None, :, None],
        projection=block.projection * scale,
        attended=block.attended * factor[..., None] * scale,
    )
