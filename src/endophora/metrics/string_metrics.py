"""BLEU, chrF and TER, over segments and over documents, as sacreBLEU computes them."""

from __future__ import annotations

import string
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from sacrebleu.metrics import chrf, ter

from endophora.errors import Fault, InputError
from endophora.metrics.ngrams import NgramTable, totals
from endophora.metrics.records import FloatArray, Level, ratio
from endophora.metrics.texts import Count, PlainTextMetric, load_bleu, make_splitter

ORDER = 4
EFFECTIVE = "effective-order"
CHARACTERS = 6
BETA = 2
SIDES = ("hypothesis", "reference", "matched")
PUNCTUATION = frozenset(string.punctuation)


class BLEU(PlainTextMetric):
    """Corpus BLEU (Papineni et al., 2002) with sacreBLEU's tokenisation and exponential smoothing, between 0 and 100.

    With several references an n-gram matches as often as in the reference that has it most often, and the length
    compared is that of the reference nearest in length, the shorter of two. The argument ``effective-order`` leaves out
    the orders that a text is too short for, as sacreBLEU does where it scores single sentences: for scores of segments.
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
        options = {"lowercase": self.lowercase, "tokenize": self.tokenize, "effective_order": self.effective_order}
        scorer = load_bleu(self.language, **options, references=[["x"]] * references)
        return scorer.get_signature().format(short=short)

    def prepare(self, references: list[list[str]]) -> Count:
        """Return what counts the n-grams of a system's texts against these references."""
        split = make_splitter(self.language, lowercase=self.lowercase, tokenize=self.tokenize).split
        words = [[split(text) for text in reference] for reference in references]
        table = NgramTable(words, ORDER)
        lengths = np.array([[len(text) for text in reference] for reference in words], dtype=np.float64)

        def count(texts: list[str]) -> FloatArray:
            tokens = [split(text) for text in texts]
            length = np.array([len(text) for text in tokens], dtype=np.float64)
            distance = np.abs(lengths - length)
            nearest = np.where(distance == distance.min(axis=0), lengths, np.inf).min(axis=0)
            return np.column_stack((length, nearest, table.matches(tokens), totals(length, ORDER)))

        return count

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


class DocumentBLEU(BLEU):
    """d-BLEU (Liu et al., 2020, mBART): each document is one text, so that n-grams reach across sentences."""

    name: ClassVar[str] = "d-BLEU"
    level: ClassVar[Level] = "document"


@dataclass(frozen=True, slots=True, eq=False)
class _Reference:
    """One reference: its n-grams, and how many there are of each order, (segments, orders)."""

    characters: NgramTable
    words: NgramTable
    totals: FloatArray


class ChrF(PlainTextMetric):
    """F-score of character n-grams (Popović, 2015), orders 1 to 6 without white space, β = 2, between 0 and 100.

    With several references, a segment is compared with the one that gives it the best score.
    """

    name: ClassVar[str] = "chrF2"
    words: ClassVar[int] = 0
    columns: ClassVar[tuple[str, ...]] = tuple(f"{side}_c{n}" for n in range(1, CHARACTERS + 1) for side in SIDES)

    def __init__(self, language: str = "", lowercase: bool = False) -> None:
        super().__init__(language)
        self.lowercase = lowercase

    def own_signature(self, references: int, *, short: bool) -> str:
        """Return sacreBLEU's own signature, version last."""
        scorer = chrf.CHRF(CHARACTERS, self.words, BETA, lowercase=self.lowercase, references=[["x"]] * references)
        return scorer.get_signature().format(short=short)

    def prepare(self, references: list[list[str]]) -> Count:
        """Return what counts the n-grams of a system's texts against these references."""
        return partial(self._count_best, [self._read(reference) for reference in references])

    def score(self, sums: FloatArray) -> FloatArray:
        """Return chrF, (…, 3 · orders) → (…); NaN where the reference has no character.

        Precision and recall are means over the orders that occur on both sides (sacreBLEU's effective order).
        """
        hypothesis, reference, matched = sums[..., 0::3], sums[..., 1::3], sums[..., 2::3]
        used = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(used.sum(axis=-1), 1)
        # Summed and multiplied in sacreBLEU's order: where two references tie, rounding decides which is the best.
        precision = np.cumsum(ratio(matched, np.where(used, hypothesis, 0), 0.0), axis=-1)[..., -1] / orders
        recall = np.cumsum(ratio(matched, np.where(used, reference, 0), 0.0), axis=-1)[..., -1] / orders
        score = 100 * ratio((1 + BETA**2) * precision * recall, BETA**2 * precision + recall, 0.0)
        return np.where(reference[..., 0] > 0, score, np.nan)

    def _read(self, reference: list[str]) -> _Reference:
        characters = [self._characters(text) for text in reference]
        words = [self._words(text) for text in reference]
        return _Reference(
            NgramTable([characters], CHARACTERS), NgramTable([words], self.words), self._totals(characters, words)
        )

    def _count_best(self, references: list[_Reference], texts: list[str]) -> FloatArray:
        """Return the statistics of a system's texts, each against the reference that gives it the best score."""
        characters = [self._characters(text) for text in texts]
        words = [self._words(text) for text in texts]
        here = self._totals(characters, words)
        candidates: list[FloatArray] = []
        for reference in references:
            matched = np.column_stack((reference.characters.matches(characters), reference.words.matches(words)))
            there = reference.totals
            counts = np.stack((np.where(there > 0, here, 0), there, matched), axis=-1)
            candidates.append(counts.reshape(len(texts), len(self.columns)))
        best = np.nan_to_num(np.stack([self.score(counts) for counts in candidates])).argmax(axis=0)
        return np.stack(candidates)[best, np.arange(len(texts))]

    def _totals(self, characters: list[str], words: list[list[str]]) -> FloatArray:
        return np.column_stack(
            (
                totals(np.array([len(text) for text in characters], dtype=np.float64), CHARACTERS),
                totals(np.array([len(text) for text in words], dtype=np.float64), self.words),
            )
        )

    def _characters(self, text: str) -> str:
        return "".join((text.lower() if self.lowercase else text).split())

    def _words(self, text: str) -> list[str]:
        return split_words(text.lower() if self.lowercase else text) if self.words else []


