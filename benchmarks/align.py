"""Measure an aligner: error rate on the gold alignments, and speed on news.

    python benchmarks/align.py ../shared                       # French and Romanian, shipped priors
    python benchmarks/align.py ../shared --aligner compact:en-zh.priors --language zh
    python benchmarks/align.py ../shared --speed               # 997 segments of WMT 2024, English and German
    python benchmarks/align.py ../shared --show es             # 50 segments of NTREX with links to judge
    python benchmarks/align.py ../shared --again tr            # judge them again by the counterparts that were read
    python benchmarks/align.py ../shared --read                # what the verdicts in docs/quality come to

Times are of one process; set ``OMP_NUM_THREADS=1`` for one core.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from ntrex import FILES
from spacy.tokens import Doc

from endophora.align import CompactAligner, load_aligner
from endophora.align.records import Link
from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.loading import load_annotator
from endophora.annotate.records import AnnotatedText
from endophora_makers.alignment_evaluation import alignment_error_rate, in_documents, points, read_gold, tokenised

QUALITY = Path(__file__).parent.parent / "docs" / "quality"
CONTENT = frozenset({"ADJ", "ADV", "NOUN", "NUM", "PROPN", "VERB"})
VERDICTS = {
    "r": "right",
    "w": "wrong",
    "m": "missing",
    "n": "none",
}
"""By initial: linked to a counterpart and to nothing else; linked to something else (too); not linked though it has a
counterpart; not linked and without one. A sampled word whose part of speech is wrong is judged like any other."""
SEGMENTS_READ, WORDS_READ = 50, 4
TEXTS = {**FILES, "cs": "ces", "et": "est", "fi": "fin", "lt": "lit", "lv": "lav"}
Links = Sequence[Link]


def lines(path: Path) -> list[str]:
    """Return the lines of a file, its canary line left out."""
    found = path.read_text("utf-8").split("\n")[:-1]
    return found[1:] if found and "canary" in found[0].lower() else found


def annotated(language: str, texts: Sequence[str]) -> list[AnnotatedText]:
    """Return lines whose tokens are set apart by spaces with the parts of speech of the embedded pipeline."""
    annotator = load_annotator(language)
    if not isinstance(annotator, SpacyAnnotator):
        raise SystemExit(f"{language}: the annotator is no spaCy pipeline")
    plain = [tokenised(text) for text in texts]
    docs = annotator.nlp.pipe(Doc(annotator.nlp.vocab, words=[t.form for t in text.tokens]) for text in plain)
    return [
        replace(text, tokens=tuple(t._replace(upos=word.pos_) for t, word in zip(text.tokens, doc, strict=True)))
        for text, doc in zip(plain, docs, strict=True)
    ]


def error_rates(
    shared: Path, language: str, name: str | None, rules: Sequence[str], sizes: Sequence[int], tagged: bool
) -> None:
    """Print the error rate of each symmetrisation and document size, on all segments and on each half of them."""
    gold = shared / "gold-alignments"
    texts = {code: lines(gold / f"{language}.{side}") for code, side in (("en", "en"), (language, "xx"))}
    source, target = (
        annotated(code, text) if tagged else [tokenised(line) for line in text] for code, text in texts.items()
    )
    answers = read_gold(gold / f"{language}.gold")
    middle = len(answers) // 2
    for rule in rules:
        aligner = load_aligner(name, "en", language, symmetrisation=rule)
        for size in sizes:
            start = time.process_time()
            documents = list(zip(in_documents(source, size), in_documents(target, size), strict=True))
            found = [points(links) for one, other in documents for links in aligner.align(one, other)]
            seconds = (time.process_time() - start) / len(documents)
            whole = alignment_error_rate(found, answers)
            halves = [
                alignment_error_rate(found[part], answers[part]).error_rate
                for part in (slice(0, middle), slice(middle, None))
            ]
            print(
                f"{language}\t{rule}\t{size} segments a document\tAER {100 * whole.error_rate:.1f}"
                f" (first half {100 * halves[0]:.1f}, second {100 * halves[1]:.1f})"
                f"\tP {100 * whole.precision:.1f} R {100 * whole.recall:.1f}\t{seconds:.3f} s a document",
                flush=True,
            )


def speed(shared: Path) -> None:
    """Print how long one reference of WMT 2024 takes, all documents at once and one by one."""
    folder = shared / "documents" / "wmt24"
    pair = "en-de"
    ids = [line.split("\t")[-1] for line in lines(folder / "documents" / f"{pair}.docs")]
    source, target = (
        list(load_annotator(code, "blank").annotate(lines(path)))
        for code, path in (
            ("en", folder / "sources" / f"{pair}.txt"),
            ("de", folder / "references" / f"{pair}.refA.txt"),
        )
    )
    documents: list[tuple[list[AnnotatedText], list[AnnotatedText]]] = []
    at = 0
    for _, run in groupby(ids):
        size = len(list(run))
        documents.append((source[at : at + size], target[at : at + size]))
        at += size
    aligner = load_aligner(None, "en", "de")
    if not isinstance(aligner, CompactAligner):
        raise TypeError("the default aligner is not the compact one")
    start = time.process_time()
    together = aligner.align_many(documents)
    middle = time.process_time()
    singly = [aligner.align(*document) for document in documents]
    end = time.process_time()
    tokens = sum(len(text.tokens) for text in source)
    print(f"{len(source)} segments, {tokens} source tokens, {len(documents)} documents")
    print(f"together {middle - start:.2f} s, one by one {end - middle:.2f} s, the same links: {together == singly}")


def to_read(
    shared: Path, language: str, annotator: str | None = "blank"
) -> Iterator[tuple[str, int, AnnotatedText, AnnotatedText, list[int], Links]]:
    """Yield segments to judge, evenly spaced over NTREX's first 62 documents, which are aligned as documents.

    Yields:
        document, number of the segment in it, source, target, source tokens to judge and all links.
    """
    folder = shared / "documents" / "ntrex"
    ids = [line.split("\t")[0] for line in lines(folder / "DOCUMENT_IDS.tsv")]
    source, target = (
        list(load_annotator(code, annotator).annotate(lines(folder / f"newstest2019.{name}.txt")))
        for code, name in (("en", "eng"), (language, TEXTS[language]))
    )
    spans: list[tuple[str, int, int]] = []
    at = 0
    for name, run in groupby(ids):
        size = len(list(run))
        spans.append((name, at, at + size))
        at += size
    spans = spans[:62]
    documents = [(source[start:end], target[start:end]) for _, start, end in spans]
    linked = [links for found in load_aligner(None, "en", language).align_many(documents) for links in found]
    step = spans[-1][2] // SEGMENTS_READ
    chosen = range(step // 2, step * SEGMENTS_READ, step)
    tagged = load_annotator("en").annotate([source[k].text for k in chosen])
    for k, text in zip(chosen, tagged, strict=True):
        name, start, _ = next(span for span in spans if k < span[2])
        starts = {token.start for token in text.tokens if token.upos in CONTENT}
        content = [i for i, token in enumerate(source[k].tokens) if token.start in starts]
        sample = sorted({content[(2 * q + 1) * len(content) // (2 * WORDS_READ)] for q in range(WORDS_READ) if content})
        yield name, k - start, source[k], target[k], sample, linked[k]


def show(shared: Path, language: str) -> None:
    """Print what is to be judged, for the eye, a line a word with all that it is linked to."""
    for name, number, source, target, sample, links in to_read(shared, language):
        print(f"\n{name}\t{number}\n{source.text}\n{target.text}")
        for i in sample:
            found = " ".join(f"{link.target}:{target.tokens[link.target].form}" for link in links if link.source == i)
            print(f"    {i}:{source.tokens[i].form} → {found or '–'}")


def store(shared: Path, language: str, verdicts: str) -> None:
    """Write verdicts, a word of initials a segment in the order of ``--show``, under ``docs/quality``; no text."""
    path = QUALITY / f"alignment-{language}.tsv"
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter="\t", lineterminator="\n")
        rows.writerow(("document", "segment", "source", "targets", "verdict"))
        for given, (name, number, _, _, sample, links) in zip(verdicts.split(), to_read(shared, language), strict=True):
            for initial, i in zip(given, sample, strict=True):
                targets = ",".join(str(link.target) for link in links if link.source == i)
                if bool(targets) == (initial in "mn"):
                    raise SystemExit(f"{name} {number} {i}: “{initial}” does not fit the links {targets}")
                rows.writerow((name, number, i, targets, VERDICTS[initial]))


def again(shared: Path, language: str) -> None:
    """Judge the links of the package as it runs by the counterparts that a reader gave, and write links and verdicts.

    A word is right if all that it is linked to are counterparts. For a word that was right when it was read they are
    what it was linked to then, so that another right link counts as wrong.
    """
    path = QUALITY / f"alignment-{language}.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    linked: dict[tuple[str, str, str], set[int]] = {}
    for name, number, _, _, sample, links in to_read(shared, language, None):
        for i in sample:
            linked[name, str(number), str(i)] = {link.target for link in links if link.source == i}
    for row in rows:
        found = linked[row["document"], row["segment"], row["source"]]
        known = set(map(int, filter(None, row["counterparts"].split(","))))
        row["targets"] = ",".join(map(str, sorted(found)))
        row["verdict"] = ("right" if found <= known else "wrong") if found else "missing" if known else "none"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def figures(path: Path) -> str:
    """Return what the verdicts of a language come to."""
    with path.open(encoding="utf-8", newline="") as file:
        counts = Counter(row["verdict"] for row in csv.DictReader(file, delimiter="\t"))
    linked, due = counts["right"] + counts["wrong"], sum(counts.values()) - counts["none"]
    return (
        f"{path.stem.partition('-')[2]}\t{sum(counts.values())} content words, {linked} of them linked, "
        f"{100 * counts['right'] / linked:.0f} % rightly; {100 * counts['right'] / due:.0f} % of those with a "
        f"counterpart linked rightly, {counts['missing']} not linked"
    )


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="Measure an aligner.")
    parser.add_argument("shared", type=Path, help="the data directory")
    parser.add_argument("--language", action="append", help="fr, ro, zh or ja; repeatable")
    parser.add_argument("--aligner", help="as load_aligner takes it")
    parser.add_argument("--symmetrisation", action="append", help="repeatable")
    parser.add_argument("--size", action="append", type=int, help="segments a document; repeatable")
    parser.add_argument("--tagged", action="store_true", help="with parts of speech, for languages with a pipeline")
    parser.add_argument("--speed", action="store_true", help="measure speed on news instead")
    parser.add_argument("--show", metavar="LANGUAGE", help="print segments of NTREX with links to judge")
    parser.add_argument("--verdicts", type=Path, help="with --show: write these to docs/quality instead of printing")
    parser.add_argument("--again", metavar="LANGUAGE", help="judge again by the counterparts that were read")
    parser.add_argument("--read", action="store_true", help="print what the verdicts in docs/quality come to")
    given = parser.parse_args()
    if given.speed:
        speed(given.shared)
    elif given.show and given.verdicts:
        store(given.shared, given.show, given.verdicts.read_text("utf-8"))
    elif given.show:
        show(given.shared, given.show)
    elif given.again:
        again(given.shared, given.again)
    if given.read:
        print(*map(figures, sorted(QUALITY.glob("alignment-*.tsv"))), sep="\n")
    if given.speed or given.show or given.again or given.read:
        return
    for language in given.language or ["fr", "ro"]:
        rules = given.symmetrisation or ["grow-diag-final-and"]
        error_rates(given.shared, language, given.aligner, rules, given.size or [50], given.tagged)


if __name__ == "__main__":
    main()
