"""``endophora context``: ``cxmi``, ``themes``, ``contrast`` and ``perturb``, and what they share with ``attribute``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from endophora.annotate.loading import load_annotator
from endophora.annotate.store import AnnotationStore
from endophora.cli.commands import But, Only, command
from endophora.cli.console import REPORT, RESULT, progress_bar, say, show_result, write_page
from endophora.cli.inputs import ANOTHER_OUTPUT, Directory, Format, Inputs, SuiteInputs, Tools, Work, into
from endophora.cli.model_options import Model, Sharing, pair_of, tell_shipped
from endophora.context import contrast as contrasts
from endophora.context.contrast_figures import SIZES, ContrastOptions
from endophora.context.cxmi import CxmiOptions, measure_cxmi
from endophora.context.perturbation import perturb as perturbations
from endophora.context.perturbation.conditions import PerturbationOptions, check_metrics
from endophora.context.perturbation.phenomena import Judging
from endophora.context.pointwise import SEGMENTS, write_segments
from endophora.context.samples import Material, corpus_material, read_tasks, with_annotation
from endophora.context.themes import Limits, make_themes, read_measurement
from endophora.corpus.codes import parse_languages
from endophora.corpus.records import Corpus
from endophora.engine import useful_workers
from endophora.engine.resumable_run import kept_in
from endophora.errors import Fault, InputError, refuse
from endophora.evaluation.setup import EvaluationOptions
from endophora.files import Output
from endophora.models.records import Decoding, Scorer, Translator
from endophora.models.specs import open_scorer, open_translator
from endophora.options import option
from endophora.report import REPORTS
from endophora.report.themes import render as render_themes
from endophora.stopping import keeping
from endophora.store import Store
from endophora.suites.records import Suite

KEPT = "answers.sqlite"
"""The models' answers in the output directory: with it an interrupted run continues."""
_THEMES = "themes.html"


Beam = Annotated[Decoding, Only(beam="Hypotheses kept in search; 1 is greedy.")]
JudgeOptions = Annotated[EvaluationOptions, Only("judge", "support", "minimum", "variant")]
JudgeTools = Annotated[Tools, But(phenomenon="Measure this phenomenon too, as evaluate does; all for all. Repeatable.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Models(Sharing):
    """Models by name, and how they are opened."""

    model: tuple[str, ...] = option(
        (),
        *("--model", "-M"),
        metavar="NAME=MODEL",
        help="A model: a folder, hf:NAME, lm:NAME, ct2:FOLDER, deepl:, … Repeatable.",
    )

    @property
    def specs(self) -> dict[str, str]:
        """Name → spec (E328: none is named, E330)."""
        return named_models(asked(self.model))


_Named = TypeVar("_Named", bound="Sequence[str]")


def asked(models: _Named) -> _Named:
    """Return the models that are named, or the one; where there is none, E328: no default shows the use of context."""
    if not models:
        advice = "name one, as --model hf:NAME; endophora context demo shows all measures on models that are known"
        raise InputError(Fault("E328", "no model is named, and there is no default", advice, "--model"))
    tell_shipped([models] if isinstance(models, str) else models)
    return models


def named_models(values: Iterable[str]) -> dict[str, str]:
    """Return name → spec of repeatable ``NAME=SPEC`` options; a spec alone is named by its last part (E330)."""
    found: dict[str, str] = {}
    faults: list[Fault] = []
    for value in values:
        name, equals, spec = value.partition("=")
        # In ``hf:facebook/nllb,target_code=deu_Latn`` the sign belongs to an option of the model.
        if not equals or any(mark in name for mark in ":/\\,"):
            spec = value
            name = value.partition(",")[0].replace("\\", "/").rstrip("/").rpartition("/")[2]
            name = name.rpartition(":")[2] or name.strip(":")
        if not name or not spec:
            faults.append(Fault("E330", f"“{value}” names no model", "give it as NAME=MODEL", "--model"))
        elif name in found:
            faults.append(Fault("E330", f"two models are called “{name}”", "name them: NAME=MODEL", "--model"))
        else:
            found[name] = spec
    refuse(faults)
    return found


@contextmanager
def answering(place: Output, label: str, total: int) -> Generator[tuple[Store, Callable[[int], None]]]:
    """Yield the store of the models' answers in the output directory, and what progress is reported to."""
    place.hold()
    with (
        keeping(kept_in(place.root)),
        Store(place.root / KEPT, limited=False, advice=ANOTHER_OUTPUT) as store,
        progress_bar(label, total) as advance,
    ):
        yield store, advance


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
        """Read the corpus or the task (E014, E316)."""
        if self.tasks is None:
            return self.read()
        given = {
            "--source": self.source,
            "--reference": self.reference,
            "--documents": self.documents,
            "--input": self.path,
            "--test-set": self.test_set,
            "--input-format": self.input_format,
        }
        if beside := [name for name, value in given.items() if value]:
            cause = f"{', '.join(beside)} together with --tasks"
            raise InputError(Fault("E316", cause, "a task's file has everything: give one or the other"))
        material = read_tasks(self.tasks)
        if not self.languages:
            return material
        pair = self.languages if "-" in self.languages else f"{self.languages}-{self.languages}"
        return replace(material, languages=parse_languages(pair))


@command(strict=True)
def cxmi(
    inputs: TaskInputs,
    options: CxmiOptions,
    tools: Tools,
    opening: Sharing,
    work: Work,
    model: Model = "",
    output: Directory = Path("endophora-cxmi"),
    output_format: Format = "text",
) -> None:
    """Measure how much more probable context makes the reference."""
    place = Output(output, [RESULT, REPORT, SEGMENTS])
    render = REPORTS.get(output_format)
    spec = asked(model)
    text = inputs.read_text()
    # A model that is not there is reported before the text is annotated.
    languages = pair_of(text) if isinstance(text, Corpus) else text.languages
    with opening.opened(open_scorer, {spec: spec}, languages if all(languages) else None) as models:
        material = _material(text, tools, options.largest, work.workers)
        with tools.kept() as store, progress_bar("score", len(material.samples)) as advance:
            done = measure_cxmi(material, models[spec], options, advance, opening.skip_faults, store)
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


@command()
def themes(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="What context cxmi wrote with --output.", show_default=False)
    ],
    limits: Limits,
    condition: Annotated[
        str | None, typer.Option("--condition", metavar="NAME", help="As both-2. [default: the largest context]")
    ] = None,
    output: Annotated[Path | None, into("Directory for themes.html. [default: DIR]")] = None,
) -> None:
    """Write which words need context as a page to read."""
    place = Output(output or directory, [_THEMES])
    result, measured = read_measurement(directory)
    found = make_themes(result, measured, condition, limits)
    with place.writing() as folder:
        write_page(folder / _THEMES, render_themes(found))
    say(f"page: {place.root / _THEMES}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherScores:
    """Scores that other tools have computed."""

    scores: Mapping[str, str] = option(
        {},
        metavar="NAME@SIZE=FILE",
        help="Scores of another tool with so much context, one line a translation. Repeatable.",
    )
    lower_is_better: bool = option(False, help="The --scores are losses.")


@command(strict=True)
def contrast(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="The suite's file or directory.")],
    reading: Annotated[
        SuiteInputs,
        But(
            suite_format="Format, where it is not recognised.",
            languages="Language pair, where the suite has none.",
            corpus="Corpus of the suite's documents, for contexts.",
        ),
    ],
    options: ContrastOptions,
    others: OtherScores,
    models: Models,
    context: Annotated[
        int, typer.Option("--context", "-k", min=0, help="Most segments of context: all sizes from 0 to this.")
    ] = SIZES[-1],
    size: Annotated[
        list[int] | None, typer.Option("--size", metavar="N", help="Only this many segments of context. Repeatable.")
    ] = None,
    output: Directory = Path("endophora-contrast"),
    output_format: Format = "text",
) -> None:
    """Score right against wrong translations."""
    place = Output(output, [RESULT, REPORT, f"{contrasts.FOLDER}/"], [KEPT])
    render = REPORTS.get(output_format)
    options = replace(options, sizes=tuple(size or range(context + 1)))
    specs = models.specs if models.model or not others.scores else {}
    read = reading.read(suite, max(options.sizes))
    scores = contrasts.read_contrast_scores(read, others.scores, higher_is_better=not others.lower_is_better)
    with models.opened(open_scorer, specs, (read.source_language, read.target_language)) as opened:
        found = run_contrast(read, opened, options, scores, place, skip_faults=models.skip_faults)
    show_result(found.result, render, place, lambda folder: contrasts.write_contrast_scores(found, folder))


