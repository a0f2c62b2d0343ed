"""What a rule file says against itself, beyond what its schema forbids: forms that can never match, and gaps."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from endophora.languages.discourse import SENSES, DiscourseRules
from endophora.languages.load import PLACEHOLDER
from endophora.languages.schema import EXTRACTION, PHENOMENA, LanguageRules

# Worked examples that a phenomenon should have at least, and one of which test sets are made.
EXAMPLES, EXTRACTION_EXAMPLES = 8, 4

_OPEN = ("ADJ", "ADV", "INTJ", "NOUN", "PROPN", "VERB")
_CLOSED = ("ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ")
_UPOS = frozenset((*_OPEN, *_CLOSED, "PUNCT", "SYM", "X"))


def review(rules: LanguageRules, source: LanguageRules) -> list[str]:
    """Return what is doubtful in a rule file, one sentence each; ``source`` has the verb forms it is made from."""
    return [
        *_placeholders(rules),
        *_letters(rules),
        *_classes(rules),
        *_verb_forms(rules, source),
        *_example_counts(rules),
        *(() if rules.discourse is None else _discourse(rules.discourse)),
    ]


def _placeholders(rules: LanguageRules) -> Iterator[str]:
    left = rules.model_dump_json().count(PLACEHOLDER)
    if left:
        yield f"{left} placeholders ({PLACEHOLDER}) are left"


def _letters(rules: LanguageRules) -> Iterator[str]:
    """Find forms with capitals where forms are compared in lower case."""
    extraction = rules.extracted
    lists = {
        "persons.second": rules.persons.second,
        "persons.third": rules.persons.third,
        **{f"formality.{i}.forms": rule.forms for i, rule in enumerate(rules.formality) if not rule.cased},
        **{f"formality_verbs.{i}.forms": rule.forms for i, rule in enumerate(rules.formality_verbs)},
        **{f"honorifics.{i}.forms": rule.forms for i, rule in enumerate(rules.honorifics)},
        **{
            f"extraction.{kind}.{i}.{key}": frozenset((forms,) if isinstance(forms, str) else forms)
            for kind, tables in (("gender", extraction.gender), ("formality", extraction.formality))
            for i, table in enumerate(tables)
            for key, forms in table.forms.items()
        },
        **{
            f"pronouns.{i}.alternatives.{value}": forms
            for i, rule in enumerate(rules.pronouns)
            for value, forms in rule.alternatives.items()
        },
    }
    for place, forms in lists.items():
        raised = sorted(form for form in forms if form != form.lower() and PLACEHOLDER not in form)
        if raised:
            yield f"{place}: forms are compared in lower case, so these never match: {', '.join(raised)}"


def _classes(rules: LanguageRules) -> Iterator[str]:
    """Find parts of speech that Universal Dependencies does not have."""
    lists = {
        "content_words.upos": rules.content_words.upos,
        **{f"formality.{i}.upos": rule.upos for i, rule in enumerate(rules.formality)},
        **{f"pronouns.{i}.source_upos": rule.source_upos for i, rule in enumerate(rules.pronouns)},
        **{f"pronouns.{i}.target_upos": rule.target_upos for i, rule in enumerate(rules.pronouns)},
    }
    for place, names in lists.items():
        yield from _no_parts_of_speech(place, names)


def _verb_forms(rules: LanguageRules, source: LanguageRules) -> Iterator[str]:
    known = {rule.label for rule in source.verb_forms}
    for rule in rules.verb_forms:
        if rule.from_forms - known:
            names = ", ".join(sorted(rule.from_forms - known))
            yield f"verb_forms.{rule.label}.from_forms: {source.name} has no form {names}"


def _example_counts(rules: LanguageRules) -> Iterator[str]:
    with_rules = (*rules.phenomena, *rules.extractable, *rules.extensions)
    for phenomenon in with_rules:
        examples = rules.examples.get(phenomenon, ())
        wanted = EXTRACTION_EXAMPLES if phenomenon in rules.extractable else EXAMPLES
        if len(examples) < wanted:
            yield f"{phenomenon}: {len(examples)} worked examples, and {wanted} are asked for"
        if examples and all(example.occurrences for example in examples):
            yield f"{phenomenon}: no negative example"
        if examples and not any(example.occurrences for example in examples):
            yield f"{phenomenon}: no positive example"
    for phenomenon in rules.examples:
        # A phenomenon of an outside package may need no rules.
        if phenomenon in (*PHENOMENA, *EXTRACTION) and phenomenon not in with_rules:
            yield f"{phenomenon}: it has worked examples, and no rules"


def _discourse(discourse: DiscourseRules) -> Iterator[str]:
    """Find markers that never match or match twice, senses that are not there, and classes that cannot be met."""
    missing = [sense for sense in SENSES if sense not in {each.sense for each in discourse.markers}]
    if missing:
        yield f"discourse.markers: no markers of {', '.join(missing)}"
    seen: dict[str, str] = {}
    for each in discourse.markers:
        place = f"discourse.markers.{each.sense}"
        written = [marker if isinstance(marker, str) else marker.form for marker in each.markers]
        written += [f"-{ending.ending}" for ending in each.endings]
        forms = [form for form in written if PLACEHOLDER not in form]
        never = sorted(form for form in forms if form != _compared(form))
        if never:
            yield f"{place}: markers are compared in lower case, NFC and with single blanks: {', '.join(never)}"
        twice = sorted(form for form in forms if seen.setdefault(form, each.sense) != each.sense)
        if twice:
            yield f"{place}: these stand under another sense too: {', '.join(twice)}"
        limited = (*(marker for marker in each.markers if not isinstance(marker, str)), *each.endings)
        yield from _no_parts_of_speech(place, frozenset[str]().union(*(some.upos for some in limited)))
    for name, classes in (("pronouns", discourse.pronouns), ("tenses", discourse.tenses)):
        labels: set[str] = set()
        for each in () if classes is None else classes.classes:
            place = f"discourse.{name}.{each.label}"
            if each.label in labels:
                yield f"{place}: two classes have this label"
            labels.add(each.label)
            raised = sorted(
                form for form in each.forms | each.lemmas if form != form.lower() and PLACEHOLDER not in form
            )
            if raised:
                yield f"{place}: words are compared in lower case, so these never match: {', '.join(raised)}"
            yield from _no_parts_of_speech(place, each.upos)


def _compared(form: str) -> str:
    return " ".join(unicodedata.normalize("NFC", form).lower().split())


def _no_parts_of_speech(place: str, names: frozenset[str]) -> Iterator[str]:
    if names - _UPOS:
        yield f"{place}: no universal part of speech: {', '.join(sorted(names - _UPOS))}"
