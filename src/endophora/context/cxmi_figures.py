"""The tables of a measurement: CXMI, means of groups of words, phenomena against the rest, items, single words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from endophora.context.context_read import trimmed
from endophora.context.cxmi_result import (
    CxmiFigure,
    Definition,
    GroupFigure,
    GroupKind,
    ItemFigure,
    Over,
    ShrinkageInfo,
    TagContrast,
    TokenExample,
)
from endophora.context.pointwise import Condition, Pointwise, context_texts
from endophora.context.samples import FloatArray, Word
from endophora.errors import Fault, InputError
from endophora.models.documents import Sides
from endophora.record import Interval, interval_of
from endophora.signature import keyed
from endophora.statistics.bootstrap import Bootstrap, bootstrap
from endophora.statistics.correction import holm, is_significant
from endophora.statistics.options import resampling_faults
from endophora.statistics.units import FEWEST_DOCUMENTS, Kind, Units


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """How far the means of rare items are drawn to the mean of all.

    Attributes:
        pseudo_count: as many occurrences of that mean are added to each item; infinite where the items do not differ by
            more than chance, and every item then has the mean of all.
    """

    mean: float
    pseudo_count: float
    estimated: bool

    def shrink(self, mean: FloatArray, count: FloatArray) -> FloatArray:
        """Return the shrunk means of items, (V,), from their means and counts."""
        if np.isinf(self.pseudo_count):
            return np.full_like(mean, self.mean)
        return (count * mean + self.pseudo_count * self.mean) / (count + self.pseudo_count)


def estimate_shrinkage(values: FloatArray, items: npt.NDArray[np.intp], pseudo_count: float | None = None) -> Shrinkage:
    """Return how far items' means are to be drawn to the mean of all words.

    A word's value is the mean of its item plus noise, and items' means lie around the mean of all. With σ² the variance
    within items and τ² that between items' true means, the best linear guess of an item's mean has σ² / τ² occurrences
    of the mean of all added. Both are estimated by the method of moments: analysis of variance, one way, unbalanced
    (Searle, Casella & McCulloch, 1992, “Variance Components”, §3.6).

    Args:
        values: (N,) the words' values.
        items: (N,) the item of each word, numbered from 0 without gaps.
    """
    overall = float(values.mean()) if len(values) else 0.0
    if pseudo_count is not None:
        return Shrinkage(overall, pseudo_count, estimated=False)
    counts = np.bincount(items).astype(np.float64)
    kinds, total = len(counts), float(len(values))
    if kinds < 2 or total <= kinds:
        return Shrinkage(overall, np.inf, estimated=True)
    means = np.bincount(items, weights=values) / counts
    within = float(((values - means[items]) ** 2).sum()) / (total - kinds)
    between = float((counts * (means - overall) ** 2).sum()) / (kinds - 1)
    size = (total - float((counts**2).sum()) / total) / (kinds - 1)
    spread = (between - within) / size
    if spread <= 0:
        return Shrinkage(overall, np.inf, estimated=True)
    return Shrinkage(overall, within / spread, estimated=True)


def number_items(names: Sequence[str]) -> tuple[list[str], npt.NDArray[np.intp]]:
    """Return the distinct names in order of first appearance, and for each name given the number of its own."""
    numbers: dict[str, int] = {}
    index = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)
    return list(numbers), index


@keyed(irrelevant={"items": "how many are shown, not what is found", "tokens": "how many are shown, not what is found"})
@dataclass(frozen=True, slots=True)
class CxmiOptions:
    """Contexts, groups and statistics.

    Attributes:
        sides: which contexts are given, each compared with none; items and tokens are listed of the first.
        size: the largest number of segments of context; every size from 1 on is measured.
        item: what a vocabulary item is, ``form`` or ``lemma``.
        minimum: occurrences from which an item is listed.
        pseudo_count: occurrences of the overall mean added to each item; ``None`` lets the data tell.
        items: most items listed.
        tokens: most single words listed.
        units: what is resampled.
        resamples: of the bootstrap.
        confidence: level of the intervals.
        alpha: level of significance, after Holm's correction.
        seed: of resampling.

    Raises:
        InputError: a value is out of range (E311, of statistics E075; all at once).
    """

    sides: tuple[Sides, ...] = (Sides.BOTH,)
    size: int = 3
    item: Literal["form", "lemma"] = "form"
    minimum: int = 5
    pseudo_count: float | None = None
    items: int = 200
    tokens: int = 200
    units: Kind = "documents"
    resamples: int = 1000
    confidence: float = 0.95
    alpha: float = 0.05
    seed: int = 1

    def __post_init__(self) -> None:
        wrong = (
            (self.size < 1, "--context", f"{self.size} segments of context", "give 1 or more: none is always measured"),
            (not self.sides, "--sides", "no side is named", "name source, target or both"),
            (Sides.NONE in self.sides, "--sides", "“none” is what contexts are compared with", "name another"),
            (len(set(self.sides)) < len(self.sides), "--sides", "a side is named twice", "name each once"),
            (self.minimum < 1, "--minimum", f"items of {self.minimum} occurrences", "give 1 or more"),
            ((self.pseudo_count or 0) < 0, "--pseudo-count", f"{self.pseudo_count} occurrences", "give 0 or more"),
        )
        faults = resampling_faults(self)
        faults += [Fault("E311", cause, advice, option) for found, option, cause, advice in wrong if found]
        if faults:
            raise InputError(faults)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The contexts that are compared with none: of each side, each size."""
        return tuple(Condition(sides, size) for sides in self.sides for size in range(1, self.size + 1))

    @property
    def main(self) -> Condition:
        """The condition whose items and tokens are listed: the first side at the largest size."""
        return Condition(self.sides[0], self.size)


