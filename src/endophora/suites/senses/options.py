"""What can be chosen when a word-sense suite is scored."""

from __future__ import annotations

from dataclasses import dataclass

from endophora.errors import Fault, InputError
from endophora.signature import keyed
from endophora.statistics.options import resampling_faults

BEST = "best"
RECALLS = ("A", "B")
TIES = ("wrong", "correct")
UNITS = ("words", "segments")


@keyed(irrelevant={"examples": "how many are shown, not what is found"})
@dataclass(frozen=True, slots=True)
class SenseOptions:
    """The options of a scoring.

    Attributes:
        recall: ``A``: right ÷ (right + not found), as in the published tables; ``B``: right ÷ all, as the paper's §5
            defines it. Both are in the result; this one is shown, and F1 is of it.
        ties: what a tie of scores counts as, ``wrong`` or ``correct``.
        higher_is_better: of scores; false for losses.
        baseline: the system to compare with; ``best`` is the one with the best F1 or accuracy.
        units: what is resampled: ``words`` (all sentences of an ambiguous word together) or ``segments``.
        resamples: of the bootstrap; none gives neither intervals nor p-values.
        trials_per_resample: the randomisation test takes this many times as many trials.
        confidence: of the intervals.
        alpha: level of significance, after Holm's correction.
        seed: of resampling and swapping.
        examples: how many are kept of each word, right sense and sense taken for it; 0 for none at all.

    Raises:
        InputError: a value is none of those known, or out of range (E220; of statistics E075).
    """

    recall: str = "A"
    ties: str = "wrong"
    higher_is_better: bool = True
    baseline: str = BEST
    units: str = "words"
    resamples: int = 1000
    trials_per_resample: int = 10
    confidence: float = 0.95
    alpha: float = 0.05
    seed: int = 1
    examples: int = 2

    def __post_init__(self) -> None:
        faults = resampling_faults(self, units=UNITS, fewest=0)
        faults += [
            Fault("E220", f"“{value}” is none of them", f"choose {' or '.join(known)}", option)
            for option, value, known in (
                ("--recall", self.recall, RECALLS),
                ("--ties", self.ties, TIES),
            )
            if value not in known
        ]
        if self.examples < 0:
            faults.append(Fault("E220", f"{self.examples} examples", "give 2, or 0 for none"))
        if faults:
            raise InputError(faults)
