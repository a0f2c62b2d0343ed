"""Precision and recall of ellipsis detection, on labelled sentences and on a treebank that marks ellipsis."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from endophora.annotate.loading import load_annotator
from endophora.annotate.records import Annotator
from endophora.errors import EndophoraError, Fault, InputError
from endophora.phenomena.ellipsis import ELLIPSIS_DETECTORS, EllipsisDetector
from endophora.phenomena.ellipsis_classifier import OUTCOMES, ClassifierDetector, Counts, read_card
from endophora.phenomena.ellipsis_examples import Example, read_labelled


@dataclass(frozen=True, slots=True)
class Scores(Counts):
    """What a detector found.

    Attributes:
        kinds: kind → sentences judged right, and all sentences.
        errors: the sentences judged wrong, with the kinds found.
    """

    kinds: dict[str, tuple[int, int]]
    errors: list[tuple[Example, tuple[str, ...]]]


def evaluate(examples: Sequence[Example], annotator: Annotator, detector: EllipsisDetector) -> Scores:
    """Judge a detector on labelled sentences."""
    right: Counter[str] = Counter()
    outcomes: Counter[tuple[bool, bool]] = Counter()
    errors: list[tuple[Example, tuple[str, ...]]] = []
    sites_of = detector.detect_many(list(annotator.annotate(item.text for item in examples)))
    for example, sites in zip(examples, sites_of, strict=True):
        outcomes[example.elliptical, bool(sites)] += 1
        right[example.kind] += example.elliptical == bool(sites)
        if example.elliptical != bool(sites):
            errors.append((example, tuple(site.kind for site in sites)))
    totals = Counter(example.kind for example in examples)
    kinds = {kind: (right[kind], total) for kind, total in totals.items()}
    found, wrong, missed, passed = (outcomes[pair] for pair in OUTCOMES)
    return Scores(found, wrong, missed, passed, kinds, errors)


def held_out(examples: Sequence[Example], classifier: Path) -> list[Example]:
    """Return the sentences of the documents that a trained classifier has not seen, as its card says.

    Args:
        examples: the data that it was trained on, or a part of them.

    Raises:
        InputError: the folder has no card, or none of the examples is of a document held out (E253).
    """
    card = read_card(classifier)
    documents = set(card.parts["test"].documents) if card is not None and "test" in card.parts else set[str]()
    kept = [example for example in examples if example.document in documents]
    if not kept:
        cause = "none of the sentences is of a document that was held out of its training"
        raise InputError(Fault("E253", cause, "give the data that it was trained on", str(classifier)))
    return kept


def _report(name: str, scores: Scores, show_errors: bool) -> str:
    lines = [f"{name}: {Counts.__str__(scores)}"]
    if len(scores.kinds) > 1:
        lines += [f"  {kind}: {right} of {count} right" for kind, (right, count) in scores.kinds.items()]
    if show_errors:
        lines += [
            f"  {example.kind}\t{','.join(kinds) or 'missed'}\t{example.text}" for example, kinds in scores.errors
        ]
    return "\n".join(lines)


def _read_all(paths: Sequence[Path]) -> list[list[Example]]:
    """Read each file; the faults of all files are raised together."""
    faults: list[Fault] = []
    files: list[list[Example]] = []
    for path in paths:
        try:
            files.append(read_labelled([path]))
        except InputError as error:
            faults.extend(error.faults)
    if faults:
        raise InputError(faults)
    return files


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m endophora_makers.ellipsis_evaluation", description=main.__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="tables, or files, folders and archives of a treebank")
    parser.add_argument("--language", default="en", help="of the sentences; English by default")
    parser.add_argument("--annotator", help="name of an annotator; the embedded one by default")
    parser.add_argument("--detector", action="append", help="name of a detector; the rules by default; repeatable")
    parser.add_argument("--classifier", action="append", type=Path, help="folder of a trained classifier; repeatable")
    parser.add_argument("--held-out", type=Path, metavar="DIR", help="only what the classifier in DIR has not seen")
    parser.add_argument("--errors", action="store_true", help="print the sentences judged wrong")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Print precision and recall of detectors of ellipsis, all on the same labelled sentences."""
    options = _options().parse_args(arguments)
    classifiers: list[Path] = options.classifier or []
    try:
        files = _read_all(options.files)
        annotator = load_annotator(options.language, options.annotator)
        names: list[str] = options.detector or ["rules"]
        detectors = {name: ELLIPSIS_DETECTORS.get(name)(options.language) for name in names}
        detectors |= {str(path): ClassifierDetector(path, options.language) for path in classifiers}
        for path, examples in zip(options.files, files, strict=True):
            chosen = held_out(examples, options.held_out) if options.held_out else examples
            for name, detector in detectors.items():
                print(_report(f"{path.name}, {name}", evaluate(chosen, annotator, detector), options.errors))
    except EndophoraError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
