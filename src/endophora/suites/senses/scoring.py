"""Scores of systems on a word-sense suite, by what they translate or by how they score translations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import numpy as np

from endophora.errors import Fault, InputError
from endophora.options import option
from endophora.record import Difference, number_of
from endophora.signature import keyed
from endophora.statistics.comparison import Table, compare, find_baseline
from endophora.statistics.resampling import Kind
from endophora.statistics.units import FloatArray, Units, choose_units
from endophora.suites.outputs import check_scores, doubt_outputs, doubt_scores, each_scored
from endophora.suites.records import Item, Suite
from endophora.suites.result import (
    FigureName,
    GroupKind,
    SenseConfusion,
    SenseCounts,
    SenseResult,
    SenseScore,
    SenseSettings,
    SenseSuiteInfo,
)
from endophora.suites.scoring import Groups, ScoringOptions, check_counts, group_by, identity, suite_signature, wins
from endophora.suites.senses.examples import Judgement, list_words, make_examples
from endophora.suites.senses.items import OTHER, distances_of, domain_of, origin_of, sense_of, senses_of_words
from endophora.suites.senses.matching import MISSING, RIGHT, WRONG, TextWords, Tokens, find, lemmatise
from endophora.suites.written import ANNOTATOR
from endophora.version import __version__

RECALLS = ("A", "B")


@keyed(irrelevant={"examples": "how many are shown, not what is found"})
@dataclass(frozen=True, slots=True, kw_only=True)
class SenseOptions(ScoringOptions):
    """What can be chosen when a word-sense suite is scored.

    Recall ``A`` is right ÷ (right + not found), as in the published tables, ``B`` right ÷ all, as the paper's §5
    defines it: both are in the result, one is shown, and F1 is of it. ``units`` may be ``words``, all sentences of an
    ambiguous word together. ``examples`` are kept of each word, right sense and sense taken for it.
    """

    recall: str = option("A", metavar="NAME", help="Word senses: recall A, as in the tables, or B.")
    units: Kind = "words"
    examples: int = 2

    known_units: ClassVar[tuple[Kind, ...]] = ("words", "segments")
    code: ClassVar[str] = "E220"

    def faults(self) -> list[Fault]:
        """Return what is wrong with the options besides those of statistics."""
        faults = [*self.unknown("recall", RECALLS, self.code), *ScoringOptions.faults(self)]
        if self.examples < 0:
            faults.append(Fault("E220", f"{self.examples} examples", "give 2, or 0 for none"))
        return faults


def score_sense_outputs(
    suite: Suite,
    outputs: Mapping[str, Sequence[str]],
    options: SenseOptions,
    *,
    lemmas: Mapping[str, Sequence[TextWords]] | None = None,
    annotator: str | None = ANNOTATOR,
) -> SenseResult:
    """Score systems by what they wrote (Raganato et al., 2019, §5).

    The outputs of systems without ``lemmas`` are lemmatised by the annotator, :data:`ANNOTATOR` being the language's
    own; without one there is no back-off.
    """
    given = lemmas or {}
    check_counts(suite, {name: len(lines) for name, lines in (*outputs.items(), *given.items())})
    if not suite.target_language:
        raise InputError(Fault("E221", "the target language is not known", "say it: --languages en-fi", suite.name))
    suite = doubt_outputs(suite, outputs)
    tokens = Tokens(suite.target_language)
    tokens.learn(word for item in suite.items for word in (*item.expected, *item.forbidden))
    judged, sources = dict[str, list[Judgement]](), dict[str, str]()
    chosen = None if annotator == ANNOTATOR else annotator
    for name, lines in outputs.items():
        backed: Sequence[TextWords] = ()
        if name in given:
            backed, sources[name] = given[name], "given"
        elif annotator is not None:
            backed, sources[name] = lemmatise(suite.target_language, lines, chosen)
        texts = [tokens.texts(lines), *([backed] if backed else [])]
        judged[name] = _judge_outputs(suite, list(zip(*texts, strict=True)), tokens, lines)
    return _result(suite, judged, options, tokens.signature, sources, chosen)


def score_sense_scores(suite: Suite, scores: Mapping[str, Sequence[float]], options: SenseOptions) -> SenseResult:
    """Score systems by how they score translations: right if the right one beats all wrong ones (§3)."""
    check_counts(suite, {})
    check_scores(suite, {name: len(values) for name, values in scores.items()})
    suite = doubt_scores(suite, scores, higher_is_better=options.higher_is_better)
    return _result(
        suite, {name: _judge_scores(suite.items, values, options) for name, values in scores.items()}, options
    )


def _judge_outputs(
    suite: Suite, texts: Sequence[Sequence[TextWords]], tokens: Tokens, lines: Sequence[str]
) -> list[Judgement]:
    """Return what is found of each item; of several wrong words the sense of the first counts."""
    entries = {word: tokens.entry(word) for item in suite.items for word in (*item.expected, *item.forbidden)}
    senses = senses_of_words(suite.items)
    judged: list[Judgement] = []
    for item, line, text in zip(suite.items, lines, texts, strict=True):
        found = find(item, text, entries)
        wrong = found.outcome == WRONG
        taken = senses[item.source_lemma].get(found.wrong[0].lower(), OTHER) if wrong else None
        words = found.wrong if wrong else item.expected if found.outcome == RIGHT else ()
        judged.append(Judgement(found.outcome, taken, line, words, found.by_lemma))
    return judged


def _judge_scores(items: Sequence[Item], scores: Sequence[float], options: SenseOptions) -> list[Judgement]:
    """Return each item's outcome, with the wrong translation that has the best score and, if it won, its sense."""
    senses = senses_of_words(items)
    judged = list[Judgement]()
    for item, right, group in each_scored(items, scores, higher_is_better=options.higher_is_better):
        if not group:
            judged.append(Judgement(RIGHT, None, item.reference, ()))
            continue
        best = max(group)
        variant = item.variants[group.index(best)]
        label = variant.label or senses[item.source_lemma].get(variant.form.lower(), OTHER)
        words = (variant.form,) if variant.form else ()
        taken, outcome = (None, RIGHT) if wins(right, best, options) else (label, WRONG)
        judged.append(Judgement(outcome, taken, variant.target, words, margin=right - best))
    return judged


