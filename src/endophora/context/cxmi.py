"""CXMI: does a model use its context, and for which words (Fernandes et al., 2021; the MuDA paper, §2 and §3).

CXMI is the mean over sentences of log q(y | x, C) - log q(y | x), natural logarithm, the same model q with and without
the context C; P-CXMI of a word is the same difference for the word, given the gold words before it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np

from endophora.context.context_read import (
    count_context,
    cut_warnings,
    read_each_side,
    skip_long,
    too_long,
    trimmed,
    untold_warnings,
)
from endophora.context.pointwise import ContextCondition, Pointwise, context_texts, measure_pointwise
from endophora.context.results import (
    ContextSides,
    CxmiCondition,
    CxmiCorpus,
    CxmiFigure,
    CxmiResult,
    CxmiSettings,
    Definition,
    GroupFigure,
    ItemFigure,
    ShrinkageInfo,
    TagContrast,
    TokenExample,
    WordGroupKind,
)
from endophora.context.samples import Material, Word
from endophora.errors import Fault
from endophora.models.layout import beyond_training
from endophora.models.records import ModelInput, Scorer, Sides
from endophora.options import inherited, option
from endophora.record import number_of
from endophora.signature import keyed, result_signature
from endophora.statistics.comparison import Compared, Table, compare, quotient
from endophora.statistics.resampling import Bootstrapping
from endophora.statistics.units import FEWEST_DOCUMENTS, BoolArray, FloatArray, IntArray, Units, choose_units
from endophora.store import Store
from endophora.version import __version__

WITH_TAG, NO_TAG, WORDS, ENDS = "with tag", "no tag", "words", "ends of sentences"
"""Names of groups that are no phenomenon and no part of speech."""
DEFINITIONS: tuple[Definition, ...] = ("total", "normalised")

_Group = tuple[WordGroupKind, str]


@keyed(irrelevant={"items": "how many are shown, not what is found", "tokens": "how many are shown, not what is found"})
@dataclass(frozen=True, slots=True, kw_only=True)
class CxmiOptions(Bootstrapping):
    """Contexts, groups and statistics.

    Attributes:
        sides: which contexts are given, each compared with none; items and tokens are listed of the first.
        size: the largest number of segments of context; every size from 1 on is measured,
        sizes: or these alone.
        item: what a vocabulary item is, ``form`` or ``lemma``.
        minimum: occurrences from which an item is listed.
        pseudo_count: occurrences of the overall mean added to each item; ``None`` estimates them from the data.
        items: most items listed.
        tokens: most single words listed; as many as items by default.

    Raises:
        InputError: a value is out of range (E311, of statistics E075; all at once).
    """

    sides: tuple[Sides, ...] = option(
        (Sides.BOTH,),
        metavar="NAME",
        help="Sides of the context: source, target or both. Repeatable. [default: both]",
        read=read_each_side,
    )
    size: int = option(3, "--context", "-k", least=1, help="Most segments of context before each.")
    sizes: tuple[int, ...] = option(
        (), "--size", metavar="N", least=1, help="Only this many segments of context, and none. Repeatable."
    )
    item: Literal["form", "lemma"] = option("form", metavar="NAME", help="Vocabulary items: form or lemma.")
    minimum: int = option(5, least=1, help="Occurrences from which an item is listed.")
    pseudo_count: float | None = option(
        None, least=0, help="Occurrences of the overall mean added to each item. [default: estimated]"
    )
    items: int = option(200, "--top", least=1, help="Most items and most single words listed.")
    tokens: int | None = None
    seed: int = inherited(Bootstrapping, "seed", "Seed of the resampling.")

    def faults(self) -> list[Fault]:
        """Return what is wrong with contexts and items (E311)."""
        wrong = (
            (self.size < 1, "--context", f"{self.size} segments of context", "give 1 or more: none is always measured"),
            (min(self.sizes, default=1) < 1, "--size", "a size of less than one segment", "give 1 or more"),
            (not self.sides, "--sides", "no side is named", "name source, target or both"),
            (Sides.NONE in self.sides, "--sides", "“none” is what contexts are compared with", "name another"),
            (len(set(self.sides)) < len(self.sides), "--sides", "a side is named twice", "name each once"),
            (self.item not in ("form", "lemma"), "--item", f"“{self.item}” is none of them", "choose form or lemma"),
            (self.minimum < 1, "--minimum", f"items of {self.minimum} occurrences", "give 1 or more"),
            ((self.pseudo_count or 0) < 0, "--pseudo-count", f"{self.pseudo_count} occurrences", "give 0 or more"),
        )
        return [Fault("E311", cause, advice, option) for found, option, cause, advice in wrong if found]

    @property
    def conditions(self) -> tuple[ContextCondition, ...]:
        """The contexts that are compared with none: of each side, each size."""
        return tuple(ContextCondition(sides, size) for sides in self.sides for size in self._measured)

    @property
    def _measured(self) -> list[int]:
        return sorted(set(self.sizes)) or list(range(1, self.size + 1))

    @property
    def largest(self) -> int:
        """Most segments of context that are given."""
        return self._measured[-1]

    @property
    def main(self) -> ContextCondition:
        """The condition whose items and tokens are listed: the first side at the largest size."""
        return ContextCondition(self.sides[0], self.largest)


@dataclass(frozen=True, slots=True)
class Measurement:
    """What measuring CXMI yields."""

    result: CxmiResult
    pointwise: Sequence[Pointwise]


def measure_cxmi(
    material: Material,
    scorer: Scorer,
    options: CxmiOptions | None = None,
    progress: Callable[[int], None] | None = None,
    skip_faults: bool = False,
    store: Store | None = None,
) -> Measurement:
    """Measure CXMI of a text under every context that the options name, and P-CXMI of its words.

    Args:
        material: the samples; at least one.
        scorer: the model.
        options: contexts, groups and statistics.
        progress: called with numbers of samples as they are scored.
        skip_faults: leave out and count samples that are too long for the model.
        store: where the model's scores are kept, so that an interrupted run continues; by default nowhere.

    Raises:
        InputError: the model has no room for a sample, even without context (E281).
    """
    chosen = options or CxmiOptions()
    found = too_long(scorer, [one.whole.source for one in material.samples], [one.target for one in material.samples])
    skipped = skip_long(found, [sample.location for sample in material.samples], skip_faults)
    samples = tuple(sample for place, sample in enumerate(material.samples) if place not in found)
    measured = measure_pointwise(samples, chosen.conditions, scorer, store, progress)
    units = choose_units([sample.document for sample in samples], chosen.units)
    cxmi, groups, contrasts = compute_cxmi(measured, material.phenomena, units, chosen)
    items, items_found, shrinkage = compute_items(measured, units, chosen, chosen.main)
    conditions = _described(chosen, measured)
    result = CxmiResult(
        version=__version__,
        signature=result_signature(
            chosen,
            model=scorer.signature,
            context=",".join(side.value for side in chosen.sides),
            sizes="+".join(map(str, sorted(set(chosen.sizes)))) or f"1-{chosen.size}",
            words=material.signature,
            items=chosen.item,
            units=units.kind,
            resamples=chosen.resamples,
            confidence=chosen.confidence,
            alpha=chosen.alpha,
            seed=chosen.seed,
        ),
        corpus=CxmiCorpus(
            kind=material.kind,
            source_language=material.languages[0],
            target_language=material.languages[1],
            documents=len({sample.document for sample in samples}),
            samples=len(samples),
            skipped=len(found),
            words=sum(len(sample.words) for sample in samples),
            pieces=sum(one.pieces for one in measured),
        ),
        settings=CxmiSettings.of(chosen, main=chosen.main.name, units=units.kind),
        conditions=conditions,
        cxmi=cxmi,
        groups=groups,
        contrasts=contrasts,
        items=items,
        items_found=items_found,
        shrinkage=shrinkage,
        tokens=highest_tokens(measured, chosen),
        warnings=[
            *material.warnings,
            *skipped,
            *units.warnings,
            *_warnings(measured, scorer, chosen),
            *(f"the model never reads context of {one.sides}: its figures are 0" for one in conditions if _unread(one)),
            *(warning for one in conditions for warning in cut_warnings(f"the model, {one.name}", one.context)),
            *untold_warnings("the model", [one.context for one in conditions]),
        ],
    )
    return Measurement(result, measured)


def _described(options: CxmiOptions, measured: Sequence[Pointwise]) -> list[CxmiCondition]:
    return [
        CxmiCondition(
            name=one.name,
            sides=cast("ContextSides", one.sides.value),
            size=one.size,
            samples=sum(_has_context(one.cut(each.sample.whole)) for each in measured),
            context=count_context(each.contexts[number] for each in measured),
        )
        for number, one in enumerate(options.conditions)
    ]


def _unread(condition: CxmiCondition) -> bool:
    """Whether a condition gives context, and nothing of it counts as given: a side that the model never reads."""
    return condition.samples > 0 and condition.context.given == 0


def _has_context(given: ModelInput) -> bool:
    return bool(given.source_context or given.target_context)


def _warnings(measured: Sequence[Pointwise], scorer: Scorer, options: CxmiOptions) -> list[str]:
    longest = max((len(one.sample.whole.source_context) for one in measured), default=0)
    found = beyond_training({"the model": scorer}, options.largest)
    if not any(_has_context(options.main.cut(one.sample.whole)) for one in measured):
        found.append(f"no sample has any context of {options.main.sides.value}: every figure is 0")
    if longest > (most := options.largest):
        found.append(f"the longest context has {longest} texts, and the last {most} of it are given")
    return found


def compute_cxmi(
    measured: Sequence[Pointwise], phenomena: tuple[str, ...], units: Units, options: CxmiOptions
) -> tuple[list[CxmiFigure], list[GroupFigure], list[TagContrast]]:
    """Return CXMI of each condition in both definitions, the means of groups, and phenomena against words without any.

    p-values are two-sided, of the bootstrap, and corrected over the phenomena of a condition; all together stand alone.
    """
    names = [condition.name for condition in options.conditions]
    kept = np.array([[context.kept > 0 for context in one.contexts] for one in measured], dtype=np.bool_).T
    wholes = [_whole(measured, units), _whole(measured, units, kept)]
    groups = _groups(measured, phenomena, units)
    tags = [column for column, (kind, _) in enumerate(groups.columns) if kind == "tag"]
    contrasts = list(_against_rest(groups, tags))
    all_words, of_kept, means, *tested = compare([*wholes, groups, *contrasts], options, two_sided=True)
    return (
        [*_cxmi_figures(measured, names, all_words), *_cxmi_figures(measured, names, of_kept, kept)],
        list(_group_figures(means, names, kept)),
        [
            TagContrast(condition=condition, tag=group, **difference)
            for condition, compared in zip(names, tested, strict=False)
            for column, (_, group) in enumerate(compared.table.columns)
            if (difference := compared.difference(1, column))
        ],
    )


def _whole(measured: Sequence[Pointwise], units: Units, kept: BoolArray | None = None) -> Table[_Group]:
    """Return CXMI of the text, (C, S, definitions, 2), over all samples or those kept."""
    totals = np.stack([one.totals for one in measured], axis=1)
    values = np.stack([totals, totals / np.array([one.pieces for one in measured], dtype=np.float64)], axis=-1)
    mask = (np.ones_like(totals) if kept is None else kept.astype(np.float64))[..., None]
    statistics = np.stack([values * mask, np.broadcast_to(mask, values.shape)], axis=-1)
    enough = None if kept is None else (units.sums(mask) > 0).sum(axis=1) >= FEWEST_DOCUMENTS
    columns = _named("all", DEFINITIONS)
    return Table(columns=columns, statistics=statistics, score=quotient, units=units, enough=enough)


def _named(kind: WordGroupKind, names: Iterable[str]) -> list[_Group]:
    return [(kind, name) for name in names]


def _cxmi_figures(
    measured: Sequence[Pointwise], names: Sequence[str], compared: Compared[_Group], kept: BoolArray | None = None
) -> Iterator[CxmiFigure]:
    totals = np.stack([one.totals for one in measured], axis=1)
    mask = np.ones_like(totals, dtype=np.bool_) if kept is None else kept
    for row, name in enumerate(names):
        counted = totals[row][mask[row]]
        for column, definition in enumerate(DEFINITIONS if len(counted) else ()):
            yield CxmiFigure(
                condition=name,
                definition=definition,
                over="all" if kept is None else "kept",
                samples=len(counted),
                value=float(compared.values[row, column]),
                interval=compared.figure(row, column)["interval"],
                helped=int((counted > 0).sum()),
                harmed=int((counted < 0).sum()),
            )


def tag_groups(word: Word) -> tuple[str, ...]:
    """Return the groups of phenomena that a word is in."""
    return (*word.tags, WITH_TAG) if word.tags else (NO_TAG,)


def _groups(measured: Sequence[Pointwise], phenomena: Sequence[str], units: Units) -> Table[_Group]:
    """Return the means of all words, of the ends of sentences (no words), of phenomena, and of parts of speech."""
    labels = sorted({label for one in measured for word in one.sample.words for label in word.labels})
    tags = (*phenomena, WITH_TAG, NO_TAG) if phenomena else ()
    columns = [*_named("all", (WORDS, ENDS)), *_named("tag", tags), *_named("label", labels)]

    def groups_of(word: Word) -> list[_Group]:
        return [("all", WORDS), *_named("tag", tag_groups(word)), *_named("label", word.labels)]

    table = _mean_table(measured, columns, groups_of, units)
    table.statistics[:, :, 1, 0] = np.stack([one.end for one in measured], axis=1)
    table.statistics[:, :, 1, 1] = 1
    everything = np.array([kind == "all" for kind, _ in columns])
    return replace(table, enough=everything | table.enough)


def _mean_table(
    measured: Sequence[Pointwise],
    columns: Sequence[_Group],
    groups_of: Callable[[Word], Sequence[_Group]],
    units: Units,
) -> Table[_Group]:
    """Return sums and counts of words' P-CXMI by group, (C, S, G, 2); a word may count in several groups.

    There are intervals and tests where a group has words in enough units: one that is in two documents has the same
    mean in nearly every resample, which looks like certainty.
    """
    index = {group: number for number, group in enumerate(columns)}
    found = np.zeros((len(measured[0].words) if measured else 0, len(measured), len(columns), 2))
    for row, one in enumerate(measured):
        for number, word in enumerate(one.sample.words):
            for column in (index[group] for group in groups_of(word) if group in index):
                found[:, row, column, 0] += one.words[:, number]
                found[:, row, column, 1] += 1
    enough = (units.sums(found[:1, ..., 1]).sum(axis=0) > 0).sum(axis=0) >= FEWEST_DOCUMENTS
    return Table(columns=columns, statistics=found, score=quotient, units=units, enough=enough)


def _group_figures(means: Compared[_Group], names: Sequence[str], kept: BoolArray) -> Iterator[GroupFigure]:
    counts = means.table.statistics[..., 1]
    kept_counts, kept_means = (counts * kept[..., None]).sum(axis=1), means.table.values(kept)
    kinds: tuple[WordGroupKind, ...] = ("all", "tag", "label")
    for wanted in kinds:
        for row, condition in enumerate(names):
            for column, (kind, group) in enumerate(means.table.columns):
                if kind == wanted and not math.isnan(means.values[row, column]):
                    yield GroupFigure(
                        condition=condition,
                        kind=kind,
                        group=group,
                        count=int(counts[row, :, column].sum()),
                        mean=float(means.values[row, column]),
                        interval=means.figure(row, column)["interval"],
                        kept_count=int(kept_counts[row, column]),
                        kept_mean=number_of(kept_means[row, column]),
                    )


def _against_rest(groups: Table[_Group], tags: list[int]) -> Iterator[Table[_Group]]:
    """Yield for each condition the words of each tag (second) and those of none (first), the last of ``tags``.

    Every resample draws documents, and takes the words of both from the documents drawn; so what a document's words
    have in common does not pass for a difference.
    """
    enough = np.broadcast_to(False if groups.enough is None else groups.enough, len(groups.columns))[tags]
    if not tags or not enough[-1]:
        return
    for number, pairs in enumerate(groups.statistics[:, :, tags]):
        columns = [groups.columns[column] for column in tags]
        yield replace(
            groups,
            columns=columns,
            statistics=np.stack([np.broadcast_to(pairs[:, -1:], pairs.shape), pairs]),
            families=[(number, name == WITH_TAG) for _, name in columns],
            baseline=0,
            enough=enough & (np.arange(len(tags)) < len(tags) - 1),
        )


def compute_items(
    measured: Sequence[Pointwise], units: Units, options: CxmiOptions, condition: ContextCondition
) -> tuple[list[ItemFigure], int, ShrinkageInfo]:
    """Return the items with the highest shrunk means, how many there are, and how far they are shrunk."""
    row = options.conditions.index(condition)

    def item_of(word: Word) -> str:
        return word.lemma if options.item == "lemma" else word.form

    values = np.concatenate([one.words[row] for one in measured])
    names, index = number_items([item_of(word) for one in measured for word in one.sample.words])
    shrinkage = estimate_shrinkage(values, index, options.pseudo_count)
    counts = np.bincount(index, minlength=len(names)).astype(np.float64)
    means = np.bincount(index, weights=values, minlength=len(names)) / np.maximum(counts, 1)
    shrunk = shrinkage.shrink(means, counts)
    common = [number for number in range(len(names)) if counts[number] >= options.minimum]
    # Where all are shrunk to one mean, their own means still order them.
    listed = sorted(common, key=lambda number: (-shrunk[number], -means[number]))[: options.items]
    columns = _named("all", (names[number] for number in listed))
    table = _mean_table(measured, columns, lambda word: [("all", item_of(word))], units)
    (compared,) = compare([replace(table, statistics=table.statistics[row : row + 1])], options, two_sided=True)
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
    return figures, len(common), shrinkage


def number_items(names: Sequence[str]) -> tuple[list[str], IntArray]:
    """Return the distinct names in order of first appearance, and for each name given its number."""
    numbers: dict[str, int] = {}
    index = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)
    return list(numbers), index


def highest_tokens(measured: Sequence[Pointwise], options: CxmiOptions) -> list[TokenExample]:
    """Return the words with the highest P-CXMI under the main condition."""
    row = options.conditions.index(options.main)
    most = options.items if options.tokens is None else options.tokens
    found = [(one, word) for one in measured for word in range(len(one.sample.words))]
    found.sort(key=lambda place: -place[0].words[row, place[1]])
    return [token_example(one, word, options.main, row) for one, word in found[:most]]


def token_example(one: Pointwise, word: int, condition: ContextCondition, row: int) -> TokenExample:
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


def estimate_shrinkage(values: FloatArray, items: IntArray, pseudo_count: float | None = None) -> ShrinkageInfo:
    """Return how far items' means are to be drawn to the mean of all words, from the words' values and items, (N,).

    A word's value is the mean of its item plus noise, and items' means lie around the mean of all. With σ² the variance
    within items and τ² that between items' true means, the best linear guess of an item's mean has σ² / τ² occurrences
    of the mean of all added. Both are estimated by the method of moments: analysis of variance, one way, unbalanced
    (Searle, Casella & McCulloch, 1992, “Variance Components”, §3.6).
    """
    overall = float(values.mean()) if len(values) else 0.0
    if pseudo_count is not None:
        return ShrinkageInfo(mean=overall, pseudo_count=pseudo_count, estimated=False)
    by_chance = ShrinkageInfo(mean=overall, pseudo_count=None, estimated=True)
    counts = np.bincount(items).astype(np.float64)
    kinds, total = len(counts), float(len(values))
    if kinds < 2 or total <= kinds:
        return by_chance
    means = np.bincount(items, weights=values) / counts
    within = float(((values - means[items]) ** 2).sum()) / (total - kinds)
    between = float((counts * (means - overall) ** 2).sum()) / (kinds - 1)
    size = (total - float((counts**2).sum()) / total) / (kinds - 1)
    spread = (between - within) / size
    return by_chance if spread <= 0 else by_chance.model_copy(update={"pseudo_count": within / spread})
