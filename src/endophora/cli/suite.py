"""``endophora suite``: score, describe and convert test suites, and write the inputs that systems translate."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import But, Only, command
from endophora.cli.console import REPORT, RESULT, say, show_result, warn
from endophora.cli.inputs import Format, SuiteInputs, into, usable
from endophora.corpus.faults import FaultLog
from endophora.corpus.formats import FORMATS
from endophora.corpus.lines import read_lines
from endophora.corpus.writing import write_lines
from endophora.errors import Fault, InputError
from endophora.files import Output, check_directory, check_file, written_file
from endophora.options import named, option
from endophora.report import REPORTS
from endophora.store import default_store_path
from endophora.suites import Suite
from endophora.suites.describe import describe_suite
from endophora.suites.formats import SUITE_FORMATS, published_sets, write_suite
from endophora.suites.outputs import (
    as_corpus,
    contexts_from_inputs,
    cut_outputs,
    read_outputs,
    read_scores,
    translations,
)
from endophora.suites.outputs import inputs as prompt_lines
from endophora.suites.result import SenseResult, SuiteResult
from endophora.suites.scoring import ScoringOptions, SuiteOptions, score_contrastive, score_outputs
from endophora.suites.senses import SenseOptions, is_sense_suite, score_sense_outputs, score_sense_scores
from endophora.suites.senses.matching import read_lemmas
from endophora.suites.splits import DATASETS, SplitOptions, sample_items, split_files, split_items, write_splits
from endophora.suites.tasks import FILES as TASKS
from endophora.suites.tasks import LM_EVAL, write_tasks
from endophora.suites.written import ANNOTATOR

_Suite = Annotated[str, typer.Argument(metavar="SUITE", help="The suite's file or directory; - is standard input.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Systems:
    """What is scored: outputs of systems, or their scores."""

    system: Mapping[str, str] = option(
        {}, "--system", "-y", metavar="NAME=FILE", help="A system's outputs, one line an item. Repeatable."
    )
    scores: Mapping[str, str] = option(
        {}, metavar="NAME=FILE", help="A system's scores, one line a right or wrong translation. Repeatable."
    )
    resegment: bool = option(
        False, help="Outputs may have lines of their own: they are cut into the items of the suite."
    )
    vectors: str | None = option(
        None, metavar="ENCODER", help="Of --resegment: vectors of sentences help, by sentence-transformers:MODEL."
    )
    lemmas: tuple[str, ...] = option(
        (),
        metavar="NAME=FILE",
        help="Word senses: lemmas of a system's outputs, or none; of auxiliaries too: an annotator. Repeatable.",
    )

    def check(self) -> None:
        """Check that there are outputs or scores, not both (E182), and options that belong to them (E098)."""
        if bool(self.system) == bool(self.scores):
            cause, advice = "there is nothing to score, or two things", "give --system or --scores, NAME=FILE each"
            raise InputError(Fault("E182", cause, advice))
        if self.scores and (self.resegment or self.vectors):
            name = "--resegment" if self.resegment else "--vectors"
            raise InputError(Fault("E098", f"{name} with --scores", "scores have no lines to cut: leave it out", name))
        if self.vectors and not self.resegment:
            raise InputError(Fault("E098", "--vectors without --resegment", "give both, or none", "--vectors"))

    def score(self, suite: Suite, options: SuiteOptions) -> SuiteResult:
        """Score them on a suite of words that need context."""
        if self.scores:
            return score_contrastive(suite, read_scores(suite, self.scores), options)
        files, annotator = self._lemmas(default="none")
        if files:
            advice = "name an annotator: --lemmas annotator"
            raise InputError(Fault("E220", "files of lemmas are for word senses", advice, "--lemmas"))
        suite, outputs = self._outputs(suite)
        store = usable(default_store_path()) if options.judge == "choice" else None
        return score_outputs(suite, outputs, options, annotator, store)

    def _lemmas(self, default: str) -> tuple[Mapping[str, str], str | None]:
        """Return the files of lemmas by system, and the annotator; ``None`` for none (E220)."""
        files = named([value for value in self.lemmas if "=" in value], "--lemmas")
        annotators = [value for value in self.lemmas if "=" not in value]
        strange = [name for name in files if name not in self.system]
        if strange or len(annotators) > 1:
            cause = f"there is no system “{strange[0]}”" if strange else "more than one annotator"
            raise InputError(Fault("E220", cause, "NAME=FILE of a system, or one annotator, or none", "--lemmas"))
        annotator = annotators[0] if annotators else default
        return files, None if annotator == "none" else annotator

    def _outputs(self, suite: Suite) -> tuple[Suite, dict[str, list[str]]]:
        return (
            cut_outputs(suite, self.system, self.vectors)
            if self.resegment
            else (suite, read_outputs(suite, self.system))
        )

    def score_senses(self, suite: Suite, options: SenseOptions) -> SenseResult:
        """Score them on a suite of word senses (E220: lemmas of an unknown system)."""
        if self.scores:
            return score_sense_scores(suite, read_scores(suite, self.scores), options)
        files, annotator = self._lemmas(default=ANNOTATOR)
        suite, outputs = self._outputs(suite)
        return score_sense_outputs(suite, outputs, options, lemmas=read_lemmas(suite, files), annotator=annotator)


@command(strict=True)
def score(
    suite: _Suite,
    reading: Annotated[SuiteInputs, But("corpus")],
    systems: Systems,
    options: SuiteOptions,
    senses: Annotated[SenseOptions, Only("recall")],
    output: Annotated[
        Path | None,
        into("Directory for result.json and report.html."),
    ] = None,
    output_format: Format = "text",
) -> None:
    """Score systems on a suite."""
    place = None if output is None else Output(output, [RESULT, REPORT])
    systems.check()
    read = reading.read(suite)
    render = REPORTS.get(output_format)
    if not is_sense_suite(read):
        result = systems.score(read, options)
    else:
        shared = {one.name: getattr(options, one.name) for one in fields(ScoringOptions)}
        units = "words" if options.units == "documents" else options.units
        result = systems.score_senses(read, replace(senses, **{**shared, "units": units}))
    show_result(result, render, place)
    if place is not None:
        say(f"report: {place.root / REPORT}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contexts(SuiteInputs):
    """How a suite is read, and where its contexts are from."""

    inputs: str | None = option(
        None, metavar="FILE", help="Inputs with context, one line an item, to take contexts from."
    )
    context: int = option(5, "--context", "-k", least=0, help="Segments of context before each item.")

    def joined(self, path: str, separator: str) -> Suite:
        """Read a suite with contexts from a corpus or a file of inputs, where one is named."""
        if self.corpus is not None or self.inputs is None:
            return self.read(path, self.context)
        suite = self.read(path)
        log = FaultLog()
        lines = read_lines(self.inputs, log)
        log.check()
        return contexts_from_inputs(suite, lines.texts, separator)


CORPUS = "corpus"
OTHERS = {
    CORPUS: "a corpus of parallel documents, one an item: TSV, CSV or JSON Lines",
    LM_EVAL: "directory of tasks for lm-evaluation-harness",
}
"""What suites are converted to besides their own formats."""

_File = Annotated[str, typer.Option("--output", "-o", metavar="PATH", help="The new file or directory.")]


@command(quiet=False)
def formats() -> None:
    """List the formats of suites."""
    for name in SUITE_FORMATS:
        form = SUITE_FORMATS.get(name)
        print(f"{name:18} {'read, write' if form.write else 'read':12} {form.description}")
    for name, description in OTHERS.items():
        print(f"{name:18} {'write':12} {description}")


@command(quiet=False)
def published() -> None:
    """List the published test sets that are read: where to get them, their licences, and how they are scored."""
    for one in published_sets():
        print(f"{one.name} ({one.authors}): {one.tests}; {one.languages}")
        print(f"  {one.address}, licence: {one.licence}")
        print(f"  endophora suite score {one.file} --suite-format {one.format} --{one.given} NAME=FILE\n")


@command()
def describe(
    suite: _Suite,
    reading: Annotated[SuiteInputs, But("corpus")],
    examples: Annotated[int, typer.Option("--examples", min=0, help="Examples of each rule.")] = 1,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the draw of examples.")] = 1,
    beside: Annotated[
        str | None, typer.Option("--beside", metavar="SUITE", help="Another suite: which items are in both.")
    ] = None,
    output_format: Annotated[
        str, typer.Option("--format", "-f", metavar="NAME", help="What standard output shows: text, json or csv.")
    ] = "text",
) -> None:
    """Show how a suite's items are spread."""
    render = REPORTS.get(output_format)
    other = None if beside is None else replace(reading, suite_format=None).read(beside)
    found = describe_suite(reading.read(suite), examples, seed, other)
    warn(found.warnings)
    sys.stdout.write(render(found))


