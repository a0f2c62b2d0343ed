"""What ``context attribute`` puts together: the words of a suite or a corpus, the method, the models."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from endophora.cli import options
from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.context.attribution.attributor import Attribution
    from endophora.context.attribution.cases import Case, Cases, LeftOut, Window
    from endophora.context.attribution.comparing import NamedModel

Choice = TypeVar("Choice", bound=StrEnum)
Read = tuple[str, str | None, list[str] | None, str | None, str | None, str | None]
"""The options that name a corpus, in the order of :func:`endophora.cli.inputs.corpus_from_options`, without systems."""


@dataclass(frozen=True, slots=True)
class Material:
    """Words to be explained.

    Attributes:
        name: of the suite or corpus.
        languages: ISO 639-1 codes; ``None`` if unknown.
        cases: the words.
        warnings: what the user should know.
    """

    name: str
    languages: tuple[str, str] | None
    cases: Cases
    warnings: tuple[str, ...]


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


def numbers(values: Sequence[str] | None, option: str) -> dict[str, float]:
    """Return NAME → number of repeatable options.

    Raises:
        InputError: one has no name (E096) or two the same (E097), or it is no number (E106).
    """
    found: dict[str, float] = {}
    faults: list[Fault] = []
    for name, value in options.named(values, option).items():
        try:
            found[name] = float(value)
        except ValueError:
            faults.append(Fault("E106", f"“{value}” is no number", "give NAME=NUMBER", option))
    if faults:
        raise InputError(faults)
    return found


def contrasts(path: Path | None, sizes: Mapping[str, int]) -> dict[str, float]:
    """Return the accuracies of models in a result of ``context contrast``.

    Args:
        path: of its ``result.json``; ``None`` for none.
        sizes: model → segments of context it is given.

    Raises:
        InputError: the file is no such result (E267), or has none of the models with so much context (E267).
    """
    if path is None:
        return {}
    from pydantic import ValidationError

    from endophora.context.contrast_result import ContrastResult

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


def check(specs: Mapping[str, str], alone: Sequence[str], inputs: Sequence[str | None]) -> None:
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


def method(name: str, normalisation: str, resultant: str) -> Attribution:
    """Return the method of a name.

    Raises:
        InputError: a name is unknown (E266).
        MissingModelError: a library is not installed (E262).
    """
    from endophora.context.attribution.alti import Settings
    from endophora.context.attribution.attributor import Alti, Gradients, Method
    from endophora.context.attribution.blocks import Normalisation, Resultant

    wanted = choice(Method, name, "--method")
    if wanted is not Method.ALTI:
        return Gradients(integrated=wanted is Method.INTEGRATED)
    how = choice(Normalisation, normalisation, "--normalisation")
    return Alti(Settings(how, choice(Resultant, resultant, "--resultant")))


def of_suite(path: str, form: str | None, languages: str, corpus: str | None, window: Window) -> Material:
    """Return the items of a suite.

    Args:
        path: of the suite.
        form: its format, where it is not recognised.
        languages: the pair, where the suite does not say it; may be empty.
        corpus: of the suite's documents, where it has no contexts itself.
        window: the context that words are given.

    Raises:
        InputError: suite or corpus are faulty, or the contexts do not fit (E178).
    """
    from endophora.context.attribution.cases import cases_of_suite
    from endophora.corpus import parse_languages, read_corpus
    from endophora.suites.contexts import join_contexts
    from endophora.suites.formats import read_suite

    suite = read_suite(path, form, languages=parse_languages(languages) if languages else None)
    if corpus is not None:
        pair = (suite.source_language, suite.target_language)
        suite = join_contexts(suite, read_corpus(corpus, languages=pair), window.size)
    known = bool(suite.source_language and suite.target_language)
    pair = (suite.source_language, suite.target_language) if known else None
    return Material(suite.name, pair, cases_of_suite(suite, window), suite.warnings)


def of_corpus(read: Read, phenomena: list[str] | None, window: Window, quiet: bool) -> Material:
    """Return the occurrences that the taggers find in a corpus.

    Args:
        read: the options that name it.
        phenomena: those to look for; all by default.
        window: the context that words are given, and in which antecedents are looked for.
        quiet: no progress.

    Raises:
        InputError: the corpus is faulty, or a phenomenon is unknown.
    """
    from endophora.cli.console import progress_bar
    from endophora.cli.inputs import corpus_from_options, setup_from_options
    from endophora.context.attribution.cases import Cases, cases_of_occurrences
    from endophora.evaluation.columns import reference_text
    from endophora.evaluation.tagging import tag_targets, target_texts

    languages, source, references, documents, path, form = read
    corpus = corpus_from_options(languages, source, references, documents, (), path, form)
    texts = target_texts(corpus, reference_text(corpus.references[0]))
    total = 2 * len(corpus)
    with (
        setup_from_options(corpus, None, None, None, window.size, phenomena, None, False) as setup,
        progress_bar("annotate, link, tag", total, quiet) as advance,
    ):
        (tagged,) = tag_targets(setup, [texts], 1, advance)
    cases, left_out = list["Case"](), Counter["LeftOut"]()
    for document, found in zip(texts, tagged, strict=True):
        places = found.source, found.target
        some = cases_of_occurrences(found.occurrences, document.source, document.target, *places, window)
        cases += some.cases
        left_out.update(some.left_out)
    pair = (corpus.source_language, corpus.target_language)
    name = Path(path or source or "corpus").name
    return Material(name, pair, Cases(tuple(cases), dict(left_out)), tuple(corpus.warnings))


def some(cases: Cases, limit: int, seed: int) -> Cases:
    """Return as many words as are wanted, drawn at random and in their order; 0 for all."""
    if not limit or len(cases.cases) <= limit:
        return cases
    chosen = sorted(random.Random(seed).sample(range(len(cases.cases)), limit))  # noqa: S311 – no secret
    return replace(cases, cases=tuple(cases.cases[number] for number in chosen))


def models(
    specs: Mapping[str, str],
    alone: Sequence[str],
    languages: tuple[str, str] | None,
    found: Attribution,
    batch_tokens: int,
    device: str,
    context: int,
) -> tuple[list[NamedModel], list[str]]:
    """Open models; return them, and a warning for each that is given more context than it knows.

    Args:
        specs: name → what names the model.
        alone: names of those that are given the source alone.
        languages: for models of several languages.
        found: the method.
        batch_tokens: most tokens of a batch.
        device: where models run.
        context: segments of context that they are given.

    Raises:
        InputError: a spec is wrong, or a model cannot be looked into (E265).
        MissingModelError: a model or a library is not there.
    """
    from endophora.context.attribution.attributor import attributor_of
    from endophora.context.attribution.comparing import NamedModel
    from endophora.models.layout import beyond_training
    from endophora.models.opening import open_scorer
    from endophora.models.options import ModelOptions

    settings = ModelOptions(device=device, languages=languages)
    # A model may be there twice, with and without context.
    opened = {spec: open_scorer(spec, settings) for spec in dict.fromkeys(specs.values())}
    attributors = {spec: attributor_of(model, found, batch_tokens=batch_tokens) for spec, model in opened.items()}
    named = [
        NamedModel(name, attributors[spec], opened[spec].signature, context=name not in alone)
        for name, spec in specs.items()
    ]
    return named, beyond_training({name: opened[spec] for name, spec in specs.items() if name not in alone}, context)
