"""``endophora suite build``: a suite of word senses from a parallel corpus."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endophora.cli import options
from endophora.cli.console import error_console, warn
from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.corpus.records import Document
    from endophora.engine import EngineOptions, Progress
    from endophora.suites.senses.build import Build

KINDS = ("word-sense",)
"""What can be built; suites of words that need context come from ``endophora extract``."""

_LINKS = "links"
"""Where the engine's output is, in the directory of a build."""

_Pairs = Annotated[
    list[str] | None,
    typer.Option("--pairs", metavar="[NAME=]FILE", help="Pairs: corpus, source, target between tabs. Repeatable."),
]
_Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input", "-i", metavar="[NAME=]PATH", help="A corpus in a format that extract reads, as OPUS. Repeatable."
    ),
]
_Output = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory for all steps and suites.")]
_Kind = Annotated[str, typer.Option("--kind", metavar="NAME", help="What to build: word-sense.")]
_Reverse = Annotated[bool, typer.Option("--reverse", help="The files have the target before the source.")]
_Inventory = Annotated[
    str,
    typer.Option("--inventory", metavar="NAME", help="Senses: wiktionary, wordnet:FILE,FILE, babelnet, or tsv:FILE."),
]
_Embeddings = Annotated[
    str,
    typer.Option(
        "--embeddings",
        metavar="NAME",
        help="Of senses: auto, signs, glosses, corpus, words:FILE, spacy:MODEL, synsets:FILE, several with +, or none.",
    ),
]
_Threshold = Annotated[
    float | None, typer.Option("--threshold", metavar="COSINE", help="Senses more alike than this are merged.")
]
_Gold = Annotated[
    Path | None,
    typer.Option("--gold", metavar="FILE", help="Clusters made by hand, which choose the threshold by F0.5."),
]
_Upos = Annotated[
    list[str] | None,
    typer.Option("--upos", metavar="TAG", help="Parts of speech of words and translations: NOUN, VERB, … Repeatable."),
]
_Least = Annotated[int, typer.Option("--least", help="Links that a pair of words needs.")]
_LongerThan = Annotated[int, typer.Option("--longer-than", help="A sentence has more words than this.")]
_Most = Annotated[int, typer.Option("--most", help="Sentences of a sense.")]
_AnyForm = Annotated[bool, typer.Option("--any-form", help="Translations may be inflected; what replaces them is not.")]
_OutOfDomain = Annotated[
    list[str] | None, typer.Option("--out-of-domain", metavar="NAME", help="Corpora whose names begin so. Repeatable.")
]
_Executor = Annotated[str, typer.Option("--executor", metavar="NAME", help="serial, process or ray.")]
_Fresh = Annotated[bool, typer.Option("--fresh", help="Throw away what an earlier run left.")]
_Seed = Annotated[int, typer.Option("--seed", min=0, help="Of the draw of sentences.")]


