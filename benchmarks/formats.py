"""Time and memory of reading formats as streams: a generated TMX file of any size, and a folder of many files.

    python benchmarks/formats.py --segments 1000000 --files 10000

Prints a line a case: segments, processor time, segments a second, and the peak memory of a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from endophora.corpus.formats import open_stream
from endophora.corpus.streams import ReadOptions

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header srclang="en"/><body>\n'
_UNIT = (
    '<tu tuid="{n}"><prop type="x-document">d{d}</prop><tuv xml:lang="en-US"><seg>The <bpt i="1">&lt;b&gt;</bpt>lamp'
    '<ept i="1">&lt;/b&gt;</ept> number {n} is broken, but it can still be repaired.</seg></tuv><tuv xml:lang="de-DE">'
    "<seg>Die Lampe Nummer {n} ist kaputt, aber sie lässt sich noch reparieren.</seg></tuv></tu>\n"
)


def _write(path: Path, numbers: range) -> None:
    with path.open("w", encoding="utf-8") as stream:
        stream.write(_HEAD)
        stream.writelines(_UNIT.format(n=number, d=number // 50) for number in numbers)
        stream.write("</body></tmx>\n")


def _read(paths: list[str]) -> None:
    """Read files as one stream, and print what it took."""
    begun = time.process_time()
    stream = open_stream(paths, ReadOptions(languages=("en", "de")))
    count = sum(len(document.segments) for document in stream)
    seconds = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{count:,} segments, {seconds:.1f} s, {count / seconds:,.0f} a second, peak {peak:.0f} MiB")


def _cases(segments: int, files: int, folder: Path) -> Iterator[tuple[str, Path]]:
    for size in (segments // 10, segments):
        path = folder / f"{size}.tmx"
        _write(path, range(size))
        yield f"TMX of {size:,} segments, {path.stat().st_size >> 20} MiB", path
    many = folder / "many"
    many.mkdir()
    for number in range(files):
        _write(many / f"{number:06}.tmx", range(50 * number, 50 * number + 50))
    yield f"{files:,} files of 50 segments", many


def main() -> None:
    """Run the cases, each read by a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--read", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read:
        _read([given.read])
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, path in _cases(given.segments, given.files, Path(folder)):
            print(name, end=": ", flush=True)
            subprocess.run([sys.executable, __file__, "--read", str(path)], check=True)  # noqa: S603


if __name__ == "__main__":
    main()
