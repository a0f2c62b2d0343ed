"""What is known of a language pair beforehand: expected counts learned from parallel text, and their file.

A priors file is one compressed container of integer arrays and word lists; it holds no code. Counts are stored as the
logarithm in steps of a twelfth of an octave, so that a file keeps some tens of thousands of pairs in half a megabyte.
"""

from __future__ import annotations

import hashlib
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

STEP, OFFSET = 12, 64
"""A count is kept as its logarithm to base 2 in steps of a twelfth, from 2**-5.3; 0 is no count."""
_SIEVE = 1 << 20


def _nothing() -> Floats:
    return np.zeros(0, np.float32)


@dataclass(frozen=True, eq=False)
class PriorSide:
    """One language of a pair; arrays are (words,) or (classes,). Two are equal if they are one."""

    words: Sequence[str] = ()  # lower-cased words, in order of code points
    frequency: Floats = field(default_factory=_nothing)  # how often each occurs in the text learned from
    linked: Floats = field(default_factory=_nothing)  # expected links, those of pairs too rare to be kept included
    unlinked: Floats = field(default_factory=_nothing)  # expected occurrences without a link
    classes: Sequence[str] = ()  # names of the classes, in order of code points
    class_linked: Floats = field(default_factory=_nothing)  # expected links of each class
    scheme: Scheme = field(default_factory=Scheme)  # how the class of a word is made
    total: float = 0.0  # number of tokens of the text learned from

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
    """Expected counts of pairs of words or classes, (pairs,); a key is source number × ``columns`` + target number."""

    keys: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # ascending
    counts: Floats = field(default_factory=_nothing)
    columns: int = 0  # number of words or classes of the target side

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
        wanted = source.take(known) * self.columns + target.take(known)
        likely = self._sieve.take(wanted & (_SIEVE - 1))
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
    # Without priors a short step is more likely than a long one, and one forward the most likely.
    steps = np.arange(-REACH, REACH + 1)
    return np.maximum(np.exp(-np.abs(steps - 1) / 1.5), 0.002).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Priors:
    """What is known beforehand of a pair of languages; without arguments, nothing. Two are equal if they are one.

    ``forward`` are weights of jumps among source positions from one target word to the next, (2 · REACH + 1,).
    """

    source: PriorSide = field(default_factory=PriorSide)
    target: PriorSide = field(default_factory=PriorSide)
    words: PairCounts = field(default_factory=PairCounts)  # expected counts of pairs of words
    classes: PairCounts = field(default_factory=PairCounts)  # expected counts of pairs of classes
    forward: Floats = field(default_factory=_flat_jumps)
    backward: Floats = field(default_factory=_flat_jumps)  # weights of jumps among target positions, the same shape
    hash: str = "none"  # first eight hexadecimal digits of the file's SHA-256; ``"none"`` if there is no file

    def translates(self, source: str, target: str) -> float:
        """Return in what part of the uses of a target word, lower case, it translates a source word; 0 if unknown."""
        place = self.target.word_numbers.get(target)
        if place is None or source not in self.source.word_numbers:
            return 0.0
        number = self.source.word_numbers[source]
        keys, key = self.words.keys, number * self.words.columns + place
        at = int(np.searchsorted(keys, key))
        known = at < len(keys) and keys[at] == key
        return float(self.words.counts[at] / max(self.target.linked[place], 1e-9)) if known else 0.0

    def translations(self, source: str) -> tuple[dict[str, float], float]:
        """Return the expected counts of a source word's translations, lower case, and of all its links."""
        number = self.source.word_numbers.get(source)
        if number is None:
            return {}, 0.0
        columns = self.words.columns
        first, end = np.searchsorted(self.words.keys, (number * columns, (number + 1) * columns))
        places = (self.words.keys[first:end] % columns).tolist()
        words = map(self.target.words.__getitem__, places)
        return dict(zip(words, self.words.counts[first:end].tolist(), strict=True)), float(self.source.linked[number])

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


def read_priors(path: Path) -> Priors:
    """Read a priors file."""
    if not path.is_file():
        raise InputError(Fault("E050", "there is no such priors file", "endophora-makers priors makes one", str(path)))
    data = path.read_bytes()
    try:
        head_line, _, body = lzma.decompress(data).partition(b"\n")
        head = cast("dict[str, object]", load_json(head_line))
        arrays = _arrays(head, body)
        return _assemble(head, arrays, hash_of(data))
    except (lzma.LZMAError, ValueError, KeyError, TypeError) as error:
        cause = f"it is no priors file of the format {FORMAT} ({error})"
        raise InputError(Fault("E051", cause, "make it again with endophora-makers priors", str(path))) from error


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


def hash_of(data: bytes) -> str:
    """Return what priors are named by in signatures, given their file's bytes."""
    return hashlib.sha256(data).hexdigest()[:8]


def _unpack_words(array: NDArray[np.generic]) -> list[str]:
    return array.tobytes().decode().split("\n") if array.size else []


def _restore(array: NDArray[np.generic]) -> Floats:
    codes = array.astype(np.float32)
    return np.where(codes > 0, np.exp2((codes - OFFSET) / STEP), 0).astype(np.float32)
