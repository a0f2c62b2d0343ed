"""``endophora evaluate``, ``check``, ``tag``, ``demo`` and ``compare``: phenomena and metrics, with significance."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from endophora.cli.commands import Only, command
from endophora.cli.console import REPORT, RESULT, current, progress_bar, say, show_result, warn
from endophora.cli.gate import Gate, outcomes_of, with_outcomes
from endophora.cli.inputs import Directory, Format, Payment, SystemInputs, Tools, Work, into
from endophora.errors import Fault, InputError
from endophora.evaluation.setup import EvaluationOptions, JudgeOptions, Setup
from endophora.files import Output
from endophora.options import option
from endophora.report import REPORTS, write_report

if TYPE_CHECKING:
    from endophora.corpus.records import Corpus
    from endophora.evaluation.evaluate import Evaluation
    from endophora.evaluation.gate import Condition
    from endophora.evaluation.judge import AskedModel
    from endophora.evaluation.levels import HumanScores
    from endophora.phenomena.export import Tagging
    from endophora.phenomena.given_tags import GivenTags

_OCCURRENCES, _JUDGMENTS, _SUMS, _TOKENS = "occurrences.jsonl", "judgments.jsonl", "statistics.npz", "tokens.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Human:
    """Human scores, to be compared with the metrics'."""

    human: Path | None = option(
        None, "--human", "-H", metavar="PATH", help="Human scores: MQM (.tsv), a score file, a test set's directory."
    )
    human_name: str = option("", metavar="NAME", help="Which human scores of a directory, as mqm.")
    weights: str = option("google", metavar="NAME", help="Of MQM errors: google, severity, or a YAML file.")
    category: tuple[str, ...] = option(
        (), metavar="NAME", help="Count MQM errors of it alone: Terminology, Fluency/Register. Repeatable."
    )

    def match(self, corpus: Corpus) -> HumanScores | None:
        """Read the scores (E112–E121) and match them to a corpus (E126, E128), before anything takes time."""
        from endophora.meta.people import match_people, read_people

        if self.human is None:
            return None
        pair = f"{corpus.source_language}-{corpus.target_language}"
        people = read_people(self.human, pair, name=self.human_name, weights=self.weights, categories=self.category)
        warn(people.warnings)
        return match_people(people, corpus)


@dataclass(frozen=True, slots=True, kw_only=True)
class TagFiles:
    """Tags that were made elsewhere."""

    tags: Mapping[str, str] = option(
        {},
        metavar="NAME=FILE",
        help="Tags of a reference or system: MuDA's JSON, or compare-mt's labels, or LABELS,TOKENS. Repeatable.",
    )

    def read(self, corpus: Corpus) -> GivenTags | None:
        """Read the tags of a corpus' texts; ``None`` where no file is named (E367)."""
        from endophora.phenomena.given_tags import read_tags

        if not self.tags:
            return None
        known = (*corpus.references[:1], *corpus.systems)
        if strange := [name for name in self.tags if name not in known]:
            cause, advice = f"there is no text “{strange[0]}”", f"there are {', '.join(known)}"
            raise InputError(Fault("E367", cause, advice, "--tags"))
        segments = [one for document in corpus.documents for one in document.segments]
        return read_tags(self.tags, {name: [segment.text_of(name) for segment in segments] for name in self.tags})


@command(strict=True, verbose=True)
def evaluate(
    inputs: SystemInputs,
    options: EvaluationOptions,
    human: Human,
    tags: TagFiles,
    tools: Tools,
    work: Work,
    gate: Gate,
    output: Directory = Path("endophora-result"),
    output_format: Format = "text",
) -> None:
    """Score systems on the words that need context."""
    place = _output(output)
    gate.check()
    corpus = inputs.read()
    people, given = human.match(corpus), tags.read(corpus)
    made = replace(tools, phenomenon=("none",), definitions="endophora") if given else tools
    with made.setup((corpus.source_language, corpus.target_language)) as setup:
        tagged = replace(setup.taggers, phenomena=given.phenomena) if given else setup.taggers
        chosen = replace(options, judge="wording") if given else options
        conditions = _conditions(gate, corpus, replace(setup, taggers=tagged), chosen, tagged=given is not None)
        done = _evaluate(corpus, setup, options, work.workers, people, tags=given)
        _show(done, place, output_format, gate, conditions)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckInputs(SystemInputs):
    """Outputs of systems, and their source; a reference is not read."""

    reference: tuple[str, ...] = ()


