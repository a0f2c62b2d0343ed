"""Every measure of context use on models of a language whose answer is known: only the sentence before tells a pronoun.

Documents are *The lamp is here. It is old.* and similar ones, three nouns to each German gender, all equally
often. Whoever reads the sentence before knows the pronoun, and whoever does not guesses one in three: so P-CXMI of a
pronoun is ln 3 nats, and that of every other word 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from endophora.context.attribution.alti import Alti
from endophora.context.attribution.attributor import attributor_of
from endophora.context.attribution.cases import AttributionOptions, Cases, Window, cases_of_suite
from endophora.context.attribution.comparing import NamedModel, attribute
from endophora.context.attribution.results import AttributionResult
from endophora.context.contrast import Contrast, score_contrast
from endophora.context.contrast_figures import ContrastOptions
from endophora.context.cxmi import CxmiOptions, Measurement, measure_cxmi
from endophora.context.perturbation.conditions import PerturbationOptions
from endophora.context.perturbation.perturb import Perturbation, perturb
from endophora.context.results import ItemFigure
from endophora.context.samples import corpus_material
from endophora.context.themes import Limits, Themes, make_themes
from endophora.corpus.records import Corpus
from endophora.evaluation.setup import Setup
from endophora.models.records import Decoding
from endophora.models.sequence_model import LocalModel
from endophora.record import Interval
from endophora.suites.records import Suite

SENTENCE, CONCATENATION, MULTI = MODELS = ("sentence", "concatenation", "multi-encoder")
"""The models by how they take context; the first one has never seen any."""
CONTEXTUAL = MODELS[1:]
_PRONOUNS, _OTHER = "pronouns", "other words"
_GUESS = 100 / 3

Answer: TypeAlias = "float | str"


@dataclass(frozen=True, slots=True)
class DemoFigure:
    """A figure, by the command that gives it, and what is so in this language; ``count`` is of how many it is."""

    measure: str
    model: str
    what: str
    found: Answer
    truth: Answer
    count: int
    interval: Interval | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Demonstration:
    """What all measures found: the table, and each one's own result."""

    figures: tuple[DemoFigure, ...]
    cxmi: Mapping[str, Measurement]
    themes: Mapping[str, Themes]
    perturbation: Perturbation
    contrast: Contrast
    attribution: AttributionResult


def demonstrate(
    corpus: Corpus,
    suite: Suite,
    models: Mapping[str, LocalModel],
    setup: Setup,
    step: Callable[[str], None] = lambda _: None,
) -> Demonstration:
    """Return what the measures say of the models.

    The suite has the same pronouns, each with the other two as wrong translations; ``step`` hears what comes next.
    """
    step("CXMI and themes")
    material = corpus_material(corpus, setup, 1)
    # All words are listed that the language has, also of few documents.
    options = CxmiOptions(size=1, minimum=1, units="documents")
    cxmi = {name: measure_cxmi(material, models[name], options) for name in CONTEXTUAL}
    themes = {name: make_themes(one.result, one.pointwise, None, Limits()) for name, one in cxmi.items()}
    step("perturbation")
    tried = perturb(corpus, models, PerturbationOptions(size=1, decoding=Decoding(beam=1)))
    step("contrast")
    contrast = score_contrast(suite, models, ContrastOptions(sizes=(0, 1)))
    step("attribution")
    shares = _attributed(suite, models)
    forms = sorted({item.expected[0] for item in suite.items})
    figures = (
        *(figure for name in CONTEXTUAL for figure in _of_cxmi(name, cxmi[name], forms)),
        *(_of_themes(name, themes[name], forms) for name in CONTEXTUAL),
        *(figure for name in MODELS for figure in _of_perturbation(name, tried)),
        *(figure for name in MODELS for figure in _of_contrast(name, contrast)),
        *(figure for name in MODELS for figure in _of_attribution(name, shares)),
    )
    return Demonstration(figures, cxmi, themes, tried, contrast, shares)


