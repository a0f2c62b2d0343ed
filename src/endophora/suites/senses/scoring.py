"""Scores of systems on a word-sense suite, by what they translate or by how they score translations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, cast

import numpy as np

from endophora.errors import Fault, InputError
from endophora.statistics.comparison import find_baseline
from endophora.statistics.units import Units, choose_units
from endophora.suites.outputs import check_scores, doubt_outputs, doubt_scores, each_scored
from endophora.suites.records import Item, Suite
from endophora.suites.scoring import check_counts, suite_signature
from endophora.suites.senses.examples import Judgement, list_words, make_examples
from endophora.suites.senses.figures import (
    SCORES,
    SCORING,
    TRANSLATION,
    WEIGHTED,
    Outcomes,
    SenseOptions,
    counts_of,
    groups_of,
    scores_of,
)
from endophora.suites.senses.items import OTHER, distance_to, knows_distances, sense_of, senses_of_words
from endophora.suites.senses.matching import (
    MISSING,
    RIGHT,
    WRONG,
    SystemText,
    TextWords,
    Tokens,
    find,
    lemmatise,
)
from endophora.suites.senses.result import SenseConfusion, SenseResult, SenseSettings, SenseSuiteInfo
from endophora.version import __version__

ANNOTATOR = "annotator"
"""Stands for the target language's own annotator where lemmas are chosen."""


def score_sense_outputs(
    suite: Suite,
    outputs: Mapping[str, Sequence[str]],
    options: SenseOptions,
    *,
    lemmas: Mapping[str, Sequence[TextWords]] | None = None,
    annotator: str | None = ANNOTATOR,
) -> SenseResult:
    """Score systems by what they wrote (Raganato et al., 2019, §5).

    Args:
        lemmas: system → the lemmas of each output, where a file gave them.
        annotator: what lemmatises the outputs of the other systems: a name of an annotator, :data:`ANNOTATOR` for the
            language's own, ``None`` for no back-off.

    Raises: InputError: the target language is not known (E221), a system has not one output or line of lemmas an item
    (E173), the suite has no items (E175), the baseline is unknown (E105). MissingModelError: there is no annotator for
    the language (E040).
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
        judged[name] = _judge_outputs(suite, SystemText(tokens.texts(lines), backed), tokens, lines)
    return _result(suite, judged, options, tokens.signature, sources, chosen)


def score_sense_scores(suite: Suite, scores: Mapping[str, Sequence[float]], options: SenseOptions) -> SenseResult:
    """Score systems by how they score translations: right if the right one beats all wrong ones (§3).

    Raises: InputError: an item has no wrong translation (E175), or a system has not one score a translation (E174).
    """
    check_counts(suite, {})
    check_scores(suite, {name: len(values) for name, values in scores.items()})
    suite = doubt_scores(suite, scores, higher_is_better=options.higher_is_better)
    return _result(
        suite, {name: _judge_scores(suite.items, values, options) for name, values in scores.items()}, options
    )


def _judge_outputs(suite: Suite, text: SystemText, tokens: Tokens, lines: Sequence[str]) -> list[Judgement]:
    """Return what is found of each item; of several wrong words the sense of the first counts."""
    entries = {word: tokens.entry(word) for item in suite.items for word in (*item.expected, *item.forbidden)}
    senses = senses_of_words(suite.items)
    judged: list[Judgement] = []
    for index, (item, line) in enumerate(zip(suite.items, lines, strict=True)):
        found = find(item, index, text, entries)
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
        best = max(group)
        won = right > best or (right == best and options.ties == "correct")
        variant = item.variants[group.index(best)]
        label = variant.label or senses[item.source_lemma].get(variant.form.lower(), OTHER)
        words = (variant.form,) if variant.form else ()
        taken, outcome = (None, RIGHT) if won else (label, WRONG)
        judged.append(Judgement(outcome, taken, variant.target, words, margin=right - best))
    return judged


def _outcomes(items: Sequence[Item], judged: Mapping[str, Sequence[Judgement]]) -> Outcomes:
    """Return the judgements as arrays, (systems, items) each."""
    rows = list(judged.values())
    return Outcomes(
        np.array([[one.outcome for one in row] for row in rows]),
        np.array([[one.outcome != MISSING and not one.by_lemma for one in row] for row in rows]),
        np.array([[_credit(item, one) for item, one in zip(items, row, strict=True)] for row in rows]),
    )


def _credit(item: Item, one: Judgement) -> float:
    return float(one.outcome == RIGHT) if one.taken is None else 1 - distance_to(item, one.taken)


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
    systems, found = list(judged), _outcomes(suite.items, judged)
    weighted = any(knows_distances(item) for item in suite.items)
    figures = SCORING if not tokenizer else WEIGHTED if weighted else TRANSLATION
    groups = groups_of(suite.items)
    units = choose_units([item.document for item in suite.items], options.units)
    column = figures.index("accuracy" if not tokenizer else "f1_a" if options.recall == "A" else "f1_b")
    overall = SCORES[figures](found.statistics().sum(axis=1))[:, column]
    baseline = find_baseline(options.baseline, systems, overall)
    settings = SenseSettings(
        kind="translation" if tokenizer else "scoring",
        tokenizer=tokenizer,
        lemmas=dict(lemmas or {}),
        recall=cast("Literal['A', 'B']", options.recall),
        ties=cast("Literal['wrong', 'correct']", options.ties),
        higher_is_better=options.higher_is_better,
        baseline=systems[baseline] if len(systems) > 1 else "",
        units="words" if units.kind == "documents" else "segments",
        resamples=options.resamples,
        trials=options.trials,
        confidence=options.confidence,
        alpha=options.alpha,
        seed=options.seed,
        examples=options.examples,
    )
    return SenseResult(
        version=__version__,
        signature=_signature(suite, settings, options),
        suite=SenseSuiteInfo(
            name=suite.name,
            source_language=suite.source_language,
            target_language=suite.target_language,
            items=len(suite),
            words=len({item.source_lemma for item in suite.items}),
            senses=len({item.rule for item in suite.items}),
            variants=sum(len(item.variants) for item in suite.items),
        ),
        settings=settings,
        systems=systems,
        counts=counts_of(found, groups, systems),
        scores=scores_of(found, groups, systems, units, baseline, options, figures),
        confusions=[one for name, row in judged.items() for one in _confusions(suite.items, name, row)],
        words=list_words(suite.items),
        examples=make_examples(suite, judged, options.examples, annotator),
        warnings=[*suite.warnings, *_warnings(units)],
    )


def _warnings(units: Units) -> list[str]:
    return [warning.replace("document", "source word") for warning in units.warnings]


def _signature(suite: Suite, settings: SenseSettings, options: SenseOptions) -> str:
    chosen: dict[str, object] = {"ties": settings.ties, "scores": "higher" if settings.higher_is_better else "lower"}
    if settings.kind == "translation":
        lemmas = "+".join(sorted(set(settings.lemmas.values()))) or "no"
        chosen = {"tok": settings.tokenizer, "lemmas": lemmas, "recall": settings.recall}
    return suite_signature(suite, settings, options, chosen)
