"""Embedding average, vector extrema and greedy matching over word vectors that the user names.

The three were put side by side by Sharma et al. (2017, “Relevance of Unsupervised Metrics in Task-Oriented Dialogue for
Evaluating Natural Language Generation”); vector extrema are Forgues et al.'s (2014), greedy matching is Rus and
Lintean's (2012).

Files are word2vec's text and binary formats, GloVe's and fastText's text, gzipped or not. A file is read from end to
end and only the vectors of the words asked for are kept, so that memory grows with the texts and not with the file.
"""

from __future__ import annotations

import codecs
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from endophora.corpus.faults import FaultLog, whole_number
from endophora.corpus.lines import GZIP_MAGIC, noting, unpacked
from endophora.errors import Fault, InputError
from endophora.metrics.records import FloatArray, ratio
from endophora.metrics.texts import WordMetric, read_options
from endophora.provenance import content_of

Vector: TypeAlias = npt.NDArray[np.float32]

LITTLE = 0.5
"""A share of words with a vector under which a score is of few of the words, and a warning says so."""


class EmbeddingMetric(WordMetric):
    """Mean over segments of the similarity of hypothesis and reference by the vectors of their words, at most 1.

    A word is looked up as it stands and, if the file does not have it, in lower case. Words without a vector are left
    out (``unknown=skip``, as in Forgues et al. and Liu et al., 2016), or take the mean of all vectors in the file
    (``unknown=mean``, as in Sharma et al.'s code). A segment whose reference has no known word is not counted; one
    whose hypothesis has none scores 0. With several references, the most similar counts. Words are sacreBLEU's.
    """

    kind: ClassVar[str]
    maximum: ClassVar[float] = 1.0
    columns: ClassVar[tuple[str, ...]] = ("score", "segments", "known_words", "words")
    lowercase: ClassVar[bool] = False

    def __init__(self, language: str = "", argument: str = "") -> None:
        super().__init__(language)
        key, known = self.kind, ("skip", "mean")
        options = read_options(key, argument, ("vectors", "unknown"), "vectors")
        if "vectors" not in options:
            raise InputError(Fault("E140", f"{key} needs word vectors", f"name their file: {key}:PATH"))
        self.unknown = options.get("unknown", "skip")
        if self.unknown not in known:
            raise InputError(Fault("E140", f"{key} does not know unknown={self.unknown}", f"known: {', '.join(known)}"))
        self.vectors = _vectors_of(options["vectors"], content_of(Path(options["vectors"])))
        if not self.vectors.path.is_file():
            raise InputError(Fault("E001", "no such file", "check the path", options["vectors"]))

    def options(self) -> tuple[tuple[str, str, object], ...]:
        """Return the vectors' file with a hash of its content, and what unknown words count."""
        return (
            ("vectors", "vec", f"{self.vectors.path.name}-{content_of(self.vectors.path)[:8]}"),
            ("unknown", "u", self.unknown),
        )

    def compare(self, references: list[list[list[str]]]) -> Callable[[list[list[str]]], list[tuple[float, ...]]]:
        """Return what compares texts with the references; the vectors are read when it is called."""

        def count(texts: list[list[str]]) -> list[tuple[float, ...]]:
            self._look_up([*texts, *(each for there in references for each in there)])
            return [self._row(here, there) for here, there in zip(texts, references, strict=True)]

        return count

    def coverage(self, sums: FloatArray) -> FloatArray:
        """Return the share of the words of hypotheses and references that have a vector, (…, 4) → (…)."""
        return ratio(sums[..., 2], sums[..., 3])

    def warn(self, sums: Mapping[str, FloatArray]) -> str:
        """Return the share of the words that have a vector, for the systems where it is under :data:`LITTLE`."""
        shares = {system: float(self.coverage(counts)) for system, counts in sums.items()}
        low = [f"{system} {100 * share:.0f} %" for system, share in shares.items() if share < LITTLE]
        if not low:
            return ""
        where = f"{self.vectors.path.name} has vectors of few words of output and reference"
        return f"{self.name}: {where} ({', '.join(low)}); the score is of those alone"

    @abstractmethod
    def similarity(self, hypothesis: FloatArray, reference: FloatArray) -> float:
        """Return the similarity of two texts by the vectors of their words, (words, dimension); at least one each."""

    def _row(self, here: Sequence[str], there: Sequence[Sequence[str]]) -> tuple[float, ...]:
        hypothesis = self._known(here)
        references = [known for words in there if len(known := self._known(words))]
        words = len(here) + sum(map(len, there))
        known = sum(self._vector(word) is not None for text in (here, *there) for word in text)
        if not references:
            return 0.0, 0.0, known, words
        if not len(hypothesis):
            return 0.0, 1.0, known, words
        return max(self.similarity(hypothesis, each) for each in references), 1.0, known, words

    def _known(self, words: Iterable[str]) -> FloatArray:
        """Return the vectors of words, (words, dimension)."""
        filler = self.vectors.mean if self.unknown == "mean" else None
        found = [each for word in words if (each := self._vector(word, filler)) is not None]
        return np.array(found, dtype=np.float64)

    def _vector(self, word: str, filler: Vector | None = None) -> Vector | None:
        for form in (word, word.lower()):
            vector = self.vectors.get(form)
            if vector is not None:
                return vector
        return filler

    def _look_up(self, texts: Sequence[Sequence[str]]) -> None:
        words = {word for text in texts for word in text}
        self.vectors.look_up(words | {word.lower() for word in words})
        if words and all(self._vector(word) is None for word in words):
            cause = f"none of {len(words)} different words has a vector"
            advice = "are the vectors of the texts' language?"
            raise InputError(Fault("E146", cause, advice, str(self.vectors.path)))


