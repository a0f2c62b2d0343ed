"""``endophora context contrast``: are right translations found likelier than wrong ones, and does context help?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endophora.cli import model_options, options, utilization
from endophora.cli.console import progress_bar
from endophora.cli.showing import REPORT, RESULT, show_result, write_pages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from endophora.context.contrast import Contrast, ReadScores
    from endophora.context.contrast_figures import ContrastOptions
    from endophora.files import Output
    from endophora.models.options import ModelOptions
    from endophora.suites.records import Suite

KEPT = "answers.sqlite"
"""The models' answers in the output directory: with it a broken run goes on."""


def contrast(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="The suite's file or directory.")],
    model: utilization.Models = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--scores",
            metavar="NAME@SIZE=FILE",
            help="Scores of another tool with so much context, one line a translation. Repeatable.",
        ),
    ] = None,
    suite_format: Annotated[
        str | None, typer.Option("--suite-format", metavar="NAME", help="Format, where it is not recognised.")
    ] = None,
    languages: Annotated[
        str, typer.Option("--languages", "-l", metavar="SRC-TGT", help="Language pair, where the suite has none.")
    ] = "",
    corpus: Annotated[
        str | None, typer.Option("--corpus", metavar="PATH", help="Corpus of the suite's documents, for contexts.")
    ] = None,
    context: Annotated[
        int, typer.Option("--context", "-k", min=0, help="Most segments of context: all sizes from 0 to this.")
    ] = 5,
    size: Annotated[
        list[int] | None, typer.Option("--size", metavar="N", help="Only this many segments of context. Repeatable.")
    ] = None,
    sides: utilization.SideName = "both",
    normalised: Annotated[
        bool, typer.Option("--normalised", help="Divide log-probabilities by the translation's tokens.")
    ] = False,
    ties: Annotated[str, typer.Option("--ties", metavar="NAME", help="What a tie is: wrong or correct.")] = "wrong",
    lower_is_better: Annotated[bool, typer.Option("--lower-is-better", help="The --scores are losses.")] = False,
    baseline: Annotated[
        str, typer.Option("--baseline", metavar="NAME", help="Model to compare with. [default: the first]")
    ] = "",
    units: options.Units = "documents",
    resamples: options.Resamples = 1000,
    alpha: options.Alpha = 0.05,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of resampling and swapping.")] = 1,
    output: options.Output = Path("endophora-contrast"),
    output_format: options.Format = "text",
    device: model_options.Device = "auto",
    batch_tokens: model_options.BatchTokens = None,
    precision: model_options.Precision = None,
    threads: model_options.Threads = 0,
    skip_faults: model_options.SkipFaults = False,
    quiet: options.Quiet = False,
) -> None:
    """Score right against wrong translations, with more and with less context."""
    from endophora.context.contrast import FOLDER, read_contrast_scores
    from endophora.context.contrast_figures import ContrastOptions
    from endophora.files import Output
    from endophora.report import REPORTS

    place = Output(output, [RESULT, REPORT, f"{FOLDER}/"], [KEPT])
    render = REPORTS.get(output_format)
    chosen = ContrastOptions(
        sizes=tuple(size or range(context + 1)),
        sides=utilization.read_sides(sides),
        normalised=normalised,
        ties=ties,
        baseline=baseline,
        units=units,
        resamples=resamples,
        alpha=alpha,
        seed=seed,
    )
    read = _read(suite, suite_format, languages, corpus, max(chosen.sizes))
    others = read_contrast_scores(read, options.named(scores, "--scores"), higher_is_better=not lower_is_better)
    pair = (read.source_language, read.target_language)
    settings = model_options.model_options(pair, device, batch_tokens, precision, threads)
    specs = utilization.named_models(model or ([] if scores else [utilization.DEFAULT]))
    found = _run(read, specs, chosen, others, place, settings, skip_faults, quiet)
    show_result(found.result, render(found.result), place, quiet, partial(_write, found))


def _write(found: Contrast, folder: Path) -> None:
    """Write the page and the scores."""
    from endophora.context.contrast import write_contrast_scores
    from endophora.report import REPORTS

    write_pages(folder, {REPORT: REPORTS.get("html")(found.result)})
    write_contrast_scores(found, folder)


def _read(path: str, suite_format: str | None, languages: str, corpus: str | None, size: int) -> Suite:
    """Read a suite, and join contexts to it where a corpus is named."""
    from endophora.corpus import parse_languages, read_corpus
    from endophora.suites.contexts import join_contexts
    from endophora.suites.formats import read_suite

    read = read_suite(path, suite_format, parse_languages(languages) if languages else None)
    if corpus is None:
        return read
    pair = (read.source_language or "en", read.target_language or "en")
    return join_contexts(read, read_corpus(corpus, languages=pair), size)


def _run(
    suite: Suite,
    specs: Mapping[str, str],
    chosen: ContrastOptions,
    others: Sequence[ReadScores],
    place: Output,
    settings: ModelOptions,
    skip_faults: bool,
    quiet: bool,
) -> Contrast:
    """Open the models, and score the translations."""
    from endophora.context.contrast import score_contrast, total_translations
    from endophora.models.opening import open_scorer
    from endophora.store import Store

    models = {name: open_scorer(spec, settings) for name, spec in specs.items()}
    total = total_translations(suite, models, chosen)
    place.hold()
    with (
        Store(place.root / KEPT, limited=False, advice=options.ANOTHER_OUTPUT) as store,
        progress_bar("score", total, quiet) as advance,
    ):
        return score_contrast(suite, models, chosen, others, store, advance, skip_faults)
