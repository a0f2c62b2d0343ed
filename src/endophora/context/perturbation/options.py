"""What can be chosen of a perturbation besides text and models."""

from __future__ import annotations

from dataclasses import dataclass, field

from endophora.context.perturbation.conditions import DEFAULT, Condition
from endophora.errors import Fault, InputError
from endophora.metrics import load_metric, reads_annotations
from endophora.models.documents import Sides
from endophora.models.records import Decoding
from endophora.signature import keyed
from endophora.statistics.options import resampling_faults

DEFINITIONS = ("total", "normalised", "off")


@keyed(names=("metrics",))
@dataclass(frozen=True, slots=True)
class PerturbationOptions:
    """Conditions, metrics, statistics, and the thresholds of the verdicts.

    Attributes:
        conditions: what stands in the place of the context, the correct one first.
        size: most segments of context.
        sides: on which sides context is given.
        metrics: names of text metrics; the first is the one by which verdicts go.
        cxmi: definition of CXMI: ``total`` or ``normalised`` log-probabilities of sentences; ``off`` for none.
        decoding: how translations are searched for.
        test: ``approximate-randomisation`` or ``bootstrap``.
        units: what is resampled, ``documents`` or ``segments``.
        resamples: of the bootstrap.
        trials_per_resample: the randomisation test takes this many times as many trials.
        confidence: level of the intervals.
        alpha: level of significance, after Holm's correction.
        seed: of the perturbations and of resampling.
        margin: smallest difference in the first metric that a verdict heeds, in points of 100.
        cxmi_margin: smallest difference in CXMI that a verdict heeds, in nats; by default .1 a sentence (which a
            context of that CXMI makes a tenth likelier), or .01 a sub-word where CXMI is normalised.
        collapse: share of the score without context whose loss is a collapse.
        without_context: largest share of answers to segments with context that may be made without it; where there are
            more there is no verdict.

    Raises:
        InputError: a value is none of those known, or out of range (E326; of statistics E075); all at once.
    """

    conditions: tuple[Condition, ...] = DEFAULT
    size: int = 5
    sides: Sides = Sides.BOTH
    metrics: tuple[str, ...] = ("bleu", "chrf")
    cxmi: str = "total"
    decoding: Decoding = field(default_factory=Decoding)
    test: str = "approximate-randomisation"
    units: str = "documents"
    resamples: int = 1000
    trials_per_resample: int = 10
    confidence: float = 0.95
    alpha: float = 0.05
    seed: int = 1
    margin: float = 0.5
    cxmi_margin: float | None = None
    collapse: float = 0.2
    without_context: float = 0.1

    def __post_init__(self) -> None:
        named = (
            ("--cxmi", self.cxmi, DEFINITIONS),
            ("--sides", self.sides.value, ("source", "target", "both")),
        )
        faults = resampling_faults(self)
        faults += [
            Fault("E326", f"“{value}” is none of them", f"choose {', '.join(known)}", option)
            for option, value, known in named
            if value not in known
        ]
        ranges = (
            ("--context", self.size, 1, "give 1 or more segments; 5 as in the paper"),
            ("--beam", self.decoding.beam, 1, "give 1 or more; 1 is greedy"),
            ("--metric", len(self.metrics), 1, "name at least one; verdicts go by the first"),
        )
        faults += [
            Fault("E326", f"{value} is too few", advice, option)
            for option, value, least, advice in ranges
            if value < least
        ]
        if faults:
            raise InputError(faults)


def margin_of_cxmi(options: PerturbationOptions) -> float:
    """Return the smallest difference in CXMI that a verdict heeds, in nats."""
    if options.cxmi_margin is not None:
        return options.cxmi_margin
    return 0.01 if options.cxmi == "normalised" else 0.1


def check_metrics(names: tuple[str, ...], language: str, references: int) -> dict[str, str]:
    """Return the signature of each metric, asked for before anything is translated, so that what lacks is told at once.

    Args:
        names: of the metrics.
        language: ISO 639-1 code of the target.
        references: how many there are.

    Raises:
        InputError: a metric or its argument is unknown (E090), or it reads annotated text (E327).
        MissingModelError: what a metric needs is not installed.
    """
    annotated = [name for name in names if reads_annotations(name)]
    if annotated:
        advice = "the translations are written: endophora evaluate --system NAME=FILE scores them with it"
        raise InputError([Fault("E327", f"{name} reads annotated text", advice, "--metric") for name in annotated])
    return {name: load_metric(name, language).signature(references=references) for name in names}
