"""From a corpus and models to a result: all models under all conditions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from urllib.parse import quote

from endophora.context.context_counts import count_context, cut_warnings, untold_warnings
from endophora.context.fitting import skip_long
from endophora.context.perturbation.contexts import Text
from endophora.context.perturbation.figures import CXMI, Judged, compute_figures, measure
from endophora.context.perturbation.keeping import Keeper
from endophora.context.perturbation.options import PerturbationOptions, check_metrics, margin_of_cxmi
from endophora.context.perturbation.result import (
    PerturbationResult,
    PerturbationSettings,
    PerturbedCondition,
    PerturbedCorpus,
    PerturbedModel,
    PerturbedOutput,
)
from endophora.context.perturbation.running import Tried, check_model, count_inputs, long_segments, try_model
from endophora.context.perturbation.verdicts import judge
from endophora.corpus.records import Corpus
from endophora.errors import Fault, InputError
from endophora.models.layout import beyond_training
from endophora.models.records import Scorer, Translator
from endophora.signature import digest_of, write_signature
from endophora.store import Store
from endophora.version import __version__

_NUMBER = re.compile(r"\d+")

FOLDER = "translations"
"""Where translations are written, beside the result."""


@dataclass(frozen=True, slots=True)
class Perturbation:
    """What a perturbation found, and the translations.

    Attributes:
        result: all figures.
        tried: model → condition → what it did; CXMI may have tried *none* although no translation was asked for.
        corpus: the documents without segments that were left out.
    """

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
) -> Perturbation:
    """Try models under correct and perturbed context (Mohammed and Niculae 2024, §4.1 and Table 2).

    Args:
        corpus: documents with a reference; outputs of systems are not looked at.
        models: name → model; one that is a :class:`~endophora.models.records.Scorer` too has CXMI measured.
        options: conditions, metrics, statistics.
        store: where answers of models are kept, so that a broken run goes on; in memory by default.
        progress: called with the number of inputs that were answered; :func:`total_inputs` of them.
        skip_faults: leave out and count segments that are too long for a model, as if they were not in the text.

    Raises:
        InputError: there is no model (E328) or no reference (E329), a model cannot do what is asked (E328), a metric is
            unknown (E090) or reads annotated text (E327), or a model has no room for a segment (E281).
        MissingModelError: what a metric needs is not installed.
    """
    chosen = options or PerturbationOptions()
    _check(corpus, models, chosen)
    check_metrics(chosen.metrics, corpus.target_language, len(corpus.references))
    whole = corpus
    corpus = _without_long(corpus, models, chosen, skip_faults)
    texts = corpus_texts(corpus)
    # An empty store is false.
    keeper = Keeper(Store() if store is None else store, progress)
    tried = {name: try_model(model, texts, chosen, keeper) for name, model in models.items()}
    judged = _judged(corpus, texts)
    measured = {name: measure(found, judged, chosen) for name, found in tried.items()}
    columns = {one.column.name: one.column for each in measured.values() for one in each}
    figures = compute_figures(measured, chosen)
    made = PerturbationResult(
        version=__version__,
        signature=_signature(corpus, texts, models, chosen),
        corpus=PerturbedCorpus(
            source_language=corpus.source_language,
            target_language=corpus.target_language,
            documents=len(corpus.documents),
            segments=len(corpus),
            skipped=len(whole) - len(corpus),
            references=list(corpus.references),
        ),
        settings=_settings(chosen),
        models=[PerturbedModel(name=name, signature=model.signature) for name, model in models.items()],
        conditions=[PerturbedCondition(name=one.name, description=one.description) for one in chosen.conditions],
        columns=sorted(columns.values(), key=lambda column: column.name == CXMI),
        scores=figures.scores,
        differences=figures.differences,
        outputs=_outputs(tried),
        verdicts=[],
        warnings=[*corpus.warnings, *figures.warnings, *_warnings(tried, models, chosen)],
    )
    return Perturbation(made.model_copy(update={"verdicts": judge(made)}), tried, corpus)


def total_inputs(corpus: Corpus, models: Mapping[str, Translator], options: PerturbationOptions) -> int:
    """Return how many inputs will be answered, by models or from the store."""
    texts = corpus_texts(corpus)
    return sum(count_inputs(texts, options, isinstance(model, Scorer)) for model in models.values())


def corpus_texts(corpus: Corpus) -> list[Text]:
    """Return each document's sources and first references."""
    name = corpus.references[0]
    return [
        Text(
            tuple(segment.source for segment in document.segments),
            tuple(segment.references[name] for segment in document.segments),
        )
        for document in corpus.documents
    ]


