"""``endophora context perturb``: models with the right context, with wrong ones and with none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import But, Only, command
from endophora.cli.console import progress_bar
from endophora.cli.inputs import ANOTHER_OUTPUT, Directory, Format, Inputs
from endophora.cli.model_options import Opening, pair_of
from endophora.cli.showing import REPORT, RESULT, show_result
from endophora.cli.utilization import DEFAULT, Models, SideName, named_models, read_sides
from endophora.context.perturbation.conditions import PerturbationOptions, check_metrics, read_conditions
from endophora.context.perturbation.perturb import FOLDER, Perturbation, total_inputs, write_translations
from endophora.context.perturbation.perturb import perturb as perturb_context
from endophora.corpus.records import Corpus
from endophora.files import Output
from endophora.models.records import Decoding
from endophora.models.specs import open_translator
from endophora.report import REPORTS
from endophora.statistics.resampling import Bootstrapping
from endophora.store import Store

KEPT = "answers.sqlite"
"""The models' answers in the output directory: with it a broken run goes on."""


@command(strict=True)
def perturb(
    inputs: Inputs,
    decoding: Annotated[Decoding, Only(beam="Hypotheses kept in search; 1 is greedy.")],
    statistics: Annotated[Bootstrapping, But(seed="Seed of the perturbations and of resampling.")],
    opening: Opening,
    model: Models = None,
    output: Directory = Path("endophora-perturbation"),
    output_format: Format = "text",
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
    sides: SideName = "both",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", "-m", metavar="NAME", help="Text metric; verdicts go by the first. [default: bleu, chrf]"
        ),
    ] = None,
    cxmi: Annotated[
        str, typer.Option("--cxmi", metavar="NAME", help="CXMI of total or normalised log-probabilities, or off.")
    ] = "total",
    test: Annotated[
        str, typer.Option("--test", metavar="NAME", help="approximate-randomisation or bootstrap.")
    ] = "approximate-randomisation",
) -> None:
    """Give models right and wrong context."""
    place = Output(output, [RESULT, REPORT, f"{FOLDER}/"], [KEPT])
    render = REPORTS.get(output_format)
    given = read_sides(sides)
    options = PerturbationOptions(
        conditions=read_conditions(condition or [], given),
        size=context,
        sides=given,
        metrics=tuple(metric or ("bleu", "chrf")),
        cxmi=cxmi,
        decoding=decoding,
        test=test,  # pyright: ignore[reportArgumentType]
        units=statistics.units,
        resamples=statistics.resamples,
        alpha=statistics.alpha,
        seed=statistics.seed,
    )
    corpus = inputs.read()
    found = _run(corpus, named_models(model or [DEFAULT]), options, place, opening)
    show_result(found.result, render, place, lambda folder: write_translations(found, found.corpus, folder))


def _run(
    corpus: Corpus, specs: Mapping[str, str], options: PerturbationOptions, place: Output, opening: Opening
) -> Perturbation:
    """Open the models, and try them."""
    settings = opening.options(pair_of(corpus))
    check_metrics(options.metrics, corpus.target_language, len(corpus.references))
    models = {name: open_translator(spec, settings) for name, spec in specs.items()}
    total = total_inputs(corpus, models, options) if corpus.references else 0
    place.hold()
    with (
        Store(place.root / KEPT, limited=False, advice=ANOTHER_OUTPUT) as store,
        progress_bar("translate and score", total) as advance,
    ):
        return perturb_context(corpus, models, options, store, advance, opening.skip_faults)
