"""Scores of systems on a suite: accuracy by phenomenon, rule and distance, with intervals and paired significance."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from endophora.corpus.scripts import unspaced
from endophora.errors import Fault, InputError, refuse
from endophora.judgments.judging import score
from endophora.judgments.records import VERDICTS, Judgment
from endophora.metrics import load_metric
from endophora.metrics.records import TextMetric
from endophora.options import inherited, option
from endophora.signature import keyed, result_signature
from endophora.statistics.comparison import Table, compare, find_baseline, in_a_column, percentage
from endophora.statistics.resampling import BEST, Resampling, TestName
from endophora.statistics.units import FloatArray, Score, choose_units
from endophora.suites.choices import FORM, NO_FORM, READ_AS, ChoiceJudge, Output
from endophora.suites.matching import (
    DEFAULT_MATCHING,
    RIGHT,
    UNDECIDED,
    WRONG,
    Matching,
    as_many_sentences,
    find_matching,
    judge,
)
from endophora.suites.outputs import antecedents, check_scores, doubt_outputs, doubt_scores, each_scored, parts
from endophora.suites.records import CRITERIA, Criterion, Item, Suite
from endophora.suites.result import (
    Kind,
    ScoringSettings,
    SuiteComparison,
    SuiteInfo,
    SuiteResult,
    SuiteScore,
    SuiteSettings,
    WrittenForm,
)
from endophora.suites.written import written_forms, written_lemmas
from endophora.version import __version__

TIES = ("wrong", "correct")
UNKNOWN = "unknown"
"""Name of the group of items whose distance is not known."""
WORDING_LETTERS, CHOICE_LETTERS = "wr-", "rwom-"
"""Letters of outcomes in results; the last is that of items that are not counted."""
Group: TypeAlias = tuple[Kind, str]
AnyKind = TypeVar("AnyKind", bound=str)
MeasuredMetric: TypeAlias = tuple[TextMetric, FloatArray]
"""A metric and its statistics, (systems, items, statistics)."""


@keyed()
@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringOptions(Resampling):
    """What can be chosen of the scoring of any suite, of word senses too."""

    resamples: int = inherited(Resampling, "resamples", "Number of resamples; 0 for none.", least=0)
    ties: str = option("wrong", metavar="NAME", help="What a tie of --scores counts as: wrong or correct.")
    higher_is_better: bool = option(True, "--lower-is-better", help="The --scores are losses.", inverted=True)
    baseline: str = option(BEST, metavar="SYSTEM", help="System to compare with; best is the most accurate.")

    known_tests: ClassVar[tuple[TestName, ...]] = ("approximate-randomisation",)
    least_resamples: ClassVar[int] = 0
    code: ClassVar[str] = "E181"
    """Of the faults of these options."""

    def faults(self) -> list[Fault]:
        """Return what is wrong with the options besides those of statistics."""
        return self.unknown("ties", TIES, self.code)


@keyed(names=("metrics",))
@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOptions(ScoringOptions):
    """What can be chosen of a scoring besides suite and systems.

    Attributes:
        matching: a name of :data:`~endophora.suites.matching.MATCHINGS`, or ``auto`` for each criterion's own.
        judge: ``wording``, or ``choice``: see :mod:`endophora.suites.choices`.
        part: of an output, a name of :data:`~endophora.suites.outputs.PARTS`.
        separator: between joined segments of an output; empty if none.
        metrics: text metrics of the same segments.

    Raises:
        InputError: a value is none of those known, or out of range (E181; of statistics E075).
    """

    matching: str = option(
        "auto",
        "--match",
        metavar="NAME",
        help="How forms are found: auto, unicode, ascii (as published), spaced, substring.",
    )
    judge: Literal["wording", "choice"] = option(
        "wording",
        metavar="NAME",
        help="wording: a right form is there, as published; choice: gender, animacy or level are right.",
    )
    part: str = option(
        "auto", metavar="NAME", help="Of an output: auto, sentence (its last), segment, or the whole line."
    )
    separator: str = option("", metavar="TEXT", help="Text between joined segments, as '<eos>'.")
    metrics: tuple[str, ...] = option(
        (), "--metric", "-m", metavar="NAME", help="Text metric as well: bleu, chrf, comet, … Repeatable."
    )


def score_outputs(
    suite: Suite,
    outputs: Mapping[str, Sequence[str]],
    options: SuiteOptions,
    annotator: str | None = None,
    store: Path | None = None,
) -> SuiteResult:
    """Score systems by what they wrote.

    Args:
        suite: the items.
        outputs: system → one output an item.
        options: how.
        annotator: what reads the lemmas of auxiliaries, :data:`.written.ANNOTATOR` for the language's own; or
            ``None``: they are not counted.
        store: path of the store of annotations, for judgments by choice; ``None`` keeps them in memory.

    Raises:
        InputError: there is no system, a system has not one output an item (E173), or an option is unknown (E181).
    """
    check_counts(suite, {name: len(texts) for name, texts in outputs.items()})
    suite = doubt_outputs(suite, outputs)
    tools: Mapping[str, str] = {}
    if options.judge == "choice":
        reader = ChoiceJudge(suite, store)
        judged, tools = judge_choices(suite, outputs, options, reader), reader.signatures
        places = {verdict: place for place, verdict in enumerate(VERDICTS)}
        outcomes = np.array([[places.get(one.verdict, UNDECIDED) for one in some] for some in judged.values()])
        suite = _told(suite, judged)
    else:
        outcomes = np.array([judge_outputs(suite, texts, options) for texts in outputs.values()])
    matchings = matchings_of(suite, options)
    result = _result(suite, list(outputs), outcomes, options, matchings, _measure(suite, outputs, options), tools)
    texts = {name: judged_parts(suite, lines, options) for name, lines in outputs.items()}
    written, signature = list[WrittenForm](), result.signature
    if name := matchings.get("present"):
        written = list(written_forms(suite, texts, find_matching(name)))
    if annotator is not None:
        lemmas, read_by = written_lemmas(suite, texts, annotator)
        written, signature = [*written, *lemmas], f"{signature}|lemmas:{read_by}"
    return result.model_copy(update={"written": written, "signature": signature})


def judged_parts(suite: Suite, outputs: Sequence[str], options: SuiteOptions) -> list[str]:
    """Return the part of each output that is judged."""
    return parts(suite, outputs, options.separator, options.part, published=options.matching == "ascii")


def judge_outputs(suite: Suite, outputs: Sequence[str], options: SuiteOptions) -> list[int]:
    """Return the outcome of each item: 1 right, 0 wrong, -1 not counted."""
    matchings: dict[Criterion, Matching] = {
        criterion: find_matching(name) for criterion, name in matchings_of(suite, options).items()
    }
    return judge(suite.items, judged_parts(suite, outputs, options), matchings)


def judge_choices(
    suite: Suite, outputs: Mapping[str, Sequence[str]], options: SuiteOptions, reader: ChoiceJudge | None = None
) -> dict[str, list[Judgment]]:
    """Return the judgment of each item on each system's output, by the choice that it shows."""
    judge, found = reader or ChoiceJudge(suite), dict[str, list[Judgment]]()
    for name, lines in outputs.items():
        own = _own(suite, lines, options)
        texts = zip(own, antecedents(suite.items, lines, options.separator), strict=True)
        wording = judge_outputs(suite, lines, options)
        found[name] = judge.judge([Output(*pair) for pair in texts], wording)
    return found


