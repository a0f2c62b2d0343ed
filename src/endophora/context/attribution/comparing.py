"""What each word was made from, measured once and kept; and shares of several models over the same words.

The tables are those of Mohammed and Niculae (2024), Tables 1 and 3, Figure 3.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import cast, get_args

import numpy as np
from numpy.typing import NDArray

from endophora.context.attribution.alti import Alti
from endophora.context.attribution.attributor import Attention, Attributor
from endophora.context.attribution.cases import AttributionOptions, Case, Cases, LeftOut
from endophora.context.attribution.flows import Floats, Flow, Part, Rows, Shares, Span, shares, words
from endophora.context.attribution.gradients import RESIDUE, Gradients
from endophora.context.attribution.inseq_flows import InseqAttributor
from endophora.context.attribution.results import (
    AttributedExample,
    AttributedModel,
    AttributionDifference,
    AttributionResult,
    AttributionSettings,
    AttributionShare,
    CaseGroupKind,
    FlowRow,
    FlowSentence,
    FlowWord,
    Measure,
    ParetoPoint,
)
from endophora.errors import Fault, InputError
from endophora.signature import Keys, keyed, result_signature
from endophora.statistics.comparison import Compared, Table, compare, quotient
from endophora.statistics.units import Units, choose_units
from endophora.store import Store
from endophora.version import __version__


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model to be explained, with or without context; a sentence-level model may be measured in both ways."""

    name: str
    attributor: Attributor | InseqAttributor
    signature: str = ""
    context: bool = True


Measured = tuple[Shares | None, AttributedExample | None]
"""What a word was made from, ``None`` where the model has no room for it or its support; its flow, if it is drawn."""

BATCH = 32
"""Words that a broken run may lose."""


@keyed()
@dataclass(frozen=True, slots=True)
class _Attributions:
    """What the shares of a word depend on besides the word."""

    attributor: Attributor
    rows: Rows | None


def measure(
    model: NamedModel,
    cases: Sequence[Case],
    rows: Rows | None,
    drawn: Collection[int],
    store: Store,
    progress: Callable[[int], None] | None = None,
) -> list[Measured]:
    """Return what a model generated each word from; what is in the store is not measured again.

    ``rows`` is ``None`` for the one that compares a word with a wrong form; of the words ``drawn`` the flow is wanted.
    Shares of files, and of flows that are written, are not kept in the store.
    """
    given = cases if model.context else [case.without_context() for case in cases]
    asked = model.attributor
    if not isinstance(asked, Attributor) or asked.taken is not None or not asked.named:
        made = dict(_values(model, given, range(len(given)), rows, drawn, progress))
        return [_read(model.name, made.get(number, _NOTHING)) for number in range(len(given))]
    key = Keys(_Attributions(asked, rows))
    keys = [key(case, number in drawn) for number, case in enumerate(given)]
    known = store.get_many(keys)
    missing = [number for number, one in enumerate(keys) if one not in known]
    if progress is not None:
        progress(len(keys) - len(missing))
    found = _values(model, given, missing, rows, drawn, progress)
    while batch := {keys[number]: value for number, value in islice(found, BATCH)}:
        store.put_many(batch, "attributions")
        known |= batch
    # What the model has no room for has no flow.
    rest = {keys[number]: _NOTHING for number in missing if keys[number] not in known}
    store.put_many(rest, "attributions")
    known |= rest
    return [_read(model.name, known[one]) for one in keys]


