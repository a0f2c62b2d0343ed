"""Scores of systems on a suite: accuracy by phenomenon, rule and distance, with intervals and paired significance."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Literal, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from endophora.errors import Fault, InputError
from endophora.metrics import TextMetric, load_metric
from endophora.record import ResamplingSettings
from endophora.signature import digest_of, keyed, write_signature
from endophora.statistics.comparison import Table, compare, find_baseline, in_a_column, percentage
from endophora.statistics.resampling import BEST, Resampling, TestName
from endophora.statistics.units import FloatArray, choose_units
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
from endophora.suites.outputs import check_scores, doubt_outputs, doubt_scores, each_scored, parts
from endophora.suites.records import CRITERIA, Criterion, Item, Suite, column
from endophora.suites.result import Kind, SuiteComparison, SuiteInfo, SuiteResult, SuiteScore, SuiteSettings
from endophora.version import __version__

TIES = ("wrong", "correct")
UNKNOWN = "unknown"
"""Name of the group of items whose distance is not known."""
Group: TypeAlias = tuple[Kind, str]
MeasuredMetric: TypeAlias = tuple[TextMetric, FloatArray]
"""A metric and its statistics, (systems, items, statistics)."""


@keyed(names=("metrics",))
@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOptions(Resampling):
    """What can be chosen of a scoring besides suite and systems.

    Attributes:
        matching: a name of :data:`~endophora.suites.matching.MATCHINGS`, or ``auto`` for each criterion's own.
        part: of an output, a name of :data:`~endophora.suites.outputs.PARTS`.
        separator: between joined segments of an output; empty if none.
        ties: what a tie of scores counts as, ``wrong`` or ``correct``.
        higher_is_better: of scores; false for losses.
        metrics: text metrics of the same segments.
        baseline: the system to compare with; ``best`` is the one with the best accuracy.

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

    known_tests: ClassVar[tuple[TestName, ...]] = ("approximate-randomisation",)
    least_resamples: ClassVar[int] = 0

    def faults(self) -> list[Fault]:
        """Return what is wrong with the options besides those of statistics."""
        if self.ties in TIES:
            return []
        return [Fault("E181", f"“{self.ties}” is none of them", f"choose {' or '.join(TIES)}", "--ties")]


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
    return _result(suite, list(outputs), outcomes, options, named, _measure(suite, outputs, options))


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
        scores: system → one score a translation, in the order of :func:`~endophora.suites.outputs.targets`.

    Raises: InputError: a system has not one score a translation (E174).
    """
    check_scores(suite, {name: len(values) for name, values in scores.items()})
    check_counts(suite, {})
    if options.metrics:
        raise InputError(Fault("E181", "scores have no text to compare", "give outputs: --system", "--metric"))
    suite = doubt_scores(suite, scores, higher_is_better=options.higher_is_better)
    outcomes = np.array([judge_scores(suite.items, values, options) for values in scores.values()])
    return _result(suite, list(scores), outcomes, options, None, [])


def judge_scores(items: Sequence[Item], scores: Sequence[float], options: SuiteOptions) -> list[int]:
    """Return the outcome of each item: 1 right, 0 wrong."""
    tie = RIGHT if options.ties == "correct" else WRONG
    return [
        RIGHT if right > max(wrong) else tie if right == max(wrong) else WRONG
        for _, right, wrong in each_scored(items, scores, higher_is_better=options.higher_is_better)
    ]


def _criteria(suite: Suite) -> list[Criterion]:
    there = set(column(suite.items, "criterion"))
    return [criterion for criterion in CRITERIA if criterion in there]


def _matching(suite: Suite, criterion: Criterion, wanted: str) -> str:
    if wanted != "auto":
        return wanted
    return (suite.matching if criterion == "present" else "") or DEFAULT_MATCHING[criterion]


def check_counts(suite: Suite, counts: Mapping[str, int]) -> None:
    """Hold the number of each system's lines against the suite's items.

    Raises: InputError: they differ (E173), or the suite has no items (E175).
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


def _measure(suite: Suite, outputs: Mapping[str, Sequence[str]], options: SuiteOptions) -> list[MeasuredMetric]:
    """Return the statistics of metrics: are the systems that use context also the better translations?

    A metric compares the whole segment with the reference: after the last separator where there is one, the whole line
    if not, unless ``part`` says otherwise.
    """
    if not options.metrics:
        return []
    wanted = ("segment" if options.separator else "line") if options.part == "auto" else options.part
    texts = [parts(suite, lines, options.separator, wanted) for lines in outputs.values()]
    references, sources = [[item.reference for item in suite.items]], [item.source for item in suite.items]
    found = list[MeasuredMetric]()
    for name in options.metrics:
        metric = load_metric(name, suite.target_language)
        if metric.level != "segment":
            cause = f"{metric.name} is of documents, and a suite's items are none"
            raise InputError(Fault("E181", cause, "name a metric of segments, such as bleu, chrf or comet", "--metric"))
        found.append((metric, np.stack([metric.statistics(one, references, sources=sources) for one in texts])))
    return found


