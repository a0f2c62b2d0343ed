"""``endophora demo``: the shipped documents through ``evaluate``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli import options


def demo(
    languages: Annotated[
        str, typer.Option("--languages", "-l", metavar="SRC-TGT", help="Pair of the example documents: en-de or en-fr.")
    ] = "en-de",
    output: options.Output = Path("endophora-demo"),
    output_format: options.Format = "text",
    quiet: options.Quiet = False,
) -> None:
    """Evaluate the example documents that ship with the package: two systems written by hand."""
    from endophora.cli.inputs import corpus_from_options, setup_from_options
    from endophora.cli.running import evaluation_output, run_evaluation
    from endophora.data import example_directory
    from endophora.evaluation import EvaluationOptions

    place = evaluation_output(output)
    if not quiet:
        print(
            "Example documents written for this project; both systems' outputs are written by hand, to behave like a\n"
            "sentence-level and a context-aware system.\n",
            file=sys.stderr,
        )
    directory = str(example_directory(languages))
    corpus = corpus_from_options(languages, None, None, None, None, directory, "wmt")
    with setup_from_options(corpus, None, None, None, 5, None, None, True) as setup:
        run_evaluation(corpus, setup, EvaluationOptions(), place, output_format, 1, quiet)
