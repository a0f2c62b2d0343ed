"""``endophora context contrast``: are right translations found likelier than wrong ones, and does context help?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import But, command
from endophora.cli.console import progress_bar
from endophora.cli.inputs import ANOTHER_OUTPUT, Directory, Format, SuiteInputs
from endophora.cli.model_options import Opening
from endophora.cli.showing import REPORT, RESULT, show_result
from endophora.cli.utilization import DEFAULT, Models, SideName, named_models, read_sides
from endophora.context.contrast import (
    FOLDER,
    Contrast,
    ReadScores,
    read_contrast_scores,
    score_contrast,
    total_translations,
    write_contrast_scores,
)
from endophora.context.contrast_figures import ContrastOptions
from endophora.files import Output
from endophora.models.specs import open_scorer
from endophora.options import named
from endophora.report import REPORTS
from endophora.statistics.resampling import Bootstrapping
from endophora.store import Store
from endophora.suites.records import Suite

KEPT = "answers.sqlite"
"""The models' answers in the output directory: with it a broken run goes on."""


@command(strict=True)
def contrast(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="The suite's file or directory.")],
    reading: Annotated[
        SuiteInputs,
        But(
            suite_format="Format, where it is not recognised.",
            languages="Language pair, where the suite has none.",
            corpus="Corpus of the suite's documents, for contexts.",
        ),
    ],
    statistics: Bootstrapping,
    opening: Opening,
    model: Models = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--scores",
            metavar="NAME@SIZE=FILE",
            help="Scores of another tool with so much context, one line a translation. Repeatable.",
        ),
    ] = None,
    context: Annotated[
        int, typer.Option("--context", "-k", min=0, help="Most segments of context: all sizes from 0 to this.")
    ] = 5,
    size: Annotated[
        list[int] | None, typer.Option("--size", metavar="N", help="Only this many segments of context. Repeatable.")
    ] = None,
    sides: SideName = "both",
    normalised: Annotated[
        bool, typer.Option("--normalised", help="Divide log-probabilities by the translation's tokens.")
    ] = False,
    ties: Annotated[str, typer.Option("--ties", metavar="NAME", help="What a tie is: wrong or correct.")] = "wrong",
    lower_is_better: Annotated[bool, typer.Option("--lower-is-better", help="The --scores are losses.")] = False,
    baseline: Annotated[
        str, typer.Option("--baseline", metavar="NAME", help="Model to compare with. [default: the first]")
    ] = "",
    output: Directory = Path("endophora-contrast"),
    output_format: Format = "text",
) -> None:
    """Score right against wrong translations."""
    place = Output(output, [RESULT, REPORT, f"{FOLDER}/"], [KEPT])
    render = REPORTS.get(output_format)
    options = ContrastOptions(
        sizes=tuple(size or range(context + 1)),
        sides=read_sides(sides),
        normalised=normalised,
        ties=ties,
        baseline=baseline,
        units=statistics.units,
        resamples=statistics.resamples,
        alpha=statistics.alpha,
        seed=statistics.seed,
    )
    read = reading.read(suite, max(options.sizes))
    others = read_contrast_scores(read, named(scores, "--scores"), higher_is_better=not lower_is_better)
    found = _run(read, named_models(model or ([] if scores else [DEFAULT])), options, others, place, opening)
    show_result(found.result, render, place, lambda folder: write_contrast_scores(found, folder))


def _run(
    suite: Suite,
    specs: Mapping[str, str],
    options: ContrastOptions,
    others: Sequence[ReadScores],
    place: Output,
    opening: Opening,
) -> Contrast:
    """Open the models, and score the translations."""
    settings = opening.options((suite.source_language, suite.target_language))
    models = {name: open_scorer(spec, settings) for name, spec in specs.items()}
    total = total_translations(suite, models, options)
    place.hold()
    with (
        Store(place.root / KEPT, limited=False, advice=ANOTHER_OUTPUT) as store,
        progress_bar("score", total) as advance,
    ):
        return score_contrast(suite, models, options, others, store, advance, opening.skip_faults)
