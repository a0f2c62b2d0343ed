"""How fast annotation and its store are: ``python benchmarks/annotate.py FILE LANGUAGE``, one segment a line.

Prints the words a second of the bare pipeline and of the annotator with the store, the store's share of the first run,
and how much faster the second run reads than the first annotates. CPU time of this process, so that other work on the
machine counts little.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import cast

from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.loading import load_annotator
from endophora.annotate.store import AnnotationStore
from endophora.store import Store


def main(file: str, language: str) -> None:
    """Measure on one file."""
    texts = list(dict.fromkeys(line.strip() for line in Path(file).read_text("utf-8").splitlines()))
    annotator = cast("SpacyAnnotator", load_annotator(language))
    list(annotator.annotate(texts[:100]))
    start = time.process_time()
    words = sum(len(doc) for doc in annotator.nlp.pipe(sorted(texts, key=len, reverse=True), batch_size=128))
    bare = time.process_time() - start
    with tempfile.TemporaryDirectory() as folder:
        first, second = (_timed(Path(folder) / "store.sqlite", annotator, texts) for _ in range(2))
    print(f"{len(texts)} texts, {words} words")
    print(f"pipeline alone   {words / bare:8.0f} words/s")
    print(f"with the store   {words / first:8.0f} words/s, {100 * (first / bare - 1):.1f} % more time")
    print(f"second run       {words / second:8.0f} words/s, {first / second:.1f} times as fast")


def _timed(path: Path, annotator: SpacyAnnotator, texts: list[str]) -> float:
    """Return the seconds that annotating through the store takes."""
    with Store(path) as store:
        start = time.process_time()
        AnnotationStore(store).annotate(annotator, texts)
        return time.process_time() - start


if __name__ == "__main__":
    main(*sys.argv[1:3])
