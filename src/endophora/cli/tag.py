"""``endophora tag``: occurrences and tags of a parallel document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from endophora.cli import options


def tag(
    languages: options.Languages,
    source: options.Source = None,
    reference: options.References = None,
    documents: options.Documents = None,
    path: options.Input = None,
    input_format: options.InputFormat = None,
    output: options.Output = Path("endophora-tags"),
    output_format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="NAME",
            help="Standard output: text, json, csv, latex, or jsonl, muda, compare-mt.",
        ),
    ] = "text",
    examples: Annotated[int, typer.Option("--examples", min=0, help="Occurrences a phenomenon in the report.")] = 200,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the sample of examples.")] = 1,
    phenomenon: options.Phenomena = None,
    rules: options.Rules = None,
    annotator: options.Annotators = None,
    aligner: options.Aligner = None,
    resolver: options.Resolver = None,
    window: options.Window = 5,
    ellipsis_classifier: options.EllipsisClassifier = None,
    store: options.StorePath = None,
    no_store: options.NoStore = False,
    workers: options.Workers = 0,
    quiet: options.Quiet = False,
) -> None:
    """Find the words of a translation that need context: counts, and all occurrences in the directory."""
    from endophora.cli.inputs import corpus_from_options, setup_from_options
    from endophora.cli.running import evaluation_output, run_evaluation, run_tagging
    from endophora.evaluation import EvaluationOptions
    from endophora.phenomena.export import WRITERS

    place = evaluation_output(output)
    corpus = corpus_from_options(languages, source, reference, documents, (), path, input_format)
    wanted = EvaluationOptions(examples=examples, seed=seed)
    tools = (annotator, aligner, resolver, window, phenomenon, store, no_store, rules, ellipsis_classifier)
    with setup_from_options(corpus, *tools) as setup:
        if output_format in WRITERS:
            run_tagging(corpus, setup, wanted, place, WRITERS[output_format], workers, quiet)
        else:
            run_evaluation(corpus, setup, wanted, place, output_format, workers, quiet)