def output_file(model: str, condition: str) -> str:
    """Return where a model's translations under a condition are written, relative to the result."""
    return f"{FOLDER}/{quote(model, safe=' ')}.{condition.replace(':', '.')}.txt"


def _check(corpus: Corpus, models: Mapping[str, Translator], options: PerturbationOptions) -> None:
    if not models:
        raise InputError(Fault("E328", "there is no model", "give one: --model NAME=MODEL", "--model"))
    if not corpus.references or not len(corpus):
        cause = "there is no reference" if len(corpus) else "there is no segment"
        raise InputError(Fault("E329", cause, "translations are compared with one: give it", "--reference"))
    for name, model in models.items():
        check_model(name, model, options)


def _without_long(corpus: Corpus, models: Mapping[str, Translator], options: PerturbationOptions, skip: bool) -> Corpus:
    """Return a corpus without segments that a model cannot take, if they are to be left out; a warning names each.

    Raises:
        InputError: there are some, and they are not to be left out (E281).
    """
    found = long_segments(models, corpus_texts(corpus), options)
    segments = [segment for document in corpus.documents for segment in document.segments]
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


def _judged(corpus: Corpus, texts: list[Text]) -> Judged:
    segments = [segment for document in corpus.documents for segment in document.segments]
    return Judged(
        corpus.target_language,
        tuple(segment.source for segment in segments),
        tuple(tuple(segment.references[name] for segment in segments) for name in corpus.references),
        tuple(number for number, text in enumerate(texts) for _ in text.sources),
    )


def _settings(options: PerturbationOptions) -> PerturbationSettings:
    return PerturbationSettings.model_validate(
        {
            "size": options.size,
            "sides": options.sides.value,
            "beam": options.decoding.beam,
            "length_penalty": options.decoding.length_penalty,
            "longest": options.decoding.longest,
            "cxmi_margin": margin_of_cxmi(options),
            **{
                name: getattr(options, name)
                for name in (
                    *("cxmi", "test", "units", "resamples", "confidence", "alpha", "seed"),
                    *("margin", "collapse", "without_context"),
                )
            },
        }
    )


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
            # Numbers differ from segment to segment: how many sentences, how many tokens.
            texts = [_NUMBER.sub("N", translation.warning) for translation in one.translations if translation.warning]
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
    corpus: Corpus, texts: list[Text], models: Mapping[str, Translator], options: PerturbationOptions
) -> str:
    """Return what makes two results comparable, as ``key:value|key:value`` in a fixed order."""
    pairs = {
        "pair": f"{corpus.source_language}-{corpus.target_language}",
        "text": digest_of(texts)[:8],
        "models": digest_of([model.signature for model in models.values()])[:8],
        "conditions": "+".join(condition.name for condition in options.conditions),
        "context": options.size,
        "sides": options.sides.value,
        "beam": options.decoding.beam,
        "penalty": f"{options.decoding.length_penalty:g}",
        "longest": f"{options.decoding.longest:g}",
        "cxmi": options.cxmi,
        "test": options.test,
        "units": options.units,
        "resamples": options.resamples,
        "seed": options.seed,
        "version": __version__,
    }
    return write_signature([*pairs.items(), ("options", digest_of(options)[:8])])
