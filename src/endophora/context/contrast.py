"""Contrastive accuracy: does a model score the right translation above the wrong ones, and does context help it?

An item is right if its reference has a higher log-probability than all its wrong translations, given the same source
and context (Müller et al. 2018; Mohammed and Niculae 2024, §5.4 and Table 4). The target context is the suite's own,
that is, gold: the model does not translate anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from pathlib import Path
from urllib.parse import quote

import numpy as np

from endophora.context.context_read import (
    ContextCounts,
    KeptAnswers,
    context_of,
    count_context,
    cut_warnings,
    fitted,
    skip_long,
    too_long,
    untold_warnings,
)
from endophora.context.contrast_figures import ContrastOptions, Run, compute_contrast
from endophora.context.results import ContrastResult, ContrastRun, ContrastSettings, ContrastSuite
from endophora.corpus.records import Location
from endophora.corpus.writing import make_folder, write_lines
from endophora.errors import Fault, InputError
from endophora.models.layout import beyond_training
from endophora.models.records import ContextRead, Fit, ModelInput, Scorer, read_whole
from endophora.signature import digest_of, result_signature
from endophora.store import Store
from endophora.suites.outputs import doubt_scores, read_scores, targets
from endophora.suites.records import Item, Suite
from endophora.suites.scoring import SuiteOptions, judge_scores, suite_digest
from endophora.version import __version__

FOLDER = "scores"
"""Where scores are written, next to the result."""


@dataclass(frozen=True, slots=True)
class ReadScores:
    """Scores that another tool has computed, one a translation; the higher the better."""

    run: Run
    scores: Sequence[float]
    file: str = ""


@dataclass(frozen=True, slots=True)
class Contrast:
    """What contrastive scoring found, and the scores of each translation by the models that were asked."""

    result: ContrastResult
    scores: Mapping[Run, Sequence[float]]


def contrast_inputs(items: Iterable[Item], size: int, options: ContrastOptions) -> tuple[list[ModelInput], list[str]]:
    """Return the input and the target of each right or wrong translation, in the order of a file of scores.

    Translations of one item follow one another, with the same input wherever their context is the same, so that a model
    may encode it once.
    """
    inputs: list[ModelInput] = []
    texts: list[str] = []
    for item in items:
        before = item.before or ()
        source = tuple(pair.source for pair in before) if options.sides.source else ()
        own = tuple(pair.target for pair in before)
        contexts = [own if variant.before is None else variant.before for variant in item.variants]
        contexts.insert(min(item.correct, len(contexts)), own)
        for target, context in zip(targets(item), contexts, strict=True):
            # A suite without target text has nothing but empty ones.
            given = context if options.sides.target and any(context) else ()
            inputs.append(ModelInput(item.source, source, given).nearest(size, size))
            texts.append(target)
    return inputs, texts


def score_contrast(
    suite: Suite,
    models: Mapping[str, Scorer],
    options: ContrastOptions | None = None,
    read: Sequence[ReadScores] = (),
    store: Store | None = None,
    progress: Callable[[int], None] | None = None,
    skip_faults: bool = False,
) -> Contrast:
    """Score models, and scores of other tools, by whether the right translation is better than all wrong ones.

    Args:
        suite: items with wrong translations; those without any are left out, and a warning says so.
        models: name → model.
        options: context sizes, ties, statistics.
        read: scores of other tools, of this suite's translations.
        store: where scores of models are kept, so that an interrupted run continues; in memory by default.
        progress: called with the number of translations that were scored; :func:`total_translations` of them.
        skip_faults: leave out and count items with a translation that is too long for a model.

    Raises:
        InputError: there is neither model nor score, a name is there twice, or the baseline is none of them (E332); no
            item has a wrong translation (E331); items have no context (E177); a file has not one score a translation
            (E174), or a model has no room for a translation, even without context (E281).
    """
    chosen = options or ContrastOptions()
    items, warnings = _checked(suite, models, chosen, read)
    long = _long_items(items, models, chosen)
    warnings += skip_long(long, [Location(f"{suite.name}, item {item.id}", 0) for item in items], skip_faults)
    places = [place for number, some in enumerate(_places(items)) if number not in long for place in some]
    read = [replace(one, scores=[one.scores[place] for place in places]) for one in read]
    items = [item for place, item in enumerate(items) if place not in long]
    answers = KeptAnswers(Store() if store is None else store, progress)
    found: dict[Run, Sequence[float]] = {}
    contexts = {one.run: _assumed(items, one.run.size, chosen) for one in read}
    for name, model in models.items():
        for size in chosen.sizes:
            found[Run(name, size)], contexts[Run(name, size)] = _score_run(model, items, size, chosen, answers)
    everything = {**found, **{one.run: one.scores for one in read}}
    outcomes, lenient = (
        np.array([judge_scores(items, values, SuiteOptions(ties=ties)) for values in everything.values()], np.bool_)
        for ties in (chosen.ties, "wrong" if chosen.ties == "correct" else "correct")
    )
    kept = np.array([[one.kept > 0 for one in contexts[run]] for run in everything], dtype=np.bool_)
    scores, comparisons, doubts = compute_contrast(items, list(everything), outcomes, chosen, kept)
    counts = {run: count_context(contexts[run]) for run in everything}
    files = {one.run: one.file for one in read}
    names = list(dict.fromkeys(run.model for run in everything))
    result = ContrastResult(
        version=__version__,
        signature=_signature(suite, items, models, chosen),
        suite=_described(suite, items, len(long)),
        settings=ContrastSettings.of(chosen, baseline=(chosen.baseline or names[0]) if len(names) > 1 else ""),
        runs=[
            ContrastRun(
                model=run.model,
                size=run.size,
                signature="" if run in files else models[run.model].signature,
                # Items that are right only where a tie is.
                ties=abs(int(one.sum()) - int(other.sum())),
                file=files.get(run, score_file(run)),
                context=counts[run],
            )
            for run, one, other in zip(everything, outcomes, lenient, strict=True)
        ],
        scores=scores,
        comparisons=comparisons,
        warnings=[
            *suite.warnings,
            *_doubts(suite, items, read),
            *warnings,
            *beyond_training(models, max(chosen.sizes)),
            *_context_warnings(models, {run: counts[run] for run in found}),
            *doubts,
        ],
    )
    return Contrast(result, found)


def _context_warnings(models: Iterable[str], counts: Mapping[Run, ContextCounts]) -> list[str]:
    cut = (cut_warnings(f"{run.model}, {run.size} segments", one) for run, one in counts.items())
    untold = (untold_warnings(name, [one for run, one in counts.items() if run.model == name]) for name in models)
    return [*chain.from_iterable(cut), *chain.from_iterable(untold)]


def _doubts(suite: Suite, items: Sequence[Item], read: Sequence[ReadScores]) -> tuple[str, ...]:
    """Return doubts about the direction of other tools' scores."""
    scores = {f"{one.run.model}@{one.run.size}": one.scores for one in read}
    return doubt_scores(replace(suite, items=tuple(items), warnings=()), scores, higher_is_better=True).warnings


