"""Sentence alignment against links made by hand: strict precision, recall and F1 of beads that have both sides.

    python benchmarks/sentences.py ../shared

zh-en: chapters of six novels; de-fr: the development part of text+berg, for which there are no priors, so that words
meet by way of English. Beside it, Gale and Church (1993) by lengths alone. The weights were chosen on these texts.
Published on the test part of text+berg, strict F1: vecalign .90, Bertalign .94, both with large encoders.
"""

from __future__ import annotations

import argparse
import ast
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from endophora.align.pieces import paired
from endophora.align.sentences import SentenceAligner

Link = tuple[tuple[int, ...], tuple[int, ...]]
Text = tuple[str, Sequence[str], Sequence[str], Sequence[Link]]


def mac(root: Path) -> Iterator[Text]:
    """Yield the chapters of the novels: name, Chinese, English, links."""
    for path in sorted(root.glob("*_zh.*_en.xml")):
        name = path.name.split("_")[0]
        texts, numbers = list[list[str]](), list[dict[str, int]]()
        for language in ("zh", "en"):
            held = list(ET.parse(root / f"{name}_{language}.xml").getroot().iter("s"))  # noqa: S314 - a benchmark's data
            texts.append(["".join(one.itertext()).strip() for one in held])
            numbers.append({one.get("id", ""): place for place, one in enumerate(held)})
        links = list[Link]()
        for link in ET.parse(path).getroot().iter("link"):  # noqa: S314
            english, chinese = (part.split() for part in link.get("xtargets", ";").split(";"))
            links.append((tuple(numbers[0][one] for one in chinese), tuple(numbers[1][one] for one in english)))
        yield name, texts[0], texts[1], links


def berg(root: Path) -> Text:
    """Return the German and French text with its links."""
    texts = [(root / f"dev.{language}").read_text("utf-8").strip().split("\n") for language in ("de", "fr")]
    rows = (line.split(":") for line in (root / "dev.defr").read_text("utf-8").splitlines())
    links = [(tuple(ast.literal_eval(one)), tuple(ast.literal_eval(other))) for one, other in rows]
    return "text+berg", texts[0], texts[1], links


def by_length(source: Sequence[str], target: Sequence[str]) -> list[Link]:
    """Return the beads that lengths make."""
    found, at, other = list[Link](), 0, 0
    for a, b in paired([len(text) + 1 for text in source], [len(text) + 1 for text in target]):
        found.append((tuple(range(at, a)), tuple(range(other, b))))
        at, other = a, b
    return found


def by_words(source_language: str, target_language: str) -> Callable[[Sequence[str], Sequence[str]], list[Link]]:
    """Return the package's own aligner."""
    tool = SentenceAligner(source_language, target_language)
    tool.align(["a"], ["b"])
    return lambda source, target: [(tuple(one), tuple(other)) for one, other in tool.align(source, target)]


def measure(label: str, texts: Sequence[Text], align: Callable[[Sequence[str], Sequence[str]], list[Link]]) -> None:
    """Print precision, recall, F1 and time."""
    right = made = wanted = 0
    start = time.process_time()
    for _, source, target, links in texts:
        found, gold = ({link for link in each if all(link)} for each in (align(source, target), links))
        right, made, wanted = right + len(found & gold), made + len(found), wanted + len(gold)
    seconds = time.process_time() - start
    f1 = 2 * right / (made + wanted)
    print(
        f"{label}\tP {right / made:.3f}\tR {right / wanted:.3f}\tF1 {f1:.3f}\t{wanted} links\t{seconds:.1f} s",
        flush=True,
    )


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    root: Path = parser.parse_args().shared / "sentence-alignment"
    novels, mountains = list(mac(root / "mac" / "intertext")), [berg(root / "text+berg")]
    for label, texts, pair in (("zh-en", novels, ("zh", "en")), ("de-fr", mountains, ("de", "fr"))):
        measure(f"{label}\twords and lengths", texts, by_words(*pair))
        measure(f"{label}\tlengths alone   ", texts, by_length)


if __name__ == "__main__":
    main()
