"""Precision and recall of ellipsis detection, on labelled sentences and on a treebank that marks ellipsis."""

from __future__ import annotations

import argparse
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from endophora.annotate import Annotator, load_annotator
from endophora.errors import EndophoraError, Fault, InputError
from endophora.phenomena.ellipsis_detection import ELLIPSIS_DETECTORS, EllipsisDetector

_MARK = "*?*"
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]", "``": "“", "''": "”"}


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence and whether it is elliptical.

    Attributes:
        text: the sentence.
        elliptical: whether it is.
        kind: the kind of ellipsis, or what makes a sentence without one hard.
    """

    text: str
    elliptical: bool
    kind: str


@dataclass(frozen=True, slots=True)
class Scores:
    """What a detector found.

    Attributes:
        found: elliptical sentences that were found.
        wrong: sentences without ellipsis that were taken for elliptical.
        missed: elliptical sentences that were not found.
        kinds: kind → sentences judged right, and all sentences.
        errors: the sentences judged wrong, with the kinds found.
    """

    found: int
    wrong: int
    missed: int
    kinds: dict[str, tuple[int, int]]
    errors: list[tuple[Example, tuple[str, ...]]]

    @property
    def precision(self) -> float:
        """Share of the sentences found that are elliptical."""
        return self.found / (self.found + self.wrong) if self.found + self.wrong else 0.0

    @property
    def recall(self) -> float:
        """Share of the elliptical sentences that are found."""
        return self.found / (self.found + self.missed) if self.found + self.missed else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def read_examples(path: Path) -> list[Example]:
    """Read labelled sentences: a header, then label (1 or 0), kind and text, tab-separated."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")[1:] if line]
    return [Example(text, label == "1", kind) for label, kind, text in rows]


def read_treebank(path: Path) -> list[Example]:
    """Read the bracketed trees of a Penn Treebank archive; those with the empty element ``*?*`` are elliptical."""
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".mrg"))
        return [example for name in names for example in _trees(archive.read(name).decode("latin-1"))]


def evaluate(examples: Sequence[Example], annotator: Annotator, detector: EllipsisDetector) -> Scores:
    """Judge a detector on labelled sentences.

    Args:
        examples: the sentences.
        annotator: annotates them.
        detector: looks for ellipsis.
    """
    counts: Counter[tuple[bool, bool]] = Counter()
    right: Counter[str] = Counter()
    errors: list[tuple[Example, tuple[str, ...]]] = []
    for example, text in zip(examples, annotator.annotate(item.text for item in examples), strict=True):
        sites = detector.detect(text)
        counts[example.elliptical, bool(sites)] += 1
        right[example.kind] += example.elliptical == bool(sites)
        if example.elliptical != bool(sites):
            errors.append((example, tuple(site.kind for site in sites)))
    totals = Counter(example.kind for example in examples)
    kinds = {kind: (right[kind], total) for kind, total in totals.items()}
    return Scores(counts[True, True], counts[False, True], counts[True, False], kinds, errors)


def _trees(text: str) -> Iterator[Example]:
    depth = 0
    tokens: list[str] = []
    for part in re.findall(r"[()]|[^\s()]+", text):
        depth += (part == "(") - (part == ")")
        tokens.append(part)
        if depth == 0:
            leaves = [
                (label, word)
                for label, word, closing in zip(tokens, tokens[1:], tokens[2:], strict=False)
                if closing == ")" and "(" not in (label, word) and ")" not in (label, word)
            ]
            words = [_BRACKETS.get(word, word) for label, word in leaves if label != "-NONE-"]
            yield Example(_detokenised(words), any(word.startswith(_MARK) for _, word in leaves), "treebank")
            tokens = []


def _detokenised(words: Iterable[str]) -> str:
    text = " ".join(words)
    text = re.sub(r" ([.,;:?!%)”]|n't\b|'(?:s|re|ve|ll|d|m)?(?!\S))", r"\1", text)
    return re.sub(r"([($“]) ", r"\1", text)


def _report(name: str, scores: Scores, show_errors: bool) -> str:
    total = scores.found + scores.missed
    lines = [
        f"{name}: precision {scores.precision:.3f}, recall {scores.recall:.3f}, F1 {scores.f1:.3f} "
        f"({total} elliptical, {scores.found} found, {scores.wrong} wrongly found)"
    ]
    if len(scores.kinds) > 1:
        lines += [f"  {kind}: {right} of {count} right" for kind, (right, count) in scores.kinds.items()]
    if show_errors:
        lines += [
            f"  {example.kind}\t{','.join(kinds) or 'missed'}\t{example.text}" for example, kinds in scores.errors
        ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print precision and recall for files of labelled sentences (``.tsv``) or treebank archives (``.zip``)."""
    parser = argparse.ArgumentParser(prog="python -m endophora.phenomena.ellipsis_evaluation", description=main.__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--annotator", help="name of an annotator; the embedded one by default")
    parser.add_argument("--detector", default="rules", help="name of a detector")
    parser.add_argument("--errors", action="store_true", help="print the sentences judged wrong")
    options = parser.parse_args(arguments)
    try:
        missing = [
            Fault("E001", "no such file", "check the path", str(path)) for path in options.files if not path.is_file()
        ]
        if missing:
            raise InputError(missing)
        annotator = load_annotator("en", options.annotator)
        detector = ELLIPSIS_DETECTORS.get(options.detector)("en")
        for path in options.files:
            examples = read_treebank(path) if path.suffix == ".zip" else read_examples(path)
            print(_report(path.name, evaluate(examples, annotator, detector), options.errors))
    except EndophoraError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
