"""``endophora suite``: score, describe and convert test suites, and write the inputs that systems translate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endophora.cli import options, sense_build
from endophora.cli.console import warn
from endophora.cli.showing import REPORT, RESULT, show_result
from endophora.cli.strict import checked

if TYPE_CHECKING:
    from endophora.files import Output
    from endophora.suites import Suite
    from endophora.suites.result import SuiteResult

app = typer.Typer(help="Score, build, describe and convert test suites.", no_args_is_help=True, rich_markup_mode=None)
app.command("build")(sense_build.build)

_Suite = Annotated[str, typer.Argument(metavar="SUITE", help="The suite's file or directory; - is standard input.")]
_SuiteFormat = Annotated[
    str | None, typer.Option("--suite-format", metavar="NAME", help="Format of the suite, where it is not recognised.")
]
_Languages = Annotated[
    str, typer.Option("--languages", "-l", metavar="SRC-TGT", help="Language pair, where the suite does not say it.")
]
_Separator = Annotated[
    str, typer.Option("--separator", metavar="TEXT", help="What stands between joined segments, as '<eos>'.")
]
_Systems = Annotated[
    list[str] | None,
    typer.Option("--system", "-y", metavar="NAME=FILE", help="A system's outputs, one line an item. Repeatable."),
]
_Scores = Annotated[
    list[str] | None,
    typer.Option(
        "--scores",
        metavar="NAME=FILE",
        help="A system's scores, one line a right or wrong translation. Repeatable.",
    ),
]
_Match = Annotated[
    str,
    typer.Option(
        "--match", metavar="NAME", help="How forms are found: auto, unicode, ascii (as published), spaced, substring."
    ),
]
_Part = Annotated[
    str,
    typer.Option("--part", metavar="NAME", help="Of an output: auto, sentence (its last), segment, or the whole line."),
]
_Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", metavar="NAME", help="Text metric as well: bleu, chrf, comet, … Repeatable."),
]
_Ties = Annotated[
    str, typer.Option("--ties", metavar="NAME", help="What a tie of --scores counts as: wrong or correct.")
]
_Lower = Annotated[bool, typer.Option("--lower-is-better", help="The --scores are losses.")]
_Baseline = Annotated[
    str, typer.Option("--baseline", metavar="SYSTEM", help="System to compare with; best is the most accurate.")
]
_Lemmas = Annotated[
    list[str] | None,
    typer.Option(
        "--lemmas",
        metavar="NAME=FILE",
        help="Word senses: lemmas of a system's outputs; or an annotator's name, or none. Repeatable.",
    ),
]
_Recall = Annotated[
    str, typer.Option("--recall", metavar="NAME", help="Word senses: recall A, as in the tables, or B.")
]
_Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", help="Directory for result.json (word senses: report.html too)."),
]


@app.command("score")
@checked
def score(
    suite: _Suite,
    system: _Systems = None,
    scores: _Scores = None,
    suite_format: _SuiteFormat = None,
    languages: _Languages = "",
    separator: _Separator = "",
    part: _Part = "auto",
    match: _Match = "auto",
    ties: _Ties = "wrong",
    lower_is_better: _Lower = False,
    lemmas: _Lemmas = None,
    recall: _Recall = "A",
    metric: _Metrics = None,
    baseline: _Baseline = "best",
    units: options.Units = "documents",
    resamples: Annotated[int, typer.Option("--resamples", min=0, help="Number of resamples; 0 for none.")] = 1000,
    alpha: options.Alpha = 0.05,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of resampling and swapping.")] = 1,
    output: _Output = None,
    output_format: options.Format = "text",
    quiet: options.Quiet = False,
) -> None:
    """Score systems on a suite: is the form that needs context there?"""
    from endophora.cli.senses import score_senses, show_senses
    from endophora.errors import Fault, InputError
    from endophora.suites.outputs import read_outputs, read_scores
    from endophora.suites.scoring import SuiteOptions, score_contrastive, score_outputs
    from endophora.suites.senses import SenseOptions, is_sense_suite

    place = _result_output(output)
    if bool(system) == bool(scores):
        raise InputError(
            Fault("E182", "there is nothing to score, or two things", "give --system or --scores, NAME=FILE each")
        )
    chosen = SuiteOptions(
        matching=match,
        part=part,
        separator=separator,
        ties=ties,
        higher_is_better=not lower_is_better,
        metrics=tuple(metric or ()),
        baseline=baseline,
        units=units,  # pyright: ignore[reportArgumentType]
        resamples=resamples,
        alpha=alpha,
        seed=seed,
    )
    read = _read(suite, suite_format, languages)
    if is_sense_suite(read):
        senses = SenseOptions(
            recall=recall,
            ties=ties,
            higher_is_better=not lower_is_better,
            baseline=baseline,
            units="words" if units == "documents" else units,  # pyright: ignore[reportArgumentType]
            resamples=resamples,
            alpha=alpha,
            seed=seed,
        )
        show_senses(score_senses(read, system, scores, lemmas, senses), place, output_format, quiet)
        return
    if system:
        result = score_outputs(read, read_outputs(read, options.named(system, "--system")), chosen)
    else:
        result = score_contrastive(read, read_scores(read, options.named(scores, "--scores")), chosen)
    _show(result, place, output_format, quiet)


def _result_output(directory: Path | None) -> Output | None:
    """Return the output of scores, checked before the work, if a directory is named."""
    from endophora.files import Output

    return None if directory is None else Output(directory, [RESULT, REPORT])


def _read(path: str, suite_format: str | None, languages: str) -> Suite:
    from endophora.corpus import parse_languages
    from endophora.suites.formats import read_suite

    return read_suite(path, suite_format, parse_languages(languages) if languages else None)


def _show(result: SuiteResult, place: Output | None, output_format: str, quiet: bool) -> None:
    from endophora.report import REPORTS

    show_result(result, REPORTS.get(output_format)(result), place, quiet)


_Corpus = Annotated[
    str | None,
    typer.Option("--corpus", metavar="PATH", help="Corpus of the suite's documents, to take contexts from."),
]
_Inputs = Annotated[
    str | None,
    typer.Option("--inputs", metavar="FILE", help="Inputs with context, one line an item, to take contexts from."),
]
_Context = Annotated[int, typer.Option("--context", "-k", min=0, help="Segments of context before each item.")]
_File = Annotated[str, typer.Option("--output", "-o", metavar="PATH", help="The new file or directory.")]


@app.command("formats")
def formats() -> None:
    """List the formats of suites: which are read, which are written."""
    from endophora.suites.formats import SUITE_FORMATS

    for name in SUITE_FORMATS:
        form = SUITE_FORMATS.get(name)
        print(f"{name:18} {'read, write' if form.write else 'read':12} {form.description}")


@app.command("describe")
def describe(
    suite: _Suite,
    suite_format: _SuiteFormat = None,
    languages: _Languages = "",
    examples: Annotated[int, typer.Option("--examples", min=0, help="Examples of each rule.")] = 1,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the draw of examples.")] = 1,
    output_format: Annotated[
        str, typer.Option("--format", "-f", metavar="NAME", help="What standard output shows: text, json or csv.")
    ] = "text",
    quiet: options.Quiet = False,
) -> None:
    """Show how a suite's items are spread over rules, forms and distances, with examples."""
    from endophora.report import REPORTS
    from endophora.suites.describe import describe_suite

    render = REPORTS.get(output_format)
    found = describe_suite(_read(suite, suite_format, languages), examples, seed)
    warn(found.warnings, quiet)
    sys.stdout.write(render(found))


