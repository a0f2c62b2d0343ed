"""Gradient × input and integrated gradients by captum, an extra: a second opinion that needs no look inside a layer.

Sums over an embedding's dimensions may be negative, and no shares of a whole; their absolute values, divided by their
sum, are, and so stand beside ALTI+ in the same record.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
from torch import Tensor

from endophora.context.attribution.flows import Floats
from endophora.context.attribution.pieces import Example
from endophora.errors import Fault, MissingModelError

TOGETHER = 32
"""Predicted pieces of an example whose gradients are computed together."""

_CONTEXTS = (("source_context_ids", "source_context_mask"), (), ("target_context_ids", "target_context_mask"))


class Gradients:
    """Gradients of each predicted piece's log-probability as an attribution.

    Args:
        integrated: along a line from embeddings of zero, and not only where they are.
        steps: points on that line.

    Raises:
        MissingModelError: captum is not installed (E262).
    """

    def __init__(self, *, integrated: bool, steps: int = 32) -> None:
        if find_spec("captum") is None:
            advice = "install it with: pip install 'endophora[attribute]'"
            raise MissingModelError(Fault("E262", "gradients need captum", advice, "--method"))
        self._attr: Any = import_module("captum.attr")
        self._integrated = integrated
        self._steps = steps

    @property
    def signature(self) -> str:
        """Method, library and number of steps."""
        version = import_module("captum").__version__
        if self._integrated:
            return f"integrated gradients steps:{self._steps} from:zero |sum| captum:{version}"
        return f"gradient×input |sum| captum:{version}"

    def batch(self, model: Any, examples: Sequence[Example], pad: int) -> list[Floats]:  # noqa: ARG002
        """Return the contributions of each example, (R, C) each.

        Args:
            model: of ``transformers``; any with an encoder and a decoder that have ``embed_tokens``.
            examples: what it reads.
            pad: the padding token; not needed, since examples are taken one by one.
        """
        model.eval()
        return [self._example(model, example) for example in examples]

    def _example(self, model: Any, example: Example) -> Floats:
        stacks, read = _stacks(model, example), [*filter(None, example.encoders), example.decoder]
        ids = [torch.tensor([sequence], device=model.device) for sequence in read]
        with torch.no_grad():
            embeddings = [stack.embed_tokens(one) for stack, one in zip(stacks, ids, strict=True)]
        found: list[Tensor] = []
        for start in range(0, len(example.rows), TOGETHER):
            rows = torch.arange(start, min(start + TOGETHER, len(example.rows)), device=model.device)
            inputs = tuple(one.expand(len(rows), -1, -1).contiguous().requires_grad_() for one in embeddings)
            sums = [part.sum(-1) for part in self._attributed(_forward(model, example, ids, stacks), inputs, rows)]
            found.append(torch.cat(sums, -1).detach())
        values = torch.cat(found).abs().double().cpu().numpy()
        # What comes later in the target has no gradient; a row without any (all zero) is divided evenly.
        total = values.sum(-1, keepdims=True)
        return np.where(total > 0, values / np.where(total > 0, total, 1), 1 / values.shape[1])

    def _attributed(self, forward: Callable[..., Tensor], inputs: tuple[Tensor, ...], rows: Tensor) -> Sequence[Tensor]:
        if not self._integrated:
            return self._attr.InputXGradient(forward).attribute(inputs, additional_forward_args=(rows,))
        method = self._attr.IntegratedGradients(forward)
        baselines = tuple(torch.zeros_like(one) for one in inputs)
        return method.attribute(
            inputs,
            baselines,
            additional_forward_args=(rows,),
            n_steps=self._steps,
            internal_batch_size=max(TOGETHER, len(rows)),
        )


def _forward(model: Any, example: Example, ids: Sequence[Tensor], stacks: Sequence[Any]) -> Callable[..., Tensor]:
    """Return a function from embeddings, and the numbers of rows, to the rows' log-probabilities."""
    predicted = torch.tensor(example.predicted, device=model.device)

    def forward(*given: Tensor) -> Tensor:
        """Run the model on embeddings in the place of its own."""
        *embeddings, rows = given
        count = len(rows)
        wide = [one.expand(count, -1) for one in ids]
        with _embedded(stacks, embeddings):
            logits: Tensor = model(**_arguments(example, wide), use_cache=False).logits
        places = torch.arange(count, device=rows.device)
        return logits[places, example.first + rows].log_softmax(-1)[places, predicted[rows]]

    return forward


def _arguments(example: Example, ids: Sequence[Tensor]) -> dict[str, Tensor]:
    """Return the arguments of a model for the sequences of an example that are not empty, the decoder's last."""
    left, named = list(ids), dict[str, Tensor]()
    names = _CONTEXTS if len(example.encoders) > 1 else ((),)
    for pair, sequence in zip(names, example.encoders, strict=True):
        if sequence:
            one = left.pop(0)
            tokens, mask = pair or ("input_ids", "attention_mask")
            named |= {tokens: one, mask: torch.ones_like(one)}
    return named | {"decoder_input_ids": left.pop(0)}


def _stacks(model: Any, example: Example) -> list[Any]:
    """Return the encoders that read something, in their order, and the decoder."""
    encoders = [model.get_encoder()]
    if len(example.encoders) > 1:
        encoders = [model.model.source_context_encoder, encoders[0], model.model.target_context_encoder]
    reading = [one for one, sequence in zip(encoders, example.encoders, strict=True) if sequence]
    return [*reading, model.get_decoder()]


@contextmanager
def _embedded(stacks: Sequence[Any], embeddings: Sequence[Tensor]) -> Generator[None]:
    """Have stacks read embeddings in the place of their own; stacks may share one table, and run in their order."""
    waiting = list(embeddings)

    def replaced(*_: Any) -> Tensor:
        """Hand out the next."""
        return waiting.pop(0)

    with ExitStack() as hooks:
        for table in {id(stack.embed_tokens): stack.embed_tokens for stack in stacks}.values():
            hooks.callback(table.register_forward_hook(replaced).remove)
        yield
