"""Statistics of three made-up systems with BLEU, chrF and word-F shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

WORDS = "the old bridge across a river carries them home every night but it is narrow and cold".split()  # noqa: SIM905


@dataclass(frozen=True)
class Corpus:
    """A reference and systems that keep 80, 74 and 60 per cent of its words."""

    reference: list[str]
    systems: list[list[str]]


@pytest.fixture(scope="session")
def made_up() -> Corpus:
    rng = np.random.default_rng(4)
    lines = [rng.choice(WORDS, size=rng.integers(6, 15)).tolist() for _ in range(60)]

    def output(kept: float) -> list[str]:
        return [" ".join(word if rng.random() < kept else str(rng.choice(WORDS)) for word in line) for line in lines]

    return Corpus([" ".join(line) for line in lines], [output(0.80), output(0.74), output(0.60)])
