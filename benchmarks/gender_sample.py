"""Occurrences of gender in text that was not looked at before, drawn to be read: 50 of help pages and of news.

    python benchmarks/gender_sample.py LIBREOFFICE/help ../shared/parallel fr --draw 1

Draws 1 and 2: pages of LibreOffice's help that no earlier draw has, and 6,000 sentence pairs of older newstests, each
a document of its own. Draws 3 and 4: sentence pairs of all collections, of the half whose English has an odd checksum;
the other half was read to correct the rules. No sentence that an earlier draw has. Prints the occurrences, 50 drawn at
random, with their antecedents: {pronoun}, [its form], <antecedent>. The verdicts are in
``docs/quality/gender-*-held-out-*.tsv``; ``quality.py table`` adds them up.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import random
import zlib
from contextlib import redirect_stdout
from pathlib import Path

from ctxpro_counts import Pairs, annotate
from quality import help_pages

from endophora.annotate.records import AnnotatedText
from endophora.corpus.records import Document, Location, Segment
from endophora.corpus.streams import REFERENCE
from endophora.evaluation.setup import Setup
from endophora.extraction import ExtractionSetup
from endophora.extraction.select import Selector
from endophora.phenomena import TaggerOptions, make_taggers
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Support

PAGES = ((400, 7), (500, 8), (500, 9))
"""Pages and seed of each draw of help; the first was read before any rule was made of what it showed."""
SENTENCES, SHOWN = 6000, 50
SEEDS = {1: 8, 2: 8, 3: 9, 4: 11}
"""Seed of the items of each draw."""
VERDICTS = Path(__file__).parents[1] / "docs" / "quality"
NAMES = {"de": "deu", "fr": "fra"}


def help_rows(folder: Path, code: str, draw: int) -> Pairs:
    """Return the pages of a draw that no earlier one has, each pair of paragraphs once."""
    documents: set[str] = set()
    pairs: set[tuple[str, str]] = set()
    rows: list[list[str]] = []
    for pages, seed in PAGES[: draw + 1]:
        text = io.StringIO()
        with redirect_stdout(text):
            help_pages(folder, code, pages, seed)
        found = [line.split("\t") for line in text.getvalue().splitlines()[1:]]
        rows = [row for row in found if row[0] not in documents and (row[1], row[2]) not in pairs]
        documents.update(row[0] for row in rows)
        pairs.update((row[1], row[2]) for row in rows)
    grouped: dict[str, list[tuple[str, str]]] = {}
    for name, source, target in rows:
        grouped.setdefault(name, []).append((source, target))
    return list(grouped.items())


def news_rows(folder: Path, code: str, draw: int) -> Pairs:
    """Return sentence pairs of newstests that no earlier draw has, each a document."""
    with gzip.open(folder / f"en-{NAMES[code]}.tsv.gz", "rt", encoding="utf-8") as stream:
        left = [row for row in (line.rstrip("\n").split("\t") for line in stream) if row[0].startswith("news")]
    drawn: list[list[str]] = []
    for number in range(1, draw + 1):
        left = [row for row in left if row not in drawn]
        drawn = random.Random(7 + number).sample(left, min(SENTENCES, len(left)))  # noqa: S311
    return [(f"{row[0]}-{index}", [(row[1], row[2])]) for index, row in enumerate(drawn)]


def half_rows(folder: Path, code: str, draw: int) -> Pairs:
    """Return the pairs of the half that is read which may hold an occurrence and which no earlier draw shows."""
    names: dict[str, set[str]] = {}
    for number in range(1, draw):
        with (VERDICTS / f"gender-{code}-held-out-{number}.tsv").open(encoding="utf-8", newline="") as rows:
            names[str(number)] = {row["document"] for row in csv.DictReader(rows, delimiter="\t")}
    earlier = {
        pair for number in (1, 2) for name, (pair,) in news_rows(folder, code, number) if name in names[str(number)]
    }
    shown = names.get("3", set())
    selector = Selector(ExtractionSetup(source_language="en", target_language=code, phenomena=("gender",)).load())
    found: dict[tuple[str, str], str] = {}
    with gzip.open(folder / f"en-{NAMES[code]}.tsv.gz", "rt", encoding="utf-8") as stream:
        for number, line in enumerate(stream):
            name, one, other = line.rstrip("\n").split("\t")
            pair = (one.strip(), other.strip())
            if f"{name}:{number:05d}" in shown:
                earlier.add(pair)
            if zlib.crc32(one.encode()) % 2 == 0 or zlib.crc32(pair[0].encode()) % 2 == 0 or (one, other) in earlier:
                continue
            document = Document(name, (Segment(one, {REFERENCE: other}, {}, Location("", 1)),))
            if any(selector.candidates(document).values()):
                found.setdefault(pair, f"{name}:{number:05d}")
    return [(name, [pair]) for pair, name in found.items() if pair not in earlier]


def marked(text: AnnotatedText, words: list[tuple[int, str]]) -> str:
    """Return a text with brackets around words."""
    found = text.text
    for index, (left, right) in sorted(words, reverse=True):
        token = text.tokens[index]
        found = f"{found[: token.start]}{left}{found[token.start : token.end]}{right}{found[token.end :]}"
    return found


def show(number: int, document: AnnotatedDocument, one: Occurrence) -> None:
    """Print one occurrence with the segment before it and that of its antecedent."""
    print(f"\n#{number} {one.rule} {document.id}:{one.segment}")
    support = one.support or Support((), (), 0)
    first = min(max(0, one.segment - 1), one.segment - (support.distance or 0))
    for segment in range(first, one.segment + 1):
        sides = (
            (document.source[segment], support.source_tokens, one.source_tokens, "{}"),
            (document.target[segment], support.target_tokens, one.target_tokens, "[]"),
        )
        for text, antecedent, own, brackets in sides:
            words = [(index, "<>") for where, index in antecedent if where == segment]
            words += [(index, brackets) for index in own if segment == one.segment]
            print(f"    {marked(text, words)}")


def main() -> None:
    """Print the draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("help", type=Path)
    parser.add_argument("parallel", type=Path)
    parser.add_argument("language", choices=sorted(NAMES))
    parser.add_argument("--draw", type=int, choices=tuple(SEEDS), default=1)
    arguments = parser.parse_args()
    code: str = arguments.language
    tools = Setup("en", code, taggers=TaggerOptions(phenomena=())).load()
    (tagger,) = make_taggers(code, TaggerOptions(phenomena=("gender",)), "en")
    found: list[tuple[tuple[int, str, int, int], AnnotatedDocument, Occurrence]] = []
    if arguments.draw in (1, 2):
        pages = help_rows(arguments.help, code, arguments.draw)
        news = news_rows(arguments.parallel, code, arguments.draw)
    else:
        pages, news = [], half_rows(arguments.parallel, code, arguments.draw)
    for kind, pairs in enumerate((pages, news)):
        for document in annotate(pairs, tools):
            for one in tagger.tag(document):
                start = document.target[one.segment].tokens[one.target_tokens[0]].start
                found.append(((kind, document.id, one.segment, start), document, one))
    found.sort(key=lambda item: item[0])
    drawn = random.Random(SEEDS[arguments.draw]).sample(found, min(SHOWN, len(found)))  # noqa: S311
    print(f"{len(found)} occurrences, {len(drawn)} drawn; rules {tagger.signature}")
    for number, (_, document, one) in enumerate(sorted(drawn, key=lambda item: item[0]), 1):
        show(number, document, one)


if __name__ == "__main__":
    main()
