"""The taggers by name, what can be chosen of them, and a document through all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_type_hints

from pydantic import TypeAdapter, ValidationError

from endophora.errors import Fault, InputError
from endophora.languages.load import language_codes, load_language
from endophora.languages.schema import EXTRACTION, INTO_ENGLISH, PHENOMENA, LanguageRules
from endophora.phenomena.published import published_rules
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Tagger
from endophora.registry import Registry
from endophora.signature import keyed, unkeyed

REVERSED = frozenset({"animacy", *INTO_ENGLISH})
"""Phenomena of pairs into English, whose rules and worked examples are in the file of the source language."""


def is_into_english(phenomenon: str, rules: LanguageRules) -> bool:
    """Return whether a rule file's worked examples of a phenomenon are of the pair into English."""
    return phenomenon in REVERSED or (phenomenon == "verb_form" and rules.time_signs is not None)


def resolves_target(phenomena: Iterable[str], target: LanguageRules) -> bool:
    """Return whether phenomena ask for the antecedents of target pronouns, whose language has a resolver."""
    return any(name in REVERSED or (name == "pronouns" and target.natural_gender is not None) for name in phenomena)


UNRESOLVED = REVERSED | {
    "lexical_cohesion",
    "formality",
    "verb_form",
    "ellipsis",
    "formality_cases",
    "auxiliary",
    "inflection",
}
"""Phenomena that ask for no antecedents of source pronouns, so that a source language without a resolver will do."""

RulesAs = Literal["corrected", "published"]
"""Rules of test sets as this package has them, or as their authors published them."""


@keyed()
@dataclass(frozen=True, slots=True)
class TaggerOptions:
    """Variants and thresholds of the taggers; the defaults are those of ``docs/phenomena/``.

    Attributes:
        phenomena: names of the phenomena to tag.
        lexical_cohesion: ``lemma`` counts pairs of lemmas of content words over mutual links; ``surface`` counts
            pairs of forms, case-sensitive, over the best link of each source word.
        repetitions: how often a pair must have occurred in earlier segments.
        formality: ``verbs`` tags pronouns, possessives and verbs; ``words`` pronouns and possessives only.
        pronouns: ``window`` asks for an antecedent in an earlier sentence; ``sentence`` for none in the same sentence.
        antecedent: part of the probability of all antecedents that agree with a form which those in earlier sentences
            must have together; for test sets of gender, the probability from which an antecedent is believed.
        antecedent_unmarked: the latter for forms that also stand for nothing or for what was said (*es*, *il*).
        pronouns_unmarked: the former for such forms, of the whole: standing for nothing included.
        verb_form: ``features`` reads tense, mood and auxiliaries; ``tense`` the feature ``Tense`` alone.
        ellipsis: ``local`` asks whether the source has an ellipsis, and that the word is next to the translation
            of what is left over; ``classifier``, as in the paper, asks the first only; ``unaligned`` asks neither.
        ellipsis_classifier: folder of a classifier that ``endophora train ellipsis`` has made, which says instead of
            the rules whether the source has an ellipsis; it does not tell where, so that ``local`` is ``classifier``.
        auxiliary: ``segment`` asks that the auxiliary be the only verb of the segment; ``sentence`` of its sentence.
        rules_as: rules of test sets ``corrected``, or as they were ``published``, slips and all.
        lists: the rule files' words of address and pronouns, ``completed``, or those of the paper alone, ``published``.
    """

    phenomena: tuple[str, ...] = PHENOMENA
    lexical_cohesion: Literal["lemma", "surface"] = "lemma"
    repetitions: int = 3
    formality: Literal["verbs", "words"] = "verbs"
    pronouns: Literal["window", "sentence"] = "window"
    antecedent: float = 0.5
    antecedent_unmarked: float = 0.7
    pronouns_unmarked: float = 0.4
    verb_form: Literal["features", "tense"] = "features"
    ellipsis: Literal["local", "classifier", "unaligned"] = "local"
    ellipsis_classifier: Path | None = None
    auxiliary: Literal["segment", "sentence"] = "segment"
    rules_as: RulesAs = "corrected"
    lists: Literal["completed", "published"] = "completed"


DEFINITIONS: Mapping[str, Mapping[str, str]] = {
    "endophora": {},
    # §4.2: whether the source has an ellipsis is asked, not where.
    "paper": {"lists": "published", "pronouns": "sentence", "verb_form": "tense", "ellipsis": "classifier"},
    # The released code: forms and not lemmas, and no tagger of ellipsis that asks the source.
    "muda": {
        **{"lists": "published", "lexical_cohesion": "surface", "pronouns": "sentence"},
        **{"verb_form": "tense", "ellipsis": "unaligned"},
    },
}
"""Name of a definition of all phenomena → the options that differ from the package's own."""

_JUDGED_AS = ("lexical_cohesion", "formality", "pronouns", "verb_form", "ellipsis", "lists")
"""Options that say what an occurrence is, and not how sure one must be of it."""

_HAVE_OPTIONS = ("phenomena", "ellipsis_classifier", "rules_as")
"""What is chosen by an option of its own."""


