"""What an evaluation is made with: names on the outside, loaded tools on the inside.

Commands build their options from these records, so nothing that takes long to load is imported before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from endophora.errors import Fault, InputError
from endophora.options import inherited, option
from endophora.signature import Keys, keyed, unkeyed, write_signature
from endophora.statistics.resampling import BEST, Resampling, TestName
from endophora.version import __version__

if TYPE_CHECKING:
    from endophora.align.priors import Priors
    from endophora.align.records import Aligner
    from endophora.annotate.records import Annotator
    from endophora.annotate.store import AnnotationStore
    from endophora.corefer.records import Resolver
    from endophora.languages import LanguageRules
    from endophora.metrics.readings import TextReader
    from endophora.phenomena import TaggerOptions
    from endophora.phenomena.records import Tagger
    from endophora.store import Store


def _default_taggers() -> TaggerOptions:
    from endophora.phenomena import TaggerOptions

    return TaggerOptions()


@keyed(irrelevant={"store": "where values are kept, not what they are"}, names=("annotators", "aligner", "resolver"))
@dataclass(frozen=True)
class Setup:
    """The tools of an evaluation, by name; small and picklable, so that every process can load its own.

    Attributes:
        source_language, target_language: ISO 639-1 codes.
        annotators: language → annotator name; a language left out takes the embedded pipeline.
        aligner: name of the aligner; ``None`` is the default.
        resolver: name of the resolver; ``None`` is the default.
        window: how many segments back an antecedent is looked for.
        taggers: phenomena, variants and thresholds.
        store: path of the store; ``None`` keeps what is computed in memory only.
        rules: rule files that take the place of those of the package, or stand for languages that it has none for.
    """

    source_language: str
    target_language: str
    annotators: Mapping[str, str] = field(default_factory=dict[str, str])
    aligner: str | None = None
    resolver: str | None = None
    window: int = 5
    taggers: TaggerOptions = field(default_factory=_default_taggers)
    store: Path | None = None
    rules: tuple[Path, ...] = ()

    @property
    def pair(self) -> tuple[str, str]:
        """Source and target language."""
        return self.source_language, self.target_language

    def load(self) -> Toolbox:
        """Return the loaded tools; each is loaded when first used."""
        return Toolbox(self)

    def fitted(self) -> tuple[Setup, list[str]]:
        """Return the setup without the phenomena that its pair cannot have, and for each of these a line that says why.

        Raises:
            InputError: no phenomenon is left (the first one's reason), or an option is wrong.
        """
        from endophora.phenomena import make_taggers
        from endophora.phenomena.tagging import UNRESOLVED

        tools, kept, left = self.load(), list[str](), dict[str, InputError]()
        lacking = self._without_rules(tools)
        for name in self.taggers.phenomena:
            options = replace(self.taggers, phenomena=(name,))
            try:
                if name in lacking:
                    cause = f"no rules for {name} of “{self.source_language}” in “{self.target_language}”"
                    raise InputError(Fault("E066", cause, "leave it out"))
                make_taggers(self.target_language, options, self.source_language, tools.own_rules)
                if name not in UNRESOLVED:
                    _ = tools.resolver
                kept.append(name)
            except InputError as error:
                if error.faults[0].code not in _NOT_OF_PAIR:
                    raise
                left[name] = error
        if left and not kept:
            raise next(iter(left.values()))
        reasons = [f"{name} is left out: {error.faults[0].cause}" for name, error in left.items()]
        return replace(self, taggers=replace(self.taggers, phenomena=tuple(kept))), reasons

    def _without_rules(self, tools: Toolbox) -> set[str]:
        """Return the phenomena of which no rule can ever match: no words of address, no form that leaves a choice."""
        source, target = (tools.rules(language) for language in self.pair)
        forms = {rule.label for rule in source.verb_forms}
        tense = source.time_signs is not None and target.times is not None
        chosen = tense or any(
            rule.tagged and (not rule.from_forms or forms & rule.from_forms) for rule in target.verb_forms
        )
        return {"formality"} - set(target.phenomena) | (set() if chosen else {"verb_form"})


_NOT_OF_PAIR = ("E060", "E066")
"""Faults of a phenomenon that a pair of languages cannot have."""


JUDGES = ("choice", "wording")
SUPPORTS = ("inter", "any")


@keyed(irrelevant={"examples": "how many are shown, not what is found"}, names=("metrics",))
@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationOptions(Resampling):
    """Metrics, statistics and the size of the sample of examples.

    Attributes:
        metrics: names of the text metrics to report in addition to the phenomena.
        judge: ``choice`` judges whether a text makes the choice that the context asks for, ``wording`` whether it has
            the reference's word.
        support: with ``choice``, ``inter`` counts the occurrences whose support is in another segment, ``any`` all.
        minimum: occurrences on which a figure must rest, in six documents, before it is compared.
        variant: of the word F-measure, ``paper`` or ``muda``.
        baseline: the system that all are compared with; ``best`` is each column's best.
        glossary: file of the terms that outputs should use; ``None`` for none.
        examples: occurrences a phenomenon in the result.

    Raises:
        InputError: an option of statistics is out of range (E075).
    """

    metrics: tuple[str, ...] = option(
        ("bleu", "chrf", "d-bleu", "blonde"),
        "--metric",
        "-m",
        metavar="NAME",
        help="Text metric to report. Repeatable.",
    )
    judge: str = option(
        "choice",
        metavar="NAME",
        help="What is judged: choice, what a word must show; or wording, word F-measure of the reference's own words.",
    )
    support: str = option(
        "inter",
        metavar="NAME",
        help="With choice, which occurrences count: inter, those with support in another segment; or any.",
    )
    minimum: int = option(
        30,
        "--min-occurrences",
        least=1,
        help="Figures that rest on fewer occurrences have no interval, test or rank.",
    )
    variant: str = option("paper", metavar="NAME", help="Word F-measure: paper, or muda as the published code has it.")
    baseline: str = option(BEST, metavar="SYSTEM", help="System to compare with; best is each column's best.")
    test: TestName = inherited(Resampling, "test", "approximate-randomisation or bootstrap.", metavar="NAME")
    seed: int = inherited(Resampling, "seed", "Seed of the resampling and of the sample of examples.")
    glossary: Path | None = option(
        None,
        metavar="FILE",
        help="Terms to be used: TSV of source and target terms, or TBX. Judged in a column, terms.",
    )
    examples: int = option(200, least=0, help="Occurrences a phenomenon in the report.")

    def __post_init__(self) -> None:
        """Refuse names that are none."""
        super(EvaluationOptions, self).__post_init__()
        for name, value, known in (("judge", self.judge, JUDGES), ("support", self.support, SUPPORTS)):
            if value not in known:
                raise InputError(Fault("E071", f"unknown --{name} “{value}”", f"choose {' or '.join(known)}"))
        if self.judge == "choice" and self.variant != "paper":
            cause = f"--variant {self.variant} is of word F, and --judge choice computes none"
            raise InputError(Fault("E071", cause, "add --judge wording"))


@unkeyed(
    "a language model's judgments stand beside ours, which do not depend on them; its answers are kept by question"
)
@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """Which language model is asked, and about how much.

    Attributes:
        sample: most judged occurrences of a phenomenon, of all systems together, drawn with the seed.
        people: a file of the form of ``judgments.jsonl``, with people's verdicts as ``people`` of its outputs.
    """

    judge: str = option(
        "",
        metavar="llm:MODEL",
        help="Ask a language model too, llm:MODEL,address=…; the report says how far it agrees.",
    )
    sample: int = option(
        100, "--judge-sample", least=1, help="With --judge, most occurrences of a phenomenon that are asked about."
    )
    people: str = option(
        "",
        "--judge-people",
        metavar="FILE",
        help="With --judge, judgments.jsonl with people's verdicts in the field people; asked about first.",
    )


@keyed()
@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What the occurrences of a text depend on besides the text; no tool of the source where nothing is looked for."""

    setup: Setup
    source: Annotator | None
    target: Annotator
    aligner: Aligner | None
    resolver: Resolver | None
    target_resolver: Resolver | None
    taggers: tuple[Tagger, ...]
    reader: TextReader | None
    priors: str  # the hash of what judgments know of translations


class Toolbox:
    """The tools of a setup, each loaded when it is first used."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    @cached_property
    def store(self) -> Store:
        """The store of everything that is computed from text alone."""
        from endophora.store import Store

        return Store(self.setup.store)

    @cached_property
    def annotations(self) -> AnnotationStore:
        """The annotations in the store."""
        from endophora.annotate.store import AnnotationStore

        return AnnotationStore(self.store)

    @cached_property
    def source_annotator(self) -> Annotator:
        """The annotator of the source language."""
        return self._annotator(self.setup.source_language)

    @cached_property
    def target_annotator(self) -> Annotator:
        """The annotator of the target language."""
        return self._annotator(self.setup.target_language)

    def _annotator(self, language: str) -> Annotator:
        from endophora.annotate.loading import load_annotator

        return load_annotator(language, self.setup.annotators.get(language))

    @cached_property
    def own_rules(self) -> Mapping[str, LanguageRules]:
        """The rules that were read from files of the user's, by language."""
        from endophora.languages import read_language

        found: dict[str, LanguageRules] = {}
        faults: list[Fault] = []
        for path in self.setup.rules:
            rules = read_language(path)
            if rules.language in found:
                cause = f"the rules of “{rules.language}” are given twice"
                faults.append(Fault("E035", cause, "give each language one rule file", str(path)))
            elif rules.language not in self.setup.pair:
                cause = f"the rules are of “{rules.language}”, and the pair is {'-'.join(self.setup.pair)}"
                faults.append(Fault("E035", cause, "give rules of a language of the pair", str(path)))
            found[rules.language] = rules
        if faults:
            raise InputError(faults)
        return found

    def rules(self, language: str) -> LanguageRules:
        """Return the rules of a language: the user's, or the package's (E030 where there are none)."""
        from endophora.languages import load_language

        return self.own_rules.get(language) or load_language(language)

    @cached_property
    def aligner(self) -> Aligner:
        """The word aligner of the pair."""
        from endophora.align import load_aligner

        return load_aligner(self.setup.aligner, *self.setup.pair, rules=self.own_rules)

    @cached_property
    def priors(self) -> Priors:
        """What is known beforehand of the translations of words: the package's own priors of the pair, or nothing."""
        from endophora.align.priors import shipped_priors

        return shipped_priors(*self.setup.pair)

    @cached_property
    def resolver(self) -> Resolver:
        """The resolver of source pronouns."""
        return self._resolver(self.setup.source_language)

    @cached_property
    def target_resolver(self) -> Resolver:
        """The resolver of target pronouns, for phenomena that are looked for backwards (animacy, into English)."""
        return self._resolver(self.setup.target_language)

    @cached_property
    def resolves_target(self) -> bool:
        """Whether the phenomena ask for the antecedents of target pronouns."""
        from endophora.phenomena.tagging import resolves_target

        phenomena = self.setup.taggers.phenomena
        return bool(phenomena) and resolves_target(phenomena, self.rules(self.setup.target_language))

    def _resolver(self, language: str) -> Resolver:
        from endophora.corefer import load_resolver

        return load_resolver(self.setup.resolver, language=language, window=self.setup.window)

    @cached_property
    def taggers(self) -> list[Tagger]:
        """One tagger a phenomenon; none where only metrics are asked for."""
        from endophora.phenomena import make_taggers

        if not self.setup.taggers.phenomena:
            return []
        source, target = self.setup.pair
        return make_taggers(target, self.setup.taggers, source, self.own_rules)

    @cached_property
    def reader(self) -> TextReader | None:
        """What document-level metrics read of an annotated target text; nothing of a language without rules.

        Text metrics need none (a document-level metric refuses such a language itself).
        """
        from endophora.annotate.records import names_entities
        from endophora.languages import language_codes
        from endophora.metrics.readings import TextReader

        target = self.setup.target_language
        if not self.setup.taggers.phenomena and target not in {*language_codes(), *self.own_rules}:
            return None
        return TextReader(self.rules(self.setup.target_language), names_entities(self.target_annotator))

    @cached_property
    def loaded(self) -> Loaded:
        """All that the occurrences of a text depend on besides the text."""
        from endophora.phenomena.tagging import UNRESOLVED

        phenomena = set(self.setup.taggers.phenomena)
        return Loaded(
            setup=self.setup,
            source=self.source_annotator if self.taggers else None,
            target=self.target_annotator,
            aligner=self.aligner if self.taggers else None,
            resolver=self.resolver if phenomena - UNRESOLVED else None,
            target_resolver=self.target_resolver if self.resolves_target else None,
            taggers=tuple(self.taggers),
            reader=self.reader,
            priors=self.priors.hash,
        )

    @cached_property
    def keys(self) -> Keys:
        """Makes the keys of what the store keeps of whole documents."""
        return Keys(self.loaded)

    @cached_property
    def signature(self) -> str:
        """The tools and their versions, in sacreBLEU's manner."""
        loaded = self.loaded
        tools = {
            "source": loaded.source,
            "target": loaded.target,
            "align": loaded.aligner,
            "corefer": loaded.resolver,
            "corefer of target": loaded.target_resolver,
            **{tagger.phenomenon: tagger for tagger in loaded.taggers},
            "reading": loaded.reader,
        }
        signed = ((name, tool.signature) for name, tool in tools.items() if tool is not None)
        return write_signature([("pair", "-".join(self.setup.pair)), *signed, ("version", __version__)])