WEIGHTED: tuple[FigureName, ...] = get_args(FigureName)[:-1]
"""The figures of outputs where a suite knows how far its senses are from one another."""
TRANSLATION = WEIGHTED[:-3]
SCORING: tuple[FigureName, ...] = ("accuracy",)


def groups_of(items: Sequence[Item]) -> Groups[GroupKind]:
    """Return the groups of items: all, by domain, by origin, by sense."""
    kinds: dict[GroupKind, list[str]] = {
        "domain": [domain_of(item) for item in items],
        "origin": [origin_of(item) for item in items],
        "sense": [item.rule for item in items],
    }
    return group_by("all", kinds)


def sense_figures(sums: FloatArray, names: Sequence[FigureName]) -> FloatArray:
    """Return figures in per cent, (…, 5) → (…, names); NaN where nothing is counted.

    Precision, recall and F1 are 0 where something was found but nothing right. In the weighted precision a wrong sense
    counts for what it is like the right one (Raganato et al., 2020, §3); the F1 of it is with the usual recall.
    """
    right, wrong, missing, forms, credit = np.moveaxis(sums, -1, 0)
    total, answered = right + wrong + missing, right + wrong
    found = {
        "precision": _share(right, answered, total),
        "recall_a": _share(right, right + missing, total),
        "recall_b": _share(right, total, total),
        "coverage": _share(answered, total, total),
        "coverage_forms": _share(forms, total, total),
        "precision_weighted": _share(credit, answered, total),
        "accuracy": _share(right, total, total),
    }
    for name in names:
        if name.startswith("f1"):
            precision = found["precision_weighted" if "weighted" in name else "precision"]
            recall = found[f"recall_{name[-1]}"]
            found[name] = _share(2 * precision * recall, precision + recall, total) / 100
    return np.stack([found[name] for name in names], axis=-1)


