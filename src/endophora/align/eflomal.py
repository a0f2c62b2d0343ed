"""Alignment by eflomal (Östling and Tiedemann 2016), an extra: Markov chain Monte Carlo over the document.

eflomal is distributed as source under the GPL and is run as it is; nothing of it ships here. The compact aligner's
priors are handed to it where there are any.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from endophora.align.compact import check_lengths
from endophora.align.priors import Priors, shipped_priors
from endophora.align.records import RULES, Aligner, Link, Point
from endophora.annotate.records import AnnotatedText
from endophora.errors import Fault, MissingModelError

_SPACE = re.compile(r"\s")


class _Sampler(Protocol):
    """The part of ``eflomal.Aligner`` that is used."""

    def align(
        self,
        src_input: Sequence[str],
        trg_input: Sequence[str],
        links_filename_fwd: str,
        links_filename_rev: str,
        *,
        priors_input: Sequence[str] | None,
    ) -> None:
        """Align lines of tokens and write the links of both directions."""
        ...


class EflomalAligner:
    """Aligns a document with eflomal.

    A link that both directions chose has confidence 1, one that a single direction chose .5. eflomal draws at random:
    two runs may differ in a few links.

    Args:
        priors: what is known of the two languages beforehand; only its counts of word pairs are used.
    """

    def __init__(self, priors: Priors, *, symmetrisation: str, threshold: float) -> None:
        if find_spec("eflomal") is None:
            advice = "install it with: pip install 'endophora[eflomal]' (it needs a C compiler)"
            raise MissingModelError(Fault("E056", "the aligner eflomal is not installed", advice))
        self._priors = priors
        self._rule = symmetrisation
        self._threshold = threshold

    @property
    def signature(self) -> str:
        """Name, version, priors hash and symmetrisation."""
        rule = f"{self._rule}:{self._threshold:g}" if self._rule == "threshold" else self._rule
        return f"eflomal {version('eflomal')}, priors {self._priors.hash}, {rule}"

    def align(self, source: Sequence[AnnotatedText], target: Sequence[AnnotatedText]) -> list[tuple[Link, ...]]:
        """Link one document, segment by segment; links are ordered by source, then target."""
        check_lengths([(source, target)])
        # eflomal takes no empty line, so that segments with an empty side stay out.
        full = [k for k, (one, other) in enumerate(zip(source, target, strict=True)) if one.tokens and other.tokens]
        results: list[tuple[Link, ...]] = [()] * len(source)
        if not full:
            return results
        ones, others = [_line(source[k]) for k in full], [_line(target[k]) for k in full]
        forward, backward = self._run(ones, others)
        for k, first, second in zip(full, forward, backward, strict=True):
            confidence = {point: 1.0 if point in first and point in second else 0.5 for point in first | second}
            kept = RULES[self._rule](first, second, confidence, self._threshold)
            results[k] = tuple(Link(*point, confidence[point]) for point in sorted(kept))
        return results

    def align_many(
        self, documents: Sequence[tuple[Sequence[AnnotatedText], Sequence[AnnotatedText]]]
    ) -> list[list[tuple[Link, ...]]]:
        """Link several documents, one after the other."""
        check_lengths(documents)
        return [self.align(source, target) for source, target in documents]

    def _run(self, source: Sequence[str], target: Sequence[str]) -> tuple[list[set[Point]], list[set[Point]]]:
        sampler = cast("_Sampler", import_module("eflomal").Aligner())
        with tempfile.TemporaryDirectory() as folder:
            forward, backward = Path(folder, "forward"), Path(folder, "backward")
            # An empty list of priors crashes eflomal; none at all does not.
            lines = self._prior_lines(source, target) or None
            sampler.align(source, target, str(forward), str(backward), priors_input=lines)
            return _links(forward), _links(backward)

    def _prior_lines(self, source: Sequence[str], target: Sequence[str]) -> list[str]:
        numbers = [
            np.array(sorted(side.word_numbers[word] for word in _words(lines) & side.word_numbers.keys()), np.int64)
            for side, lines in ((self._priors.source, source), (self._priors.target, target))
        ]
        pairs = self._priors.words
        first, second = np.divmod(pairs.keys, max(1, pairs.columns))
        here = np.flatnonzero(np.isin(first, numbers[0]) & np.isin(second, numbers[1]))
        ones, others = self._priors.source.words, self._priors.target.words
        return [
            f"LEX\t{ones[int(first[k])]}\t{others[int(second[k])]}\t{float(pairs.counts[k]):.4g}" for k in here.tolist()
        ]


def build_eflomal(
    argument: str, source_language: str, target_language: str, symmetrisation: str, threshold: float
) -> Aligner:
    """Build the aligner, with the shipped priors of the pair; it takes no argument."""
    del argument
    priors = shipped_priors(source_language, target_language)
    return EflomalAligner(priors, symmetrisation=symmetrisation, threshold=threshold)


def _line(text: AnnotatedText) -> str:
    return " ".join(_SPACE.sub("_", token.form) for token in text.tokens)


def _words(lines: Iterable[str]) -> set[str]:
    return {word.lower() for line in lines for word in line.split()}


def _links(path: Path) -> list[set[Point]]:
    lines = path.read_text("utf-8").split("\n")[:-1]
    return [{_point(item) for item in line.split()} for line in lines]


def _point(item: str) -> Point:
    first, _, second = item.partition("-")
    return int(first), int(second)
