"""What an extraction is made with: names on the outside, loaded tools on the inside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from endophora.align import ALIGNERS
from endophora.annotate.loading import ANNOTATORS
from endophora.errors import Fault, InputError
from endophora.evaluation.setup import Loaded, Setup, Toolbox
from endophora.languages import LanguageRules, language_codes, load_language
from endophora.languages.schema import EXTRACTION, INTO_ENGLISH
from endophora.phenomena import TaggerOptions
from endophora.phenomena.tagging import ENGLISH, REVERSED, RulesAs
from endophora.signature import Signature, keyed, run_signature


@keyed(names=("annotators", "aligner", "resolver"))
@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionSetup:
    """The tools of an extraction, by name; small and picklable, so that every worker can load its own.

    Attributes:
        source_language, target_language: ISO 639-1 codes.
        phenomena: what is extracted.
        annotators: language → annotator name; a language left out takes its default.
        aligner, resolver: names; ``None`` is the default.
        window: how many segments back an antecedent is looked for.
        context: how many segments before each item are kept with it.
        prefilter: parse only what a look at the surface cannot rule out; otherwise everything.
        rules: rule files that take the place of those of the package.
        rules_as: rules of test sets ``corrected``, or as they were ``published``, slips and all.
    """

    source_language: str
    target_language: str
    phenomena: tuple[str, ...]
    annotators: Mapping[str, str] = field(default_factory=dict[str, str])
    aligner: str | None = None
    resolver: str | None = None
    window: int = 5
    context: int = 5
    prefilter: bool = True
    rules: tuple[Path, ...] = ()
    rules_as: RulesAs = "corrected"

    def load(self) -> ExtractionTools:
        """Return the loaded tools; each is loaded when first used."""
        return ExtractionTools(self)

    def files(self) -> tuple[Path, ...]:
        """Return the files and folders that are named by path: rules, and models of annotators and of the aligner."""
        named = [*map(ANNOTATORS.path_in, self.annotators.values()), ALIGNERS.path_in(self.aligner)]
        return (*self.rules, *(path for path in named if path is not None))

    def moved(self, places: Mapping[Path, Path]) -> ExtractionSetup:
        """Return the setup with files and folders, as :meth:`files` has them, at other places."""
        return replace(
            self,
            rules=tuple(places.get(path, path) for path in self.rules),
            annotators={language: ANNOTATORS.moved(name, places) for language, name in self.annotators.items()},
            aligner=self.aligner and ALIGNERS.moved(self.aligner, places),
        )


@keyed()
@dataclass(frozen=True, slots=True)
class _Extraction:
    """What the rows of a document depend on besides the document."""

    extraction: ExtractionSetup
    loaded: Loaded


class ExtractionTools(Toolbox):
    """The loaded tools of an extraction: those of an evaluation, and a resolver for either side."""

    def __init__(self, setup: ExtractionSetup) -> None:
        self.extraction = setup
        pair = setup.source_language, setup.target_language
        names = setup.annotators, setup.aligner, setup.resolver, setup.window
        options = TaggerOptions(phenomena=setup.phenomena, rules_as=setup.rules_as)
        super().__init__(Setup(*pair, *names, options, None, setup.rules))

    @cached_property
    def target_rules(self) -> LanguageRules:
        """The rules of the target language."""
        return self.rules(self.extraction.target_language)

    @cached_property
    def source_rules(self) -> LanguageRules:
        """The rules of the source language."""
        return self.rules(self.extraction.source_language)

    @cached_property
    def signature(self) -> Signature:
        """All that the rows of a document depend on besides the document."""
        return run_signature(_Extraction(self.extraction, self.loaded))


def default_phenomena(source_language: str, target_language: str) -> tuple[str, ...]:
    """Return the phenomena of test sets that a pair has rules for (E202): from English, or animacy into English."""
    into_english = target_language == ENGLISH
    other = source_language if into_english else target_language
    known = set(language_codes())
    found: tuple[str, ...] = ()
    if other in known and ENGLISH in (source_language, target_language):
        extractable = frozenset(load_language(other).extractable)
        found = tuple(name for name in EXTRACTION if name in extractable and (name in REVERSED) == into_english)
    if not found and into_english and source_language in known and load_language(source_language).pro_drop:
        found = INTO_ENGLISH
    if not found:
        with_rules = ", ".join(code for code in sorted(known) if load_language(code).extractable)
        cause = f"there are no rules of test sets for {source_language}-{target_language}"
        advice = f"English with one of {with_rules}, or name --phenomenon"
        raise InputError(Fault("E202", cause, advice, "--languages"))
    return found
