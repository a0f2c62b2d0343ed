"""Parts of speech chosen once more, by what stands around a word: a log-linear model over hashed features.

A network that has seen little text guesses by the form and four words to either side. This model adds to its
probabilities what parse, classes of forms and its own first choices for the neighbours say: that *Zweiten* in *im
Zweiten Weltkrieg* is part of a name, or that *hat* without a participle is a main verb.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from spacy import strings
from spacy.tokens import Doc

from endophora.annotate.forms import FormClasses
from endophora.errors import Fault, InputError

Floats = NDArray[np.float32]
Keys = NDArray[np.uint64]
Numbers = NDArray[np.int64]

_COLUMNS = ["HEAD", "DEP", "LOWER", "ORTH", "SENT_START", "SUFFIX", "SHAPE"]
_FILE = "rescoring.npz"
_LEAST = 1e-6
_EDGE = np.uint64(1)
_PLACE = re.compile(r"([a-z]+)(\^|[+-][1-9])?")
_BITS = 64
_FIRST, _SECOND = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(33)

WORD = ("form", "ending", "shape", "class", "relation", "side", "children", "opens")
"""What is known of a word before its part of speech is."""
CHOSEN = ("tag", "second")
"""The network's likeliest and second likeliest part of speech."""


class Surroundings:
    """The words of some texts, one after the other, each property a column of numbers.

    Attributes:
        columns: property of :data:`WORD` → its value for each word, of shape (words,).
        heads: index of each word's head, its own for a root.
        opens: whether a word is the first of its sentence.
    """

    def __init__(self, docs: Sequence[Doc], forms: FormClasses) -> None:
        rows = np.concatenate([cast("Any", doc).to_array(_COLUMNS).reshape(-1, len(_COLUMNS)) for doc in docs])
        index = np.arange(len(rows))
        self.heads: Numbers = index + rows[:, 0].astype(np.int64)
        self.opens = rows[:, 4] == 1
        starts = np.cumsum([0, *map(len, docs)])[:-1]
        self.opens[starts[starts < len(rows)]] = True
        seen, place = np.unique(rows[:, 3], return_inverse=True)
        lookup = cast("Any", docs[0].vocab).strings
        classes = forms.find([str(lookup[key]) for key in seen.tolist()])
        self.columns: dict[str, Keys] = {
            "form": rows[:, 2],
            "ending": rows[:, 5],
            "shape": rows[:, 6],
            "class": _hashes(classes)[place],
            "relation": rows[:, 1],
            "side": np.sign(self.heads - index).astype(np.uint64),
            "opens": self.opens.astype(np.uint64),
        }
        children = np.zeros(len(rows), np.uint64)
        np.bitwise_or.at(children, self.heads, np.uint64(1) << (rows[:, 1] % np.uint64(_BITS)))
        self.columns["children"] = children

    def neighbours(self, values: Keys, step: int) -> Keys:
        """Return the value of the word so many to the right (to the left if negative), in the same sentence."""
        sentence = np.cumsum(self.opens)
        place = np.arange(len(values)) + step
        inside = (place >= 0) & (place < len(values))
        place = np.where(inside, place, 0)
        return np.where(inside & (sentence[place] == sentence), values[place], _EDGE)


def _hashes(names: Sequence[str]) -> Keys:
    return np.array([cast("Any", strings).hash_string(name) for name in names], np.uint64)


def _mixed(columns: Sequence[Keys]) -> Keys:
    """Return a hash of each row of columns."""
    result = np.full(len(columns[0]), _SECOND)
    for column in columns:
        result = (result ^ column) * _FIRST
        result ^= result >> _SHIFT
    return result


