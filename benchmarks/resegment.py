"""Outputs with their line ends taken out, cut into segments again: how many are whole, and what scores come to.

    python benchmarks/resegment.py ../shared                               # WMT 2024 en-de and en-es, NTREX
    python benchmarks/resegment.py ../shared --pair en-de --drops          # sentences split, joined, 2 % dropped
    python benchmarks/resegment.py ../shared --pair en-de --whole          # as one text, without documents
    python benchmarks/resegment.py ../shared --pair en-de --mweralign PATH/TO/mweralign

A segment is whole if its text is that of its own line. Documents of one segment are whole by themselves and count, as
in a score; beside it is the share in documents of several. The weights were chosen on four systems of en-de (TSU-HITs,
CycleL, ONLINE-W, Mistral-Large); the others, en-es and NTREX were not looked at. Seconds are of processor time.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from ntrex import FILES
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from endophora.align.borders import Habits
from endophora.align.resegment import Resegmenter

DROPPED = 0.02
METRICS = {"BLEU": BLEU(), "chrF": CHRF()}


@dataclass(frozen=True)
class Test:
    """A source with its documents, a reference, and outputs by name."""

    pair: str
    source: list[str]
    reference: list[str]
    documents: list[slice]
    outputs: dict[str, list[str]]


Cutter = Callable[[Test, Sequence[str]], list[str]]
"""Documents' texts → segments."""


def lines(path: Path) -> list[str]:
    """Return the lines of a file with single spaces, its canary line left out."""
    found = [" ".join(line.split()) for line in path.read_text("utf-8").split("\n")[:-1]]
    return found[1:] if found and found[0].lower().startswith("canary") else found


def runs(names: Sequence[str]) -> list[slice]:
    """Return where each document lies."""
    found, at = list[slice](), 0
    for _, held in groupby(names):
        size = len(list(held))
        found.append(slice(at, at + size))
        at += size
    return found


def wmt(shared: Path, pair: str) -> Test:
    """Return a pair of WMT 2024."""
    root = shared / "documents" / "wmt24"
    outputs = {path.stem: lines(path) for path in sorted((root / "system-outputs" / pair).glob("*.txt"))}
    names = [line.split()[-1] for line in lines(root / "documents" / f"{pair}.docs")]
    reference = lines(root / "references" / f"{pair}.refA.txt")
    return Test(pair, lines(root / "sources" / f"{pair}.txt"), reference, runs(names), outputs)


def ntrex(shared: Path) -> Iterator[Test]:
    """Yield NTREX by language: its translations are the outputs, without a reference."""
    root = shared / "documents" / "ntrex"
    documents = runs(lines(root / "DOCUMENT_IDS.tsv"))
    source = lines(root / "newstest2019.eng.txt")
    for language, name in FILES.items():
        yield Test(f"en-{language}", source, [], documents, {"human": lines(root / f"newstest2019.{name}.txt")})


def joined(texts: Sequence[str], language: str) -> str:
    """Return texts as one, as their script has it."""
    return ("" if language in ("zh", "ja") else " ").join(text for text in texts if text)


def dropped(output: Sequence[str], generator: random.Random) -> list[str]:
    """Return an output in which sentences are left out."""
    kept = list[str]()
    for text in output:
        parts = re.split(r"(?<=[.!?]) ", text)
        kept.append(" ".join(part for part in parts if generator.random() >= DROPPED))
    return kept


def in_other_lines(text: str, generator: random.Random) -> str:
    """Return a text with line ends after half of its sentences, wherever segments end."""
    return re.sub(r"(?<=[.!?]) ", lambda _: generator.choice("\n "), text)


class Ours:
    """The package's own; the source alone, or with the reference."""

    def __init__(self, test: Test, *, reference: bool, whole: bool) -> None:
        source, target = test.pair.split("-")
        self._tool = Resegmenter(source, target)
        self._reference, self._whole = reference, whole
        self._tool.cut(["A b."], self._tool.read("a"), ["a"])

    def __call__(self, test: Test, texts: Sequence[str]) -> list[str]:
        """Cut."""
        documents = test.documents
        if self._whole:
            documents, texts = [slice(0, len(test.source))], [joined(texts, test.pair[-2:])]
        read = list(map(self._tool.read, texts))
        lines = [self._tool.read(text).pieces for text in test.reference] if self._reference else []
        habits = Habits([text.pieces for text in read], lines)
        found = list[str]()
        for place, text in zip(documents, read, strict=True):
            reference = test.reference[place] if self._reference else ()
            cut = self._tool.cut(test.source[place], text, reference, habits)
            found += [text.text[start:end].strip() for start, end in cut.spans]
        return found


