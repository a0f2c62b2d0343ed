"""An extraction from end to end: rows through the engine, statistics, test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from endophora.corpus.records import Document, Location, Segment
from endophora.corpus.streams import Census, DocumentStream
from endophora.engine import EngineOptions, Progress, RunSummary, run
from endophora.engine.directory import ROWS, WORK
from endophora.engine.processes import run_elsewhere
from endophora.extraction.rows import ExtractionStatistics, count_rules
from endophora.extraction.setup import ExtractionSetup
from endophora.extraction.task import ExtractionTask
from endophora.extraction.testsets import FOLDER, TestSetOptions, write_test_sets
from endophora.files import Output
from endophora.signature import Signature, unkeyed

STATISTICS = "statistics.json"


@unkeyed("executors and test sets: the rows of a run do not depend on them")
@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractOptions:
    """How an extraction is done; ``report`` hears of progress after each shard."""

    engine: EngineOptions = field(default_factory=EngineOptions)
    test_sets: TestSetOptions = field(default_factory=TestSetOptions)
    report: Callable[[Progress], None] | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a complete extraction has made, with the engine's summary and the census of the input."""

    summary: RunSummary
    statistics: ExtractionStatistics
    census: Census


def extract(
    setup: ExtractionSetup, documents: DocumentStream, output: Path, options: ExtractOptions | None = None
) -> Extraction:
    """Extract occurrences from documents, and make test sets of them.

    ``rows.parquet``, ``statistics.json`` and ``suites/`` are written into a directory. What an earlier run with the
    same setup and documents has done there is taken over.

    Args:
        setup: the tools.
        documents: the corpus.
        output: the directory, made if absent.
        options: how to do it.

    Raises:
        InputError: the directory cannot be written (E355) or has files of others in the way (E356), the input is
            faulty, a name is unknown, or a phenomenon has no rules for the pair.
        MissingModelError: a model or library is not installed.
        EngineError: the run did not come to its end; what it has done is kept.
    """
    chosen = options or ExtractOptions()
    place = output_of(output)
    task = prepared_task(setup, chosen.engine.executor)
    pair = (setup.source_language, setup.target_language)
    made: list[ExtractionStatistics] = []

    def finish(summary: RunSummary) -> None:
        """Write what is made of the rows, while no other run can take them away."""
        rules = count_rules(summary.path, summary.segments)
        # Test sets that an earlier run with other options wrote would pass for this one's.
        with place.writing(instead_of=FOLDER) as folder:
            statistics = ExtractionStatistics(
                languages="-".join(pair),
                documents=summary.documents,
                segments=summary.segments,
                occurrences=summary.rows,
                checksum=summary.checksum,
                signature=task.signature,
                skipped=documents.census.skipped,
                left_out=documents.census.notes,
                rules=rules,
                suites=write_test_sets(summary.path, folder, pair, chosen.test_sets),
            )
            (folder / STATISTICS).write_text(statistics.model_dump_json(indent=2) + "\n", encoding="utf-8")
            made.append(statistics)

    summary = run(task, lambda: renamed(documents), output, chosen.engine, chosen.report, finish)
    return Extraction(summary, made[0], documents.census)


def renamed(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield documents whose places name each file by as little of its path as distinguishes the files.

    How a path was written, and where the corpus lies, then changes neither the rows nor whether a run can continue.
    """
    names: dict[str, str] = {}
    taken: dict[str, Path] = {}

    def name_of(file: str) -> str:
        """Return the last parts of a path that no other file has; what is no path stays as it is."""
        if not Path(file).exists():
            return file
        whole, parts = Path(file).resolve(), Path(file).absolute().parts
        endings = (str(Path(*parts[-count:])) for count in range(1, len(parts) + 1))
        return next(ending for ending in endings if taken.setdefault(ending, whole) == whole)

    for document in documents:
        segments: list[Segment] = []
        for one in document.segments:
            file, line = one.location.file, one.location.line
            if file not in names:
                names[file] = name_of(file)
            segments.append(Segment(one.source, one.references, one.outputs, Location(names[file], line)))
        yield Document(document.id, tuple(segments))


def output_of(directory: Path) -> Output:
    """Return the output of an extraction, checked before the work (E355, E356)."""
    return Output(directory, [ROWS, STATISTICS, FOLDER], [WORK])


def prepared_task(setup: ExtractionSetup, executor: str) -> ExtractionTask:
    """Return the task with its signature, for which models must be loaded.

    Unless this process is to do the work, another one loads them, so that they take no memory here.
    """
    task = ExtractionTask(setup)
    if executor == "serial":
        _ = task.signature  # the models that are loaded for it do the work then
        return task
    return replace(task, known_signature=run_elsewhere(_signature, task))


def _signature(task: ExtractionTask) -> Signature:
    return task.signature
