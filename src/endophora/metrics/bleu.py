"""BLEU (Papineni et al., 2002) over segments, and d-BLEU over documents (Liu et al., 2020, mBART)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar, cast

import numpy as np
from sacrebleu.metrics import bleu as sacrebleu

from endophora.errors import Fault, InputError, MissingModelError
from endophora.metrics.ngrams import NgramTable, totals
from endophora.metrics.records import FloatArray, Level
from endophora.metrics.texts import Count, PlainTextMetric

ORDER = 4
EFFECTIVE = "effective-order"


class BLEU(PlainTextMetric):
    """Corpus BLEU with sacreBLEU's tokenisation and exponential smoothing, between 0 and 100.

    With several references an n-gram matches as often as in the reference that has it most often, and the length
    compared is that of the reference nearest in length, the shorter of two.

    Args:
        argument: ``effective-order`` leaves out the orders that a text is too short for, as sacreBLEU does where it
            scores single sentences: for scores of segments.
    """

    name: ClassVar[str] = "BLEU"
    columns: ClassVar[tuple[str, ...]] = (
        "hypothesis_length",
        "reference_length",
        *(f"matched_{n}" for n in range(1, ORDER + 1)),
        *(f"total_{n}" for n in range(1, ORDER + 1)),
    )

    def __init__(
        self, language: str = "", tokenize: str | None = None, lowercase: bool = False, argument: str = ""
    ) -> None:
        super().__init__(language)
        if argument not in ("", EFFECTIVE):
            raise InputError(Fault("E140", f"BLEU has no option “{argument}”", f"known: {EFFECTIVE}"))
        self.effective_order = argument == EFFECTIVE
        self.tokenize = tokenize
        self.lowercase = lowercase

    def own_signature(self, references: int, *, short: bool) -> str:
        """Return sacreBLEU's own signature, version last."""
        return self._sacrebleu([["x"]] * references).get_signature().format(short=short)

    def prepare(self, references: list[list[str]]) -> Count:
        """Return what counts the n-grams of a system's texts against these references."""
        split = self._splitter()
        words = [[split(text) for text in reference] for reference in references]
        table = NgramTable(words, ORDER)
        lengths = np.array([[len(text) for text in reference] for reference in words], dtype=np.float64)
        return partial(_count, split, table, lengths)

    def score(self, sums: FloatArray) -> FloatArray:
        """Return BLEU, (…, 10) → (…); NaN where the reference has no word.

        An order without a match counts as 1 / (2ᵏ · total), k the number of such orders so far (NIST's smoothing).
        A hypothesis too short for four-grams scores 0, as in sacreBLEU, unless orders are effective.
        """
        hypothesis, reference = sums[..., 0], sums[..., 1]
        matched, total = sums[..., 2 : 2 + ORDER], sums[..., 2 + ORDER :]
        unmatched = matched == 0
        halvings = np.exp2(np.cumsum(unmatched, axis=-1))
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(unmatched, 1 / (halvings * total), matched / total)
            brevity = np.exp(np.minimum(0.0, 1 - reference / hypothesis))
            there = (total > 0) | (not self.effective_order)
            orders = np.maximum(there.sum(axis=-1), 1)
            score = 100 * brevity * np.exp(np.log(precision).sum(axis=-1, where=there) / orders)
        score = np.where(unmatched.all(axis=-1) | ((total == 0) & there).any(axis=-1), 0.0, score)
        return np.where(reference > 0, score, np.nan)

    def _splitter(self) -> Callable[[str], list[str]]:
        tokenize = cast("Callable[[str], str]", self._sacrebleu(None).tokenizer)
        lowercase = self.lowercase
        return lambda text: tokenize((text.lower() if lowercase else text).rstrip()).split()

    def _sacrebleu(self, references: list[list[str]] | None) -> sacrebleu.BLEU:
        try:
            return sacrebleu.BLEU(
                lowercase=self.lowercase,
                tokenize=self.tokenize,
                trg_lang=self.language,
                effective_order=self.effective_order,
                references=references,
            )
        except (RuntimeError, ImportError) as error:
            cause = f"BLEU's tokenizer for “{self.tokenize or self.language}” needs a library that is not installed"
            advice = f"install sacrebleu[{self.language}], or leave BLEU out"
            raise MissingModelError(Fault("E073", cause, advice)) from error


def _count(split: Callable[[str], list[str]], table: NgramTable, lengths: FloatArray, texts: list[str]) -> FloatArray:
    """Return the statistics of a system's texts, given the references' n-grams and lengths (references, texts)."""
    tokens = [split(text) for text in texts]
    length = np.array([len(text) for text in tokens], dtype=np.float64)
    distance = np.abs(lengths - length)
    nearest = np.where(distance == distance.min(axis=0), lengths, np.inf).min(axis=0)
    return np.column_stack((length, nearest, table.matches(tokens), totals(length, ORDER)))


class DocumentBLEU(BLEU):
    """d-BLEU: every document is one text, so that n-grams reach across sentences and their division is free."""

    name: ClassVar[str] = "d-BLEU"
    level: ClassVar[Level] = "document"
