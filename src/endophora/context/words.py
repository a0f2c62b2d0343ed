"""From the sub-words of a model to the words of an annotator: what a sub-word weighs goes to the words that it spells.

A model cuts a text in its own way, and a word's share in the log-probability is the sum over its sub-words. Nothing is
lost on the way: each sub-word is given out whole, by three rules.

1. A sub-word that spells characters of words goes to these words, in proportion to the characters; most spell one word.
2. One that spells none (the mark of a beginning word that stands alone, a blank, one byte of a character whose span is
   empty) goes to the word in which it stands or, between words, to the next, and after the last word to the last.
3. The end of the sentence, which is the last sub-word, is no word. It is kept apart, and so is all where there are no
   words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from endophora.annotate.records import AnnotatedText
from endophora.context.grouping import labels_of
from endophora.models.records import ScoredTarget

Span: TypeAlias = tuple[int, int]
FloatArray: TypeAlias = npt.NDArray[np.float64]

_PLAIN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a target text.

    Attributes:
        start: offset of its first character in the text.
        end: offset after its last character.
        form: the word as it stands in the text.
        lemma: its lemma; the form where nothing annotated it.
        labels: its part of speech, alone and with features (``PRON``, ``PRON.3``, ``PRON.3.Plur``); may be empty.
        tags: the phenomena that it was found to be an occurrence of, sorted; may be empty.
    """

    start: int
    end: int
    form: str
    lemma: str
    labels: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def upos(self) -> str:
        """Universal part of speech; empty where nothing annotated the word."""
        return self.labels[0] if self.labels else ""


def annotated_words(text: AnnotatedText, tags: Sequence[frozenset[str]] | None = None) -> tuple[Word, ...]:
    """Return the words of an annotated text.

    Args:
        text: the text.
        tags: for each token the phenomena that it is an occurrence of; none where it is left out.
    """
    found = tags if tags is not None else [frozenset[str]()] * len(text.tokens)
    return tuple(
        Word(token.start, token.end, token.form, token.lemma, labels_of(token), tuple(sorted(names)))
        for token, names in zip(text.tokens, found, strict=True)
    )


def plain_words(text: str) -> tuple[Word, ...]:
    """Return the words of a text of any language: runs of letters and digits, and each other character by itself."""
    return tuple(Word(*found.span(), found[0], found[0]) for found in _PLAIN.finditer(text))


def share_out(pieces: Sequence[Span], words: Sequence[Span]) -> FloatArray:
    """Return which share of each sub-word goes to which word, by the rules of this module.

    Args:
        pieces: (T,) beginning and end of each sub-word in the text; the last is the end of the sentence.
        words: (W,) beginning and end of each word in the same text, by increasing beginning.

    Returns:
        (T, W + 1) shares, the last column is that of no word; every row sums to 1.
    """
    shares = np.zeros((len(pieces), len(words) + 1))
    if not pieces:
        return shares
    if words:
        edges, cuts = np.asarray(words, dtype=np.intp), np.asarray(pieces, dtype=np.intp)
        first = np.maximum(cuts[:, None, 0], edges[None, :, 0])
        last = np.minimum(cuts[:, None, 1], edges[None, :, 1])
        shares[:, :-1] = np.maximum(last - first, 0)
        for silent in np.flatnonzero(shares.sum(axis=1) == 0):
            # The first word that ends behind the sub-word holds it or follows it.
            behind = np.flatnonzero(edges[:, 1] > cuts[silent, 0])
            shares[silent, behind[0] if len(behind) else len(words) - 1] = 1
    else:
        shares[:, -1] = 1
    shares[-1] = 0
    shares[-1, -1] = 1
    return shares / shares.sum(axis=1, keepdims=True)


def word_logprobs(scored: ScoredTarget, words: Sequence[Word]) -> FloatArray:
    """Return the log-probability of each word of a scored target, and last that of its end: (W + 1,).

    The whole sums to the log-probability of the target.
    """
    return scored.logprobs @ share_out(scored.spans, [(word.start, word.end) for word in words])
