"""Runs an extraction for a command: setup and options from names, progress, the table on standard output."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from endophora.cli.console import error_console, report_error, warn
from endophora.corpus import parse_languages
from endophora.corpus.meaning import check_stream
from endophora.corpus.streams import Census, DocumentStream
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
    extract,
)
from endophora.stopping import keeping
from endophora.suites.splits import SplitOptions

NO_OCCURRENCE = 1_000
"""Segments in which some item of a test set must be: 3,000 of news have hundreds."""


def make_setup(
    languages: str,
    phenomena: Sequence[str] | None,
    annotators: Mapping[str, str],
    aligner: str | None,
    resolver: str | None,
    window: int,
    context: int,
    prefilter: bool,
    rules: Sequence[Path] | None,
) -> ExtractionSetup:
    """Return the setup that the options name; by default it has all phenomena of test sets that the pair has rules for.

    Raises:
        InputError: an annotator is of a language that is not in the pair (E100), or no phenomenon has rules (E202).
    """
    source, target = parse_languages(languages)
    if foreign := [language for language in annotators if language not in (source, target)]:
        cause = f"{', '.join(foreign)} is not of the pair {source}-{target}"
        raise InputError(Fault("E100", cause, "name it as de=…", "--annotator"))
    return ExtractionSetup(
        source_language=source,
        target_language=target,
        phenomena=tuple(dict.fromkeys(phenomena or default_phenomena(source, target))),
        annotators=annotators,
        aligner=aligner,
        resolver=resolver,
        window=window,
        context=context,
        prefilter=prefilter,
        rules=tuple(rules or ()),
    )


def make_options(
    executor: str,
    workers: int,
    address: str,
    shard_size: int,
    fresh: bool,
    formats: Sequence[str] | None,
    split: tuple[int, str, int, int],
    year: str,
) -> ExtractOptions:
    """Return how it is to be done.

    Args:
        executor: name of the engine's executor.
        workers: how many; 0 takes one for each core.
        address: of a Ray cluster.
        shard_size: segments in a shard.
        fresh: begin anew.
        formats: names of suites' formats; ``none`` alone writes no test set.
        split: least items of a rule, ratio as ``1:1:5``, most items, seed.
        year: expression that finds the year in a document's id.

    Raises:
        InputError: a name is unknown, a number out of range, or the ratio is none (E206).
    """
    least, ratio, most, seed = split
    parts = ratio.split(":")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise InputError(Fault("E206", f"“{ratio}” is no ratio", "three numbers, as in --ratio 1:1:5", "--ratio"))
    dev, devtest, test = map(int, parts)
    wanted = tuple(dict.fromkeys(formats or ("jsonl",)))
    if "none" in wanted and len(wanted) > 1:
        raise InputError(Fault("E206", "“none” beside formats", "name formats, or none alone", "--suite-format"))
    return ExtractOptions(
        engine=EngineOptions(
            executor=executor, workers=workers, shard_segments=shard_size, fresh=fresh, address=address
        ),
        test_sets=TestSetOptions(
            formats=() if wanted == ("none",) else wanted,
            split=SplitOptions(least=least, ratio=(dev, devtest, test), most=most, seed=seed),
            year=year,
        ),
    )


def run_extraction(
    setup: ExtractionSetup, stream: DocumentStream, output: Path, options: ExtractOptions, quiet: bool, *, scan: bool
) -> None:
    """Check the input, extract, and print the table.

    Args:
        setup: the tools.
        stream: the corpus.
        output: the directory, made if absent.
        options: how to do it.
        quiet: no progress and no warnings.
        scan: read the whole input once beforehand, so that its faults come before the work, and time left is known.

    Raises:
        EndophoraError: the input is faulty, or the run did not come to its end.
    """
    with keeping(kept_in(output)):
        _run(setup, stream, output, options, quiet, scan=scan)


def _run(
    setup: ExtractionSetup, stream: DocumentStream, output: Path, options: ExtractOptions, quiet: bool, *, scan: bool
) -> None:
    census: Census | None = None
    if scan:
        with _counting(quiet) as count:
            for document in stream:
                count(len(document.segments))
        census = stream.census
        _tell_skipped(census, quiet)
        _doubt(census, setup, quiet)
    with _progress(census.segments if census else None, quiet) as report:
        done = extract(setup, stream, output, replace(options, report=report))
    if census is None:
        _tell_skipped(done.census, quiet)
        _doubt(done.census, setup, quiet)
    warn(_doubt_emptiness(done.statistics, setup), quiet)
    _print(done, quiet)


def _tell_skipped(census: Census, quiet: bool) -> None:
    """List what is left out; the counts are in the statistics as well."""
    if census.faults and not quiet:
        report_error(EndophoraError(census.faults))
        warn([f"{sum(census.skipped.values())} faulty lines, rows or links are left out (--skip-faults)"])
    warn((f"{count} {what}" for what, count in census.notes.items()), quiet)


def _doubt(census: Census, setup: ExtractionSetup, quiet: bool) -> None:
    """Warn of texts that are not what the languages say; see :mod:`endophora.corpus.meaning`."""
    warn(check_stream(census, (setup.source_language, setup.target_language)), quiet)


def _doubt_emptiness(statistics: ExtractionStatistics, setup: ExtractionSetup) -> list[str]:
    usual = default_phenomena(setup.source_language, setup.target_language)
    if statistics.occurrences or statistics.segments < NO_OCCURRENCE or not set(usual) <= set(setup.phenomena):
        return []
    cause = f"no occurrence of any phenomenon in {statistics.segments:,} segments"
    return [str(Fault("E386", cause, "check --languages, and that the files are parallel", "the input"))]


def _print(done: Extraction, quiet: bool) -> None:
    from endophora.cli.tables import print_table

    print_table(("phenomenon", "rule", "found", "per million", "between", "commonest"), _table(done.statistics))
    summary, statistics = done.summary, done.statistics
    print(
        f"\n{statistics.occurrences} occurrences in {statistics.segments} segments of {statistics.documents} documents"
    )
    for file in statistics.suites:
        print(f"{file.path}: {file.items} items")
    if not quiet and summary.worked_shards:
        print(
            f"{summary.worked_shards} of {summary.shards} shards done in {summary.seconds:.1f} s; rows: {summary.path}",
            file=sys.stderr,
        )


def _table(statistics: ExtractionStatistics) -> list[tuple[str, ...]]:
    return [
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


@contextmanager
def _counting(quiet: bool) -> Generator[Callable[[int], None]]:
    """Show how many segments were read, while the input is checked."""
    if quiet or not sys.stderr.isatty():
        yield lambda count: None  # noqa: ARG005
        return
    from rich.progress import Progress as Bars
    from rich.progress import SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("check the input: {task.completed} segments", markup=False))
    with Bars(*columns, console=error_console(), transient=True) as bars:
        task = bars.add_task("", total=None)
        yield lambda count: bars.advance(task, count)


@contextmanager
def _progress(total: int | None, quiet: bool) -> Generator[Callable[[Progress], None] | None]:
    """Show how far the run is, its rate, and the time left."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}", markup=False), BarColumn())
    with Bars(*columns, console=error_console(), transient=True) as bars:
        task = bars.add_task("load models", total=total)

        def report(progress: Progress) -> None:
            """Show the state after a shard."""
            bars.update(task, completed=progress.segments, description=progress_text(progress, total))

        yield report


def progress_text(progress: Progress, total: int | None) -> str:
    """Say how far a run is: segments, occurrences, rate, time left.

    Args:
        progress: the state.
        total: segments of the input; ``None`` if nobody knows.
    """
    if progress.merging:
        return f"put together {progress.rows} occurrences"
    left = None if total is None else progress.seconds_left(total)
    whole = "" if total is None else f" of {total}"
    text = f"{progress.segments}{whole} segments, {progress.rows} occurrences, {progress.rate:.0f} segments/s"
    return text if left is None else f"{text}, {_duration(left)} left"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
