"""What a rule file says of verbs: their forms, what these say of time, and what says it where verbs have no tense."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from endophora.languages.base import Features, Pattern, Strict, Text, Words

Time = Literal["past", "present", "future"]


class Auxiliary(Strict):
    """The auxiliary of a periphrastic verb form.

    Attributes:
        main_lemmas: lemmas of the verbs that form the tense with it; empty for all.
        main_pattern: regular expression of further such lemmas as a whole, compounds above all.
        reflexives: reflexive pronouns with which every verb forms the tense with it, lower case.
    """

    lemmas: Words
    features: Features = {}
    main_lemmas: Words = frozenset()
    main_pattern: str = ""
    reflexives: Words = frozenset()


class VerbFormRule(Strict):
    """A verb form that one form of the source language may or may not be translated by.

    Attributes:
        features: morphological features of the finite verb, or of the main verb where there are auxiliaries.
        pattern: regular expression that is found in the form, lower case, where the annotator's features do not tell
            the form from others (Turkish *-mIştI*); empty for any. Of a periphrastic form, it is the main verb's.
        after: regular expression that is found in the text at the end of the verb (Spanish *va* before *a matar*).
        auxiliaries: the auxiliaries that make it; empty for a simple form.
        apart: whether the main verb may be the participle at the end of the auxiliary's clause, which parsers join to
            other words (German *ich habe … entfernt*).
        except_lemmas: verbs for which the form is no choice.
        except_subjects: features of a subject with which the form is not what its features say (a first person, whose
            form is that of the indicative).
        only_subjects: features that a subject must have for the form to be what its features say (German *ich habe
            gesehen*, which models take for a subjunctive).
        from_forms: labels of the source language's verb forms that may be translated so; empty for all.
        alike: label of a form that says the same in another register (German Perfekt and Präteritum); judgments take
            the two for one.
        alike_from: labels of the source forms with which ``alike`` may stand for this form, and not the other way round
            (German Präteritum for Plusquamperfekt); empty where the two are one.
        tagged: whether occurrences are made of it (a source language's forms are only looked at).
    """

    label: Text
    name: Text
    features: Features
    pattern: Pattern = ""
    after: Pattern = ""
    auxiliaries: tuple[Auxiliary, ...] = ()
    apart: bool = False
    except_lemmas: Words = frozenset()
    except_subjects: Features = {}
    only_subjects: Features = {}
    from_forms: Words = frozenset()
    alike: str = ""
    alike_from: Words = frozenset()
    tagged: bool = True
    source: Text


class TimeSign(Strict):
    """Words that say when, or how far something is: a regular expression that is found in a segment's text."""

    pattern: Pattern
    source: Text


class TimeSigns(Strict):
    """The words that say when in a language whose verbs have no tense.

    Attributes:
        signs: with one of them a segment leaves no verb's time to the context.
    """

    signs: Annotated[tuple[TimeSign, ...], Field(min_length=1)]
    source: Text


class TimeForm(VerbFormRule):
    """A finite form, and what times it may speak of: the first is what it says, the others are no error beside it.

    A form that says no time (*would*, *put*) has an empty first one. Occurrences are made of those that are ``tagged``.
    """

    says: tuple[Time | Literal[""], ...]


class Times(Strict):
    """What the finite forms of a language say of time, where the source language has no tense.

    Attributes:
        forms: the first that matches counts.
        free_marks: lemmas of subordinators in whose clauses a tense need not be a time (*if she came*).
    """

    forms: tuple[TimeForm, ...]
    free_marks: Words = frozenset()
    source: Text
