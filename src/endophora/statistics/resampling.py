"""What statistics can be asked for, and the options of resampling that every study has; nothing here loads numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from endophora.errors import Fault, InputError
from endophora.options import option
from endophora.signature import keyed

Kind: TypeAlias = Literal["documents", "segments", "words"]
"""What is drawn and swapped as a whole."""
TestName: TypeAlias = Literal["approximate-randomisation", "bootstrap"]
Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall", "kendall-wmt"]
Average: TypeAlias = Literal["none", "item", "system"]
"""What is one list of scores: all, those of an item by all systems, or those of a system."""

BEST = "best"
"""Instead of a system's name: compare with the best system."""


@keyed()
@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrapping:
    """How intervals are computed: the options of statistics that every study has.

    Options of studies inherit from this class or from :class:`Resampling`. They say with the class variables what they
    allow, and give their own faults in :meth:`faults`; all are raised together.

    Raises: InputError: a value is none of those known, or out of range (E075; what a study adds has its own codes).
    """

    units: Kind = option("documents", metavar="NAME", help="What is resampled: documents or segments.")
    resamples: int = option(1000, least=100, help="Number of resamples.")
    confidence: float = 0.95
    alpha: float = option(0.05, least=1e-6, most=0.5, help="Level of significance.")
    seed: int = option(1, least=0, help="Seed of resampling and swapping.")

    known_units: ClassVar[tuple[Kind, ...]] = ("documents", "segments")
    least_resamples: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if faults := [*self._out_of_range(), *self.faults()]:
            raise InputError(faults)

    def faults(self) -> list[Fault]:
        """Return what is wrong with the options that a study adds."""
        return []

    def _out_of_range(self) -> list[Fault]:
        faults = [fault for name, known in self._named().items() for fault in self.unknown(name, known, "E075")]
        for name, usual in (("confidence", 0.95), ("alpha", 0.05)):
            level: float = getattr(self, name)
            if not 0 < level < 1:
                advice = f"give a number between 0 and 1, such as {usual}"
                faults.append(Fault("E075", f"{name} is {level}", advice, _option(name)))
        return [*faults, *(fault for name, least in self._least().items() for fault in self.too_few(name, least))]

    def _named(self) -> dict[str, Sequence[str]]:
        return {"units": self.known_units}

    def _least(self) -> dict[str, int]:
        return {"resamples": self.least_resamples, "seed": 0}

    def unknown(self, name: str, known: Sequence[str], code: str, flag: str = "") -> list[Fault]:
        """Return a fault for each value of an option that is none of those known."""
        value: str | tuple[str, ...] = getattr(self, name)
        return [
            Fault(code, f"“{one}” is none of them", f"choose {' or '.join(known)}", flag or _option(name))
            for one in ((value,) if isinstance(value, str) else value)
            if one not in known
        ]

    def too_few(self, name: str, least: int) -> list[Fault]:
        """Return the fault of an option that is no whole number from ``least`` on, or nothing."""
        value: Any = getattr(self, name)
        if isinstance(value, Integral) and int(value) >= least:
            return []
        return [Fault("E075", f"{name} is {value}", f"give a whole number from {least}", _option(name))]


@keyed()
@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling(Bootstrapping):
    """How intervals and paired tests are computed."""

    test: TestName = "approximate-randomisation"
    trials_per_resample: int = 10

    known_tests: ClassVar[tuple[TestName, ...]] = get_args(TestName)

    @property
    def trials(self) -> int:
        """Of the randomisation test."""
        return self.resamples * self.trials_per_resample

    def _named(self) -> dict[str, Sequence[str]]:
        return {"test": self.known_tests, "units": self.known_units}

    def _least(self) -> dict[str, int]:
        return {"resamples": self.least_resamples, "trials_per_resample": 1, "seed": 0}


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
