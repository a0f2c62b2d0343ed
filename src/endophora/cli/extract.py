"""``endophora extract``: occurrences and test sets from a corpus of any size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import But, Only, command
from endophora.cli.console import current, duration, live_bar, print_table, report_error, say, warn
from endophora.cli.inputs import Inputs, Tools, check_annotators, into
from endophora.corpus.codes import parse_languages
from endophora.corpus.formats import open_parallel, open_stream
from endophora.corpus.meaning import check_stream
from endophora.corpus.streams import Census, DocumentStream, ReadOptions, TableColumns, left_out
from endophora.engine import EngineOptions, Progress
from endophora.engine.resumable_run import kept_in
from endophora.errors import EndophoraError, Fault, InputError
from endophora.extraction import (
    Extraction,
    ExtractionSetup,
    ExtractionStatistics,
    ExtractOptions,
    TestSetOptions,
    default_phenomena,
    output_of,
)
from endophora.extraction import extract as extract_corpus
from endophora.options import option
from endophora.phenomena.tagging import RulesAs
from endophora.stopping import keeping
from endophora.suites.splits import SplitOptions

NO_OCCURRENCE = 1_000
"""Segments in which some item of a test set must be: 3,000 of news have hundreds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamInputs:
    """A corpus that is read as a stream: ``--input``, or ``--source`` with its companions."""

    path: tuple[str, ...] = option(
        (),
        *("--input", "-i"),
        metavar="PATH",
        help="TSV, Parquet, JSON Lines, TMX, XLIFF, PO, CSV, XLSX, OPUS alignment, WMT. Repeatable.",
    )
    reference: str | None = option(
        None, "--reference", "-r", metavar="FILE", help="Target text; with --input the name of a reference."
    )
    columns: str | None = option(
        None, metavar="D,S,T", help="Columns of document id, source, target: names, or numbers if no header."
    )
    texts: tuple[str, ...] = option((), metavar="PATH", help="Folder or zip of OPUS' documents. Repeatable.")
    skip_faults: bool = option(False, help="Leave out and count faulty lines, instead of stopping.")

    def read(self, other: Inputs) -> DocumentStream:
        """Return the documents; ``other`` has languages, format, source and document ids (E098, E099)."""
        pair = parse_languages(other.languages)
        other.check(next(iter(self.path), None), self.reference)
        if self.path:
            columns = read_columns(self.columns)
            wanted = None if self.reference is None else [self.reference]
            chosen = ReadOptions(languages=pair, columns=columns, references=wanted, texts=self.texts)
            return open_stream(self.path, chosen, other.input_format, skip_faults=self.skip_faults)
        return open_parallel(other.source or "", self.reference or "", other.documents, skip_faults=self.skip_faults)


def read_columns(text: str | None) -> TableColumns | None:
    """Return the three columns that ``--columns`` names; E206 if they are not three."""
    if text is None:
        return None
    names = text.split(",")
    if len(names) != 3 or not all(names):
        raise InputError(Fault("E206", f"“{text}” does not name three columns", "document,source,target", "--columns"))
    return TableColumns(*names)


@command(strict=True)
def extract(
    inputs: Annotated[Inputs, Only("languages", "input_format", "source", "documents")],
    stream: StreamInputs,
    test_sets: TestSetOptions,
    split: Annotated[
        SplitOptions,
        But(
            least="A rule with fewer items is in test alone.",
            most="Items of a rule in test at most.",
            seed="Seed of the split.",
        ),
    ],
    engine: EngineOptions,
    tools: Annotated[
        Tools,
        Only(
            *("rules", "annotator", "aligner", "resolver", "window"),
            phenomenon="Only this; by default all of test sets. Repeatable.",
        ),
    ],
    output: Annotated[Path, into("Directory for rows, statistics and test sets.")] = Path("endophora-extraction"),
    context: Annotated[int, typer.Option("--context", min=0, help="Segments before an item that go with it.")] = 5,
    prefilter: Annotated[
        bool, typer.Option("--prefilter/--no-prefilter", help="Parse only what the surface cannot rule out.")
    ] = True,
    rules_as: Annotated[
        RulesAs, typer.Option("--rules-as", help="Rules of test sets as published, slips and all, or corrected.")
    ] = "corrected",
) -> None:
    """Find the words that need context in a corpus of any size, and make test sets of them."""
    output_of(output)
    corpus = stream.read(inputs)
    setup = replace(_setup(inputs, tools, context, prefilter), rules_as=rules_as)
    options = ExtractOptions(engine=engine, test_sets=replace(test_sets, split=split))
    # Standard input cannot be read a second time.
    scan = "-" not in (*stream.path, inputs.source, stream.reference, inputs.documents)
    with keeping(kept_in(output)):
        _run(setup, corpus, output, options, scan=scan)


