"""What systems wrote where a form needs context (Wicks & Post, 2023, §5.3): forms, genders, lemmas of the auxiliary.

Without context a system falls back on what is commonest: the neuter or masculine pronoun, the auxiliary's own verb.
Forms are looked for in the part of an output that is judged, as the expected form is; one output may have several.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from endophora.annotate.loading import load_annotator
from endophora.errors import Fault, InputError
from endophora.languages.extraction import ExtractionRules
from endophora.languages.load import language_codes, load_language
from endophora.suites.matching import Matching, stand
from endophora.suites.records import Item, Suite
from endophora.suites.result import WrittenForm, WrittenKind

ANNOTATOR = "annotator"
"""Stands for the target language's own annotator where lemmas are chosen."""

MOST_FORMS = 60
"""A phenomenon with more expected forms (auxiliaries, nouns) has no list of them that says anything."""

NONE, ANY = "none of these", "any of these"
_GENDERS = ("Fem", "Masc", "Neut")


@dataclass(frozen=True, slots=True)
class _Items:
    """The items of a phenomenon, and the part that is judged of what each system wrote for them."""

    phenomenon: str
    items: Sequence[Item]
    texts: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, suite: Suite, texts: Mapping[str, Sequence[str]], phenomenon: str) -> _Items:
        """Return those of a phenomenon whose right outputs have an expected form."""
        there = [
            place
            for place, item in enumerate(suite.items)
            if item.phenomenon == phenomenon and item.criterion == "present" and item.expected
        ]
        own = {system: [lines[place] for place in there] for system, lines in texts.items()}
        return cls(phenomenon, [suite.items[place] for place in there], own)

    def counts(
        self,
        kind: WrittenKind,
        what: str,
        found: Mapping[str, Sequence[bool]],
        asked: Sequence[bool] | None = None,
        right: Mapping[str, Sequence[bool]] | None = None,
    ) -> Iterator[WrittenForm]:
        """Yield for each system the outputs that have it, of which ``right`` says whether they have the right form."""
        for system, there in found.items():
            yield WrittenForm(
                phenomenon=self.phenomenon,
                system=system,
                kind=kind,
                what=what,
                outputs=sum(there),
                wrong=sum(has > hit for has, hit in zip(there, right[system], strict=True)) if right else None,
                asked=None if asked is None else sum(asked),
                items=len(there),
            )


def written_forms(suite: Suite, texts: Mapping[str, Sequence[str]], matching: Matching) -> Iterator[WrittenForm]:
    """Count by phenomenon in how many outputs each form stands that an item expects or a wrong translation has.

    Forms that show a gender are counted together as well; of animacy all pronouns of the third person are looked for.
    """
    by_gender = _forms_by_gender(suite.target_language)
    for phenomenon in dict.fromkeys(item.phenomenon for item in suite.items):
        some = _Items.of(suite, texts, phenomenon)
        own = [item.expected[0].lower() for item in some.items]
        wrong = {variant.form.lower() for item in some.items for variant in item.variants if variant.form}
        forms = sorted({*own, *wrong, *(_third(suite.target_language) if phenomenon == "animacy" else ())})
        if not own or len(forms) > MOST_FORMS:
            continue
        having = {
            form: {system: list(stand([(form,)] * len(own), lines, matching)) for system, lines in some.texts.items()}
            for form in forms
        }
        expected = [item.expected for item in some.items]
        right = {system: list(stand(expected, lines, matching)) for system, lines in some.texts.items()}

        for form in forms:
            yield from some.counts("form", form, having[form], [one == form for one in own], right)
        any_of = _any(having, forms)
        yield from some.counts("form", NONE, {system: [not one for one in found] for system, found in any_of.items()})
        genders = [item.target_antecedent.gender.lower() if item.target_antecedent else "" for item in some.items]
        for gender in _GENDERS if any(genders) else ():
            if shown := [form for form in forms if form in by_gender.get(gender, ())]:
                asked = [one.startswith(gender.lower()) for one in genders]
                yield from some.counts("gender", gender, _any(having, shown), asked, right)


def written_lemmas(
    suite: Suite, texts: Mapping[str, Sequence[str]], name: str | None = None
) -> tuple[list[WrittenForm], str]:
    """Count in how many outputs a lemma stands that translates the auxiliary itself; return the signature as well.

    Without a ``name`` the target language's own annotator reads them. A suite without auxiliaries, or a language
    without rules of them, is E181.
    """
    rules = _rules(suite.target_language)
    forbidden = {rule.label: rule.forbidden for rule in (rules.auxiliary if rules else ())}
    some = _Items.of(suite, texts, "auxiliary")
    asked = [forbidden.get(item.rule, frozenset[str]()) for item in some.items]
    if not any(asked):
        advice = "leave --lemmas out: it is for auxiliaries and word senses"
        raise InputError(Fault("E181", f"{suite.name}: no rule has lemmas that should not be", advice, "--lemmas"))
    annotator = load_annotator(suite.target_language, None if name == ANNOTATOR else name)
    read = {
        system: [{token.lemma.lower() for token in text.tokens} for text in annotator.annotate(lines)]
        for system, lines in some.texts.items()
    }
    lemmas = sorted(set[str]().union(*asked))
    having = {
        lemma: {
            system: [lemma in text and lemma in those for text, those in zip(found, asked, strict=True)]
            for system, found in read.items()
        }
        for lemma in lemmas
    }
    counted = [one for lemma in lemmas for one in some.counts("lemma", lemma, having[lemma])]
    return [*counted, *some.counts("lemma", ANY, _any(having, lemmas))], annotator.signature


def _any(having: Mapping[str, Mapping[str, Sequence[bool]]], names: Sequence[str]) -> dict[str, list[bool]]:
    """Return system → whether each of its outputs has any of some forms."""
    return {
        system: [any(rows) for rows in zip(*(having[name][system] for name in names), strict=True)]
        for system in having[names[0]]
    }


def _forms_by_gender(language: str) -> dict[str, set[str]]:
    """Return the forms that the rules of gender have for each; a form may be of two (German *ihm*)."""
    found, rules = dict[str, set[str]](), _rules(language)
    for case in rules.cases("gender") if rules else ():
        found.setdefault(case.gender, set()).update(map(" ".join, case.words))
    return found


def _rules(language: str) -> ExtractionRules | None:
    return load_language(language).extraction if language in language_codes() else None


def _third(language: str) -> frozenset[str]:
    """Return a language's pronouns of the third person, of things and persons."""
    return load_language(language).persons.third if language in language_codes() else frozenset()
