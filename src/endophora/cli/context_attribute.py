"""``endophora context attribute``: how much of a generated word came from the words that support it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from pydantic import ValidationError

from endophora.cli.commands import But, Only, command
from endophora.cli.console import progress_bar
from endophora.cli.inputs import Directory, Format, Inputs, SuiteInputs, Tools
from endophora.cli.model_options import Opening, pair_of
from endophora.cli.showing import REPORT, RESULT, show_result
from endophora.cli.utilization import DEFAULT, Models, SideName, named_models, read_sides
from endophora.context.attribution.alti import Settings
from endophora.context.attribution.attributor import Alti, Attribution, Gradients, Method, attributor_of
from endophora.context.attribution.blocks import Normalisation, Resultant
from endophora.context.attribution.cases import (
    Case,
    Cases,
    LeftOut,
    Window,
    cases_of_occurrences,
    cases_of_suite,
)
from endophora.context.attribution.comparing import AttributionOptions, NamedModel
from endophora.context.attribution.comparing import attribute as compare
from endophora.context.attribution.flows import Rows
from endophora.context.results import ContrastResult
from endophora.errors import Fault, InputError
from endophora.evaluation.columns import reference_text
from endophora.evaluation.tagging import tag_targets, target_texts
from endophora.files import Output
from endophora.models.layout import beyond_training
from endophora.models.options import ModelOptions
from endophora.models.specs import open_scorer
from endophora.options import numbers, option
from endophora.report import REPORTS

Choice = TypeVar("Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairInputs(Inputs):
    """A corpus, or the languages of a suite."""

    languages: str = option("", "--languages", "-l", metavar="SRC-TGT", help="Language pair, as en-de.")


@dataclass(frozen=True, slots=True, kw_only=True)
class WordTools(Tools):
    """The tools that find words in a corpus."""

    window: int | None = option(  # pyright: ignore[reportIncompatibleVariableOverride]
        None, least=0, help="Segments back in which antecedents are looked for. [default: as --context]"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodChoice:
    """How shares are computed."""

    method: str = option("alti", metavar="NAME", help="alti, gradient or integrated.")
    normalisation: str = option("min_sum", metavar="NAME", help="Of ALTI+: min_sum, min_sum_no_norm or sum_one.")
    resultant: str = option(
        "output", metavar="NAME", help="Of ALTI+: distances from the output, or the sum without biases."
    )

    def attribution(self) -> Attribution:
        """Return the method.

        Raises:
            InputError: a name is unknown (E266).
            MissingModelError: a library is not installed (E262).
        """
        wanted = choice(Method, self.method, "--method")
        if wanted is not Method.ALTI:
            return Gradients(integrated=wanted is Method.INTEGRATED)
        how = choice(Normalisation, self.normalisation, "--normalisation")
        return Alti(Settings(how, choice(Resultant, self.resultant, "--resultant")))


@dataclass(frozen=True, slots=True)
class Material:
    """Words to be explained, with the name of the suite or corpus and the languages, where they are known."""

    name: str
    languages: tuple[str, str] | None
    cases: Cases
    warnings: tuple[str, ...]


@command(strict=True)
def attribute(
    inputs: PairInputs,
    reading: Annotated[
        SuiteInputs, But("languages", corpus="Corpus of the suite's documents, where it has no contexts itself.")
    ],
    tools: WordTools,
    how: MethodChoice,
    opening: Annotated[Opening, Only("device")],
    model: Models = None,
    suite: Annotated[
        str | None,
        typer.Option(
            "--suite", metavar="PATH", help="Test suite that knows what supports its words: SCAT, ContraPro, …"
        ),
    ] = None,
    without_context: Annotated[
        list[str] | None,
        typer.Option("--without-context", metavar="NAME", help="A --model that is given the source alone. Repeatable."),
    ] = None,
    context: Annotated[int, typer.Option("--context", "-k", min=0, help="Segments of context before each.")] = 5,
    sides: SideName = "both",
    rows: Annotated[
        str, typer.Option("--rows", metavar="NAME", help="What speaks for a word: word or prefix-mean.")
    ] = "word",
    accuracy: Annotated[
        list[str] | None,
        typer.Option("--accuracy", metavar="NAME=NUMBER", help="A model's accuracy, for the Pareto plot. Repeatable."),
    ] = None,
    contrast: Annotated[
        Path | None,
        typer.Option(
            "--contrast", metavar="FILE", help="result.json of context contrast, for the accuracies of models by name."
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Words to measure, drawn at random; 0 for all.")] = 0,
    examples: Annotated[int, typer.Option("--examples", min=0, help="Words whose flow the page shows.")] = 20,
    baseline: Annotated[str, typer.Option("--baseline", metavar="NAME", help="Model to compare with.")] = "",
    resamples: Annotated[int, typer.Option("--resamples", min=0, help="For the intervals; 0 for none.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of all draws.")] = 1,
    batch_tokens: Annotated[
        int, typer.Option("--batch-tokens", min=0, help="Most tokens of a batch; 0 takes what suits the device.")
    ] = 0,
    output: Directory = Path("endophora-attribution"),
    output_format: Format = "text",
) -> None:
    """Trace words that need context back to what a model read."""
    place = Output(output, [RESULT, REPORT])
    render = REPORTS.get(output_format)
    window = Window(context, read_sides(sides))
    options = AttributionOptions(
        rows=choice(Rows, rows, "--rows"),
        window=window,
        examples=examples,
        baseline=baseline,
        resamples=resamples,
        seed=seed,
    )
    found = how.attribution()
    specs, alone = named_models(model or [DEFAULT]), without_context or ()
    sizes = {name: 0 if name in alone else context for name in specs}
    accuracies = contrasts(contrast, sizes) | numbers(accuracy, "--accuracy")
    _check(specs, alone, (suite, inputs.source, inputs.path))
    if suite is not None:
        material = _of_suite(suite, replace(reading, languages=inputs.languages), window)
    else:
        material = _of_corpus(inputs, tools, window)
    settings = ModelOptions(device=opening.device, languages=material.languages)
    models, unknown = _models(specs, alone, settings, found, batch_tokens, context)
    cases = _some(material.cases, limit, seed)
    with progress_bar("attribute", len(cases.cases) * len(models)) as advance:
        told = [*material.warnings, *unknown]
        result = compare(material.name, cases, models, options, accuracies=accuracies, warnings=told, progress=advance)
    show_result(result, render, place)


def choice(kind: type[Choice], name: str, option: str) -> Choice:
    """Return what a name stands for.

    Raises:
        InputError: there is nothing of this name (E266).
    """
    try:
        return kind(name)
    except ValueError as error:
        cause = f"“{name}” is unknown"
        raise InputError(Fault("E266", cause, f"known: {', '.join(kind)}", option)) from error


def contrasts(path: Path | None, sizes: Mapping[str, int]) -> dict[str, float]:
    """Return the accuracies of models in a result of ``context contrast``, if one is named.

    Args:
        path: of its ``result.json``.
        sizes: model → segments of context it is given.

    Raises:
        InputError: the file is no such result (E267), or has none of the models with so much context (E267).
    """
    if path is None:
        return {}
    try:
        result = ContrastResult.model_validate_json(path.read_text("utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        cause = f"this is no result of context contrast ({str(error).splitlines()[0]})"
        raise InputError(Fault("E267", cause, "name the result.json that it wrote", str(path))) from error
    found = {name: result.score(name, size) for name, size in sizes.items()}
    known = {name: score.value for name, score in found.items() if score is not None and score.value is not None}
    if not known:
        have = ", ".join(f"{run.model} with {run.size}" for run in result.runs)
        cause = "it has none of the models with as much context"
        raise InputError(Fault("E267", cause, f"it has: {have or 'none'}", str(path)))
    return known


def _check(specs: Mapping[str, str], alone: Sequence[str], inputs: Sequence[str | None]) -> None:
    """Check what can be checked before anything takes time.

    Args:
        specs: name → what names the model.
        alone: names of those that are given the source alone.
        inputs: of suite, source and corpus, of which one has to be given.

    Raises:
        InputError: a model that is to be given no context is none of them (E264), or words are to come from nowhere or
            from several places (E266).
    """
    faults: list[Fault] = []
    if sum(one is not None for one in inputs) != 1:
        advice = "give --suite, or a corpus with --input or --source and --reference"
        faults.append(Fault("E266", "it is not said once where the words are", advice, "--suite"))
    known = f"there are: {', '.join(specs)}"
    faults += [
        Fault("E264", f"“{name}” is no model", known, "--without-context") for name in alone if name not in specs
    ]
    if faults:
        raise InputError(faults)


def _of_suite(path: str, reading: SuiteInputs, window: Window) -> Material:
    """Return the items of a suite.

    Raises:
        InputError: suite or corpus are faulty, or the contexts do not fit (E178).
    """
    suite = reading.read(path, window.size)
    known = bool(suite.source_language and suite.target_language)
    pair = (suite.source_language, suite.target_language) if known else None
    return Material(suite.name, pair, cases_of_suite(suite, window), suite.warnings)


def _of_corpus(inputs: Inputs, tools: WordTools, window: Window) -> Material:
    """Return the occurrences that the taggers find in a corpus."""
    corpus = inputs.read()
    texts = target_texts(corpus, reference_text(corpus.references[0]))
    wanted = replace(tools, window=window.size if tools.window is None else tools.window)
    with wanted.setup(pair_of(corpus)) as setup, progress_bar("annotate, link, tag", 2 * len(corpus)) as advance:
        (tagged,) = tag_targets(setup, [texts], 1, advance)
    cases, left_out = list["Case"](), Counter["LeftOut"]()
    for document, found in zip(texts, tagged, strict=True):
        places = found.source, found.target
        some = cases_of_occurrences(found.occurrences, document.source, document.target, *places, window)
        cases += some.cases
        left_out.update(some.left_out)
    name = Path(inputs.path or inputs.source or "corpus").name
    return Material(name, pair_of(corpus), Cases(tuple(cases), dict(left_out)), tuple(corpus.warnings))


def _some(cases: Cases, limit: int, seed: int) -> Cases:
    """Return as many words as are wanted, drawn at random and in their order; 0 for all."""
    if not limit or len(cases.cases) <= limit:
        return cases
    chosen = sorted(random.Random(seed).sample(range(len(cases.cases)), limit))  # noqa: S311 – no secret
    return replace(cases, cases=tuple(cases.cases[number] for number in chosen))


def _models(
    specs: Mapping[str, str],
    alone: Sequence[str],
    settings: ModelOptions,
    found: Attribution,
    batch_tokens: int,
    context: int,
) -> tuple[list[NamedModel], list[str]]:
    """Open models; return them, and a warning for each that is given more context than it knows.

    Raises:
        InputError: a spec is wrong, or a model cannot be looked into (E265).
        MissingModelError: a model or a library is not there.
    """
    # A model may be there twice, with and without context.
    opened = {spec: open_scorer(spec, settings) for spec in dict.fromkeys(specs.values())}
    attributors = {spec: attributor_of(model, found, batch_tokens=batch_tokens) for spec, model in opened.items()}
    named = [
        NamedModel(name, attributors[spec], opened[spec].signature, context=name not in alone)
        for name, spec in specs.items()
    ]
    return named, beyond_training({name: opened[spec] for name, spec in specs.items() if name not in alone}, context)