def _of_cxmi(model: str, done: Measurement, forms: Sequence[str]) -> list[DemoFigure]:
    """Return P-CXMI of pronouns and of all other words."""
    groups: dict[bool, list[float]] = {True: [], False: []}
    for one in done.pointwise:
        for number, word in enumerate(one.sample.words):
            groups[word.form in forms].append(float(one.words[0, number]))
    whole = done.result.figure("both-1")
    truth = {True: math.log(3), False: 0.0}
    sentences = DemoFigure(
        "cxmi", model, "CXMI of all sentences, nats", whole.value, math.log(3) / 2, whole.samples, whole.interval
    )
    return [
        sentences,
        *(
            DemoFigure(
                "cxmi",
                model,
                f"P-CXMI of {_PRONOUNS if pronoun else _OTHER}, nats",
                sum(values) / len(values),
                truth[pronoun],
                len(values),
            )
            for pronoun, values in groups.items()
        ),
    ]


def _of_themes(model: str, themes: Themes, forms: Sequence[str]) -> DemoFigure:
    figures = [theme.figure for theme in themes.items[: len(forms)]]
    found = sorted(figure.item for figure in figures if isinstance(figure, ItemFigure))
    what = f"the {len(forms)} words with the highest P-CXMI"
    return DemoFigure("themes", model, what, ", ".join(found), ", ".join(forms), len(themes.items))


def _of_perturbation(model: str, tried: Perturbation) -> list[DemoFigure]:
    """Return how many sentences with a pronoun are translated exactly right, and the verdict."""
    segments = [one for document in tried.corpus.documents for one in document.segments]
    references = [one.references[tried.corpus.references[0]] for one in segments]
    sources = [one.source for one in segments]
    places = [place for place, source in enumerate(sources) if source.startswith("It ")]
    figures: list[DemoFigure] = []
    for condition in ("correct", "none"):
        texts = tried.tried[model][condition].translations
        right = sum(texts[place].text == references[place] for place in places)
        truth = 100.0 if condition == "correct" and model in CONTEXTUAL else _GUESS
        if condition == "none" or model in CONTEXTUAL:
            what = f"pronoun sentences right, context {condition}, %"
            figures.append(DemoFigure("perturb", model, what, 100 * right / len(places), truth, len(places)))
    label = next(one.label for one in tried.result.verdicts if one.model == model)
    truth = "uses" if model in CONTEXTUAL else "collapses"
    return [*figures, DemoFigure("perturb", model, "verdict", label, truth, len(references))]


def _of_contrast(model: str, contrast: Contrast) -> list[DemoFigure]:
    figures: list[DemoFigure] = []
    for size in (0, 1):
        score = contrast.result.score(model, size)
        truth = 100.0 if size and model in CONTEXTUAL else _GUESS
        if score is not None and score.value is not None:
            what = f"right pronoun preferred, {size} segment{'s' * (size != 1)} before, %"
            figures.append(DemoFigure("contrast", model, what, score.value, truth, score.counted, score.interval))
    return figures


def _attributed(suite: Suite, models: Mapping[str, LocalModel]) -> AttributionResult:
    """Return the shares of the antecedents in the pronouns, and in the other words of their sentences."""
    window = Window(size=1)
    pronouns = cases_of_suite(suite, window).cases
    cases = [
        replace(case, id=f"{case.id}:{found.start()}", word=found.span(), group=_OTHER if found.start() else _PRONOUNS)
        for case in pronouns
        for found in re.finditer(r"\w+", case.target)
    ]
    named = [
        NamedModel(name, attributor_of(one, Alti()), one.signature, context=name in CONTEXTUAL)
        for name, one in models.items()
    ]
    return attribute(suite.name, Cases(tuple(cases)), named, AttributionOptions(window=window))


def _of_attribution(model: str, result: AttributionResult) -> list[DemoFigure]:
    shares = [result.share(model, "support", "phenomenon", name) for name in (_PRONOUNS, _OTHER)]
    truths: Sequence[Answer] = ("the highest", "lower") if model in CONTEXTUAL else (0.0, 0.0)
    return [
        DemoFigure(
            "attribute", model, f"share of the antecedent in {one.group}, %", one.value, truth, one.words, one.interval
        )
        for one, truth in zip(shares, truths, strict=True)
    ]
