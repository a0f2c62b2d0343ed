"""Attribution by what a change of the embeddings does to a word: gradients, integrated gradients, occlusion.

The names are inseq's. One forward pass at a point serves all predicted pieces, and the points of a path are one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from endophora.context.attribution.flows import EncodedExample, Floats
from endophora.models.loading import check_finite

TOKENS = {"cpu": 2_048}
"""Most tokens of a forward pass by device."""
MANY_TOKENS = 16_384

RESIDUE = 0.05
"""The largest share of a row of integrated gradients that may be missing, or too much, before points are doubled."""

Score = Callable[[Sequence[Tensor]], Tensor]
"""From embeddings of each sequence, (B, L, d) each, to the scores of the predicted pieces, (B, R)."""


@dataclass(frozen=True, slots=True)
class Gradients:
    """Gradients of each predicted piece's log-probability.

    Attributes:
        name: ``saliency`` (Euclidean norms), ``input_x_gradient`` (times the embedding, summed) or
            ``integrated_gradients`` (the same along the way from embeddings of zero; Sundararajan et al. 2017).
        steps: points of the way; they are doubled while a row's sum is far from what it must be (:data:`RESIDUE`).
        most: most points.
        power: of the points. Layers that divide by a root mean square bend sharply near zero: there points are dense.
        missed: the residue of each example of the last batch; 0 where the points are enough.
    """

    name: str = "input_x_gradient"
    steps: int = 32
    most: int = 256
    power: int = 5
    missed: list[float] = field(default_factory=list[float], compare=False, repr=False)

    @property
    def signature(self) -> str:
        """Method and number of steps."""
        steps = f" steps:{self.steps}-{self.most} power:{self.power} residue:{RESIDUE} said from:zero"
        return f"{self.name}{steps * self._on_the_way} |sum|"

    @property
    def _on_the_way(self) -> bool:
        return self.name == "integrated_gradients"

    def batch(self, model: Any, examples: Sequence[EncodedExample], pad: int) -> list[Floats]:  # noqa: ARG002
        """Return the contributions of each example, of a model whose encoder and decoder have ``embed_tokens``."""
        self.missed.clear()
        return [_shares(model, self.values(model, example)) for example in examples]

    def values(self, model: Any, example: EncodedExample) -> Tensor:
        """Return what each token does to each predicted piece, (R, C); of all but saliency with its sign.

        The row of a piece's integrated gradients sums to its log-probability less that at embeddings of zero.
        """
        score, embeddings = _scored(model, example)
        if not self._on_the_way:
            return self._summed(model, example, score, embeddings, (torch.ones(1), torch.ones(1)))
        with torch.no_grad():
            whole = (score(embeddings) - score([torch.zeros_like(one) for one in embeddings]))[0]
        steps = self.steps
        found = self._summed(model, example, score, embeddings, _points(steps, self.power))
        while (residue := _residue(found, whole)) > RESIDUE and (steps := 2 * steps) <= self.most:
            found = self._summed(model, example, score, embeddings, _points(steps, self.power))
        self.missed.append(residue if residue > RESIDUE else 0.0)
        return found

    def _summed(
        self,
        model: Any,
        example: EncodedExample,
        score: Score,
        embeddings: Sequence[Tensor],
        points: tuple[Tensor, Tensor],
    ) -> Tensor:
        """Return what each token does to each predicted piece at some points and their weights."""
        alphas, weights = points
        sums = [torch.zeros(len(example.rows), *one.shape[1:]).to(one) for one in embeddings]
        for some in _chunks(len(alphas), example, model):
            factors = alphas[some].to(embeddings[0])[:, None, None]
            inputs = [(factors * one).requires_grad_() for one in embeddings]
            with torch.enable_grad():
                scores = score(inputs).sum(0)
                made = [torch.autograd.grad(one, inputs, retain_graph=True) for one in scores]
            for row, found in enumerate(made):
                for total, gradient in zip(sums, found, strict=True):
                    total[row] += torch.einsum("k,kld->ld", weights[some].to(gradient), gradient)
        if self.name == "saliency":
            return torch.cat([one.square().sum(-1).sqrt() for one in sums], -1)
        return torch.cat([(total * one).sum(-1) for total, one in zip(sums, embeddings, strict=True)], -1)


@dataclass(frozen=True, slots=True)
class Occlusion:
    """What each predicted piece's log-probability loses when the embedding of a token is zero."""

    signature: str = "occlusion by:zero |difference|"

    def batch(self, model: Any, examples: Sequence[EncodedExample], pad: int) -> list[Floats]:  # noqa: ARG002
        """Return the contributions of each example, of a model whose encoder and decoder have ``embed_tokens``."""
        return [_shares(model, self.values(model, example)) for example in examples]

    @torch.no_grad()
    def values(self, model: Any, example: EncodedExample) -> Tensor:
        """Return what each predicted piece loses with each token, (R, C)."""
        score, embeddings = _scored(model, example)
        lengths = [one.shape[1] for one in embeddings]
        whole, found = score(embeddings), list[Tensor]()
        for some in _chunks(sum(lengths), example, model):
            # Of each of the sequences one row of the batch for each token; it is zero where the token is its own.
            kept = 1 - torch.eye(sum(lengths), device=whole.device)[some]
            parts = zip(torch.split(kept, lengths, -1), embeddings, strict=True)
            found.append(whole - score([part[..., None].to(one) * one for part, one in parts]))
        return torch.cat(found).T


