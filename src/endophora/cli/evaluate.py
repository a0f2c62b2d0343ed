"""``endophora evaluate``: phenomena and metrics for all systems, with significance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from endophora.cli import options


def evaluate(
    languages: options.Languages,
    source: options.Source = None,
    reference: options.References = None,
    documents: options.Documents = None,
    system: options.Systems = None,
    path: options.Input = None,
    input_format: options.InputFormat = None,
    output: options.Output = Path("endophora-result"),
    output_format: options.Format = "text",
    phenomenon: options.Phenomena = None,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", "-m", metavar="NAME", help="Text metric to report. Repeatable.")
    ] = None,
    variant: Annotated[
        str,
        typer.Option("--variant", metavar="NAME", help="Word F-measure: paper, or muda as the published code has it."),
    ] = "paper",
    baseline: Annotated[
        str, typer.Option("--baseline", metavar="SYSTEM", help="System to compare with; best is each column's best.")
    ] = "best",
    test: Annotated[
        str, typer.Option("--test", metavar="NAME", help="approximate-randomisation or bootstrap.")
    ] = "approximate-randomisation",
    units: options.Units = "documents",
    resamples: options.Resamples = 1000,
    alpha: options.Alpha = 0.05,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Seed of the resampling and of the sample of examples.")
    ] = 1,
    examples: Annotated[int, typer.Option("--examples", min=0, help="Occurrences a phenomenon in the report.")] = 200,
    human: Annotated[
        Path | None,
        typer.Option(
            "--human", "-H", metavar="PATH", help="Human scores: MQM (.tsv), a score file, a test set's directory."
        ),
    ] = None,
    human_name: Annotated[
        str, typer.Option("--human-name", metavar="NAME", help="Which human scores of a directory, as mqm.")
    ] = "",
    weights: Annotated[
        str, typer.Option("--weights", metavar="NAME", help="Of MQM errors: google, severity, or a YAML file.")
    ] = "google",
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
    """Score systems on the words that need context: which system breaks which phenomenon."""
    from endophora.cli.inputs import corpus_from_options, setup_from_options
    from endophora.cli.running import evaluation_output, match_human, run_evaluation
    from endophora.evaluation import EvaluationOptions

    place = evaluation_output(output)
    corpus = corpus_from_options(languages, source, reference, documents, system or None, path, input_format)
    wanted = EvaluationOptions(
        metrics=tuple(metric) if metric else EvaluationOptions().metrics,
        variant=variant,
        baseline=baseline,
        test=test,  # pyright: ignore[reportArgumentType]
        units=units,  # pyright: ignore[reportArgumentType]
        resamples=resamples,
        alpha=alpha,
        seed=seed,
        examples=examples,
    )
    people = match_human(corpus, human, human_name, weights) if human is not None else None
    tools = (annotator, aligner, resolver, window, phenomenon, store, no_store, rules, ellipsis_classifier)
    with setup_from_options(corpus, *tools) as setup:
        run_evaluation(corpus, setup, wanted, place, output_format, workers, quiet, people)
