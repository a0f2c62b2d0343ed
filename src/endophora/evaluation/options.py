"""What can be chosen of an evaluation besides its tools."""

from __future__ import annotations

from dataclasses import dataclass

from endophora.signature import keyed
from endophora.statistics.comparison import BEST, Resampling


@keyed(irrelevant={"examples": "how many are shown, not what is found"}, names=("metrics",))
@dataclass(frozen=True, slots=True)
class EvaluationOptions(Resampling):
    """Metrics, statistics and the size of the sample of examples.

    Attributes:
        metrics: names of the text metrics to report beside the phenomena.
        variant: of the word F-measure, ``paper`` or ``muda``.
        baseline: the system that all are compared with; ``best`` is each column's best.
        examples: occurrences a phenomenon in the result.

    Raises:
        InputError: an option of statistics is out of range (E075).
    """

    metrics: tuple[str, ...] = ("bleu", "chrf", "d-bleu", "blonde")
    variant: str = "paper"
    baseline: str = BEST
    examples: int = 200
