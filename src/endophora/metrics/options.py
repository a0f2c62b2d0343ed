"""Arguments of metrics: ``name:VALUE,key=value,…``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from endophora.errors import Fault, InputError


def read_options(metric: str, argument: str, known: Sequence[str], bare: str = "") -> dict[str, str]:
    """Return the options that an argument names.

    Args:
        bare: the key of a value that stands without one.

    Raises: InputError: a key is unknown, is there twice or has no value (E140); all at once.
    """
    found: dict[str, str] = {}
    faults: list[Fault] = []
    listed = ", ".join(f"{key}=…" for key in known) or "none"
    for part in filter(None, (part.strip() for part in argument.split(","))):
        key, separator, value = part.partition("=")
        if not separator and bare:
            key, value = bare, part
        if key not in known or not value:
            faults.append(Fault("E140", f"{metric} has no option “{part}”", f"known: {listed}"))
        elif key in found:
            faults.append(Fault("E140", f"{metric} has its option “{key}” twice", "give it once"))
        else:
            found[key] = value
    if faults:
        raise InputError(faults)
    return found


def read_number(metric: str, options: Mapping[str, str], key: str, default: float) -> float:
    """Return an option that is a number above zero.

    Raises: InputError: it is none (E140).
    """
    text = options.get(key)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise InputError(
            Fault("E140", f"{metric}: {key}={text} is no number above zero", f"{key}={default:g} is usual")
        )
    return number
