"""From a corpus and models to a result: all models under all conditions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from urllib.parse import quote

from endophora.context.context_read import (
    KeptAnswers,
    KeptTranslator,
    context_of,
    count_context,
    cut_warnings,
    skip_long,
    too_long,
    trimmed,
    untold_warnings,
)
from endophora.context.perturbation.conditions import (
    CORRECT,
    NONE,
    DocumentTexts,
    Given,
    Kind,
    PerturbationOptions,
    Tried,
    check_metrics,
    perturbed_inputs,
)
from endophora.context.perturbation.figures import CXMI, compute_figures, measure
from endophora.context.perturbation.phenomena import Judging, judged_columns
from endophora.context.perturbation.verdicts import judge
from endophora.context.results import (
    PerturbationResult,
    PerturbationSettings,
    PerturbedCondition,
    PerturbedCorpus,
    PerturbedModel,
    PerturbedOutput,
)
from endophora.corpus.records import Corpus
from endophora.corpus.writing import make_folder, write_lines
from endophora.errors import Fault, InputError
from endophora.metrics import reads_annotations
from endophora.models.layout import beyond_training
from endophora.models.records import ContextRead, Scorer, Sides, Translator, translate_documents
from endophora.phenomena.tagging import check_judged
from endophora.signature import digest_of, result_signature
from endophora.store import Store
from endophora.version import __version__


def try_model(
    model: Translator, texts: Sequence[DocumentTexts], options: PerturbationOptions, answers: KeptAnswers
) -> dict[str, Tried]:
    """Return what a model does under each condition, by the condition's name.

    The correct context comes first, segment by segment, where the model's own translations are part of it; the other
    conditions are made of these same translations, so that all perturb the same context: as much of it as the model has
    read, since it would make no difference what replaces the rest.

    Where the model scores too, the references are scored unless the options say otherwise.
    """
    scorer = model if isinstance(model, Scorer) else None
    # A model is given no context on a side that it does not look at.
    uses = options.sides is Sides.TARGET or bool(getattr(model, "uses_target_context", True))
    sides = options.sides if uses else Sides.SOURCE
    sources = [text.sources for text in texts]
    if options.target_context == "own":
        own = translate_documents(KeptTranslator(model, answers), sources, options.size, sides, options.decoding)
        texts_of: Sequence[Sequence[str]] = [[translation.text for translation in document] for document in own]
    else:
        texts_of = [text.references for text in texts]
    given = Given(texts, texts_of, options.size, sides, options.seed)
    correct = perturbed_inputs(given, CORRECT, scorer)
    references = [reference for text in texts for reference in text.references]
    # What is without context is scored in any case: CXMI is the difference to it.
    conditions = dict.fromkeys((*options.conditions, NONE) if scorer and options.cxmi != "off" else options.conditions)
    found: dict[str, Tried] = {}
    read: Sequence[ContextRead] | None = None
    scored_read: Sequence[ContextRead] | None = None
    for condition in conditions:
        inputs = perturbed_inputs(given, condition, scorer, read)
        scored_inputs = perturbed_inputs(given, condition, scorer, scored_read)
        wanted = condition in options.conditions
        translations = answers.translate(model, inputs, options.decoding) if wanted else []
        scored = answers.likelihoods(scorer, scored_inputs, references) if scorer and options.cxmi != "off" else []
        contexts = tuple(context_of(*pair) for pair in zip(translations, inputs, strict=False))
        scored_contexts = tuple(context_of(*pair) for pair in zip(scored, scored_inputs, strict=False))
        if condition == CORRECT:
            read, scored_read = contexts, scored_contexts or None
        # What the model does not read makes no difference.
        changed = sum(
            trimmed(one, context) != trimmed(other, context)
            for one, other, context in zip(inputs, correct, read or [None] * len(inputs), strict=True)
        )
        found[condition.name] = Tried(tuple(translations), tuple(scored), changed, contexts, scored_contexts)
    return found


_NUMBER = re.compile(r"\d+")
_OTHER_NUMBER = re.compile(r"\d+ (\w+), not \d+")

FOLDER = "translations"
"""Where translations are written, next to the result."""


@dataclass(frozen=True, slots=True)
class Perturbation:
    """What a perturbation found, and what each model did: model → condition → translations and likelihoods."""

    result: PerturbationResult
    tried: Mapping[str, Mapping[str, Tried]]
    corpus: Corpus


def perturb(
    corpus: Corpus,
    models: Mapping[str, Translator],
    options: PerturbationOptions | None = None,
    store: Store | None = None,
    progress: Callable[[int], None] | None = None,
    skip_faults: bool = False,
    judging: Judging | None = None,
) -> Perturbation:
    """Try models under correct and perturbed context (Mohammed and Niculae 2024, §4.1 and Table 2).

    Args:
        corpus: documents with a reference; outputs of systems are not looked at.
        models: name → model; one that is a :class:`~endophora.models.records.Scorer` too has CXMI measured.
        options: conditions, metrics, statistics.
        store: where answers of models are kept, so that an interrupted run continues; in memory by default.
        progress: called with the number of inputs that were answered; :func:`total_inputs` of them.
        judging: tools with which phenomena and metrics of annotated text are measured too, as ``evaluate`` does.
        skip_faults: leave out and count segments that are too long for a model, as if they were not in the text.

    Raises:
        InputError: there is no model (E328) or no reference (E329), a model cannot do what is asked (E328), a metric is
            unknown (E090) or reads text that is not annotated (E327), or a model has no room for a segment (E281).
        MissingModelError: what a metric needs is not installed.
    """
    chosen = options or PerturbationOptions()
    _check(corpus, models, chosen)
    check_metrics(chosen.metrics, corpus.target_language, len(corpus.references), judged=judging is not None)
    if judging is not None and judging.options.judge == "choice":
        check_judged(judging.setup.taggers, "add --judge wording, which scores the words themselves")
    whole = corpus
    corpus = _without_long(corpus, models, chosen, skip_faults)
    texts = corpus_texts(corpus)
    # An empty store is false.
    answers = KeptAnswers(Store() if store is None else store, progress)
    tried = {name: try_model(model, texts, chosen, answers) for name, model in models.items()}
    measured = {name: measure(found, corpus, chosen) for name, found in tried.items()}
    if judging is not None:
        annotated = tuple(name for name in chosen.metrics if reads_annotations(name))
        for name, found in tried.items():
            measured[name] += judged_columns(found, corpus, judging, annotated)
    columns = {one.column.name: one.column for each in measured.values() for one in each}
    scores, differences, doubts = compute_figures(measured, chosen)
    made = PerturbationResult(
        version=__version__,
        signature=_signature(corpus, texts, models, chosen, judging),
        corpus=PerturbedCorpus(
            source_language=corpus.source_language,
            target_language=corpus.target_language,
            documents=len(corpus.documents),
            segments=len(corpus),
            skipped=len(whole) - len(corpus),
            references=list(corpus.references),
        ),
        settings=PerturbationSettings.of(
            chosen,
            beam=chosen.decoding.beam,
            length_penalty=chosen.decoding.length_penalty,
            longest=chosen.decoding.longest,
            cxmi_margin=chosen.least_cxmi,
            judge="off" if judging is None else judging.options.judge,
        ),
        models=[PerturbedModel(name=name, signature=model.signature) for name, model in models.items()],
        conditions=[
            PerturbedCondition(name=one.name, description=one.description(chosen.target_context))
            for one in chosen.conditions
        ],
        columns=sorted(columns.values(), key=lambda column: column.name == CXMI),
        scores=scores,
        differences=differences,
        outputs=_outputs(tried),
        verdicts=[],
        warnings=[*corpus.warnings, *doubts, *_warnings(tried, models, chosen)],
    )
    return Perturbation(made.model_copy(update={"verdicts": judge(made)}), tried, corpus)


def total_inputs(corpus: Corpus, models: Mapping[str, Translator], options: PerturbationOptions) -> int:
    """Return how many inputs will be answered, by models or from the store: what progress is measured by."""
    scored = len({*options.conditions, NONE}) if options.cxmi != "off" else 0
    first = options.target_context == "own"
    rounds = (len(options.conditions) + first + isinstance(model, Scorer) * scored for model in models.values())
    return len(corpus) * sum(rounds)


def corpus_texts(corpus: Corpus) -> list[DocumentTexts]:
    """Return each document's sources and first references."""
    name = corpus.references[0]
    return [
        DocumentTexts(
            tuple(segment.source for segment in document.segments),
            tuple(segment.references[name] for segment in document.segments),
        )
        for document in corpus.documents
    ]


