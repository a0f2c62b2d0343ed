"""``endophora meta-evaluate``: how well metrics agree with people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from endophora.cli.commands import Only, command
from endophora.cli.console import say, warn
from endophora.cli.inputs import Format, Tools, usable
from endophora.cli.showing import RESULT, show_result
from endophora.corpus import parse_languages
from endophora.errors import Fault, InputError
from endophora.evaluation.setup import Setup
from endophora.files import Output
from endophora.meta import (
    MetaOptions,
    People,
    ScoreSet,
    human_file,
    read_metrics,
    read_people,
    score_people,
    write_documents,
    write_human,
    write_metric,
)
from endophora.meta import meta_evaluate as compare
from endophora.options import numbers
from endophora.report import REPORTS
from endophora.statistics.resampling import Bootstrapping
from endophora.store import default_store_path

_Human = Annotated[
    Path,
    typer.Option("--human", "-H", metavar="PATH", help="MQM annotations (.tsv), a score file, a test set's directory."),
]
_Metrics = Annotated[
    list[Path] | None,
    typer.Option("--metrics", "-m", metavar="PATH", help="Score file, or a directory of them. Repeatable."),
]
_Score = Annotated[
    list[str] | None,
    typer.Option("--score", metavar="NAME", help="Metric to compute on the texts of MQM annotations. Repeatable."),
]
_Languages = Annotated[str, typer.Option("--languages", "-l", metavar="SRC-TGT", help="Language pair, as zh-en.")]
_Documents = Annotated[
    Path | None, typer.Option("--documents", "-d", metavar="FILE", help="DOMAIN DOCUMENT of each segment.")
]
_Name = Annotated[str, typer.Option("--human-name", metavar="NAME", help="Which human scores of a directory, as mqm.")]
_Reference = Annotated[
    list[str] | None,
    typer.Option("--reference", "-r", metavar="NAME", help="Translation in the annotations that is the reference."),
]
_Weights = Annotated[
    str, typer.Option("--weights", metavar="NAME", help="MQM weights: google, severity, or a YAML file.")
]
_Block = Annotated[int, typer.Option("--block", min=0, help="Cut documents into blocks of so many segments.")]
_Exclude = Annotated[
    list[str] | None, typer.Option("--exclude", metavar="SYSTEM", help="System to leave out. Repeatable.")
]
_Order = Annotated[
    list[str] | None,
    typer.Option("--order", metavar="SYSTEM", help="Systems for paired t; by default as people rank them. Repeatable."),
]
_Halves = Annotated[
    bool, typer.Option("--recall-precision", help="Of --score: recall and precision of an F-measure as metrics too.")
]
_Negate = Annotated[
    list[str] | None, typer.Option("--negate", metavar="METRIC", help="Metric of --metrics whose low scores are good.")
]
_Levels = Annotated[list[str] | None, typer.Option("--level", metavar="NAME", help="seg, doc or sys. Repeatable.")]
_Coefficients = Annotated[
    list[str] | None,
    typer.Option("--coefficient", "-c", metavar="NAME", help="pearson, spearman, kendall or kendall-wmt. Repeatable."),
]
_Tested = Annotated[
    list[str] | None,
    typer.Option("--test", metavar="NAME", help="Coefficient to test by permutation. Repeatable. [default: pearson]"),
]
_Average = Annotated[
    str, typer.Option("--average", metavar="NAME", help="What is one list: none (all scores), item or system.")
]
_SystemUnits = Annotated[
    str, typer.Option("--system-units", metavar="NAME", help="At system level: systems, documents or segments.")
]
_Epsilon = Annotated[
    list[str] | None,
    typer.Option("--epsilon", metavar="METRIC=NUMBER", help="Threshold of ties found on other data. Repeatable."),
]
_Resamples = Annotated[int, typer.Option("--resamples", min=0, help="For the intervals; 0 for none.")]
_Trials = Annotated[int, typer.Option("--trials", min=0, help="Of the permutation test; 0 for none.")]
_OneSided = Annotated[bool, typer.Option("--one-sided", help="Test whether the better metric is better, as WMT does.")]
_Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of resampling and swapping.")]
_WriteScores = Annotated[
    Path | None,
    typer.Option("--write-scores", metavar="DIR", help="Write human and computed scores as files of a test set."),
]
_Output = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory for result.json.")]


@command(strict=True)
def meta_evaluate(
    human: _Human,
    statistics: Annotated[Bootstrapping, Only("units", "alpha")],
    tools: Annotated[Tools, Only("annotator")],
    metrics: _Metrics = None,
    score: _Score = None,
    recall_precision: _Halves = False,
    languages: _Languages = "",
    documents: _Documents = None,
    human_name: _Name = "",
    reference: _Reference = None,
    weights: _Weights = "google",
    block: _Block = 0,
    exclude: _Exclude = None,
    order: _Order = None,
    negate: _Negate = None,
    level: _Levels = None,
    coefficient: _Coefficients = None,
    test: _Tested = None,
    average: _Average = "none",
    system_units: _SystemUnits = "systems",
    epsilon: _Epsilon = None,
    resamples: _Resamples = 1000,
    trials: _Trials = 1000,
    one_sided: _OneSided = False,
    seed: _Seed = 1,
    write_scores: _WriteScores = None,
    output: _Output = Path("endophora-meta"),
    output_format: Format = "text",
) -> None:
    """Correlate metrics with human scores of segments, documents and systems, and test their differences."""
    place = Output(output, [RESULT])
    _scores_output(write_scores)
    lists = {"levels": level, "coefficients": coefficient, "tested": test}
    chosen: dict[str, Any] = {name: tuple(values) for name, values in lists.items() if values}
    wanted = MetaOptions(
        **chosen,
        average=average,  # pyright: ignore[reportArgumentType]
        units=statistics.units,  # pyright: ignore[reportArgumentType]
        system_units=system_units,
        resamples=resamples,
        trials=trials,
        alpha=statistics.alpha,
        two_sided=not one_sided,
        seed=seed,
        exclude=tuple(exclude or ()),
        order=tuple(order or ()),
        epsilons=numbers(epsilon, "--epsilon", "METRIC=NUMBER"),
    )
    people = read_people(
        human,
        languages,
        name=human_name,
        documents=documents,
        weights=weights,
        references=reference or (),
        block=block,
    )
    warn(people.warnings)
    scores_place = _scores_output(write_scores, languages, people)
    setup = _setup(languages, tools) if score else None
    computed = score_people(people, score or (), setup, halves=recall_precision)
    if scores_place is not None:
        _write(scores_place, languages, people, computed, reference or [])
    read = _negated(read_metrics(metrics or (), languages, people.documents), negate or [])
    if write_scores is not None and not read and not computed:
        return
    raters = people.judgements.agreement() if people.judgements else None
    result = compare([*read, *computed], people.scores, people.documents, wanted, raters, people.origin)
    show_result(result, REPORTS.get(output_format), place, page=False)


def _scores_output(directory: Path | None, pair: str = "", people: People | None = None) -> Output | None:
    """Return where scores are written, checked as far as their files' names are known."""
    if directory is None:
        return None
    human = [] if people is None else [human_file(pair, people.scores.name, each) for each in people.scores.levels]
    return Output(directory, [path.as_posix() for path in human])


def _setup(languages: str, tools: Tools) -> Setup:
    """Return the tools of metrics that read annotated texts; annotations are kept in the store."""
    pair = parse_languages(languages)
    return Setup(*pair, annotators=tools.annotator, store=usable(default_store_path()))


def _negated(metrics: list[ScoreSet], names: list[str]) -> list[ScoreSet]:
    known = [metric.name for metric in metrics]
    if unknown := [name for name in names if name not in known]:
        cause = f"there are no scores of {', '.join(unknown)}"
        raise InputError(Fault("E123", cause, f"there are: {', '.join(known) or 'none'}", "--negate"))
    return [metric.negated() if metric.name in names else metric for metric in metrics]


def _write(place: Output, pair: str, people: People, computed: list[ScoreSet], references: list[str]) -> None:
    if not pair:
        raise InputError(Fault("E127", "the files' names need the languages", "give --languages", "--write-scores"))
    with place.writing() as folder:
        files = write_human(folder, pair, people.scores)
        if people.documents is not None:
            files.append(write_documents(folder, pair, people.documents))
        for metric in computed:
            files += write_metric(folder, pair, metric, references)
    say(f"{len(files)} files: {place.root}")
