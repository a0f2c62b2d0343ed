"""Ways of taking context, sizes of models, and how a segment and its context are laid out as token sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from pydantic import Field

from endophora.corpus.trees import load_yaml
from endophora.errors import Fault, InputError
from endophora.models.records import ContextRead, SideRead
from endophora.record import Fixed

if TYPE_CHECKING:
    from transformers import MarianConfig

    from endophora.models.tokenization import Pieces, Vocabulary


LONGEST = 1024
"""Positions of a model: most tokens of a source or target with its context."""

NEVER = -1.0e4
"""Logit of the padding token: it is never predicted, and so its embedding stays zero, as the decoder's start needs."""


class Architecture(StrEnum):
    """How a model takes context (Mohammed and Niculae 2024, sections 2 and 3.2)."""

    SENTENCE = "sentence"
    """None in training; context given all the same is put before the sentence: the paper's sentence-level*."""
    CONCATENATION = "concatenation"
    """Source context before the source, target context before the target, with separators: k-to-k."""
    SOURCE_CONCATENATION = "source-concatenation"
    """Source context before the source; the target stands alone: k-to-1."""
    TARGET_CONCATENATION = "target-concatenation"
    """Target context before the target; the source stands alone (Fernandes et al. 2023, MuDA, section 3.1)."""
    MULTI_ENCODER = "multi-encoder"
    """Encoders of their own for source and target context; the outputs of all are joined before the decoder."""


class Preset(Fixed):
    """The size of a Transformer."""

    hidden: int = Field(gt=0)
    feed_forward: int = Field(gt=0)
    encoder_layers: int = Field(gt=0)
    decoder_layers: int = Field(gt=0)
    heads: int = Field(gt=0)
    dropout: float = Field(ge=0, lt=1)
    peak_learning_rate: float = Field(gt=0)


@cache
def preset(name: str) -> Preset:
    """Return the size of a name, from ``presets.yaml`` (E270)."""
    text = (files("endophora.models") / "presets.yaml").read_text("utf-8")
    table = cast("dict[str, object]", load_yaml(text))
    if name not in table:
        raise InputError(Fault("E270", f"unknown preset “{name}”", f"known: {', '.join(table)}"))
    return Preset.model_validate(table[name])


def marian_config(
    size: Preset,
    vocabulary: Vocabulary,
    architecture: Architecture,
    context_size: int,
    context_window: int = LONGEST,
    *,
    gates: bool = False,
) -> MarianConfig:
    """Return the configuration of a model of a size, which also says how it takes context."""
    from transformers import MarianConfig

    from endophora.models.multi_encoder import MultiEncoderConfig

    multiple = architecture is Architecture.MULTI_ENCODER
    kind: Any = MultiEncoderConfig if multiple else MarianConfig
    return kind(
        **({"context_gates": gates} if multiple else {}),
        vocab_size=vocabulary.size,
        decoder_vocab_size=vocabulary.size,
        d_model=size.hidden,
        encoder_layers=size.encoder_layers,
        decoder_layers=size.decoder_layers,
        encoder_ffn_dim=size.feed_forward,
        decoder_ffn_dim=size.feed_forward,
        encoder_attention_heads=size.heads,
        decoder_attention_heads=size.heads,
        dropout=size.dropout,
        attention_dropout=0.0,
        activation_dropout=0.0,
        activation_function="relu",
        scale_embedding=True,
        share_encoder_decoder_embeddings=True,
        max_position_embeddings=LONGEST,
        pad_token_id=vocabulary.pad,
        eos_token_id=vocabulary.eos,
        decoder_start_token_id=vocabulary.pad,
        forced_eos_token_id=None,
        bos_token_id=None,
        # What follows is ours: transformers keeps attributes that it does not know.
        context_architecture=architecture.value,
        context_size=context_size,
        context_window=context_window,
        context_separator=vocabulary.separator_piece,
    )


Ids = tuple[int, ...]

TOO_LONG = "split the segment, or use a model that takes more"
"""What to do about a segment that is too long by itself."""


@dataclass(frozen=True, slots=True)
class LaidOut:
    """The token sequences of one segment, special tokens included.

    Attributes:
        source: what the encoder reads: for concatenating models the context comes first.
        source_context, target_context: what the other encoders of a multi-encoder read.
        prefix: what stands before the target in the decoder, after its start token.
        context: how much context was given, and how much is in the sequences.
        room: tokens of the target, or kept for one that is to be found; of decoder-only models.
        cut: the target's sub-words without its end, where one was given to be cut.
        joined: sentences that stand before the current one in ``source``, blank ones too.
    """

    source: Ids
    source_context: Ids
    target_context: Ids
    prefix: Ids
    target: Ids
    context: ContextRead = field(default_factory=ContextRead)
    room: int = 0
    cut: Pieces | None = None
    joined: int = 0


