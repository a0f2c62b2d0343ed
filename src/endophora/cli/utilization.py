"""What the commands of ``context`` share: models by name, sides, pages on disk."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.models.documents import Sides

DEFAULT = "default"
"""The model that is tried where none is named: the shipped one."""

Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-M",
        metavar="NAME=MODEL",
        help="A model: a folder, hf:NAME, ct2:FOLDER, deepl:, … Repeatable. [default: the shipped one]",
    ),
]
SideName = Annotated[
    str, typer.Option("--sides", metavar="NAME", help="Where context is given: source, target or both.")
]
Device = Annotated[str, typer.Option("--device", metavar="NAME", help="auto, cpu, cuda, … as torch names it.")]


def named_models(values: Iterable[str]) -> dict[str, str]:
    """Return name → spec of repeatable ``NAME=SPEC`` options; a spec alone is named by its last part.

    Raises:
        InputError: two models have the same name, or a name or a spec is empty (E330); all at once.
    """
    found: dict[str, str] = {}
    faults: list[Fault] = []
    for value in values:
        name, equals, spec = value.partition("=")
        # In ``hf:facebook/nllb,target_code=deu_Latn`` the sign belongs to an option of the model.
        if not equals or any(mark in name for mark in ":/\\,"):
            spec = value
            name = value.partition(",")[0].replace("\\", "/").rstrip("/").rpartition("/")[2]
            name = name.rpartition(":")[2] or name.strip(":")
        if not name or not spec:
            faults.append(Fault("E330", f"“{value}” names no model", "give it as NAME=MODEL", "--model"))
        elif name in found:
            faults.append(Fault("E330", f"two models are called “{name}”", "name them: NAME=MODEL", "--model"))
        else:
            found[name] = spec
    if faults:
        raise InputError(faults)
    return found


def read_sides(name: str) -> Sides:
    """Return on which sides context is given.

    Raises:
        InputError: the name is none of them (E326).
    """
    from endophora.models.documents import Sides

    if name not in ("source", "target", "both"):
        raise InputError(Fault("E326", f"“{name}” is none of them", "choose source, target or both", "--sides"))
    return Sides(name)
