"""What can be chosen of an evaluation besides its tools."""

from __future__ import annotations

from dataclasses import dataclass

from endophora.errors import InputError
from endophora.signature import keyed
from endophora.statistics.options import resampling_faults


@keyed(irrelevant={"examples": "how many are shown, not what is found"}, names=("metrics",))
@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """Metrics, statistics and the size of the sample of examples.

    Attributes:
        metrics: names of the text metrics to report beside the phenomena.
        variant: of the word F-measure, ``paper`` or ``muda``.
        baseline: the system that all are compared with; ``best`` is each column's best.
        test: ``approximate-randomisation`` or ``bootstrap``.
        units: what is resampled, ``documents`` or ``segments``.
        resamples: of the bootstrap.
        trials_per_resample: the randomisation test takes this many times as many trials.
        confidence: level of the intervals.
        alpha: level of significance, after Holm's correction.
        seed: of resampling and of the sample of examples.
        examples: occurrences a phenomenon in the result.

    Raises:
        InputError: a value is none of those known, or out of range (E075).
    """

    metrics: tuple[str, ...] = ("bleu", "chrf", "d-bleu", "blonde")
    variant: str = "paper"
    baseline: str = "best"
    test: str = "approximate-randomisation"
    units: str = "documents"
    resamples: int = 1000
    trials_per_resample: int = 10
    confidence: float = 0.95
    alpha: float = 0.05
    seed: int = 1
    examples: int = 200

    def __post_init__(self) -> None:
        if faults := resampling_faults(self):
            raise InputError(faults)