@command()
def convert(
    suite: _Suite,
    output: _File,
    reading: Contexts,
    to: Annotated[
        str,
        typer.Option("--to", metavar="FORMAT", help="A format that suites are written in: jsonl, lm-eval, corpus, …."),
    ],
    separator: Annotated[
        str, typer.Option("--separator", metavar="TEXT", help="Text between joined segments, as '<eos>'.")
    ] = "<eos>",
    sample: Annotated[
        int | None,
        typer.Option("--sample", metavar="N", min=1, help="At most N items of a phenomenon, even over its rules."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the draw of a sample.")] = 1,
) -> None:
    """Write a suite in another format, with contexts joined to it if some are named."""
    if to == CORPUS:
        _write_corpus(reading.joined(suite, separator), output)
        return
    folder = TASKS if to == LM_EVAL else split_files("", to) if to in DATASETS else None
    place = None if folder is None else Output(Path(output), folder)
    if place is None:
        check_file(output)
    read = reading.joined(suite, separator)
    if sample is not None:
        read = replace(read, items=tuple(sample_items(read.items, sample, seed)))
    warn(read.warnings)
    with place.writing() if place else written_file(output) as target:
        if to == LM_EVAL:
            warn(write_tasks(read, target, reading.context))
        else:
            write_suite(read, target, to)
    say(f"{len(read)} items: {output}")


def _write_corpus(suite: Suite, output: str) -> None:
    """Write a suite as a corpus, each item a document, as JSON Lines or by the name of the file."""
    name = next((name for name in ("tsv", "csv") if output.endswith(f".{name}")), "jsonl")
    check_file(output)
    corpus, bare = as_corpus(suite)
    warn([*suite.warnings, *([f"{bare:,} segments of context have no translation, and are left out"] if bare else [])])
    write = FORMATS.get(name).write
    with written_file(output) as place:
        if write is not None:
            write(corpus, place)
    say(f"{len(corpus):,} segments of {len(corpus.documents):,} items: {output}")


@command()
def split(
    suite: _Suite,
    output: _File,
    reading: Annotated[SuiteInputs, But("corpus")],
    options: Annotated[SplitOptions, But("ratio")],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="jsonl, ctxpro, huggingface, …")] = "jsonl",
) -> None:
    """Split a suite into dev, devtest and test (1:1:5) by document, the most recent years first."""
    check_directory(Path(output))
    read = reading.read(suite)
    place = Output(Path(output), split_files(read.name, to))
    warn(read.warnings)
    parts = split_items(read.items, options)
    with place.writing() as folder:
        written = write_splits(read, parts, folder, to)
    for path, count in written.items():
        say(f"{count} items: {path.replace(str(folder), str(place.root), 1)}")


@command()
def prompts(
    suite: _Suite,
    reading: Contexts,
    separator: Annotated[
        str, typer.Option("--separator", metavar="TEXT", help="What is put between segments.")
    ] = "<eos> ",
    targets: Annotated[
        bool, typer.Option("--targets", help="Source and each right or wrong translation, between tabs, to be scored.")
    ] = False,
    output: _File = "-",
) -> None:
    """Write what systems translate or score: a line an item, or a line a translation, in the order of the suite."""
    check_file(output)
    read = reading.joined(suite, separator.strip())
    warn(read.warnings)
    pairs = ["\t".join(pair) for pair in translations(read, reading.context, separator)] if targets else None
    with written_file(output) as place:
        write_lines(place, list(prompt_lines(read, reading.context, separator)) if pairs is None else pairs)
