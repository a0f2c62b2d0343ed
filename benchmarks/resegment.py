"""Outputs with their line ends taken out, cut into segments again: how many are whole, and what scores come to.

    python benchmarks/resegment.py ../shared                               # WMT 2024 en-de and en-es, NTREX
    python benchmarks/resegment.py ../shared --pair en-de --drops          # sentences split, joined, 2 % dropped
    python benchmarks/resegment.py ../shared --pair en-de --adds           # with sentences of other documents, 2 %
    python benchmarks/resegment.py ../shared --pair en-de --whole          # as one text, without documents
    python benchmarks/resegment.py ../shared --pair en-de --mweralign PATH/TO/mweralign
    python benchmarks/resegment.py ../shared --book                        # one text of up to 10,000 segments

A segment is whole if its text is that of its own line. Documents of one segment are whole by themselves and count, as
in a score; beside it is the share in documents of several. What was developed on which of them is
in ``research/notes/resegment.md``. Seconds are of processor time.

Many segments cannot be cut out right by anybody, since the system left its own line empty, cut it off or put its text
elsewhere. So there are two more columns: the share of whole ones among segments that have a translation in their own
line (:func:`translated`), as have those before and behind them, and how many others there are, with those of them that
are whole all the same. It takes the true lines to know which they are, and no cuts. The plain share counts all.
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import median

from ntrex import FILES
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from endophora.align.borders import FINAL, end_kind
from endophora.align.resegment import Resegmenter

DROPPED = 0.02
LIKE, TIMES = 15.0, 2.0
"""chrF to its reference that a translation has at least, and how many times as long or short it is at most."""
WANTED = 99.5
"""Percent that are to be whole, in a good system."""
METRICS = {"BLEU": BLEU, "chrF": CHRF}
NOTICED: dict[tuple[str, str], tuple[int, ...]] = {}


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


def added(test: Test, output: Sequence[str], generator: random.Random) -> tuple[list[str], list[list[tuple[int, int]]]]:
    """Return an output with sentences of other documents behind some segments, and where these are in each document."""
    result, places = list(output), list[list[tuple[int, int]]]()
    for document in test.documents:
        at = 0
        found: list[tuple[int, int]] = []
        for number in range(document.start, document.stop):
            strange = generator.randrange(len(output))
            more = re.split(r"(?<=[.!?]) ", output[strange])[0]
            apart = not document.start <= strange < document.stop
            if apart and output[number] and len(more) > 20 and generator.random() < DROPPED:
                begin = at + len(joined([output[number], "x"], test.pair[-2:])) - 1
                found.append((begin, begin + len(more)))
                result[number] = joined([output[number], more], test.pair[-2:])
            at += len(joined([result[number], "x"], test.pair[-2:])) - 1 if result[number] else 0
        places.append(found)
    return result, places


class Scores:
    """Metrics of an output by the reference; what texts and references share is counted once a segment and text."""

    def __init__(self, test: Test, output: Sequence[str]) -> None:
        self._output = output
        self._metrics = {name: make(references=[test.reference]) for name, make in METRICS.items()} if output else {}
        self._counted = {name: [self._count(name, *one) for one in enumerate(output)] for name in self._metrics}
        self._true = self._of(self._counted)

    def _count(self, name: str, number: int, text: str) -> list[int]:
        metric = self._metrics[name]
        return metric._compute_segment_statistics(metric._preprocess_segment(text), metric._ref_cache[number])

    def _of(self, counted: dict[str, list[list[int]]]) -> dict[str, float]:
        return {name: self._metrics[name]._aggregate_and_compute(each).score for name, each in counted.items()}

    def changed(self, found: Sequence[str]) -> list[float]:
        """Return by how much each metric changes with other texts."""
        pairs = list(zip(found, self._output, strict=True))
        counted = {
            name: [
                each[number] if one == other else self._count(name, number, one)
                for number, (one, other) in enumerate(pairs)
            ]
            for name, each in self._counted.items()
        }
        return [score - self._true[name] for name, score in self._of(counted).items()]


def translated(output: Sequence[str], source: Sequence[str], reference: Sequence[str]) -> list[bool]:
    """Return which lines of an output are whole translations, by their own source and reference alone.

    One is not empty, has a chrF of :data:`LIKE`, is at most :data:`TIMES` as long or short as usual in the output, and
    ends with a sign where source and reference do.
    """
    ratios = [len(text) / len(other) for text, other in zip(output, reference, strict=True)]
    usual = median(filter(None, ratios))
    chrf = CHRF()
    signed = [[end_kind(text).strip('"') in FINAL for text in texts] for texts in (output, source, reference)]
    return [
        1 / TIMES <= ratio / usual <= TIMES
        and chrf.sentence_score(text, [other]).score >= LIKE
        and (own or not (first and second))
        for text, other, ratio, own, first, second in zip(output, reference, ratios, *signed, strict=True)
    ]


def cuttable(test: Test, output: Sequence[str]) -> list[bool]:
    """Return which segments are translated in their own line, and their neighbours in the document in theirs."""
    if not test.reference:
        return [True] * len(output)
    own = translated(output, test.source, test.reference)
    return [
        all(own[max(place.start, number - 1) : min(place.stop, number + 2)])
        for place in test.documents
        for number in range(place.start, place.stop)
    ]


def in_other_lines(text: str, generator: random.Random) -> str:
    """Return a text with line ends after half of its sentences, wherever segments end."""
    return re.sub(r"(?<=[.!?]) ", lambda _: generator.choice("\n "), text)


class Ours:
    """The package's own; the source alone, or with the reference."""

    def __init__(self, test: Test, *, reference: bool, whole: bool) -> None:
        source, target = test.pair.split("-")
        self._tool = Resegmenter(source, target)
        self._reference, self._whole = reference, whole
        self.omitted: set[int] = set()
        self.added: list[list[tuple[int, int]]] = []
        self._tool.cut(["A b."], self._tool.read("a"), ["a"])

    def __call__(self, test: Test, texts: Sequence[str]) -> list[str]:
        """Cut."""
        documents = test.documents
        if self._whole:
            documents, texts = [slice(0, len(test.source))], [joined(texts, test.pair[-2:])]
        read = list(map(self._tool.read, texts))
        references = [test.reference[place] for place in documents] if self._reference else ()
        cuts = self._tool.cut_all([test.source[place] for place in documents], read, references)
        self.explained = [sum(part[side] for cut in cuts for part in cut.explained) for side in (0, 1)]
        found = list[str]()
        self.omitted, self.added = set[int](), []
        for place, text, cut in zip(documents, read, cuts, strict=True):
            found += [text.text[start:end].strip() for start, end in cut.spans]
            self.omitted |= {place.start + number for number in cut.omissions}
            self.added.append(list(cut.additions))
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


