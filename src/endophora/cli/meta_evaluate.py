"""``endophora meta-evaluate``: how well metrics agree with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endophora.cli.commands import Only, command
from endophora.cli.console import REPORT, RESULT, say, show_result, warn
from endophora.cli.evaluate import Human
from endophora.cli.inputs import Format, Tools, into, usable
from endophora.errors import Fault, InputError
from endophora.files import Output
from endophora.meta.options import MetaOptions
from endophora.options import inherited, option
from endophora.report import REPORTS

if TYPE_CHECKING:
    from endophora.evaluation.levels import ScoreSet
    from endophora.meta.people import People


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTexts(Human):
    """Human scores, and the texts that people judged."""

    human: Path = option(
        ..., "--human", "-H", metavar="PATH", help="MQM annotations (.tsv), a score file, a test set's directory."
    )
    weights: str = inherited(Human, "weights", "MQM weights: google, severity, or a YAML file.")
    languages: str = option("", "--languages", "-l", metavar="SRC-TGT", help="Language pair, as zh-en.")
    documents: Path | None = option(None, "--documents", "-d", metavar="FILE", help="DOMAIN DOCUMENT of each segment.")
    reference: tuple[str, ...] = option(
        (), "--reference", "-r", metavar="NAME", help="Translation in the annotations that is the reference."
    )
    block: int = option(0, least=0, help="Cut documents into blocks of so many segments.")

    def read(self) -> People:
        """Read the scores, and print what is in doubt."""
        from endophora.meta.people import read_people

        people = read_people(
            self.human,
            self.languages,
            name=self.human_name,
            documents=self.documents,
            weights=self.weights,
            references=self.reference,
            block=self.block,
            categories=self.category,
        )
        warn(people.warnings)
        return people


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """The metrics: their scores, or what computes them."""

    metrics: tuple[Path, ...] = option(
        (),
        "--metrics",
        "-m",
        metavar="PATH",
        help="Score file, a directory of them, or an evaluation's directory. Repeatable.",
    )
    negate: tuple[str, ...] = option((), metavar="METRIC", help="Metric of --metrics whose low scores are good.")
    score: tuple[str, ...] = option(
        (), metavar="NAME", help="Metric to compute on the texts of MQM annotations. Repeatable."
    )
    recall_precision: bool = option(False, help="Of --score: recall and precision of an F-measure as metrics too.")

    def compute(self, people: People, languages: str, tools: Tools) -> list[ScoreSet]:
        """Score the texts that people judged; annotations are kept in the store."""
        from endophora.corpus.codes import parse_languages
        from endophora.evaluation.setup import Setup
        from endophora.meta.people import score_people
        from endophora.store import default_store_path

        if not self.score:
            return []
        setup = Setup(*parse_languages(languages), annotators=tools.annotator, store=usable(default_store_path()))
        return score_people(people, self.score, setup, halves=self.recall_precision)

    def read(self, people: People, languages: str) -> list[ScoreSet]:
        """Read the scores; of those whose low scores are good, the sign is turned."""
        from endophora.meta.people import read_metrics

        found = read_metrics(self.metrics, languages, people.documents)
        known = [metric.name for metric in found]
        if unknown := [name for name in self.negate if name not in known]:
            cause = f"there are no scores of {', '.join(unknown)}"
            raise InputError(Fault("E123", cause, f"there are: {', '.join(known) or 'none'}", "--negate"))
        return [metric.negated() if metric.name in self.negate else metric for metric in found]


@command(strict=True)
def meta_evaluate(
    judged: JudgedTexts,
    metrics: Metrics,
    options: MetaOptions,
    tools: Annotated[Tools, Only("annotator")],
    write_scores: Annotated[
        Path | None,
        typer.Option("--write-scores", metavar="DIR", help="Write human and computed scores as files of a test set."),
    ] = None,
    output: Annotated[Path, into("Directory for result.json and report.html.")] = Path("endophora-meta"),
    output_format: Format = "text",
) -> None:
    """Correlate metrics with human scores of segments, documents and systems, and test their differences."""
    from endophora.meta.evaluate import meta_evaluate

    place = Output(output, [RESULT, REPORT])
    _scores_output(write_scores)
    people = judged.read()
    scores_place = _scores_output(write_scores, judged.languages, people)
    computed = metrics.compute(people, judged.languages, tools)
    if scores_place is not None:
        _write(scores_place, judged, people, computed)
    read = metrics.read(people, judged.languages)
    if write_scores is not None and not read and not computed:
        return
    raters = people.judgements.agreement() if people.judgements else None
    result = meta_evaluate([*read, *computed], people.scores, people.documents, options, raters, people.origin)
    show_result(result, REPORTS.get(output_format), place)
    say(f"report: {place.root / REPORT}")


def _scores_output(directory: Path | None, pair: str = "", people: People | None = None) -> Output | None:
    """Return where scores are written, checked as far as their files' names are known."""
    from endophora.meta.score_files import human_file

    if directory is None:
        return None
    human = [] if people is None else [human_file(pair, people.scores.name, each) for each in people.scores.levels]
    return Output(directory, [path.as_posix() for path in human])


def _write(place: Output, judged: JudgedTexts, people: People, computed: Sequence[ScoreSet]) -> None:
    from endophora.meta.score_files import write_documents, write_human, write_metric

    pair = judged.languages
    if not pair:
        raise InputError(Fault("E127", "the files' names need the languages", "give --languages", "--write-scores"))
    with place.writing() as folder:
        files = write_human(folder, pair, people.scores)
        if people.documents is not None:
            files.append(write_documents(folder, pair, people.documents))
        for metric in computed:
            files += write_metric(folder, pair, metric, judged.reference)
    say(f"{len(files)} files: {place.root}")
