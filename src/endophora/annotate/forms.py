"""Classes of word forms by a large lexicon in a small table: common noun, place, first name, finite verb, participle.

Forms are stored as hashes of 32 bits, so that three hundred thousand of them fit into a megabyte and are read in
milliseconds; a form that is not there is taken for one that is about once in ten thousand times.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from spacy import strings

NOUN, NAME, WORD = "n ", "N ", "w "
"""What stands before a key: nouns in lower case, names as written, words in lower case."""
FIRST = "^"
"""Stands behind the class of a word that opens a sentence."""
_GENITIVE = "s"
_SHORTEST = 4
_MOST = 200_000
_BITS = 0xFFFFFFFF
_FILE = "forms.npz"
_hash = cast("Callable[[str], int]", cast("Any", strings).hash_string)


class FormClasses:
    """A table of forms.

    Attributes:
        keys: hashes of the entries, in order.
        kinds: number of each entry's kind.
        names: the kinds.
    """

    def __init__(self) -> None:
        self.keys: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self.kinds: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self.names: list[str] = []
        self._seen: dict[str, str] = {}

    @classmethod
    def of(cls, entries: Mapping[str, str]) -> FormClasses:
        """Make a table of entries: marked form → kind."""
        table = cls()
        table.names = sorted(set(entries.values()))
        number = {name: index for index, name in enumerate(table.names)}
        found = {_hash(form) & _BITS: number[kind] for form, kind in entries.items()}
        table.keys = np.array(sorted(found), np.uint32)
        table.kinds = np.array([found[key] for key in sorted(found)], np.uint8)
        return table

    def find(self, forms: Sequence[str]) -> list[str]:
        """Return the class of each form: of what kinds a capitalised or a small word may be; ``""`` of others."""
        new = [form for form in dict.fromkeys(forms) if form not in self._seen]
        if len(self._seen) > _MOST:
            self._seen.clear()
            new = list(dict.fromkeys(forms))
        entries = [_entries(form) for form in new]
        kinds = iter(self._kinds([entry for each in entries for entry in each]))
        for form, each in zip(new, entries, strict=True):
            self._seen[form] = _class([next(kinds) for _ in each])
        return [self._seen[form] for form in forms]

    def _kinds(self, entries: Sequence[str]) -> list[str | None]:
        """Return the kind of each entry, if it has one."""
        if not len(self.keys):
            return [None] * len(entries)
        wanted = np.array([_hash(entry) & _BITS for entry in entries], np.uint32)
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        numbers = np.where(self.keys[places] == wanted, self.kinds[places].astype(np.int64), -1)
        return [self.names[number] if number >= 0 else None for number in numbers.tolist()]

    def to_disk(self, path: Path) -> None:
        """Write the table into a directory."""
        steps = np.diff(self.keys, prepend=np.uint32(0)).astype("<u4")
        planes = np.ascontiguousarray(steps.view(np.uint8).reshape(-1, 4).T)  # equal bytes together: a fifth smaller
        names = np.frombuffer(json.dumps(self.names).encode(), np.uint8)
        np.savez_compressed(path / _FILE, steps=planes, kinds=self.kinds, names=names)

    def from_disk(self, path: Path) -> FormClasses:
        """Read the table."""
        with np.load(path / _FILE, allow_pickle=False) as data:
            steps = np.ascontiguousarray(data["steps"].T).view("<u4").reshape(-1)
            self.keys = np.cumsum(steps, dtype=np.uint32)
            self.kinds = data["kinds"]
            self.names = json.loads(data["names"].tobytes())
        self._seen.clear()
        return self


def _entries(form: str) -> list[str]:
    """Return the entries that decide a form's class: the word, the name, the noun and its ever shorter endings."""
    low = form.lower()
    if not form[:1].isalpha():
        return []
    if not form[:1].isupper():
        return [WORD + low]
    endings = (low[start:] for start in range(max(1, len(low) - _SHORTEST + 1)))
    return [WORD + low, NAME + form, NAME + form.removesuffix(_GENITIVE), *(NOUN + ending for ending in endings)]


def _class(kinds: Sequence[str | None]) -> str:
    """Return the class of a form by the kinds of its entries."""
    if not kinds:
        return ""
    if len(kinds) == 1:
        return f"l|{kinds[0] or ''}"
    name = kinds[1] if kinds[1] is not None else kinds[2]
    noun = next((kind for kind in kinds[3:] if kind is not None), "")
    return f"C|{noun}|{name or ''}|{'w' if kinds[0] is not None else ''}"
