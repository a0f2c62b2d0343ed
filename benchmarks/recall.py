"""Recall and precision of the taggers against words that readers listed in whole documents.

    python benchmarks/recall.py score ../shared/documents [-l de] [--half development|pronouns] [--missed]
    python benchmarks/recall.py compile READING ../shared/documents -l de       # a list of words added to recall/de.tsv

Readers who know the language listed, from the text alone, every word that needs context by the definitions of
docs/phenomena.md, without the certainty that the tools ask for. ``benchmarks/recall/XX.tsv`` has no text: the corpus,
its line from 1, eight digits of a hash of the line, phenomenon, rule, where the word is in the target line, its
source word's place, and line and place of the supporting word; ``document`` rows name the documents that were read,
``document formality`` those that were read for formality alone. Half of the documents are for development, half are
kept to measure with (by a hash of their names). The corpora are NTREX-128, WMT 2024 (German, Spanish), and French
dialogues of four lines from films, the right variants of ``contrastive/`` beside the documents.

``benchmarks/recall/pronouns/XX.tsv`` has other documents, of which pronouns alone are listed, all to develop on
(``--half pronouns``). Some are dialogue of a game, XX.tsv as ``makers/scripts/campaigns.py`` prints it of the campaigns
*Dead Water* and *The Hammer of Thursagan*, in the folder that ``ENDOPHORA_CAMPAIGNS`` names; without it they are left
out. The support is a whole line where no word was noted.

A tagged word is found where it shares a character with a listed one of its phenomenon; the two words of a periphrastic
verb are one, as in the lists. Precision counts what is tagged
in the documents that were read, all of whose words are listed. ``earlier`` is the recall over listed words whose
support is in an earlier line.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import lzma
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from endophora.annotate.loading import load_annotator

GOLD = Path(__file__).parent / "recall"
FILES = {"de": "deu", "es": "spa", "fr": "fra", "it": "ita", "pl": "pol", "ru": "rus"}
REFERENCES = {"de": "en-de.refB", "es": "en-es.refA"}
DIALOGUES = {"fr": "pronouns-en-fr.tsv.xz"}
PHENOMENA = ("pronouns", "formality", "verb_form", "lexical_cohesion", "ellipsis")
DOCUMENT = "document"
ALONE = "pronouns"
"""The phenomenon that has lists of its own, and their folder."""
HEAD = ("corpus", "line", "hash", "phenomenon", "rule", "start", "end", "source_start", "source_end")
SUPPORT = ("support_line", "support_start", "support_end")


Found = tuple[int, str, tuple[tuple[int, int], ...]]
"""Line from 0, phenomenon, and the places of the words: a periphrastic verb has two."""


@dataclass(frozen=True)
class Text:
    """A corpus: source, target and document id of each line."""

    source: list[str]
    target: list[str]
    documents: list[str]


def texts(directory: Path, language: str) -> dict[str, Text]:
    """Read NTREX-128, a reference of WMT 2024 without the canary line at its top, and dialogues, if there are any."""
    game = Path(os.environ.get("ENDOPHORA_CAMPAIGNS", "")) / f"{language}.tsv"
    ntrex, wmt = directory / "ntrex", directory / "wmt24"

    def lines(path: Path) -> list[str]:
        return path.read_text("utf-8").removesuffix("\n").split("\n")

    found = {
        "ntrex": Text(
            lines(ntrex / "newstest2019.eng.txt"),
            lines(ntrex / f"newstest2019.{FILES[language]}.txt"),
            [line.split("\t")[0] for line in lines(ntrex / "DOCUMENT_IDS.tsv")],
        )
    }
    if language in REFERENCES:
        source, reference = (wmt / "sources" / f"en-{language}.txt", wmt / "references" / f"{REFERENCES[language]}.txt")
        names = [line.split("\t")[1] for line in lines(wmt / "documents" / f"en-{language}.docs")]
        found["wmt24"] = Text(lines(source)[1:], lines(reference)[1:], names[1:])
    if language in DIALOGUES:
        with lzma.open(directory.parent / "contrastive" / DIALOGUES[language], "rt", encoding="utf-8") as stream:
            items = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
        source, target = (
            [item[key] for item in items for key in (*(f"{side}_{at}" for at in (1, 2, 3)), last)]
            for side, last in (("source", "source"), ("target", "right"))
        )
        found["dialogue"] = Text(source, target, [f"dialogue-{item['item']}" for item in items for _ in range(4)])
    if game.is_file():
        rows = [line.split("\t") for line in lines(game)[1:]]
        names, english, other = ([row[column] for row in rows] for column in range(3))
        found["campaigns"] = Text(english, other, names)
    return found


def digits(line: str) -> str:
    """Return eight digits by which a line is known again."""
    return hashlib.blake2b(line.encode(), digest_size=4).hexdigest()


def half(document: str) -> str:
    """Return which half of the documents one belongs to."""
    return "kept" if hashlib.blake2b(document.encode(), digest_size=1).digest()[0] % 2 else "development"


def place(line: str, word: str, number: int) -> tuple[int, int]:
    """Return where the n-th such word of a line is; ``-lo`` is the end of a word.

    Raises:
        ValueError: the line does not have it.
    """
    bare = word.removeprefix("-") if len(word) > 1 else word
    start = -1
    for _ in range(number):
        while True:
            start = line.index(bare, start + 1)
            before, after = line[start - 1 : start], line[start + len(bare) : start + len(bare) + 1]
            if not after.isalnum() and (bare != word or not before.isalnum()):
                break
    return start, start + len(bare)


def compile_reading(reading: Path, directory: Path, language: str) -> int:
    """Add a reader's list, in which words are written out, as places in the texts; return how many words.

    A line ``# DOCUMENT, DOCUMENT complete`` names documents that were read, ``# DOCUMENT formality complete`` such
    as were read for some phenomena alone.
    """
    corpora, path = texts(directory, language), GOLD / f"{language}.tsv"
    complete: dict[str, list[str]] = {}
    lines = reading.read_text("utf-8").splitlines()
    for line in lines:
        if line.startswith("#") and line.rstrip(".").endswith("complete"):
            said = line.replace(",", " ").replace("#", " ").split()
            kinds = [f"{DOCUMENT} {name}" for name in PHENOMENA if name in said] or [DOCUMENT]
            complete |= {name: kinds for name in said if name not in PHENOMENA}
    with path.open(encoding="utf-8", newline="") as stream:
        kept = [tuple(row) for row in csv.reader(stream, delimiter="\t")][1:]
    rows: list[tuple[str, ...]] = []
    for line in filter(None, lines):
        if line.startswith("#"):
            continue
        corpus, number, phenomenon, rule, *rest = line.split("\t")
        word, count, source, source_count, support, support_word, support_count = rest
        text, index = corpora[corpus], int(number) - 1
        if text.documents[index] not in complete:
            continue
        target = text.target[index]
        row: list[str | int] = [corpus, number, digits(target), phenomenon, rule, *place(target, word, int(count or 1))]
        row += place(text.source[index], source, int(source_count or 1)) if source else ("", "")
        if support:
            row += [support, *place(text.target[int(support) - 1], support_word, int(support_count or 1))]
        else:
            row += ["", "", ""]
        rows.append(tuple(map(str, row)))
    read = [
        (corpus, str(text.documents.index(name) + 1), "", kind, name)
        for corpus, text in corpora.items()
        for name in dict.fromkeys(text.documents)
        for kind in complete.get(name, ())
    ]
    # A word that is listed again takes the place of its row.
    whole = list({(*row[:4], row[5]) if row[2] else row: row for row in [*kept, *read, *rows]}.values())
    order = list(corpora)
    whole.sort(key=lambda row: (bool(row[2]), order.index(row[0]), int(row[1]), int(row[5]) if row[2] else 0))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow((*HEAD, *SUPPORT))
        writer.writerows(whole)
    return len(set(rows))


def read_gold(
    directory: Path, language: str, folder: str = ""
) -> tuple[list[dict[str, str]], dict[tuple[str, str], set[str]]]:
    """Return the listed words, and corpus and document of what was read, with the phenomena that it was read for.

    Raises:
        ValueError: a line of the corpus is another than was read.
    """
    corpora = texts(directory, language)
    words: list[dict[str, str]] = []
    documents: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    with (GOLD / folder / f"{language}.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            if row["corpus"] not in corpora:
                continue
            kind, _, phenomenon = row["phenomenon"].partition(" ")
            if kind == DOCUMENT:
                documents[row["corpus"], row["rule"]] |= {phenomenon} if phenomenon else {*PHENOMENA}
                continue
            line = corpora[row["corpus"]].target[int(row["line"]) - 1]
            if digits(line) != row["hash"]:
                raise ValueError(f"{row['corpus']}, line {row['line']}: another text than the one that was read")
            words.append(row)
    return words, dict(documents)


def only(text: Text, documents: set[str]) -> tuple[Text, list[int]]:
    """Return the lines of some documents, which are tagged each by itself, and where in the text they are."""
    lines = [index for index, name in enumerate(text.documents) if name in documents]
    source, target, names = ([side[i] for i in lines] for side in (text.source, text.target, text.documents))
    return Text(source, target, names), lines


def tagged(text: Text, language: str, phenomena: Sequence[str], work: Path) -> Iterator[Found]:
    """Yield what ``endophora tag`` finds of some phenomena."""
    for name, lines in (("source", text.source), ("target", text.target), ("documents", text.documents)):
        (work / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    command = [sys.executable, "-m", "endophora", "tag", "--quiet", "-l", f"en-{language}", "-o", str(work / "tagged")]
    given = ["-s", str(work / "source"), "-r", str(work / "target"), "-d", str(work / "documents")]
    given += [word for phenomenon in phenomena for word in ("-p", phenomenon)]
    subprocess.run([*command, *given], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    first = {document: text.documents.index(document) for document in set(text.documents)}
    annotated = list(load_annotator(language).annotate(text.target))
    for line in (work / "tagged" / "occurrences.jsonl").read_text("utf-8").splitlines():
        found = json.loads(line)
        index = first[found["document"]] + found["segment"]
        tokens = [annotated[index].tokens[token] for token in found["target_tokens"]]
        yield index, found["phenomenon"], tuple((token.start, token.end) for token in tokens)


def show(kind: str, text: Text, one: Found, rest: str) -> None:
    """Print a word that was missed, or wrongly tagged, with its line."""
    line = text.target[one[0]]
    words = " … ".join(line[start:end] for start, end in one[2])
    print(f"{kind}\t{one[1]}\t{words}\t{rest}\t{one[0] + 1}\t{text.source[one[0]]}\t{line}")


def score(directory: Path, language: str, chosen: str, missed: bool = False) -> None:
    """Print precision, recall and F of each phenomenon."""
    phenomena = (ALONE,) if chosen == ALONE else PHENOMENA
    words, documents = read_gold(directory, language, chosen if chosen == ALONE else "")
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for corpus, text in texts(directory, language).items():
        read = {name for where, name in documents if where == corpus and chosen in ("all", ALONE, half(name))}
        if not read:
            continue
        listed = [row for row in words if row["corpus"] == corpus and text.documents[int(row["line"]) - 1] in read]
        with tempfile.TemporaryDirectory() as work:
            part, lines = only(text, read)
            found = {
                (lines[at], phenomenon, words)
                for at, phenomenon, words in tagged(part, language, phenomena, Path(work))
                if phenomenon in documents[corpus, part.documents[at]]
            }
        by_line: defaultdict[tuple[int, str], list[Found]] = defaultdict(list)
        for one in found:
            by_line[one[:2]].append(one)
        met: set[Found] = set()
        for row in listed:
            start, end = int(row["start"]), int(row["end"])
            words_here = by_line[int(row["line"]) - 1, row["phenomenon"]]
            hits = {one for one in words_here if any(s < end and start < e for s, e in one[2])}
            met |= hits
            if missed and not hits:
                place = int(row["line"]) - 1, row["phenomenon"], ((start, end),)
                said = text.source[place[0]][int(row["source_start"] or 0) : int(row["source_end"] or 0)]
                show("missed", text, place, f"{row['rule']}\t{said}\t{row['support_line']}")
            earlier = row["support_line"] and int(row["support_line"]) < int(row["line"])
            count = counts[row["phenomenon"]]
            count.update({"listed": 1, "recalled": bool(hits)})
            if earlier:
                count.update({"earlier": 1, "earlier recalled": bool(hits)})
        for one in found:
            counts[one[1]].update({"tagged": 1, "right": one in met})
            if missed and one not in met:
                show("wrong", text, one, "\t\t")
    names = ", ".join(f"{name} {count}" for name, count in Counter(where for where, _ in documents).items())
    print(f"{language}, {chosen}; documents read: {names}")
    for phenomenon in phenomena:
        c = counts[phenomenon]
        recall, precision, earlier = (
            100 * c[part] / c[whole] if c[whole] else float("nan")
            for part, whole in (("recalled", "listed"), ("right", "tagged"), ("earlier recalled", "earlier"))
        )
        f = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        print(
            f"  {phenomenon:<17} P {precision:5.1f} of {c['tagged']:4}  R {recall:5.1f} of {c['listed']:4}  F {f:5.1f}"
            f"  earlier R {earlier:5.1f} of {c['earlier']:4}"
        )


def main() -> None:
    """Score the taggers, or compile a reader's list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("score", "compile"))
    parser.add_argument("paths", nargs="+", type=Path, help="[READING] DOCUMENTS")
    parser.add_argument("-l", "--language", action="append", choices=sorted(FILES))
    parser.add_argument("--half", choices=("all", "development", "kept", ALONE), default="all")
    parser.add_argument("--missed", action="store_true", help="print what is missed or wrong; of what is to develop on")
    given = parser.parse_args()
    if given.missed and given.half not in ("development", ALONE):
        parser.error(f"--missed shows what is to develop on: give --half development or {ALONE}")
    folder = GOLD / (ALONE if given.half == ALONE else "")
    languages = given.language or sorted(path.stem for path in folder.glob("*.tsv"))
    for language in languages:
        if given.step == "compile":
            print(language, compile_reading(*given.paths, language), "words")
        else:
            score(given.paths[0], language, given.half, given.missed)


if __name__ == "__main__":
    main()
