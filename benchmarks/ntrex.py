"""All languages over NTREX-128: what is found, what it takes.

    python benchmarks/ntrex.py ../shared/documents/ntrex            tags English into the fifteen target languages
    python benchmarks/ntrex.py ../shared/documents/ntrex -l es -l ru

Prints the occurrences per phenomenon beside the proportions of the paper's Table 3 (Fernandes et al. 2023; words in
3,385 sentences of TED talks), the wall time of each language and of the whole, and the largest peak memory. The source
is annotated once: all languages share one store, which is empty at first.
"""

from __future__ import annotations

import argparse
import csv
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from endophora.evaluation.result import Result

FILES = {
    "ar": "arb", "de": "deu", "es": "spa", "fr": "fra", "he": "heb", "it": "ita", "ja": "jpn", "ko": "kor",
    "nl": "nld", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "tr": "tur", "zh": "zho",
}  # fmt: skip
PHENOMENA = ("lexical_cohesion", "formality", "pronouns", "verb_form", "ellipsis")
# Table 3, its columns "lexical" and "ellipsis" exchanged (docs/phenomena.md says why). The paper has no Polish.
PAPER = {
    "ar": (982, 0, 90, 0, 116), "de": (1356, 1000, 398, 0, 19), "es": (1496, 86, 245, 409, 15),
    "fr": (1586, 839, 1591, 1938, 48), "he": (1210, 0, 0, 468, 122), "it": (1320, 118, 182, 484, 31),
    "ja": (990, 3328, 245, 0, 94), "ko": (373, 221, 0, 0, 71), "nl": (1590, 783, 0, 1060, 27),
    "pt": (1677, 515, 372, 0, 27), "ro": (1002, 407, 60, 792, 53), "ru": (668, 466, 0, 2091, 41),
    "tr": (704, 30, 0, 47, 137), "zh": (1092, 526, 0, 0, 49),
}  # fmt: skip
PAPER_SENTENCES = 3385


def document_ids(directory: Path, output: Path) -> Path:
    """Write the document id of each line, the first column of the collection's table, and return the file."""
    with (directory / "DOCUMENT_IDS.tsv").open(encoding="utf-8", newline="") as rows:
        ids = [row[0] for row in csv.reader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)]
    output.write_text("".join(f"{identifier}\n" for identifier in ids), "utf-8")
    return output


def tag(directory: Path, language: str, place: Path, ids: Path) -> tuple[Counter[str], int, float]:
    """Tag one language; return its occurrences by phenomenon, its segments and the wall seconds."""
    command = [sys.executable, "-c", "from endophora.cli import main; main()", "tag", "--quiet", "-l", f"en-{language}"]
    source, reference = (directory / f"newstest2019.{name}.txt" for name in ("eng", FILES[language]))
    texts = ["-s", str(source), "-r", str(reference), "-d", str(ids)]
    places = ["--store", str(place / "store.sqlite"), "-o", str(place / language)]
    started = time.perf_counter()
    subprocess.run([*command, *texts, *places], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    seconds = time.perf_counter() - started
    result = Result.read(place / language / "result.json")
    return Counter({p.name: p.occurrences for p in result.phenomena}), result.corpus.segments, seconds


def row(language: str, found: Counter[str], segments: int, seconds: float) -> str:
    """Return a language's line: occurrences per thousand segments, the paper's in brackets, and the seconds."""
    published = PAPER.get(language)
    cells = [language]
    for index, name in enumerate(PHENOMENA):
        theirs = f" ({1000 * published[index] / PAPER_SENTENCES:.0f})" if published else " (–)"
        cells.append(f"{found[name]:,}: {1000 * found[name] / segments:.0f}{theirs}" if name in found else f"–{theirs}")
    return "| " + " | ".join([*cells, f"{seconds:.1f}"]) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--language", "-l", action="append", choices=sorted(FILES))
    parser.add_argument("--keep", type=Path, help="directory to leave the results in")
    arguments = parser.parse_args()
    print("occurrences: a thousand segments (the paper's, a thousand sentences)\n")
    print("| | " + " | ".join(name.replace("_", " ") for name in PHENOMENA) + " | seconds |")
    print("|---" * (len(PHENOMENA) + 2) + "|")
    total = 0.0
    with tempfile.TemporaryDirectory() as temporary:
        place = arguments.keep or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        ids = document_ids(arguments.directory, Path(temporary) / "ids.txt")
        for language in arguments.language or sorted(FILES):
            found, segments, seconds = tag(arguments.directory, language, place, ids)
            total += seconds
            print(row(language, found, segments, seconds), flush=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\nwhole run {total:.0f} s; largest peak memory of a process {peak:,.0f} MB")


if __name__ == "__main__":
    main()