def output_file(model: str, condition: str) -> str:
    """Return where a model's translations under a condition are written, relative to the result."""
    return f"{FOLDER}/{quote(model, safe=' ')}.{condition.replace(':', '.')}.txt"


def _check(corpus: Corpus, models: Mapping[str, object], options: PerturbationOptions) -> None:
    if not models:
        raise InputError(Fault("E328", "there is no model", "give one: --model NAME=MODEL", "--model"))
    if not corpus.references or not len(corpus):
        cause = "there is no reference" if len(corpus) else "there is no segment"
        raise InputError(Fault("E329", cause, "translations are compared with one: give it", "--reference"))
    faults: list[Fault] = []
    for name, model in models.items():
        random = any(one.kind is Kind.RANDOM for one in options.conditions)
        if not isinstance(model, Translator):
            faults.append(Fault("E328", f"“{name}” does not translate", "name a translation model", "--model"))
        elif random and not isinstance(model, Scorer):
            advice = "name other conditions: --condition sentences --condition none"
            faults.append(Fault("E328", f"“{name}” shows no vocabulary to draw random tokens from", advice, "--model"))
    if faults:
        raise InputError(faults)


def _without_long(corpus: Corpus, models: Mapping[str, Translator], options: PerturbationOptions, skip: bool) -> Corpus:
    """Return a corpus without segments that a model cannot take; E281 if they are not to be left out."""
    segments = [segment for document in corpus.documents for segment in document.segments]
    sources = [segment.source for segment in segments]
    references = [segment.references[corpus.references[0]] for segment in segments]
    found: dict[int, str] = {}
    for name, model in models.items():
        long = too_long(model, sources, None, options.decoding)
        if isinstance(model, Scorer) and options.cxmi != "off":
            long |= too_long(model, sources, references)
        found |= {place: f"{name}: {cause}" for place, cause in long.items()}
    warnings = skip_long(found, [segment.location for segment in segments], skip)
    if not found:
        return corpus
    places = count()
    documents = [
        replace(document, segments=tuple(one for one in document.segments if next(places) not in found))
        for document in corpus.documents
    ]
    kept = tuple(document for document in documents if document.segments)
    return replace(corpus, documents=kept, warnings=(*corpus.warnings, *warnings))


