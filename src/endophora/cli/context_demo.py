"""``endophora context demo``: every measure of context use where the true answer is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endophora.cli.commands import command
from endophora.cli.console import REPORT, RESULT, print_table, say, write_page
from endophora.cli.inputs import Directory, Inputs
from endophora.files import Output
from endophora.process import part

if TYPE_CHECKING:
    from endophora.context.demo import Answer, DemoFigure, Demonstration
    from endophora.corpus.records import Corpus
    from endophora.models.sequence_model import LocalModel
    from endophora.record import WrittenRecord
    from endophora.suites.records import Suite

_FOLDERS = ("cxmi", "perturb", "contrast", "attribute")


@command()
def demo(
    documents: Annotated[
        int,
        typer.Option("--documents", metavar="N", min=9, max=54, help="Of the text's 54; nine have all genders alike."),
    ] = 54,
    output: Directory = Path("endophora-context-demo"),
) -> None:
    """Measure models of a language whose answer is known."""
    from endophora.context.demo import demonstrate
    from endophora.data import CONTEXT_DEMO
    from endophora.evaluation.setup import Setup

    place = Output(output, [REPORT, *(f"{name}/" for name in _FOLDERS)])
    corpus, suite, models = _opened(CONTEXT_DEMO, documents)
    say(
        "A language made for this, “The lamp is here. It is old.”: only the sentence before tells er, sie or es.\n"
        "Three small models have learned it, one a sentence at a time; what each measure must find is known.\n"
    )
    done = demonstrate(corpus, suite, models, Setup("en", "de"), lambda name: say(f"{name} …"))
    with place.writing() as folder:
        _write(done, folder)
    header = ("measure", "model", "figure", "found", "true", "n")
    print_table(header, [_row(figure) for figure in done.figures])
    say(f"\npage: {place.root / REPORT}, with links to those of each measure")


def _opened(folder: Path, documents: int) -> tuple[Corpus, Suite, Mapping[str, LocalModel]]:
    """Return the first documents of the text, the items of the suite in them, and the models (E273)."""
    from endophora.context.demo import MODELS
    from endophora.models.loading import open_own
    from endophora.models.options import ModelOptions
    from endophora.suites.formats import read_suite

    options = ModelOptions(languages=("en", "de"), device="cpu")
    models = {name: open_own(str(folder / name), options) for name in MODELS}
    corpus = Inputs(languages="en-de", path=str(folder / "text.tsv")).read()
    corpus = replace(corpus, documents=corpus.documents[:documents])
    kept = {document.id for document in corpus.documents}
    suite = read_suite(folder / "suite.jsonl")
    return corpus, replace(suite, items=tuple(item for item in suite.items if item.document in kept)), models


@part("report")
def _write(done: Demonstration, folder: Path) -> None:
    """Write what each command would have written."""
    from endophora.context.contrast import write_contrast_scores
    from endophora.context.perturbation.perturb import write_translations
    from endophora.context.pointwise import SEGMENTS, write_segments
    from endophora.report import REPORTS
    from endophora.report.context_demo import render
    from endophora.report.themes import render as render_themes

    def result(name: str, found: WrittenRecord) -> Path:
        place = folder / name
        place.mkdir(parents=True)
        found.write(place / RESULT)
        write_page(place / REPORT, REPORTS.get("html")(found))
        return place

    for name, measured in done.cxmi.items():
        place = result(f"cxmi/{name}", measured.result)
        write_segments(measured.pointwise, place / SEGMENTS)
        write_page(place / "themes.html", render_themes(done.themes[name]))
    write_translations(done.perturbation, result("perturb", done.perturbation.result))
    write_contrast_scores(done.contrast, result("contrast", done.contrast.result))
    result("attribute", done.attribution)
    write_page(folder / REPORT, render(done))


def _row(figure: DemoFigure) -> tuple[str, ...]:
    found = _said(figure.found)
    if figure.interval is not None:
        found += f" [{figure.interval.low:.2f}, {figure.interval.high:.2f}]"
    return figure.measure, figure.model, figure.what, found, _said(figure.truth), f"{figure.count:,}"


def _said(answer: Answer) -> str:
    return answer if isinstance(answer, str) else f"{answer:z.2f}"
