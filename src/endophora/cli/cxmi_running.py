"""Runs a measurement of CXMI for a command: from options to samples, through the model, to files."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endophora.cli.console import progress_bar
from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.context.cxmi import Measurement
    from endophora.context.cxmi_figures import CxmiOptions
    from endophora.context.samples import Material
    from endophora.corpus.records import Corpus
    from endophora.models.records import Scorer
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

    def read(self) -> Corpus | Material:
        """Read the corpus or the task.

        Raises:
            InputError: no languages are named (E014), an option of a corpus stands beside --tasks (E316), or the files
                are faulty.
        """
        from endophora.cli.inputs import corpus_from_options
        from endophora.context.samples import read_tasks

        if self.tasks is None:
            rest = (self.source, self.references, self.documents, (), self.path, self.path_format)
            return corpus_from_options(self.languages, *rest)
        self.check_tasks()
        material = read_tasks(self.tasks)
        if not self.languages:
            return material
        from endophora.corpus.codes import parse_languages

        pair = self.languages if "-" in self.languages else f"{self.languages}-{self.languages}"
        return replace(material, languages=parse_languages(pair))

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
        from endophora.cli.keeping import store_file
        from endophora.store import Store

        with store_file(self.store, self.no_store) as path, Store(path) as store:
            yield store


def prepare(text: Corpus | Material, tools: Tools, size: int, workers: int, quiet: bool) -> Material:
    """Return the samples of what was read, annotated and tagged.

    Args:
        text: a corpus, or a task.
        tools: what annotates and tags it; a task is annotated where its language is known, and never tagged.
        size: most segments of context.
        workers: processes that tag; 0 takes as many as are worth starting.
        quiet: no progress.

    Raises:
        InputError: an option is wrong.
        MissingModelError: a tool is not installed.
    """
    from endophora.context.samples import Material, corpus_material

    if isinstance(text, Material):
        return _annotated(text, tools) if all(text.languages) else text
    from endophora.cli.inputs import setup_from_options
    from endophora.engine import useful_workers

    named = (tools.annotators, tools.aligner, tools.resolver, tools.window, tools.phenomena, tools.store)
    words = sum(len(segment.source.split()) for document in text.documents for segment in document.segments)
    with (
        setup_from_options(text, *named, tools.no_store, tools.rules, tools.ellipsis_classifier) as setup,
        progress_bar("annotate, link, tag", 2 * len(text), quiet) as advance,
    ):
        return corpus_material(text, setup, size, workers or useful_workers(2 * words), advance)


def _annotated(material: Material, tools: Tools) -> Material:
    """Return a task with the words that the annotator of the output's language finds."""
    from endophora.annotate import AnnotationStore, load_annotator
    from endophora.cli.options import named
    from endophora.context.samples import with_annotation

    language = material.languages[1]
    annotator = load_annotator(language, named(tools.annotators, "--annotator").get(language))
    with tools.kept() as store:
        return with_annotation(material, annotator, AnnotationStore(store))


@dataclass(frozen=True, slots=True)
class Opening:
    """How a model is opened, as the shared options say; ``None`` and 0 leave it to the model."""

    spec: str
    device: str
    batch_tokens: int | None
    threads: int

    def open(self, text: Corpus | Material) -> Scorer:
        """Open the model for the languages of a text.

        Raises:
            InputError: the model is unknown or tells no probabilities, or an option of it is wrong.
            MissingModelError: the model or its library is not installed.
        """
        from endophora.cli.model_options import usable_processors
        from endophora.corpus.records import Corpus
        from endophora.models.opening import open_scorer
        from endophora.models.options import ModelOptions

        given: dict[str, Any] = {"device": self.device, "threads": self.threads or usable_processors()}
        if self.batch_tokens is not None:
            given["batch_tokens"] = self.batch_tokens
        known = isinstance(text, Corpus)
        languages = (text.source_language, text.target_language) if known else text.languages
        if all(languages):
            given["languages"] = languages
        return open_scorer(self.spec, ModelOptions(**given))


def measure(
    material: Material, options: CxmiOptions, scorer: Scorer, tools: Tools, quiet: bool, skip_faults: bool = False
) -> Measurement:
    """Measure; what the model says is kept in the store, so that a broken run goes on.

    Args:
        material: the samples.
        options: contexts, groups and statistics.
        scorer: the model.
        tools: name the store.
        quiet: no progress.
        skip_faults: leave out and count samples that are too long for the model.
    """
    from endophora.context.cxmi import measure_cxmi
    from endophora.context.kept import KeptScorer

    with tools.kept() as store, progress_bar("score", len(material.samples), quiet) as advance:
        return measure_cxmi(material, KeptScorer(scorer, store), options, advance, skip_faults)


def write_measurement(done: Measurement, folder: Path) -> None:
    """Write the page of a result and P-CXMI of every word; the caller writes ``result.json``.

    Raises:
        EngineError: the disk is full (E154) or the file cannot be written (E155).
    """
    from endophora.cli.showing import REPORT, write_pages
    from endophora.context.pointwise import SEGMENTS, write_segments
    from endophora.report import REPORTS

    write_pages(folder, {REPORT: REPORTS.get("html")(done.result)})
    write_segments(done.pointwise, folder / SEGMENTS)
