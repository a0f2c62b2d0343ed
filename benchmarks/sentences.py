"""Sentence alignment against links made by hand: strict precision, recall and F1 of beads that have both sides.

    python benchmarks/sentences.py ../shared

zh-en: chapters of six novels; de-fr: the development part of text+berg, for which there are no priors, so that words
meet by way of English. Beside it, Gale and Church (1993) by lengths alone, ours and NLTK's where it is installed. The
weights were chosen on these texts. Last, long texts: subtitles of ``training/tvsub``, some of which lack their other
side. Bleualign and hunalign are on no package index, Bertalign and vecalign need weights of encoders.
Published on the test part of text+berg, strict F1: vecalign .90, Bertalign .94, both with large encoders.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import random
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from endophora.align.long import align_long
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


def by_nltk(source: Sequence[str], target: Sequence[str]) -> list[Link]:
    """Return the beads of NLTK's Gale and Church, which pairs sentences that follow one another in a bead."""
    from nltk.translate.gale_church import align_blocks

    groups = list[tuple[set[int], set[int]]]()
    # It takes texts to be equally long: the source's lengths are brought to those of the target.
    ratio = sum(map(len, target)) / sum(map(len, source))
    for one, other in align_blocks([round(ratio * len(text)) for text in source], [len(text) for text in target]):
        if groups and (one in groups[-1][0] or other in groups[-1][1]):
            groups[-1][0].add(one)
            groups[-1][1].add(other)
        else:
            groups.append(({one}, {other}))
    return [(tuple(sorted(one)), tuple(sorted(other))) for one, other in groups]


def subtitles(path: Path, count: int) -> Text:
    """Return so many pairs of subtitles as one text: 6 % lack a side, and of 10 % two are one in the source."""
    rng = random.Random(1)  # noqa: S311 - a benchmark's draw
    source, target, links = list[str](), list[str](), list[Link]()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if len(links) >= count:
                break
            _, chinese, english = line.rstrip("\n").split("\t")
            drawn = rng.random()
            if drawn < 0.03:
                source.append(chinese)
            elif drawn < 0.06:
                target.append(english)
            elif drawn < 0.16 and links and links[-1] == ((len(source) - 1,), (len(target) - 1,)):
                source[-1] += chinese
                target.append(english)
                links[-1] = links[-1][0], (*links[-1][1], len(target) - 1)
            else:
                source.append(chinese)
                target.append(english)
                links.append(((len(source) - 1,), (len(target) - 1,)))
    return "subtitles", source, target, links


def by_words(source_language: str, target_language: str) -> Callable[[Sequence[str], Sequence[str]], list[Link]]:
    """Return the package's own aligner."""
    tool = SentenceAligner(source_language, target_language)
    tool.align(["a"], ["b"])
    return lambda source, target: [(tuple(one), tuple(other)) for one, other in align_long(tool, source, target)]


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
        if find_spec("nltk"):
            measure(f"{label}\tNLTK's lengths  ", texts, by_nltk)
    for count in (1_000, 10_000):
        text = subtitles(root.parent / "training" / "tvsub" / "train.tsv.gz", count)
        measure(f"zh-en\t{count:,} subtitles", [text], by_words("zh", "en"))


if __name__ == "__main__":
    main()
