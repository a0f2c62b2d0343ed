"""How often human translations bear out the noun that the resolver names: a measure that needs no annotation.

python benchmarks/antecedent_agreement.py ../shared/documents --segments 600 de fr es ru it pl

For each *it, they, them* the most likely noun is named from the English alone. Where the translation has a pronoun for
it whose gender shows, and a noun for the named noun, the two agree or not. NTREX, and for German WMT 2024's A and B.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText
from endophora.corefer import load_resolver
from endophora.corefer.mentions import NOMINAL, find_mentions, load_lexicon, read_data, read_discourse
from endophora.corefer.target import Target, noun_features, pronoun_features
from endophora.evaluation.setup import Setup
from endophora.phenomena import TaggerOptions

FILES = {"de": "deu", "es": "spa", "fr": "fra", "it": "ita", "pl": "pol", "ru": "rus"}
GROUPS = frozenset({"it", "they", "them"})
LEAST = (0.0, 0.3, 0.5, 0.6, 0.7)
Lines = list[tuple[str, str, str]]
Judged = tuple[float, bool, bool, bool]
"""The noun's probability, whether it agrees, whether it is in an earlier segment, whether the gender is marked."""


def ntrex(folder: Path, code: str) -> Lines:
    """Return (document, English, translation) of each line."""
    with (folder / "ntrex" / "DOCUMENT_IDS.tsv").open(encoding="utf-8", newline="") as lines:
        ids = [row[0] for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]
    sides = (
        (folder / "ntrex" / f"newstest2019.{name}.txt").read_text("utf-8").splitlines() for name in ("eng", FILES[code])
    )
    return list(zip(ids, *sides, strict=True))


def wmt24(folder: Path, reference: str) -> Lines:
    """Return the lines of WMT 2024 English–German with one of its human translations; the first line is a canary."""
    base = folder / "wmt24"
    ids = [line.split("\t")[-1].strip() for line in (base / "documents" / "en-de.docs").read_text("utf-8").splitlines()]
    english = (base / "sources" / "en-de.txt").read_text("utf-8").splitlines()
    other = (base / "references" / f"en-de.{reference}.txt").read_text("utf-8").splitlines()
    return list(zip(ids, english, other, strict=True))[1:]


def judged(
    source: Sequence[AnnotatedText], target: Sequence[AnnotatedText], links: Sequence[Sequence[Link]], default: str
) -> Iterator[Judged]:
    """Yield what can be judged of a document: the pronoun's gender shows, and so does the noun's translation's."""
    row, lexicon = read_discourse(source), load_lexicon("en")
    single = (mention for mention in find_mentions(row, lexicon) if not mention.coordinated)
    mentions = {(mention.segment, mention.index - row.first[mention.segment]): mention for mention in single}
    evidence, listed = Target(row, target, links), (read_data("target.json") or {})["both_numbers"]
    for resolution in load_resolver().resolve(source):
        pronoun = mentions[resolution.segment, resolution.token]
        best = resolution.antecedent(0.0)
        if best is None or pronoun.group not in GROUPS:
            continue
        written = evidence.pronoun(pronoun)
        noun = evidence.word(row.first[best.segment] + best.head, NOMINAL)
        if written is None or noun is None:
            continue
        shown, known = pronoun_features(written.token, pronoun, frozenset({default}), listed), noun_features(noun)
        if "Gender" in shown and "Gender" in known:
            agrees = all(not shown[name].isdisjoint(known[name]) for name in shown if name in known)
            yield best.probability, agrees, best.distance > 0, default not in shown["Gender"]


def measure(name: str, code: str, lines: Lines) -> None:
    """Print how many named nouns agree with their pronouns in one translation, by probability."""
    tools = Setup("en", code, taggers=TaggerOptions(phenomena=())).load()
    sides = [
        tuple(annotator.annotate([line[place] for line in lines]))
        for place, annotator in ((1, tools.source_annotator), (2, tools.target_annotator))
    ]
    groups = [list(group) for _, group in groupby(range(len(lines)), key=lambda place: lines[place][0])]
    documents = [tuple(tuple(side[place] for place in group) for side in sides) for group in groups]
    linked = tools.aligner.align_many([(one, other) for one, other in documents])
    genders = {token.features.get("Gender", "") for text in sides[1] for token in text.tokens}
    default = "Neut" if "Neut" in genders else "Masc"
    found = [
        one
        for (source, target), links in zip(documents, linked, strict=True)
        for one in judged(source, target, links, default)
    ]
    for title, chosen in (
        ("all", found),
        ("earlier segment", [one for one in found if one[2]]),
        ("marked gender", [one for one in found if one[3]]),
    ):
        shares: list[str] = []
        for least in LEAST:
            sure = [agrees for probability, agrees, _, _ in chosen if probability >= least]
            shares.append(f"p >= {least}: {sum(sure)} of {len(sure)} ({100 * sum(sure) / max(1, len(sure)):.0f} %)")
        print(f"{name}, {title}: {'; '.join(shares)}", flush=True)


def main() -> None:
    """Read the arguments and measure each language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path, help="folder with ntrex and wmt24")
    parser.add_argument("languages", nargs="+", choices=[*FILES, "A", "B"], help="of NTREX; A, B: WMT 2024 en-de")
    parser.add_argument("--segments", type=int, help="only so many first segments of each")
    given = parser.parse_args()
    for name in given.languages:
        lines = wmt24(given.documents, f"ref{name}") if name in "AB" else ntrex(given.documents, name)
        measure(name, "de" if name in "AB" else name, lines[: given.segments])


if __name__ == "__main__":
    main()