def build(
    languages: options.Languages,
    output: _Output,
    pairs: _Pairs = None,
    path: _Inputs = None,
    input_format: options.InputFormat = None,
    kind: _Kind = "word-sense",
    reverse: _Reverse = False,
    inventory: _Inventory = "wiktionary",
    embeddings: _Embeddings = "auto",
    threshold: _Threshold = None,
    gold: _Gold = None,
    upos: _Upos = None,
    least: _Least = 10,
    longer_than: _LongerThan = 10,
    most: _Most = 20,
    any_form: _AnyForm = False,
    out_of_domain: _OutOfDomain = None,
    annotator: options.Annotators = None,
    aligner: options.Aligner = None,
    executor: _Executor = "process",
    workers: options.Workers = 0,
    fresh: _Fresh = False,
    seed: _Seed = 1,
    quiet: options.Quiet = False,
) -> None:
    """Build a suite of word senses: MuCoW's steps, each with its table, and both variants in all formats."""
    from endophora.corpus import parse_languages
    from endophora.engine import EngineOptions
    from endophora.engine.directory import ROWS, WORK
    from endophora.files import Output
    from endophora.suites.senses.build import BuildOptions, build_suite, read_rows
    from endophora.suites.senses.inventory import open_inventory, read_gold
    from endophora.suites.senses.selection import SelectionOptions
    from endophora.suites.senses.steps import build_files, write_build

    if kind not in KINDS:
        advice = "word-sense; suites of words that need context come from endophora extract"
        raise InputError(Fault("E220", f"“{kind}” is no kind of suite", advice, "--kind"))
    pair = parse_languages(languages)
    place = Output(output, build_files(*pair))
    Output(output / _LINKS, [ROWS], [WORK])
    outside = tuple(out_of_domain or ())
    selection = SelectionOptions(longer_than, most, base_forms=not any_form, out_of_domain=outside, seed=seed)
    chosen = BuildOptions(least=least, embeddings=embeddings, threshold=threshold, selection=selection)
    if upos:
        chosen = replace(chosen, classes=tuple(upos), target_classes=tuple(upos))
    senses = open_inventory(inventory, *pair)
    clusters = read_gold(gold) if gold else None
    files = [_named(value) for value in pairs or ()]
    corpora = [_named(value) for value in path or ()]
    if not files and not corpora:
        raise InputError(Fault("E220", "there is no corpus", "--pairs FILE, or --input PATH", "--pairs"))
    tools = options.named(annotator, "--annotator")
    engine = EngineOptions(executor=executor, workers=workers, fresh=fresh)
    documents = _Documents(files, corpora, pair, reverse, input_format)
    rows = _link(documents, pair, tools, aligner, output / _LINKS, engine, quiet)
    found = build_suite(read_rows(rows), senses, chosen, pair, clusters)
    with place.writing() as folder:
        write_build(found, folder)
    warn(found.warnings, quiet)
    sys.stdout.write(_text(found))
    if not quiet:
        print(f"\nsteps and suites: {output}", file=sys.stderr)


@dataclass(frozen=True)
class _Documents:
    """Yields the documents of all corpora, anew at each call."""

    files: list[tuple[str, Path]]
    corpora: list[tuple[str, Path]]
    pair: tuple[str, str]
    reverse: bool
    input_format: str | None

    def __call__(self) -> Iterator[Document]:
        from endophora.corpus.formats import ReadOptions, open_stream
        from endophora.suites.senses.links import name_documents, read_pair_documents

        if self.files:
            yield from read_pair_documents(self.files, reverse=self.reverse)
        for name, path in self.corpora:
            stream = open_stream([str(path)], ReadOptions(languages=self.pair), self.input_format)
            yield from name_documents(name or path.name.partition(".")[0], stream)


def _link(
    documents: _Documents,
    pair: tuple[str, str],
    annotators: Mapping[str, str],
    aligner: str | None,
    output: Path,
    engine: EngineOptions,
    quiet: bool,
) -> Path:
    """Annotate and align the corpora with the engine, and return its rows."""
    from endophora.engine import run
    from endophora.suites.senses.links import LinkTask

    summary = run(LinkTask(*pair, annotators, aligner), documents, output, engine, None if quiet else _report)
    if not quiet:
        error_console().print("")
    return summary.path


def _named(value: str) -> tuple[str, Path]:
    name, mark, path = value.partition("=")
    return (name, Path(path)) if mark else ("", Path(value))


def _report(progress: Progress) -> None:
    line = f"linked {progress.segments:,} pairs, {progress.rate:.0f} a second"
    error_console().print(line, end="\r", markup=False, highlight=False)


def _text(build: Build) -> str:
    sizes = build.sizes
    candidates = sum(len(clusters) > 1 for clusters in build.clustered.values())
    rows = (
        ("sentence pairs", sizes.sentence_pairs),
        ("1   source words with several translations", len(build.targets)),
        ("2a  of these in the inventory", len(build.clustered)),
        ("    with several clusters", candidates),
        (f"2b  with several clusters, γ = {build.threshold:g}", sizes.source_words),
        ("    target senses", sizes.target_senses),
        ("    target words", sizes.target_words),
        ("3   scoring variant: right and wrong translations", sizes.contrast_pairs),
        ("    sentences", sizes.scoring_items),
        ("    translation variant: source words", sizes.translation_words),
        ("    senses", sizes.translation_senses),
        ("    in the domain", sizes.in_domain),
        ("    out of it", sizes.out_of_domain),
        ("    sentences", sizes.sentences),
    )
    width = max(len(name) for name, _ in rows)
    body = "".join(f"{name.ljust(width)}  {count:>9,}\n" for name, count in rows)
    return f"{body}signature: {build.signature}\n"
