"""Runs an evaluation for a command: progress, the report on disk, the table on standard output."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from endophora.cli.console import progress_bar, warn
from endophora.cli.showing import REPORT, RESULT

if TYPE_CHECKING:
    from endophora.corpus.records import Corpus
    from endophora.evaluation import Evaluation, EvaluationOptions
    from endophora.evaluation.agreement import HumanScores
    from endophora.evaluation.setup import Setup
    from endophora.files import Output
    from endophora.phenomena.export import Tagging

_OCCURRENCES = "occurrences.jsonl"


def run_evaluation(
    corpus: Corpus,
    setup: Setup,
    options: EvaluationOptions,
    place: Output,
    output_format: str,
    workers: int,
    quiet: bool,
    human: HumanScores | None = None,
) -> None:
    """Evaluate, write ``result.json``, ``report.html`` and ``occurrences.jsonl`` into a directory, print the table.

    Args:
        corpus: what to evaluate.
        setup: the tools.
        options: metrics and statistics.
        place: the directory, from :func:`evaluation_output`.
        output_format: what standard output shows.
        workers: number of processes; 0 takes as many as are worth starting.
        quiet: no progress and no warnings.
        human: scores of people, to be set beside the metrics'.
    """
    from endophora.report import REPORTS

    render = REPORTS.get(output_format)
    done = _evaluate(corpus, setup, options, workers, quiet, human)
    write_output(done, place)
    sys.stdout.write(render(done.result))
    if not quiet:
        print(f"\nreport: {place.root / REPORT}   figures: {place.root / RESULT}", file=sys.stderr)


def run_tagging(
    corpus: Corpus,
    setup: Setup,
    options: EvaluationOptions,
    place: Output,
    writer: Callable[[Sequence[Tagging], TextIO], None],
    workers: int,
    quiet: bool,
) -> None:
    """Tag the first reference, write the same files as an evaluation, and the tags to standard output.

    Args:
        corpus: documents with a reference and no systems.
        setup: the tools.
        options: seed and size of the sample of examples.
        place: the directory, from :func:`evaluation_output`.
        writer: writes taggings in a format.
        workers: number of processes; 0 takes as many as are worth starting.
        quiet: no progress and no warnings.
    """
    from endophora.phenomena.export import Tagging

    done = _evaluate(corpus, setup, options, workers, quiet)
    write_output(done, place)
    name = corpus.references[0]
    taggings = [
        Tagging(
            document.id,
            tuple(
                tuple(segment.references[name][start:end] for start, end in spans)
                for segment, spans in zip(document.segments, tagged.target, strict=True)
            ),
            tagged.occurrences,
        )
        for document, tagged in zip(corpus.documents, done.tagged[name], strict=True)
    ]
    writer(taggings, sys.stdout)


def match_human(corpus: Corpus, path: Path, name: str, weights: str) -> HumanScores:
    """Read human scores and match them to a corpus, before anything takes time.

    Args:
        corpus: what is evaluated.
        path: MQM annotations, a score file, or a test set's directory.
        name: of the human scores in a directory, if there are several.
        weights: of MQM errors.

    Raises:
        InputError: the scores are faulty (E112–E121), or do not match the corpus (E126, E128).
    """
    from endophora.meta import match_people, read_people

    pair = f"{corpus.source_language}-{corpus.target_language}"
    people = read_people(path, pair, name=name, weights=weights)
    warn(people.warnings)
    return match_people(people, corpus)


def evaluation_output(directory: Path) -> Output:
    """Return the output of an evaluation, checked before the work.

    Raises:
        InputError: the directory cannot be written (E355) or has files of others in the way (E356).
    """
    from endophora.files import Output

    return Output(directory, [RESULT, REPORT, _OCCURRENCES])


def write_output(done: Evaluation, place: Output) -> None:
    """Write the result, the report and all occurrences of the reference into a directory."""
    from endophora.phenomena.export import write_jsonl
    from endophora.report import write_report

    with place.writing() as folder:
        write_report(done.result, folder)
        write_jsonl(done.occurrences, folder / _OCCURRENCES)


def _evaluate(
    corpus: Corpus,
    setup: Setup,
    options: EvaluationOptions,
    workers: int,
    quiet: bool,
    human: HumanScores | None = None,
) -> Evaluation:
    from endophora.engine import useful_workers
    from endophora.evaluation import evaluate

    words = sum(len(text.split()) for text in _texts(corpus))
    total = len(corpus) * (1 + len(corpus.references[:1]) + len(corpus.systems))
    with progress_bar("annotate, link, tag", total, quiet) as advance:
        done = evaluate(corpus, setup, options, workers or useful_workers(words), advance, human)
    warn(done.result.warnings, quiet)
    return done


def _texts(corpus: Corpus) -> list[str]:
    segments = [segment for document in corpus.documents for segment in document.segments]
    return [text for s in segments for text in (s.source, *s.references.values(), *s.outputs.values())]
