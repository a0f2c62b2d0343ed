"""The taggers by name, what can be chosen of them, and a document through all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from endophora.errors import Fault, InputError
from endophora.languages.load import language_codes, load_language
from endophora.languages.schema import EXTRACTION, INTO_ENGLISH, PHENOMENA, LanguageRules
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Tagger
from endophora.registry import Registry
from endophora.signature import keyed, unkeyed

REVERSED = frozenset({"animacy", *INTO_ENGLISH})
"""Phenomena of pairs into English, whose rules and worked examples are in the file of the source language."""

UNRESOLVED = REVERSED | {"lexical_cohesion", "formality", "verb_form", "ellipsis"}
"""Phenomena that ask for no antecedents of source pronouns, so that a source language without a resolver will do."""

RulesAs = Literal["corrected", "published"]
"""Rules of test sets as this package has them, or as their authors published them."""


@keyed()
@dataclass(frozen=True, slots=True)
class TaggerOptions:
    """Variants and thresholds of the taggers; the defaults are those of ``docs/phenomena.md``.

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
    """

    phenomena: tuple[str, ...] = PHENOMENA
    lexical_cohesion: Literal["lemma", "surface"] = "lemma"
    repetitions: int = 3
    formality: Literal["verbs", "words"] = "verbs"
    pronouns: Literal["window", "sentence"] = "window"
    antecedent: float = 0.5
    antecedent_unmarked: float = 0.7
    pronouns_unmarked: float = 0.5
    verb_form: Literal["features", "tense"] = "features"
    ellipsis: Literal["local", "classifier", "unaligned"] = "local"
    ellipsis_classifier: Path | None = None
    auxiliary: Literal["segment", "sentence"] = "segment"
    rules_as: RulesAs = "corrected"


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
        "formality_cases": "endophora.phenomena.formality:make_formality_case_tagger",
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
