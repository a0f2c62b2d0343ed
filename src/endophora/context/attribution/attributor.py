"""Attributions of many examples: laid out, in batches of like length, by one of the methods."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeAlias

import torch
from torch import Tensor

from endophora.context.attribution.alti import (
    Alti,
    Batch,
    architecture_of,
    as_batch,
    observed,
    own_part,
    plain_attention,
    watch,
)
from endophora.context.attribution.alti import run as run_batch
from endophora.context.attribution.alti_logit import STACK, AltiLogit, stack_of
from endophora.context.attribution.blocks import Block
from endophora.context.attribution.flows import EncodedExample, Encoder, Floats, Flow, Part, Piece, ordered
from endophora.context.attribution.gradients import Gradients, Occlusion
from endophora.errors import Fault, InputError
from endophora.models.language_model import LanguageModel
from endophora.models.layout import batches
from endophora.models.prompting import PromptReading
from endophora.models.records import ModelInput
from endophora.models.torch_model import TorchModel


@dataclass(frozen=True, slots=True)
class Attention:
    """The decoder's attention weights, on average over heads and layers, as inseq has them.

    Of a model with an encoder, cross-attention and attention to the prefix count alike. It is not what a token
    contributed: values and residuals are not looked at.
    """

    signature: str = "attention mean over heads and layers"

    def batch(self, model: Any, examples: Sequence[EncodedExample], pad: int) -> list[Floats]:
        """Return the weights of each example; a model that is not known is E260."""
        if examples and not examples[0].encoders:
            return [self._read(model, example) for example in examples]
        return self._joined(model, examples, as_batch(examples, pad, model.device))

    @torch.no_grad()
    def _joined(self, model: Any, examples: Sequence[EncodedExample], given: Batch) -> list[Floats]:
        architecture, seen = architecture_of(model), _Seen()
        with observed(model, architecture, seen.take), plain_attention(model):
            run_batch(model, architecture, given)
        found = torch.cat([seen.mean(own=False), seen.mean(own=True)], -1).double().cpu().numpy() / 2
        return [own_part(found[index], example, given) for index, example in enumerate(examples)]

    @torch.no_grad()
    def _read(self, model: Any, example: EncodedExample) -> Floats:
        stack, seen = stack_of(model), _Seen()
        with plain_attention(model), ExitStack() as hooks:
            for layer in stack.layers:
                watch(hooks, layer, "self_attn", STACK, "", seen.take)
            stack(input_ids=torch.tensor([example.decoder], device=model.device), use_cache=False)
        rows = slice(example.first, example.first + len(example.rows))
        return seen.mean(own=True)[0, rows].double().cpu().numpy()


class _Seen:
    """The weights of the decoder's blocks, means over heads."""

    def __init__(self) -> None:
        self._found: dict[bool, list[Tensor]] = {True: [], False: []}

    def take(self, place: str, block: Block) -> None:
        """Take up a block, if it is the decoder's."""
        if not place:
            self._found[block.own].append(block.weights.mean(1))

    def mean(self, *, own: bool) -> Tensor:
        """Return the mean over layers, (B, T, S), of attention to the prefix or of cross-attention."""
        return torch.stack(self._found[own]).mean(0)


@dataclass(frozen=True, slots=True)
class PromptEncoder:
    """Lays examples out as a decoder-only model reads them."""

    model: LanguageModel
    unread: frozenset[Part] = frozenset()

    @property
    def longest(self) -> int:
        """Most tokens of prompt and target."""
        return self.model.longest

    def encode(self, given: ModelInput, target: str) -> EncodedExample:
        """Return an example. Context that the model has no room for is left out, the oldest first."""
        read = self.model.read_with(given, target)
        ahead, pieces = _parts(read, given), list[Piece]()
        for written, (start, end) in zip(read.before.pieces, read.before.spans, strict=True):
            pieces.append(ahead.piece(written, start, end))
        rows = [
            Piece(target[start:end] or written, Part.TARGET_PREFIX, 0, start, end)
            for written, (start, end) in zip(read.target.pieces, read.target.spans, strict=True)
        ]
        ids = (*read.before.ids, *read.target.ids)
        # The last piece of the target is predicted and never read; the prompt's last token predicts the first.
        return EncodedExample(
            (), ids[:-1], (*pieces, *rows[:-1]), tuple(rows), len(read.before.ids) - 1, read.target.ids
        )


@dataclass(frozen=True, slots=True)
class _Segments:
    """Where segments are in a prompt: part, number of the sentence, beginning, end."""

    text: str
    places: tuple[tuple[Part, int, int, int], ...]

    def piece(self, written: str, start: int, end: int) -> Piece:
        """Return what a token of the prompt is: of the first segment that it reaches into, or of none."""
        for part, sentence, first, last in self.places:
            if start < last and first < end:
                begin, stop = max(start, first), min(end, last)
                return Piece(self.text[begin:stop], part, sentence, begin - first, stop - first)
        return Piece(self.text[start:end] or written, Part.PROMPT)


def _parts(read: PromptReading, given: ModelInput) -> _Segments:
    """Return the segments of a prompt; sentences of context are numbered as they were given."""
    sources, targets = len(read.given.source_context), len(read.given.target_context)
    cut = len(given.source_context) - sources, len(given.target_context) - targets
    names = [
        *((Part.SOURCE_CONTEXT, cut[0] + number) for number in range(sources)),
        (Part.SOURCE, 0),
        *((Part.TARGET_CONTEXT, cut[1] + number) for number in range(targets)),
    ]
    return _Segments(read.text, tuple((*names[number], start, end) for number, start, end in read.places))


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


Attribution: TypeAlias = Alti | AltiLogit | Attention | Gradients | Occlusion
"""What finds the contributions of a batch of examples; its signature names the method and its variants."""


BATCH_TOKENS = {"cpu": 256}
"""Most tokens of a batch by device: padding costs by its square, a processor by what its caches do not hold."""
MANY_TOKENS = 16_384
"""The same for other devices."""


def attributor_of(model: object, method: Attribution | None = None, *, batch_tokens: int | None = None) -> Attributor:
    """Return the attributor of a model; a service, or another that cannot be looked into, is E265."""
    method = method or Alti()
    if isinstance(model, LanguageModel):
        encoder: Encoder | PromptEncoder = PromptEncoder(model)
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


@dataclass(frozen=True)
class Attributor:
    """Attributes the words of targets to what a model read."""

    model: Any
    encoder: Encoder | PromptEncoder
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
