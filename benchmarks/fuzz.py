"""Damages valid files of every reader and counts what comes: a coded error, a reading, or one of Python's own errors.

``python benchmarks/fuzz.py FILES [SEED …]`` (15,000 files and the seeds 1 and 2 by default); the exit status is 1 if
anything was uncaught. The readers, the valid files and the ways of damage are those of ``tests/bad_input``.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "bad_input"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "makers" / "src"))

from mutation import fuzz, targets


def main(files: int = 15_000, *seeds: int) -> int:
    """Run, print the counts and what was uncaught, and return the exit status."""
    names = list(targets())
    failed = False
    for seed in seeds or (1, 2):
        start = time.perf_counter()
        found = fuzz(names, files, seed)
        counts = ", ".join(f"{count:,} {name}" for name, count in sorted(found.counts.items()))
        print(f"seed {seed}: {files:,} files of {len(names)} readers in {time.perf_counter() - start:.0f} s: {counts}")
        for cause, data in found.uncaught.items():
            print(f"  {cause}\n    {data[:200]!r}")
        failed = failed or bool(found.uncaught)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
