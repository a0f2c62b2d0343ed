"""``endophora context attribute``: how much of a generated word came from the words that support it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import ValidationError

from endophora.cli.commands import But, Only, command
from endophora.cli.console import REPORT, RESULT, progress_bar, show_result
from endophora.cli.context import Models
from endophora.cli.inputs import Directory, Format, Inputs, SuiteInputs, Tools
from endophora.cli.model_options import pair_of
from endophora.context.attribution.cases import (
    AttributionOptions,
    Case,
    Cases,
    LeftOut,
    Window,
    cases_of_occurrences,
    cases_of_suite,
    read_choice,
)
from endophora.context.results import ContrastResult
from endophora.corpus.records import Corpus, Document
from endophora.corpus.writing import write_lines
from endophora.errors import Fault, InputError, first_line, refuse
from endophora.evaluation.columns import reference_text
from endophora.evaluation.result import Result
from endophora.evaluation.tagging import tag_targets, target_texts
from endophora.files import Output
from endophora.models.layout import beyond_training
from endophora.models.records import Translator, translate_documents
from endophora.models.specs import open_scorer
from endophora.options import option
from endophora.record import StudyResult
from endophora.report import REPORTS

if TYPE_CHECKING:
    from endophora.context.attribution.attributor import Attribution


@dataclass(frozen=True, slots=True, kw_only=True)
class WordInputs(Inputs):
    """Where the words are: a corpus, or a suite and its languages."""

    languages: str = option("", "--languages", "-l", metavar="SRC-TGT", help="Language pair, as en-de.")
    suite: str | None = option(
        None, metavar="PATH", help="Test suite that knows what supports its words: SCAT, ContraPro, …"
    )
    own: bool = option(False, help="Words of the model's own translation of a corpus, made first; kept in own.txt.")
    limit: int = option(0, least=0, help="Words to measure, drawn at random; 0 for all.")


@dataclass(frozen=True, slots=True, kw_only=True)
class WordTools(Tools):
    """The tools that find words in a corpus."""

    window: int | None = option(  # pyright: ignore[reportIncompatibleVariableOverride]
        None, least=0, help="Segments back in which antecedents are looked for. [default: as --context]"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained(Models):
    """The models that are explained."""

    without_context: tuple[str, ...] = option(
        (), metavar="NAME", help="A --model that is given the source alone. Repeatable."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodChoice:
    """How shares are computed."""

    method: str = option(
        "alti",
        metavar="NAME",
        help="alti, or by inseq's names saliency, input_x_gradient, integrated_gradients, occlusion, attention.",
    )
    normalisation: str = option("min_sum", metavar="NAME", help="Of ALTI+: min_sum, min_sum_no_norm or sum_one.")
    resultant: str = option(
        "output", metavar="NAME", help="Of ALTI+: distances from the output, or the sum without biases."
    )
    batch_tokens: int = option(0, least=0, help="Most tokens of a batch; 0 takes what suits the device.")

    inseq: bool = option(False, help="Also write the shares as inseq reads them, a file a model, into inseq/.")

    def attribution(self) -> Attribution:
        """Return the method (E266)."""
        from endophora.context.attribution.alti import Alti
        from endophora.context.attribution.attributor import Method
        from endophora.context.attribution.blocks import Normalisation, Resultant

        wanted = read_choice(Method, self.method, "--method")
        if wanted is not Method.ALTI:
            return wanted.attribution()
        how = read_choice(Normalisation, self.normalisation, "--normalisation")
        return Alti(how, read_choice(Resultant, self.resultant, "--resultant"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracies:
    """Accuracies of models, to be compared with their shares."""

    accuracy: Mapping[str, float] = option(
        {}, metavar="NAME=NUMBER", help="A model's accuracy, for the Pareto plot. Repeatable."
    )
    contrast: Path | None = option(
        None, metavar="FILE", help="result.json of context contrast, for the accuracies of models by name."
    )
    evaluation: Path | None = option(
        None, metavar="FILE", help="result.json of evaluate, for the figures of systems with the models' names."
    )
    column: str = option("pronouns", metavar="NAME", help="Of the --evaluation: a phenomenon or metric.")

    def of(self, sizes: Mapping[str, int]) -> dict[str, float]:
        """Return the accuracies of models, in per cent, that are known; those given by number count first (E267)."""
        evaluated = evaluations(self.evaluation, self.column, list(sizes))
        return {**evaluated, **contrasts(self.contrast, sizes), **self.accuracy}


@dataclass(frozen=True, slots=True)
class Material:
    """Words to be explained, with the name of the suite or corpus and the languages, where they are known."""

    name: str
    languages: tuple[str, str] | None
    cases: Cases
    warnings: tuple[str, ...]


@command(strict=True)
def attribute(
    inputs: WordInputs,
    reading: Annotated[
        SuiteInputs, But("languages", corpus="Corpus of the suite's documents, where it has no contexts itself.")
    ],
    tools: WordTools,
    how: MethodChoice,
    models: Annotated[
        Explained, Only("model", "without_context", "device", precision="float32 (also on a GPU), bfloat16 or float16.")
    ],
    window: Window,
    options: Annotated[AttributionOptions, But("units", "alpha")],
    accuracies: Accuracies,
    output: Directory = Path("endophora-attribution"),
    output_format: Format = "text",
) -> None:
    """Trace words that need context back to what a model read."""
    # Its help needs no torch.
    from endophora.context.attribution.attributor import attributor_of
    from endophora.context.attribution.comparing import NamedModel
    from endophora.context.attribution.comparing import attribute as compare
    from endophora.context.attribution.inseq_flows import FOLDER, InseqAttributor, Sequences, write_sequences

    place = Output(output, [RESULT, REPORT, *([f"{FOLDER}/"] if how.inseq else ()), *([OWN] if inputs.own else ())])
    render = REPORTS.get(output_format)
    found, specs = how.attribution(), models.specs
    options = replace(options, window=window)
    sizes = {name: 0 if name in models.without_context else window.size for name in specs}
    known = accuracies.of(sizes)
    _check(inputs, specs, models.without_context)
    given = None if inputs.suite is None else replace(reading, languages=inputs.languages)
    material = None if given is None else _of_suite(str(inputs.suite), given, window)
    corpus = None if material else inputs.read(source_alone=inputs.own, unreferenced=inputs.own)
    # A model may be there twice, with and without context.
    # Shares that rest on small differences are of little worth in half precision.
    pair = pair_of(corpus) if corpus else material and material.languages
    settings = replace(models, precision=models.precision or "float32").options(pair)
    files = {spec: InseqAttributor.read(spec[len(_INSEQ) :]) for spec in _files(specs)}
    opened = {spec: open_scorer(spec, settings) for spec in dict.fromkeys(specs.values()) if spec not in files}
    if corpus is not None:
        corpus = translated(corpus, next(iter(opened.values())), window) if inputs.own else corpus
        name = Path(inputs.place or inputs.source or "corpus").name
        material = _of_corpus(corpus, f"{name}, translated by the model" if inputs.own else name, tools, window)
    if material is None:
        raise ValueError("there is a suite or a corpus")
    attributors = {spec: attributor_of(one, found, batch_tokens=how.batch_tokens) for spec, one in opened.items()}
    kept = {name: Sequences(name, attributors[spec]) for name, spec in specs.items() if how.inseq and spec in opened}
    named = [
        NamedModel(
            name,
            kept[name].attributor if name in kept else {**files, **attributors}[spec],
            spec if spec in files else opened[spec].signature,
            context=name not in models.without_context,
        )
        for name, spec in specs.items()
    ]
    contextual = {one.name: opened[specs[one.name]] for one in named if one.context and specs[one.name] in opened}
    warnings = [*material.warnings, *beyond_training(contextual, window.size)]
    cases = drawn_cases(material.cases, inputs.limit, options.seed)
    with tools.kept() as store, progress_bar("attribute", len(cases.cases) * len(named)) as advance:
        explained = partial(compare, material.name, cases, named, options, accuracies=known, warnings=warnings)
        result = explained(progress=advance, store=store)

    def write(folder: Path) -> None:
        if kept:
            write_sequences(kept.values(), folder)
        if inputs.own and corpus is not None:
            segments = [one for document in corpus.documents for one in document.segments]
            write_lines(folder / OWN, (one.references[OWN] for one in segments))

    show_result(result, render, place, write)


OWN = "own.txt"
"""Where the model's own translation is written, one segment a line, and its name as a reference."""


