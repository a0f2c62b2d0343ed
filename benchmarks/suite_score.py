"""How long a suite takes to score: ``python benchmarks/suite_score.py KNOWN-ANSWERS/ctxpro``.

Processor time, start-up apart, on the suite as published, a JSON file that is not packed. Timed are

- *files*: from the files to accuracies by rule and over all, which is what the published tool prints;
- *judging*: from outputs in memory to hits;
- *result*: from the files to all that ``endophora suite score --resamples 0`` knows: also by phenomenon and distance,
  with the signature; and *intervals*: the same with 1,000 resamples. The published tool has neither.

With the library ``sentence_splitter`` installed, the published way is timed beside it, in turns with ours: the file
read with ``json``, every output split from its start into sentences, the last one lower-cased, every character of it
looked up among the punctuation, and the form looked for between spaces; there is no regular expression of its own in
it. The splitter is made beforehand, as our abbreviations are read. Ours checks every item besides, which the published
way does not. Ratios are of the medians; hits are compared.
"""

from __future__ import annotations

import gc
import gzip
import json
import string
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from endophora.suites.formats import read_suite
from endophora.suites.outputs import read_outputs
from endophora.suites.scoring import SuiteOptions, judge_outputs, score_outputs

RUNS = 15
Split = Callable[[str], list[str]]


def medians(*functions: Callable[[], Any]) -> list[float]:
    """Return the median processor time of each function over several rounds, in each of which all run once, in ms."""
    times = [list[float]() for _ in functions]
    for _ in range(RUNS):
        for function, spent in zip(functions, times, strict=True):
            gc.collect()
            start = time.process_time()
            function()
            spent.append(1000 * (time.process_time() - start))
    return [median(spent) for spent in times]


def tally(rules: Sequence[str], hits: Sequence[int]) -> dict[str, float]:
    """Return accuracy in per cent, by rule and over all."""
    counts: dict[str, list[int]] = {}
    for rule, hit in zip(rules, hits, strict=True):
        if rule not in counts:
            counts[rule] = [0, 0]
        counts[rule][0] += hit
        counts[rule][1] += 1
    return {rule: 100 * right / all_ for rule, (right, all_) in counts.items()} | {"": 100 * sum(hits) / len(hits)}


def judge_as_published(items: Sequence[dict[str, Any]], lines: Sequence[str], split: Split) -> list[int]:
    """Judge outputs in the published way."""
    hits = list[int]()
    for item, line in zip(items, lines, strict=True):
        text = (split(line.strip()) or [line])[-1].lower()
        kept = ""
        for character in text:
            if character not in string.punctuation:
                kept += character
        hits.append(int(f" {item['expected'].lower()} " in f" {kept} "))
    return hits


def score_as_published(suite: Path, outputs: Path, split: Split) -> dict[str, float]:
    """Score outputs in the published way."""
    with suite.open(encoding="utf-8") as stream:
        items = json.load(stream)
    with outputs.open(encoding="utf-8") as stream:
        hits = judge_as_published(items, [line.strip() for line in stream], split)
    return tally([item["rule"] for item in items], hits)


def score(suite: Path, outputs: Path) -> dict[str, float]:
    """Score outputs in our way."""
    read = read_suite(suite)
    hits = judge_outputs(read, read_outputs(read, {"x": outputs})["x"], SuiteOptions())
    return tally([item.rule for item in read.items], hits)


def result(suite: Path, outputs: Path, resamples: int) -> object:
    """Return the whole result."""
    read = read_suite(suite)
    return score_outputs(read, read_outputs(read, {"x": outputs}), SuiteOptions(resamples=resamples))


def measure(suite: Path, outputs: Path) -> str:
    """Return the row of one file of outputs."""
    read = read_suite(suite)
    lines, options = read_outputs(read, {"x": outputs})["x"], SuiteOptions()
    ours = (
        lambda: score(suite, outputs),
        lambda: judge_outputs(read, lines, options),
        lambda: result(suite, outputs, 0),
        lambda: result(suite, outputs, 1000),
    )
    head = f"{outputs.name.removeprefix('deepl.'):46}{len(read):6}"
    try:
        from sentence_splitter import SentenceSplitter
    except ImportError:
        times = "".join(f"{spent:10.1f}" for spent in medians(*ours))
        return f"{head}{times}  (sentence_splitter is not installed)"
    split = SentenceSplitter(language=read.target_language).split
    items = json.loads(suite.read_text("utf-8"))
    differ = sum(
        a != b
        for a, b in zip(judge_outputs(read, lines, options), judge_as_published(items, lines, split), strict=True)
    )
    found = medians(
        *ours,
        lambda: score_as_published(suite, outputs, split),
        lambda: judge_as_published(items, lines, split),
    )
    files, judging, whole, _, published, judged = found
    times = "".join(f"{spent:10.1f}" for spent in found)
    return f"{head}{times}{published / files:8.1f}{judged / judging:10.1f}{published / whole:9.1f}{differ:8}"


def main(folder: Path) -> None:
    """Print a row for each suite and output."""
    names = ("files", "judging", "result", "intervals", "published", "judging")
    heads = "".join(f"{name:>10}" for name in names)
    print(f"{'outputs, milliseconds':46}{'items':>6}{heads}{'files':>8}{'judging':>10}{'result':>9}{'differ':>8}")
    with tempfile.TemporaryDirectory() as unpacked:
        for packed in sorted(folder.glob("*.test.json.gz")):
            suite = Path(unpacked) / packed.name.removesuffix(".gz")
            suite.write_bytes(gzip.decompress(packed.read_bytes()))
            for outputs in sorted(folder.glob(f"deepl.{suite.name.removesuffix('.json')}.*")):
                print(measure(suite, outputs), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