def _values(
    model: NamedModel,
    cases: Sequence[Case],
    chosen: Sequence[int],
    rows: Rows | None,
    drawn: Collection[int],
    progress: Callable[[int], None] | None,
) -> Iterator[tuple[int, bytes]]:
    """Yield numbers of words, and what the store has of them."""
    unread, asked = model.attributor.unread, [cases[number] for number in chosen]
    others = [case.wrong for case in asked] if rows is None else None
    # A file has the rows that it has, and is asked for those of the word.
    whole = () if isinstance(model.attributor, InseqAttributor) else drawn
    wanted = [None if number in whole else _wanted(cases[number], rows) for number in chosen]
    texts = [case.given for case in asked], [case.target for case in asked]
    for place, flow in model.attributor.flows(*texts, others, wanted):
        case, number = asked[place], chosen[place]
        support = [span for span in case.support if span.part not in unread]
        spans = [span for span in support if span.part is not Part.TARGET_PREFIX]
        value = _NOTHING
        if all(any(map(span.covers, flow.columns)) for span in spans):
            found = replace(shares(_row_of(case, flow, rows), flow.columns, support), residue=flow.residue)
            value = _written(found, as_example(model.name, case, flow, rows) if number in drawn else None)
        yield number, value
        if progress is not None:
            progress(1)


def _written(found: Shares | None, example: AttributedExample | None) -> bytes:
    values = found and [found.support, found.context, found.current, found.current_support, *found.parts.values()]
    kept = [values, example and example.model_dump(mode="json"), *([found.residue] if found and found.residue else [])]
    return json.dumps(kept, ensure_ascii=False).encode()


def _read(name: str, value: bytes) -> Measured:
    values, example, *residue = json.loads(value)
    parts = dict(zip(Part, values[4:], strict=True)) if values else {}
    found = Shares(*values[:4], parts=parts, residue=sum(residue)) if values else None
    return found, AttributedExample.model_validate({**example, "model": name}) if example else None


_NOTHING = _written(None, None)


def _wanted(case: Case, rows: Rows | None) -> tuple[int, int]:
    """Return of which stretch of the target rows are needed; the others cost time alone."""
    return (0 if rows is Rows.PREFIX_MEAN else case.word[0]), case.word[1]


def _row_of(case: Case, flow: Flow, rows: Rows | None) -> Floats:
    """Return the row of a word; without ``rows``, the one row of a flow that compares it with another."""
    return flow.matrix[0] if rows is None else flow.row(*case.word, rows)


def as_example(name: str, case: Case, flow: Flow, rows: Rows | None) -> AttributedExample:
    """Return a word's flow by words."""
    row = _row_of(case, flow, rows)
    found = shares(row, flow.columns, case.support)
    sentences: list[FlowSentence] = []
    before: tuple[Part, int] | None = None
    for word, members in words(flow.columns):
        # A token that no sentence has stays with the sentence before it.
        at = before if before and word.sentence < 0 and word.part is before[0] else (word.part, word.sentence)
        if at != before:
            sentences.append(FlowSentence(part=word.part.value, words=[]))
            before = at
        supports = any(span.covers(flow.columns[index]) for index in members for span in case.support)
        share = 100 * float(row[members].sum())
        sentences[-1].words.append(FlowWord(text=word.text, share=round(share, 3), support=supports))
    spoken, by_words = Span(Part.TARGET_PREFIX, 0, *case.word), flow.by_words()
    return AttributedExample(
        id=case.id,
        model=name,
        document=case.document,
        phenomenon=case.group,
        distance=case.distance,
        word=case.target[slice(*case.word)],
        place=next((place for place, word in enumerate(by_words.rows) if spoken.covers(word)), 0),
        support=100 * found.support,
        context=100 * found.context,
        sentences=sentences,
        target=[_row(word.text, row, by_words) for word, row in zip(by_words.rows, by_words.matrix, strict=True)],
    )


def _row(word: str, row: Floats, flow: Flow) -> FlowRow:
    parts = {
        part.value.replace(" ", "_"): round(100 * float(row[[one.part is part for one in flow.columns]].sum()), 3)
        for part in Part
    }
    return FlowRow(word=word, **parts)


MEASURES: tuple[Measure, ...] = get_args(Measure)
Groups = Mapping[tuple[CaseGroupKind, str], NDArray[np.bool_]]


