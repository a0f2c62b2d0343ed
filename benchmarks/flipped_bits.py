"""Damage the store of an evaluation at random, evaluate again, and compare the figures.

    python benchmarks/flipped_bits.py                              # 30 flipped bits, 10 pages, 10 cut files
    python benchmarks/flipped_bits.py --bits 100 --pages 0 --cuts 0 --seed 2

The corpus is the example of the package. Each evaluation is the command itself, in this process. ``right`` are those
that end with 0 and write the bytes of ``result.json`` that an undamaged store gives; ``warned`` are those of them that
said that something was damaged (not all bits of a file are in use); every other end is shown.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

PAGE = 4096


def flip(data: bytearray, rng: random.Random) -> str:
    """Flip one bit."""
    place, bit = rng.randrange(len(data)), rng.randrange(8)
    data[place] ^= 1 << bit
    return f"bit {bit} of byte {place}"


def blank(data: bytearray, rng: random.Random) -> str:
    """Fill a page with zeros, or with noise."""
    page, noise = rng.randrange(len(data) // PAGE), rng.random() < 0.5
    data[page * PAGE : (page + 1) * PAGE] = rng.randbytes(PAGE) if noise else bytes(PAGE)
    return f"page {page} of {'noise' if noise else 'zeros'}"


def cut(data: bytearray, rng: random.Random) -> str:
    """Cut the end off."""
    length = rng.randrange(len(data))
    del data[length:]
    return f"cut to {length}"


def evaluate(output: Path) -> tuple[int, str]:
    """Run the command; return its exit status, 70 for what nobody foresaw, and what it said."""
    from endophora.cli.starting import run_command
    from endophora.data import example_directory

    corpus = ("-l", "en-de", "--input", str(example_directory("en-de")), "--input-format", "wmt")
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        status = run_command(("evaluate", *corpus, "-o", str(output), "-w", "1", "--resamples", "100"))
    return status, said.getvalue()


def main() -> None:
    """Run the trials and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, number in (("bits", 30), ("pages", 10), ("cuts", 10)):
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)  # noqa: S311
    damages: list[tuple[Callable[[bytearray, random.Random], str], int]] = [
        (flip, options.bits),
        (blank, options.pages),
        (cut, options.cuts),
    ]
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        os.environ["ENDOPHORA_CACHE"] = str(folder / "whole")
        status, said = evaluate(folder / "first")
        if status:
            sys.exit(said)
        with contextlib.closing(sqlite3.connect(folder / "whole" / "store.sqlite")) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        wanted = (folder / "first" / "result.json").read_bytes()
        whole = (folder / "whole" / "store.sqlite").read_bytes()
        print(f"a store of {len(whole):,} bytes")
        for damage, number in damages:
            ends: Counter[str] = Counter()
            for _ in range(number):
                shutil.rmtree(folder / "damaged", ignore_errors=True)
                (folder / "damaged").mkdir()
                data = bytearray(whole)
                what = damage(data, rng)
                (folder / "damaged" / "store.sqlite").write_bytes(data)
                os.environ["ENDOPHORA_CACHE"] = str(folder / "damaged")
                status, said = evaluate(folder / "again")
                right = not status and (folder / "again" / "result.json").read_bytes() == wanted
                ends["right" if right else f"status {status}"] += 1
                ends["warned"] += right and "store.sqlite" in said
                if not right:
                    print(f"{what}: status {status}\n{said}")
            print(f"{damage.__name__}: {number} times; {', '.join(f'{end} {count}' for end, count in ends.items())}")


if __name__ == "__main__":
    main()
