"""What can be chosen of a meta-evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from endophora.errors import Fault, InputError
from endophora.meta.result import MetaLevel
from endophora.signature import keyed
from endophora.statistics.coefficients import COEFFICIENTS, Coefficient
from endophora.statistics.correlation import AVERAGES, Average
from endophora.statistics.options import UNITS, resampling_faults
from endophora.statistics.units import Kind

META_LEVELS: tuple[MetaLevel, ...] = ("seg", "doc", "sys")
SYSTEM_UNITS = ("systems", *UNITS)


@keyed()
@dataclass(frozen=True, slots=True)
class MetaOptions:
    """Levels, coefficients, resampling and tests.

    Attributes:
        levels: ``seg``, ``doc``, ``sys``.
        coefficients: of correlation.
        tested: those of the coefficients whose differences the permutation test is for. Ranks take seconds for each
            two metrics; Williams' test is for Pearson's r alone.
        average: what is one list below system level: all scores (``none``), the systems' scores of an item or the
            items' scores of a system. ``kendall-wmt`` always takes items.
        units: what is resampled below system level, ``documents`` or ``segments``.
        system_units: what is resampled at system level: ``systems``, or ``documents`` or ``segments`` if all
            system scores are means of those.
        resamples: of the bootstrap; 0 for no intervals.
        trials: of the permutation test; 0 for none.
        confidence: level of the intervals.
        alpha: level of significance, after Holm's correction.
        two_sided: of all tests; otherwise for the metric that agrees better being better.
        seed: of resampling and swapping.
        exclude: systems to leave out, such as human translations.
        order: systems, each compared with the next by paired t over documents; by default all, as people rank them
            from the worst.
        epsilons: metric → threshold of ties found on other data.

    Raises:
        InputError: a value is none of those known, or out of range (E106; of statistics E075).
    """

    levels: tuple[MetaLevel, ...] = META_LEVELS
    coefficients: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
    tested: tuple[Coefficient, ...] = ("pearson",)
    average: Average = "none"
    units: Kind = "documents"
    system_units: str = "systems"
    resamples: int = 1000
    trials: int = 1000
    confidence: float = 0.95
    alpha: float = 0.05
    two_sided: bool = True
    seed: int = 1
    exclude: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    epsilons: Mapping[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        chosen = [
            *(("--level", level, META_LEVELS) for level in self.levels),
            *(("--coefficient", name, COEFFICIENTS) for name in self.coefficients),
            *(("--test", name, COEFFICIENTS) for name in self.tested),
            ("--average", self.average, AVERAGES),
            ("--system-units", self.system_units, SYSTEM_UNITS),
        ]
        faults = resampling_faults(self, fewest=0)
        faults += [
            Fault("E106", f"“{value}” is none of them", f"choose {' or '.join(known)}", option)
            for option, value, known in chosen
            if value not in known
        ]
        if faults:
            raise InputError(faults)