def groups_of(cases: Sequence[Case]) -> Groups:
    """Return which words belong to each group; a kind with one group only is that of all words."""
    found: dict[tuple[CaseGroupKind, str], NDArray[np.bool_]] = {("all", ""): np.ones(len(cases), dtype=bool)}
    named: dict[CaseGroupKind, list[str]] = {
        "phenomenon": [case.group for case in cases],
        "distance": ["" if case.distance is None else str(case.distance) for case in cases],
    }
    for kind, names in named.items():
        counts = Counter(filter(None, names))
        if len(counts) > 1:
            for name in sorted(counts, key=lambda one: (len(one), one)):
                found[kind, name] = np.array([one == name for one in names])
    return found


def _tables(values: Floats, groups: Groups, units: Units, baseline: int) -> list[Table[Measure]]:
    """Return a table of values, (models, words, measures), for each group; all words are compared with the baseline."""
    made: list[Table[Measure]] = []
    for (kind, _), members in groups.items():
        counted = np.broadcast_to(members[None, :, None], values.shape)
        statistics = np.stack([values * counted, counted.astype(np.float64)], -1)
        whole = Table(columns=MEASURES, statistics=statistics, score=quotient, units=units, families=MEASURES)
        made.append(replace(whole, baseline=baseline) if kind == "all" else whole)
    return made


def _mean_shares(
    names: Sequence[str], groups: Groups, found: Sequence[Compared[Measure]]
) -> Iterator[AttributionShare]:
    for ((kind, group), members), compared in zip(groups.items(), found, strict=True):
        for row, name in enumerate(names):
            for column, measured in enumerate(MEASURES):
                yield AttributionShare(
                    model=name,
                    measure=measured,
                    kind=kind,
                    group=group,
                    value=float(compared.values[row, column]),
                    interval=compared.figure(row, column)["interval"],
                    words=int(members.sum()),
                )


