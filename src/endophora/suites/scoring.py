"""Scores of systems on a suite: accuracy by phenomenon, rule and distance, with intervals and paired significance."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError
from endophora.metrics import FloatArray, load_metric
from endophora.metrics.records import ratio
from endophora.signature import digest_of, keyed, write_signature
from endophora.statistics import Kind as UnitKind
from endophora.statistics import Units, choose_units, each_row
from endophora.statistics.options import resampling_faults
from endophora.suites.matching import (
    DEFAULT_MATCHING,
    RIGHT,
    UNDECIDED,
    WRONG,
    Forms,
    Matching,
    find_matching,
    judge,
    last_sentences,
)
from endophora.suites.outputs import doubt_outputs, doubt_scores, parts
from endophora.suites.records import CRITERIA, Criterion, Item, Suite, column
from endophora.suites.result import Kind, SuiteComparison, SuiteInfo, SuiteResult, SuiteScore, SuiteSettings
from endophora.suites.significance import Table, compare
from endophora.version import __version__

BEST = "best"
TIES = ("wrong", "correct")


@keyed(names=("metrics",))
@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """What can be chosen of a scoring besides suite and systems.

    Attributes:
        matching: a name of :data:`~endophora.suites.matching.MATCHINGS`, or ``auto`` for each criterion's own.
        part: of an output, a name of :data:`~endophora.suites.outputs.PARTS`.
        separator: between joined segments of an output; empty if none.
        ties: what a tie of scores counts as, ``wrong`` or ``correct``.
        higher_is_better: of scores; false for losses.
        metrics: text metrics of the same segments.
        baseline: the system to compare with; ``best`` is the one with the best accuracy.
        units: what is resampled, ``documents`` or ``segments``.
        resamples: of the bootstrap; none gives neither intervals nor p-values.
        trials_per_resample: the randomisation test takes this many times as many trials.
        confidence: of the intervals.
        alpha: level of significance, after Holm's correction.
        seed: of resampling and swapping.

    Raises:
        InputError: a value is none of those known, or out of range (E181; of statistics E075).
    """

    matching: str = "auto"
    part: str = "auto"
    separator: str = ""
    ties: str = "wrong"
    higher_is_better: bool = True
    metrics: tuple[str, ...] = ()
    baseline: str = BEST
    units: str = "documents"
    resamples: int = 1000
    trials_per_resample: int = 10
    confidence: float = 0.95
    alpha: float = 0.05
    seed: int = 1

    def __post_init__(self) -> None:
        faults = resampling_faults(self, fewest=0)
        if self.ties not in TIES:
            faults.append(Fault("E181", f"“{self.ties}” is none of them", f"choose {' or '.join(TIES)}", "--ties"))
        if faults:
            raise InputError(faults)


def score_outputs(suite: Suite, outputs: Mapping[str, Sequence[str]], options: SuiteOptions) -> SuiteResult:
    """Score systems by what they wrote.

    Args:
        suite: the items.
        outputs: system → one output an item.
        options: how.

    Raises:
        InputError: there is no system, a system has not one output an item (E173), or an option is unknown (E181).
    """
    check_counts(suite, {name: len(texts) for name, texts in outputs.items()})
    suite = doubt_outputs(suite, outputs)
    named: dict[str, str] = {one: _matching(suite, one, options.matching) for one in _criteria(suite)}
    outcomes = np.array([judge_outputs(suite, texts, options) for texts in outputs.values()])
    tables = metric_tables(suite, outputs, options.metrics, options.separator, options.part)
    return _result(suite, list(outputs), outcomes, options, named, tables)


def judge_outputs(suite: Suite, outputs: Sequence[str], options: SuiteOptions) -> list[int]:
    """Return the outcome of each item: 1 right, 0 wrong, -1 not counted."""
    criteria = _criteria(suite)
    if criteria == ["present"] and not options.separator and options.part in ("auto", "sentence"):
        return _judge_last_sentences(suite, outputs, find_matching(_matching(suite, "present", options.matching)))
    looked_at = parts(suite, outputs, options.separator, options.part)
    if len(criteria) == 1:
        return judge(suite.items, looked_at, find_matching(_matching(suite, criteria[0], options.matching)))
    outcomes = [UNDECIDED] * len(suite)
    for criterion in criteria:
        chosen = [index for index, item in enumerate(suite.items) if item.criterion == criterion]
        items, texts = [suite.items[index] for index in chosen], [looked_at[index] for index in chosen]
        found = judge(items, texts, find_matching(_matching(suite, criterion, options.matching)))
        for index, outcome in zip(chosen, found, strict=True):
            outcomes[index] = outcome
    return outcomes


def _judge_last_sentences(suite: Suite, outputs: Sequence[str], matching: Matching) -> list[int]:
    """Judge by the last sentences; most outputs need not be split, as no form of theirs stands anywhere in them."""
    expected: Sequence[tuple[str, ...]] = column(suite.items, "expected")
    forms = Forms(chain.from_iterable(expected), matching)
    chosen = forms.possible(expected, outputs)
    sentences = last_sentences([outputs[index] for index in chosen], suite.target_language)
    outcomes = [WRONG] * len(suite)
    for index, outcome in zip(chosen, forms.judge([expected[index] for index in chosen], sentences), strict=True):
        outcomes[index] = outcome
    return outcomes


def score_contrastive(suite: Suite, scores: Mapping[str, Sequence[float]], options: SuiteOptions) -> SuiteResult:
    """Score systems by how they score right and wrong translations: right if the right one is better than all others.

    Args:
        suite: the items, with their wrong translations.
        scores: system → one score a translation, in the order of :func:`~endophora.suites.outputs.targets`.
        options: how; ties are wrong unless it says otherwise.

    Raises:
        InputError: a system has not one score a translation (E174).
    """
    wanted = sum(1 + len(item.variants) for item in suite.items)
    faults = [
        Fault("E174", f"{len(values)} scores for {wanted} translations", "give one a translation", name)
        for name, values in scores.items()
        if len(values) != wanted
    ]
    if faults:
        raise InputError(faults)
    check_counts(suite, {})
    if options.metrics:
        raise InputError(Fault("E181", "scores have no text to compare", "give outputs: --system", "--metric"))
    suite = doubt_scores(suite, scores, higher_is_better=options.higher_is_better)
    outcomes = np.array([judge_scores(suite.items, values, options) for values in scores.values()])
    return _result(suite, list(scores), outcomes, options, None, [])


def judge_scores(items: Sequence[Item], scores: Sequence[float], options: SuiteOptions) -> list[int]:
    """Return the outcome of each item: 1 right, 0 wrong."""
    sign = 1 if options.higher_is_better else -1
    outcomes, start = list[int](), 0
    for item in items:
        group = [sign * value for value in scores[start : start + 1 + len(item.variants)]]
        start += len(group)
        right = group.pop(item.correct)
        best = max(group, default=-np.inf)
        outcomes.append(RIGHT if right > best or (right == best and options.ties == "correct") else WRONG)
    return outcomes


def _criteria(suite: Suite) -> list[Criterion]:
    there = set(column(suite.items, "criterion"))
    return [criterion for criterion in CRITERIA if criterion in there]


def _matching(suite: Suite, criterion: Criterion, wanted: str) -> str:
    if wanted != "auto":
        return wanted
    return (suite.matching if criterion == "present" else "") or DEFAULT_MATCHING[criterion]


def check_counts(suite: Suite, counts: Mapping[str, int]) -> None:
    """Hold the number of each system's lines against the suite's items.

    Raises:
        InputError: they differ (E173), or the suite has no items (E175).
    """
    faults = [
        Fault("E173", f"{count} outputs for {len(suite)} items", "give one an item", name)
        for name, count in counts.items()
        if count != len(suite)
    ]
    if not suite.items:
        faults.append(Fault("E175", "the suite has no items", "there is nothing to score", suite.name))
    if faults:
        raise InputError(faults)


def _result(
    suite: Suite,
    systems: list[str],
    outcomes: np.ndarray,
    options: SuiteOptions,
    matching: dict[str, str] | None,
    tables: list[Table],
) -> SuiteResult:
    """Return the result of outcomes, (systems, items); ``matching`` is ``None`` where they are of scores."""
    groups = group_items(suite.items)
    units = choose_units(column(suite.items, "document"), cast("UnitKind", options.units))
    rows = each_row(units.count, units.kind)
    accuracy = Table(groups.names, _sums(outcomes, groups.members, units), _accuracy, rows)
    metrics = [table.by_units(units) for table in tables]
    baseline = _baseline(systems, outcomes, options.baseline)
    scores, comparisons = list[SuiteScore](), list[SuiteComparison]()
    for table in (accuracy, *metrics):
        found = compare(table, systems, baseline, options)
        scores += found[0]
        comparisons += found[1]
    chosen = _settings(options, matching, systems[baseline] if len(systems) > 1 else "", units.kind)
    undecided = int((outcomes == UNDECIDED).sum())
    warnings = [*suite.warnings, *units.warnings]
    if undecided:
        warnings.append(f"{undecided} outcomes are neither right nor wrong, and are not counted")
    return SuiteResult(
        version=__version__,
        signature=_signature(suite, chosen, options),
        suite=_info(suite),
        settings=chosen,
        systems=systems,
        scores=scores,
        comparisons=comparisons,
        metrics={table.names[0][1]: table.signature for table in tables},
        warnings=warnings,
    )


def _settings(options: SuiteOptions, matching: dict[str, str] | None, baseline: str, units: UnitKind) -> SuiteSettings:
    generative = matching is not None
    return SuiteSettings(
        kind="generative" if generative else "contrastive",
        matching=matching or {},
        part=options.part if generative else "",
        separator=options.separator if generative else "",
        ties=cast("Literal['wrong', 'correct']", options.ties),
        higher_is_better=options.higher_is_better,
        baseline=baseline,
        units=units,
        resamples=options.resamples,
        trials=options.resamples * options.trials_per_resample,
        confidence=options.confidence,
        alpha=options.alpha,
        seed=options.seed,
    )


def _sums(outcomes: np.ndarray, members: np.ndarray, units: Units) -> FloatArray:
    """Return right and counted items of each unit and group: (systems, units, groups, 2)."""
    kinds = np.stack((outcomes == RIGHT, outcomes != UNDECIDED), axis=-1).astype(np.float64)
    sums = np.zeros((len(outcomes), units.count, members.shape[1], 2))
    for group in range(members.shape[1]):
        rows = np.flatnonzero(members[:, group])
        for system in range(len(outcomes)):
            for kind in range(2):
                weights = kinds[system, rows, kind]
                sums[system, :, group, kind] = np.bincount(units.index[rows], weights, minlength=units.count)
    return sums


def _accuracy(sums: FloatArray) -> FloatArray:
    """Return accuracy in per cent, (…, 2) → (…); NaN where nothing is counted."""
    return ratio(100 * sums[..., 0], sums[..., 1])


def _baseline(systems: Sequence[str], outcomes: np.ndarray, wanted: str) -> int:
    """Return the index of the baseline; of equally good ones the first."""
    if wanted in systems:
        return systems.index(wanted)
    if wanted != BEST:
        raise InputError(Fault("E105", f"there is no system “{wanted}”", f"{', '.join(systems)} or best", "--baseline"))
    counted = np.maximum((outcomes != UNDECIDED).sum(axis=1), 1)
    return int(np.argmax((outcomes == RIGHT).sum(axis=1) / counted))


def _info(suite: Suite) -> SuiteInfo:
    return SuiteInfo(
        name=suite.name,
        source_language=suite.source_language,
        target_language=suite.target_language,
        items=len(suite),
        documents=len(set(column(suite.items, "document"))),
        variants=sum(map(len, column(suite.items, "variants"))),
    )


def suite_digest(suite: Suite) -> str:
    """Return eight hexadecimal digits of what is tested: texts, forms and criteria of all items."""
    names = ("source", "reference", "expected", "criterion", "forbidden", "correct", "variants")
    rows = zip(*(column(suite.items, name) for name in names), strict=True)
    pieces = list[str]()
    for source, reference, expected, criterion, forbidden, correct, variants in rows:
        wrong = (variant.target for variant in variants) if variants else ()
        pieces.append("\x1f".join((source, reference, *expected, criterion, *forbidden, str(correct), *wrong, "\x1e")))
    return hashlib.sha256("".join(pieces).encode()).hexdigest()[:8]


def _signature(suite: Suite, settings: SuiteSettings, options: SuiteOptions) -> str:
    """Return what makes two scores comparable, as ``key:value|key:value`` in a fixed order."""
    pairs: dict[str, object] = {"suite": suite.name, "items": len(suite), "hash": suite_digest(suite)}
    if settings.kind == "generative":
        matching = "+".join(f"{criterion}={name}" for criterion, name in sorted(settings.matching.items()))
        pairs |= {"match": matching, "part": settings.part, "separator": settings.separator or "no"}
    else:
        pairs |= {"ties": settings.ties, "scores": "higher" if settings.higher_is_better else "lower"}
    pairs |= {"units": settings.units, "resamples": settings.resamples, "seed": settings.seed, "version": __version__}
    return write_signature([*pairs.items(), ("options", digest_of(options)[:8])])


UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The groups of a suite's items.

    Attributes:
        names: (kind, group) of each.
        members: (items, groups), true where an item is in a group.
    """

    names: tuple[tuple[Kind, str], ...]
    members: npt.NDArray[np.bool_]

    def of_kind(self, kind: Kind) -> list[int]:
        """Return the indices of the groups of a kind."""
        return [index for index, (found, _) in enumerate(self.names) if found == kind]