def _result(
    suite: Suite,
    systems: list[str],
    outcomes: np.ndarray,
    options: SuiteOptions,
    matching: dict[str, str] | None,
    metrics: Sequence[MeasuredMetric],
) -> SuiteResult:
    """Return the result of outcomes, (systems, items); ``matching`` is ``None`` where they are of scores."""
    groups = group_items(suite.items)
    units = choose_units(column(suite.items, "document"), options.units)
    counts = np.stack((outcomes == RIGHT, outcomes != UNDECIDED), axis=-1).astype(np.float64)
    baseline = find_baseline(options.baseline, systems, percentage(counts.sum(axis=1)))
    accuracy: Table[Group] = Table(
        columns=groups.names,
        statistics=units.group_sums(counts, groups.members),
        score=percentage,
        units=units.apart(),
        families=[kind for kind, _ in groups.names],
        baseline=baseline,
    )
    measured: list[Table[Group]] = [
        Table(
            columns=[("metric", metric.name)],
            statistics=statistics,
            score=in_a_column(metric.score),
            units=units,
            # Each metric is corrected by itself: they are no tests of one hypothesis on several groups.
            families=[metric.name],
            baseline=baseline,
        )
        for metric, statistics in metrics
    ]
    scores, comparisons = list[SuiteScore](), list[SuiteComparison]()
    counted = accuracy.statistics.sum(axis=1).astype(int)
    for found in compare([accuracy, *measured], options):
        for place, (kind, group) in enumerate(found.table.columns):
            for row, system in enumerate(systems):
                right, of = (None, len(suite)) if kind == "metric" else map(int, counted[row, place])
                scores.append(
                    SuiteScore(
                        kind=kind, group=group, system=system, correct=right, counted=of, **found.figure(row, place)
                    )
                )
                if difference := found.difference(row, place):
                    compared = SuiteComparison(
                        kind=kind, group=group, system=system, baseline=systems[baseline], **difference
                    )
                    comparisons.append(compared)
    settings = _settings(options, matching, systems[baseline] if len(systems) > 1 else "", units.kind)
    undecided = int((outcomes == UNDECIDED).sum())
    warnings = [*suite.warnings, *units.warnings]
    if undecided:
        warnings.append(f"{undecided} outcomes are neither right nor wrong, and are not counted")
    return SuiteResult(
        version=__version__,
        signature=_signature(suite, settings, options),
        suite=SuiteInfo(
            name=suite.name,
            source_language=suite.source_language,
            target_language=suite.target_language,
            items=len(suite),
            documents=len(set(column(suite.items, "document"))),
            variants=sum(map(len, column(suite.items, "variants"))),
        ),
        settings=settings,
        systems=systems,
        scores=scores,
        comparisons=comparisons,
        metrics={metric.name: metric.signature() for metric, _ in metrics},
        warnings=warnings,
    )


def _settings(
    options: SuiteOptions,
    matching: dict[str, str] | None,
    baseline: str,
    units: Literal["documents", "segments", "words"],
) -> SuiteSettings:
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
        trials=options.trials,
        confidence=options.confidence,
        alpha=options.alpha,
        seed=options.seed,
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


def suite_signature(suite: Suite, settings: ResamplingSettings, options: Resampling, chosen: dict[str, object]) -> str:
    """Return what makes two scores comparable, as ``key:value|key:value`` in a fixed order."""
    pairs = {"suite": suite.name, "items": len(suite), "hash": suite_digest(suite), **chosen}
    pairs |= {"units": settings.units, "resamples": settings.resamples, "seed": settings.seed, "version": __version__}
    return write_signature([*pairs.items(), ("options", digest_of(options)[:8])])


def _signature(suite: Suite, settings: SuiteSettings, options: SuiteOptions) -> str:
    if settings.kind == "contrastive":
        chosen = {"ties": settings.ties, "scores": "higher" if settings.higher_is_better else "lower"}
    else:
        matching = "+".join(f"{criterion}={name}" for criterion, name in sorted(settings.matching.items()))
        chosen = {"match": matching, "part": settings.part, "separator": settings.separator or "no"}
    return suite_signature(suite, settings, options, dict(chosen))


class Groups(NamedTuple):
    """The groups of a suite's items: their kinds and names, and (items, groups), true where an item is in a group."""

    names: tuple[Group, ...]
    members: npt.NDArray[np.bool_]


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
