"""What pronouns stand for, read one by one: the project's own readings of English web text and of film subtitles.

``recipes/antecedents-en.tsv`` has no text: of each document the places of pronouns and of the nouns that they stand
for, each with the number of what it names. The texts are those of the English Web Treebank and the contexts of the
contrastive items of Lopes et al. (2020), of which two in seven are kept to measure with.
"""

from __future__ import annotations

import csv
import hashlib
import lzma
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from endophora_makers.gum import read_sentences

CLAUSE, NOTHING, UNNAMED, UNSURE = "clause", "nothing", "unnamed", "unsure"
"""Of a pronoun that stands for no noun: for a clause or a situation, for nothing, for a thing that no noun names."""
WEB, SUBTITLES = "ewt", "contrastive"
"""The corpora of the texts, as the readings name them."""
READINGS = Path(__file__).parent / "recipes" / "antecedents-en.tsv"
KEPT = 2 / 7
_LETTERS = {"c": CLAUSE, "0": NOTHING, "x": UNNAMED, "u": UNSURE}


class Place(NamedTuple):
    """Where a mention's head stands: segment from 0, its first character there; and whether a coordination is meant."""

    segment: int
    start: int
    coordinated: bool = False


Reading = Mapping[Place, str]
"""Place of a pronoun or a noun → number of the thing that it names, or one of the words above."""


def read_readings(path: Path = READINGS) -> dict[tuple[str, str], Reading]:
    """Return (corpus, document) → what was read in it."""
    lines = (line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {
        (row["corpus"], row["document"]): dict(map(_read, row["mentions"].split()))
        for row in csv.DictReader(lines, delimiter="\t")
    }


def _read(item: str) -> tuple[Place, str]:
    place, _, said = item.partition("=")
    segment, _, start = place.removesuffix("&").partition(".")
    return Place(int(segment) - 1, int(start), place.endswith("&")), _LETTERS.get(said, said)


def web_texts(folder: Path) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """Yield each document of the English Web Treebank, unpacked, as its sentences."""
    for path in sorted(folder.glob("*.conllu")):
        yield (WEB, path.stem), [text.text for text in read_sentences(path)]


def subtitle_texts(path: Path) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """Yield the English side of each contrastive item that is not kept to measure with: four segments."""
    with lzma.open(path, "rt", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            if not kept(row["source"]):
                yield (SUBTITLES, row["item"]), [row["source_1"], row["source_2"], row["source_3"], row["source"]]


def kept(source: str) -> bool:
    """Return whether a contrastive item is kept to measure with, by its last English segment."""
    return int(hashlib.sha256(source.encode()).hexdigest()[:8], 16) / 2**32 >= 1 - KEPT
