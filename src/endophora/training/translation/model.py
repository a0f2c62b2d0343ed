"""The model that is trained: its layout, new or warm-started weights, loss and learning rate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from transformers import AutoModelForSeq2SeqLM, MarianMTModel, PreTrainedModel

from endophora.errors import Fault, InputError, first_line
from endophora.models.layout import LONGEST, NEVER, Architecture, Layout, marian_config, preset
from endophora.models.multi_encoder import OPEN, GatedNorm, MultiEncoderForTranslation
from endophora.models.tokenization import Vocabulary
from endophora.training.translation.examples import IGNORED
from endophora.training.translation.settings import TrainingSettings


@dataclass(frozen=True, slots=True)
class Loss:
    """Sums over the labels that count, in nats."""

    smoothed: Tensor
    plain: Tensor


def cross_entropy(
    states: Tensor, weight: Tensor, bias: Tensor, labels: Tensor, smoothing: float, pad: int, *, half: bool = False
) -> Loss:
    """Return the loss of a batch.

    The scores of all V tokens are made for some rows at a time, and their gradient with them: what is kept is of the
    size of the states, not of the scores, and what is not counted has no scores at all.

    Args:
        states: (batch, T, d) what the decoder ends with.
        weight: (V, d) of the output layer.
        bias: (V,) of the output layer, which is not learned; far below the others for padding.
        labels: (batch, T); :data:`~endophora.training.translation.examples.IGNORED` where they do not count.
        smoothing: share ε of the probability that goes to all V − 1 tokens but padding alike (Szegedy et al. 2016).
    """
    counted = labels != IGNORED
    function: Any = _CrossEntropy
    smoothed, plain = function.apply(states[counted], weight, bias, labels[counted], (smoothing, pad, half))
    return Loss(smoothed, plain)


class _CrossEntropy(torch.autograd.Function):
    """The loss of rows (N, d) whose tokens (N,) are known, and its gradients, which are made on the way."""

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weight: Tensor, bias: Tensor, wanted: Tensor, options: tuple[float, int, bool]
    ) -> tuple[Tensor, Tensor]:
        """Return the smoothed and the plain loss; keep the gradients of the first where they are wanted."""
        smoothing, pad, half = options
        kind = torch.bfloat16 if half else weight.dtype
        table, offset = weight.to(kind), bias.to(kind)
        even = smoothing / (len(weight) - 1)
        # What smoothing adds is the same for every token but padding, so that sums over the tokens do for it.
        ordinary = weight.sum(0) - weight[pad]
        pull = (even * ordinary).to(kind)
        learning = ctx.needs_input_grad[0] or ctx.needs_input_grad[1]
        by_state = torch.empty_like(states) if learning else None
        by_weight = torch.zeros_like(weight) if learning else None
        # The sums of very many rows would lose digits in float32.
        sums = torch.zeros(2, dtype=torch.float64, device=states.device)
        for start in range(0, len(states), _ROWS):
            rows, tokens = states[start : start + _ROWS].to(kind), wanted[start : start + _ROWS, None]
            scores = functional.linear(rows, table, offset).float()
            logs = functional.log_softmax(scores, -1)
            known = logs.gather(1, tokens)
            sums[1] -= known.sum()
            sums[0] -= (1 - smoothing) * known.sum()
            if smoothing:
                totals = (scores.gather(1, tokens) - known).sum()
                sums[0] += smoothing * totals - even * (rows.float().sum(0) @ ordinary.float())
            if by_state is None or by_weight is None:
                continue
            slope = logs.exp_().scatter_add_(1, tokens, torch.full_like(known, smoothing - 1)).to(kind)
            by_state[start : start + _ROWS] = slope @ table - pull
            by_weight += slope.T @ rows
        sums[0] -= even * len(states) * (bias.sum() - bias[pad])
        if by_state is not None and by_weight is not None:
            shared = even * states.sum(0, dtype=weight.dtype)
            by_weight -= shared
            by_weight[pad] += shared
            ctx.save_for_backward(by_state, by_weight)
        smoothed, plain = sums.to(torch.float32)
        ctx.mark_non_differentiable(plain)
        return smoothed, plain

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        """Return the kept gradients, times that of the smoothed loss."""
        by_state, by_weight = ctx.saved_tensors
        return by_state * slopes[0].to(by_state.dtype), by_weight * slopes[0], None, None, None


_ROWS = 512
"""Rows whose scores are held at a time; with 16,000 tokens, 32 MB."""


def learning_rate(update: int, peak: float, warmup: int) -> float:
    """Return the rate of an update, from 1: linear to the peak, then with the inverse square root of the updates."""
    return peak * min(update / warmup, (warmup / update) ** 0.5)


_COMPUTED = "embed_positions"
"""Weights of this name are sines, and in no file."""


def new_model(settings: TrainingSettings, vocabulary: Vocabulary) -> PreTrainedModel:
    """Return a model with random weights; the seed determines them."""
    seed_everything(settings.seed)
    size = preset(settings.preset)
    if settings.dropout is not None:
        size = size.model_copy(update={"dropout": settings.dropout})
    config = marian_config(
        size, vocabulary, settings.architecture, settings.context_size, settings.most_with_context, gates=settings.gates
    )
    multiple = settings.architecture is Architecture.MULTI_ENCODER
    kind: Any = MultiEncoderForTranslation if multiple else MarianMTModel
    model = kind(config)
    with torch.no_grad():
        # The variance of Vaswani et al.'s shared embeddings, which are scaled by the root of the width on their way in.
        torch.nn.init.normal_(model.model.shared.weight, std=size.hidden**-0.5)
        model.model.shared.weight[vocabulary.pad] = 0
        model.final_logits_bias[0, vocabulary.pad] = NEVER
        for norm in model.modules():
            if isinstance(norm, GatedNorm):
                norm.context_gate.bias.fill_(OPEN)
    return model


_CONTEXT_ENCODERS = ("source_context_encoder", "target_context_encoder")
_LEARNED = (*_CONTEXT_ENCODERS, "context_attention", "context_gate")


def freeze_sentence_model(model: PreTrainedModel) -> None:
    """Let only the context encoders learn, and attention to them with its gates; the embeddings are shared with all."""
    for name, parameter in model.named_parameters():
        parameter.requires_grad = any(f".{one}." in name and ".embed_" not in name for one in _LEARNED)


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
        cause = f"no model can be read there ({first_line(error)})"
        raise InputError(Fault("E295", cause, "name the folder of a trained model", str(path))) from error
    found: dict[str, Any] = other.state_dict()
    for name in _CONTEXT_ENCODERS:
        for key, value in list(found.items()):
            if key.startswith("model.encoder."):
                found.setdefault(key.replace("model.encoder.", f"model.{name}."), value)
    own: dict[str, Any] = model.state_dict()
    theirs = Vocabulary(path / "source.spm")
    if theirs.path.read_bytes() != vocabulary.path.read_bytes():
        rows = _rows(vocabulary, theirs)
        for key, value in list(found.items()):
            if theirs.size in value.shape and _COMPUTED not in key:
                at = value.shape.index(theirs.size)
                found[key] = torch.stack([value.index_select(at, torch.tensor(row)).mean(at) for row in rows], at)
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


def seed_everything(seed: int) -> None:
    """Seed torch's random numbers, on all devices."""
    torch.manual_seed(seed)  # pyright: ignore[reportUnknownMemberType]


def layout_of(settings: TrainingSettings, vocabulary: Vocabulary) -> Layout:
    """Return how a model of these settings takes context."""
    return Layout(
        settings.architecture, (vocabulary.separator,), (vocabulary.eos,), LONGEST, window=settings.most_with_context
    )