def _setup(inputs: Inputs, tools: Tools, context: int, prefilter: bool) -> ExtractionSetup:
    """Return the setup; by default it has all phenomena of test sets that the pair has rules for (E100, E202)."""
    source, target = parse_languages(inputs.languages)
    check_annotators(tools.annotator, (source, target))
    return ExtractionSetup(
        source_language=source,
        target_language=target,
        phenomena=tuple(dict.fromkeys(tools.phenomenon or default_phenomena(source, target))),
        annotators=tools.annotator,
        aligner=tools.aligner,
        resolver=tools.resolver,
        window=tools.window,
        context=context,
        prefilter=prefilter,
        rules=tools.rules,
    )


def _run(setup: ExtractionSetup, stream: DocumentStream, output: Path, options: ExtractOptions, *, scan: bool) -> None:
    """Extract, and print the table; a first reading of all finds faults before the work, and how much it is."""
    census: Census | None = None
    if scan:
        with live_bar("check the input") as update:
            read = 0
            for document in stream:
                read += len(document.segments)
                update(description=f"check the input: {read} segments")
        census = stream.census
        doubt_census(census, (setup.source_language, setup.target_language))
    total = census.segments if census else None
    with live_bar("load models", total) as update:

        def report(progress: Progress) -> None:
            update(completed=progress.segments, description=progress_text(progress, total))

        done = extract_corpus(setup, stream, output, replace(options, report=report))
    if census is None:
        doubt_census(done.census, (setup.source_language, setup.target_language))
    warn(_doubt_emptiness(done.statistics, setup))
    _print(done)


def doubt_census(census: Census, pair: tuple[str, str]) -> None:
    """List what a reading has left out, and warn of texts that are not what the languages say."""
    if census.faults and not current().quiet:
        report_error(EndophoraError(census.faults))
        warn([f"{sum(census.skipped.values())} faulty lines, rows or links are left out (--skip-faults)"])
    warn([*left_out(census.notes), *census.remarks, *check_stream(census, pair)])


def _doubt_emptiness(statistics: ExtractionStatistics, setup: ExtractionSetup) -> list[str]:
    usual = default_phenomena(setup.source_language, setup.target_language)
    if statistics.occurrences or statistics.segments < NO_OCCURRENCE or not set(usual) <= set(setup.phenomena):
        return []
    cause = f"no occurrence of any phenomenon in {statistics.segments:,} segments"
    return [str(Fault("E386", cause, "check --languages, and that the files are parallel", "the input"))]


def _print(done: Extraction) -> None:
    summary, statistics = done.summary, done.statistics
    header = ("phenomenon", "rule", "found", "per million", "between", "commonest")
    rows = [
        (
            rule.phenomenon,
            rule.rule,
            str(rule.occurrences),
            f"{rule.per_million:g}",
            str(rule.between) if rule.distances else "",
            ", ".join(list(rule.forms)[:3]),
        )
        for rule in statistics.rules
    ]
    print_table(header, rows)
    print(
        f"\n{statistics.occurrences} occurrences in {statistics.segments} segments of {statistics.documents} documents"
    )
    for file in statistics.suites:
        print(f"{file.path}: {file.items} items")
    if summary.worked_shards:
        shards = f"{summary.worked_shards} of {summary.shards} shards"
        say(f"{shards} done in {summary.seconds:.1f} s; rows: {summary.path}")


def progress_text(progress: Progress, total: int | None) -> str:
    """Say how far a run is: segments, occurrences, rate, time left; ``total`` is ``None`` if nobody knows."""
    if progress.merging:
        return f"put together {progress.rows} occurrences"
    left = None if total is None else progress.seconds_left(total)
    whole = "" if total is None else f" of {total}"
    text = f"{progress.segments}{whole} segments, {progress.rows} occurrences, {progress.rate:.0f} segments/s"
    return text if left is None else f"{text}, {duration(left)} left"
