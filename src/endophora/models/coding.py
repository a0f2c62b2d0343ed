"""Between text and the token ids of one model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from endophora.models.records import ContextSentence
from endophora.models.vocabulary import Pieces, Vocabulary


class Coder(Protocol):
    """Cuts the sentences of either language into a model's sub-words, and joins them again.

    Attributes:
        ordinary, target_ordinary: ids of the tokens that random text of the source or of the target language is drawn
            from: all but the special ones.
    """

    start: int
    pad: int
    ordinary: Sequence[int]
    target_ordinary: Sequence[int]

    def source(self, sentence: ContextSentence) -> Pieces:
        """Cut a sentence of the source language, without special tokens; ids stay as they are."""
        ...

    def target(self, sentence: ContextSentence) -> Pieces:
        """Cut a sentence of the target language, without special tokens; ids stay as they are."""
        ...

    def piece(self, index: int) -> str:
        """Return how a token of the target language is written."""
        ...

    def index(self, piece: str) -> int:
        """Return the token of the target language that is written so."""
        ...

    def text(self, ids: Sequence[int]) -> str:
        """Return the text of tokens of the target language, special ones left out."""
        ...


class OwnCoder:
    """The coder of models that are trained here: one vocabulary for both languages."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.start = vocabulary.pad
        self.pad = vocabulary.pad
        self.ordinary: Sequence[int] = vocabulary.ordinary
        self.target_ordinary = self.ordinary

    def source(self, sentence: ContextSentence) -> Pieces:
        """Cut a sentence, without special tokens; ids stay as they are."""
        if isinstance(sentence, str):
            return self._vocabulary.cut(sentence)
        return given_pieces(sentence, [self._vocabulary.piece(index) for index in sentence])

    target = source

    def piece(self, index: int) -> str:
        """Return how a token is written."""
        return self._vocabulary.piece(index)

    def index(self, piece: str) -> int:
        """Return the token that is written so."""
        return self._vocabulary.index(piece)

    def text(self, ids: Sequence[int]) -> str:
        """Return the text of tokens, special ones left out."""
        return self._vocabulary.text(ids)


def given_pieces(ids: Sequence[int], written: Sequence[str]) -> Pieces:
    """Return the pieces of a sentence that was given as ids: they stand nowhere in a text."""
    return Pieces(tuple(ids), tuple(written), ((0, 0),) * len(ids))
