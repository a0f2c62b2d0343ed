"""Models that do what a test says, and texts of six documents, so that the randomisation test is exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.models.records import Decoding, ModelInput, ScoredTarget, Translation

WORDS = ["one", "two", "three", "four", "five", "six"]
DOCUMENTS = 6


class FakeTranslator:
    """Translates by a function; counts what it is asked."""

    def __init__(self, write: Callable[[ModelInput], str], signature: str = "fake") -> None:
        self.write = write
        self.signature = signature
        self.translated: list[ModelInput] = []
        self.calls = 0
        self.fails_at = 0

    def translate(self, inputs: Sequence[ModelInput], decoding: Decoding | None = None) -> list[Translation]:
        self.calls += 1
        if self.calls == self.fails_at:
            raise KeyboardInterrupt
        self.translated += inputs
        return [Translation(self.write(one)) for one in inputs]


class FakeModel(FakeTranslator):
    """Scores by a function too: log-probability of the first token; that of the end is zero."""

    vocabulary: Sequence[int] = range(10, 110)

    def __init__(
        self, write: Callable[[ModelInput], str], find: Callable[[ModelInput], float], signature: str = "fake"
    ) -> None:
        super().__init__(write, signature)
        self.find = find
        self.scored: list[tuple[ModelInput, str]] = []

    def length(self, sentence: str | tuple[int, ...]) -> int:
        return len(sentence.split()) if isinstance(sentence, str) else len(sentence)

    def score(self, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
        self.scored += zip(inputs, targets, strict=True)
        return [
            ScoredTarget(
                text, (text, "</s>"), ((0, len(text)), (len(text), len(text))), np.array([self.find(one), 0.0])
            )
            for one, text in zip(inputs, targets, strict=True)
        ]


def make_corpus(segments: int = 3, documents: int = DOCUMENTS) -> Corpus:
    """Six documents; segment 2 of document 4 is “d4s2 one two three four five six”, its reference in capitals."""
    return Corpus(
        "en",
        "de",
        tuple(
            Document(
                f"doc{number}",
                tuple(
                    Segment(source(number, place), {"ref": source(number, place).upper()}, {}, Location("x", 1))
                    for place in range(segments)
                ),
            )
            for number in range(documents)
        ),
        ("ref",),
        (),
    )


def source(number: int, place: int) -> str:
    return " ".join((f"d{number}s{place}", *WORDS))


def is_random(one: ModelInput) -> bool:
    return any(isinstance(sentence, tuple) for sentence in (*one.source_context, *one.target_context))


def has_context(one: ModelInput) -> bool:
    return bool(one.source_context or one.target_context)


def user(signature: str = "user") -> FakeModel:
    """Garbles under random tokens; the right context adds half a nat, random tokens take one."""
    return FakeModel(
        lambda one: one.source.upper() if not is_random(one) else " ".join(one.source.upper().split()[:5]),
        lambda one: -2.0 - is_random(one) + 0.5 * (has_context(one) and not is_random(one)),
        signature,
    )


def indifferent() -> FakeModel:
    """Does the same whatever the context."""
    return FakeModel(lambda one: one.source.upper(), lambda one: -2.0, "indifferent")


def collapsing() -> FakeModel:
    """Knows nothing any more as soon as there is context."""
    return FakeModel(
        lambda one: "X Y Z" if has_context(one) else one.source.upper(),
        lambda one: -2.0 - 3 * has_context(one),
        "collapsing",
    )