def translated(corpus: Corpus, model: object, window: Window) -> Corpus:
    """Return a corpus whose reference is what a model writes with its own translations as context (E277)."""
    if not isinstance(model, Translator):
        raise InputError(Fault("E277", "the model does not translate", "name another one", "--own"))
    sources = [[one.source for one in document.segments] for document in corpus.documents]
    with progress_bar("translate", len(corpus)) as advance:
        made = translate_documents(model, sources, window.size, window.sides, progress=advance)
    documents: list[Document] = []
    for document, texts in zip(corpus.documents, made, strict=True):
        pairs = zip(document.segments, texts, strict=True)
        documents.append(replace(document, segments=tuple(replace(one, references={OWN: x.text}) for one, x in pairs)))
    return replace(corpus, documents=tuple(documents), references=(OWN,))


_INSEQ = "inseq:"
"""Beginning of a model's spec that is a file of inseq."""


def accuracies_of(result: ContrastResult, sizes: Mapping[str, int]) -> dict[str, float]:
    """Return the accuracies of models, each with so many segments of context, that a contrast has."""
    found = {name: result.score(name, size) for name, size in sizes.items()}
    return {name: score.value for name, score in found.items() if score is not None and score.value is not None}


_Result = TypeVar("_Result", bound=StudyResult)


