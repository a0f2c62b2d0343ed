"""A language in which a pronoun agrees with a noun of the sentence before: no sentence by itself can tell it."""

from __future__ import annotations

import random
from pathlib import Path

from endophora.corpus.records import Document, Location, Segment
from endophora.corpus.streams import REFERENCE

NOUNS = {"lamp": ("die", "lampe"), "door": ("die", "tuer"), "key": ("der", "schluessel"), "table": ("der", "tisch")}
PLACES = {"here": "hier", "there": "dort", "home": "heim", "away": "fort"}
STATES = {"old": "alt", "new": "neu", "big": "gross", "red": "rot", "wet": "nass", "dry": "trocken"}
PRONOUNS = {"die": "sie", "der": "er"}


def toy_documents(count: int, seed: int = 0, name: str = "d") -> list[Document]:
    """Documents of two segments: a noun, and a pronoun for it."""
    draw = random.Random(seed)
    made = []
    for number in range(count):
        noun, place, state = (draw.choice(sorted(table)) for table in (NOUNS, PLACES, STATES))
        article, word = NOUNS[noun]
        rows = [
            (f"the {noun} is {place}", f"{article} {word} ist {PLACES[place]}"),
            (f"it is {state}", f"{PRONOUNS[article]} ist {STATES[state]}"),
        ]
        segments = tuple(Segment(x, {REFERENCE: y}, {}, Location("toy", i)) for i, (x, y) in enumerate(rows, 1))
        made.append(Document(f"{name}{number}", segments))
    return made


def write_toy(path: Path, documents: list[Document]) -> Path:
    """Write documents as a TSV file."""
    lines = ["document\tsource\ttarget"]
    lines += [f"{d.id}\t{s.source}\t{s.references[REFERENCE]}" for d in documents for s in d.segments]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