def _outputs(tried: Mapping[str, Mapping[str, Tried]]) -> list[PerturbedOutput]:
    return [
        PerturbedOutput(
            model=model,
            condition=name,
            changed=one.changed,
            warned=sum(bool(translation.warning) for translation in one.translations),
            context=count_context(one.contexts),
            scored=count_context(one.scored_contexts) if one.scored_contexts else None,
            file=output_file(model, name),
        )
        for model, conditions in tried.items()
        for name, one in conditions.items()
        if one.translations
    ]


def _warnings(
    tried: Mapping[str, Mapping[str, Tried]], models: Mapping[str, Translator], options: PerturbationOptions
) -> list[str]:
    """Return what models warned of, counted, what context they do not know, and which have no CXMI."""
    found = beyond_training(models, options.size)
    for model, conditions in tried.items():
        each = [count_context((*one.contexts, *one.scored_contexts)) for one in conditions.values()]
        found += untold_warnings(model, each)
        for name, one in conditions.items():
            texts = [_countless(translation.warning) for translation in one.translations if translation.warning]
            said = Counter(texts)
            found += cut_warnings(f"{model}, {name}", count_context(one.contexts))
            found += cut_warnings(f"{model}, {name}, scored", count_context(one.scored_contexts))
            found += [f"{model}, {name}: {count:,} × {text}" for text, count in said.items()]
    if options.cxmi != "off":
        found += [
            f"{name} does not tell how probable a target is: no CXMI"
            for name, model in models.items()
            if not isinstance(model, Scorer)
        ]
    return found


def _signature(
    corpus: Corpus,
    texts: list[DocumentTexts],
    models: Mapping[str, Translator],
    options: PerturbationOptions,
    judging: Judging | None,
) -> str:
    return result_signature(
        options,
        pair=f"{corpus.source_language}-{corpus.target_language}",
        text=digest_of(texts)[:8],
        models=digest_of([model.signature for model in models.values()])[:8],
        conditions="+".join(condition.name for condition in options.conditions),
        context=options.size,
        sides=options.sides.value,
        target=None if options.target_context == "own" else options.target_context,
        beam=options.decoding.beam,
        penalty=f"{options.decoding.length_penalty:g}",
        longest=f"{options.decoding.longest:g}",
        cxmi=options.cxmi,
        judge=None if judging is None else judging.options.judge,
        tools=None if judging is None else digest_of(judging)[:8],
        test=options.test,
        units=options.units,
        resamples=options.resamples,
        seed=options.seed,
    )


def write_translations(found: Perturbation, directory: Path) -> None:
    """Write all translations, and the corpus with them, into ``translations/`` of a directory (E095, E026).

    A line end in a text becomes a blank. ``source.txt``, a file for each reference and ``documents.txt`` (ids) have as
    many lines, so that any tool can score the translations.
    """
    corpus, folder = found.corpus, directory / FOLDER
    make_folder(folder, "the translations")
    segments = [(document.id, segment) for document in corpus.documents for segment in document.segments]
    write_lines(folder / "documents.txt", (_line(document) for document, _ in segments))
    write_lines(folder / "source.txt", (_line(segment.source) for _, segment in segments))
    for number, name in enumerate(corpus.references, start=1):
        file = folder / ("reference.txt" if number == 1 else f"reference.{number}.txt")
        write_lines(file, (_line(segment.references[name]) for _, segment in segments))
    for model, conditions in found.tried.items():
        for condition, one in conditions.items():
            if one.translations:
                write_lines(directory / output_file(model, condition), (_line(each.text) for each in one.translations))


def _line(text: str) -> str:
    return " ".join(text.splitlines()) if text.splitlines()[1:] else text


def _countless(warning: str) -> str:
    """Return a warning without its numbers, which differ from segment to segment."""
    return _NUMBER.sub("N", _OTHER_NUMBER.sub(r"another number of \1", warning))
