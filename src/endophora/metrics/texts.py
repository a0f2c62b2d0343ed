"""What the metrics of plain texts share: checked input, rows of segments or documents, references read once, words.

An argument of a metric is written ``name:VALUE,key=value,…``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias, cast

import numpy as np
from sacrebleu.metrics import bleu as sacrebleu

from endophora.errors import Fault, InputError, MissingModelError, refuse
from endophora.metrics.records import FloatArray, Level, check_sizes, ratio
from endophora.signature import format_signature
from endophora.version import __version__

Count: TypeAlias = Callable[[list[str]], FloatArray]


class PlainTextMetric(ABC):
    """A metric of plain texts; a subclass has the counting, the formula and the signature.

    What is made of the references is kept, so that it is made once for all systems.
    """

    name: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    higher_is_better: ClassVar[bool] = True
    maximum: ClassVar[float] = 100.0
    level: ClassVar[Level] = "segment"
    parallel: ClassVar[bool] = True

    def __init__(self, language: str = "") -> None:
        self.language = language
        self._references: list[list[str]] = []
        self._count: Count | None = None

    def signature(self, *, references: int = 1, short: bool = False) -> str:
        """Return what makes two scores comparable, headed by the level where that is the document."""
        head = f"{'lv' if short else 'level'}:document|" if self.level == "document" else ""
        return head + self.own_signature(references, short=short)

    @abstractmethod
    def own_signature(self, references: int, *, short: bool) -> str:
        """Return the signature without the level."""

    @abstractmethod
    def prepare(self, references: list[list[str]]) -> Count:
        """Return what turns the texts of a system into statistics, (texts, columns), against these references."""

    def warn(self, sums: Mapping[str, FloatArray]) -> str:  # noqa: ARG002
        """Return what a reader must know of the systems' summed statistics, (columns,) each; empty for nothing."""
        return ""

    def statistics(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        documents: Sequence[int] | None = None,
        sources: Sequence[str] | None = None,  # noqa: ARG002
    ) -> FloatArray:
        """Return the statistics of one system's outputs: a row a segment, or a document where that is the level."""
        check_sizes(hypotheses, references, documents)
        wanted = [self._rows(reference, documents) for reference in references]
        if self._count is None or wanted != self._references:
            self._count, self._references = self.prepare(wanted), wanted
        return self._count(self._rows(hypotheses, documents))

    def _rows(self, texts: Sequence[str], documents: Sequence[int] | None) -> list[str]:
        """Return the texts that get a row of statistics each: the segments, or the documents as one text each."""
        if self.level == "segment":
            return list(texts)
        if documents is None:
            raise InputError(Fault("E074", f"{self.name} is of documents, and none are given", "give document ids"))
        return join_documents(texts, documents)


class WordMetric(PlainTextMetric):
    """A metric of words as sacreBLEU splits them; the score is the mean over segments unless a subclass has another."""

    lowercase: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("score", "segments")

    @abstractmethod
    def compare(self, references: list[list[list[str]]]) -> Callable[[list[list[str]]], Sequence[Sequence[float]]]:
        """Return what turns the words of texts into rows of statistics, given each text's references."""

    def options(self) -> tuple[tuple[str, str, object], ...]:
        """Return what the signature says between tokenizer and version: (key, short key, value)."""
        return ()

    def own_signature(self, references: int, *, short: bool) -> str:
        """Return references, case, tokenizer, options and version."""
        items = (
            ("nrefs", "#", references),
            ("case", "c", "lc" if self.lowercase else "mixed"),
            ("tok", "tok", make_splitter(self.language, lowercase=self.lowercase).name),
            *self.options(),
            ("version", "v", __version__),
        )
        return format_signature(items, short=short)

    def prepare(self, references: list[list[str]]) -> Count:
        """Return what compares a system's texts with these references."""
        split = make_splitter(self.language, lowercase=self.lowercase).split
        rows = self.compare([[split(text) for text in texts] for texts in zip(*references, strict=True)])
        shape = -1, len(self.columns)
        return lambda texts: np.array(rows([split(text) for text in texts]), dtype=np.float64).reshape(shape)

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the mean, (…, columns) → (…); NaN where no segment counts."""
        return ratio(sums[..., 0], sums[..., 1])


def join_documents(texts: Sequence[str], documents: Sequence[int]) -> list[str]:
    """Return each document as one text: its segments in order, joined by spaces."""
    parts: list[list[str]] = [[] for _ in range(max(documents, default=-1) + 1)]
    for text, document in zip(texts, documents, strict=True):
        parts[document].append(text)
    return [" ".join(part) for part in parts]


class Splitter(NamedTuple):
    """Splits texts into words."""

    name: str
    split: Callable[[str], list[str]]  # text → words, lower case where that was asked for


def load_bleu(language: str, **options: Any) -> sacrebleu.BLEU:
    """Return sacreBLEU's BLEU with the tokenizer that it chooses for a language, or that ``tokenize`` names."""
    try:
        return sacrebleu.BLEU(trg_lang=language, **options)
    except (RuntimeError, ImportError) as error:
        cause = f"the tokenizer for “{options.get('tokenize') or language}” needs a library that is not installed"
        raise MissingModelError(Fault("E073", cause, f"install sacrebleu[{language}]")) from error


def make_splitter(language: str, *, lowercase: bool = True, tokenize: str | None = None) -> Splitter:
    """Return what splits texts of a language as sacreBLEU does."""
    tokenizer = load_bleu(language, tokenize=tokenize).tokenizer
    cut = cast("Callable[[str], str]", tokenizer)
    name = cast("Callable[[], str]", tokenizer.signature)()

    def split(text: str) -> list[str]:
        return cut((text.lower() if lowercase else text).rstrip()).split()

    return Splitter(name, split)


def read_options(metric: str, argument: str, known: Sequence[str], bare: str = "") -> dict[str, str]:
    """Return the options that an argument names (``bare``: the key of a value that stands without one)."""
    found: dict[str, str] = {}
    faults: list[Fault] = []
    listed = ", ".join(f"{key}=…" for key in known) or "none"
    for part in filter(None, (part.strip() for part in argument.split(","))):
        key, separator, value = part.partition("=")
        if not separator and bare:
            key, value = bare, part
        if key not in known or not value:
            faults.append(Fault("E140", f"{metric} has no option “{part}”", f"known: {listed}"))
        elif key in found:
            faults.append(Fault("E140", f"{metric} has its option “{key}” twice", "give it once"))
        else:
            found[key] = value
    refuse(faults)
    return found


def read_number(metric: str, options: Mapping[str, str], key: str, default: float) -> float:
    """Return an option that is a number above zero."""
    text = options.get(key)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        cause = f"{metric}: {key}={text} is no number above zero"
        raise InputError(Fault("E140", cause, f"{key}={default:g} is usual"))
    return number
