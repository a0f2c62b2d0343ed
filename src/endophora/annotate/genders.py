"""A table of endings that puts the gender of nouns right: a noun's form tells it better than its surroundings."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from spacy.language import Language

if TYPE_CHECKING:
    from spacy.tokens import Doc

_FILE = "genders.txt.gz"
WHOLE = "^"
"""Stands before an entry that is a whole word and no ending of longer ones."""
_MOST = 20_000
OPEN = "?"
"""Gender of entries that may have several."""


class NounGenders:
    """Comes after the morphologizer; nouns that the table does not decide stay as they are.

    Attributes:
        table: ending in lower case → Gender; the longest ending of a form counts.
    """

    def __init__(self) -> None:
        self.table: Mapping[str, str] = {}
        self._known: dict[str, str | None] = {}

    def find(self, form: str) -> str | None:
        """Return the gender of a form in lower case, if the table decides it."""
        entries = (form[start:] for start in range(len(form)))
        keys = (WHOLE + form, *entries)
        found = next((self.table[key] for key in keys if key in self.table), OPEN)
        return None if found == OPEN else found

    def known(self, form: str) -> str | None:
        """Return what :meth:`find` does, looked up once for each form; the table must be finished."""
        if form not in self._known:
            if len(self._known) > _MOST:
                self._known.clear()
            self._known[form] = self.find(form)
        return self._known[form]

    def __call__(self, doc: Doc) -> Doc:
        """Correct a doc."""
        for token in doc:
            if token.pos_ == "NOUN":
                features = token.morph.to_dict()
                gender = self.known(token.lower_) if "Gender" in features else None
                if gender and gender != features["Gender"]:
                    cast("Any", token).set_morph({**features, "Gender": gender})
        return doc

    def to_disk(self, path: Path, exclude: object = ()) -> None:
        """Write the table."""
        del exclude
        path.mkdir(parents=True, exist_ok=True)
        text = "\n".join(f"{ending}\t{gender}" for ending, gender in sorted(self.table.items()))
        (path / _FILE).write_bytes(gzip.compress(text.encode(), mtime=0))

    def from_disk(self, path: Path, exclude: object = ()) -> NounGenders:
        """Read the table."""
        del exclude
        lines = gzip.decompress((Path(path) / _FILE).read_bytes()).decode().splitlines()
        self._known.clear()
        self.table = dict(cast("tuple[str, str]", tuple(line.split("\t"))) for line in lines)
        return self


def make_genders(nlp: Language, name: str) -> NounGenders:
    """Build the component, its table still empty."""
    del nlp, name
    return NounGenders()


cast("Any", Language).factory("endophora_genders", assigns=["token.morph"], func=make_genders)
