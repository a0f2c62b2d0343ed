"""Gender and animacy: a pronoun whose form agrees with a noun that stands elsewhere (Wicks and Post 2023, §2.1 and §3).

It is gender the other way round: French *elle* is *she* or *it*, and an antecedent decides. The rules are those of
gender in the source language; antecedents are looked for on the English side, which is the target.
"""

from __future__ import annotations

from functools import partial

from endophora.languages import load_language
from endophora.languages.schema import LanguageRules
from endophora.phenomena.antecedents import Belief, by_coreference, by_possessed
from endophora.phenomena.binding import cannot_stand_for
from endophora.phenomena.impersonal import ImpersonalPronouns, normal
from endophora.phenomena.pronoun_cases import (
    Pair,
    PairTagger,
    Resolutions,
    has_preposition,
    may_be_of_other,
)
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Support, swap_occurrence, swap_sides
from endophora.phenomena.tagging import TaggerSetup, rules_signature
from endophora.phenomena.verdicts import Reason, Verdict

_UNSURE = 0.85
"""Least probability of the antecedent of a form that does not show that there is a noun, if a rule says so."""

_EMPTY = 0.2
"""Probability of standing for nothing from which an unmarked form is believed to."""

_SHARE = 0.75
"""Least share that an antecedent must have of the probability of all nouns."""

_NAMES = 0.1
"""Probability of all names together from which no other noun is believed: resolvers that have read no news give too
little to companies and countries."""


class GenderTagger(PairTagger):
    """Finds pronouns whose form is decided by the gender and number of their antecedent, which is their support.

    Args:
        unmarked: the threshold of forms that also stand for nothing or for what was said (*es*, *il*).
        english: rules of English, which say where its pronouns stand for nothing; by default the package's.
        share: least share of the probability of all nouns that the antecedent must have.
        marked: part of the threshold that suffices for a form that shows that there is a noun.
        names: probability of all names together from which no other noun is believed.
    """

    phenomenon = "gender"

    def __init__(
        self,
        rules: LanguageRules,
        threshold: float = 0.5,
        unmarked: float = 0.7,
        window: int = 5,
        english: LanguageRules | None = None,
        share: float = _SHARE,
        marked: float = 1.0,
        names: float = _NAMES,
    ) -> None:
        english = english or load_language("en")
        numbers = f"{threshold:g},{unmarked:g},{share:g},{marked:g},{names:g},{window}"
        super().__init__(rules.extracted.gender, f"{numbers},{rules_signature(rules, english)}")
        self._unmarked = frozenset(form for rule in rules.pronouns for form in rule.unmarked)
        self._empty = tuple(ImpersonalPronouns(some.extracted.impersonal) for some in (english, rules))
        self._not_for = english.extracted.not_for
        self._marked = Belief(marked * threshold, share, names)
        self._sure = Belief(unmarked, share, names)
        self._surer = Belief(max(unmarked, _UNSURE), share, names)
        self._window = window

    def _check(
        self, document: AnnotatedDocument, pair: Pair, resolutions: Resolutions
    ) -> tuple[Reason, Support | None]:
        form = normal(document.target[pair.segment].tokens[pair.target[-1]].form)
        unsure = form in pair.case.table.unsure
        unmarked = unsure or pair.case.words[0][-1] in self._unmarked
        sides = (document.source[pair.segment], pair.source), (document.target[pair.segment], pair.target[-1])
        by_words = (rules.hold(*side) for rules, side in zip(self._empty, sides, strict=True))
        if unmarked and (pair.expletive or any(by_words)):
            return Reason.EXPLETIVE, None
        if unmarked and pair.case.case == "Nom" and has_preposition(document.source[pair.segment], pair.source):
            return Reason.SOURCE_CASE, None
        if may_be_of_other(document, pair):
            return Reason.NO_PAIR, None
        if pair.case.table.antecedent == "possessed":
            return by_possessed(document, pair, self._window)
        resolution = resolutions.get((pair.segment, pair.source))
        if unmarked and resolution is not None and resolution.non_referential >= _EMPTY:
            return Reason.EXPLETIVE, None
        belief = self._surer if unsure else self._sure if unmarked else self._marked
        barred = self._not_for.get(normal(document.source[pair.segment].tokens[pair.source].form), frozenset[str]())
        possible = partial(self._is_possible, document, pair)
        return by_coreference(document, pair, resolution, belief, barred, possible)

    def _is_possible(self, document: AnnotatedDocument, pair: Pair, segment: int, head: int) -> bool:
        """Return whether a noun may be what the pronoun stands for: no noun of a set phrase, none that grammar bars."""
        text = document.source[segment]
        barred = segment == pair.segment and cannot_stand_for(text, pair.source, head)
        return not barred and not self._empty[0].hold(text, head)


def make_tagger(setup: TaggerSetup) -> GenderTagger:
    """Return the tagger of gender."""
    options = setup.options
    return GenderTagger(setup.target, options.antecedent, options.antecedent_unmarked, english=setup.source)


class AnimacyTagger(GenderTagger):
    """Finds English pronouns of things whose source pronoun does not tell them from persons.

    With the share of gender, fewer published items are found, hardly more of them with the published antecedent; and
    however likely names are, they are no reason against a noun.
    """

    phenomenon = "animacy"

    def __init__(
        self,
        rules: LanguageRules,
        threshold: float = 0.5,
        unmarked: float = 0.7,
        english: LanguageRules | None = None,
    ) -> None:
        super().__init__(rules, threshold, unmarked, english=english, share=0.5, marked=0.7, names=1.1)

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the occurrences of gender in the document with its sides swapped."""
        found = [swap_occurrence(one, document, self.phenomenon) for one in super().tag(swap_sides(document))]
        return sorted(found, key=lambda occurrence: (occurrence.segment, occurrence.target_tokens))

    def verdicts(self, document: AnnotatedDocument, segment: int) -> dict[str, Verdict]:
        """Return for each rule what it says of a segment of the document with its sides swapped."""
        found = super().verdicts(swap_sides(document), segment)
        swapped = ((one, one.occurrence) for one in found.values())
        return {
            label: Verdict(verdict.reason, one and swap_occurrence(one, document, self.phenomenon))
            for label, (verdict, one) in zip(found, swapped, strict=True)
        }


def make_animacy_tagger(setup: TaggerSetup) -> AnimacyTagger:
    """Return the tagger of animacy."""
    options = setup.options
    return AnimacyTagger(setup.source, options.antecedent, options.antecedent_unmarked, setup.target)
