"""``endophora context study``: perturbation, contrast and attribution of the same models, joined on one page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

from endophora.cli.commands import But, Only, command
from endophora.cli.console import REPORT, RESULT, show_result, write_result
from endophora.cli.context import (
    KEPT,
    Beam,
    JudgedPhenomena,
    JudgeOptions,
    JudgeTools,
    Models,
    answering,
    run_contrast,
    run_perturbation,
)
from endophora.cli.inputs import Directory, Format, Inputs, SuiteInputs, Work
from endophora.context import contrast as contrasts
from endophora.context.attribution.results import AttributionResult
from endophora.context.contrast_figures import ContrastOptions
from endophora.context.perturbation import perturb as perturbations
from endophora.context.perturbation.conditions import (
    FOLLOW_UP,
    Condition,
    PerturbationOptions,
    check_metrics,
    read_conditions,
)
from endophora.context.results import ContrastResult, PerturbationResult
from endophora.context.study import join_study
from endophora.corpus.codes import parse_languages
from endophora.corpus.records import Corpus
from endophora.errors import Fault, InputError
from endophora.files import Output
from endophora.models.layout import beyond_training
from endophora.models.records import Scorer
from endophora.models.specs import open_scorer, open_translator
from endophora.options import option
from endophora.report import REPORTS
from endophora.statistics.resampling import Bootstrapping
from endophora.suites.records import Suite

PERTURBATION, CONTRAST, ATTRIBUTION, ANNOTATED = "perturbation", "contrast", "attribution", "annotated"
"""The directories of the parts, below that of the study: each as its own command writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyInputs(Inputs):
    """A corpus, a suite, or both."""

    suite: str | None = option(
        None, metavar="PATH", help="Contrastive suite with antecedents, as ContraPro: accuracy and attribution."
    )
    annotated: str | None = option(
        None, metavar="PATH", help="Suite whose supporting words people marked, as SCAT: attribution alone."
    )
    paper: str = option(
        "2024",
        metavar="YEAR",
        help="Contexts as in the paper of 2024 (own translations; random, none) or of 2025 (references; sentences, "
        "random, none).",
    )
    conditions: tuple[Condition, ...] | None = option(
        None,
        *("--condition", "-c"),
        metavar="NAME",
        help="random (tokens), sentences, shuffled, shuffled-words, gold, none; random:source perturbs one side. "
        "Repeatable; correct is always tried. [default: as --paper]",
        read=read_conditions,
    )
    target_context: str | None = option(
        None, metavar="NAME", help="Target context: own translations, or reference. [default: as --paper]"
    )
    limit: int = option(0, least=0, help="Words to attribute of each suite, drawn at random; 0 for all.")

    def designed(self, options: PerturbationOptions) -> PerturbationOptions:
        """Return the options with the contexts of the paper that is named (E326), save what is named itself."""
        if self.paper not in ("2024", "2025"):
            raise InputError(Fault("E326", f"“{self.paper}” is none of them", "choose 2024, 2025", "--paper"))
        follow_up = {"conditions": FOLLOW_UP, "target_context": "reference"} if self.paper == "2025" else {}
        named = {"conditions": self.conditions, "target_context": self.target_context}
        return replace(options, **follow_up | {name: value for name, value in named.items() if value is not None})

    def corpus(self) -> Corpus | None:
        """Read the corpus; ``None`` where a suite alone is named."""
        alone = self.place is None and self.source is None and (self.suite or self.annotated)
        return None if alone else self.read()


@command(strict=True)
def study(
    inputs: StudyInputs,
    reading: Annotated[SuiteInputs, Only(corpus="Corpus of the --suite's documents, where it has no contexts itself.")],
    options: Annotated[PerturbationOptions, But("test", "conditions", "target_context")],
    decoding: Beam,
    models: Annotated[Models, But("executor", "model_workers", "shard_size", "address", "gpus_per_worker")],
    judged: JudgeOptions,
    tools: JudgeTools,
    work: Work,
    output: Directory = Path("endophora-study"),
    output_format: Format = "text",
) -> None:
    """Study the context use of models as a whole: perturbation, contrast and attribution, joined on one page."""
    place = Output(output, [RESULT, REPORT])
    places = {
        PERTURBATION: Output(output / PERTURBATION, [RESULT, REPORT, f"{perturbations.FOLDER}/"], [KEPT]),
        CONTRAST: Output(output / CONTRAST, [RESULT, REPORT, f"{contrasts.FOLDER}/"], [KEPT]),
        **{name: Output(output / name, [RESULT, REPORT], [KEPT]) for name in (ATTRIBUTION, ANNOTATED)},
    }
    render = REPORTS.get(output_format)
    options = inputs.designed(replace(options, decoding=decoding))
    if reading.corpus is not None and inputs.suite is None:
        advice = "name --suite too, or leave --corpus out"
        raise InputError(Fault("E098", "--corpus has the documents of --suite, and there is none", advice))
    corpus = inputs.corpus()
    read = replace(reading, languages=inputs.languages)
    suites = {ATTRIBUTION: inputs.suite, ANNOTATED: inputs.annotated}
    # The corpus has the documents of --suite; what people annotated has contexts of its own.
    reads = {ATTRIBUTION: read, ANNOTATED: replace(read, corpus=None)}
    chosen = {name: reads[name].read(path, options.size) for name, path in suites.items() if path is not None}
    if corpus is not None:
        check_metrics(options.metrics, corpus.target_language, len(corpus.references), judged=bool(tools.phenomenon))
    parts = Parts(models, parse_languages(inputs.languages), options, places)
    perturbed = None if corpus is None else parts.perturbation(corpus, JudgedPhenomena(judged, tools, work))
    suite = chosen.get(ATTRIBUTION)
    scored = None if suite is None else parts.contrast(suite)
    shares = [
        one for name, each in chosen.items() if (one := parts.attribution(name, each, scored, inputs.limit)) is not None
    ]
    show_result(join_study(list(models.specs), perturbed, scored, shares, parts.warnings), render, place)