def by_length(test: Test, texts: Sequence[str]) -> list[str]:
    """Cut where the share of the characters of the source is reached, at the nearest space."""
    found = list[str]()
    for place, text in zip(test.documents, texts, strict=True):
        source = test.source[place]
        total, done, start = sum(map(len, source)), 0, 0
        for number, segment in enumerate(source, start=1):
            done += len(segment)
            wanted = round(done / total * len(text))
            before, after = text.rfind(" ", start, wanted + 1), text.find(" ", wanted)
            ends = [end for end in (before, after) if end >= start] or [len(text)]
            end = len(text) if number == len(source) else min(ends, key=lambda one: abs(one - wanted))
            found.append(text[start:end].strip())
            start = end
    return found


def mweralign(program: Path) -> Cutter:
    """Return what mweralign makes of it, with the reference, by words and documents."""

    def cut(test: Test, texts: Sequence[str]) -> list[str]:
        """Cut."""
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            ids = [f"{number}" for number, place in enumerate(test.documents) for _ in test.source[place]]
            for file, held in (("r", test.reference), ("t", [" ".join(text.split()) for text in texts]), ("d", ids)):
                (root / file).write_text("\n".join(held) + "\n", "utf-8")
            command = [str(program), "-r", str(root / "r"), "-t", str(root / "t"), "-d", str(root / "d")]
            options = ["-o", str(root / "o"), "-m", "none", "-l", test.pair[-2:]]
            subprocess.run([*command, *options], check=True, capture_output=True)  # noqa: S603 - the user names it
            return [" ".join(line.split()) for line in (root / "o").read_text("utf-8").split("\n")[: len(test.source)]]

    return cut


def measure(test: Test, name: str, cutters: dict[str, Cutter], *, drops: bool) -> dict[str, tuple[float, ...]]:
    """Print a row for each cutter; return the share of whole segments, those in documents of several, and seconds."""
    output = test.outputs[name]
    if drops:
        output = dropped(output, random.Random(name))  # noqa: S311 - a benchmark
    texts = [joined(output[place], test.pair[-2:]) for place in test.documents]
    if drops:
        texts = [in_other_lines(text, random.Random(name)) for text in texts]  # noqa: S311
    several = {
        number for place in test.documents if place.stop - place.start > 1 for number in range(place.start, place.stop)
    }
    figures = dict[str, tuple[float, ...]]()
    for label, cutter in cutters.items():
        start = time.process_time()
        wall = time.perf_counter()
        found = cutter(test, texts)
        seconds = time.process_time() - start if label != "mweralign" else time.perf_counter() - wall
        right = [" ".join(one.split()) == other for one, other in zip(found, output, strict=True)]
        whole = 100 * sum(right) / len(right)
        inside = 100 * sum(right[number] for number in several) / max(1, len(several))
        changed = list[float]()
        if test.reference:
            for metric in METRICS.values():
                both = [metric.corpus_score(texts, [test.reference]).score for texts in (found, output)]
                changed.append(both[0] - both[1])
        figures[label] = (whole, inside, seconds, *changed)
        shown = "  ".join(f"{metric} {change:+.2f}" for metric, change in zip(METRICS, changed, strict=False))
        print(f"{test.pair}\t{name:18}\t{label:18}\t{whole:6.2f}\t{inside:6.2f}\t{seconds:.2f} s\t{shown}", flush=True)
    return figures


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--pair", action="append")
    parser.add_argument("--system", action="append")
    parser.add_argument("--drops", action="store_true")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--mweralign", type=Path)
    options = parser.parse_args()
    wanted: list[str] = options.pair or ["en-de", "en-es", "ntrex"]
    tests = [wmt(options.shared, pair) for pair in wanted if pair != "ntrex"]
    tests += ntrex(options.shared) if "ntrex" in wanted else []
    print("pair\tsystem\tcut by\twhole\tin documents of several\tseconds\tscores against the true lines'")
    rows: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for test in tests:
        cutters: dict[str, Cutter] = {"source": Ours(test, reference=False, whole=options.whole)}
        if test.reference:
            cutters["source, reference"] = Ours(test, reference=True, whole=options.whole)
        cutters["length"] = by_length
        if options.mweralign and test.reference:
            cutters["mweralign"] = mweralign(options.mweralign)
        group = "ntrex" if not test.reference else test.pair
        for name in options.system or test.outputs:
            for label, figures in measure(test, name, cutters, drops=options.drops).items():
                rows.setdefault((group, label), []).append(figures)
    for (group, label), found in rows.items():
        columns = list(map(list, zip(*found, strict=True)))
        means = [sum(column) / len(column) for column in columns]
        worst = [f"{max(abs(value) for value in column):.2f}" for column in columns[3:]]
        print(
            f"{group}\tmean of {len(found)}\t{label:18}\t{means[0]:6.2f}\t{means[1]:6.2f}\t{means[2]:.2f} s"
            f"\tlargest change {' '.join(worst)}\tleast whole {min(column[0] for column in found):.2f}"
        )


if __name__ == "__main__":
    main()