@dataclass(frozen=True, slots=True)
class Groups:
    """Sums and counts of words' P-CXMI by group; C conditions, S samples, G groups.

    Attributes:
        names: (G,) the groups.
        sums: (C, S, G).
        counts: (S, G); a word may count in several groups.
    """

    names: tuple[str, ...]
    sums: FloatArray
    counts: FloatArray

    @property
    def statistics(self) -> FloatArray:
        """Sums beside counts, as resampling takes them: (C, S, G, 2)."""
        return np.stack([self.sums, np.broadcast_to(self.counts, self.sums.shape)], axis=-1)

    def spread(self, units: Units) -> npt.NDArray[np.bool_]:
        """Return which groups have words in enough units for intervals and tests, (G,).

        A group that stands in two documents has the same mean in nearly every resample, which looks like certainty.
        """
        return (units.sums(self.counts[None])[0] > 0).sum(axis=0) >= FEWEST_DOCUMENTS


def ratio(statistics: FloatArray) -> FloatArray:
    """Return sum ÷ count, (…, 2) → (…); NaN where nothing is counted."""
    counts = statistics[..., 1]
    return np.divide(statistics[..., 0], counts, out=np.full(counts.shape, np.nan), where=counts > 0)


def group_words(
    measured: Sequence[Pointwise], names: Sequence[str], members: Sequence[Sequence[Sequence[str]]]
) -> Groups:
    """Return the sums and counts of groups of words.

    Args:
        members: for each sample, for each of its words the groups that it is in; others than ``names`` are left out.
    """
    place = {name: number for number, name in enumerate(names)}
    conditions = len(measured[0].words) if measured else 0
    sums = np.zeros((conditions, len(measured), len(names)))
    counts = np.zeros((len(measured), len(names)))
    for row, (one, groups) in enumerate(zip(measured, members, strict=True)):
        for word, found in enumerate(groups):
            for column in (place[name] for name in found if name in place):
                sums[:, row, column] += one.words[:, word]
                counts[row, column] += 1
    return Groups(tuple(names), sums, counts)


def resample(statistics: FloatArray, units: Units, options: CxmiOptions) -> Bootstrap:
    """Return the ratios of (C, S, G, 2) sums and counts, with their intervals over resampled units."""
    chosen = {"resamples": options.resamples, "seed": options.seed}
    return bootstrap(statistics, ratio, units, confidence=options.confidence, two_sided=True, **chosen)


def contrast(groups: Groups, rest: int, units: Units, options: CxmiOptions, condition: int) -> Bootstrap:
    """Return each group of words against those of one group, under one condition.

    Every resample draws documents, and takes the words of both from the documents drawn; so what a document's words
    have in common does not pass for a difference.
    """
    pairs = groups.statistics[condition]
    return resample(np.stack([np.broadcast_to(pairs[:, rest : rest + 1], pairs.shape), pairs]), units, options)


WITH_TAG, NO_TAG, WORDS, ENDS = "with tag", "no tag", "words", "ends of sentences"
"""Names of groups that are no phenomenon and no part of speech."""