@dataclass(frozen=True, slots=True)
class Layout:
    """How one model takes context.

    Attributes:
        architecture: sentence-level models lay context out as concatenating ones do, if it is given to them.
        target_start: tokens before everything in the decoder, after its start token.
        target_end: tokens at the end of a target; as at the end of a source if there are none.
        window: most tokens of a side together with its context, as in training; ``None`` where ``longest`` is the only
            limit. A model does badly on sequences longer than those that it was trained on, though it takes them.
        trained: most sentences of context in training, which is no limit; ``None`` where it is not known.
    """

    architecture: Architecture
    separator: Ids
    end: Ids
    longest: int
    source_start: Ids = ()
    target_start: Ids = ()
    target_end: Ids = ()
    window: int | None = None
    trained: int | None = None

    @property
    def closing(self) -> Ids:
        """The tokens at the end of a target."""
        return self.target_end or self.end

    @property
    def takes_source_context(self) -> bool:
        """Whether source context makes a difference at all."""
        return self.architecture is not Architecture.TARGET_CONCATENATION

    @property
    def takes_target_context(self) -> bool:
        """Whether target context makes a difference at all."""
        return self.architecture is not Architecture.SOURCE_CONCATENATION

    def lay_out(
        self,
        source: Ids,
        target: Ids | None = None,
        source_context: Sequence[Ids] = (),
        target_context: Sequence[Ids] = (),
        room: int = 0,
    ) -> LaidOut:
        """Lay out one segment; ``room`` is kept free in the decoder for a target to be found.

        Sentences of context are left out, the oldest first and on both sides alike, until both are within the window (a
        target to be found counts as long as the source); then on either side until it fits. A source or target that is
        too long by itself is left as it is.
        """
        behind = len(target) + len(self.closing) if target is not None else room
        source_context = source_context if self.takes_source_context else ()
        target_context = target_context if self.takes_target_context else ()
        near = self._near((source, source_context), (source if target is None else target, target_context))
        whole = source_context, target_context
        source_context, target_context = _last(source_context, near), _last(target_context, near)
        apart = self.architecture is Architecture.MULTI_ENCODER
        ahead = len(self.source_start) + len(self.end)
        first = self._fitting(source_context, ahead if apart else ahead + len(source), not apart)
        second = self._fitting(target_context, ahead if apart else len(self.target_start) + 1 + behind, not apart)
        source_context, target_context = source_context[first:], target_context[second:]
        before, preceding = self._joined(source_context), self._joined(target_context)
        read = ContextRead(_side_read(whole[0], source_context), _side_read(whole[1], target_context))
        full = () if target is None else (*target, *self.closing)
        if apart:
            framed = [(*self.source_start, *ids, *self.end) if ids else () for ids in (before, preceding)]
            whole_source = (*self.source_start, *source, *self.end)
            return LaidOut(whole_source, framed[0], framed[1], self.target_start, full, read)
        source_side = (*before, *self.separator) if before else ()
        target_side = (*preceding, *self.separator) if preceding else ()
        whole_source = (*self.source_start, *source_side, *source, *self.end)
        joined = len(source_context) if before else 0
        return LaidOut(whole_source, (), (), (*self.target_start, *target_side), full, read, joined=joined)

    def _near(self, *sides: tuple[Ids, Sequence[Ids]]) -> int:
        """Return how many sentences of context, the nearest ones, are within the window on each side."""
        most = max(len(context) for _, context in sides)
        if self.window is None:
            return most
        for taken in range(1, most + 1):
            # Each sentence has a separator or the end after it, as in training.
            if any(sum(len(one) + 1 for one in (own, *_last(context, taken))) > self.window for own, context in sides):
                return taken - 1
        return most

    def _joined(self, sentences: Sequence[Ids]) -> Ids:
        parts = ((*self.separator, *sentence) if number else sentence for number, sentence in enumerate(sentences))
        return tuple(chain.from_iterable(parts))

    def _fitting(self, sentences: Sequence[Ids], taken: int, separated: bool) -> int:
        """Return how many of the oldest sentences must go, given the tokens that are taken already."""
        gap = len(self.separator)
        lengths = [len(sentence) + gap for sentence in sentences]
        first, total = 0, taken + sum(lengths) - (0 if separated else gap)
        while first < len(lengths) and total > self.longest:
            total -= lengths[first]
            first += 1
        return first


def _last(sentences: Sequence[Ids], count: int) -> Sequence[Ids]:
    return sentences[max(0, len(sentences) - count) :]


def _side_read(given: Sequence[Ids], kept: Sequence[Ids]) -> SideRead:
    count, read = (sum(map(bool, sentences)) for sentences in (given, kept))
    return SideRead(count, read, sum(map(len, given)), sum(map(len, kept)))


def source_length(example: LaidOut) -> int:
    """Return how many tokens all encoders read."""
    return len(example.source) + len(example.source_context) + len(example.target_context)


def decoder_length(example: LaidOut) -> int:
    """Return how many tokens the decoder reads."""
    return len(example.prefix) + max(len(example.target), 1)


def beyond_training(models: Mapping[str, object], size: int) -> list[str]:
    """Return a warning for each model that is given more sentences of context than it was trained with.

    A sentence-level model is not among them: to give it what it does not know is what it is tried for.
    """
    layouts = {name: getattr(model, "layout", None) for name, model in models.items()}
    return [
        f"{name} was trained with at most {layout.trained} segments of context and is given {size}"
        for name, layout in layouts.items()
        if isinstance(layout, Layout)
        and layout.architecture is not Architecture.SENTENCE
        and layout.trained is not None
        and layout.trained < size
    ]


def batches(lengths: Sequence[int], most: int) -> list[list[int]]:
    """Share sequences of so many tokens out to batches of ``most``, padding included, the longest first.

    A longer sequence is a batch by itself.
    """
    made: list[list[int]] = []
    for number in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        # The first of a batch is its longest, and says what one more costs.
        if made and (len(made[-1]) + 1) * lengths[made[-1][0]] <= most:
            made[-1].append(number)
        else:
            made.append([number])
    return made