def _own(suite: Suite, lines: Sequence[str], options: SuiteOptions) -> list[str]:
    """Return the item's own segment of each output: without a separator, as many sentences as its source has."""
    if options.separator or options.part != "auto":
        return parts(suite, lines, options.separator, options.part)
    languages = suite.source_language, suite.target_language
    return as_many_sentences(lines, languages[1], [item.source for item in suite.items], languages[0])


def _told(suite: Suite, judged: Mapping[str, Sequence[Judgment]]) -> Suite:
    """Return a suite that warns of its items whose choice is not read, or could not be."""
    matched = Counter(item.phenomenon for item in suite.items if item.phenomenon not in READ_AS)
    told = [
        f"{count:,} items of {name} are matched by their wording: no choice is read" for name, count in matched.items()
    ]
    read = [place for place, item in enumerate(suite.items) if item.phenomenon in READ_AS]
    for name, found in judged.items():
        if count := sum(found[place].why in (FORM, NO_FORM) for place in read):
            told.append(f"{name}: {count:,} of {len(read):,} verdicts rest on the expected form: no choice was read")
    return replace(suite, warnings=(*suite.warnings, *told))


def score_contrastive(suite: Suite, scores: Mapping[str, Sequence[float]], options: SuiteOptions) -> SuiteResult:
    """Score systems by how they score translations, each item's in the order of :func:`.outputs.targets`."""
    check_scores(suite, {name: len(values) for name, values in scores.items()})
    check_counts(suite, {})
    if options.judge == "choice":
        raise InputError(Fault("E181", "scores have no text to judge", "give outputs: --system", "--judge"))
    if options.metrics:
        raise InputError(Fault("E181", "scores have no text to compare", "give outputs: --system", "--metric"))
    suite = doubt_scores(suite, scores, higher_is_better=options.higher_is_better)
    outcomes = np.array([judge_scores(suite.items, values, options) for values in scores.values()])
    return _result(suite, list(scores), outcomes, options, None, [])


