"""Where a training's text is from, and under which licence: ``sources.json`` beside the text, and the model's card."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, ValidationError
from ruamel.yaml import YAML

from endophora.errors import Fault, InputError

FILE = "sources.json"
"""The file beside a text that names its sources."""

UNKNOWN = "unknown"
"""The licence of a source of which nobody has said it."""


class TextSource(BaseModel):
    """Where text is from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    licence: str = UNKNOWN
    url: str = ""
    holder: str = ""
    domain: str = ""
    segments: int | None = None


class SourceList(BaseModel):
    """The sources of a text, and what else is to be known of how it was made.

    Attributes:
        notes: what was left out or changed → how often.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: tuple[TextSource, ...]
    notes: dict[str, int] = {}


@cache
def _known() -> dict[str, dict[str, str]]:
    table = files("endophora.training.translation").joinpath("sources.yaml").read_text("utf-8")
    return cast("Any", YAML(typ="safe")).load(table)


def described(name: str, segments: int | None = None, licences: dict[str, str] | None = None) -> TextSource:
    """Return what is known of a collection.

    Args:
        name: of the collection; the longest beginning in ``sources.yaml`` says what it is.
        licences: beginning of a name → licence; they win.
    """
    beginnings = [key for key in _known() if name.startswith(key)]
    table = dict(_known()[max(beginnings, key=len)]) if beginnings else {}
    given = [key for key in licences or {} if name.startswith(key)]
    if given:
        table["licence"] = (licences or {})[max(given, key=len)]
    return TextSource(name=name, segments=segments, **table)


def read_sources(paths: Sequence[Path]) -> SourceList:
    """Read and join lists of sources; one that stands in several is there once.

    Raises: InputError: a file cannot be read, or is no such list (E298, all of them at once).
    """
    faults: list[Fault] = []
    held: dict[str, TextSource] = {}
    notes: dict[str, int] = {}
    for path in paths:
        try:
            read = SourceList.model_validate_json(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, ValidationError) as error:
            cause = f"is no list of sources ({str(error).splitlines()[0]})"
            advice = 'write {"sources": [{"name": …, "licence": …}]}'
            faults.append(Fault("E298", cause, advice, str(path)))
            continue
        held |= {source.name: source for source in read.sources}
        notes |= read.notes
    if faults:
        raise InputError(faults)
    return SourceList(sources=tuple(held.values()), notes=notes)


def sources_beside(paths: Iterable[Path]) -> list[Path]:
    """Return the lists of sources that lie beside texts."""
    return [place for folder in dict.fromkeys(path.parent for path in paths) if (place := folder / FILE).is_file()]