class Figures:
    """Turns pointwise values into the tables of a result.

    Args:
        main: the condition whose items and tokens are listed; by default that of the options.
    """

    def __init__(
        self,
        measured: Sequence[Pointwise],
        phenomena: tuple[str, ...],
        units: Units,
        options: CxmiOptions,
        main: Condition | None = None,
    ) -> None:
        self._phenomena = phenomena
        self._measured = measured
        self._units = units
        self._options = options
        self._names = [condition.name for condition in options.conditions]
        self._listed = main or options.main
        self._main = options.conditions.index(self._listed)
        self._kept = np.array([[context.kept > 0 for context in one.contexts] for one in measured], dtype=np.float64).T
        """(C, S): whether the model read any context."""

    def cxmi(self) -> list[CxmiFigure]:
        """Return CXMI of each condition in both definitions."""
        totals = np.stack([one.totals for one in self._measured], axis=1)
        pieces = np.array([one.pieces for one in self._measured], dtype=np.float64)
        values = np.stack([totals, totals / pieces], axis=-1)
        definitions: tuple[Definition, ...] = ("total", "normalised")
        found: list[CxmiFigure] = []
        masks: tuple[tuple[Over, FloatArray], ...] = (("all", np.ones_like(totals)), ("kept", self._kept))
        for over, mask in masks:
            counts = np.broadcast_to(mask[..., None], values.shape)
            drawn = resample(np.stack([values * counts, counts], axis=-1), self._units, self._options)
            spread = (self._units.sums(mask[..., None]) > 0).sum(axis=1)[:, 0] >= FEWEST_DOCUMENTS
            found += [
                CxmiFigure(
                    condition=name,
                    definition=definition,
                    over=over,
                    samples=int(mask[row].sum()),
                    value=float(drawn.scores[row, column]),
                    interval=_interval(drawn, row, column) if spread[row] or over == "all" else None,
                    helped=int((totals[row][mask[row] > 0] > 0).sum()),
                    harmed=int((totals[row][mask[row] > 0] < 0).sum()),
                )
                for row, name in enumerate(self._names)
                for column, definition in enumerate(definitions)
                if mask[row].any()
            ]
        return found

    def groups(self) -> list[GroupFigure]:
        """Return the means of all words, of ends of sentences, of phenomena and of parts of speech."""
        labels = sorted({label for one in self._measured for word in one.sample.words for label in word.labels})
        labelled = group_words(self._measured, labels, _members(self._measured, lambda word: word.labels))
        tables: tuple[tuple[GroupKind, Groups], ...] = (
            ("all", self._everything()),
            ("tag", self._tagged()),
            ("label", labelled),
        )
        return [
            GroupFigure(
                condition=condition,
                kind=kind,
                group=group,
                count=int(table.counts[:, column].sum()),
                mean=float(drawn.scores[row, column]),
                interval=_interval(drawn, row, column) if spread[column] or kind == "all" else None,
                kept_count=int(kept[row, column, 1]),
                kept_mean=None if math.isnan(means[row, column]) else float(means[row, column]),
            )
            for kind, table in tables
            for drawn in [resample(table.statistics, self._units, self._options)]
            for spread in [table.spread(self._units)]
            for kept in [(table.statistics * self._kept[:, :, None, None]).sum(axis=1)]
            for means in [ratio(kept)]
            for row, condition in enumerate(self._names)
            for column, group in enumerate(table.names)
            if not math.isnan(drawn.scores[row, column])
        ]

    def contrasts(self) -> list[TagContrast]:
        """Return each phenomenon, and all together, against words without any."""
        tagged = self._tagged()
        if not tagged.names:
            return []
        rest, together = tagged.names.index(NO_TAG), tagged.names.index(WITH_TAG)
        spread = tagged.spread(self._units)
        if not spread[rest]:
            return []
        found: list[TagContrast] = []
        for number, condition in enumerate(self._names):
            drawn = contrast(tagged, rest, self._units, self._options, number)
            p_values = drawn.p_values[1].copy()
            p_values[[rest, together]] = np.nan
            p_values[~spread] = np.nan
            adjusted = holm(p_values)
            adjusted[together] = drawn.p_values[1, together]
            found.extend(
                TagContrast(
                    condition=condition,
                    tag=tag,
                    difference=float(drawn.differences[1, column]),
                    interval=_difference_interval(drawn, column),
                    p_value=float(drawn.p_values[1, column]),
                    p_adjusted=float(adjusted[column]),
                    significant=is_significant(float(adjusted[column]), self._options.alpha),
                )
                for column, tag in enumerate(tagged.names)
                if column != rest and spread[column] and not math.isnan(drawn.p_values[1, column])
            )
        return found

    def items(self) -> tuple[list[ItemFigure], int, ShrinkageInfo]:
        """Return the items with the highest shrunk means, how many there are, and how far they are shrunk."""
        options = self._options
        members = _members(self._measured, lambda word: (word.lemma if options.item == "lemma" else word.form,))
        words = [name for sample in members for names in sample for name in names]
        values = np.concatenate([one.words[self._main] for one in self._measured])
        names, index = number_items(words)
        shrinkage = estimate_shrinkage(values, index, options.pseudo_count)
        counts = np.bincount(index, minlength=len(names)).astype(np.float64)
        means = np.bincount(index, weights=values, minlength=len(names)) / np.maximum(counts, 1)
        shrunk = shrinkage.shrink(means, counts)
        common = [number for number in range(len(names)) if counts[number] >= options.minimum]
        # Where all are shrunk to one mean, their own means still order them.
        listed = sorted(common, key=lambda number: (-shrunk[number], -means[number]))[: options.items]
        table = group_words(self._measured, [names[number] for number in listed], members)
        drawn = resample(table.statistics[self._main : self._main + 1], self._units, options)
        spread = table.spread(self._units)
        figures = [
            ItemFigure(
                item=names[number],
                count=int(counts[number]),
                mean=float(means[number]),
                interval=_interval(drawn, 0, column) if spread[column] else None,
                shrunk=float(shrunk[number]),
            )
            for column, number in enumerate(listed)
        ]
        pseudo_count = None if math.isinf(shrinkage.pseudo_count) else shrinkage.pseudo_count
        info = ShrinkageInfo(mean=shrinkage.mean, pseudo_count=pseudo_count, estimated=shrinkage.estimated)
        return figures, len(common), info

    def tokens(self) -> list[TokenExample]:
        """Return the words with the highest P-CXMI."""
        places = [(one, word) for one in self._measured for word in range(len(one.sample.words))]
        places.sort(key=lambda place: -place[0].words[self._main, place[1]])
        return [token_example(one, word, self._listed, self._main) for one, word in places[: self._options.tokens]]

    def _everything(self) -> Groups:
        """Return all words, and the ends of sentences, which are no words."""
        words = group_words(self._measured, [WORDS], _members(self._measured, lambda _: (WORDS,)))
        ends = np.stack([one.end for one in self._measured], axis=1)[:, :, None]
        sums = np.concatenate([words.sums, ends], axis=2)
        counts = np.concatenate([words.counts, np.ones((len(self._measured), 1))], axis=1)
        return Groups((WORDS, ENDS), sums, counts)

    def _tagged(self) -> Groups:
        """Return the words of each phenomenon, those with any, and those with none; no group if nothing is tagged."""
        names = (*self._phenomena, WITH_TAG, NO_TAG) if self._phenomena else ()
        return group_words(self._measured, names, _members(self._measured, _tag_groups))