@app.command("convert")
def convert(
    suite: _Suite,
    output: _File,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="A format that is written: suite formats.")],
    suite_format: _SuiteFormat = None,
    languages: _Languages = "",
    context: _Context = 5,
    corpus: _Corpus = None,
    inputs: _Inputs = None,
    separator: _Separator = "<eos>",
    quiet: options.Quiet = False,
) -> None:
    """Write a suite in another format, with contexts joined to it if --corpus or --inputs is given."""
    from endophora.files import Output, check_file, written_file
    from endophora.suites.formats import write_suite
    from endophora.suites.splits import DATASETS, split_files

    place = Output(Path(output), split_files("", to)) if to in DATASETS else None
    if place is None:
        check_file(output)
    read = _with_context(_read(suite, suite_format, languages), corpus, inputs, separator, context)
    warn(read.warnings, quiet)
    with place.writing() if place else written_file(output) as target:
        write_suite(read, target, to)
    if not quiet:
        print(f"{len(read)} items: {output}", file=sys.stderr)


@app.command("split")
def split(
    suite: _Suite,
    output: _File,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="jsonl, ctxpro, huggingface, …")] = "jsonl",
    least: Annotated[
        int, typer.Option("--least", min=0, help="A rule with fewer items has all of them in test.")
    ] = 100,
    most: Annotated[int, typer.Option("--most", min=1, help="Items of a rule in test.")] = 5000,
    suite_format: _SuiteFormat = None,
    languages: _Languages = "",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the order of documents of one year.")] = 1,
    quiet: options.Quiet = False,
) -> None:
    """Split a suite into dev, devtest and test (1:1:5) by document, the most recent years first."""
    from endophora.files import Output, check_directory
    from endophora.suites.splits import SplitOptions, split_files, split_items, write_splits

    check_directory(Path(output))
    read = _read(suite, suite_format, languages)
    place = Output(Path(output), split_files(read.name, to))
    warn(read.warnings, quiet)
    parts = split_items(read.items, SplitOptions(least=least, most=most, seed=seed))
    with place.writing() as folder:
        written = write_splits(read, parts, folder, to)
    for path, count in written.items():
        if not quiet:
            print(f"{count} items: {path.replace(str(folder), str(place.root), 1)}", file=sys.stderr)


