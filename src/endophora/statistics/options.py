"""The options that all studies have of statistics: their ranges, said once."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import get_args

from endophora.errors import Fault
from endophora.statistics.units import Kind

TESTS = ("approximate-randomisation", "bootstrap")
UNITS: tuple[Kind, ...] = get_args(Kind)


def resampling_faults(options: object, *, units: Sequence[str] = UNITS, fewest: int = 1) -> list[Fault]:
    """Return what is wrong with the options of statistics that a study has (E075); it need not have all."""
    faults: list[Fault] = []
    for name, known in (("test", TESTS), ("units", units)):
        value: object = getattr(options, name, known[0])
        if value not in known:
            faults.append(Fault("E075", f"“{value}” is none of them", f"choose {' or '.join(known)}", _option(name)))
    for name, usual in (("confidence", 0.95), ("alpha", 0.05)):
        level: float = getattr(options, name, usual)
        if not 0 < level < 1:
            faults.append(
                Fault("E075", f"{name} is {level}", f"give a number between 0 and 1, such as {usual}", _option(name))
            )
    for name, least in (("resamples", fewest), ("trials", fewest), ("trials_per_resample", 1), ("seed", 0)):
        number: object = getattr(options, name, least)
        if not isinstance(number, Integral) or number < least:
            faults.append(Fault("E075", f"{name} is {number}", f"give a whole number from {least}", _option(name)))
    return faults


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
