"""Make a contrastive suite of pronouns that the source leaves out: *he* or *she* where the Chinese sentence has none.

An item is a segment whose translation has exactly one word that shows the gender of a person, a *he* or a *she*, while
nothing in the source shows it; in the wrong translation it is the other one. So only context tells. Context are the
segments before it in both languages; the distance is that of the nearest segment whose translation has the right form.

    python makers/scripts/dropped_subjects.py HELD-OUT.tsv suite.jsonl --languages zh-en

``HELD-OUT.tsv`` has the columns document, source, target. Found by letters: a name in the source tells gender too.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from endophora.suites import Item, Pair, Suite, Variant
from endophora.suites.own_formats import write_suite_jsonl

_WORD = re.compile(r"[^\W\d_]+")
CONTEXT = 5


def read_rows(path: Path) -> dict[str, list[tuple[str, str]]]:
    """Return document → its (source, target) segments."""
    documents: dict[str, list[tuple[str, str]]] = {}
    for line in path.read_text("utf-8").split("\n")[1:]:
        if line:
            document, source, target = line.split("\t")
            documents.setdefault(document, []).append((source, target))
    return documents


def items(documents: Mapping[str, Sequence[tuple[str, str]]], rules: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the items of documents."""
    for document, segments in documents.items():
        for place, (source, target) in enumerate(segments):
            gendered = [found for found in _WORD.finditer(target) if found[0].lower() in rules["agreeing"]]
            if len(gendered) != 1 or any(sign in source for sign in rules["shown"]):
                continue
            right = gendered[0][0].lower()
            if right not in rules["forms"]:
                continue
            wrong = rules["forms"][right]
            written = wrong.capitalize() if gendered[0][0][0].isupper() else wrong
            before = segments[max(0, place - CONTEXT) : place]
            yield Item(
                id=f"{document}:{place}",
                document=document,
                segment=place,
                source=source,
                reference=target,
                phenomenon="dropped subject",
                rule=f"0:{right}",
                expected=(right,),
                distance=_distance(right, [text for _, text in before]),
                before=tuple(Pair(*pair) for pair in before),
                variants=(Variant(target[: gendered[0].start()] + written + target[gendered[0].end() :], form=wrong),),
            )


def _distance(form: str, before: Sequence[str]) -> int | None:
    """Return how many segments back the form stands last; ``None`` if in none of them."""
    for back, text in enumerate(reversed(before), start=1):
        if form in (found[0].lower() for found in _WORD.finditer(text)):
            return back
    return None


def main() -> None:
    """Read the text and write the suite."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--languages", default="zh-en")
    chosen = parser.parse_args()
    rules = YAML(typ="safe").load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))[chosen.languages]
    found = tuple(items(read_rows(chosen.text), rules))
    source, _, target = chosen.languages.partition("-")
    write_suite_jsonl(Suite(chosen.suite.stem, source, target, found), chosen.suite)
    print(f"{len(found)} items: {chosen.suite}")


if __name__ == "__main__":
    main()
