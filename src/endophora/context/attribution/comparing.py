"""Tables of shares of several models over the same words (Mohammed and Niculae 2024, Tables 1 and 3, Figure 3)."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from endophora.context.attribution.attributor import Attributor
from endophora.context.attribution.cases import Cases, LeftOut, Window
from endophora.context.attribution.flows import Rows, Shares
from endophora.context.attribution.measuring import Measured, measure
from endophora.context.attribution.result import (
    AttributedModel,
    AttributionResult,
    AttributionSettings,
    ParetoPoint,
)
from endophora.context.attribution.tables import groups_of, mean_differences, mean_shares, row_of
from endophora.errors import Fault, InputError
from endophora.signature import digest_of, keyed, write_signature
from endophora.statistics import choose_units
from endophora.version import __version__


@keyed(irrelevant={"examples": "how many are shown, not what is found"})
@dataclass(frozen=True, slots=True)
class AttributionOptions:
    """How shares are computed and compared.

    Attributes:
        rows: which rows speak for a word.
        window: the context that words were given.
        examples: words whose flow is kept, drawn at random.
        baseline: name of the model that the others are compared with; the first by default.
        resamples: of the bootstrap.
        trials: of the randomisation test.
        confidence: of the intervals.
        seed: of all draws.
    """

    rows: Rows = Rows.WORD
    window: Window = field(default_factory=Window)
    examples: int = 20
    baseline: str = ""
    resamples: int = 1000
    trials: int = 10_000
    confidence: float = 0.95
    seed: int = 1


DEFAULT_OPTIONS = AttributionOptions()


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model to be explained.

    Attributes:
        name: in tables.
        attributor: has the model.
        signature: of the model.
        context: whether it is given context; a sentence-level model may be measured with and without.
    """

    name: str
    attributor: Attributor
    signature: str = ""
    context: bool = True


def attribute(
    data: str,
    cases: Cases,
    models: Sequence[NamedModel],
    options: AttributionOptions = DEFAULT_OPTIONS,
    *,
    accuracies: Mapping[str, float] | None = None,
    warnings: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> AttributionResult:
    """Return the shares of supporting words, context and current sentence, of all models over the same words.

    A word whose support one of the models has no room for is left out for all.

    Args:
        data: name of the suite or corpus.
        cases: the words.
        models: at least one, no name twice.
        options: rows, intervals, examples.
        accuracies: of models by name, for the Pareto plot.
        warnings: what the user should know of the words.
        progress: called with the number of words that were done, each once for each model.

    Raises:
        InputError: there is no word to measure (E263), an option names an unknown model (E264), or a model cannot be
            taken apart (E260, E261).
    """
    names = [model.name for model in models]
    _check(names, cases, options.baseline, accuracies or {}, data)
    count = len(cases.cases)
    drawn = set(random.Random(options.seed).sample(range(count), min(options.examples, count)))  # noqa: S311
    measured = [_measured(model, cases, options, drawn, progress) for model in models]
    kept = [number for number in range(count) if all(one.shares[number] is not None for one in measured)]
    if not kept:
        raise InputError(_nothing(data, {LeftOut.CUT_OFF: count}))
    left_out = {str(reason): number for reason, number in cases.left_out.items()}
    if len(kept) < count:
        left_out[LeftOut.CUT_OFF] = count - len(kept)
    table = np.array([[row_of(cast(Shares, one.shares[number])) for number in kept] for one in measured])
    units = choose_units([cases.cases[number].document for number in kept])
    baseline = names.index(options.baseline) if options.baseline else 0
    shares = mean_shares(table, names, groups_of([cases.cases[number] for number in kept]), units, options)
    first = models[0].attributor.signature
    settings = AttributionSettings(
        method=first,
        rows=options.rows.value,
        context_size=options.window.size,
        sides=options.window.sides.value,
        units=units.kind,
        resamples=options.resamples,
        trials=options.trials,
        confidence=options.confidence,
        seed=options.seed,
    )
    support = {share.model: share.value for share in shares if (share.measure, share.kind) == ("support", "all")}
    return AttributionResult(
        version=__version__,
        signature=_signature(data, settings, options),
        data=data,
        settings=settings,
        models=[
            AttributedModel(
                name=model.name, signature=model.signature, context=model.context, cut_off=one.shares.count(None)
            )
            for model, one in zip(models, measured, strict=True)
        ],
        words=len(kept),
        left_out=left_out,
        shares=shares,
        differences=mean_differences(table, names, baseline, units, options),
        pareto=pareto({name: (accuracies[name], support[name]) for name in names if name in accuracies})
        if accuracies
        else [],
        examples=[one.examples[number] for number in sorted(drawn & set(kept)) for one in measured],
        warnings=[*warnings, *units.warnings],
    )


def pareto(points: Mapping[str, tuple[float, float]]) -> list[ParetoPoint]:
    """Return models by accuracy and share of the supporting words, and which of them another one dominates.

    Args:
        points: model → accuracy and share, both in per cent.
    """
    return [
        ParetoPoint(
            model=name,
            accuracy=one[0],
            support=one[1],
            dominated=any(
                other[0] >= one[0] and other[1] >= one[1] and other != one
                for another, other in points.items()
                if another != name
            ),
        )
        for name, one in points.items()
    ]


def _measured(
    model: NamedModel,
    cases: Cases,
    options: AttributionOptions,
    drawn: set[int],
    progress: Callable[[int], None] | None,
) -> Measured:
    given = cases.cases if model.context else tuple(case.without_context() for case in cases.cases)
    return measure(model.name, model.attributor, given, rows=options.rows, examples=drawn, progress=progress)


def _signature(data: str, settings: AttributionSettings, options: AttributionOptions) -> str:
    items = {
        "attribution": data,
        "method": settings.method,
        "rows": settings.rows,
        "context": settings.context_size,
        "sides": settings.sides,
        "units": settings.units,
        "resamples": settings.resamples,
        "trials": settings.trials,
        "seed": settings.seed,
        "version": __version__,
    }
    return write_signature([*items.items(), ("options", digest_of(options)[:8])])


def _check(names: Sequence[str], cases: Cases, baseline: str, accuracies: Mapping[str, float], data: str) -> None:
    faults: list[Fault] = []
    known = f"there are: {', '.join(names)}"
    if baseline and baseline not in names:
        faults.append(Fault("E264", f"the baseline “{baseline}” is no model", known, "--baseline"))
    faults += [
        Fault("E264", f"there is an accuracy of “{name}”, which is no model", known, "--accuracy")
        for name in accuracies
        if name not in names
    ]
    if not cases.cases:
        faults.append(_nothing(data, cases.left_out))
    if faults:
        raise InputError(faults)


def _nothing(data: str, left_out: Mapping[LeftOut, int]) -> Fault:
    why = "; ".join(f"{count} because {reason}" for reason, count in left_out.items())
    cause = f"no word is left whose supporting words stand in the context{f' ({why})' if why else ''}"
    return Fault("E263", cause, "take a suite with contexts and antecedents, or a larger --context", data)