def _points(steps: int, power: int) -> tuple[Tensor, Tensor]:
    """Return points between 0 and 1 and their weights: powers of those of Gauss and Legendre."""
    places, weights = np.polynomial.legendre.leggauss(steps)
    even = (places + 1) / 2
    return torch.tensor(even**power), torch.tensor(weights / 2 * power * even ** (power - 1))


def _residue(values: Tensor, whole: Tensor) -> float:
    """Return by how much a row's sum misses what it must be, as a share of the row's size; the largest of all rows."""
    sizes = values.abs().sum(-1)
    return float(((values.sum(-1) - whole).abs() / sizes.clamp_min(torch.finfo(sizes.dtype).tiny)).max())


def _chunks(count: int, example: EncodedExample, model: Any) -> Iterator[slice]:
    """Yield slices of a batch that a forward pass takes at once."""
    most = max(1, TOKENS.get(model.device.type, MANY_TOKENS) // max(1, example.length))
    yield from (slice(start, min(start + most, count)) for start in range(0, count, most))


def _shares(model: Any, values: Tensor) -> Floats:
    """Return sizes divided by their row's total; a row of zeros is divided evenly. NaN and infinity are E370."""
    sizes = values.detach().abs().double().cpu().numpy()
    check_finite(sizes.sum(-1).tolist(), str(getattr(model.config, "name_or_path", "")))
    # What comes later in the target has no part in a piece.
    total = sizes.sum(-1, keepdims=True)
    return np.where(total > 0, sizes / np.where(total > 0, total, 1), 1 / sizes.shape[1])


def _scored(model: Any, example: EncodedExample) -> tuple[Score, list[Tensor]]:
    """Return the function from embeddings to the rows' scores, and the example's own embeddings, (1, L, d) each."""
    model.eval()
    model.requires_grad_(False)
    stacks, read = _stacks(model, example), [*filter(None, example.encoders), example.decoder]
    ids = [torch.tensor([sequence], device=model.device) for sequence in read]
    embeddings = [stack.embed_tokens(one) for stack, one in zip(stacks, ids, strict=True)]
    predicted = torch.tensor(example.predicted, device=model.device)
    against = torch.tensor(example.against, device=model.device) if example.against else None
    rows = torch.arange(len(example.rows), device=model.device)
    # Of a prompt only the states that predict the rows need logits.
    keep = {} if example.encoders else {"logits_to_keep": example.first + rows}
    places = rows if keep else example.first + rows

    def score(given: Sequence[Tensor]) -> Tensor:
        wide = [one.expand(len(given[0]), -1) for one in ids]
        with _embedded(stacks, given):
            logits: Tensor = model(**_arguments(example, wide), **keep, use_cache=False).logits
        logs = logits[:, places].log_softmax(-1)
        found = logs[:, rows, predicted]
        return found if against is None else found - logs[:, rows, against]

    return score, embeddings


_CONTEXTS = (("source_context_ids", "source_context_mask"), (), ("target_context_ids", "target_context_mask"))


def _arguments(example: EncodedExample, ids: Sequence[Tensor]) -> dict[str, Tensor]:
    """Return the arguments of a model for the sequences of an example that are not empty, the decoder's last."""
    if not example.encoders:
        return {"input_ids": ids[0]}
    left, named = list(ids), dict[str, Tensor]()
    names = _CONTEXTS if len(example.encoders) > 1 else ((),)
    for pair, sequence in zip(names, example.encoders, strict=True):
        if sequence:
            one = left.pop(0)
            tokens, mask = pair or ("input_ids", "attention_mask")
            named |= {tokens: one, mask: torch.ones_like(one)}
    return named | {"decoder_input_ids": left.pop(0)}


def _stacks(model: Any, example: EncodedExample) -> list[Any]:
    """Return the encoders that read something, in their order, and the decoder."""
    if not example.encoders:
        return [model.get_decoder()]
    encoders = [model.get_encoder()]
    if len(example.encoders) > 1:
        encoders = [model.model.source_context_encoder, encoders[0], model.model.target_context_encoder]
    reading = [one for one, sequence in zip(encoders, example.encoders, strict=True) if sequence]
    return [*reading, model.get_decoder()]


@contextmanager
def _embedded(stacks: Sequence[Any], embeddings: Sequence[Tensor]) -> Generator[None]:
    """Have stacks read embeddings in the place of their own; stacks may share one table, and run in any order."""
    running: list[Tensor] = []

    def begun(states: Tensor, *_: Any) -> None:
        running.append(states)

    def replaced(*_: Any) -> Tensor:
        return running.pop()

    with ExitStack() as hooks:
        for stack, states in zip(stacks, embeddings, strict=True):
            hooks.callback(stack.register_forward_pre_hook(partial(begun, states)).remove)
        for table in {id(stack.embed_tokens): stack.embed_tokens for stack in stacks}.values():
            hooks.callback(table.register_forward_hook(replaced).remove)
        yield