def _result_of(command: str, kind: type[_Result], path: Path) -> _Result:
    """Read the ``result.json`` of a command (E267)."""
    try:
        return kind.read(path)
    except (OSError, ValidationError) as error:
        cause = f"this is no result of {command} ({first_line(error)})"
        raise InputError(Fault("E267", cause, "name the result.json that it wrote", str(path))) from error


def contrasts(path: Path | None, sizes: Mapping[str, int]) -> dict[str, float]:
    """Return the accuracies of models in the ``result.json`` of ``context contrast``, if one is named (E267)."""
    if path is None:
        return {}
    result = _result_of("context contrast", ContrastResult, path)
    known = accuracies_of(result, sizes)
    if not known:
        have = ", ".join(f"{run.model} with {run.size}" for run in result.runs)
        cause = "it has none of the models with as much context"
        raise InputError(Fault("E267", cause, f"it has: {have or 'none'}", str(path)))
    return known


def evaluations(path: Path | None, column: str, models: Sequence[str]) -> dict[str, float]:
    """Return the figures of systems, in per cent of a perfect score, in the ``result.json`` of ``evaluate`` (E267)."""
    if path is None:
        return {}
    result = _result_of("evaluate", Result, path)
    scale = next((one.scale for one in result.columns if one.name == column), None)
    scores = [one for one in result.scores if one.column == column and one.system in models and one.value is not None]
    if scale is None or not scores:
        have = ", ".join(one.name for one in result.columns) if scale is None else ", ".join(result.corpus.systems)
        cause = f"it has no column “{column}”" if scale is None else "it has none of the models"
        raise InputError(Fault("E267", cause, f"it has: {have or 'none'}", str(path)))
    return {one.system: 100 * one.value / scale for one in scores if one.value is not None}


def _files(specs: Mapping[str, str]) -> list[str]:
    return [spec for spec in specs.values() if spec.startswith(_INSEQ)]


def _check(inputs: WordInputs, specs: Mapping[str, str], alone: Sequence[str]) -> None:
    """Check what can be checked before anything takes time (E264, E266)."""
    faults: list[Fault] = []
    if sum(one is not None for one in (inputs.suite, inputs.source, inputs.place)) != 1:
        advice = "give --suite, or a corpus with --input or --source and --reference"
        faults.append(Fault("E266", "it is not said once where the words are", advice, "--suite"))
    if inputs.own and (inputs.suite is not None or len(set(specs.values())) != 1 or _files(specs)):
        advice = "name one --model that runs here, and a corpus: two models write different words"
        faults.append(Fault("E266", "--own is of one model's translation of a corpus", advice, "--own"))
    known = f"there are: {', '.join(specs)}"
    faults += [
        Fault("E264", f"“{name}” is no model", known, "--without-context") for name in alone if name not in specs
    ]
    refuse(faults)


def _of_suite(path: str, reading: SuiteInputs, window: Window) -> Material:
    """Return the items of a suite; contexts that do not fit are E178."""
    suite = reading.read(path, window.size)
    known = bool(suite.source_language and suite.target_language)
    pair = (suite.source_language, suite.target_language) if known else None
    return Material(suite.name, pair, cases_of_suite(suite, window), suite.warnings)


def _of_corpus(corpus: Corpus, name: str, tools: WordTools, window: Window) -> Material:
    """Return the occurrences that the taggers find in a corpus."""
    texts = target_texts(corpus, reference_text(corpus.references[0]))
    wanted = replace(tools, window=window.size if tools.window is None else tools.window)
    with wanted.setup(pair_of(corpus)) as setup, progress_bar("annotate, link, tag", 2 * len(corpus)) as advance:
        (tagged,) = tag_targets(setup, [texts], 1, advance)
    cases, left_out = list[Case](), Counter[LeftOut]()
    for document, found in zip(texts, tagged, strict=True):
        places = found.source, found.target
        some = cases_of_occurrences(found.occurrences, document.source, document.target, *places, window)
        cases += some.cases
        left_out.update(some.left_out)
    return Material(name, pair_of(corpus), Cases(tuple(cases), dict(left_out)), tuple(corpus.warnings))


def drawn_cases(cases: Cases, limit: int, seed: int) -> Cases:
    """Return as many words as are wanted, drawn at random and in their order; 0 for all."""
    if not limit or len(cases.cases) <= limit:
        return cases
    chosen = sorted(random.Random(seed).sample(range(len(cases.cases)), limit))  # noqa: S311 – no secret
    return replace(cases, cases=tuple(cases.cases[number] for number in chosen))
