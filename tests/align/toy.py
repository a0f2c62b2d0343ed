"""Annotated texts by hand, and a small world of words that translate one to one."""

from __future__ import annotations

import random
from collections.abc import Sequence

from endophora.annotate.records import AnnotatedText
from endophora_makers.alignment_evaluation import tokenised


def texts(*lines: str) -> list[AnnotatedText]:
    return [tokenised(line) for line in lines]


def toy_pairs(count: int, seed: int = 1) -> list[tuple[list[str], list[str]]]:
    """Sentences of a language whose words are those of the other spelled with other letters, in the same order."""
    chance = random.Random(seed)
    words = [f"{a}{b}{a}" for a in "bdfgk" for b in "aeiou"]
    foreign = {word: f"{number}" * 3 for number, word in enumerate(words)}
    pairs: list[tuple[list[str], list[str]]] = []
    for _ in range(count):
        sentence = [chance.choice(words) for _ in range(chance.randint(2, 9))]
        pairs.append((sentence, [foreign[word] for word in sentence]))
    return pairs


def joined(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> tuple[list[AnnotatedText], list[AnnotatedText]]:
    return texts(*(" ".join(one) for one, _ in pairs)), texts(*(" ".join(other) for _, other in pairs))