class Rescorer:
    """The model; without weights it changes nothing.

    Attributes:
        templates: its features, each some properties joined: ``class-1 shape`` is the class of the word before with the
            word's own shape, ``tag^`` the part of speech of its head.
        weights: hash of a feature → what it says of each part of speech, of shape (hashes, names); a power of two.
        scales: what the network's log probability of each part of speech is multiplied by.
    """

    def __init__(self) -> None:
        self.templates: tuple[str, ...] = ()
        self.names: tuple[str, ...] = ()
        self.weights: Floats = np.zeros((0, 0), np.float32)
        self.scales: Floats = np.zeros(0, np.float32)

    def opinions(self, scores: Floats, labels: Sequence[str]) -> Floats:
        """Return the network's log probability of each part of speech, of shape (words, names).

        Args:
            scores: its scores before the softmax, of shape (words, labels).
        """
        number = {name: place for place, name in enumerate(self.names)}
        table = np.eye(len(self.names), dtype=np.float32)[[number[label] for label in labels]]
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return np.log(shares @ table + np.float32(_LEAST))

    def features(self, opinions: Floats, words: Surroundings) -> Numbers:
        """Return the hashes of each word's features, of shape (words, templates).

        Args:
            opinions: the network's log probabilities, of shape (words, names).
        """
        best = opinions.argmax(axis=1)
        others = opinions.copy()
        others[np.arange(len(others)), best] = -np.inf
        columns = {**words.columns, "tag": best.astype(np.uint64), "second": others.argmax(axis=1).astype(np.uint64)}
        places: dict[str, Keys] = {}
        size = np.uint64(_BITS - len(self.weights).bit_length() + 1)
        hashes = np.empty((len(opinions), len(self.templates)), np.int64)
        for number, template in enumerate(self.templates):
            parts = parts_of(template)
            for part in parts:
                if part not in places:
                    places[part] = _at(part, columns, words)
            mixed = _mixed([np.full(len(opinions), np.uint64(number)), *(places[part] for part in parts)])
            hashes[:, number] = (mixed >> size).astype(np.int64)
        return hashes

    def rescored(self, scores: Floats, labels: Sequence[str], words: Surroundings) -> Floats:
        """Return the network's scores with this model's opinion in them.

        The labels of a part of speech keep their shares of it.

        Args:
            scores: the scores, of shape (words, labels).
        """
        opinions = self.opinions(scores, labels)
        said = opinions * (self.scales - 1)
        for column in self.features(opinions, words).T:
            said += self.weights[column]
        place = {name: number for number, name in enumerate(self.names)}
        return np.asarray(scores + said[:, [place[label] for label in labels]], np.float32)

    def to_disk(self, path: Path) -> None:
        """Write the model into a directory, its weights in half precision, if it has any."""
        if not len(self.weights):
            (path / _FILE).unlink(missing_ok=True)
            return
        about = json.dumps({"templates": self.templates, "names": self.names}).encode()
        weights = np.ascontiguousarray(self.weights.astype("<f2").T)
        np.savez_compressed(path / _FILE, about=np.frombuffer(about, np.uint8), weights=weights, scales=self.scales)

    def from_disk(self, path: Path) -> Rescorer:
        """Read the model, if there is one."""
        if (path / _FILE).is_file():
            with np.load(path / _FILE, allow_pickle=False) as data:
                about: Mapping[str, list[str]] = json.loads(data["about"].tobytes())
                self.templates, self.names = tuple(about["templates"]), tuple(about["names"])
                self.weights = np.ascontiguousarray(data["weights"].T.astype(np.float32))
                self.scales = data["scales"].astype(np.float32)
        return self


def parts_of(template: str) -> list[str]:
    """Return the properties that a template joins.

    Raises:
        InputError: words have no such property (E342).
    """
    parts = template.split()
    for part in parts:
        match = _PLACE.fullmatch(part)
        if match is None or match[1] not in (*WORD, *CHOSEN):
            known = ", ".join((*WORD, *CHOSEN))
            raise InputError(
                Fault("E342", f"words have no property “{part}”", f"one of {known}; “-1”, “+2” or “^” after it")
            )
    return parts


def _at(part: str, columns: Mapping[str, Keys], words: Surroundings) -> Keys:
    """Return a property of each word, of its neighbour (``class-1``) or of its head (``tag^``)."""
    name, place = cast("tuple[str, str | None]", cast("re.Match[str]", _PLACE.fullmatch(part)).groups())
    if not place:
        return columns[name]
    return columns[name][words.heads] if place == "^" else words.neighbours(columns[name], int(place))
