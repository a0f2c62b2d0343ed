"""Tables of inflected forms as a dictionary: JSON in archives, headword → nested tables whose leaves are forms."""

from __future__ import annotations

import json
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from endophora.errors import Fault, InputError
from endophora.training.readings import Analyses

BETWEEN = ":"
"""Parts the keys that lead to a form, which are its tag."""


class FormTable(BaseModel):
    """A table.

    Attributes:
        archive: beside the treebank archives, or by a path from there.
        file: its JSON file.
        mark: the first part of all tags.
        headword: the last part of the headword's tag; the headword is no form if empty.
        properties: keys of the outermost table whose values are part of all tags of the headword.
        rename: keys → what stands for them in tags.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    archive: str
    file: str
    mark: str
    headword: str = ""
    properties: tuple[str, ...] = ()
    rename: dict[str, str] = {}

    def read(self, base: Path) -> Iterator[tuple[str, str, str]]:
        """Yield form, headword and tag.

        Args:
            base: the directory that the archive's path starts from.

        Raises:
            InputError: the archive cannot be read (E081).
        """
        for headword, entry in read_entries(base / self.archive, self.file).items():
            tag = BETWEEN.join([self.mark, *(str(entry[name]) for name in self.properties if name in entry)])
            if self.headword:
                yield headword, headword, tag + BETWEEN + self.headword
            inner = {name: value for name, value in entry.items() if name not in self.properties}
            yield from ((form, headword, found) for form, found in self._forms(inner, tag))

    def _forms(self, value: Any, tag: str) -> Iterator[tuple[str, str]]:
        if isinstance(value, dict):
            for name, each in cast("Mapping[str, Any]", value).items():
                yield from self._forms(each, tag + BETWEEN + self.rename.get(name, name))
        elif isinstance(value, list):
            for each in cast("Iterable[Any]", value):
                yield from self._forms(each, tag)
        elif value:
            yield str(value), tag


class Tables:
    """The readings of forms by tables.

    Args:
        tables: the tables.
        base: the directory that the archives' paths start from.

    Raises:
        InputError: an archive cannot be read (E081).
    """

    def __init__(self, tables: Iterable[FormTable], base: Path) -> None:
        self._readings: dict[str, Analyses] = defaultdict(list)
        for table in tables:
            for form, headword, tag in table.read(base):
                self._readings[form.lower()].append((headword, tag))

    def analyses(self, form: str) -> Analyses:
        """Return headword and tag of each reading of a form, capital or not; there may be none."""
        return self._readings.get(form.lower(), [])


def read_entries(path: Path, name: str) -> dict[str, dict[str, Any]]:
    """Return the JSON table of a file in an archive of npm: headword → what it says.

    Raises:
        InputError: the archive cannot be read (E081).
    """
    try:
        with tarfile.open(path) as archive:
            file = archive.extractfile(name)
            return cast("dict[str, dict[str, Any]]", json.loads(file.read() if file else b"{}"))
    except (OSError, KeyError, tarfile.TarError) as error:
        advice = "fetch it with npm pack, as the recipe says"
        raise InputError(Fault("E081", f"no readable archive: {error}", advice, str(path))) from error
