"""What can be chosen of contrastive scoring besides suite and models."""

from __future__ import annotations

from dataclasses import dataclass

from endophora.errors import Fault, InputError
from endophora.models.documents import Sides
from endophora.signature import keyed
from endophora.statistics.options import resampling_faults

TIES = ("wrong", "correct")


@keyed()
@dataclass(frozen=True, slots=True)
class ContrastOptions:
    """Context sizes, scores and statistics.

    Attributes:
        sizes: how many segments of context models are given; the first is the one that others are compared with.
        sides: on which sides context is given.
        normalised: divide log-probabilities by the translation's tokens, its end included; ContraPro takes them whole.
        ties: what a tie counts as, ``wrong`` or ``correct``.
        baseline: name of the model that others are compared with; the first by default.
        units: what is resampled, ``documents`` or ``segments``.
        resamples: of the bootstrap.
        trials_per_resample: the randomisation test takes this many times as many trials.
        confidence: of the intervals.
        alpha: level of significance, after Holm's correction.
        seed: of resampling and swapping.

    Raises:
        InputError: a value is none of those known, or out of range (E326; of statistics E075); all at once.
    """

    sizes: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    sides: Sides = Sides.BOTH
    normalised: bool = False
    ties: str = "wrong"
    baseline: str = ""
    units: str = "documents"
    resamples: int = 1000
    trials_per_resample: int = 10
    confidence: float = 0.95
    alpha: float = 0.05
    seed: int = 1

    def __post_init__(self) -> None:
        named = (
            ("--ties", self.ties, TIES),
            ("--sides", self.sides.value, ("source", "target", "both")),
        )
        faults = resampling_faults(self)
        faults += [
            Fault("E326", f"“{value}” is none of them", f"choose {', '.join(known)}", option)
            for option, value, known in named
            if value not in known
        ]
        if not self.sizes or min(self.sizes) < 0 or len(set(self.sizes)) < len(self.sizes):
            advice = "give numbers from 0, each once: --size 0 --size 5"
            faults.append(Fault("E326", f"{list(self.sizes)} are no sizes of context", advice, "--size"))
        if faults:
            raise InputError(faults)
