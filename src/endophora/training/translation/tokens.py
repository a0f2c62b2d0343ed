"""A text's token ids in little memory: one array for all sentences of a side, four bytes a token."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import overload

from endophora.models.layout import Ids


class Sentences(Sequence[Ids]):
    """Sentences of ids behind one another in one array; those that are asked for are made into tuples.

    Attributes:
        ends: (sentences + 1,) where each sentence ends, after a nought.
    """

    def __init__(self) -> None:
        self._ids = array("i")
        self.ends = array("q", [0])

    def append(self, sentence: Ids) -> None:
        """Add a sentence at the end."""
        self._ids.extend(sentence)
        self.ends.append(len(self._ids))

    def __len__(self) -> int:
        """Return the number of sentences."""
        return len(self.ends) - 1

    @overload
    def __getitem__(self, index: int) -> Ids: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Ids, ...]: ...

    def __getitem__(self, index: int | slice) -> Ids | tuple[Ids, ...]:
        """Return a sentence, or those of a stretch; IndexError where there is none."""
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        at = range(len(self))[index]
        return tuple(self._ids[self.ends[at] : self.ends[at + 1]])

    def tokens(self, first: int, behind: int) -> int:
        """Return the tokens of the sentences from ``first`` to the one before ``behind``."""
        return self.ends[behind] - self.ends[first]


@dataclass(frozen=True, slots=True)
class TokenDocument:
    """A document's segments as ids, without special tokens: sources and targets, parallel."""

    sources: tuple[Ids, ...]
    targets: tuple[Ids, ...]


class TokenText:
    """Parallel documents as ids.

    Attributes:
        starts: (documents + 1,) number of each document's first segment, and of all segments.
    """

    def __init__(self, documents: Iterable[TokenDocument]) -> None:
        self.sources, self.targets = Sentences(), Sentences()
        self.starts = array("q", [0])
        for document in documents:
            for source, target in zip(document.sources, document.targets, strict=True):
                self.sources.append(source)
                self.targets.append(target)
            self.starts.append(len(self.sources))

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> TokenDocument:
        """Return a document; IndexError where there is none."""
        at = range(len(self))[number]
        span = slice(self.starts[at], self.starts[at + 1])
        return TokenDocument(self.sources[span], self.targets[span])
