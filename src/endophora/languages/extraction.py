"""What a rule file says for test sets: forms by case of pronouns, forbidden verbs, cases of nouns.

The rules are those of ctxpro (Wicks and Post 2023, §3 and Appendix A), completed. A table has one line for the forms of
one case, so that a language's dozens of rules stay readable: ``{label: NOM.*, english: [it], forms: {FEM.SING: sie,
MASC.SING: er}}`` makes the rules ``NOM.FEM.SING`` and ``NOM.MASC.SING``. Parts of a label that are values of Gender or
Number in Universal Dependencies say what the antecedent must be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from endophora.languages.base import Features, Pattern, Strict, Text, Words

Case = Annotated[str, Field(pattern="^(-?[A-Z][a-z]+)?$")]
"""A value of Case, one that it may not have (``-Nom``), or empty for any."""

Part = Pattern | tuple[Pattern, ...]
"""A regular expression of whole words, or several of which one must hold."""

_GENDERS, _NUMBERS = ("Masc", "Fem", "Neut"), ("Sing", "Plur")


@dataclass(frozen=True, slots=True)
class PronounCase:
    """One rule of a line of a table: an English form, a form of the language, and what their antecedent must be.

    ``words`` are forms of the language, lower case, each a sequence of words, of which the last is the pronoun; an
    empty ``gender`` or ``number`` of the antecedent stands for any.
    """

    label: str
    english: Words
    english_case: str
    case: str
    words: tuple[tuple[str, ...], ...]
    gender: str
    number: str
    table: PronounTable


class Slip(Strict):
    """What a published rule has in place of ours: its English form, and gender and number of the antecedent."""

    english: Words = frozenset()
    english_case: Case = ""
    case: Case = ""
    forms: tuple[str, ...] = ()
    gender: str = ""
    number: str = ""


class PronounTable(Strict):
    """One line of a table of pronouns.

    Attributes:
        label: of the rules; ``*`` stands for the keys of ``forms``.
        english_case, case: the Case that the English form and that of the language must have; see :data:`Case`.
        forms: key of the label → form, lower case, or forms of which the first is the rule table's; a form of several
            words must stand so in the text (French *la nôtre*).
        upos: universal parts of speech that the form may have.
        unless_relations: relations that the form may not have: a determiner is no pronoun.
        antecedent: ``coreference``: the form agrees with what the English form refers to; ``possessed``: it is a
            possessive without its noun (*mine*), and agrees with the noun.
        endings: whether the forms are endings of a verb (Spanish *hacerlo*).
        unless_features: morphological features that the form, or the verb with the ending, may not all have.
        unless_capital: whether a form with a capital inside a sentence is another word (German polite *Sie*).
        unsure: forms that do not show that there is a noun, and so need a more certain antecedent: French *ils* may be
            persons named one by one. (Those that stand for nothing are ``unmarked`` in the rules of ``pronouns``.)
        also: form → English pronouns, lower case, that it translates too (German *er*: *he*); one of them in the
            segment without another translation may be what it translates.
        misprints: key → form in the published table that is a slip, and is not looked for.
        source: the published rules begin with “ctxpro”.
    """

    label: Text
    english: Words
    english_case: Case = ""
    case: Case = ""
    forms: dict[str, str | tuple[str, ...]]
    upos: Words = frozenset({"PRON", "NOUN", "PROPN"})
    unless_relations: Words = frozenset()
    antecedent: Literal["coreference", "possessed"] = "coreference"
    endings: bool = False
    unless_features: Features = {}
    unless_capital: bool = False
    unsure: Words = frozenset()
    also: dict[str, Words] = {}
    misprints: dict[str, str] = {}
    source: Text

    @field_validator("label")
    @classmethod
    def _one_star(cls, label: str) -> str:
        if label.count("*") != 1:
            raise ValueError("a label has one “*”, for the keys of the forms")
        return label

    @model_validator(mode="after")
    def _known_keys(self) -> PronounTable:
        """Hold misprints against the keys of the forms."""
        unknown = sorted(self.misprints.keys() - self.forms.keys())
        if unknown:
            raise ValueError(f"misprints of no form: {', '.join(unknown)}")
        known = {" ".join(words) for case in self.cases() for words in case.words}
        for name, forms in (("unsure", self.unsure), ("also", self.also.keys())):
            if forms - known:
                raise ValueError(f"{name} are no forms: {', '.join(sorted(forms - known))}")
        return self

    def cases(self) -> tuple[PronounCase, ...]:
        """Return the rules of the line, in order."""
        found: list[PronounCase] = []
        for key, forms in self.forms.items():
            label = self.label.replace("*", key)
            parts = {part.capitalize() for part in label.split(".")}
            words = tuple(tuple(form.split()) for form in ((forms,) if isinstance(forms, str) else forms))
            gender, number = (next((one for one in some if one in parts), "") for some in (_GENDERS, _NUMBERS))
            found.append(PronounCase(label, self.english, self.english_case, self.case, words, gender, number, self))
        return tuple(found)


def published_cases(tables: Iterable[PronounTable], slips: Mapping[str, Slip]) -> tuple[PronounCase, ...]:
    """Return the rules of tables as they were published: those of no other source, with their slips and misprints."""
    found: list[PronounCase] = []
    for table in tables:
        if not table.source.startswith("ctxpro"):
            continue
        for key, case in zip(table.forms, table.cases(), strict=True):
            slip = slips.get(case.label, Slip())
            misprint = table.misprints.get(key)
            words = slip.forms or ((misprint,) if misprint else ())
            found.append(
                replace(
                    case,
                    english=slip.english or case.english,
                    english_case=slip.english_case or case.english_case,
                    case=slip.case or case.case,
                    words=tuple(tuple(form.split()) for form in words) or case.words,
                    gender=slip.gender or case.gender,
                    number=slip.number or case.number,
                )
            )
    return tuple(found)


class Impersonal(Strict):
    """Words next to a pronoun that show that it stands for nothing: *it is recommended to*, *il s'agit de*.

    ``before`` and ``after`` are parts that follow each other, spaces apart. A part is a regular expression, or several
    of which one must hold; it is of whole words, lower case, with straight apostrophes. One that holds of the empty
    text may be missing. A noun of at least the probability ``unless_likely`` is what the pronoun stands
    for after all; 0 for none. ``in_any_form``: a translation that shows a gender is another word's, too (*it happened,
    when they saw it*; *als sie es sahen*). ``subject_after``: it only opens a clause whose subject comes after the verb
    (*es kamen drei Männer*), which the analysis shows.
    """

    forms: Words
    before: tuple[Part, ...] = ()
    after: tuple[Part, ...] = ()
    unless_likely: float = 0
    in_any_form: bool = False
    subject_after: bool = False
    source: Text

    @model_validator(mode="after")
    def _some_pattern(self) -> Impersonal:
        """Refuse a rule that asks for nothing."""
        if not (self.before or self.after or self.subject_after):
            raise ValueError("a pronoun that stands for nothing is recognised by words before or after it")
        return self


class AuxiliaryRule(Strict):
    """An English auxiliary that stands for a verb phrase left out; ``forbidden`` lemmas translate itself."""

    label: Text
    lemma: Text
    forbidden: Words = frozenset()
    source: Text


class InflectionRule(Strict):
    """A case in which a noun without a verb may stand."""

    label: Text
    case: Text
    source: Text


class ExtractionRules(Strict):
    """The rules from which test sets are made, with English as the other language.

    Attributes:
        gender: pronouns that agree with an antecedent; reversed, those of animacy.
        formality: pronouns that show a form of address.
        impersonal: where a pronoun stands for nothing, in English and the other language.
        not_for: in English, nouns that a pronoun does not stand for: its form → lemmas, lower case (*it*: *wife*).
        slips: label → what the published rule has, where ours of that label puts it right.
        of_clauses: in English, verbs whose object may be what was said as a whole (*say it*): lemmas, lower case.
        auxiliary_forms: in English, all forms of each auxiliary by its lemma, lower case, clitics included.
    """

    gender: tuple[PronounTable, ...] = ()
    formality: tuple[PronounTable, ...] = ()
    auxiliary: tuple[AuxiliaryRule, ...] = ()
    inflection: tuple[InflectionRule, ...] = ()
    impersonal: tuple[Impersonal, ...] = ()
    not_for: dict[str, Words] = {}
    slips: dict[str, Slip] = {}
    of_clauses: Words = frozenset()
    auxiliary_forms: dict[str, Words] = {}

    @model_validator(mode="after")
    def _labels_once(self) -> ExtractionRules:
        """Refuse a label that is there twice."""
        for name, labels in self.labels().items():
            twice = sorted({label for label in labels if labels.count(label) > 1})
            if twice:
                raise ValueError(f"{name}: two rules have the label {', '.join(twice)}")
        known = {label for labels in self.labels().values() for label in labels}
        if self.slips.keys() - known:
            raise ValueError(f"slips of no rule: {', '.join(sorted(self.slips.keys() - known))}")
        return self

    def cases(self, name: Literal["gender", "formality"], *, published: bool = False) -> tuple[PronounCase, ...]:
        """Return the pronoun rules of a phenomenon, as corrected and completed here or as published."""
        tables = self.gender if name == "gender" else self.formality
        if published:
            return published_cases(tables, self.slips)
        return tuple(case for table in tables for case in table.cases())

    def labels(self) -> dict[str, list[str]]:
        """Return the labels of each kind of rule, in order."""
        return {
            "gender": [case.label for table in self.gender for case in table.cases()],
            "formality": [case.label for table in self.formality for case in table.cases()],
            "auxiliary": [rule.label for rule in self.auxiliary],
            "inflection": [rule.label for rule in self.inflection],
        }
