"""What a dictionary lets frequent forms be, as a small table: form → class → the labels that fit.

A network guesses the label of a word that it has not learned from; a dictionary knows which it may have. Forms are
stored as the first 28 bits of their hashes (four fewer than in :mod:`endophora.annotate.forms` make the table an eighth
smaller); one that is not there fits every label, and is taken for one that is about once in a thousand times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from endophora.annotate.forms import NAME, WORD, hashes, look_up, packed, unpacked

_MOST = 200_000
_DROPPED = np.uint32(4)  # bits of a hash
_FILE = "lexicon.npz"


class Lexicon:
    """A table of forms.

    Attributes:
        keys: the first bits of the entries' hashes, in order.
        kinds: number of each entry's class, from 1.
        fits: whether a label fits a class, of shape (classes, labels); class 0 is that of other forms, which all fit.
        names: whether the entry of a small word holds with a capital, too, where it may be a name.
    """

    def __init__(self) -> None:
        self.keys: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self.kinds: NDArray[np.uint16] = np.zeros(0, np.uint16)
        self.fits: NDArray[np.bool_] = np.ones((1, 0), np.bool_)
        self.names = True
        self._seen: dict[tuple[str, bool], int] = {}

    @classmethod
    def of(cls, entries: Mapping[str, frozenset[int]], labels: int) -> Lexicon:
        """Make a table.

        Args:
            entries: marked form (``WORD`` and lower case, ``NAME`` and as written) → numbers of the labels that fit.
        """
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
        """Return the class of each form.

        Args:
            opens: whether each opens a sentence, so that its capital says nothing.
        """
        words = list(zip(forms, opens, strict=True))
        if len(self._seen) > _MOST:
            self._seen.clear()
        new = [word for word in dict.fromkeys(words) if word not in self._seen]
        entries = [_entries(form, first=first, names=self.names) for form, first in new]
        places = iter(look_up(self.keys, hashes([entry for each in entries for entry in each]) >> _DROPPED))
        for word, each in zip(new, entries, strict=True):
            found = [place for place in [next(places) for _ in each] if place >= 0]
            self._seen[word] = int(self.kinds[found[0]]) if found else 0
        seen = self._seen
        return np.array([seen[word] for word in words], np.int64)

    def to_disk(self, path: Path) -> None:
        """Write the table into a directory, if it has entries."""
        if not len(self.keys):
            (path / _FILE).unlink(missing_ok=True)
            return
        bits = np.packbits(self.fits, axis=1)
        labels = np.array([self.fits.shape[1], self.names], "<u4")
        kinds = np.ascontiguousarray(self.kinds.astype("<u2").view(np.uint8).reshape(-1, 2).T)
        np.savez_compressed(path / _FILE, steps=packed(self.keys), kinds=kinds, fits=bits, labels=labels)

    def from_disk(self, path: Path) -> Lexicon:
        """Read the table, if there is one."""
        if (path / _FILE).is_file():
            with np.load(path / _FILE, allow_pickle=False) as data:
                self.keys = unpacked(data["steps"])
                self.kinds = np.ascontiguousarray(data["kinds"].T).view("<u2").reshape(-1)
                count, *names = data["labels"].tolist()
                self.names = bool(names[0]) if names else True
                self.fits = np.unpackbits(data["fits"], axis=1, count=count).astype(np.bool_)
        self._seen.clear()
        return self


def _entries(form: str, *, first: bool, names: bool) -> list[str]:
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
