"""``endophora suite``: score, describe and convert test suites, and write the inputs that systems translate."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import But, command
from endophora.cli.console import say, warn
from endophora.cli.inputs import Format, SuiteInputs
from endophora.cli.showing import REPORT, RESULT, show_result
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import read_lines
from endophora.corpus.writing import write_lines
from endophora.errors import Fault, InputError
from endophora.files import Output, check_directory, check_file, written_file
from endophora.options import named, option
from endophora.report import REPORTS
from endophora.statistics.resampling import Bootstrapping
from endophora.suites import Suite
from endophora.suites.contexts import contexts_from_inputs, translations
from endophora.suites.contexts import inputs as prompt_lines
from endophora.suites.describe import describe_suite
from endophora.suites.formats import SUITE_FORMATS, write_suite
from endophora.suites.outputs import read_outputs, read_scores
from endophora.suites.scoring import SuiteOptions, score_contrastive, score_outputs
from endophora.suites.senses import SenseOptions, SenseResult, is_sense_suite, score_sense_outputs, score_sense_scores
from endophora.suites.senses.matching import read_lemmas
from endophora.suites.senses.scoring import ANNOTATOR
from endophora.suites.splits import DATASETS, SplitOptions, split_files, split_items, write_splits

_Suite = Annotated[str, typer.Argument(metavar="SUITE", help="The suite's file or directory; - is standard input.")]
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


@command(strict=True)
def score(
    suite: _Suite,
    reading: Annotated[SuiteInputs, But("corpus")],
    statistics: Annotated[Bootstrapping, But("resamples")],
    system: _Systems = None,
    scores: _Scores = None,
    separator: Annotated[
        str, typer.Option("--separator", metavar="TEXT", help="What stands between joined segments, as '<eos>'.")
    ] = "",
    part: _Part = "auto",
    match: _Match = "auto",
    ties: _Ties = "wrong",
    lower_is_better: _Lower = False,
    lemmas: _Lemmas = None,
    recall: _Recall = "A",
    metric: _Metrics = None,
    baseline: _Baseline = "best",
    resamples: Annotated[int, typer.Option("--resamples", min=0, help="Number of resamples; 0 for none.")] = 1000,
    output: _Output = None,
    output_format: Format = "text",
) -> None:
    """Score systems on a suite."""
    place = None if output is None else Output(output, [RESULT, REPORT])
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
        units=statistics.units,
        resamples=resamples,
        alpha=statistics.alpha,
        seed=statistics.seed,
    )
    read = reading.read(suite)
    if is_sense_suite(read):
        senses = SenseOptions(
            recall=recall,
            ties=ties,
            higher_is_better=not lower_is_better,
            baseline=baseline,
            units="words" if statistics.units == "documents" else statistics.units,
            resamples=resamples,
            alpha=statistics.alpha,
            seed=statistics.seed,
        )
        _show_senses(_score_senses(read, system, scores, lemmas, senses), place, output_format)
        return
    if system:
        result = score_outputs(read, read_outputs(read, named(system, "--system")), chosen)
    else:
        result = score_contrastive(read, read_scores(read, named(scores, "--scores")), chosen)
    show_result(result, REPORTS.get(output_format), place, page=False)


def _score_senses(
    suite: Suite,
    systems: list[str] | None,
    scores: list[str] | None,
    lemmas: list[str] | None,
    chosen: SenseOptions,
) -> SenseResult:
    """Score systems on a suite of word senses.

    Args:
        suite: the items.
        systems: outputs, ``NAME=FILE`` each.
        scores: scores, ``NAME=FILE`` each; one of the two is given.
        lemmas: ``NAME=FILE`` of lemmas, or one word: the name of an annotator, ``annotator`` for the language's own, or
            ``none``.
        chosen: the other options.

    Raises:
        InputError: see :mod:`endophora.suites.senses.scoring`; lemmas of an unknown system (E220).
    """
    if scores:
        return score_sense_scores(suite, read_scores(suite, named(scores, "--scores")), chosen)
    outputs = named(systems, "--system")
    files = named([value for value in lemmas or () if "=" in value], "--lemmas")
    names = [value for value in lemmas or () if "=" not in value]
    strange = [name for name in files if name not in outputs]
    if strange or len(names) > 1:
        cause = f"there is no system “{strange[0]}”" if strange else "more than one annotator"
        raise InputError(Fault("E220", cause, "NAME=FILE of a system, or one annotator, or none", "--lemmas"))
    annotator = names[0] if names else ANNOTATOR
    return score_sense_outputs(
        suite,
        read_outputs(suite, outputs),
        chosen,
        lemmas=read_lemmas(suite, files),
        annotator=None if annotator == "none" else annotator,
    )


def _show_senses(result: SenseResult, place: Output | None, output_format: str) -> None:
    """Show a result, and write it with its page, ``report.html``, where that is asked for."""
    show_result(result, REPORTS.get(output_format), place)
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


_File = Annotated[str, typer.Option("--output", "-o", metavar="PATH", help="The new file or directory.")]


@command(quiet=False)
def formats() -> None:
    """List the formats of suites."""
    for name in SUITE_FORMATS:
        form = SUITE_FORMATS.get(name)
        print(f"{name:18} {'read, write' if form.write else 'read':12} {form.description}")


@command()
def describe(
    suite: _Suite,
    reading: Annotated[SuiteInputs, But("corpus")],
    examples: Annotated[int, typer.Option("--examples", min=0, help="Examples of each rule.")] = 1,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the draw of examples.")] = 1,
    output_format: Annotated[
        str, typer.Option("--format", "-f", metavar="NAME", help="What standard output shows: text, json or csv.")
    ] = "text",
) -> None:
    """Show how a suite's items are spread."""
    render = REPORTS.get(output_format)
    found = describe_suite(reading.read(suite), examples, seed)
    warn(found.warnings)
    sys.stdout.write(render(found))


@command()
def convert(
    suite: _Suite,
    output: _File,
    reading: Contexts,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="A format that is written: suite formats.")],
    separator: Annotated[
        str, typer.Option("--separator", metavar="TEXT", help="What stands between joined segments, as '<eos>'.")
    ] = "<eos>",
) -> None:
    """Write a suite in another format, with contexts joined to it if some are named."""
    place = Output(Path(output), split_files("", to)) if to in DATASETS else None
    if place is None:
        check_file(output)
    read = reading.joined(suite, separator)
    warn(read.warnings)
    with place.writing() if place else written_file(output) as target:
        write_suite(read, target, to)
    say(f"{len(read)} items: {output}")


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