def run_contrast(
    suite: Suite,
    opened: Mapping[str, Scorer],
    options: ContrastOptions,
    scores: Sequence[contrasts.ReadScores],
    place: Output,
    *,
    skip_faults: bool,
) -> contrasts.Contrast:
    """Score a suite; the models' answers are kept in the directory, and an interrupted run goes on from them."""
    total = contrasts.total_translations(suite, opened, options)
    with answering(place, "score", total) as (store, advance):
        return contrasts.score_contrast(suite, opened, options, scores, store, advance, skip_faults)


@command(strict=True)
def perturb(
    inputs: Inputs,
    options: PerturbationOptions,
    decoding: Beam,
    models: Models,
    judged: JudgeOptions,
    tools: JudgeTools,
    work: Work,
    output: Directory = Path("endophora-perturbation"),
    output_format: Format = "text",
) -> None:
    """Give models right and wrong context."""
    place = Output(output, [RESULT, REPORT, f"{perturbations.FOLDER}/"], [KEPT])
    render = REPORTS.get(output_format)
    options, specs = replace(options, decoding=decoding), models.specs
    corpus = inputs.read()
    check_metrics(options.metrics, corpus.target_language, len(corpus.references), judged=bool(tools.phenomenon))
    judging = JudgedPhenomena(judged, tools, work)
    with models.opened(open_translator, specs, pair_of(corpus)) as opened:
        found = run_perturbation(corpus, opened, options, judging, place, skip_faults=models.skip_faults)
    show_result(found.result, render, place, lambda folder: perturbations.write_translations(found, folder))


@dataclass(frozen=True, slots=True)
class JudgedPhenomena:
    """How phenomena are measured beside metrics, where the tools name any."""

    options: EvaluationOptions
    tools: Tools
    work: Work


def run_perturbation(
    corpus: Corpus,
    opened: Mapping[str, Translator],
    options: PerturbationOptions,
    judged: JudgedPhenomena,
    place: Output,
    *,
    skip_faults: bool,
) -> perturbations.Perturbation:
    """Perturb contexts; the models' answers are kept in the directory, and an interrupted run goes on from them."""
    tools = judged.tools
    named = replace(tools, phenomenon=() if "all" in tools.phenomenon else tools.phenomenon)
    with named.setup(pair_of(corpus)) if tools.phenomenon else nullcontext() as setup:
        total = perturbations.total_inputs(corpus, opened, options) if corpus.references else 0
        words = sum(len(one.source.split()) for document in corpus.documents for one in document.segments)
        workers = judged.work.workers or useful_workers(words * len(options.conditions))
        judging = None if setup is None else Judging(setup, judged.options, workers)
        with answering(place, "translate and score", total) as (store, advance):
            return perturbations.perturb(corpus, opened, options, store, advance, skip_faults, judging)
