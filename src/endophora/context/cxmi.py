"""CXMI: does a model use its context, and for which words (Fernandes et al., 2021; the MuDA paper, §2 and §3).

CXMI is the mean over sentences of log q(y | x, C) - log q(y | x), natural logarithm, the same model q with and without
the context C; P-CXMI of a word is the same difference for the word, given the gold words before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from endophora.context.context_read import count_context, cut_warnings, skip_long, too_long, untold_warnings
from endophora.context.cxmi_figures import CxmiOptions, compute_cxmi, compute_items, highest_tokens
from endophora.context.pointwise import Condition, Pointwise, measure_pointwise
from endophora.context.results import CxmiCondition, CxmiCorpus, CxmiResult, CxmiSettings
from endophora.context.samples import Material
from endophora.models.layout import beyond_training
from endophora.models.records import Scorer
from endophora.signature import digest_of, write_signature
from endophora.statistics.units import Units, choose_units
from endophora.version import __version__


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
) -> Measurement:
    """Measure CXMI of a text under every context that the options name, and P-CXMI of its words.

    Args:
        material: the samples; at least one.
        scorer: the model.
        options: contexts, groups and statistics.
        progress: called with numbers of samples as they are scored.
        skip_faults: leave out and count samples that are too long for the model.

    Raises:
        InputError: the model has no room for a sample, even without context (E281).
    """
    chosen = options or CxmiOptions()
    found = too_long(scorer, [one.whole.source for one in material.samples], [one.target for one in material.samples])
    skipped = skip_long(found, [sample.location for sample in material.samples], skip_faults)
    material = replace(
        material, samples=tuple(sample for place, sample in enumerate(material.samples) if place not in found)
    )
    measured = measure_pointwise(material.samples, chosen.conditions, scorer, progress)
    units = choose_units([sample.document for sample in material.samples], chosen.units)
    figures = compute_cxmi(measured, material.phenomena, units, chosen)
    conditions = [_condition(one, number, measured) for number, one in enumerate(chosen.conditions)]
    items, items_found, shrinkage = compute_items(measured, units, chosen, chosen.main)
    result = CxmiResult(
        version=__version__,
        signature=_signature(material, scorer, chosen, units),
        corpus=_corpus(material, measured, len(found)),
        settings=CxmiSettings(
            main=chosen.main.name,
            item=chosen.item,
            minimum=chosen.minimum,
            units=units.kind,
            resamples=chosen.resamples,
            confidence=chosen.confidence,
            alpha=chosen.alpha,
            seed=chosen.seed,
        ),
        conditions=conditions,
        cxmi=figures.cxmi,
        groups=figures.groups,
        contrasts=figures.contrasts,
        items=items,
        items_found=items_found,
        shrinkage=shrinkage,
        tokens=highest_tokens(measured, chosen),
        warnings=[
            *material.warnings,
            *skipped,
            *units.warnings,
            *_warnings(material, scorer, chosen),
            *(warning for one in conditions for warning in cut_warnings(f"the model, {one.name}", one.context)),
            *untold_warnings("the model", [one.context for one in conditions]),
        ],
    )
    return Measurement(result, measured)


def _condition(condition: Condition, number: int, measured: Sequence[Pointwise]) -> CxmiCondition:
    given = [condition.cut(one.sample.whole) for one in measured]
    return CxmiCondition.model_validate(
        {
            "name": condition.name,
            "sides": condition.sides.value,
            "size": condition.size,
            "samples": sum(bool(one.source_context or one.target_context) for one in given),
            "context": count_context(one.contexts[number] for one in measured),
        }
    )


def _corpus(material: Material, measured: Sequence[Pointwise], skipped: int) -> CxmiCorpus:
    return CxmiCorpus(
        kind=material.kind,
        source_language=material.languages[0],
        target_language=material.languages[1],
        documents=len({sample.document for sample in material.samples}),
        samples=len(material.samples),
        skipped=skipped,
        words=sum(len(sample.words) for sample in material.samples),
        pieces=sum(one.pieces for one in measured),
    )


def _warnings(material: Material, scorer: Scorer, options: CxmiOptions) -> list[str]:
    given = [options.main.cut(sample.whole) for sample in material.samples]
    longest = max((len(sample.whole.source_context) for sample in material.samples), default=0)
    found = beyond_training({"the model": scorer}, options.size)
    if not any(one.source_context or one.target_context for one in given):
        found.append(f"no sample has any context of {options.main.sides.value}: every figure is 0")
    if longest > options.size:
        found.append(f"the longest context has {longest} texts, and the last {options.size} of it are given: --context")
    return found


def _signature(material: Material, scorer: Scorer, options: CxmiOptions, units: Units) -> str:
    fields = {
        "model": scorer.signature,
        "context": ",".join(side.value for side in options.sides),
        "sizes": f"1-{options.size}",
        "words": material.signature,
        "items": options.item,
        "units": units.kind,
        "resamples": options.resamples,
        "confidence": options.confidence,
        "alpha": options.alpha,
        "seed": options.seed,
        "version": __version__,
    }
    return write_signature([*fields.items(), ("options", digest_of(options)[:8])])