def token_example(one: Pointwise, word: int, condition: Condition, row: int) -> TokenExample:
    """Return one word with what a reader needs to see why a context helps it."""
    sample, found = one.sample, one.sample.words[word]
    given = trimmed(condition.cut(sample.whole), one.contexts[row])
    return TokenExample(
        document=sample.document,
        segment=sample.segment,
        start=found.start,
        end=found.end,
        form=found.form,
        labels=list(found.labels),
        tags=list(found.tags),
        value=float(one.words[row, word]),
        sentence=float(one.totals[row]),
        probability=math.exp(min(0.0, float(one.base_words[word]))),
        source=sample.whole.source,
        target=sample.target,
        source_context=context_texts(given.source_context),
        target_context=context_texts(given.target_context),
    )


def _tag_groups(word: Word) -> tuple[str, ...]:
    return (*word.tags, WITH_TAG) if word.tags else (NO_TAG,)


def _members(measured: Sequence[Pointwise], groups: Callable[[Word], tuple[str, ...]]) -> list[list[tuple[str, ...]]]:
    return [[groups(word) for word in one.sample.words] for one in measured]


def _interval(drawn: Bootstrap, row: int, column: int) -> Interval | None:
    return interval_of(drawn.low[row, column], drawn.high[row, column])


def _difference_interval(drawn: Bootstrap, column: int) -> Interval | None:
    return interval_of(drawn.difference_low[1, column], drawn.difference_high[1, column])