class ChrFPlusPlus(ChrF):
    """chrF with word unigrams and bigrams besides the characters (Popović, 2017)."""

    name: ClassVar[str] = "chrF2++"
    words: ClassVar[int] = 2
    columns: ClassVar[tuple[str, ...]] = (*ChrF.columns, *(f"{side}_w{n}" for n in (1, 2) for side in SIDES))


class DocumentChrF(ChrF):
    """d-chrF: every document is one text, so that the division into sentences is free."""

    name: ClassVar[str] = "d-chrF2"
    level: ClassVar[Level] = "document"


class DocumentChrFPlusPlus(DocumentChrF, ChrFPlusPlus):
    """d-chrF++: the same with word unigrams and bigrams."""

    name: ClassVar[str] = "d-chrF2++"


def split_words(text: str) -> list[str]:
    """Return chrF++'s words: one ASCII punctuation mark is split off the end, or if there is none, off the start."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in PUNCTUATION:
            words += word[:-1], word[-1]
        elif len(word) > 1 and word[0] in PUNCTUATION:
            words += word[0], word[1:]
        else:
            words.append(word)
    return words


class TER(PlainTextMetric):
    """Edits (insertions, deletions, substitutions, shifts) per reference word (Snover et al., 2006), in per cent.

    Slow, some 20 ms a segment in sacreBLEU's search for shifts; so it is not computed unless asked for. With several
    references, the fewest edits are set against the references' mean length.
    """

    name: ClassVar[str] = "TER"
    higher_is_better: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ("edits", "reference_length")

    def __init__(self, language: str = "", normalized: bool = False) -> None:
        super().__init__(language)
        self.normalized = normalized

    def own_signature(self, references: int, *, short: bool) -> str:
        """Return sacreBLEU's own signature, version last."""
        scorer = ter.TER(normalized=self.normalized, references=[["x"]] * references)
        return scorer.get_signature().format(short=short)

    def prepare(self, references: list[list[str]]) -> Count:
        """Return what counts the edits of a system's texts against these references."""
        scorer = ter.TER(normalized=self.normalized)
        segments = list(zip(*references, strict=True))

        def count(texts: list[str]) -> FloatArray:
            scores = [scorer.sentence_score(text, segment) for text, segment in zip(texts, segments, strict=True)]
            return np.array([(score.num_edits, score.ref_length) for score in scores], dtype=np.float64).reshape(-1, 2)

        return count

    def score(self, sums: FloatArray) -> FloatArray:
        """Return 100 · edits / mean reference length, (…, 2) → (…); NaN where the references have no word."""
        return ratio(100 * sums[..., 0], sums[..., 1])


class DocumentTER(TER):
    """d-TER: every document is one text, so that the division into sentences is free.

    Slow: about 0.2 s for a document of 100 words, 2 s for 300, 10 s for 500 and 35 s for 1,000 (two shared cores,
    2026-11-20). And coarse: sacreBLEU looks at a thousand shifts in a text and no more, and aligns within 25 words of
    the diagonal, so that of a long document only a part is searched for shifts.
    """

    name: ClassVar[str] = "d-TER"
    level: ClassVar[Level] = "document"