def _signature(suite: Suite, items: Sequence[Item], models: Mapping[str, Scorer], options: ContrastOptions) -> str:
    return result_signature(
        options,
        suite=suite.name,
        items=len(items),
        hash=suite_digest(replace(suite, items=tuple(items))),
        models=digest_of([model.signature for model in models.values()])[:8],
        context="+".join(map(str, options.sizes)),
        sides=options.sides.value,
        score="normalised" if options.normalised else "total",
        ties=options.ties,
        units=options.units,
        resamples=options.resamples,
        seed=options.seed,
    )


def total_translations(suite: Suite, models: Mapping[str, Scorer], options: ContrastOptions) -> int:
    """Return how many translations will be scored, by models or from the store."""
    count = sum(1 + len(item.variants) for item in suite.items if item.variants)
    return count * len(models) * len(options.sizes)


def score_file(run: Run) -> str:
    """Return where a model's scores are written, relative to the result."""
    return f"{FOLDER}/{quote(run.model, safe=' ')}.{run.size}.txt"


def _places(items: Sequence[Item]) -> list[range]:
    """Return the places of each item's translations among all."""
    ends = list(accumulate(1 + len(item.variants) for item in items))
    return [range(end - 1 - len(item.variants), end) for item, end in zip(items, ends, strict=True)]


def _long_items(items: Sequence[Item], models: Mapping[str, Scorer], options: ContrastOptions) -> dict[int, str]:
    """Return the places of items of which a model cannot take a translation even without context, and why."""
    inputs, texts = contrast_inputs(items, 0, options)
    found: dict[int, str] = {}
    for name, model in models.items():
        long = too_long(model, [one.source for one in inputs], texts)
        for number, places in enumerate(_places(items)):
            reasons = [long[place] for place in places if place in long]
            if reasons:
                found[number] = f"{name}: {reasons[0]}"
    return found


def _score_run(
    model: Scorer, items: Sequence[Item], size: int, options: ContrastOptions, answers: KeptAnswers
) -> tuple[list[float], list[ContextRead]]:
    """Return a score for each translation, and how much context each item had."""
    given, texts = contrast_inputs(items, size, options)
    fits = fitted(model, given, texts)
    likelihoods = answers.likelihoods(model, _cut_alike(items, given, fits), texts)
    read = [fit.context or context_of(answer, one) for fit, answer, one in zip(fits, likelihoods, given, strict=True)]
    scores = [one.total / one.tokens if options.normalised else one.total for one in likelihoods]
    return scores, _smallest(items, read)


