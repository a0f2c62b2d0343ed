"""Each language's default annotator: size, time to load, words a second.

    python benchmarks/pipelines.py ../shared/documents/ntrex

Loading is timed in a fresh process after spaCy is imported (wall time). The speed is that of the annotator on NTREX
in processor time of one core, so that other work on the machine counts little. Sizes: on disk, and zipped as in the
wheel.
"""

from __future__ import annotations

import io
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from ntrex import FILES

from endophora.annotate.loading import PIPELINES

OTHERS = {"en": "eng", "cs": "ces", "et": "est", "fi": "fin", "lt": "lit", "lv": "lav"}
PROBE = """
import sys, time
import spacy
from pathlib import Path
from endophora.annotate.loading import load_annotator
started = time.perf_counter()
annotator = load_annotator(sys.argv[1])
annotator.annotate([]), getattr(annotator, "nlp", None)
loaded = time.perf_counter() - started
texts = Path(sys.argv[2]).read_text("utf-8").splitlines()
list(annotator.annotate(texts[:50]))
started = time.process_time()
words = sum(len(text.tokens) for text in annotator.annotate(sorted(texts, key=len)))
print(loaded, words / (time.process_time() - started), annotator.signature, sep="\\t")
"""


def zipped(directory: Path) -> int:
    """Return the size of a directory's files in a zip archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(directory.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(directory))
    return len(buffer.getvalue())


def main(directory: str) -> None:
    """Print the table."""
    print("| | on disk, MB | zipped, MB | load, s | words/s | annotator |\n|---|---|---|---|---|---|")
    whole = 0
    for language, name in sorted({**FILES, **OTHERS}.items()):
        own = PIPELINES / language
        disk = sum(file.stat().st_size for file in own.rglob("*") if file.is_file()) if own.is_dir() else 0
        packed = zipped(own) if own.is_dir() else 0
        whole += packed
        text = Path(directory) / f"newstest2019.{name}.txt"
        probe = subprocess.run(  # noqa: S603
            [sys.executable, "-c", PROBE, language, str(text)], capture_output=True, text=True, check=False
        )
        if probe.returncode:
            print(f"| {language} | {disk / 1e6:.1f} | {packed / 1e6:.1f} | – | – | {probe.stderr.splitlines()[-1]} |")
            continue
        load, speed, signature = probe.stdout.strip().split("\t")
        sizes = f"{disk / 1e6:.1f} | {packed / 1e6:.1f}" if own.is_dir() else "– | –"
        print(f"| {language} | {sizes} | {float(load):.2f} | {float(speed):,.0f} | {signature} |", flush=True)
    print(f"\nall pipelines, zipped: {whole / 1e6:.1f} MB; {time.strftime('%Y-%m-%d')}")


if __name__ == "__main__":
    main(sys.argv[1])
