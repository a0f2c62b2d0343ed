"""The tables of a measurement: CXMI, means of groups of words, phenomena against the rest, items, single words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from endophora.context.averages import Groups, contrast, group_words, ratio, resample
from endophora.context.cxmi_options import CxmiOptions
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
from endophora.context.fitting import trimmed
from endophora.context.grouping import estimate_shrinkage, number_items
from endophora.context.pointwise import Condition, Pointwise
from endophora.context.words import FloatArray, Word
from endophora.models.records import ContextSentence
from endophora.record import Interval, interval_of
from endophora.statistics.bootstrap import Bootstrap
from endophora.statistics.correction import holm, is_significant
from endophora.statistics.units import FEWEST_DOCUMENTS, Units

WITH_TAG, NO_TAG, WORDS, ENDS = "with tag", "no tag", "words", "ends of sentences"
"""Names of groups that are no phenomenon and no part of speech."""


class Figures:
    """Turns pointwise values into the tables of a result.

    Args:
        measured: P-CXMI of each sample.
        phenomena: which tags were looked for.
        units: what is resampled.
        options: contexts, groups and statistics.
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
    """Return one word with what a reader needs to see why a context helps it.

    Args:
        one: the sample.
        word: number of the word in it.
        condition: the context.
        row: the condition's place among those measured.
    """
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


def context_texts(context: Iterable[ContextSentence]) -> list[str]:
    """Return sentences of a context as texts; ids of tokens are written as numbers."""
    return [sentence if isinstance(sentence, str) else " ".join(map(str, sentence)) for sentence in context]


def _tag_groups(word: Word) -> tuple[str, ...]:
    return (*word.tags, WITH_TAG) if word.tags else (NO_TAG,)


def _members(measured: Sequence[Pointwise], groups: Callable[[Word], tuple[str, ...]]) -> list[list[tuple[str, ...]]]:
    return [[groups(word) for word in one.sample.words] for one in measured]


def _interval(drawn: Bootstrap, row: int, column: int) -> Interval | None:
    return interval_of(drawn.low[row, column], drawn.high[row, column])


def _difference_interval(drawn: Bootstrap, column: int) -> Interval | None:
    return interval_of(drawn.difference_low[1, column], drawn.difference_high[1, column])