def _cut_alike(items: Sequence[Item], inputs: Sequence[ModelInput], fits: Sequence[Fit]) -> list[ModelInput]:
    """Return the inputs with the same cut for all translations of an item, which is that of the longest.

    Otherwise a wrong translation that is a sub-word longer would be scored with less context than the right one.
    """
    made = list(inputs)
    for places in _places(items):
        found = [fits[place].context for place in places]
        known = [one for one in found if one is not None]
        if known:
            source, target = (min(getattr(one, side).kept for one in known) for side in ("source", "target"))
            for place in places:
                made[place] = inputs[place].filled(source, target)
    return made


def _assumed(items: Sequence[Item], size: int, options: ContrastOptions) -> list[ContextRead]:
    """Return what another tool has read of each item's context: nothing is known of it, and all counts as read."""
    return _smallest(items, [read_whole(given) for given in contrast_inputs(items, size, options)[0]])


def _smallest(items: Sequence[Item], contexts: Sequence[ContextRead]) -> list[ContextRead]:
    """Return for each item how much context its translations had: that of the one that had the least."""
    return [min((contexts[place] for place in places), key=lambda one: one.kept) for places in _places(items)]


def _checked(
    suite: Suite, models: Mapping[str, Scorer], options: ContrastOptions, read: Sequence[ReadScores]
) -> tuple[list[Item], list[str]]:
    """Return the items that can be scored, and what the user should know; raise where something is wrong."""
    runs = [*(Run(name, size) for name in models for size in options.sizes), *(one.run for one in read)]
    names = list(dict.fromkeys(run.model for run in runs))
    faults: list[Fault] = []
    if not runs:
        faults.append(Fault("E332", "there is neither a model nor a file of scores", "--model NAME=MODEL", "--model"))
    for run in {run for run in runs if runs.count(run) > 1}:
        cause = f"“{run.model}” with {run.size} segments of context is there twice"
        faults.append(Fault("E332", cause, "name one otherwise", "--scores"))
    if options.baseline and options.baseline not in names:
        faults.append(Fault("E332", f"there is no model “{options.baseline}”", ", ".join(names), "--baseline"))
    items = [item for item in suite.items if item.variants]
    if not items:
        advice = "name a contrastive suite, or generate: endophora suite score --system"
        faults.append(Fault("E331", "no item has a wrong translation", advice, suite.name))
    bare = sum(item.before is None for item in items)
    if models and max(options.sizes) and bare:
        cause = f"{bare} of {len(items)} items have no context"
        faults.append(Fault("E177", cause, "join it: --corpus or --inputs; or ask for --context 0", suite.name))
    wanted = sum(1 + len(item.variants) for item in items)
    faults += [
        Fault("E174", f"{len(one.scores)} scores for {wanted} translations", "give one a translation", one.file)
        for one in read
        if len(one.scores) != wanted
    ]
    if faults:
        raise InputError(faults)
    notes: list[str] = []
    if left := len(suite.items) - len(items):
        notes.append(f"{left:,} of {len(suite.items):,} items have no wrong translation, and are left out")
    before = [pair for item in items for pair in item.before or ()]
    if options.sides.target and max(options.sizes) and before and not any(pair.target for pair in before):
        notes.append("the suite has no target context: models are given source context only")
    return items, notes


def _described(suite: Suite, items: Sequence[Item], skipped: int) -> ContrastSuite:
    return ContrastSuite(
        name=suite.name,
        source_language=suite.source_language,
        target_language=suite.target_language,
        items=len(items),
        skipped=skipped,
        documents=len({item.document for item in items}),
        translations=sum(1 + len(item.variants) for item in items),
    )


_NAME = re.compile(r"(.+)@(\d{1,4})")


def read_contrast_scores(suite: Suite, files: Mapping[str, str], *, higher_is_better: bool = True) -> list[ReadScores]:
    """Read scores that another tool has computed of a suite's translations (E174, E175, E333)."""
    found = {name: _NAME.fullmatch(name) for name in files}
    faults = [
        Fault("E333", f"“{name}” does not say how much context the model had", f"write {name}@0=FILE", "--scores")
        for name, match in found.items()
        if match is None
    ]
    if faults:
        raise InputError(faults)
    scores = read_scores(suite, files) if files else {}
    sign = 1.0 if higher_is_better else -1.0
    return [
        ReadScores(Run(match[1], int(match[2])), [sign * value for value in scores[name]], files[name])
        for name, match in found.items()
        if match is not None
    ]


def write_contrast_scores(found: Contrast, directory: Path) -> None:
    """Write the scores of each model and context size into ``scores/`` of a directory, one a translation (E095, E026).

    Where all items of the suite have wrong translations, ``endophora suite score --scores NAME=FILE`` reads them.
    """
    make_folder(directory / FOLDER, "the scores")
    for run, scores in found.scores.items():
        write_lines(directory / score_file(run), (repr(value) for value in scores))
