"""Extract with and without the look at the surface, and compare the rows byte for byte.

    python benchmarks/same_rows.py ../shared/parallel                   seven languages, from English and into it
    python benchmarks/same_rows.py ../shared/parallel -l pl --lines 2000 --segments 40

Takes sentence pairs evenly from ``en-*.tsv.gz`` in runs that stand together there, each run a document: they need not
belong together, but windows meet each other as in a text. Both ways annotate for themselves, so that what a batch of
texts does to their annotation would show as well. Exits with 1 if any row differs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from endophora.corpus.records import Document, Location, Segment
from endophora.corpus.streams import REFERENCE
from endophora.extraction import ExtractionSetup, default_phenomena
from endophora.extraction.task import Extractor

FILES = {"de": "deu", "es": "spa", "fr": "fra", "it": "ita", "pl": "pol", "pt": "por", "ru": "rus"}
SHARD = 2_000
"""Segments that are worked on at once, as by default in extraction."""


def documents(path: Path, lines: int, size: int, turned: bool) -> list[Document]:
    """Return documents of consecutive sentence pairs of a file.

    Args:
        path: gzipped TSV of collection, English, other.
        lines: how many pairs at most.
        size: pairs a document.
        turned: English is the target.
    """
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        pairs = [tuple(line.rstrip("\n").split("\t")[1:]) for line in stream]
    step = max(1, len(pairs) // size // max(1, lines // size))
    found: list[Document] = []
    for start in islice(range(0, len(pairs), size * step), lines // size):
        some = [pair[::-1] if turned else pair for pair in pairs[start : start + size]]
        segments = [Segment(one, {REFERENCE: other}, {}, Location(path.name, start + 1)) for one, other in some]
        found.append(Document(f"{path.name}:{start + 1}", tuple(segments)))
    return found


def rows(setup: ExtractionSetup, corpus: Sequence[Document]) -> tuple[list[str], float]:
    """Return the rows of documents, each as a line of JSON, and the seconds of processor time."""
    tools = setup.load()
    work = Extractor(tools)
    for annotator in (tools.source_annotator, tools.target_annotator):
        list(annotator.annotate(["A"]))
    start, found = time.process_time(), list[str]()
    shard: list[Document] = []
    for document in [*corpus, None]:
        if document is not None:
            shard.append(document)
        if document is None or sum(len(one.segments) for one in shard) >= SHARD:
            found += [json.dumps(row, ensure_ascii=False, sort_keys=True) for row in work(shard)]
            shard = []
    return found, time.process_time() - start


def compare(pair: tuple[str, str], corpus: Sequence[Document]) -> int:
    """Print the comparison of one direction, and return how many rows differ."""
    phenomena = default_phenomena(*pair)
    ways: list[tuple[list[str], float]] = []
    for prefilter in (True, False):
        setup = ExtractionSetup(
            source_language=pair[0], target_language=pair[1], phenomena=phenomena, prefilter=prefilter
        )
        ways.append(rows(setup, corpus))
    (part, quick), (whole, slow) = ways
    differ = len({*part} ^ {*whole}) or int(part != whole)
    segments = sum(len(document.segments) for document in corpus)
    cells = ("-".join(pair), segments, len(whole), differ, f"{quick:.0f}", f"{slow:.0f}")
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return differ


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--language", "-l", action="append", choices=sorted(FILES))
    parser.add_argument("--lines", type=int, default=5_000)
    parser.add_argument("--segments", type=int, default=25, help="sentence pairs a document")
    chosen = parser.parse_args()
    print("| pair | segments | rows | rows that differ | seconds with the look at the surface | without |")
    print("|---|---|---|---|---|---|")
    differ = 0
    for code in chosen.language or sorted(FILES):
        for turned in (False, True):
            path = chosen.directory / f"en-{FILES[code]}.tsv.gz"
            pair = (code, "en") if turned else ("en", code)
            differ += compare(pair, documents(path, chosen.lines, chosen.segments, turned))
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()
