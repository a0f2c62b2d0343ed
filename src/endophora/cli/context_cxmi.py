"""``endophora context cxmi``: does a model use its context, on the whole and for which words."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from endophora.cli import model_options, options, utilization
from endophora.cli.cxmi_running import Inputs, Opening, Tools, measure, prepare, write_measurement
from endophora.cli.showing import REPORT, RESULT, show_result
from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from typing import Literal

    from endophora.statistics.units import Kind

Languages = Annotated[
    str,
    typer.Option(
        "--languages",
        "-l",
        metavar="SRC-TGT",
        help="Language pair, as en-de; of --tasks, the output's language, for an annotator's words.",
        show_default=False,
    ),
]


def cxmi(
    model: model_options.Model = "default",
    languages: Languages = "",
    source: options.Source = None,
    reference: options.References = None,
    documents: options.Documents = None,
    path: options.Input = None,
    input_format: options.InputFormat = None,
    tasks: Annotated[
        str | None,
        typer.Option("--tasks", metavar="FILE", help="Instead: JSON Lines of input, context and output, of any task."),
    ] = None,
    output: options.Output = Path("endophora-cxmi"),
    output_format: options.Format = "text",
    context: Annotated[int, typer.Option("--context", "-k", min=1, help="Most segments of context before each.")] = 3,
    sides: Annotated[
        list[str] | None,
        typer.Option(
            "--sides",
            metavar="NAME",
            help="Sides of the context: source, target or both. Repeatable. [default: both]",
        ),
    ] = None,
    item: Annotated[str, typer.Option("--item", metavar="NAME", help="Vocabulary items: form or lemma.")] = "form",
    minimum: Annotated[int, typer.Option("--minimum", min=1, help="Occurrences from which an item is listed.")] = 5,
    pseudo_count: Annotated[
        float | None,
        typer.Option(
            "--pseudo-count", min=0, help="Occurrences of the overall mean added to each item. [default: estimated]"
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Most items and most single words listed.")] = 200,
    units: options.Units = "documents",
    resamples: options.Resamples = 1000,
    alpha: options.Alpha = 0.05,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the resampling.")] = 1,
    phenomenon: options.Phenomena = None,
    rules: options.Rules = None,
    annotator: options.Annotators = None,
    aligner: options.Aligner = None,
    resolver: options.Resolver = None,
    window: options.Window = 5,
    ellipsis_classifier: options.EllipsisClassifier = None,
    store: options.StorePath = None,
    no_store: options.NoStore = False,
    device: model_options.Device = "auto",
    batch_tokens: model_options.BatchTokens = None,
    threads: model_options.Threads = 0,
    skip_faults: model_options.SkipFaults = False,
    workers: options.Workers = 0,
    quiet: options.Quiet = False,
) -> None:
    """How much likelier does context make the reference, sentence by sentence and word by word?"""
    from endophora.context.cxmi_figures import CxmiOptions
    from endophora.context.pointwise import SEGMENTS
    from endophora.files import Output
    from endophora.report import REPORTS

    place = Output(output, [RESULT, REPORT, SEGMENTS])
    render = REPORTS.get(output_format)
    chosen = CxmiOptions(
        sides=tuple(utilization.read_sides(name) for name in sides or ["both"]),
        size=context,
        item=cast("Literal['form', 'lemma']", _one_of(item, ("form", "lemma"), "--item")),
        minimum=minimum,
        pseudo_count=pseudo_count,
        items=top,
        tokens=top,
        units=cast("Kind", _one_of(units, ("documents", "segments"), "--units")),
        resamples=resamples,
        alpha=alpha,
        seed=seed,
    )
    inputs = Inputs(languages, source, reference, documents, path, input_format, tasks)
    tools = Tools(annotator, aligner, resolver, window, phenomenon, store, no_store, rules, ellipsis_classifier)
    text = inputs.read()
    # A model that is not there is told before the text is annotated.
    scorer = Opening(model, device, batch_tokens, threads).open(text)
    done = measure(prepare(text, tools, context, workers, quiet), chosen, scorer, tools, quiet, skip_faults)
    show_result(done.result, render(done.result), place, quiet, partial(write_measurement, done))


def _one_of(value: str, known: tuple[str, ...], option: str) -> str:
    """Return a value that is one of those known.

    Raises:
        InputError: it is not (E311).
    """
    if value not in known:
        raise InputError(Fault("E311", f"“{value}” is none of them", f"choose {' or '.join(known)}", option))
    return value
