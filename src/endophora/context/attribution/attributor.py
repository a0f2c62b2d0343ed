"""Attributions of many examples: laid out, in batches of like length, by one of the methods."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol

import torch

from endophora.context.attribution.alti import Alti, architecture_of
from endophora.context.attribution.alti_logit import AltiLogit, stack_of
from endophora.context.attribution.attention import Attention
from endophora.context.attribution.flows import EncodedExample, Encoder, Floats, Flow, Part, ordered
from endophora.context.attribution.gradients import Gradients, Occlusion
from endophora.context.attribution.prompts import PromptEncoder
from endophora.errors import Fault, InputError
from endophora.models.language_model import LanguageModel
from endophora.models.layout import batches
from endophora.models.records import ModelInput
from endophora.models.torch_model import TorchModel


class Method(StrEnum):
    """How contributions are found; all but the first by inseq's names."""

    ALTI = "alti"
    """ALTI+ (Ferrando et al. 2022); of language models ALTI-Logit (Ferrando et al. 2023)."""
    SALIENCY = "saliency"
    INPUT_X_GRADIENT = "input_x_gradient"
    INTEGRATED_GRADIENTS = "integrated_gradients"
    OCCLUSION = "occlusion"
    ATTENTION = "attention"

    def attribution(self) -> Attribution:
        """Return the method as it is by default."""
        if self is Method.ALTI:
            return Alti()
        others: dict[Method, Attribution] = {Method.OCCLUSION: Occlusion(), Method.ATTENTION: Attention()}
        return others.get(self) or Gradients(self.value)


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
    if isinstance(method, AltiLogit) or (isinstance(method, Attention) and isinstance(model, LanguageModel)):
        stack_of(model.model)
    elif isinstance(method, Alti | Attention):
        architecture_of(model.model)
    most = batch_tokens or BATCH_TOKENS.get(model.model.device.type, MANY_TOKENS)
    return Attributor(model.model, encoder, model.coder.pad, method, most, named=model.signature)


SMALL = 5_000_000
"""Parameters below which a model's operations are shorter than what threads of a busy processor wait for each other."""


@contextmanager
def _suited_threads(model: Any) -> Generator[None]:
    """Have a small model run on one thread of a processor."""
    before = torch.get_num_threads()
    if model.device.type == "cpu" and sum(one.numel() for one in model.parameters()) < SMALL:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


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
    taken: Callable[[int, EncodedExample, Floats], None] | None = None
    """Called with each example, and its contributions in the order of its columns."""
    named: str = ""
    """Signature of the model, by which shares are kept; without it none are."""

    @property
    def signature(self) -> str:
        """Model and method."""
        return f"{self.named}|{self.method.signature}"

    @property
    def unread(self) -> frozenset[Part]:
        """The contexts that the model never reads."""
        return self.encoder.unread

    def flows(
        self,
        inputs: Sequence[ModelInput],
        targets: Sequence[str],
        others: Sequence[str] | None = None,
        wanted: Sequence[tuple[int, int] | None] | None = None,
    ) -> Iterator[tuple[int, Flow]]:
        """Yield the number of each input and its flow, the longest first.

        Targets without any piece, or that the model has no room for even without context, are passed over.

        Args:
            others: for each target another one: the flow has one row, of the first piece in which they differ, and is
                of the difference of the two pieces' logits. Those that differ in none are passed over.
            wanted: for each target beginning and end of what rows are wanted of, in characters; by default of all.
        """
        examples = [self.encoder.encode(given, target) for given, target in zip(inputs, targets, strict=True)]
        if others is not None:
            wrong = [self.encoder.encode(given, target) for given, target in zip(inputs, others, strict=True)]
            found = (one.contrasted(other) for one, other in zip(examples, wrong, strict=True))
            examples = [one or replace(example, rows=()) for one, example in zip(found, examples, strict=True)]
        elif wanted is not None:
            pairs = zip(examples, wanted, strict=True)
            examples = [example if place is None else example.narrowed(*place) for example, place in pairs]
        for numbers in batches([example.length for example in examples], self.batch_tokens):
            batch = [(number, examples[number]) for number in numbers if self._takes(examples[number])]
            if not batch:
                continue
            with _suited_threads(self.model):
                found = self.method.batch(self.model, [example for _, example in batch], self.pad)
            missed = (self.method.missed if isinstance(self.method, Gradients) else []) or [0.0] * len(batch)
            for (number, example), matrix, residue in zip(batch, found, tuple(missed), strict=True):
                if self.taken is not None:
                    self.taken(number, example, matrix)
                yield number, replace(ordered(example.rows, example.columns, matrix), residue=residue)

    def _takes(self, example: EncodedExample) -> bool:
        longest = max(map(len, (*example.encoders, example.decoder)))
        return bool(example.rows) and longest <= self.encoder.longest
