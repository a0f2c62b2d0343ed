"""CPU time of metrics of plain texts on one reference and some systems, and their scores.

    python benchmarks/text_metrics.py REFERENCE SYSTEM [SYSTEM …] --language de --documents IDS --metric d-ter

Files are plain text, one segment a line; the file of documents has an id a line. ``--skip 1`` leaves out a first line
that is no segment. The first system's time has what is made once of the references in it.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from endophora.metrics import load_metric


def main() -> None:
    """Print a line for each metric and system."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="reference, then systems")
    parser.add_argument("--language", required=True)
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--metric", action="append", required=True)
    parser.add_argument("--skip", type=int, default=0)
    arguments = parser.parse_args()
    reference, *systems = (
        path.read_text(encoding="utf-8").split("\n")[arguments.skip : -1] for path in arguments.files
    )
    ids = arguments.documents.read_text(encoding="utf-8").split("\n")[arguments.skip : -1]
    places = {name: place for place, name in enumerate(dict.fromkeys(ids))}
    documents = [places[name] for name in ids]
    print(f"{len(ids)} segments in {len(places)} documents")
    for name in arguments.metric:
        metric = load_metric(name, arguments.language)
        for path, system in zip(arguments.files[1:], systems, strict=True):
            start = time.process_time()
            counts = metric.statistics(system, [reference], documents)
            seconds = time.process_time() - start
            print(
                f"{metric.name:20} {path.stem:20} {seconds:8.2f} s {float(metric.score(counts.sum(axis=0))):10.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
