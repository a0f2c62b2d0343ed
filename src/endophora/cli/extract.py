"""``endophora extract``: occurrences and test sets from a corpus of any size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endophora.cli import options
from endophora.cli.options import named
from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.corpus.streams import DocumentStream
    from endophora.corpus.tsv import TableColumns


def extract(
    languages: options.Languages,
    path: Annotated[
        list[str] | None,
        typer.Option(
            "--input", "-i", metavar="PATH", help="TSV, Parquet, JSON Lines, OPUS alignment, WMT directory. Repeatable."
        ),
    ] = None,
    input_format: options.InputFormat = None,
    source: options.Source = None,
    reference: Annotated[
        str | None,
        typer.Option("--reference", "-r", metavar="FILE", help="Target text; with --input the name of a reference."),
    ] = None,
    documents: options.Documents = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns", metavar="D,S,T", help="Columns of document id, source, target: names, or numbers if no header."
        ),
    ] = None,
    texts: Annotated[
        list[str] | None,
        typer.Option("--texts", metavar="PATH", help="Folder or zip of OPUS' documents. Repeatable."),
    ] = None,
    skip_faults: Annotated[
        bool, typer.Option("--skip-faults", help="Leave out and count faulty lines, instead of stopping.")
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Directory for rows, statistics and test sets.")
    ] = Path("endophora-extraction"),
    phenomenon: Annotated[
        list[str] | None,
        typer.Option("--phenomenon", "-p", metavar="NAME", help="Only this; by default all of test sets. Repeatable."),
    ] = None,
    context: Annotated[int, typer.Option("--context", min=0, help="Segments before an item that go with it.")] = 5,
    suite_format: Annotated[
        list[str] | None,
        typer.Option(
            "--suite-format", metavar="NAME", help="jsonl, ctxpro, contrapro, huggingface, or none. Repeatable."
        ),
    ] = None,
    least: Annotated[int, typer.Option("--least", min=0, help="A rule with fewer items is in test alone.")] = 100,
    most: Annotated[int, typer.Option("--most", min=1, help="Items of a rule in test at most.")] = 5_000,
    ratio: Annotated[str, typer.Option("--ratio", metavar="D:D:T", help="Of dev, devtest and test.")] = "1:1:5",
    year_pattern: Annotated[
        str, typer.Option("--year-pattern", metavar="REGEX", help="Its group is the year (four digits) in an id.")
    ] = "",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the split.")] = 1,
    executor: Annotated[str, typer.Option("--executor", metavar="NAME", help="serial, process or ray.")] = "process",
    workers: Annotated[int, typer.Option("--workers", "-w", min=0, help="0 takes one for each core.")] = 0,
    address: Annotated[str, typer.Option("--address", metavar="ADDRESS", help="Of a Ray cluster.")] = "",
    shard_size: Annotated[int, typer.Option("--shard-size", min=1, help="Segments in a shard.")] = 2_000,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew instead of going on.")] = False,
    prefilter: Annotated[
        bool, typer.Option("--prefilter/--no-prefilter", help="Parse only what the surface cannot rule out.")
    ] = True,
    rules: options.Rules = None,
    annotator: options.Annotators = None,
    aligner: options.Aligner = None,
    resolver: options.Resolver = None,
    window: options.Window = 5,
    quiet: options.Quiet = False,
) -> None:
    """Find the words that need context in a corpus of any size, and make test sets of them; resumes."""
    from endophora.cli.extracting import make_options, make_setup, run_extraction
    from endophora.extraction import output_of

    output_of(output)
    stream = _stream(languages, path, input_format, source, reference, documents, columns, texts, skip_faults)
    setup = make_setup(
        languages, phenomenon, named(annotator, "--annotator"), aligner, resolver, window, context, prefilter, rules
    )
    wanted = make_options(
        executor, workers, address, shard_size, fresh, suite_format, (least, ratio, most, seed), year_pattern
    )
    scan = _readable_twice(*(path or ()), source, reference, documents)
    run_extraction(setup, stream, output, wanted, quiet, scan=scan)


def _stream(
    languages: str,
    paths: Sequence[str] | None,
    input_format: str | None,
    source: str | None,
    reference: str | None,
    documents: str | None,
    columns: str | None,
    texts: Sequence[str] | None,
    skip_faults: bool,
) -> DocumentStream:
    """Return the documents that the options name: ``--input``, or ``--source`` with its companions.

    Raises:
        InputError: neither or both are given (E098), a companion is missing (E099, E204), or a format is not known.
    """
    from endophora.corpus import ReadOptions, open_parallel, open_stream, parse_languages

    pair = parse_languages(languages)
    if (not paths) == (source is None):
        advice = "give --source, --reference and --documents, or --input, not both"
        raise InputError(Fault("E098", "the input is not named once", advice))
    if paths:
        if documents is not None:
            raise InputError(Fault("E098", "--documents beside --input", "the input has its own ids", paths[0]))
        wanted = None if reference is None else [reference]
        chosen = ReadOptions(languages=pair, columns=_columns(columns), references=wanted, texts=tuple(texts or ()))
        return open_stream(paths, chosen, input_format, skip_faults=skip_faults)
    if reference is None:
        raise InputError(Fault("E099", "no reference is given", "give one with --reference FILE", "--reference"))
    if documents is None:
        advice = "give them with --documents FILE: context must not reach from one document into another"
        raise InputError(Fault("E204", "no document ids are given", advice, "--documents"))
    return open_parallel(source or "", reference, documents, skip_faults=skip_faults)


def _columns(text: str | None) -> TableColumns | None:
    from endophora.corpus.tsv import TableColumns

    if text is None:
        return None
    names = text.split(",")
    if len(names) != 3 or not all(names):
        raise InputError(Fault("E206", f"“{text}” does not name three columns", "document,source,target", "--columns"))
    return TableColumns(*names)


def _readable_twice(*paths: str | None) -> bool:
    """Tell whether the input can be read a second time: standard input cannot."""
    return "-" not in paths