def counts(tool: Ours, output: Sequence[str], places: Sequence[Sequence[tuple[int, int]]]) -> tuple[int, ...]:
    """Return how many segments were left out, were said to be, and both; and the same of characters added."""
    empty = {number for number, text in enumerate(output) if not text}
    true, said = (
        {(document, at) for document, held in enumerate(every) for a, b in held for at in range(a, b)}
        for every in (places, tool.added)
    )
    return len(empty), len(tool.omitted), len(empty & tool.omitted), len(true), len(said), len(true & said)


def measure(
    test: Test, name: str, cutters: dict[str, Cutter], *, drops: bool, adds: bool
) -> dict[str, tuple[float, ...]]:
    """Print a row for each cutter; return its figures.

    They are the shares of whole segments, of those in documents of several, and of those that are :func:`cuttable`, how
    many are not, seconds, and changes of scores.
    """
    output = test.outputs[name]
    places: list[list[tuple[int, int]]] = [[] for _ in test.documents]
    if drops:
        output = dropped(output, random.Random(name))  # noqa: S311 - a benchmark
    if adds:
        output, places = added(test, output, random.Random(name))  # noqa: S311
    texts = [joined(output[place], test.pair[-2:]) for place in test.documents]
    if drops:
        texts = [in_other_lines(text, random.Random(name)) for text in texts]  # noqa: S311
    several = {
        number for place in test.documents if place.stop - place.start > 1 for number in range(place.start, place.stop)
    }
    possible = cuttable(test, output)
    figures = dict[str, tuple[float, ...]]()
    scores = Scores(test, output if test.reference else [])
    for label, cutter in cutters.items():
        start = time.process_time()
        wall = time.perf_counter()
        found = cutter(test, texts)
        seconds = time.process_time() - start if label != "mweralign" else time.perf_counter() - wall
        right = [" ".join(one.split()) == other for one, other in zip(found, output, strict=True)]
        whole = 100 * sum(right) / len(right)
        inside = 100 * sum(right[number] for number in several) / max(1, len(several))
        fair = 100 * sum(one and there for one, there in zip(right, possible, strict=True)) / max(1, sum(possible))
        left = len(possible) - sum(possible)
        rescued = sum(one and not there for one, there in zip(right, possible, strict=True))
        changed = scores.changed(found) if test.reference else []
        figures[label] = (whole, inside, fair, left, seconds, *changed)
        noticed = counts(cutter, output, places) if isinstance(cutter, Ours) and (drops or adds) else ()
        for what, (there, said, both) in (
            zip(("omitted", "added"), (noticed[:3], noticed[3:]), strict=False) if noticed else ()
        ):
            print(f"{test.pair}\t{name:18}\t{label:18}\t{what}: {there}, said {said}, right {both}")
            NOTICED[label, what] = tuple(
                map(sum, zip(NOTICED.get((label, what), (0, 0, 0)), (there, said, both), strict=True))
            )
        shown = "  ".join(f"{metric} {change:+.2f}" for metric, change in zip(METRICS, changed, strict=False))
        shares = f"{whole:6.2f}\t{inside:6.2f}\t{fair:6.2f}\t{left} ({rescued})"
        print(f"{test.pair}\t{name:18}\t{label:18}\t{shares}\t{seconds:.2f} s\t{shown}", flush=True)
    return figures


