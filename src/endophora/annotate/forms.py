"""What large word lists say of forms, in small tables: their classes, and the labels that they may have.

Forms are stored as hashes of 32 bits, so that three hundred thousand of them fit into a megabyte and are read in
milliseconds; a form that is not there counts as one that is about once in ten thousand times.

A network guesses the label of a word that it has not learned from; a dictionary knows which it may have. Forms are
stored as the first 28 bits of their hashes (four fewer than in :mod:`endophora.annotate.forms` make the table an eighth
smaller); one that is not there fits every label, and counts as one that is about once in a thousand times.
"""

from __future__ import annotations

import json
from collections import Counter
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


def hashes(entries: Sequence[str]) -> NDArray[np.uint32]:
    """Return a hash of 32 bits of each entry."""
    return np.array([_hash(entry) & _BITS for entry in entries], np.uint32)


def look_up(keys: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> list[int]:
    """Return the place of each wanted hash among ordered ones, -1 if it is not there."""
    if not len(keys):
        return [-1] * len(wanted)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[places] == wanted, places, -1).tolist()


def packed(keys: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return ordered hashes as what zip makes smallest: steps, equal bytes together (a fifth smaller)."""
    steps = np.diff(keys, prepend=np.uint32(0)).astype("<u4")
    return np.ascontiguousarray(steps.view(np.uint8).reshape(-1, 4).T)


def unpacked(planes: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return the hashes that :func:`packed` was given."""
    return np.cumsum(np.ascontiguousarray(planes.T).view("<u4").reshape(-1), dtype=np.uint32)


class FormClasses:
    """A table of forms."""

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
        found = dict(zip(hashes(list(entries)).tolist(), map(number.__getitem__, entries.values()), strict=True))
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
        return [self.names[self.kinds[place]] if place >= 0 else None for place in look_up(self.keys, hashes(entries))]

    def to_disk(self, path: Path) -> None:
        """Write the table into a directory, if it has entries."""
        if not len(self.keys):
            (path / _FILE).unlink(missing_ok=True)
            return
        names = np.frombuffer(json.dumps(self.names).encode(), np.uint8)
        np.savez_compressed(path / _FILE, steps=packed(self.keys), kinds=self.kinds, names=names)

    def from_disk(self, path: Path) -> FormClasses:
        """Read the table, if there is one."""
        if (path / _FILE).is_file():
            self._read(path / _FILE)
        self._seen.clear()
        return self

    def _read(self, file: Path) -> None:
        with np.load(file, allow_pickle=False) as data:
            self.keys = unpacked(data["steps"])
            self.kinds = data["kinds"]
            self.names = json.loads(data["names"].tobytes())


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


_MOST_SEEN = 200_000
_DROPPED = np.uint32(4)  # bits of a hash
_LEXICON_FILE = "lexicon.npz"


class LabelLexicon:
    """A table of forms: the first bits of their hashes, in order, and their classes.

    Class 0 is of other forms, which all labels fit. ``fits`` has shape (classes, labels). With ``names`` the entry of a
    small word holds with a capital, too, where it may be a name.
    """

    def __init__(self) -> None:
        self.keys: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self.kinds: NDArray[np.uint16] = np.zeros(0, np.uint16)
        self.fits: NDArray[np.bool_] = np.ones((1, 0), np.bool_)
        self.names = True
        self._seen: dict[tuple[str, bool], int] = {}

    @classmethod
    def of(cls, entries: Mapping[str, frozenset[int]], labels: int) -> LabelLexicon:
        """Make a table of marked form (``WORD`` + lower case, ``NAME`` + form) → numbers of the labels that fit."""
        table = cls()
        ranked = (fitting for fitting, _ in Counter(entries.values()).most_common())  # small numbers, a small file
        classes = {fitting: index for index, fitting in enumerate(ranked, start=1)}
        table.fits = np.ones((len(classes) + 1, labels), np.bool_)
        for fitting, index in classes.items():
            table.fits[index] = False
            table.fits[index, sorted(fitting)] = True
        keys = (hashes(list(entries)) >> _DROPPED).tolist()
        found = dict(zip(keys, map(classes.__getitem__, entries.values()), strict=True))
        table.keys = np.array(sorted(found), np.uint32)
        table.kinds = np.array([found[key] for key in sorted(found)], np.uint16)
        return table

    def find(self, forms: Sequence[str], opens: Sequence[bool]) -> NDArray[np.int64]:
        """Return the class of each form."""
        words = list(zip(forms, opens, strict=True))
        if len(self._seen) > _MOST_SEEN:
            self._seen.clear()
        new = [word for word in dict.fromkeys(words) if word not in self._seen]
        entries = [_lexicon_entries(form, first=first, names=self.names) for form, first in new]
        places = iter(look_up(self.keys, hashes([entry for each in entries for entry in each]) >> _DROPPED))
        for word, each in zip(new, entries, strict=True):
            found = [place for place in [next(places) for _ in each] if place >= 0]
            self._seen[word] = int(self.kinds[found[0]]) if found else 0
        seen = self._seen
        return np.array([seen[word] for word in words], np.int64)

    def to_disk(self, path: Path) -> None:
        """Write the table into a directory, if it has entries."""
        if not len(self.keys):
            (path / _LEXICON_FILE).unlink(missing_ok=True)
            return
        bits = np.packbits(self.fits, axis=1)
        labels = np.array([self.fits.shape[1], self.names], "<u4")
        kinds = np.ascontiguousarray(self.kinds.astype("<u2").view(np.uint8).reshape(-1, 2).T)
        np.savez_compressed(path / _LEXICON_FILE, steps=packed(self.keys), kinds=kinds, fits=bits, labels=labels)

    def from_disk(self, path: Path) -> LabelLexicon:
        """Read the table, if there is one."""
        if (path / _LEXICON_FILE).is_file():
            with np.load(path / _LEXICON_FILE, allow_pickle=False) as data:
                self.keys = unpacked(data["steps"])
                self.kinds = np.ascontiguousarray(data["kinds"].T).view("<u2").reshape(-1)
                count, *names = data["labels"].tolist()
                self.names = bool(names[0]) if names else True
                self.fits = np.unpackbits(data["fits"], axis=1, count=count).astype(np.bool_)
        self._seen.clear()
        return self


def _lexicon_entries(form: str, *, first: bool, names: bool) -> list[str]:
    """Return the entries that decide a form's class: the first that the table has."""
    low = form.lower()
    if not form[:1].isalpha():
        return []
    if not form[:1].isupper():
        return [WORD + low]
    as_name = [NAME + form] if form[1:].islower() else [NAME + form, NAME + form.capitalize()]
    if first:
        return [WORD + low, *as_name]
    return [*as_name, WORD + low] if names else as_name
