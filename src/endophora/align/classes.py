"""Classes of words: what words of one stem have in common, by ``data/classes.yaml``."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict
from ruamel.yaml import YAML

_RULES = Path(__file__).parent / "data" / "classes.yaml"

Classify = Callable[[str], str]
"""Lower-cased word → the name of its class."""


class Scheme(BaseModel):
    """How the class of a word is made; a priors file holds the two that it was learned with.

    Attributes:
        letters: the class is the first so many letters of a lower-cased word …
        strip: … without what this pattern matches at the word's beginning, such as proclitics
        written: pattern → letters of words that match it as a whole, as those of another script
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    letters: int = 4
    strip: str = ""
    written: dict[str, int] = {}

    def classify(self) -> Classify:
        """Return the function from a lower-cased word to the name of its class."""
        letters = self.letters
        if not self.strip and not self.written:
            return lambda word: word[:letters]
        strip = re.compile(self.strip)
        written = [(re.compile(pattern), count) for pattern, count in self.written.items()]

        def class_of(word: str) -> str:
            """Return the class of a lower-cased word."""
            start = strip.match(word)
            stem = word[start.end() :] if start else word
            count = next((count for pattern, count in written if pattern.fullmatch(stem)), letters)
            return stem[:count]

        return class_of


@lru_cache(maxsize=1)
def _schemes() -> dict[str, Scheme]:
    rules = cast("dict[str, Any]", cast("Any", YAML(typ="safe")).load(_RULES))
    return {language: Scheme.model_validate(rule) for language, rule in rules.items()}


def scheme_of(language: str) -> Scheme:
    """Return how classes are made in a language, by its ISO 639-1 code."""
    return _schemes().get(language, Scheme())
