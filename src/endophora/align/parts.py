"""Parts of speech as evidence: a pronoun is translated by a pronoun far more often than the words alone tell.

Words that have many translations, *it* and *you* before all, are often left without a link by their word statistics.
Where both sides are annotated, the odds of a pair of tokens are multiplied by how much more often their parts of speech
are linked than by chance, as learned by ``training/parts.py``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from endophora.annotate.records import AnnotatedText

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@lru_cache(maxsize=1)
def shipped_table() -> tuple[dict[str, int], Floats]:
    """Return the number of each part of speech, from 1, and the factors, shape (parts + 1, parts + 1).

    Row and column 0 stand for what has no known part of speech; their factors are 1.
    """
    data = json.loads((files("endophora.align") / "data" / "parts.json").read_text(encoding="utf-8"))
    names: list[str] = data["parts"]
    table = np.ones((len(names) + 1, len(names) + 1), dtype=np.float32)
    table[1:, 1:] = np.array(data["factors"], dtype=np.float32).reshape(len(names), len(names))
    return {name: number for number, name in enumerate(names, 1)}, table


def part_numbers(texts: Sequence[AnnotatedText]) -> Ints:
    """Return the number of each token's part of speech, over all segments of a document, shape (tokens,)."""
    numbers, _ = shipped_table()
    return np.array([numbers.get(token.upos, 0) for text in texts for token in text.tokens], dtype=np.int64)


def factors(source: Ints, target: Ints) -> Floats:
    """Return the factor of each pair of tokens from the numbers of their parts of speech, shape (token pairs,)."""
    _, table = shipped_table()
    return table.reshape(-1)[source * len(table) + target]
