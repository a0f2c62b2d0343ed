"""``endophora suite build``: a suite of word senses from a parallel corpus."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

from endophora.cli.commands import Only, command
from endophora.cli.console import current, error_console, say, warn
from endophora.cli.inputs import Inputs, Tools, into
from endophora.corpus.codes import parse_languages
from endophora.corpus.formats import open_stream
from endophora.corpus.records import Document
from endophora.corpus.streams import ReadOptions
from endophora.engine import EngineOptions, Progress
from endophora.engine import run as run_engine
from endophora.engine.directory import ROWS, WORK
from endophora.errors import Fault, InputError
from endophora.files import Output
from endophora.options import option
from endophora.suites.senses.build import Build, BuildOptions, build_files, build_suite, write_build
from endophora.suites.senses.inventory import open_inventory, read_gold
from endophora.suites.senses.links import LinkTask, name_documents, read_links, read_pair_documents
from endophora.suites.senses.selection import SelectionOptions

KINDS = ("word-sense",)
"""What can be built; suites of words that need context come from ``endophora extract``."""

_LINKS = "links"
"""Where the engine's output is, in the directory of a build."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildInputs:
    """What a suite of word senses is built from."""

    pairs: tuple[str, ...] = option(
        (), metavar="[NAME=]FILE", help="Pairs: corpus, source, target between tabs. Repeatable."
    )
    path: tuple[str, ...] = option(
        (),
        *("--input", "-i"),
        metavar="[NAME=]PATH",
        help="A corpus in a format that extract reads, as OPUS. Repeatable.",
    )
    kind: str = option("word-sense", metavar="NAME", help="What to build: word-sense.")
    reverse: bool = option(False, help="The files have the target before the source.")
    inventory: str = option(
        "wiktionary", metavar="NAME", help="Senses: wiktionary, wordnet:FILE,FILE, babelnet, or tsv:FILE."
    )
    gold: Path | None = option(None, metavar="FILE", help="Clusters made by hand, which choose the threshold by F0.5.")
    upos: tuple[str, ...] = option(
        (), metavar="TAG", help="Parts of speech of words and translations: NOUN, VERB, … Repeatable."
    )

    def check(self) -> None:
        """Check the kind (E220)."""
        if self.kind not in KINDS:
            advice = "word-sense; suites of words that need context come from endophora extract"
            raise InputError(Fault("E220", f"“{self.kind}” is no kind of suite", advice, "--kind"))


@command()
def build(
    corpus: Annotated[Inputs, Only("languages", "input_format")],
    inputs: BuildInputs,
    options: BuildOptions,
    selection: SelectionOptions,
    tools: Annotated[Tools, Only("annotator", "aligner")],
    engine: Annotated[
        EngineOptions,
        Only(
            "executor",
            workers="Processes; 0 takes as many as are worth starting.",
            fresh="Throw away what an earlier run left.",
        ),
    ],
    output: Annotated[Path, into("Directory for all steps and suites.")],
) -> None:
    """Build a suite of word senses: MuCoW's steps, each with its table, and both variants in all formats."""
    inputs.check()
    pair = parse_languages(corpus.languages)
    place = Output(output, build_files(*pair))
    Output(output / _LINKS, [ROWS], [WORK])
    chosen = replace(options, selection=selection)
    if inputs.upos:
        chosen = replace(chosen, classes=inputs.upos, target_classes=inputs.upos)
    senses = open_inventory(inputs.inventory, *pair)
    clusters = read_gold(inputs.gold) if inputs.gold else None
    files, corpora = ([_named(value) for value in values] for values in (inputs.pairs, inputs.path))
    if not files and not corpora:
        raise InputError(Fault("E220", "there is no corpus", "--pairs FILE, or --input PATH", "--pairs"))
    documents = _Documents(files, corpora, pair, inputs.reverse, corpus.input_format)
    task = LinkTask(*pair, tools.annotator, tools.aligner)
    linked = run_engine(task, documents, output / _LINKS, engine, None if current().quiet else _report)
    if not current().quiet:
        error_console().print("")
    found = build_suite(partial(read_links, linked.path), senses, chosen, pair, clusters)
    with place.writing() as folder:
        write_build(found, folder)
    warn(found.warnings)
    sys.stdout.write(_text(found))
    say(f"\nsteps and suites: {output}")


@dataclass(frozen=True)
class _Documents:
    """Yields the documents of all corpora, again at each call."""

    files: list[tuple[str, Path]]
    corpora: list[tuple[str, Path]]
    pair: tuple[str, str]
    reverse: bool
    input_format: str | None

    def __call__(self) -> Iterator[Document]:
        if self.files:
            yield from read_pair_documents(self.files, reverse=self.reverse)
        for name, path in self.corpora:
            stream = open_stream([str(path)], ReadOptions(languages=self.pair), self.input_format)
            yield from name_documents(name or path.name.partition(".")[0], stream)


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
    return f"{body}clusters that are right: {build.precision}\nsignature: {build.signature}\n"
