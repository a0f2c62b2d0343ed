"""The body of ``endophora train ellipsis``: settings from options, a line an epoch, the scores."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from endophora.cli.console import progress_bar
from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.training.ellipsis_fitting import EpochReport
    from endophora.training.ellipsis_settings import EllipsisSettings

TUNED = "tuned"
"""The threshold that is taken from the validation text."""


def threshold_of(text: str) -> float | None:
    """Return the threshold that ``--threshold`` names, ``None`` for ``tuned``.

    Raises:
        InputError: it is neither (E256).
    """
    try:
        return None if text == TUNED else float(text)
    except ValueError as error:
        cause = f"“{text}” is no threshold"
        raise InputError(Fault("E256", cause, f"give a probability, or {TUNED}", "--threshold")) from error


def run_training(data: Sequence[Path], output: Path, settings: EllipsisSettings, quiet: bool) -> None:
    """Train, show each epoch on standard error, and print the figures on the text held out.

    Args:
        data: labelled sentences.
        output: the new folder.
        settings: of the training.
        quiet: no progress.
    """
    from endophora.training.ellipsis import train_ellipsis
    from endophora.training.ellipsis_files import README, score_lines

    with progress_bar("train, in epochs", settings.epochs, quiet) as advance:

        def tell(report: EpochReport) -> None:
            """Show how far training is."""
            advance(1)
            if not quiet:
                figures = f"loss {report.loss:.4f}, average precision {report.average_precision:.3f}"
                best = ", best" if report.best else ""
                print(f"epoch {report.epoch} of {report.epochs}: {figures}{best}", file=sys.stderr)

        card = train_ellipsis(data, output, settings, tell)
    sys.stdout.write("\n".join(score_lines(card)) + "\n")
    print(f"classifier: {output}   card: {output / README}", file=sys.stderr)
