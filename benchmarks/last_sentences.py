"""The last sentence of a text beside that of the splitter with which ctxpro's scores were made.

    pip install 'endophora[ctxpro]'
    python benchmarks/last_sentences.py ../shared

Of ``suite score --match ascii``. Texts are three lines in a row: of NTREX, and of the pairs in ``parallel/``; with
``--made`` also so many a language of marks, quotes, brackets, numbers, blanks, and abbreviations in any order. A row a
language: texts, and how many end in another sentence. The words of a sentence are compared, not its blanks.
"""

from __future__ import annotations

import argparse
import gzip
import random
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from endophora.suites.europarl import last_sentences, published_abbreviations

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


ENDS = (". ", "? ", "! ", '." ', ".) ", '. " ', ".. ", "... ", ". («", ".’ ", ". „", ".\" '", ". ' ")
MARKS = (
    *".?!…'\"()[]{}«»‹›“”„‘’‛‟¿¡%-–—_,;:/&@#*<>´`″「」。！？·॥",
    "..",
    "...",
    "?!",
    " ",
    "  ",
    "\u00a0",
    "\t",
    "\u3000",
)
OTHERS = (
    *"0²٣ªAaÉéßЖя中はאǅⅣⅷ¹①№ⒶK",
    "12",
    "A\u0301",
    "e\u0301",
    "\u0301",
    "\u200d",
    "U.S.",
    "e.g",
    "т.е.",
    "a-b",
    "A_",
    "IBM",
)


def made(language: str, size: int) -> Iterator[str]:
    """Yield texts of nothing but difficulties."""
    draw = random.Random(language)  # noqa: S311 - not for secrets
    known = published_abbreviations(language)
    short = sorted(known.always | known.number)
    kinds = [lambda: draw.choice(short) + draw.choice(("", ".", ".")), lambda: " ", lambda: draw.choice(ENDS)]
    kinds += [lambda: draw.choice(MARKS), lambda: draw.choice(OTHERS)]
    for _ in range(size):
        yield "".join(draw.choice(kinds)() for _ in range(draw.randint(1, 14))).strip()


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--size", type=int, default=12_000, help="lines of the pairs of a language")
    parser.add_argument("--made", type=int, default=0, help="made texts of a language")
    arguments = parser.parse_args()
    all_texts = all_others = 0
    for language in NAMES:
        given = [*texts(arguments.shared, language, arguments.size), *made(language, arguments.made)]
        splitter: Any = import_module("sentence_splitter").SentenceSplitter(language=language)
        theirs = ((splitter.split(text) or [""])[-1] for text in given)
        ours = last_sentences(given, language)
        other = sum(" ".join(one.split()) != mine for one, mine in zip(theirs, ours, strict=True))
        print(f"{language}\t{len(given):,} texts\t{other} other", flush=True)
        all_texts, all_others = all_texts + len(given), all_others + other
    print(f"all\t{all_texts:,} texts\t{all_others} other")


if __name__ == "__main__":
    main()
