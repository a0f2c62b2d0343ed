"""``endophora train ellipsis``: a classifier of ellipsis."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import command
from endophora.cli.console import progress_bar, say
from endophora.files import check_new
from endophora.training.ellipsis import README, score_lines, train_ellipsis
from endophora.training.ellipsis_fitting import EllipsisSettings, EpochReport


@command()
def ellipsis(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Labelled sentences: TSV; Penn Treebank files, folders or zip archives.",
            show_default=False,
        ),
    ],
    settings: EllipsisSettings,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory of the new classifier.")],
) -> None:
    """Train a classifier of ellipsis."""
    check_new(output)
    with progress_bar("train, in epochs", settings.epochs) as advance:

        def tell(report: EpochReport) -> None:
            """Show how far training is."""
            advance(1)
            figures = f"loss {report.loss:.4f}, average precision {report.average_precision:.3f}"
            say(f"epoch {report.epoch} of {report.epochs}: {figures}{', best' if report.best else ''}")

        card = train_ellipsis(data, output, settings, tell)
    sys.stdout.write("\n".join(score_lines(card)) + "\n")
    print(f"classifier: {output}   card: {output / README}", file=sys.stderr)
