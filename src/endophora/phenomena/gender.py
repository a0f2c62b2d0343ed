"""Gender and animacy: a pronoun whose form agrees with a noun that stands elsewhere (Wicks and Post 2023, §2.1 and §3).

It is gender the other way round: French *elle* is *she* or *it*, and an antecedent decides. The rules are those of
gender in the source language; antecedents are looked for on the English side, which is the target.
"""

from __future__ import annotations

from functools import partial

from endophora.annotate.records import AnnotatedText
from endophora.languages import load_language
from endophora.languages.schema import LanguageRules
from endophora.phenomena.antecedents import Belief, by_coreference, by_possessed
from endophora.phenomena.binding import cannot_stand_for
from endophora.phenomena.impersonal import ImpersonalPronouns, normal
from endophora.phenomena.pronoun_cases import Pair, PairTagger, Resolutions, has_preposition, may_be_of_other
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Support, swap_occurrence, swap_sides
from endophora.phenomena.tagging import RulesAs, TaggerSetup, rules_signature
from endophora.phenomena.verdicts import Reason, Verdict

_MARKED = 0.25
"""Least probability of the antecedent of a form that shows that there is a noun."""

_UNMARKED = 0.7
"""The same of one that also stands for nothing or for what was said."""

_OBJECT = 0.25
"""The same of one that is the object of a verb of things: it stands neither for nothing nor for a clause."""

_HERE = 0.45
"""The same where the noun is in the pronoun's own segment: it has more rivals than one that was spoken of before."""

_UNSURE = 0.75
"""Least probability of the antecedent of a form that does not show that there is a noun, if a rule says so."""

_EMPTY = 0.2
"""Probability of standing for nothing from which an unmarked form is believed to."""

_SHARE = 0.7
"""Least share that an antecedent must have of the probability of all nouns."""

_AS_PUBLISHED = Belief(0.2, 0.5)
"""When an antecedent is believed by the published rules, which take the last noun of whatever chain there is."""

_NAMES = 0.1
"""Probability of all names together from which no other noun is believed: resolvers that have read no news give too
little to companies and countries."""


_WHEN = frozenset({"obl:unmarked", "obl:tmod"})
_POSSESSORS = frozenset({"nmod:poss", "det:poss"})
"""Relations of possessives, which have the forms of a genitive (Polish *jego*): no translations of *it*."""