class Parts:
    """The parts of the study over the same models, each measured and written as by its own command."""

    def __init__(
        self, models: Models, languages: tuple[str, str], options: PerturbationOptions, places: Mapping[str, Output]
    ) -> None:
        self._models, self._languages, self._options, self._places = models, languages, options, places
        settings = models.options(languages)
        self._opened = {name: open_translator(spec, settings) for name, spec in models.specs.items()}
        self._explained: dict[str, Any] = {}
        self._shared = {each.name: getattr(options, each.name) for each in fields(Bootstrapping)}
        self.warnings: list[str] = []

    def perturbation(self, corpus: Corpus, judged: JudgedPhenomena) -> PerturbationResult:
        """Translate with right and wrong contexts (Table 2; with phenomena Tables 5 and 7)."""
        place = self._places[PERTURBATION]
        found = run_perturbation(
            corpus, self._opened, self._options, judged, place, skip_faults=self._models.skip_faults
        )
        write_result(found.result, place, lambda folder: perturbations.write_translations(found, folder))
        return found.result

    def contrast(self, suite: Suite) -> ContrastResult | None:
        """Score a suite's right and wrong translations with each size of context (Table 4)."""
        scorers = {name: model for name, model in self._opened.items() if isinstance(model, Scorer)}
        self.warnings += [
            f"contrast leaves out {name}: it gives no probabilities" for name in self._opened if name not in scorers
        ]
        if not scorers or not any(item.variants for item in suite.items):
            self.warnings.append(f"{suite.name}: no contrast, for lack of models that score or of wrong translations")
            return None
        options = ContrastOptions(sizes=tuple(range(self._options.size + 1)), sides=self._options.sides, **self._shared)
        place = self._places[CONTRAST]
        found = run_contrast(suite, scorers, options, (), place, skip_faults=self._models.skip_faults)
        write_result(found.result, place, lambda folder: contrasts.write_contrast_scores(found, folder))
        return found.result

    def attribution(
        self, name: str, suite: Suite, scored: ContrastResult | None, limit: int
    ) -> AttributionResult | None:
        """Trace the words of a suite back to their support beside the accuracy of contrast."""
        # What takes models apart needs torch, which models behind services do not.
        from endophora.cli.context_attribute import accuracies_of, drawn_cases
        from endophora.context.attribution.cases import AttributionOptions, Window, cases_of_suite
        from endophora.context.attribution.comparing import attribute

        window = Window(self._options.size, self._options.sides)
        cases = drawn_cases(cases_of_suite(suite, window), limit, self._options.seed)
        named = self._attributed()
        if not named or not cases.cases:
            why = "models that can be looked into" if not named else "words whose supporting words are in the context"
            self.warnings.append(f"{suite.name}: no attribution, for lack of {why}")
            return None
        sizes = {one.name: window.size for one in named}
        known = accuracies_of(scored, sizes) if scored else {}
        doubts = beyond_training({one.name: self._explained[one.name] for one in named}, window.size)
        with answering(self._places[name], "attribute", len(cases.cases) * len(named)) as (store, advance):
            result = attribute(
                suite.name,
                cases,
                named,
                AttributionOptions(window=window, **self._shared),
                accuracies=known,
                warnings=[*suite.warnings, *doubts],
                progress=advance,
                store=store,
            )
        write_result(result, self._places[name])
        return result

    def _attributed(self) -> list[Any]:
        """Return the models that can be looked into; a warning names each other one.

        They are opened for it as by ``context attribute``, and those of the other parts are released.
        """
        from endophora.context.attribution.attributor import attributor_of
        from endophora.context.attribution.comparing import NamedModel

        first = not self._explained
        self._opened.clear()
        settings = replace(self._models, precision=self._models.precision or "float32").options(self._languages)
        named: list[NamedModel] = []
        for name, spec in self._models.specs.items():
            try:
                model = self._explained[name] = self._explained.get(name) or open_scorer(spec, settings)
                named.append(NamedModel(name, attributor_of(model), model.signature))
            except InputError as error:
                if first:
                    self.warnings.append(f"attribution leaves out {name}: {error.faults[0].cause}")
        return named
