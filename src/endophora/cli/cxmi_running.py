"""Runs a measurement of CXMI for a command: from options to samples, through the model, to files."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from endophora.cli.console import progress_bar
from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.context.cxmi import Measurement
    from endophora.context.cxmi_options import CxmiOptions
    from endophora.context.samples import Material
    from endophora.corpus.records import Corpus
    from endophora.store import Store


@dataclass(frozen=True, slots=True)
class Inputs:
    """Where the text is from: the shared options of a corpus, or ``--tasks``; ``None`` where one is not given."""

    languages: str
    source: str | None
    references: Sequence[str] | None
    documents: str | None
    path: str | None
    path_format: str | None
    tasks: str | None

    def corpus(self) -> Corpus:
        """Read the corpus.

        Raises:
            InputError: no languages are named (E014), or the files or options are faulty.
        """
        from endophora.cli.inputs import corpus_from_options

        rest = (self.source, self.references, self.documents, (), self.path, self.path_format)
        return corpus_from_options(self.languages, *rest)

    def check_tasks(self) -> None:
        """Check that no option of a corpus stands beside ``--tasks``.

        Raises:
            InputError: some do (E316).
        """
        given = {
            "--source": self.source,
            "--reference": self.references,
            "--documents": self.documents,
            "--input": self.path,
            "--input-format": self.path_format,
        }
        if beside := [name for name, value in given.items() if value]:
            cause = f"{', '.join(beside)} beside --tasks"
            raise InputError(Fault("E316", cause, "a task's file has everything: give one or the other"))


@dataclass(frozen=True, slots=True)
class Tools:
    """Annotators, taggers and their store, as the shared options name them."""

    annotators: Sequence[str] | None
    aligner: str | None
    resolver: str | None
    window: int
    phenomena: Sequence[str] | None
    store: Path | None
    no_store: bool
    rules: Sequence[Path] | None
    ellipsis_classifier: Path | None

    @contextmanager
    def kept(self) -> Generator[Store]:
        """Yield the store of annotations and scores; in memory where nothing is to be kept."""
        from endophora.store import Store, default_store_path

        with Store(None if self.no_store else self.store or default_store_path()) as store:
            yield store


def read_material(inputs: Inputs, tools: Tools, size: int, workers: int, quiet: bool) -> Material:
    """Return the samples that the options name, annotated and tagged.

    Args:
        inputs: where the text is from.
        tools: what annotates and tags it.
        size: most segments of context.
        workers: processes that tag; 0 takes as many as are worth starting.
        quiet: no progress.

    Raises:
        InputError: files or options are faulty.
        MissingModelError: a tool is not installed.
    """
    if inputs.tasks is not None:
        inputs.check_tasks()
        return _tasks(inputs, tools)
    from endophora.cli.inputs import setup_from_options
    from endophora.context.samples import corpus_material
    from endophora.engine import useful_workers

    corpus = inputs.corpus()
    named = (tools.annotators, tools.aligner, tools.resolver, tools.window, tools.phenomena, tools.store)
    words = sum(len(segment.source.split()) for document in corpus.documents for segment in document.segments)
    with (
        setup_from_options(corpus, *named, tools.no_store, tools.rules, tools.ellipsis_classifier) as setup,
        progress_bar("annotate, link, tag", 2 * len(corpus), quiet) as advance,
    ):
        return corpus_material(corpus, setup, size, workers or useful_workers(2 * words), advance)


def _tasks(inputs: Inputs, tools: Tools) -> Material:
    from endophora.cli.options import named
    from endophora.context.samples import with_annotation
    from endophora.context.tasks import read_tasks

    material = read_tasks(inputs.tasks or "")
    if not inputs.languages:
        return material
    from endophora.annotate import AnnotationStore, load_annotator
    from endophora.corpus.codes import parse_languages

    pair = inputs.languages if "-" in inputs.languages else f"{inputs.languages}-{inputs.languages}"
    languages = parse_languages(pair)
    annotator = load_annotator(languages[1], named(tools.annotators, "--annotator").get(languages[1]))
    with tools.kept() as store:
        return replace(with_annotation(material, annotator, AnnotationStore(store)), languages=languages)


def measure(
    material: Material, options: CxmiOptions, model: str, tools: Tools, device: str, quiet: bool
) -> Measurement:
    """Open the model and measure; what it says is kept in the store, so that a broken run goes on.

    Args:
        material: the samples.
        options: contexts, groups and statistics.
        model: names the model.
        tools: name the store.
        device: where the model runs.
        quiet: no progress.

    Raises:
        InputError: the model is unknown or tells no probabilities, or the device is not there.
        MissingModelError: the model or its library is not installed.
    """
    from endophora.context.cxmi import measure_cxmi
    from endophora.context.kept_scores import KeptScorer
    from endophora.models.opening import open_scorer
    from endophora.models.options import ModelOptions

    known = material.languages if all(material.languages) else None
    settings = ModelOptions(device=device) if known is None else ModelOptions(device=device, languages=known)
    scorer = open_scorer(model, settings)
    with tools.kept() as store, progress_bar("score", len(material.samples), quiet) as advance:
        return measure_cxmi(material, KeptScorer(scorer, store), options, advance)


def write_measurement(done: Measurement, output: Path) -> None:
    """Write the page of a result and P-CXMI of every word; the caller writes ``result.json``.

    Raises:
        InputError: the directory cannot be written (E095).
        EngineError: the disk is full (E154) or the file cannot be written (E155).
    """
    from endophora.cli.utilization import write_pages
    from endophora.context.segments_file import SEGMENTS, write_segments
    from endophora.report.cxmi import CXMI_REPORTS

    write_pages(output, {"report.html": CXMI_REPORTS.get("html")(done.result)})
    write_segments(done.pointwise, output / SEGMENTS)
