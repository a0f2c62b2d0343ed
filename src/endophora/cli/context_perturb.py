"""``endophora context perturb``: models with the right context, with wrong ones and with none."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endophora.cli import model_options, options, utilization
from endophora.cli.console import progress_bar
from endophora.cli.showing import REPORT, RESULT, show_result, write_pages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from endophora.context.perturbation.conditions import PerturbationOptions
    from endophora.context.perturbation.perturb import Perturbation
    from endophora.corpus.records import Corpus
    from endophora.files import Output
    from endophora.models.options import ModelOptions

KEPT = "answers.sqlite"
"""The models' answers in the output directory: with it a broken run goes on."""


def perturb(
    languages: options.Languages,
    model: utilization.Models = None,
    source: options.Source = None,
    reference: options.References = None,
    documents: options.Documents = None,
    path: options.Input = None,
    input_format: options.InputFormat = None,
    output: options.Output = Path("endophora-perturbation"),
    output_format: options.Format = "text",
    condition: Annotated[
        list[str] | None,
        typer.Option(
            "--condition",
            "-c",
            metavar="NAME",
            help="random (tokens), sentences, shuffled, shuffled-words, gold, none; random:source perturbs one side. "
            "Repeatable; correct is always tried. [default: random, none]",
        ),
    ] = None,
    context: Annotated[int, typer.Option("--context", "-k", min=1, help="Segments of context before each.")] = 5,
    sides: utilization.SideName = "both",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", "-m", metavar="NAME", help="Text metric; verdicts go by the first. [default: bleu, chrf]"
        ),
    ] = None,
    cxmi: Annotated[
        str, typer.Option("--cxmi", metavar="NAME", help="CXMI of total or normalised log-probabilities, or off.")
    ] = "total",
    beam: Annotated[int, typer.Option("--beam", min=1, help="Hypotheses kept in search; 1 is greedy.")] = 5,
    test: Annotated[
        str, typer.Option("--test", metavar="NAME", help="approximate-randomisation or bootstrap.")
    ] = "approximate-randomisation",
    units: options.Units = "documents",
    resamples: options.Resamples = 1000,
    alpha: options.Alpha = 0.05,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the perturbations and of resampling.")] = 1,
    device: model_options.Device = "auto",
    batch_tokens: model_options.BatchTokens = None,
    precision: model_options.Precision = None,
    threads: model_options.Threads = 0,
    skip_faults: model_options.SkipFaults = False,
    quiet: options.Quiet = False,
) -> None:
    """Give models right and wrong context: does it make a difference, and which?"""
    from endophora.cli.inputs import corpus_from_options
    from endophora.context.perturbation.conditions import PerturbationOptions, read_conditions
    from endophora.context.perturbation.perturb import FOLDER
    from endophora.files import Output
    from endophora.models.records import Decoding
    from endophora.report import REPORTS

    place = Output(output, [RESULT, REPORT, f"{FOLDER}/"], [KEPT])
    render = REPORTS.get(output_format)
    given = utilization.read_sides(sides)
    chosen = PerturbationOptions(
        conditions=read_conditions(condition or [], given),
        size=context,
        sides=given,
        metrics=tuple(metric or ("bleu", "chrf")),
        cxmi=cxmi,
        decoding=Decoding(beam=beam),
        test=test,
        units=units,
        resamples=resamples,
        alpha=alpha,
        seed=seed,
    )
    corpus = corpus_from_options(languages, source, reference, documents, (), path, input_format)
    pair = (corpus.source_language, corpus.target_language)
    settings = model_options.model_options(pair, device, batch_tokens, precision, threads)
    specs = utilization.named_models(model or [utilization.DEFAULT])
    found = _run(corpus, specs, chosen, place, settings, skip_faults, quiet)
    show_result(found.result, render(found.result), place, quiet, partial(_write, found))


def _write(found: Perturbation, folder: Path) -> None:
    """Write the page and the translations."""
    from endophora.context.perturbation.perturb import write_translations
    from endophora.report import REPORTS

    write_pages(folder, {REPORT: REPORTS.get("html")(found.result)})
    write_translations(found, found.corpus, folder)


def _run(
    corpus: Corpus,
    specs: Mapping[str, str],
    chosen: PerturbationOptions,
    place: Output,
    settings: ModelOptions,
    skip_faults: bool,
    quiet: bool,
) -> Perturbation:
    """Open the models, and try them."""
    from endophora.context.perturbation.conditions import check_metrics
    from endophora.context.perturbation.perturb import perturb, total_inputs
    from endophora.models.opening import open_translator
    from endophora.store import Store

    check_metrics(chosen.metrics, corpus.target_language, len(corpus.references))
    models = {name: open_translator(spec, settings) for name, spec in specs.items()}
    total = total_inputs(corpus, models, chosen) if corpus.references else 0
    place.hold()
    with (
        Store(place.root / KEPT, limited=False, advice=options.ANOTHER_OUTPUT) as store,
        progress_bar("translate and score", total, quiet) as advance,
    ):
        return perturb(corpus, models, chosen, store, advance, skip_faults)