def book(shared: Path) -> None:
    """Print time and memory for texts of some lengths, as one document: WMT, NTREX, and single sentences after them."""
    test = wmt(shared, "en-de")
    human = next(one for one in ntrex(shared) if one.pair == "en-de")
    with gzip.open(shared / "parallel" / "en-deu.tsv.gz", "rt", encoding="utf-8") as file:
        pairs = [[" ".join(text.split()) for text in line.split("\t")[-2:]] for line in file]
    pairs = [pair for pair in pairs if len(pair) == len(list(filter(None, pair))) == 2 and len(pair[0]) > 40]
    source = [*test.source, *human.source, *(one for one, _ in pairs)]
    output = [*test.outputs["Aya23"], *human.outputs["human"], *(other for _, other in pairs)]
    print("segments\twhole\tseconds\tMiB at most")
    for size in (1_250, 2_500, 5_000, 10_000):
        one = Test("en-de", source[:size], [], [slice(0, size)], {})
        tool = Ours(one, reference=False, whole=True)
        start = time.process_time()
        found = tool(one, [joined(output[:size], "de")])
        seconds = time.process_time() - start
        whole = 100 * sum(" ".join(a.split()) == b for a, b in zip(found, output, strict=False)) / size
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{size}\t{whole:.2f}\t{seconds:.1f}\t{peak:.0f}", flush=True)


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--pair", action="append")
    parser.add_argument("--system", action="append")
    parser.add_argument("--drops", action="store_true")
    parser.add_argument("--adds", action="store_true")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--mweralign", type=Path)
    parser.add_argument("--ours", action="store_true", help="without cuts by length")
    parser.add_argument("--shares", action="store_true", help="without scores")
    parser.add_argument("--book", action="store_true")
    options = parser.parse_args()
    if options.shares:
        METRICS.clear()
    if options.book:
        book(options.shared)
        return
    wanted: list[str] = options.pair or ["en-de", "en-es", "ntrex"]
    tests = [wmt(options.shared, pair) for pair in wanted if pair != "ntrex"]
    tests += ntrex(options.shared) if "ntrex" in wanted else []
    columns = ("whole", "in documents of several", "of those with a translation", "others (whole)", "seconds")
    print("\t".join(("pair", "system", "cut by", *columns, "scores against the true lines'")))
    rows: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for test in tests:
        cutters: dict[str, Cutter] = {"source": Ours(test, reference=False, whole=options.whole)}
        if test.reference:
            cutters["source, reference"] = Ours(test, reference=True, whole=options.whole)
        if not options.ours:
            cutters["length"] = by_length
        if options.mweralign and test.reference:
            cutters["mweralign"] = mweralign(options.mweralign)
        group = "ntrex" if not test.reference else test.pair
        for name in options.system or test.outputs:
            for label, figures in measure(test, name, cutters, drops=options.drops, adds=options.adds).items():
                rows.setdefault((group, label), []).append(figures)
    for (label, what), (true, said, both) in NOTICED.items():
        shares = f"precision {both / max(1, said):.3f}, recall {both / max(1, true):.3f}"
        print(f"{what} by {label}: {true}, said {said}; {shares}")
    for (group, label), found in rows.items():
        whole, inside, fair, left, seconds, *changes = map(list, zip(*found, strict=True))
        count = len(found)
        each = [
            f"{sum(shares) / count:6.2f}, median {median(shares):.2f}, {sum(one >= WANTED for one in shares)} good"
            for shares in (whole, fair)
        ]
        shown = (
            f"{each[0]}\t{sum(inside) / count:6.2f}\t{each[1]}\t{sum(left) / count:.0f}\t{sum(seconds) / count:.2f} s"
        )
        worst = " ".join(f"{max(map(abs, column)):.2f}" for column in changes)
        print(f"{group}\tmean of {count}\t{label:18}\t{shown}\tlargest change {worst}\tleast whole {min(whole):.2f}")


if __name__ == "__main__":
    main()