def judge_scores(items: Sequence[Item], scores: Sequence[float], options: ScoringOptions) -> list[int]:
    """Return the outcome of each item: 1 right, 0 wrong."""
    scored = each_scored(items, scores, higher_is_better=options.higher_is_better)
    return [RIGHT if not wrong or wins(right, max(wrong), options) else WRONG for _, right, wrong in scored]


def wins(right: float, wrong: float, options: ScoringOptions) -> bool:
    """Return whether the right translation's score beats that of a wrong one, higher being better."""
    return right > wrong or (right == wrong and options.ties == "correct")


def matchings_of(suite: Suite, options: SuiteOptions) -> dict[Criterion, str]:
    """Return for each criterion of a suite the name of the way of comparing."""
    there = {item.criterion for item in suite.items}
    own = DEFAULT_MATCHING | ({"present": suite.matching} if suite.matching else {})
    if 2 * sum(unspaced(item.reference) for item in suite.items) > len(suite):
        own = dict.fromkeys(CRITERIA, "substring")
    return {one: own[one] if options.matching == "auto" else options.matching for one in CRITERIA if one in there}


def check_counts(suite: Suite, counts: Mapping[str, int]) -> None:
    """Hold the number of each system's lines against the suite's items."""
    faults = [
        Fault("E173", f"{count} outputs for {len(suite)} items", "give one an item", name)
        for name, count in counts.items()
        if count != len(suite)
    ]
    if not suite.items:
        faults.append(Fault("E175", "the suite has no items", "there is nothing to score", suite.name))
    refuse(faults)


