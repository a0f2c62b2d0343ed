"""``endophora context cxmi`` and ``themes``: does a model use its context, on the whole and for which words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from endophora.annotate import AnnotationStore, load_annotator
from endophora.cli.commands import But, command
from endophora.cli.console import progress_bar, say
from endophora.cli.inputs import Directory, Format, Inputs, Tools, Work
from endophora.cli.model_options import Model, Opening, pair_of
from endophora.cli.showing import REPORT, RESULT, show_result, write_page
from endophora.cli.utilization import read_sides
from endophora.context.cxmi import measure_cxmi
from endophora.context.cxmi_figures import CxmiOptions
from endophora.context.kept import KeptScorer
from endophora.context.pointwise import SEGMENTS, write_segments
from endophora.context.samples import Material, corpus_material, read_tasks, with_annotation
from endophora.context.themes import Limits, make_themes, read_measurement
from endophora.corpus import parse_languages
from endophora.corpus.records import Corpus
from endophora.engine import useful_workers
from endophora.errors import Fault, InputError
from endophora.files import Output
from endophora.models.specs import open_scorer
from endophora.options import option
from endophora.report import REPORTS
from endophora.report.themes import render as render_themes
from endophora.statistics.resampling import Bootstrapping

if TYPE_CHECKING:
    from typing import Literal

_THEMES = "themes.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskInputs(Inputs):
    """A corpus, or the examples of any task."""

    languages: str = option(
        "",
        *("--languages", "-l"),
        metavar="SRC-TGT",
        help="Language pair, as en-de; of --tasks, the output's language, for an annotator's words.",
        show_default=False,
    )
    tasks: str | None = option(
        None, metavar="FILE", help="Instead: JSON Lines of input, context and output, of any task."
    )

    def read_text(self) -> Corpus | Material:
        """Read the corpus or the task.

        Raises:
            InputError: no languages are named (E014), an option of a corpus stands beside --tasks (E316), or the files
                are faulty.
        """
        if self.tasks is None:
            return self.read()
        given = {
            "--source": self.source,
            "--reference": self.reference,
            "--documents": self.documents,
            "--input": self.path,
            "--input-format": self.input_format,
        }
        if beside := [name for name, value in given.items() if value]:
            cause = f"{', '.join(beside)} beside --tasks"
            raise InputError(Fault("E316", cause, "a task's file has everything: give one or the other"))
        material = read_tasks(self.tasks)
        if not self.languages:
            return material
        pair = self.languages if "-" in self.languages else f"{self.languages}-{self.languages}"
        return replace(material, languages=parse_languages(pair))


@command(strict=True)
def cxmi(
    inputs: TaskInputs,
    statistics: Annotated[Bootstrapping, But(seed="Seed of the resampling.")],
    tools: Tools,
    opening: Annotated[Opening, But("precision")],
    work: Work,
    model: Model = "default",
    output: Directory = Path("endophora-cxmi"),
    output_format: Format = "text",
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
) -> None:
    """Measure how much likelier context makes the reference."""
    place = Output(output, [RESULT, REPORT, SEGMENTS])
    render = REPORTS.get(output_format)
    options = CxmiOptions(
        sides=tuple(read_sides(name) for name in sides or ["both"]),
        size=context,
        item=cast("Literal['form', 'lemma']", _one_of(item, ("form", "lemma"), "--item")),
        minimum=minimum,
        pseudo_count=pseudo_count,
        items=top,
        tokens=top,
        units=statistics.units,
        resamples=statistics.resamples,
        alpha=statistics.alpha,
        seed=statistics.seed,
    )
    text = inputs.read_text()
    # A model that is not there is told before the text is annotated.
    languages = pair_of(text) if isinstance(text, Corpus) else text.languages
    scorer = open_scorer(model, opening.options(languages if all(languages) else None))
    material = _material(text, tools, context, work.workers)
    # What the model says is kept in the store, so that a broken run goes on.
    with tools.kept() as store, progress_bar("score", len(material.samples)) as advance:
        done = measure_cxmi(material, KeptScorer(scorer, store), options, advance, opening.skip_faults)
    show_result(done.result, render, place, lambda folder: write_segments(done.pointwise, folder / SEGMENTS))


def _material(text: Corpus | Material, tools: Tools, size: int, workers: int) -> Material:
    """Return the samples of what was read, annotated and tagged; a task is annotated where its language is known."""
    if isinstance(text, Material):
        language = text.languages[1]
        if not all(text.languages):
            return text
        annotator = load_annotator(language, tools.annotator.get(language))
        with tools.kept() as store:
            return with_annotation(text, annotator, AnnotationStore(store))
    words = sum(len(segment.source.split()) for document in text.documents for segment in document.segments)
    with tools.setup(pair_of(text)) as setup, progress_bar("annotate, link, tag", 2 * len(text)) as advance:
        return corpus_material(text, setup, size, workers or useful_workers(2 * words), advance)


def _one_of(value: str, known: tuple[str, ...], option: str) -> str:
    """Return a value that is one of those known.

    Raises:
        InputError: it is not (E311).
    """
    if value not in known:
        raise InputError(Fault("E311", f"“{value}” is none of them", f"choose {' or '.join(known)}", option))
    return value


@command()
def themes(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="What context cxmi wrote with --output.", show_default=False)
    ],
    limits: Limits,
    condition: Annotated[
        str | None, typer.Option("--condition", metavar="NAME", help="As both-2. [default: the largest context]")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Directory for themes.html. [default: DIR]")
    ] = None,
) -> None:
    """Write which words need context as a page to read."""
    place = Output(output or directory, [_THEMES])
    result, measured = read_measurement(directory)
    found = make_themes(result, measured, condition, limits)
    with place.writing() as folder:
        write_page(folder / _THEMES, render_themes(found))
    say(f"page: {place.root / _THEMES}")