class EmbeddingAverage(EmbeddingMetric):
    """Cosine of the sums of the words' vectors."""

    name: ClassVar[str] = "Embedding average"
    kind: ClassVar[str] = "average"

    def similarity(self, hypothesis: FloatArray, reference: FloatArray) -> float:
        """Return the cosine of the sums."""
        return _cosine(hypothesis.sum(axis=0), reference.sum(axis=0))


class VectorExtrema(EmbeddingMetric):
    """Cosine of the vectors that have in each dimension the words' value that is farthest from zero.

    Of a positive and a negative value equally far from it, the negative is taken.
    """

    name: ClassVar[str] = "Vector extrema"
    kind: ClassVar[str] = "extrema"

    def similarity(self, hypothesis: FloatArray, reference: FloatArray) -> float:
        """Return the cosine of the extrema."""
        return _cosine(_extrema(hypothesis), _extrema(reference))


class GreedyMatching(EmbeddingMetric):
    """Mean cosine of each word with its nearest in the other text, both ways, and their mean."""

    name: ClassVar[str] = "Greedy matching"
    kind: ClassVar[str] = "greedy"

    def similarity(self, hypothesis: FloatArray, reference: FloatArray) -> float:
        """Return the mean of the two directions."""
        cosines = _unit(hypothesis) @ _unit(reference).T
        return float(cosines.max(axis=0).mean() + cosines.max(axis=1).mean()) / 2


def _extrema(vectors: FloatArray) -> FloatArray:
    high: FloatArray = vectors.max(axis=0)
    low: FloatArray = vectors.min(axis=0)
    return np.where(high > -low, high, low)


def _unit(vectors: FloatArray) -> FloatArray:
    norms: FloatArray = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: FloatArray = vectors / np.where(norms > 0, norms, 1.0)
    return unit


def _cosine(a: FloatArray, b: FloatArray) -> float:
    return float(_unit(a) @ _unit(b))


_FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")
_CHUNK = 1 << 20
_LONGEST = 1 << 16
_WIDEST = 1 << 16
"""Numbers of a vector, at most."""
_BLANKS = b" \t\r\n"


class _Layout(NamedTuple):
    """What the first line says: how many vectors follow (-1 if it does not), of how many numbers, how written."""

    rows: int
    dimension: int
    binary: bool


