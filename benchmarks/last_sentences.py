"""The last sentence of a text beside that of the splitter with which ctxpro's scores were made.

    pip install sentence-splitter
    python benchmarks/last_sentences.py ../shared

Of ``suite score --match ascii``. Texts are three lines in a row: of NTREX, and of the pairs in ``parallel/``; a row a
language: texts, and how many end in another sentence. The words of a sentence are compared, not its blanks.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from endophora.suites.matching import last_sentences

NAMES = {"de": "deu", "en": "eng", "es": "spa", "fr": "fra", "it": "ita", "pl": "pol", "pt": "por", "ru": "rus"}
"""The languages of ctxpro, and how files name them."""


def texts(shared: Path, language: str, size: int) -> Iterator[str]:
    """Yield texts of three lines."""
    name = NAMES[language]
    lines = (shared / "documents" / "ntrex" / f"newstest2019.{name}.txt").read_text("utf-8").splitlines()
    with gzip.open(
        shared / "parallel" / f"en-{'deu' if name == 'eng' else name}.tsv.gz", "rt", encoding="utf-8"
    ) as file:
        pairs = [line.rstrip("\n").split("\t")[1 + (name != "eng")] for line in file]
    for some in (lines, pairs[:: max(1, len(pairs) // size)]):
        yield from (" ".join(some[place : place + 3]) for place in range(len(some) - 2))


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--size", type=int, default=12_000, help="lines of the pairs of a language")
    arguments = parser.parse_args()
    all_texts = all_others = 0
    for language in NAMES:
        given = list(texts(arguments.shared, language, arguments.size))
        splitter: Any = import_module("sentence_splitter").SentenceSplitter(language=language)
        theirs = ((splitter.split(text) or [""])[-1] for text in given)
        ours = last_sentences(given, language, published=True)
        other = sum(" ".join(one.split()) != mine for one, mine in zip(theirs, ours, strict=True))
        print(f"{language}\t{len(given):,} texts\t{other} other", flush=True)
        all_texts, all_others = all_texts + len(given), all_others + other
    print(f"all\t{all_texts:,} texts\t{all_others} other")


if __name__ == "__main__":
    main()