def _measure(suite: Suite, outputs: Mapping[str, Sequence[str]], options: SuiteOptions) -> list[MeasuredMetric]:
    """Return the statistics of metrics: are the systems that use context also the better translations?

    A metric compares the part of an output in which the form is looked for with the same part of the reference: context
    that was joined to a segment is no translation of it.
    """
    if not options.metrics:
        return []
    texts = [parts(suite, lines, options.separator, options.part) for lines in outputs.values()]
    # References and sources have no context before them, so that only their last sentence may have to be taken.
    cut = options.part if options.part != "segment" and not options.separator else "line"
    cut = "sentence" if options.part == "sentence" else cut
    references = [parts(suite, [item.reference for item in suite.items], part=cut)]
    sources = parts(suite, [item.source for item in suite.items], part=cut, language=suite.source_language)
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
    matching: Mapping[Criterion, str] | None,
    metrics: Sequence[MeasuredMetric],
    tools: Mapping[str, str] | None = None,
) -> SuiteResult:
    """Return the result of outcomes, (systems, items); ``matching`` is ``None`` where they are of scores.

    ``tools`` are the signatures of what read the choices.
    """
    groups = group_items(suite.items)
    units = choose_units([item.document for item in suite.items], options.units)
    counts, share = _counts(outcomes, chooses=options.judge == "choice"), _score_of(options)
    baseline = find_baseline(options.baseline, systems, share(counts.sum(axis=1)))
    accuracy: Table[Group] = Table(
        columns=groups.names,
        statistics=units.group_sums(counts, groups.members),
        score=share,
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
                what: dict[str, Any] = {"kind": kind, "group": group, "system": system}
                counting: dict[str, Any] = (
                    {"correct": None, "counted": len(suite)} if kind == "metric" else _shown(counted[row, place])
                )
                scores.append(SuiteScore(**what, **counting, **found.figure(row, place)))
                if difference := found.difference(row, place):
                    comparisons.append(SuiteComparison(**what, baseline=systems[baseline], **difference))
    generative = matching is not None
    settings = SuiteSettings.of(
        options,
        baseline=systems[baseline] if len(systems) > 1 else "",
        units=units.kind,
        kind="generative" if generative else "contrastive",
        matching={str(criterion): name for criterion, name in (matching or {}).items()},
        part=options.part if generative else "",
        separator=options.separator if generative else "",
    )
    undecided = int((outcomes == UNDECIDED).sum())
    letters = CHOICE_LETTERS if options.judge == "choice" else WORDING_LETTERS
    warnings = [*suite.warnings, *units.warnings]
    if undecided:
        warnings.append(f"{undecided} outcomes are neither right nor wrong, and are not counted")
    return SuiteResult(
        version=__version__,
        signature=suite_signature(suite, settings, options, _signed(settings, tools or {}) if generative else {}),
        suite=SuiteInfo(**identity(suite), documents=len({item.document for item in suite.items})),
        settings=settings,
        systems=systems,
        scores=scores,
        comparisons=comparisons,
        metrics={metric.name: metric.signature() for metric, _ in metrics},
        lower_is_better=[metric.name for metric, _ in metrics if not metric.higher_is_better],
        outcomes={
            system: "".join(letters[int(one)] for one in row) for system, row in zip(systems, outcomes, strict=True)
        },
        warnings=warnings,
    )


def _signed(settings: SuiteSettings, tools: Mapping[str, str]) -> dict[str, object]:
    """Return what is in the signature of outputs."""
    names = "+".join(f"{criterion}={name}" for criterion, name in sorted(settings.matching.items()))
    separator = settings.separator or "no"
    return {"judge": settings.judge, "match": names, "part": settings.part, "separator": separator, **tools}


def _counts(outcomes: np.ndarray, *, chooses: bool) -> FloatArray:
    """Return (systems, items, 4): a verdict each; or 2: right, and counted."""
    verdicts = [outcomes == place for place in range(len(VERDICTS))]
    return np.stack(verdicts if chooses else [outcomes == RIGHT, outcomes != UNDECIDED], axis=-1).astype(np.float64)


def _shown(counts: npt.NDArray[np.int_]) -> dict[str, Any]:
    """Return what a score says of its counts, which are those of verdicts or of right and counted items."""
    first, second, *_ = found = [int(count) for count in counts]
    if len(found) == len(VERDICTS):
        return {"correct": first, "counted": first + second, "verdicts": dict(zip(VERDICTS, found, strict=True))}
    return {"correct": first, "counted": second}


def _score_of(options: SuiteOptions) -> Score:
    return (lambda sums: 100.0 * score(sums)) if options.judge == "choice" else percentage


def identity(suite: Suite) -> dict[str, Any]:
    """Return the fields of :class:`~endophora.suites.result.SuiteIdentity`, and the number of variants."""
    return {
        "name": suite.name,
        "source_language": suite.source_language,
        "target_language": suite.target_language,
        "items": len(suite),
        "variants": sum(len(item.variants) for item in suite.items),
    }


def suite_digest(suite: Suite) -> str:
    """Return eight hexadecimal digits of what is tested: texts, forms and criteria of all items."""
    digest = hashlib.sha256()
    for item in suite.items:
        texts = item.source, item.reference, *item.expected, item.criterion, *item.forbidden, str(item.correct)
        digest.update("\x1f".join((*texts, *(variant.target for variant in item.variants), "\x1e")).encode())
    return digest.hexdigest()[:8]


def suite_signature(suite: Suite, settings: ScoringSettings, options: ScoringOptions, chosen: dict[str, object]) -> str:
    """Return what makes two scores comparable, as ``key:value|key:value`` in a fixed order."""
    if not chosen:
        chosen = {"ties": settings.ties, "scores": "higher" if settings.higher_is_better else "lower"}
    drawn = {"units": settings.units, "resamples": settings.resamples, "seed": settings.seed}
    cut = {"cut": suite.cut} if suite.cut else {}
    return result_signature(
        options, suite=suite.name, items=len(suite), hash=suite_digest(suite), **cut, **chosen, **drawn
    )


class Groups(NamedTuple, Generic[AnyKind]):
    """The groups of a suite's items: their kinds and names, and (items, groups), true where an item is in a group."""

    names: tuple[tuple[AnyKind, str], ...]
    members: npt.NDArray[np.bool_]


def group_items(items: Sequence[Item]) -> Groups[Kind]:
    """Return the groups of items; phenomena are there even if there is only one."""
    kinds: tuple[Kind, ...] = ("phenomenon", "rule", "distance")
    return group_by("all", {kind: [getattr(item, kind) for item in items] for kind in kinds}, always="phenomenon")


def group_by(whole: AnyKind, kinds: Mapping[AnyKind, Sequence[int | str | None]], always: str = "") -> Groups[AnyKind]:
    """Return the group of all items, and those of each kind, of which the values of all items are given.

    A kind with one group only says no more than all items do, and is left out.
    """
    names: list[tuple[AnyKind, str]] = [(whole, "")]
    members = [np.ones(len(next(iter(kinds.values()))), dtype=np.bool_)]
    for kind, given in kinds.items():
        values = np.array(given, dtype=object)
        # Numbers by size, texts by letters, and what is not known last.
        there = sorted(set(given), key=lambda one: (one is None, one if isinstance(one, int) else 0, str(one)))
        for value in there if len(there) > 1 or kind == always else ():
            names.append((kind, UNKNOWN if value is None else str(value)))
            members.append(values == value)
    return Groups(tuple(names), np.stack(members, axis=1))
