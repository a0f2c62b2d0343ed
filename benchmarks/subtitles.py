"""Write a synthetic parallel corpus shaped like OpenSubtitles: documents of 200 to 1,500 short lines.

The sentences are put together from our own templates (``subtitles.yaml``): no text of any corpus is in them. The same
arguments always write the same bytes, and a corpus of fewer lines is the beginning of a longer one.

    python benchmarks/subtitles.py 1000000 corpus.tsv.gz --languages en-de
"""

from __future__ import annotations

import argparse
import gzip
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

SHORTEST, LONGEST = 200, 1_500
YEARS = (1990, 2018)
CAST, OTHERS = 12, 0.3
_SLOTS = ("place", "time", "quality")


class Writer:
    """Makes documents of one language pair.

    Args:
        target: code of the target language; the source is English.
    """

    def __init__(self, target: str) -> None:
        data: dict[str, Any] = YAML(typ="safe").load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
        self._names: list[str] = data["names"]
        self._syllables: list[str] = data["syllables"]
        self._language = data["languages"][target]
        self._kinds = list(data["weights"])
        self._weights = list(data["weights"].values())

    def document(self, number: int, seed: int) -> tuple[str, list[tuple[str, str]]]:
        """Return the id and the lines of a document; they depend on its number and the seed alone."""
        draw = random.Random(f"{seed}-{number}")  # noqa: S311
        cast = [self._person(draw) for _ in range(CAST)]
        size = min(LONGEST, SHORTEST + int(draw.expovariate(1 / 500)))
        lines: list[tuple[str, str]] = []
        while len(lines) < size:
            kind = draw.choices(self._kinds, self._weights)[0]
            template = draw.choice(self._language["lines"][kind])
            words = self._words(draw, cast)
            parts = [template] if isinstance(template[0], str) else template
            lines += [(one.format(**words), other.format(**words)) for one, other in parts]
        return f"{draw.randint(*YEARS)}/{number}", lines[:size]

    def _words(self, draw: random.Random, cast: list[str]) -> dict[str, str]:
        english, noun, gender = draw.choice(self._language["nouns"])
        words = {"name": self._called(draw, cast), "name2": self._called(draw, cast), "n": str(draw.randint(2, 99))}
        for slot in _SLOTS:
            plural = "qualities" if slot == "quality" else f"{slot}s"
            words[slot], words[slot.capitalize()] = draw.choice(self._language[plural])
        forms = self._language["articles"][gender]
        words |= {case: f"{forms[case]} {noun}" for case in ("nom", "acc", "dat", "a")}
        words |= {pronoun: forms[pronoun] for pronoun in ("he", "him", "ihm")}
        words |= {"en": english, "He": forms["he"].capitalize()}
        # ``capitalize`` would lower the rest, and a German noun keeps its capital.
        words["Nom"] = words["nom"][0].upper() + words["nom"][1:]
        return words

    def _person(self, draw: random.Random) -> str:
        return f"{draw.choice(self._names)} {''.join(draw.choices(self._syllables, k=4)).capitalize()}"

    def _called(self, draw: random.Random, cast: list[str]) -> str:
        """Return one of the cast, by both names or one, or somebody else's first name."""
        if draw.random() < OTHERS:
            return draw.choice(self._names)
        person = draw.choice(cast)
        return draw.choice((person, *person.split()))


def lines(count: int, target: str = "de", seed: int = 1) -> Iterator[tuple[str, str, str]]:
    """Yield document id, source and target of so many lines; the last document may be cut."""

    def every() -> Iterator[tuple[str, str, str]]:
        writer, number = Writer(target), 0
        while True:
            name, pairs = writer.document(number, seed)
            yield from ((name, *pair) for pair in pairs)
            number += 1

    return islice(every(), count)


def write(count: int, path: Path, target: str = "de", seed: int = 1) -> None:
    """Write so many lines as TSV with a header, gzipped if the path says so."""
    with path.open("wb") as raw:
        zipped = path.name.endswith(".gz")
        stream = gzip.GzipFile("", "wb", 1, raw, mtime=0) if zipped else raw
        stream.write(b"document\tsource\ttarget\n")
        for row in lines(count, target, seed):
            stream.write(("\t".join(row) + "\n").encode())
        if zipped:
            stream.close()


def main() -> None:
    """Write a corpus."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("lines", type=int)
    parser.add_argument("output", type=Path)
    parser.add_argument("--languages", default="en-de", help="en-de or en-fr")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    write(chosen.lines, chosen.output, chosen.languages.partition("-")[2], chosen.seed)


if __name__ == "__main__":
    main()
