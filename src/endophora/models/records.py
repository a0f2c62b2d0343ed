"""What goes into a translation model and what comes out, whichever model it is; and documents as inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from endophora.options import option
from endophora.signature import keyed

ContextSentence: TypeAlias = "str | tuple[int, ...]"
"""A sentence of the context: text, or token ids of the model's own vocabulary (random contexts are drawn as such)."""


@keyed()
@dataclass(frozen=True, slots=True)
class ModelInput:
    """One segment to translate or to score, with the context it is given.

    Attributes:
        source: the current source segment.
        source_context: the source segments before it, oldest first.
        target_context: their translations, oldest first; it may be shorter than the source context.
    """

    source: str
    source_context: tuple[ContextSentence, ...] = ()
    target_context: tuple[ContextSentence, ...] = ()

    def filled(self, sources: int, targets: int) -> ModelInput:
        """Return an input with as much of the context as holds so many sentences that are not blank, the last ones."""
        return ModelInput(
            self.source, _last_filled(self.source_context, sources), _last_filled(self.target_context, targets)
        )

    def nearest(self, sources: int, targets: int) -> ModelInput:
        """Return an input with at most so many sentences of context on each side, the last ones."""
        before, preceding = self.source_context, self.target_context
        return ModelInput(
            self.source, before[max(0, len(before) - sources) :], preceding[max(0, len(preceding) - targets) :]
        )


def is_filled(sentence: ContextSentence) -> bool:
    """Return whether there is anything in a sentence of context; a blank one is none."""
    return bool(sentence.strip() if isinstance(sentence, str) else sentence)


def _last_filled(sentences: tuple[ContextSentence, ...], count: int) -> tuple[ContextSentence, ...]:
    places = [place for place, one in enumerate(sentences) if is_filled(one)]
    if count >= len(places):
        return sentences
    return sentences[places[-count] :] if count else ()


ReadState: TypeAlias = Literal["none", "whole", "cut", "lost"]
"""What happened to a context: there was none, all of it was read, a part, or nothing."""


@dataclass(frozen=True, slots=True)
class SideRead:
    """Context of one side: what was given, and what the model has read of it.

    A blank sentence is none, on either count.

    Attributes:
        kept: sentences that were read; the others were cut off for lack of room, left out in an answer that fell back
            to less context, or are not shown by the prompt of the user's.
        given_tokens, kept_tokens: tokens of these sentences, separators not counted; ``None`` where the model does not
            tell.
    """

    given: int = 0
    kept: int = 0
    given_tokens: int | None = 0
    kept_tokens: int | None = 0


@dataclass(frozen=True, slots=True)
class ContextRead:
    """How much context one answer of a model had: what was given, and what was read after cutting.

    A side that the model never reads (of models that concatenate one side, the other) counts as not given. Where the
    model does not say, all counts as read, and is ``assumed`` so.
    """

    source: SideRead = SideRead()
    target: SideRead = SideRead()
    assumed: bool = False

    @property
    def given(self) -> int:
        """Sentences that were given, on both sides together."""
        return self.source.given + self.target.given

    @property
    def kept(self) -> int:
        """Sentences that were read, on both sides together."""
        return self.source.kept + self.target.kept

    @property
    def state(self) -> ReadState:
        """What happened to the context."""
        if not self.given:
            return "none"
        if not self.kept:
            return "lost"
        return "whole" if self.kept == self.given else "cut"


def read_whole(given: ModelInput) -> ContextRead:
    """Return what a model has read that does not say: all that it was given."""
    sides = (sum(map(is_filled, context)) for context in (given.source_context, given.target_context))
    return ContextRead(*(SideRead(count, count, None, None) if count else SideRead() for count in sides), assumed=True)


@dataclass(frozen=True, slots=True, eq=False)
class ScoredTarget:
    """A target text with the log-probability of each of its tokens, given source, context and the gold prefix.

    Attributes:
        target: the text.
        pieces: (T,) its sub-words as the model cuts it, the end-of-sentence token last.
        spans: (T,) beginning and end of each piece in ``target``, in characters, without the blank before a word; the
            end-of-sentence token has an empty span at the end.
        logprobs: (T,) natural logarithms.
        context: how much context was given and read; ``None`` where the model does not tell.
    """

    target: str
    pieces: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    logprobs: NDArray[np.float64]
    context: ContextRead | None = None

    @property
    def total(self) -> float:
        """Log-probability of the whole target, its end included."""
        return float(self.logprobs.sum())


@dataclass(frozen=True, slots=True)
class Translation:
    """What a model has made of an input.

    Attributes:
        text: the translation of the current segment alone.
        logprob: natural logarithm of its probability; ``None`` where the model does not tell.
        warning: what went wrong on the way and the user should know (the model gave the wrong number of segments);
            empty if nothing.
        context: how much context was given and read; ``None`` where the model does not tell.
    """

    text: str
    logprob: float | None = None
    warning: str = ""
    context: ContextRead | None = None


