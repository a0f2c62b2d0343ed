"""The figures of CXMI: of the whole text, means of groups of words, phenomena against the rest, items, single words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from endophora.context.context_read import trimmed
from endophora.context.pointwise import Condition, Pointwise, context_texts
from endophora.context.results import (
    CxmiFigure,
    Definition,
    GroupFigure,
    ItemFigure,
    Over,
    ShrinkageInfo,
    TagContrast,
    TokenExample,
    WordGroupKind,
)
from endophora.context.samples import FloatArray, Word
from endophora.errors import Fault
from endophora.models.documents import Sides
from endophora.record import number_of
from endophora.signature import keyed
from endophora.statistics.comparison import Compared, Table, compare, quotient
from endophora.statistics.resampling import Bootstrapping
from endophora.statistics.units import FEWEST_DOCUMENTS, Units

WITH_TAG, NO_TAG, WORDS, ENDS = "with tag", "no tag", "words", "ends of sentences"
"""Names of groups that are no phenomenon and no part of speech."""

DEFINITIONS: tuple[Definition, ...] = ("total", "normalised")


@keyed(irrelevant={"items": "how many are shown, not what is found", "tokens": "how many are shown, not what is found"})
@dataclass(frozen=True, slots=True)
class CxmiOptions(Bootstrapping):
    """Contexts, groups and statistics.

    Attributes:
        sides: which contexts are given, each compared with none; items and tokens are listed of the first.
        size: the largest number of segments of context; every size from 1 on is measured.
        item: what a vocabulary item is, ``form`` or ``lemma``.
        minimum: occurrences from which an item is listed.
        pseudo_count: occurrences of the overall mean added to each item; ``None`` estimates them from the data.
        items: most items listed.
        tokens: most single words listed.

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

    def faults(self) -> list[Fault]:
        """Return what is wrong with contexts and items (E311)."""
        wrong = (
            (self.size < 1, "--context", f"{self.size} segments of context", "give 1 or more: none is always measured"),
            (not self.sides, "--sides", "no side is named", "name source, target or both"),
            (Sides.NONE in self.sides, "--sides", "“none” is what contexts are compared with", "name another"),
            (len(set(self.sides)) < len(self.sides), "--sides", "a side is named twice", "name each once"),
            (self.minimum < 1, "--minimum", f"items of {self.minimum} occurrences", "give 1 or more"),
            ((self.pseudo_count or 0) < 0, "--pseudo-count", f"{self.pseudo_count} occurrences", "give 0 or more"),
        )
        return [Fault("E311", cause, advice, option) for found, option, cause, advice in wrong if found]

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The contexts that are compared with none: of each side, each size."""
        return tuple(Condition(sides, size) for sides in self.sides for size in range(1, self.size + 1))

    @property
    def main(self) -> Condition:
        """The condition whose items and tokens are listed: the first side at the largest size."""
        return Condition(self.sides[0], self.size)


@dataclass(frozen=True, slots=True)
class CxmiFigures:
    """Figures of all conditions."""

    cxmi: list[CxmiFigure]
    groups: list[GroupFigure]
    contrasts: list[TagContrast]


@dataclass(frozen=True, slots=True)
class _Groups:
    """Sums and counts of words' P-CXMI by group; C conditions, S samples, G groups.

    Attributes:
        sums: (C, S, G).
        counts: (S, G); a word may count in several groups.
    """

    names: tuple[str, ...]
    sums: FloatArray
    counts: FloatArray

    @property
    def statistics(self) -> FloatArray:
        """Sums and counts: (C, S, G, 2)."""
        return np.stack([self.sums, np.broadcast_to(self.counts, self.sums.shape)], axis=-1)

    def enough(self, units: Units) -> npt.NDArray[np.bool_]:
        """Return which groups have words in enough units for intervals and tests, (G,).

        A group that stands in two documents has the same mean in nearly every resample, which looks like certainty.
        """
        return (units.sums(self.counts[None])[0] > 0).sum(axis=0) >= FEWEST_DOCUMENTS


def compute_cxmi(
    measured: Sequence[Pointwise], phenomena: tuple[str, ...], units: Units, options: CxmiOptions
) -> CxmiFigures:
    """Return CXMI of each condition in both definitions, the means of groups, and phenomena against words without any.

    p-values are two-sided, of the bootstrap, and corrected over the phenomena of a condition; all together stand alone.
    """
    kept = np.array([[context.kept > 0 for context in one.contexts] for one in measured], dtype=np.bool_).T
    tagged = _tagged(measured, phenomena)
    groups: dict[WordGroupKind, _Groups] = {"all": _everything(measured), "tag": tagged, "label": _labelled(measured)}
    wholes = [_whole(measured, units), _whole(measured, units, kept)]
    means = [
        Table(
            columns=one.names,
            statistics=one.statistics,
            score=quotient,
            units=units,
            enough=None if kind == "all" else one.enough(units),
        )
        for kind, one in groups.items()
    ]
    found = compare([*wholes, *means, *_against_rest(tagged, units)], options, two_sided=True)
    names = [condition.name for condition in options.conditions]
    return CxmiFigures(
        _cxmi_figures(measured, names, kept, found),
        [
            figure
            for (kind, one), compared in zip(groups.items(), found[len(wholes) :], strict=False)
            for figure in _group_figures(kind, one, compared, names, kept)
        ],
        [
            TagContrast(condition=condition, tag=tag, **difference)
            for condition, compared in zip(names, found[len(wholes) + len(means) :], strict=False)
            for column, tag in enumerate(tagged.names)
            if (difference := compared.difference(1, column))
        ],
    )


def _whole(measured: Sequence[Pointwise], units: Units, kept: npt.NDArray[np.bool_] | None = None) -> Table[str]:
    """Return CXMI of the text, (C, S, definitions, 2), over all samples or those kept."""
    totals = np.stack([one.totals for one in measured], axis=1)
    values = np.stack([totals, totals / np.array([one.pieces for one in measured], dtype=np.float64)], axis=-1)
    mask = (np.ones_like(totals) if kept is None else kept.astype(np.float64))[..., None]
    statistics = np.stack([values * mask, np.broadcast_to(mask, values.shape)], axis=-1)
    enough = None if kept is None else (units.sums(mask) > 0).sum(axis=1) >= FEWEST_DOCUMENTS
    return Table(columns=DEFINITIONS, statistics=statistics, score=quotient, units=units, enough=enough)


def _cxmi_figures(
    measured: Sequence[Pointwise], names: Sequence[str], kept: npt.NDArray[np.bool_], found: Sequence[Compared[str]]
) -> list[CxmiFigure]:
    totals = np.stack([one.totals for one in measured], axis=1)
    masks: tuple[tuple[Over, npt.NDArray[np.bool_]], ...] = (("all", np.ones_like(kept)), ("kept", kept))
    return [
        CxmiFigure(
            condition=name,
            definition=definition,
            over=over,
            samples=int(mask[row].sum()),
            value=float(compared.values[row, column]),
            interval=compared.figure(row, column)["interval"],
            helped=int((totals[row][mask[row]] > 0).sum()),
            harmed=int((totals[row][mask[row]] < 0).sum()),
        )
        for (over, mask), compared in zip(masks, found, strict=False)
        for row, name in enumerate(names)
        for column, definition in enumerate(DEFINITIONS)
        if mask[row].any()
    ]


def _group_figures(
    kind: WordGroupKind, groups: _Groups, compared: Compared[str], names: Sequence[str], kept: npt.NDArray[np.bool_]
) -> Iterator[GroupFigure]:
    counts, kept_counts = groups.counts.sum(axis=0), kept.astype(np.float64) @ groups.counts
    kept_means = compared.table.values(kept)
    for row, condition in enumerate(names):
        for column, group in enumerate(groups.names):
            if not math.isnan(compared.values[row, column]):
                yield GroupFigure(
                    condition=condition,
                    kind=kind,
                    group=group,
                    count=int(counts[column]),
                    mean=float(compared.values[row, column]),
                    interval=compared.figure(row, column)["interval"],
                    kept_count=int(kept_counts[row, column]),
                    kept_mean=number_of(kept_means[row, column]),
                )


def _against_rest(tagged: _Groups, units: Units) -> Iterator[Table[str]]:
    """Yield for each condition the words of each tag (second) and those of none (first).

    Every resample draws documents, and takes the words of both from the documents drawn; so what a document's words
    have in common does not pass for a difference.
    """
    if not tagged.names or not tagged.enough(units)[rest := tagged.names.index(NO_TAG)]:
        return
    enough = tagged.enough(units) & (np.arange(len(tagged.names)) != rest)
    for number, pairs in enumerate(tagged.statistics):
        yield Table(
            columns=tagged.names,
            statistics=np.stack([np.broadcast_to(pairs[:, rest : rest + 1], pairs.shape), pairs]),
            score=quotient,
            units=units,
            families=[(number, name == WITH_TAG) for name in tagged.names],
            baseline=0,
            enough=enough,
        )


def compute_items(
    measured: Sequence[Pointwise], units: Units, options: CxmiOptions, condition: Condition
) -> tuple[list[ItemFigure], int, ShrinkageInfo]:
    """Return the items with the highest shrunk means, how many there are, and how far they are shrunk."""
    row = options.conditions.index(condition)

    def item_of(word: Word) -> tuple[str, ...]:
        return (word.lemma if options.item == "lemma" else word.form,)

    words = [item_of(word)[0] for one in measured for word in one.sample.words]
    values = np.concatenate([one.words[row] for one in measured])
    names, index = number_items(words)
    shrinkage = estimate_shrinkage(values, index, options.pseudo_count)
    counts = np.bincount(index, minlength=len(names)).astype(np.float64)
    means = np.bincount(index, weights=values, minlength=len(names)) / np.maximum(counts, 1)
    shrunk = shrinkage.shrink(means, counts)
    common = [number for number in range(len(names)) if counts[number] >= options.minimum]
    # Where all are shrunk to one mean, their own means still order them.
    listed = sorted(common, key=lambda number: (-shrunk[number], -means[number]))[: options.items]
    groups = _group_words(measured, [names[number] for number in listed], item_of)
    statistics = groups.statistics[row : row + 1]
    table = Table(columns=groups.names, statistics=statistics, score=quotient, units=units, enough=groups.enough(units))
    (compared,) = compare([table], options, two_sided=True)
    figures = [
        ItemFigure(
            item=names[number],
            count=int(counts[number]),
            mean=float(means[number]),
            interval=compared.figure(0, column)["interval"],
            shrunk=float(shrunk[number]),
        )
        for column, number in enumerate(listed)
    ]
    pseudo_count = None if math.isinf(shrinkage.pseudo_count) else shrinkage.pseudo_count
    info = ShrinkageInfo(mean=shrinkage.mean, pseudo_count=pseudo_count, estimated=shrinkage.estimated)
    return figures, len(common), info


def highest_tokens(measured: Sequence[Pointwise], options: CxmiOptions) -> list[TokenExample]:
    """Return the words with the highest P-CXMI under the main condition."""
    row = options.conditions.index(options.main)
    found = [(one, word) for one in measured for word in range(len(one.sample.words))]
    found.sort(key=lambda place: -place[0].words[row, place[1]])
    return [token_example(one, word, options.main, row) for one, word in found[: options.tokens]]


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


def tag_groups(word: Word) -> tuple[str, ...]:
    """Return the groups of phenomena that a word is in."""
    return (*word.tags, WITH_TAG) if word.tags else (NO_TAG,)


def _group_words(
    measured: Sequence[Pointwise], names: Sequence[str], groups_of: Callable[[Word], tuple[str, ...]]
) -> _Groups:
    """Return the sums and counts of groups of words; groups other than ``names`` are left out."""
    index = {name: number for number, name in enumerate(names)}
    sums = np.zeros((len(measured[0].words) if measured else 0, len(measured), len(names)))
    counts = np.zeros((len(measured), len(names)))
    for row, one in enumerate(measured):
        for number, word in enumerate(one.sample.words):
            for column in (index[name] for name in groups_of(word) if name in index):
                sums[:, row, column] += one.words[:, number]
                counts[row, column] += 1
    return _Groups(tuple(names), sums, counts)


def _everything(measured: Sequence[Pointwise]) -> _Groups:
    """Return all words, and the ends of sentences, which are no words."""
    words = _group_words(measured, [WORDS], lambda _: (WORDS,))
    ends = np.stack([one.end for one in measured], axis=1)[:, :, None]
    sums = np.concatenate([words.sums, ends], axis=2)
    return _Groups((WORDS, ENDS), sums, np.concatenate([words.counts, np.ones((len(measured), 1))], axis=1))


def _tagged(measured: Sequence[Pointwise], phenomena: tuple[str, ...]) -> _Groups:
    """Return the words of each phenomenon, those with any, and those with none; no group if nothing is tagged."""
    return _group_words(measured, (*phenomena, WITH_TAG, NO_TAG) if phenomena else (), tag_groups)


def _labelled(measured: Sequence[Pointwise]) -> _Groups:
    """Return the words of each part of speech, alone and with features."""
    labels = {label for one in measured for word in one.sample.words for label in word.labels}
    return _group_words(measured, sorted(labels), lambda word: word.labels)


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
    """Return the distinct names in order of first appearance, and for each name given its number."""
    numbers: dict[str, int] = {}
    index = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)
    return list(numbers), index
