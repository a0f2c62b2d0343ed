"""``endophora context attribute``: how much of a generated word came from the words that support it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from endophora.cli import options, utilization

_Suite = Annotated[
    str | None,
    typer.Option("--suite", metavar="PATH", help="Test suite that knows what supports its words: SCAT, ContraPro, …"),
]
_SuiteFormat = Annotated[
    str | None, typer.Option("--suite-format", metavar="NAME", help="Format of the suite, where it is not recognised.")
]
_Corpus = Annotated[
    str | None,
    typer.Option("--corpus", metavar="PATH", help="Corpus of the suite's documents, where it has no contexts itself."),
]
_Languages = Annotated[str, typer.Option("--languages", "-l", metavar="SRC-TGT", help="Language pair, as en-de.")]
_Alone = Annotated[
    list[str] | None,
    typer.Option("--without-context", metavar="NAME", help="A --model that is given the source alone. Repeatable."),
]
_Method = Annotated[str, typer.Option("--method", metavar="NAME", help="alti, gradient or integrated.")]
_Normalisation = Annotated[
    str, typer.Option("--normalisation", metavar="NAME", help="Of ALTI+: min_sum, min_sum_no_norm or sum_one.")
]
_Resultant = Annotated[
    str,
    typer.Option("--resultant", metavar="NAME", help="Of ALTI+: distances from the output, or the sum without biases."),
]
_Rows = Annotated[str, typer.Option("--rows", metavar="NAME", help="What speaks for a word: word or prefix-mean.")]
_Accuracy = Annotated[
    list[str] | None,
    typer.Option("--accuracy", metavar="NAME=NUMBER", help="A model's accuracy, for the Pareto plot. Repeatable."),
]
_Contrast = Annotated[
    Path | None,
    typer.Option(
        "--contrast", metavar="FILE", help="result.json of context contrast, for the accuracies of models by name."
    ),
]
_Context = Annotated[int, typer.Option("--context", "-k", min=0, help="Segments of context before each.")]


def attribute(
    model: utilization.Models = None,
    suite: _Suite = None,
    suite_format: _SuiteFormat = None,
    corpus: _Corpus = None,
    languages: _Languages = "",
    source: options.Source = None,
    reference: options.References = None,
    documents: options.Documents = None,
    path: options.Input = None,
    input_format: options.InputFormat = None,
    phenomenon: options.Phenomena = None,
    without_context: _Alone = None,
    context: _Context = 5,
    sides: utilization.SideName = "both",
    method: _Method = "alti",
    rows: _Rows = "word",
    normalisation: _Normalisation = "min_sum",
    resultant: _Resultant = "output",
    accuracy: _Accuracy = None,
    contrast: _Contrast = None,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Words to measure, drawn at random; 0 for all.")] = 0,
    examples: Annotated[int, typer.Option("--examples", min=0, help="Words whose flow the page shows.")] = 20,
    baseline: Annotated[str, typer.Option("--baseline", metavar="NAME", help="Model to compare with.")] = "",
    resamples: Annotated[int, typer.Option("--resamples", min=0, help="For the intervals; 0 for none.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of all draws.")] = 1,
    batch_tokens: Annotated[
        int, typer.Option("--batch-tokens", min=0, help="Most tokens of a batch; 0 takes what suits the device.")
    ] = 0,
    device: utilization.Device = "auto",
    output: options.Output = Path("endophora-attribution"),
    output_format: options.Format = "text",
    quiet: options.Quiet = False,
) -> None:
    """Trace words that need context back to what a model read: supporting words, context, current sentence."""
    from endophora.cli import attributing
    from endophora.cli.console import progress_bar
    from endophora.cli.showing import REPORT, RESULT, show_result, write_pages
    from endophora.context.attribution.cases import Window
    from endophora.context.attribution.comparing import AttributionOptions
    from endophora.context.attribution.comparing import attribute as compare
    from endophora.context.attribution.flows import Rows
    from endophora.files import Output
    from endophora.report import REPORTS

    place = Output(output, [RESULT, REPORT])
    render = REPORTS.get(output_format)
    window = Window(context, utilization.read_sides(sides))
    chosen = AttributionOptions(
        rows=attributing.choice(Rows, rows, "--rows"),
        window=window,
        examples=examples,
        baseline=baseline,
        resamples=resamples,
        seed=seed,
    )
    found = attributing.method(method, normalisation, resultant)
    specs, alone = utilization.named_models(model or [utilization.DEFAULT]), without_context or ()
    sizes = {name: 0 if name in alone else context for name in specs}
    accuracies = attributing.contrasts(contrast, sizes) | attributing.numbers(accuracy, "--accuracy")
    attributing.check(specs, alone, (suite, source, path))
    if suite is not None:
        material = attributing.of_suite(suite, suite_format, languages, corpus, window)
    else:
        read = (languages, source, reference, documents, path, input_format)
        material = attributing.of_corpus(read, phenomenon, window, quiet)
    models, unknown = attributing.models(specs, alone, material.languages, found, batch_tokens, device, context)
    cases = attributing.some(material.cases, limit, seed)
    with progress_bar("attribute", len(cases.cases) * len(models), quiet) as advance:
        told = [*material.warnings, *unknown]
        result = compare(material.name, cases, models, chosen, accuracies=accuracies, warnings=told, progress=advance)
    pages = {REPORT: REPORTS.get("html")(result)}
    show_result(result, render(result), place, quiet, lambda folder: write_pages(folder, pages))
