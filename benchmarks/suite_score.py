"""How long a suite takes to score: ``python benchmarks/suite_score.py KNOWN-ANSWERS/ctxpro``.

Processor time, start-up apart, best of several runs: from files to hits, and of judging alone, the files having been
read. With the library ``sentence_splitter`` installed, the published way is timed beside it: every output split from
its start, every character looked up among the punctuation. Where both are timed, their hits are compared.
"""

from __future__ import annotations

import gc
import gzip
import json
import string
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from endophora.suites.formats import read_suite
from endophora.suites.outputs import read_outputs
from endophora.suites.scoring import SuiteOptions, judge_outputs, score_outputs

RUNS = 5


def best(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the least processor time of several runs, in seconds, and the result."""
    times, found = [], None
    for _ in range(RUNS):
        found = None
        gc.collect()
        start = time.process_time()
        found = function()
        times.append(time.process_time() - start)
    return min(times), found


def read_items(suite: Path) -> list[dict[str, Any]]:
    """Read a suite as the published tool does."""
    with gzip.open(suite, "rt", encoding="utf-8") as stream:
        return json.load(stream)


def published(items: list[dict[str, Any]], lines: list[str], language: str) -> list[int]:
    """Judge outputs in the published way."""
    from sentence_splitter import SentenceSplitter

    splitter = SentenceSplitter(language=language)
    hits = []
    for item, line in zip(items, lines, strict=True):
        text = splitter.split(line.strip())[-1].lower()
        kept = "".join([character for character in text if character not in string.punctuation])
        hits.append(int(f" {item['expected'].lower()} " in f" {kept} "))
    return hits


def measure(suite: Path, outputs: Path) -> str:
    """Return the row of one file of outputs."""
    options, lines = SuiteOptions(), outputs.read_text("utf-8").split("\n")[:-1]
    read, items = read_suite(suite), read_items(suite)
    whole, _ = best(lambda: judge_outputs(read_suite(suite), read_outputs(read, {"x": outputs})["x"], options))
    alone, hits = best(lambda: judge_outputs(read, lines, options))
    full, _ = best(lambda: score_outputs(read, {"x": lines}, options))
    row = f"{outputs.name.removeprefix('deepl.'):47}{len(hits):6}"
    row += f"{1000 * whole:9.0f}{1000 * alone:9.0f}{1000 * full:11.0f}"
    try:
        language = read.target_language
        plain, _ = best(lambda: published(read_items(suite), outputs.read_text("utf-8").split("\n")[:-1], language))
        judged, other = best(lambda: published(items, lines, language))
    except ImportError:
        return f"{row}  (sentence_splitter is not installed)"
    differ = sum(a != b for a, b in zip(hits, other, strict=True))
    return f"{row}{1000 * plain:12.0f}{1000 * judged:9.0f}{plain / whole:10.1f}{judged / alone:9.1f}{differ:8}"


def main(folder: Path) -> None:
    """Print a row for each suite and output."""
    heads = f"{'outputs, milliseconds':47}{'items':>6}{'files':>9}{'judging':>9}{'intervals':>11}"
    print(f"{heads}{'published':>12}{'judging':>9}{'times':>10}{'judging':>9}{'differ':>8}")
    for suite in sorted(folder.glob("*.test.json.gz")):
        name = suite.name.removesuffix(".json.gz")
        for outputs in sorted(folder.glob(f"deepl.{name}.*")):
            print(measure(suite, outputs))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