@command(strict=True, verbose=True)
def check(
    inputs: CheckInputs,
    options: Annotated[
        EvaluationOptions,
        Only(
            *("baseline", "test", "seed", "examples", "support", "minimum", "glossary"),
            *("resamples", "confidence", "alpha", "units"),
        ),
    ],
    judging: JudgeOptions,
    payment: Payment,
    tools: Tools,
    work: Work,
    gate: Gate,
    output: Directory = Path("endophora-check"),
    output_format: Format = "text",
) -> None:
    """Judge outputs without a reference, each by what it has chosen itself."""
    from endophora.evaluation.judge import AskedModel

    place = _output(output)
    gate.check()
    asked = AskedModel.open(judging, payment.max_cost, partial(payment.agree, option="--judge"))
    corpus = inputs.read(source_alone=True, unreferenced=True)
    with tools.setup((corpus.source_language, corpus.target_language)) as setup:
        conditions = _conditions(gate, corpus, setup, options, alone=True)
        done = _evaluate(corpus, setup, options, work.workers, alone=True, asked=asked)
        _show(done, place, output_format, gate, conditions)


@command(strict=True, verbose=True)
def tag(
    inputs: SystemInputs,
    options: Annotated[EvaluationOptions, Only("examples", seed="Seed of the sample of examples.")],
    tools: Tools,
    work: Work,
    output: Directory = Path("endophora-tags"),
    output_format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="NAME",
            help="Standard output: text, json, csv, latex, or jsonl, muda, compare-mt.",
        ),
    ] = "text",
    of: Annotated[
        str, typer.Option("--of", metavar="NAME", help="Whose tags jsonl, muda and compare-mt have: a --system's.")
    ] = "",
) -> None:
    """Find the words of a translation that need context."""
    from endophora.phenomena.export import WRITERS

    place = _output(output, *([_TOKENS] if output_format in WRITERS else []))
    if inputs.system and not of:
        raise InputError(
            Fault("E367", "outputs are named, and not whose tags are asked for", "add --of NAME", "--system")
        )
    corpus = inputs.read() if of else inputs.without_outputs().read()
    name = of or next(iter(corpus.references), "")
    if of and of not in (*corpus.references[:1], *corpus.systems):
        advice = f"name one of {', '.join((*corpus.references[:1], *corpus.systems))}"
        raise InputError(Fault("E367", f"there is no text “{of}”", advice, "--of"))
    with tools.setup((corpus.source_language, corpus.target_language)) as setup:
        if output_format in WRITERS:
            _write_tags(corpus, setup, options, place, WRITERS[output_format], work.workers, name)
        else:
            _show(_evaluate(corpus, setup, options, work.workers), place, output_format)


@command(verbose=True)
def demo(
    languages: Annotated[
        str, typer.Option("--languages", "-l", metavar="SRC-TGT", help="Pair of the example documents: en-de or en-fr.")
    ] = "en-de",
    output: Directory = Path("endophora-demo"),
    output_format: Format = "text",
) -> None:
    """Evaluate the example documents that ship with the package."""
    from endophora.data import example_directory

    place = _output(output)
    say(
        "Example documents written for this project; both systems' outputs are written by hand, to behave like a\n"
        "sentence-level and a context-aware system.\n"
    )
    corpus = SystemInputs(languages=languages, path=str(example_directory(languages)), input_format="wmt").read()
    with Tools(no_store=True).setup((corpus.source_language, corpus.target_language)) as setup:
        _show(_evaluate(corpus, setup, EvaluationOptions(), 1), place, output_format)


def _output(directory: Path, *more: str) -> Output:
    """Return the output of an evaluation, checked before the work."""
    return Output(directory, [RESULT, REPORT, _OCCURRENCES, _JUDGMENTS, _SUMS, *more])


def _conditions(gate: Gate, corpus: Corpus, setup: Setup, options: EvaluationOptions, **which: bool) -> list[Condition]:
    """Return the conditions of ``--fail-if``, held against the columns and systems that there will be."""
    from endophora.evaluation.gate import check_baseline, column_names

    found = gate.conditions(lambda: column_names(setup, options, **which), corpus.systems)
    check_baseline(found, corpus.systems, options.resamples, options.baseline)
    return found


