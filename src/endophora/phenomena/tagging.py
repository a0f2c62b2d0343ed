"""The taggers by name, and a document through all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from endophora.errors import Fault, InputError
from endophora.languages.load import language_codes, load_language
from endophora.languages.schema import EXTRACTION, LanguageRules
from endophora.phenomena.options import REVERSED, TaggerOptions, TaggerSetup
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Tagger
from endophora.registry import Registry

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
        "animacy": "endophora.phenomena.animacy:make_tagger",
        "formality_cases": "endophora.phenomena.formality_cases:make_tagger",
        "auxiliary": "endophora.phenomena.auxiliary:make_tagger",
        "inflection": "endophora.phenomena.inflection:make_tagger",
    },
)
"""Phenomenon → what makes its tagger; an outside package adds to it by an entry point of ``endophora.tagger``."""


def make_taggers(
    target_language: str,
    options: TaggerOptions | None = None,
    source_language: str = "en",
    rules: Mapping[str, LanguageRules] | None = None,
) -> list[Tagger]:
    """Return the taggers of a language pair.

    Args:
        rules: rules, by language, that take the place of those of the package.

    Raises:
        InputError: a language has no rules (E030), a phenomenon is unknown (E090), a threshold is out of range (E065,
            all at once), or a phenomenon of test sets has no rules for the pair (E190, all at once).
    """
    chosen = options if options is not None else TaggerOptions()
    faults: list[Fault] = []
    for threshold in (chosen.antecedent, chosen.antecedent_unmarked):
        if not 0 <= threshold <= 1:
            faults.append(Fault("E065", f"antecedent threshold {threshold:g}", "give a probability, 0 to 1"))
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