@app.command("prompts")
def prompts(
    suite: _Suite,
    suite_format: _SuiteFormat = None,
    languages: _Languages = "",
    context: _Context = 5,
    separator: Annotated[
        str, typer.Option("--separator", metavar="TEXT", help="What is put between segments.")
    ] = "<eos> ",
    targets: Annotated[
        bool, typer.Option("--targets", help="Source and each right or wrong translation, between tabs, to be scored.")
    ] = False,
    corpus: _Corpus = None,
    inputs: _Inputs = None,
    output: _File = "-",
    quiet: options.Quiet = False,
) -> None:
    """Write what systems translate or score: a line an item, or a line a translation, in the order of the suite."""
    from endophora.corpus.writing import write_lines
    from endophora.files import check_file, written_file
    from endophora.suites.contexts import inputs as lines
    from endophora.suites.contexts import translations

    check_file(output)
    read = _with_context(_read(suite, suite_format, languages), corpus, inputs, separator.strip(), context)
    warn(read.warnings, quiet)
    pairs = ["\t".join(pair) for pair in translations(read, context, separator)] if targets else None
    with written_file(output) as place:
        write_lines(place, list(lines(read, context, separator)) if pairs is None else pairs)


def _with_context(suite: Suite, corpus: str | None, inputs: str | None, separator: str, size: int) -> Suite:
    """Return a suite with contexts from a corpus or a file of inputs, where one is named."""
    from endophora.corpus import read_corpus
    from endophora.corpus.faults import FaultLog
    from endophora.corpus.lines import read_lines
    from endophora.suites.contexts import contexts_from_inputs, join_contexts

    if corpus is not None:
        pair = (suite.source_language or "en", suite.target_language or "en")
        return join_contexts(suite, read_corpus(corpus, languages=pair), size)
    if inputs is not None:
        log = FaultLog()
        lines = read_lines(inputs, log)
        log.check()
        return contexts_from_inputs(suite, lines.texts, separator)
    return suite