def attribute(
    data: str,
    cases: Cases,
    models: Sequence[NamedModel],
    options: AttributionOptions | None = None,
    *,
    accuracies: Mapping[str, float] | None = None,
    warnings: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
    store: Store | None = None,
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
        store: keeps the shares of each word; by default nothing is kept.

    Raises:
        InputError: there is no word to measure (E263), an option names an unknown model (E264), or a model cannot be
            taken apart (E260, E261).
    """
    chosen = options or AttributionOptions()
    names = [model.name for model in models]
    cases = contrasted(cases, models) if chosen.against_wrong else cases
    _check(names, cases, chosen.baseline, accuracies or {}, data)
    count = len(cases.cases)
    drawn = set(random.Random(chosen.seed).sample(range(count), min(chosen.examples, count)))  # noqa: S311
    with Store() if store is None else nullcontext(store) as keeping:
        measured = [measure(model, cases.cases, chosen.speaking, drawn, keeping, progress) for model in models]
    kept = [number for number in range(count) if all(one[number][0] for one in measured)]
    lacking = _lacking(models, measured)
    if not kept:
        raise InputError(_nothing(data, lacking))
    left_out = {str(reason): number for reason, number in {**cases.left_out, **lacking}.items()}
    made = [[cast(Shares, one[number][0]) for number in kept] for one in measured]
    values = np.array([[found.percentages for found in one] for one in made])
    units = choose_units([cases.cases[number].document for number in kept], chosen.units)
    baseline = names.index(chosen.baseline) if chosen.baseline else 0
    groups = groups_of([cases.cases[number] for number in kept])
    compared = compare(_tables(values, groups, units, baseline), chosen)
    found = list(_mean_shares(names, groups, compared))
    support = {share.model: share.value for share in found if (share.measure, share.kind) == ("support", "all")}
    settings = AttributionSettings.of(
        chosen,
        method=_methods(models, chosen),
        context_size=chosen.window.size,
        sides=chosen.window.sides,
        units=units.kind,
    )
    return AttributionResult(
        version=__version__,
        signature=_signature(data, settings, chosen),
        data=data,
        settings=settings,
        models=list(map(_model, models, measured)),
        words=len(kept),
        left_out=left_out,
        shares=found,
        differences=[
            AttributionDifference(model=name, baseline=names[baseline], measure=measure, **difference)
            for row, name in enumerate(names)
            for column, measure in enumerate(MEASURES)
            if (difference := compared[0].difference(row, column))
        ],
        pareto=pareto({name: (accuracies[name], support[name]) for name in names if name in accuracies})
        if accuracies
        else [],
        examples=[cast(AttributedExample, one[number][1]) for number in sorted(drawn & set(kept)) for one in measured],
        warnings=[*warnings, *units.warnings, *_incomplete(models, made)],
    )


def _lacking(models: Sequence[NamedModel], measured: Sequence[Sequence[Measured]]) -> dict[LeftOut, int]:
    """Return why words have no shares of all models, and of how many: those that a file lacks count as such."""
    files = [isinstance(model.attributor, InseqAttributor) for model in models]
    lacking = (
        [file for file, (found, _) in zip(files, word, strict=True) if not found]
        for word in zip(*measured, strict=True)
    )
    return dict(Counter(LeftOut.NOT_IN_FILE if any(one) else LeftOut.CUT_OFF for one in lacking if one))


def _model(model: NamedModel, words: Sequence[Measured]) -> AttributedModel:
    cut_off = sum(not found for found, _ in words)
    return AttributedModel(name=model.name, signature=model.signature, context=model.context, cut_off=cut_off)


def _incomplete(models: Sequence[NamedModel], made: Sequence[Sequence[Shares]]) -> Iterator[str]:
    """Say of how many words the integrated gradients of a model are not what they must sum to."""
    for model, made_of in zip(models, made, strict=True):
        missed = [one.residue for one in made_of if one.residue]
        if missed and isinstance(method := model.attributor.method, Gradients):
            yield (
                f"{model.name}: integrated gradients with {method.most} points miss what they must sum to by more than "
                f"{RESIDUE:.0%} of their size in {len(missed)} of {len(made_of)} words, there on average by "
                f"{np.mean(missed):.0%}"
            )


def _methods(models: Sequence[NamedModel], options: AttributionOptions) -> str:
    """Return the signatures of the models' methods, each once."""
    methods = "; ".join(dict.fromkeys(one.attributor.method.signature for one in models))
    return f"{methods} of the difference from a wrong form" if options.against_wrong else methods


def contrasted(cases: Cases, models: Sequence[NamedModel]) -> Cases:
    """Return the words of which a wrong translation is known (E266: ALTI+ compares no two words)."""
    if any(isinstance(each, Alti | Attention | InseqAttributor) for model in models
           for each in (model.attributor, model.attributor.method)):  # fmt: skip
        cause = "ALTI+, attention and files of inseq tell of one word, and compare no two"
        advice = "--method input_x_gradient; of lm: models any but attention"
        raise InputError(Fault("E266", cause, advice, "--against-wrong"))
    kept = tuple(case for case in cases.cases if case.wrong)
    left_out = Counter({**cases.left_out})
    left_out.update({LeftOut.NO_CONTRAST: len(cases.cases) - len(kept)} if len(kept) < len(cases.cases) else {})
    return Cases(kept, dict(left_out))


def _signature(data: str, settings: AttributionSettings, options: AttributionOptions) -> str:
    return result_signature(
        options,
        attribution=data,
        method=settings.method,
        rows=settings.rows,
        context=settings.context_size,
        sides=settings.sides,
        units=settings.units,
        resamples=settings.resamples,
        trials=settings.trials,
        seed=settings.seed,
    )


def pareto(points: Mapping[str, tuple[float, float]]) -> list[ParetoPoint]:
    """Return models by accuracy and share of the supporting words, and which of them another one dominates."""
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
    cause = f"no word is left whose supporting words are in the context{f' ({why})' if why else ''}"
    advice = "take a suite with contexts and antecedents, or a larger --context"
    if LeftOut.NOT_IN_FILE in left_out:
        advice = "give the texts, --context and --sides that the file of inseq was made with"
    return Fault("E263", cause, advice, data)
