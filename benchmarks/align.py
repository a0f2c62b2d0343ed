"""Measure an aligner: error rate on the gold alignments, and speed on news.

    python benchmarks/align.py ../shared                       # French and Romanian, shipped priors
    python benchmarks/align.py ../shared --aligner compact:en-zh.priors --language zh
    python benchmarks/align.py ../shared --speed               # 997 segments of WMT 2024, English and German

Times are of one process; set ``OMP_NUM_THREADS=1`` for one core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from spacy.tokens import Doc

from endophora.align import CompactAligner, load_aligner
from endophora.align.evaluation import alignment_error_rate, in_documents, points, read_gold, tokenised
from endophora.annotate import load_annotator
from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.records import AnnotatedText


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
        replace(text, tokens=tuple(replace(t, upos=word.pos_) for t, word in zip(text.tokens, doc, strict=True)))
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
    given = parser.parse_args()
    if given.speed:
        speed(given.shared)
        return
    for language in given.language or ["fr", "ro"]:
        rules = given.symmetrisation or ["grow-diag-final-and"]
        error_rates(given.shared, language, given.aligner, rules, given.size or [50], given.tagged)


if __name__ == "__main__":
    main()