def group_items(items: Sequence[Item]) -> Groups:
    """Return the groups of items.

    A kind with one group only says no more than all items do, and is left out; but phenomena are always there.
    """
    columns: list[tuple[Kind, str]] = [("all", "")]
    members = [np.ones(len(items), dtype=np.bool_)]
    kinds: tuple[tuple[Kind, Sequence[Hashable]], ...] = (
        ("phenomenon", column(items, "phenomenon")),
        ("rule", column(items, "rule")),
        ("distance", column(items, "distance")),
    )
    for kind, values in kinds:
        there = sorted(set(values), key=_group_order)
        if len(there) < 2 and kind != "phenomenon":
            continue
        numbers = {value: number for number, value in enumerate(there)}
        index = np.array([numbers[value] for value in values], dtype=np.intp)
        for number, value in enumerate(there):
            columns.append((kind, UNKNOWN if value is None else str(value)))
            members.append(index == number)
    return Groups(tuple(columns), np.stack(members, axis=1))


def _group_order(value: Hashable) -> tuple[bool, int, str]:
    """Sort numbers by size, texts by letters, and what is not known last."""
    return (value is None, value if isinstance(value, int) else 0, str(value))


def metric_tables(
    suite: Suite, outputs: Mapping[str, Sequence[str]], metrics: Sequence[str], separator: str = "", part: str = "auto"
) -> list[Table]:
    """Return the statistics of metrics, one table a metric.

    A metric compares the whole segment with the reference: after the last separator where there is one, the whole line
    if not, unless ``part`` says otherwise.

    Args:
        suite: the references and sources.
        outputs: system → one output an item.
        metrics: names, with arguments where a metric takes one.
        separator: between joined segments of an output.
        part: of an output, as for the scoring of forms.

    Raises:
        InputError: a metric is unknown (E090), or is none of segments (E181).
    """
    if not metrics:
        return []
    wanted = ("segment" if separator else "line") if part == "auto" else part
    texts = [parts(suite, lines, separator, wanted) for lines in outputs.values()]
    references, sources = [[item.reference for item in suite.items]], [item.source for item in suite.items]
    tables = list[Table]()
    for name in metrics:
        metric = load_metric(name, suite.target_language)
        if metric.level != "segment":
            cause = f"{metric.name} is of documents, and a suite's items are none"
            raise InputError(Fault("E181", cause, "name a metric of segments, such as bleu, chrf or comet", "--metric"))
        counts = np.stack([metric.statistics(lines, references, sources=sources) for lines in texts])
        rows = each_row(len(suite), "segments")
        tables.append(Table((("metric", metric.name),), counts[:, :, None], metric.score, rows, metric.signature()))
    return tables