def define(definitions: str, changes: Mapping[str, str]) -> TaggerOptions:
    """Return options of taggers by a preset, and by name and value as text, which come after the preset.

    Raises:
        InputError: E065 for a name or a value that is none.
    """
    if definitions not in DEFINITIONS:
        cause = f"unknown definitions “{definitions}”"
        raise InputError(Fault("E065", cause, f"choose {', '.join(DEFINITIONS)}", "--definitions"))
    types = get_type_hints(TaggerOptions)
    known = [each.name for each in fields(TaggerOptions) if each.name not in _HAVE_OPTIONS]
    values: dict[str, Any] = {}
    faults: list[Fault] = []
    for name, text in {**DEFINITIONS[definitions], **changes}.items():
        if name not in known:
            faults.append(Fault("E065", f"“{name}” is no definition", f"name {', '.join(known)}", "--define"))
            continue
        try:
            values[name] = TypeAdapter(types[name]).validate_python(text)
        except ValidationError as error:
            advice = error.errors()[0]["msg"].replace("Input should be", "give")
            faults.append(Fault("E065", f"“{text}” is no value of {name}", advice, "--define"))
    if faults:
        raise InputError(faults)
    return TaggerOptions(**values)


def check_judged(options: TaggerOptions, advice: str) -> None:
    """Refuse definitions other than the package's own (E071): judgments are made for these."""
    usual = TaggerOptions()
    other = [name for name in _JUDGED_AS if getattr(options, name) != getattr(usual, name)]
    if other:
        cause = f"there are no judgments of other definitions, and {', '.join(other)} differ"
        raise InputError(Fault("E071", cause, advice, "--define"))


@unkeyed("the taggers that are made from it count, by their signatures and their options")
@dataclass(frozen=True, slots=True)
class TaggerSetup:
    """What a tagger is made from."""

    source: LanguageRules
    target: LanguageRules
    options: TaggerOptions


def rules_signature(*rules: LanguageRules) -> str:
    """Return the codes and hashes of rule files, for a tagger's signature."""
    return ",".join(f"{each.language}-{each.hash}" for each in rules)


TaggerFactory = Callable[[TaggerSetup], Tagger]

ENGLISH = "en"
"""The language from which the rules of test sets are written."""

TAGGERS: Registry[TaggerFactory] = Registry(
    "tagger",
    {
        "lexical_cohesion": "endophora.phenomena.lexical_cohesion:make_tagger",
        "formality": "endophora.phenomena.formality:make_tagger",
        "pronouns": "endophora.phenomena.pronouns:make_tagger",
        "verb_form": "endophora.phenomena.verb_form:make_tagger",
        "ellipsis": "endophora.phenomena.ellipsis:make_tagger",
        "gender": "endophora.phenomena.gender:make_tagger",
        "animacy": "endophora.phenomena.gender:make_animacy_tagger",
        "formality_cases": "endophora.phenomena.formality_cases:make_tagger",
        "auxiliary": "endophora.phenomena.auxiliary:make_tagger",
        "inflection": "endophora.phenomena.inflection:make_tagger",
        "dropped_subjects": "endophora.phenomena.dropped_subjects:make_tagger",
    },
)
"""Phenomenon → what makes its tagger; an outside package adds to it by an entry point of ``endophora.tagger``."""


def make_taggers(
    target_language: str,
    options: TaggerOptions | None = None,
    source_language: str = "en",
    rules: Mapping[str, LanguageRules] | None = None,
) -> list[Tagger]:
    """Return the taggers of a language pair; ``rules`` by language take the place of those of the package.

    Raises:
        InputError: a language has no rules (E030), a phenomenon is unknown (E090), a threshold is out of range (E065),
            or a phenomenon of test sets has no rules for the pair (E190).
    """
    chosen = options or TaggerOptions()
    faults = [
        Fault("E065", f"antecedent threshold {threshold:g}", "give a probability, 0 to 1")
        for threshold in (chosen.antecedent, chosen.antecedent_unmarked)
        if not 0 <= threshold <= 1
    ]
    if chosen.repetitions < 1:
        faults.append(Fault("E065", f"{chosen.repetitions} repetitions", "give 1 or more"))
    if faults:
        raise InputError(faults)
    source, target = ((rules or {}).get(code) or load_language(code) for code in (source_language, target_language))
    if chosen.lists == "published":
        target = published_rules(target)
    _check_extraction(chosen.phenomena, source, target)
    setup = TaggerSetup(source, target, chosen)
    return [TAGGERS.get(name)(setup) for name in chosen.phenomena]


def _check_extraction(phenomena: Iterable[str], source: LanguageRules, target: LanguageRules) -> None:
    """Refuse phenomena of test sets that have no rules for a pair: they are written from English."""
    faults: list[Fault] = []
    for name in phenomena:
        if name in INTO_ENGLISH and not (source.pro_drop and target.language == ENGLISH):
            known = ", ".join(code for code in language_codes() if load_language(code).pro_drop)
            cause = f"{name} is not of {source.language}-{target.language}"
            faults.append(Fault("E190", cause, f"it is of pairs into English, from one of {known}"))
        if name not in EXTRACTION:
            continue
        near, other = (source, target) if name in REVERSED else (target, source)
        if other.language != ENGLISH or name not in near.extractable:
            pair = f"{source.language}-{target.language}"
            advice = "it is of pairs into English" if name in REVERSED else "its rules are of pairs from English"
            known = ", ".join(code for code in language_codes() if name in load_language(code).extractable)
            faults.append(Fault("E190", f"no rules of {name} for {pair}", f"{advice}; languages: {known}"))
    if faults:
        raise InputError(faults)


def tag_document(document: AnnotatedDocument, taggers: Iterable[Tagger]) -> list[Occurrence]:
    """Return all occurrences of a document."""
    found = [occurrence for tagger in taggers for occurrence in tagger.tag(document)]
    return sorted(found, key=lambda occurrence: (occurrence.segment, occurrence.target_tokens[0]))