@keyed()
@dataclass(frozen=True, slots=True)
class Decoding:
    """How a translation is searched for.

    Attributes:
        beam: hypotheses kept at each step; 1 is greedy.
        length_penalty: hypotheses are ranked by log-probability ÷ length to this power.
        longest: most tokens of one translation, as a multiple of the source's tokens, plus ten.
    """

    beam: int = option(5, least=1, help="Hypotheses kept at each step; 1 is greedy.")
    length_penalty: float = option(1.0, help="Hypotheses are ranked by log-probability ÷ length to this power.")
    longest: float = 2.0


@runtime_checkable
class Translator(Protocol):
    """A model that translates."""

    @property
    def signature(self) -> str:
        """Name, version and settings that the figures made with it depend on."""
        ...

    def translate(self, inputs: Sequence[ModelInput], decoding: Decoding = ...) -> list[Translation]:
        """Translate each input; one translation for each, in their order."""
        ...


@runtime_checkable
class Scorer(Protocol):
    """A model that says how probable a given target is."""

    @property
    def signature(self) -> str:
        """Name, version and settings that the figures made with it depend on."""
        ...

    @property
    def vocabulary(self) -> Sequence[int]:
        """Ids of the tokens that a random context is drawn from: all but the special ones.

        A model with another vocabulary for its target language has ``target_vocabulary`` besides.
        """
        ...

    def length(self, sentence: ContextSentence) -> int:
        """Return the number of tokens of a sentence of source context, without special ones.

        A model that cuts the two languages in different ways has ``target_length`` besides.
        """
        ...

    def score(self, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
        """Return the log-probabilities of each target given its input; one for each, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Fit:
    """What a model would make of an input, without running it.

    Attributes:
        context: how much of the context it would read; ``None`` where the model does not tell.
        excess: why it cannot take the segment at all, even without context; empty if it can.
    """

    context: ContextRead | None = None
    excess: str = ""


@runtime_checkable
class Fitter(Protocol):
    """A model that says beforehand what it has room for; all that run here do, other kinds may."""

    def fit(
        self, inputs: Sequence[ModelInput], targets: Sequence[str] | None = None, decoding: Decoding | None = None
    ) -> list[Fit]:
        """Tell how much of each input's context the model would read.

        ``targets`` are to be scored; ``None`` where they are to be found.
        """
        ...


class Sides(StrEnum):
    """Which context a segment is given."""

    NONE = "none"
    SOURCE = "source"
    TARGET = "target"
    BOTH = "both"

    @property
    def source(self) -> bool:
        """Whether source context is given."""
        return self in (Sides.SOURCE, Sides.BOTH)

    @property
    def target(self) -> bool:
        """Whether target context is given."""
        return self in (Sides.TARGET, Sides.BOTH)


def contextual_inputs(
    sources: Sequence[str], targets: Sequence[str] | None, size: int, sides: Sides = Sides.BOTH
) -> list[ModelInput]:
    """Return one input for each segment of a document, with up to ``size`` segments and translations before it."""
    return [document_input(sources, targets, number, size, sides) for number in range(len(sources))]


def document_input(
    sources: Sequence[str], targets: Sequence[str] | None, number: int, size: int, sides: Sides = Sides.BOTH
) -> ModelInput:
    """Return one segment of a document as input, with up to ``size`` segments and translations before it."""
    first = max(0, number - size)
    before = tuple(sources[first:number]) if sides.source else ()
    preceding = tuple(targets[first:number]) if targets is not None and sides.target else ()
    return ModelInput(sources[number], before, preceding)


def translate_documents(
    translator: Translator,
    documents: Sequence[Sequence[str]],
    size: int,
    sides: Sides = Sides.BOTH,
    decoding: Decoding | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[list[Translation]]:
    """Translate documents; where target context is given, it is the model's own translations of the segments before.

    The first segments of all documents are translated together, then the second ones, and so on. Where no translation
    depends on another one, all segments are translated together.
    """
    decoding = decoding or Decoding()
    made: list[list[Translation]] = [[] for _ in documents]
    in_order = size > 0 and sides.target and bool(getattr(translator, "uses_target_context", True))
    segments = [(number, place) for number, document in enumerate(documents) for place in range(len(document))]
    steps = [segments]
    if in_order:
        ordered = sorted(segments, key=itemgetter(1))
        steps = [list(step) for _, step in groupby(ordered, key=itemgetter(1))]
    for step in steps:
        inputs: list[ModelInput] = []
        for number, place in step:
            before = [one.text for one in made[number]] if in_order else None
            inputs.append(document_input(documents[number], before, place, size, sides))
        for (number, _), translation in zip(step, translator.translate(inputs, decoding), strict=True):
            made[number].append(translation)
        if progress is not None:
            progress(len(step))
    return made
