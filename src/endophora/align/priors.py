"""What is known of a language pair beforehand: expected counts learned from parallel text, and their file.

A priors file is one compressed container of integer arrays and word lists; it holds no code. Counts are stored as the
logarithm in steps of a twelfth of an octave, so that a file keeps some tens of thousands of pairs in half a megabyte.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from endophora.align.hmm import REACH
from endophora.align.words import Classify, Scheme, plain
from endophora.corpus.trees import load_json
from endophora.errors import Fault, InputError

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

FORMAT = "endophora-priors-2"
_OLDER = "endophora-priors-1"  # a class was a word's first letters, so many

PRIORS = Path(__file__).parent / "data"
"""Where the priors that ship lie, one file a pair."""

_SIEVE = 1 << 20
_STEP = 12
_OFFSET = 64


@dataclass(frozen=True)
class PriorSide:
    """One language of a pair.

    Attributes:
        words: lower-cased words, in order of code points.
        frequency: how often each occurs in the text learned from, shape (words,).
        linked: expected number of its links, those of pairs too rare to be kept included, shape (words,).
        unlinked: expected number of its occurrences without a link, shape (words,).
        classes: names of the classes, in order of code points.
        class_linked: expected number of links of each class, shape (classes,).
        scheme: how the class of a word is made.
        total: number of tokens of the text learned from.
    """

    words: Sequence[str] = ()
    frequency: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    linked: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    unlinked: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    classes: Sequence[str] = ()
    class_linked: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    scheme: Scheme = field(default_factory=Scheme)
    total: float = 0.0

    @cached_property
    def classify(self) -> Classify:
        """Lower-cased word → the name of its class."""
        return self.scheme.classify()

    @cached_property
    def word_numbers(self) -> dict[str, int]:
        """Word, or a word written without its accents → its place in ``words``."""
        return _numbered(self.words, self.frequency)

    @cached_property
    def class_numbers(self) -> dict[str, int]:
        """Class, or a class written without its accents → its place in ``classes``."""
        return _numbered(self.classes, self.class_linked)


def _numbered(names: Sequence[str], counts: Floats) -> dict[str, int]:
    """Return name → number; letters without accents, no name themselves, stand for the most frequent name of theirs."""
    order = np.argsort(counts, kind="stable").tolist() if len(counts) else range(len(names))
    bare = {plain(names[number]): number for number in order}
    return bare | {name: number for number, name in enumerate(names)}


@dataclass(frozen=True)
class PairCounts:
    """Expected counts of pairs of words or of classes.

    Attributes:
        keys: source number × ``columns`` + target number, ascending, shape (pairs,).
        counts: shape (pairs,).
        columns: number of words or classes of the target side.
    """

    keys: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    counts: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    columns: int = 0

    @cached_property
    def _sieve(self) -> NDArray[np.bool_]:
        """Which last bits of a key occur: most of the pairs asked for have none and need no search."""
        sieve = np.zeros(_SIEVE, dtype=bool)
        sieve[self.keys & (_SIEVE - 1)] = True
        return sieve

    def look_up(self, source: Ints, target: Ints) -> Floats:
        """Return the counts of pairs given by number; a number of −1 is a word that is not known."""
        found = np.zeros(len(source), dtype=np.float32)
        known = np.flatnonzero((source >= 0) & (target >= 0))
        if not len(self.keys) or not len(known):
            return found
        wanted = source[known] * self.columns + target[known]
        likely = self._sieve[wanted & (_SIEVE - 1)]
        known, wanted = known[likely], wanted[likely]
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        hits = self.keys[places] == wanted
        found[known[hits]] = self.counts[places[hits]]
        return found

    def swapped(self, rows: int) -> PairCounts:
        """Return the same counts with source and target exchanged; ``rows`` is the number of source words."""
        source, target = np.divmod(self.keys, max(1, self.columns))
        keys = target * rows + source
        order = np.argsort(keys, kind="stable")
        return PairCounts(keys[order], self.counts[order], rows)


def _flat_jumps() -> Floats:
    # Without priors a short step is more likely than a long one, and one forward the likeliest.
    steps = np.arange(-REACH, REACH + 1)
    return np.maximum(np.exp(-np.abs(steps - 1) / 1.5), 0.002).astype(np.float32)


@dataclass(frozen=True)
class Priors:
    """What is known beforehand of a pair of languages; without arguments, nothing.

    Attributes:
        words: expected counts of pairs of words.
        classes: expected counts of pairs of classes.
        forward: weights of jumps among source positions from one target word to the next, shape (2 · REACH + 1,).
        backward: weights of jumps among target positions, the same shape.
        hash: first eight hexadecimal digits of the file's SHA-256; ``"none"`` if there is no file.
    """

    source: PriorSide = field(default_factory=PriorSide)
    target: PriorSide = field(default_factory=PriorSide)
    words: PairCounts = field(default_factory=PairCounts)
    classes: PairCounts = field(default_factory=PairCounts)
    forward: Floats = field(default_factory=_flat_jumps)
    backward: Floats = field(default_factory=_flat_jumps)
    hash: str = "none"

    def swapped(self) -> Priors:
        """Return the same knowledge for the opposite direction of translation."""
        return Priors(
            self.target,
            self.source,
            self.words.swapped(len(self.source.words)),
            self.classes.swapped(len(self.source.classes)),
            self.backward,
            self.forward,
            self.hash,
        )


def priors_path(source_language: str, target_language: str) -> tuple[Path, bool] | None:
    """Return where the shipped priors of a pair are, if any are, and whether they are for the opposite direction."""
    for first, second, swap in ((source_language, target_language, False), (target_language, source_language, True)):
        path = PRIORS / f"{first}-{second}.priors"
        if path.is_file():
            return path, swap
    return None


def pairs_with_priors() -> tuple[tuple[str, str], ...]:
    """Return the pairs whose priors ship, in alphabetical order; both directions are served."""
    pairs = (path.stem.partition("-") for path in PRIORS.glob("*.priors"))
    return tuple(sorted((first, second) for first, _, second in pairs))


@lru_cache(maxsize=8)
def shipped_priors(source_language: str, target_language: str) -> Priors:
    """Return the priors that ship for a pair, or empty ones."""
    found = priors_path(source_language, target_language)
    if found is None:
        return Priors()
    path, swap = found
    priors = read_priors(path)
    return priors.swapped() if swap else priors


def write_priors(priors: Priors, path: Path) -> str:
    """Write priors to a file and return its hash; the same priors give the same bytes."""
    arrays: dict[str, NDArray[np.generic]] = {
        "forward": priors.forward.astype("<f4"),
        "backward": priors.backward.astype("<f4"),
    }
    for name, side in (("source", priors.source), ("target", priors.target)):
        arrays[f"{name}.words"] = _pack_words(side.words)
        arrays[f"{name}.classes"] = _pack_words(side.classes)
        for part in ("frequency", "linked", "unlinked", "class_linked"):
            arrays[f"{name}.{part}"] = _quantise(cast("Floats", getattr(side, part)))
    for name, pairs in (("words", priors.words), ("classes", priors.classes)):
        gaps = np.diff(pairs.keys, prepend=0)
        arrays[f"{name}.keys"] = gaps.astype("<u4").view(np.uint8).reshape(-1, 4).T.copy().reshape(-1)
        arrays[f"{name}.counts"] = _quantise(pairs.counts)
    head = {
        "format": FORMAT,
        "classes": [side.scheme.model_dump(exclude_defaults=True) for side in (priors.source, priors.target)],
        "total": [float(priors.source.total), float(priors.target.total)],
        "arrays": [[name, str(array.dtype.str), int(array.size)] for name, array in arrays.items()],
    }
    body = json.dumps(head, sort_keys=True).encode() + b"\n" + b"".join(array.tobytes() for array in arrays.values())
    data = lzma.compress(body, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, preset=9 | lzma.PRESET_EXTREME)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return _hash(data)


def read_priors(path: Path) -> Priors:
    """Read a priors file."""
    if not path.is_file():
        raise InputError(Fault("E050", "there is no such priors file", "endophora-makers priors makes one", str(path)))
    data = path.read_bytes()
    try:
        head_line, _, body = lzma.decompress(data).partition(b"\n")
        head = cast("dict[str, object]", load_json(head_line))
        arrays = _arrays(head, body)
        return _assemble(head, arrays, _hash(data))
    except (lzma.LZMAError, ValueError, KeyError, TypeError) as error:
        cause = f"it is no priors file of the format {FORMAT} ({error})"
        raise InputError(Fault("E051", cause, "make it anew with endophora-makers priors", str(path))) from error


def _arrays(head: dict[str, object], body: bytes) -> dict[str, NDArray[np.generic]]:
    if head["format"] not in (FORMAT, _OLDER):
        raise ValueError(f"its format is {head['format']}")
    arrays: dict[str, NDArray[np.generic]] = {}
    at = 0
    for name, kind, size in cast("list[tuple[str, str, int]]", head["arrays"]):
        dtype = np.dtype(kind)
        if dtype.kind not in "uif":
            raise ValueError(f"an array of {kind}")
        arrays[name] = np.frombuffer(body, dtype, size, at)
        at += size * dtype.itemsize
    return arrays


def _assemble(head: dict[str, object], arrays: dict[str, NDArray[np.generic]], digest: str) -> Priors:
    schemes = [Scheme.model_validate(scheme) for scheme in _schemes(head)]
    totals = cast("list[float]", head["total"])
    sides: list[PriorSide] = []
    for place, name in enumerate(("source", "target")):
        frequency, linked, unlinked, class_linked = (
            _restore(arrays[f"{name}.{part}"]) for part in ("frequency", "linked", "unlinked", "class_linked")
        )
        words, classes = _unpack_words(arrays[f"{name}.words"]), _unpack_words(arrays[f"{name}.classes"])
        if len(words) != len(frequency) or len(classes) != len(class_linked):
            raise ValueError("words and counts are not of one number")
        sides.append(
            PriorSide(words, frequency, linked, unlinked, classes, class_linked, schemes[place], totals[place])
        )
    pairs: list[PairCounts] = []
    for name, columns in (("words", len(sides[1].words)), ("classes", len(sides[1].classes))):
        planes = arrays[f"{name}.keys"].astype(np.uint8).reshape(4, -1)
        gaps = np.ascontiguousarray(planes.T).view("<u4").reshape(-1)
        pairs.append(PairCounts(np.cumsum(gaps, dtype=np.int64), _restore(arrays[f"{name}.counts"]), columns))
    forward, backward = (arrays[name].astype(np.float32) for name in ("forward", "backward"))
    return Priors(sides[0], sides[1], pairs[0], pairs[1], forward, backward, digest)


def _schemes(head: dict[str, object]) -> list[object]:
    if head["format"] == FORMAT:
        return cast("list[object]", head["classes"])
    return [{"letters": letters} for letters in cast("list[int]", head["prefix"])]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:8]


def _pack_words(words: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode(), np.uint8)


def _unpack_words(array: NDArray[np.generic]) -> list[str]:
    return array.tobytes().decode().split("\n") if array.size else []


def _quantise(counts: Floats) -> NDArray[np.uint8]:
    # 0 is no count; else the logarithm to base 2, from 2**-5.3 in steps of a twelfth.
    logs = np.rint(np.log2(np.maximum(counts, 1e-9)) * _STEP) + _OFFSET
    return np.where(counts > 0, np.clip(logs, 1, 255), 0).astype(np.uint8)


def _restore(array: NDArray[np.generic]) -> Floats:
    codes = array.astype(np.float32)
    return np.where(codes > 0, np.exp2((codes - _OFFSET) / _STEP), 0).astype(np.float32)