class GenderTagger(PairTagger):
    """Finds pronouns whose form is decided by the gender and number of their antecedent, which is their support.

    Args:
        threshold: least probability of the antecedent of a form that shows that there is a noun.
        unmarked: the same of forms that also stand for nothing or for what was said (*es*, *il*).
        unmarked_object: the same of such a form that is the object of a verb whose object is a thing (*wear it*).
        english: rules of English, which say where its pronouns stand for nothing; by default the package's.
        share: least share of the probability of all nouns that may agree with the form.
        names: probability of all names together from which no other noun is believed.
        rules_as: ``published``: the published rules alone, slips and all, and no reasons against an antecedent.
    """

    phenomenon = "gender"
    here = _HERE
    """Least probability of a noun of the pronoun's own segment."""

    def __init__(
        self,
        rules: LanguageRules,
        threshold: float = _MARKED,
        unmarked: float = _UNMARKED,
        window: int = 5,
        english: LanguageRules | None = None,
        *,
        unmarked_object: float = _OBJECT,
        share: float = _SHARE,
        names: float = _NAMES,
        rules_as: RulesAs = "corrected",
    ) -> None:
        english = english or load_language("en")
        self._published = rules_as == "published"
        variant = f"{rules_as}," if self._published else ""
        numbers = f"{variant}{threshold:g},{unmarked:g},{unmarked_object:g},{share:g},{names:g},{self.here:g},{window}"
        cases = rules.extracted.cases("gender", published=self._published)
        super().__init__(cases, f"{numbers},{rules_signature(rules, english)}")
        self._unmarked = frozenset(form for rule in rules.pronouns for form in rule.unmarked)
        self._empty = tuple(ImpersonalPronouns(some.extracted.impersonal) for some in (english, rules))
        self._not_for = english.extracted.not_for
        self._of_clauses = english.extracted.of_clauses
        self._marked = _AS_PUBLISHED if self._published else Belief(threshold, share, names, self.here)
        self._object = Belief(unmarked_object, share, names, self.here)
        self._sure = Belief(unmarked, share, names)
        self._surer = Belief(max(unmarked, _UNSURE), share, names)
        self._window = window

    def _check(
        self, document: AnnotatedDocument, pair: Pair, resolutions: Resolutions
    ) -> tuple[Reason, Support | None]:
        if self._published:
            if pair.case.table.antecedent == "possessed":
                return by_possessed(document, pair, self._window)
            return by_coreference(document, pair, resolutions.get((pair.segment, pair.source)), self._marked)
        form = normal(document.target[pair.segment].tokens[pair.target[-1]].form)
        unsure = form in pair.case.table.unsure
        unmarked = unsure or self._is_unmarked(pair)
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
        (english, source), (other, target) = sides
        if other.tokens[target].relation in _POSSESSORS and english.tokens[source].features.get("Poss") != "Yes":
            return Reason.TARGET_CASE, None
        resolution = resolutions.get((pair.segment, pair.source))
        if unmarked and resolution is not None and resolution.non_referential >= _EMPTY:
            return Reason.EXPLETIVE, None
        belief = self._marked
        if unmarked:
            of_thing = self._has_thing(document.source[pair.segment], pair.source)
            belief = self._surer if unsure else self._object if of_thing else self._sure
        barred = self._not_for.get(normal(document.source[pair.segment].tokens[pair.source].form), frozenset[str]())
        possible = partial(self._is_possible, document, pair)
        return by_coreference(document, pair, resolution, belief, barred, possible)

    def _is_unmarked(self, pair: Pair) -> bool:
        """Return whether a form, or the pronoun that an ending is, also stands for nothing or for what was said."""
        form = pair.case.words[0][-1]
        return form in self._unmarked or (pair.case.table.endings and any(form.endswith(one) for one in self._unmarked))

    def _has_thing(self, text: AnnotatedText, pronoun: int) -> bool:
        """Return whether a pronoun is the object of a verb whose object is no clause."""
        token = text.tokens[pronoun]
        if token.head < 0 or not token.relation.startswith("obj"):
            return False
        verb = text.tokens[token.head]
        return verb.upos == "VERB" and verb.lemma.lower() not in self._of_clauses

    def _is_possible(self, document: AnnotatedDocument, pair: Pair, segment: int, head: int) -> bool:
        """Return whether a noun may be what the pronoun stands for.

        Not one of a set phrase, nor one that says when (*last month*), nor one that grammar bars.
        """
        text = document.source[segment]
        if text.tokens[head].relation in _WHEN:
            return False
        barred = segment == pair.segment and cannot_stand_for(text, pair.source, head)
        return not barred and not self._empty[0].hold(text, head)


def make_tagger(setup: TaggerSetup) -> GenderTagger:
    """Return the tagger of gender."""
    return GenderTagger(setup.target, english=setup.source, rules_as=setup.options.rules_as)


class AnimacyTagger(GenderTagger):
    """Finds English pronouns of things whose source pronoun does not tell them from persons.

    With the shares of gender, fewer published items are found, hardly more of them with the published antecedent; and
    however likely names are, they are no reason against a noun.
    """

    phenomenon = "animacy"
    here = 0.0

    def __init__(
        self,
        rules: LanguageRules,
        threshold: float = 0.35,
        unmarked: float = _UNMARKED,
        english: LanguageRules | None = None,
        *,
        rules_as: RulesAs = "corrected",
    ) -> None:
        super().__init__(
            rules,
            threshold,
            unmarked,
            english=english,
            unmarked_object=0.45,
            share=0.5,
            names=1.1,
            rules_as=rules_as,
        )

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
    return AnimacyTagger(setup.source, english=setup.target, rules_as=setup.options.rules_as)