def _share(part: FloatArray, whole: FloatArray, total: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(whole > 0, 100 * part / whole, 0.0)
    return np.where(total > 0, found, np.nan)


def _statistics(items: Sequence[Item], judged: Mapping[str, Sequence[Judgement]]) -> FloatArray:
    """Return right, wrong, missing, found among the forms and credit of each item, (systems, items, 5)."""
    outcomes = np.array([[one.outcome for one in row] for row in judged.values()])
    in_forms = [[one.outcome != MISSING and not one.by_lemma for one in row] for row in judged.values()]
    credits = [[_credit(item, one) for item, one in zip(items, row, strict=True)] for row in judged.values()]
    kinds = [outcomes == kind for kind in (RIGHT, WRONG, MISSING)]
    return np.stack([np.asarray(row, dtype=np.float64) for row in (*kinds, in_forms, credits)], axis=-1)


def _credit(item: Item, one: Judgement) -> float:
    """Return 1 for right and 0 for missing; a wrong sense has what it is short of the greatest distance, 1.

    So Raganato et al., 2020, have it.
    """
    return float(one.outcome == RIGHT) if one.taken is None else 1 - distances_of(item).get(one.taken, 1.0)


def _counts(statistics: FloatArray, groups: Groups[GroupKind], systems: Sequence[str]) -> list[SenseCounts]:
    found = list[SenseCounts]()
    for (kind, name), members in zip(groups.names, groups.members.T, strict=True):
        for system, row in zip(systems, statistics[:, members].sum(axis=1), strict=True):
            right, wrong, missing, forms = map(int, row[:4])
            what: dict[str, Any] = {"kind": kind, "group": name, "system": system}
            found.append(SenseCounts(**what, right=right, wrong=wrong, missing=missing, in_forms=forms))
    return found


def _scores(
    statistics: FloatArray,
    groups: Groups[GroupKind],
    systems: Sequence[str],
    units: Units,
    baseline: int,
    options: SenseOptions,
    figures: tuple[FigureName, ...],
) -> list[SenseScore]:
    """Return all figures of all groups; those of single senses without intervals, since a sense is of one word only."""
    large = [place for place, (kind, _) in enumerate(groups.names) if kind != "sense"]
    names = [groups.names[place] for place in large]
    columns = [(kind, name, figure) for kind, name in names for figure in figures]
    table = Table(
        columns=columns,
        statistics=units.group_sums(statistics, groups.members[:, large]),
        score=lambda sums: sense_figures(sums, figures).reshape(*sums.shape[:-2], -1),
        units=units.apart(),
        families=[(kind, figure) for kind, _, figure in columns],
        baseline=baseline,
    )
    (compared,) = compare([table], options)
    found = list[SenseScore]()
    for first in range(0, len(columns), len(figures)):
        for row, system in enumerate(systems):
            for place in range(first, first + len(figures)):
                kind, name, figure = columns[place]
                difference = compared.difference(row, place)
                what: dict[str, Any] = {"kind": kind, "group": name, "system": system, "figure": figure}
                comparison = None if difference is None else Difference(**difference)
                found.append(SenseScore(**what, comparison=comparison, **compared.figure(row, place)))
    for (kind, name), members in zip(groups.names, groups.members.T, strict=True):
        values = sense_figures(statistics[:, members].sum(axis=1), figures) if kind == "sense" else ()
        for system, row in zip(systems, values, strict=False):
            for figure, value in zip(figures, row, strict=True):
                what = {"kind": kind, "group": name, "system": system, "figure": figure}
                found.append(SenseScore(**what, value=number_of(value), interval=None, comparison=None))
    return found


def _mean_coverage(statistics: FloatArray) -> dict[FigureName, float]:
    """Return the coverage by forms and with lemmas, averaged over systems (Raganato et al., 2019, Table 8)."""
    names: tuple[FigureName, ...] = ("coverage_forms", "coverage")
    means = sense_figures(statistics.sum(axis=1), names).mean(axis=0)
    return {name: float(mean) for name, mean in zip(names, means, strict=True)}


def _confusions(items: Sequence[Item], system: str, judged: Sequence[Judgement]) -> list[SenseConfusion]:
    """Return how often each sense was taken for another, the most frequent first within a word."""
    counts = Counter[tuple[str, str, str]]()
    totals = Counter((item.source_lemma, sense_of(item)) for item in items)
    for item, one in zip(items, judged, strict=True):
        if one.taken is not None:
            counts[item.source_lemma, sense_of(item), one.taken] += 1
    ordered = sorted(counts.items(), key=lambda pair: (pair[0][0], -pair[1], pair[0]))
    return [
        SenseConfusion(system=system, word=word, sense=sense, instead=instead, count=count, of=totals[word, sense])
        for (word, sense, instead), count in ordered
    ]


def _result(
    suite: Suite,
    judged: Mapping[str, Sequence[Judgement]],
    options: SenseOptions,
    tokenizer: str = "",
    lemmas: Mapping[str, str] | None = None,
    annotator: str | None = None,
) -> SenseResult:
    """Return the result of judgements, one an item for each system."""
    systems, statistics = list(judged), _statistics(suite.items, judged)
    weighted = any(map(distances_of, suite.items))
    figures = SCORING if not tokenizer else WEIGHTED if weighted else TRANSLATION
    groups = groups_of(suite.items)
    units = choose_units([item.document for item in suite.items], options.units)
    main = figures.index("accuracy" if not tokenizer else "f1_a" if options.recall == "A" else "f1_b")
    overall = sense_figures(statistics.sum(axis=1), figures)[:, main]
    baseline = find_baseline(options.baseline, systems, overall)
    settings = SenseSettings.of(
        options,
        baseline=systems[baseline] if len(systems) > 1 else "",
        units="words" if units.kind == "documents" else "segments",
        kind="translation" if tokenizer else "scoring",
        tokenizer=tokenizer,
        lemmas=dict(lemmas or {}),
    )
    chosen: dict[str, object] = {}
    if tokenizer:
        sources = "+".join(sorted(set(settings.lemmas.values()))) or "no"
        chosen = {"tok": tokenizer, "lemmas": sources, "recall": settings.recall}
    return SenseResult(
        version=__version__,
        signature=suite_signature(suite, settings, options, chosen),
        suite=SenseSuiteInfo(
            **identity(suite),
            words=len({item.source_lemma for item in suite.items}),
            senses=len({item.rule for item in suite.items}),
        ),
        settings=settings,
        systems=systems,
        counts=_counts(statistics, groups, systems),
        scores=_scores(statistics, groups, systems, units, baseline, options, figures),
        mean_coverage=_mean_coverage(statistics) if tokenizer and len(systems) > 1 else {},
        confusions=[one for name, row in judged.items() for one in _confusions(suite.items, name, row)],
        words=list_words(suite.items),
        examples=make_examples(suite, judged, options.examples, annotator),
        warnings=[*suite.warnings, *(warning.replace("document", "source word") for warning in units.warnings)],
    )
