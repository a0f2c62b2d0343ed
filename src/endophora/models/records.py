"""What goes into a translation model and what comes out, whichever model it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

ContextSentence: TypeAlias = "str | tuple[int, ...]"
"""A sentence of the context: text, or token ids of the model's own vocabulary (random contexts are drawn as such)."""


@dataclass(frozen=True, slots=True)
class ModelInput:
    """One segment to translate or to score, with the context it is given.

    Attributes:
        source: the current source segment.
        source_context: the source segments before it, oldest first; empty for none.
        target_context: their translations, oldest first; empty for none. It may be shorter than the source context.
    """

    source: str
    source_context: tuple[ContextSentence, ...] = ()
    target_context: tuple[ContextSentence, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ScoredTarget:
    """A target text with the log-probability of each of its tokens, given source, context and the gold prefix.

    Attributes:
        target: the text.
        pieces: (T,) its sub-words as the model cuts it, the end-of-sentence token last.
        spans: (T,) beginning and end of each piece in ``target``, in characters, without the blank before a word; the
            end-of-sentence token has an empty span at the end.
        logprobs: (T,) natural logarithms.
    """

    target: str
    pieces: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    logprobs: NDArray[np.float64]

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
        warning: what went wrong on the way and the user should know (the model gave the wrong number of segments, the
            context was cut); empty if nothing.
    """

    text: str
    logprob: float | None = None
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Decoding:
    """How a translation is searched for.

    Attributes:
        beam: hypotheses kept at each step; 1 is greedy.
        length_penalty: hypotheses are ranked by log-probability ÷ length to this power.
        longest: most tokens of one translation, as a multiple of the source's tokens, plus ten.
    """

    beam: int = 5
    length_penalty: float = 1.0
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
    """A model that tells how probable a given target is."""

    @property
    def signature(self) -> str:
        """Name, version and settings that the figures made with it depend on."""
        ...

    @property
    def vocabulary(self) -> Sequence[int]:
        """Ids of the tokens that a random context is drawn from: all but the special ones."""
        ...

    def length(self, sentence: ContextSentence) -> int:
        """Return the number of tokens of a sentence of context, without special ones."""
        ...

    def score(self, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
        """Return the log-probabilities of each target given its input; one for each, in their order.

        Raises:
            ValueError: the two have not the same length.
        """
        ...
