"""What the ranker has learned: read from and written to JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from endophora.corefer.lexicon import read_data
from endophora.corefer.nouns import NounTypes
from endophora.errors import Fault, MissingModelError

LEAST = 0.05
"""Weights nearer to 0 are not written."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What the ranker has learned of one language.

    Attributes:
        pair: weights of the features of a pronoun with a candidate, and of "outside".
        expletive: weights of the features of a non-referential pronoun.
        types: entity types of nouns and the preferences of governors.
        temperature: by which scores of pairs are divided, so that probabilities are calibrated.
        trained_on: the corpus and the annotator, in words.
    """

    pair: Mapping[str, float]
    expletive: Mapping[str, float]
    types: NounTypes
    temperature: float = 1.0
    trained_on: str = ""

    @property
    def digest(self) -> str:
        """First eight hexadecimal digits of the SHA-256 of the weights as they are written."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:8]

    def to_json(self) -> str:
        """Return the weights as a JSON text, the same for the same weights."""
        lemmas: dict[str, list[str]] = {}
        for lemma, kind in sorted(self.types.lemmas.items()):
            lemmas.setdefault(kind, []).append(lemma)
        data = {
            "trained_on": self.trained_on,
            "temperature": self.temperature,
            "pair": _rounded(self.pair),
            "expletive": _rounded(self.expletive),
            "types": {kind: lemmas[kind] for kind in sorted(lemmas)},
            "endings": self.types.endings,
            "labels": self.types.labels,
            "slots": self.types.slots,
        }
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"


def _rounded(weights: Mapping[str, float]) -> dict[str, float]:
    rounded = {name: round(float(value), 2) for name, value in sorted(weights.items())}
    return {name: value for name, value in rounded.items() if abs(value) >= LEAST}


def from_json(data: Mapping[str, Any]) -> Weights:
    """Return weights from a JSON object as :meth:`Weights.to_json` writes it."""
    return Weights(
        pair=data["pair"],
        expletive=data["expletive"],
        types=NounTypes(
            lemmas={lemma: kind for kind, lemmas in data["types"].items() for lemma in lemmas},
            endings=data["endings"],
            labels=data["labels"],
            slots=data["slots"],
        ),
        temperature=data["temperature"],
        trained_on=data["trained_on"],
    )


@cache
def load_weights(language: str) -> Weights:
    """Return the shipped weights of a language.

    Raises:
        MissingModelError: there are none (E061).
    """
    data = read_data(f"{language}-weights.json")
    if data is None:
        advice = "train them with python -m endophora_makers.resolver train, or name the resolver “nearest”"
        raise MissingModelError(Fault("E061", f"no resolver weights for the language “{language}”", advice))
    return from_json(data)
