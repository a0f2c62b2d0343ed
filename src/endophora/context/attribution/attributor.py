"""Attributions of many examples: laid out, in batches of like length, by one of the methods."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from endophora.context.attribution.alti import Alti, architecture_of
from endophora.context.attribution.alti_logit import AltiLogit, stack_of
from endophora.context.attribution.flows import EncodedExample, Encoder, Floats, Flow, Part, ordered
from endophora.context.attribution.prompts import PromptEncoder
from endophora.errors import Fault, InputError, MissingModelError
from endophora.models.language_model import LanguageModel
from endophora.models.layout import batches
from endophora.models.loading import check_finite
from endophora.models.records import ModelInput
from endophora.models.torch_model import TorchModel


class Method(StrEnum):
    """How contributions are found."""

    ALTI = "alti"
    """ALTI+ (Ferrando et al. 2022); of language models ALTI-Logit (Ferrando et al. 2023)."""
    GRADIENT = "gradient"
    """Gradient of the token's log-probability times the embedding."""
    INTEGRATED = "integrated"
    """Integrated gradients (Sundararajan et al. 2017) from embeddings of zero."""


class Attribution(Protocol):
    """Finds the contributions of a batch of examples."""

    @property
    def signature(self) -> str:
        """Method and variants."""
        ...

    def batch(self, model: Any, examples: Sequence[EncodedExample], pad: int) -> list[Floats]:
        """Return the contributions of each example, (R, C) each, rows that sum to 1."""
        ...


BATCH_TOKENS = {"cpu": 256}
"""Most tokens of a batch by device: padding costs by its square, a processor by what its caches do not hold."""
MANY_TOKENS = 16_384
"""The same for other devices."""


def attributor_of(model: object, method: Attribution | None = None, *, batch_tokens: int | None = None) -> Attributor:
    """Return the attributor of a model; a service, or another that cannot be looked into, is E265."""
    method = method or Alti()
    if isinstance(model, LanguageModel):
        encoder: Layouter = PromptEncoder(model)
        # ALTI+ is of encoder-decoders, ALTI-Logit of models that have one stack.
        method = AltiLogit(method) if isinstance(method, Alti) else method
    elif isinstance(model, TorchModel):
        encoder = Encoder(model.layout, model.coder.source, model.coder.target, model.coder.start)
    else:
        cause = f"{getattr(model, 'signature', model)}: this model cannot be looked into"
        raise InputError(Fault("E265", cause, "take a model on torch: a folder, hf:NAME or lm:NAME", "--model"))
    # A model that the method does not know is a fault here, and not after hours of other measures.
    if isinstance(method, AltiLogit):
        stack_of(model.model)
    elif isinstance(method, Alti):
        architecture_of(model.model)
    most = batch_tokens or BATCH_TOKENS.get(model.model.device.type, MANY_TOKENS)
    return Attributor(model.model, encoder, model.coder.pad, method, most)


class Layouter(Protocol):
    """Lays examples out as a model reads them."""

    @property
    def longest(self) -> int:
        """Most tokens that the model takes."""
        ...

    @property
    def unread(self) -> frozenset[Part]:
        """The sides of the context that the model never reads."""
        ...

    def encode(self, given: ModelInput, target: str) -> EncodedExample:
        """Return an example."""
        ...


@dataclass(frozen=True)
class Attributor:
    """Attributes the words of targets to what a model read."""

    model: Any
    encoder: Layouter
    pad: int
    method: Attribution
    batch_tokens: int

    @property
    def unread(self) -> frozenset[Part]:
        """The contexts that the model never reads."""
        return self.encoder.unread

    def flows(
        self, inputs: Sequence[ModelInput], targets: Sequence[str], others: Sequence[str] | None = None
    ) -> Iterator[tuple[int, Flow]]:
        """Yield the number of each input and its flow, the longest first.

        Targets without any piece, or that the model has no room for even without context, are passed over.

        Args:
            others: for each target another one: the flow has one row, of the first piece in which they differ, and is
                of the difference of the two pieces' logits. Those that differ in none are passed over.
        """
        examples = [self.encoder.encode(given, target) for given, target in zip(inputs, targets, strict=True)]
        if others is not None:
            wrong = [self.encoder.encode(given, target) for given, target in zip(inputs, others, strict=True)]
            found = (one.contrasted(other) for one, other in zip(examples, wrong, strict=True))
            examples = [one or replace(example, rows=()) for one, example in zip(found, examples, strict=True)]
        for numbers in batches([example.length for example in examples], self.batch_tokens):
            batch = [(number, examples[number]) for number in numbers if self._takes(examples[number])]
            if not batch:
                continue
            found = self.method.batch(self.model, [example for _, example in batch], self.pad)
            for (number, example), matrix in zip(batch, found, strict=True):
                yield number, ordered(example.rows, example.columns, matrix)

    def _takes(self, example: EncodedExample) -> bool:
        longest = max(map(len, (*example.encoders, example.decoder)))
        return bool(example.rows) and longest <= self.encoder.longest


TOGETHER = 32
"""Predicted pieces of an example whose gradients are computed together."""

_CONTEXTS = (("source_context_ids", "source_context_mask"), (), ("target_context_ids", "target_context_mask"))


class Gradients:
    """Gradients of each predicted piece's log-probability as an attribution (E262)."""

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

    def batch(self, model: Any, examples: Sequence[EncodedExample], pad: int) -> list[Floats]:  # noqa: ARG002
        """Return the contributions of each example, of a model whose encoder and decoder have ``embed_tokens``."""
        model.eval()
        return [self._example(model, example) for example in examples]

    def _example(self, model: Any, example: EncodedExample) -> Floats:
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
        check_finite(values.sum(-1).tolist(), str(getattr(model.config, "name_or_path", "")))
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


def _forward(
    model: Any, example: EncodedExample, ids: Sequence[Tensor], stacks: Sequence[Any]
) -> Callable[..., Tensor]:
    """Return a function from embeddings, and the numbers of rows, to the rows' log-probabilities."""
    predicted = torch.tensor(example.predicted, device=model.device)
    against = torch.tensor(example.against, device=model.device) if example.against else None

    def forward(*given: Tensor) -> Tensor:
        *embeddings, rows = given
        count = len(rows)
        wide = [one.expand(count, -1) for one in ids]
        with _embedded(stacks, embeddings):
            logits: Tensor = model(**_arguments(example, wide), use_cache=False).logits
        places = torch.arange(count, device=rows.device)
        logs = logits[places, example.first + rows].log_softmax(-1)
        found = logs[places, predicted[rows]]
        return found if against is None else found - logs[places, against[rows]]

    return forward


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
    """Have stacks read embeddings in the place of their own; stacks may share one table, and run in their order."""
    waiting = list(embeddings)

    def replaced(*_: Any) -> Tensor:
        return waiting.pop(0)

    with ExitStack() as hooks:
        for table in {id(stack.embed_tokens): stack.embed_tokens for stack in stacks}.values():
            hooks.callback(table.register_forward_hook(replaced).remove)
        yield