class WordVectors:
    """The vectors of words in a file.

    With a first line of two whole numbers it is word2vec's (text or binary) or fastText's text; without one, GloVe's.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, Vector | None] = {}
        self._mean: Vector | None = None

    def look_up(self, words: Iterable[str]) -> None:
        """Read the vectors of words; the file is read only if some were never looked up."""
        wanted = {word for word in words if word not in self._known}
        if wanted:
            found: dict[str, Vector] = {}
            for word, vector in read_vectors(self.path, wanted):
                found.setdefault(word, vector)
            self._known |= dict.fromkeys(wanted) | found

    def get(self, word: str) -> Vector | None:
        """Return the vector of a word that was looked up, ``None`` if the file does not have it."""
        return self._known.get(word)

    @property
    def mean(self) -> Vector:
        """The mean of all vectors in the file, which takes one more reading."""
        if self._mean is None:
            total, count = np.zeros(1), 0
            for _, vector in read_vectors(self.path):
                total, count = total + vector, count + 1
            self._mean = (total / max(count, 1)).astype(np.float32)
        return self._mean


@cache
def _vectors_of(path: str, content: str) -> WordVectors:
    """Return the vectors of a file, the same object for the same path and content."""
    del content
    return WordVectors(Path(path))


def read_vectors(path: Path, wanted: Iterable[str] | None = None) -> Iterator[tuple[str, Vector]]:
    """Yield words of a file with their vectors, in its order (``wanted``: the words to yield; ``None`` for all)."""
    log = FaultLog()
    name = str(path)
    keys = None if wanted is None else {word.encode("utf-8", "surrogatepass") for word in wanted}
    with noting(path, log, lambda: None), path.open("rb", 0) as file:
        stream: BufferedReader[Any] = BufferedReader(file, _CHUNK)
        if stream.peek(2).startswith(GZIP_MAGIC):
            stream = unpacked(stream)
        for word, vector in _vectors(stream, keys, name, log):
            yield word.decode("utf-8", "replace"), vector
    log.check()


def _vectors(
    stream: BufferedReader[Any], wanted: set[bytes] | None, name: str, log: FaultLog
) -> Iterator[tuple[bytes, Vector]]:
    """Yield the wanted words and vectors of an open file."""
    layout = _layout(stream, name, log)
    if layout is None:
        return
    if layout.rows >= 0:
        stream.readline(_LONGEST)
    read = _read_binary if layout.binary else _read_text
    seen = yield from read(stream, layout, wanted, name, log)
    if layout.rows >= 0 and seen != layout.rows:
        cause = f"{seen} vectors where the first line says {layout.rows}"
        log.add("E145", cause, "was the file cut off? copy it again", name)


def _layout(stream: BufferedReader[Any], name: str, log: FaultLog) -> _Layout | None:
    """Return what the beginning of a file says, without reading on."""
    start = stream.peek(_LONGEST)
    advice = "give word2vec's (text or binary), GloVe's or fastText's text (.vec)"
    if not start:
        log.add("E005", "the file is empty", advice, name)
        return None
    if start.startswith(_FASTTEXT_MAGIC):
        log.add("E144", "this is a fastText model, no file of vectors", "give its .vec", name)
        return None
    first, _, rest = start.partition(b"\n")
    fields = first.rstrip(_BLANKS).split(b" ")
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        count, dimension = (whole_number(field.decode()) for field in fields)
        if count is not None and dimension and dimension <= _WIDEST:
            return _Layout(count, dimension, _is_binary(rest, dimension, called=".bin" in Path(name).name))
    elif len(fields) > 2 and _numbers(fields[1:]) is not None:
        return _Layout(-1, len(fields) - 1, binary=False)
    log.add("E144", f"“{first[:40].decode('utf-8', 'replace')}” is no first line of vectors", advice, name, 1)
    return None


def _is_binary(rest: bytes, dimension: int, *, called: bool) -> bool:
    """Return whether what follows the first line is numbers as bytes, which in the first vector make no clean text.

    Few numbers may look like letters; then a file that is called binary is taken at its word.
    """
    start = rest[: rest.find(b" ") + 1 + 4 * dimension]
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return True
    if any(char < " " and char not in "\t\r\n" for char in text):
        return True
    return called and _numbers(rest.partition(b"\n")[0].split(b" ")[1:3]) is None


def _read_text(
    stream: BufferedReader[Any], layout: _Layout, wanted: set[bytes] | None, name: str, log: FaultLog
) -> Generator[tuple[bytes, Vector], None, int]:
    """Yield the vectors of a text file and return how many lines there are."""
    dimension, seen = layout.dimension, 0
    first = 2 if layout.rows >= 0 else 1
    for seen, line in enumerate(stream, start=1):
        if line.count(b" ") < dimension:
            _malformed(f"fewer than {dimension} numbers", name, seen + first - 1, log)
            continue
        # A word in a file may have blanks in it; it is then none of ours, but may begin like one.
        if wanted is not None and line[: line.find(b" ")] not in wanted:
            continue
        fields = line.rstrip(_BLANKS).split(b" ")
        word = b" ".join(fields[:-dimension])
        numbers = _numbers(fields[-dimension:])
        if numbers is None or not word:
            _malformed(f"no word and {dimension} finite numbers", name, seen + first - 1, log)
        elif wanted is None or word in wanted:
            yield word, numbers
    return seen


def _read_binary(
    stream: BufferedReader[Any], layout: _Layout, wanted: set[bytes] | None, name: str, log: FaultLog
) -> Generator[tuple[bytes, Vector], None, int]:
    """Yield the vectors of a binary file and return how many there are: a word, a blank, little-endian floats."""
    size, seen = 4 * layout.dimension, 0
    data, position = b"", 0
    while seen < layout.rows:
        blank = data.find(b" ", position)
        if blank < 0 or blank + 1 + size > len(data):
            more = stream.read(max(_CHUNK, size))
            data, position = data[position:] + more, 0
            if not more or (blank < 0 and len(data) > _LONGEST + len(more)):
                return seen
            continue
        word = data[position:blank].lstrip(b"\n")
        position = blank + 1 + size
        seen += 1
        if wanted is None or word in wanted:
            numbers = np.frombuffer(data, "<f4", layout.dimension, blank + 1).astype(np.float32)
            if np.isfinite(numbers).all():
                yield word, numbers
            else:
                _malformed("a number that is not finite", name, seen + 1, log)
    if (data[position:] + stream.read(2)).strip(b"\n"):
        return seen + 1
    return seen


def _numbers(fields: Iterable[bytes]) -> Vector | None:
    """Return numbers written out, ``None`` if one is none or is not finite."""
    try:
        numbers = np.array([float(field) for field in fields], dtype=np.float32)
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _malformed(cause: str, name: str, line: int, log: FaultLog) -> None:
    log.add("E144", cause, "a line is a word and as many numbers as the first has, between blanks", name, line)