def _show(
    done: Evaluation, place: Output, output_format: str, gate: Gate | None = None, conditions: Sequence[Condition] = ()
) -> None:
    """Write the result, the report and all occurrences; print the table; end as the conditions say."""
    from endophora.evaluation.gate import facts_of
    from endophora.report.formats import brief

    render = brief if output_format == "text" and not current().verbose else REPORTS.get(output_format)
    _write(done, place)
    outcomes = outcomes_of(conditions, lambda: facts_of(done.result))
    sys.stdout.write(with_outcomes(render, output_format, outcomes)(done.result))
    say(f"\nreport: {place.root / REPORT}   figures: {place.root / RESULT}")
    if gate is not None:
        gate.end(outcomes, "check" if done.result.corpus.references == [] else "evaluate")


def _write_tags(
    corpus: Corpus,
    setup: Setup,
    options: EvaluationOptions,
    place: Output,
    writer: Callable[[Sequence[Tagging], TextIO], None],
    workers: int,
    name: str,
) -> None:
    """Write the same files as an evaluation, and the tags of the text of that name to standard output."""
    from endophora.phenomena.export import Tagging, token_lines

    done = _evaluate(corpus, setup, options, workers)
    taggings = [
        Tagging(
            document.id,
            tuple(
                tuple(segment.text_of(name)[start:end] for start, end in spans)
                for segment, spans in zip(document.segments, tagged.target, strict=True)
            ),
            tagged.occurrences,
        )
        for document, tagged in zip(corpus.documents, done.tagged[name], strict=True)
    ]
    _write(done, place, {_TOKENS: [line for one in taggings for line in token_lines(one)]})
    writer(taggings, sys.stdout)


def _write(done: Evaluation, place: Output, texts: Mapping[str, Sequence[str]] | None = None) -> None:
    from endophora.evaluation.sums import write_sums
    from endophora.phenomena.export import write_jsonl

    with place.writing() as folder:
        write_report(done.result, folder)
        write_jsonl(done.occurrences, folder / _OCCURRENCES)
        with (folder / _JUDGMENTS).open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{line}\n" for line in done.judged_lines())
        write_sums(done.result, done.tables, folder / _SUMS, folder / _JUDGMENTS)
        for name, lines in (texts or {}).items():
            (folder / name).write_text("".join(lines), "utf-8", newline="\n")


def _evaluate(
    corpus: Corpus,
    setup: Setup,
    options: EvaluationOptions,
    workers: int,
    human: HumanScores | None = None,
    *,
    alone: bool = False,
    tags: GivenTags | None = None,
    asked: AskedModel | None = None,
) -> Evaluation:
    from endophora.engine import useful_workers
    from endophora.evaluation.check import check
    from endophora.evaluation.evaluate import evaluate

    texts = [
        text
        for document in corpus.documents
        for one in document.segments
        for text in (one.source, *one.references.values(), *one.outputs.values())
    ]
    words = sum(len(text.split()) for text in texts)
    total = len(corpus) * (1 + len(corpus.references[: not alone]) + len(corpus.systems))
    with progress_bar("annotate, link, tag", total) as advance:
        processes = workers or useful_workers(words)
        if alone:
            done = check(corpus, setup, options, processes, advance, asked)
        else:
            done = evaluate(corpus, setup, options, processes, advance, human, tags)
    warn(done.result.warnings)
    return done


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Which systems are compared."""

    system: Mapping[str, str] = option(
        {}, "--system", "-y", metavar="NEW=OLD", help="Compare these; by default systems of one name. Repeatable."
    )


@command(strict=True)
def compare(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="Directory of the earlier result.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Directory of the result now.")],
    pairs: Pairs,
    options: Annotated[EvaluationOptions, Only("test", "resamples", "confidence", "alpha", seed="Of the resampling.")],
    gate: Gate,
    output: Annotated[Path | None, into("Directory for result.json and report.html.")] = None,
    output_format: Format = "text",
) -> None:
    """Compare two results of the same texts."""
    place = None if output is None else Output(output, [RESULT, REPORT])
    gate.check()
    render = REPORTS.get(output_format)
    from endophora.evaluation.comparing import Kept, compare_results
    from endophora.evaluation.gate import facts_of_comparison

    before, after = Kept.read(old), Kept.read(new)
    names = [column.name for column in after.result.columns]
    conditions = gate.conditions(lambda: names, after.result.corpus.systems, compared=True)
    result = compare_results(before, after, pairs.system, options)
    outcomes = outcomes_of(conditions, lambda: facts_of_comparison(result), result.left_out)
    show_result(result, with_outcomes(render, output_format, outcomes), place)
    gate.end(outcomes, "compare")
