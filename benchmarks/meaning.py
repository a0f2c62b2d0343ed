"""False alarms and hits of the doubts about what texts mean, on documents of the shared data.

    python benchmarks/meaning.py SHARED

Right texts are windows of NTREX in 21 languages beside English, of parallel text of the same languages, and the
outputs of all systems of WMT 2024; a doubt about one is a false alarm, unless it is true. Wrong texts are made of
NTREX: source and target swapped, the reference of another language (the next in the list, and the nearest), the
source as output, a fifth of it, the reference as output, and lines shifted by one from the middle on.
"""

from __future__ import annotations

import gzip
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from endophora.corpus.formats import read_corpus
from endophora.corpus.meaning import Text, check_meaning

SIZES = (1, 2, 3, 5, 10, 20, 50, 200, 1000)
WINDOWS = 20
CODES = {
    "arb": "ar", "ces": "cs", "deu": "de", "est": "et", "fin": "fi", "fra": "fr", "heb": "he", "ita": "it",
    "jpn": "ja", "kor": "ko", "lav": "lv", "lit": "lt", "nld": "nl", "pol": "pl", "por": "pt", "ron": "ro",
    "rus": "ru", "spa": "es", "swe": "sv", "tur": "tr", "zho": "zh",
}  # fmt: skip
FILES = {"arb": "ara"}
"""The names of files of parallel text that are not those of NTREX."""
NEAREST = {"por": "spa", "spa": "por", "ita": "spa", "fra": "ita", "nld": "deu", "deu": "nld", "swe": "deu"}
NEAREST |= {"est": "fin", "fin": "est", "lav": "lit", "lit": "lav", "ces": "pol", "pol": "ces", "ron": "ita"}


def doubts(language: str, source: list[str], reference: list[str], output: list[str] | None = None) -> list[str]:
    """Return the codes of what is doubted of a text under en-LANGUAGE."""
    systems = [] if output is None else [Text("system", "a", language, "a", output)]
    texts = Text("source", "", "en", "s", source), [Text("reference", "r", language, "r", reference)], systems
    return [match[1] for one in check_meaning(*texts) if (match := re.match(r"\[(E\d+)\]", one))]


def windows(texts: list[str], size: int) -> Iterator[int]:
    """Yield the starts of at most twenty windows."""
    yield from range(0, len(texts) - size + 1, max(size, len(texts) // WINDOWS))


def wrong(code: str, en: list[str], own: list[str], other: list[str], near: list[str]) -> dict[str, list[str]]:
    """Return the codes for each fault made of one window."""
    middle = len(own) // 2
    mixed = [a if index % 5 == 0 else b for index, (a, b) in enumerate(zip(en, own, strict=True))]
    moved = [*own[:middle], *own[middle + 1 :], own[0]]
    return {
        "E380 swapped": doubts(code, own, en),
        "E381 other language": doubts(code, en, other),
        "E381 nearest language": doubts(code, en, near) if near else [],
        "E382 untranslated": doubts(code, en, own, en),
        "E382 a fifth untranslated": doubts(code, en, own, mixed),
        "E383 reference": doubts(code, en, own, own),
        "E384 source": doubts(code, en, en),
        "E390 shifted half": doubts(code, en, moved),
    }


def ntrex(root: Path) -> None:
    """Print false alarms and hits by size, and the languages in which something was missed."""
    texts = {name: (root / f"newstest2019.{name}.txt").read_text("utf-8").splitlines() for name in [*CODES, "eng"]}
    names = list(CODES)
    for size in SIZES:
        alarms, hits, tries = Counter[str](), Counter[str](), Counter[str]()
        missed: dict[str, Counter[str]] = {}
        begun = time.perf_counter()
        right = 0
        for number, name in enumerate(names):
            other, near = texts[names[(number + 1) % len(names)]], texts.get(NEAREST.get(name, ""), [])
            for start in windows(texts[name], size):
                part = slice(start, start + size)
                en, own = texts["eng"][part], texts[name][part]
                alarms.update(doubts(CODES[name], en, own))
                right += 1
                for fault, found in wrong(CODES[name], en, own, other[part], near[part]).items():
                    if fault != "E381 nearest language" or near:
                        tries[fault] += 1
                        hits[fault] += fault[:4] in found
                        missed.setdefault(fault, Counter())[name] += fault[:4] not in found
        took = (time.perf_counter() - begun) / right
        print(f"\n{size} lines: {right} right windows, false alarms {dict(alarms)}, {1000 * took:.0f} ms for all nine")
        for fault, count in tries.items():
            where = {name: lost for name, lost in missed[fault].items() if lost}
            shown = where if len(where) < 12 else f"{len(where)} languages"
            print(f"  {fault:26} {hits[fault]:4} of {count}  missed: {shown or '–'}")


def parallel(root: Path) -> None:
    """Print false alarms on sentences of parallel text, a line from anywhere after another."""
    for size in (5, 50, 500):
        alarms, count = Counter[tuple[str, str]](), 0
        for name, code in CODES.items():
            with gzip.open(root / f"en-{FILES.get(name, name)}.tsv.gz", "rt", encoding="utf-8") as stream:
                rows = [line.rstrip("\n").split("\t") for line, _ in zip(stream, range(10_000), strict=False)]
            for start in windows([row[1] for row in rows], size):
                part = rows[start : start + size]
                alarms.update(
                    (name, found) for found in doubts(code, [row[1] for row in part], [row[2] for row in part])
                )
                count += 1
        print(f"parallel text, {size} lines: {count} windows, doubts {dict(alarms)}")


def wmt(root: Path) -> None:
    """Print what is doubted of the outputs of WMT 2024, and what it cost."""
    for pair in (("en", "de"), ("en", "es")):
        begun = time.perf_counter()
        corpus = read_corpus(root, "wmt", pair)
        print(
            f"\nWMT 2024 {'-'.join(pair)}: {len(corpus.systems)} systems, {time.perf_counter() - begun:.2f} s to read"
        )
        print("".join(f"  {warning}\n" for warning in corpus.warnings if warning.startswith("[")) or "  no doubt")


if __name__ == "__main__":
    shared = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared")
    ntrex(shared / "documents" / "ntrex")
    parallel(shared / "parallel")
    wmt(shared / "documents" / "wmt24")
