"""Words of plain texts, for metrics that are not sacreBLEU's own but split as it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from sacrebleu.metrics import bleu as sacrebleu

from endophora.errors import Fault, MissingModelError


@dataclass(frozen=True, slots=True)
class Splitter:
    """Splits texts into words.

    Attributes:
        split: text → words, lower case where that was asked for.
    """

    name: str
    split: Callable[[str], list[str]]


def make_splitter(language: str, *, lowercase: bool = True) -> Splitter:
    """Return what splits texts of a language by the tokenizer that sacreBLEU chooses for it.

    Args:
        language: ISO 639-1 code.

    Raises: MissingModelError: the tokenizer needs a library that is not installed (E073).
    """
    try:
        tokenizer = sacrebleu.BLEU(trg_lang=language).tokenizer
    except (RuntimeError, ImportError) as error:
        cause = f"the tokenizer for “{language}” needs a library that is not installed"
        raise MissingModelError(Fault("E073", cause, f"install sacrebleu[{language}]")) from error
    tokenize = cast("Callable[[str], str]", tokenizer)
    name = cast("Callable[[], str]", tokenizer.signature)()

    def split(text: str) -> list[str]:
        """Return the words of a text."""
        return tokenize((text.lower() if lowercase else text).rstrip()).split()

    return Splitter(name, split)
