"""What a meta-evaluation computes; commands build their options from it, so nothing here takes long to load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, get_args

from endophora.errors import Fault
from endophora.options import inherited, numbers, option
from endophora.signature import keyed
from endophora.statistics.resampling import Average, Bootstrapping, Coefficient

MetaLevel: TypeAlias = Literal["seg", "doc", "sys"]

SYSTEM_UNITS = ("systems", "documents", "segments")


@keyed()
@dataclass(frozen=True, slots=True, kw_only=True)
class MetaOptions(Bootstrapping):
    """Levels, coefficients, resampling and tests; ``units`` is what is resampled below system level.

    Attributes:
        tested: those of the coefficients whose differences the permutation test is for. Ranks take seconds for each
            two metrics; Williams' test is for Pearson's r alone.
        average: what is one list below system level: all scores (``none``), the systems' scores of an item or the
            items' scores of a system. ``kendall-wmt`` always takes items.
        system_units: ``documents`` or ``segments`` only if all system scores are means of those.
        two_sided: of all tests; otherwise for the metric that agrees better being better.
        order: systems, each compared with the next by paired t over documents; by default all, as people rank them
            from the worst.
        epsilons: metric → threshold of ties found on other data.

    Raises:
        InputError: a value is none of those known, or out of range (E106; of statistics E075).
    """

    levels: tuple[MetaLevel, ...] = option(
        get_args(MetaLevel), "--level", metavar="NAME", help="seg, doc or sys. Repeatable."
    )
    coefficients: tuple[Coefficient, ...] = option(
        ("pearson", "spearman", "kendall"),
        *("--coefficient", "-c"),
        metavar="NAME",
        help="pearson, spearman, kendall or kendall-wmt. Repeatable.",
    )
    tested: tuple[Coefficient, ...] = option(
        ("pearson",),
        "--test",
        metavar="NAME",
        help="Coefficient to test by permutation. Repeatable. [default: pearson]",
    )
    average: Average = option("none", metavar="NAME", help="What is one list: none (all scores), item or system.")
    system_units: str = option("systems", metavar="NAME", help="At system level: systems, documents or segments.")
    resamples: int = inherited(Bootstrapping, "resamples", "For the intervals; 0 for none.", least=0)
    trials: int = option(1000, least=0, help="Of the permutation test; 0 for none.")
    two_sided: bool = option(
        True, "--one-sided", inverted=True, help="Test whether the better metric is better, as WMT does."
    )
    exclude: tuple[str, ...] = option((), metavar="SYSTEM", help="System to leave out. Repeatable.")
    order: tuple[str, ...] = option(
        (), metavar="SYSTEM", help="Systems for paired t; by default as people rank them. Repeatable."
    )
    epsilons: Mapping[str, float] = option(
        {},
        "--epsilon",
        metavar="METRIC=NUMBER",
        help="Threshold of ties found on other data. Repeatable.",
        read=partial(numbers, flag="--epsilon", metavar="METRIC=NUMBER"),
    )

    least_resamples = 0

    def faults(self) -> list[Fault]:
        """Return what is unknown (E106), or too few trials (E075)."""
        chosen = (
            ("levels", "--level", get_args(MetaLevel)),
            ("coefficients", "--coefficient", get_args(Coefficient)),
            ("tested", "--test", get_args(Coefficient)),
            ("average", "", get_args(Average)),
            ("system_units", "", SYSTEM_UNITS),
        )
        unknown = [fault for name, flag, known in chosen for fault in self.unknown(name, known, "E106", flag)]
        return [*self.too_few("trials", 0), *unknown]
