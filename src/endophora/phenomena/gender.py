"""Gender and animacy: a pronoun whose form agrees with a noun that stands elsewhere (Wicks and Post 2023, §2.1 and §3).

It is gender the other way round: French *elle* is *she* or *it*, and an antecedent tells. The rules are those of
gender in the source language; antecedents are looked for on the English side, which is the target.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from endophora.annotate.records import AnnotatedText
from endophora.languages import load_language
from endophora.languages.extraction import ExtractionRules, Impersonal, Part
from endophora.languages.schema import LanguageRules
from endophora.phenomena.antecedents import (
    Belief,
    Resolutions,
    by_coreference,
    by_possessed,
    cannot_stand_for,
    resolutions_of,
)
from endophora.phenomena.pronoun_cases import Pair, PronounCases, has_preposition, may_be_of_other, normal, normal_text
from endophora.phenomena.records import AnnotatedDocument, Occurrence, span_text, swap_occurrence, swap_sides
from endophora.phenomena.tagging import TaggerSetup, rules_signature
from endophora.phenomena.verdicts import Reason, Verdict, furthest

_QUOTES = re.compile(r"[«»“”„\"]")


class ImpersonalPronouns:
    """A language's rules for pronouns that stand for nothing, and for nouns of set phrases, which do not either."""

    def __init__(self, rules: Iterable[Impersonal]) -> None:
        self._rules: dict[str, list[tuple[re.Pattern[str], re.Pattern[str]]]] = {}
        for rule in rules:
            before = re.compile(rf"{_sequence(rule.before)}[\s-]*\Z" if rule.before else "")
            after = re.compile(_sequence(rule.after))
            for form in sorted(rule.forms):
                self._rules.setdefault(form, []).append((before, after))

    def hold(self, text: AnnotatedText, index: int) -> bool:
        """Tell whether a rule has it that a pronoun stands for nothing."""
        token = text.tokens[index]
        rules = self._rules.get(normal(token.form), ())
        if not rules:
            return False
        before, after = (
            _QUOTES.sub(" ", normal_text(part)) for part in (text.text[: token.start], text.text[token.end :])
        )
        return any(one.search(before) and other.match(after) for one, other in rules)


def _sequence(parts: Sequence[Part]) -> str:
    """Return the regular expression of parts that follow each other: each of whole words, spaces apart."""
    found: list[str] = []
    for part in parts:
        choice = f"(?:{part if isinstance(part, str) else '|'.join(part)})"
        missing = "?" if re.fullmatch(choice, "") else ""
        found.append(rf"(?:\s*(?<!\w){choice}(?!\w)){missing}")
    return "".join(found)


_ENGLISH = "en"

_UNSURE = 0.85
"""Least probability of the antecedent of a form that does not show that there is a noun, if a rule says so."""

_EMPTY = 0.2
"""Probability of standing for nothing from which an unmarked form is believed to."""

SHARE = 0.75
"""Least share that an antecedent must have of the probability of all nouns."""

NAMES = 0.1
"""Probability of all names together from which no other noun is believed: resolvers that have read no news give too
little to companies and countries."""


class GenderTagger:
    """Finds pronouns whose form is decided by the gender and number of their antecedent.

    Args:
        unmarked: the same for forms that also stand for nothing or for what was said (*es*, *il*).
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
        share: float = SHARE,
        marked: float = 1.0,
        names: float = NAMES,
    ) -> None:
        english = english or load_language(_ENGLISH)
        own, others = rules.extraction or ExtractionRules(), english.extraction or ExtractionRules()
        self._cases = PronounCases(own.gender)
        self._unmarked = frozenset(form for rule in rules.pronouns for form in rule.unmarked)
        self._empty = ImpersonalPronouns(others.impersonal), ImpersonalPronouns(own.impersonal)
        self._not_for = others.not_for
        self._marked = Belief(marked * threshold, share, names)
        self._surer = {
            True: Belief(max(unmarked, _UNSURE), share, names),
            False: Belief(unmarked, share, names),
        }
        self._window = window
        self._signature = (
            f"{threshold:g},{unmarked:g},{share:g},{marked:g},{names:g},{window},{rules_signature(rules, english)}"
        )

    @property
    def signature(self) -> str:
        """Thresholds, window and the rule file."""
        return self._signature

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the document's occurrences, ordered by segment, then target token.

        Returns:
            One occurrence a pronoun, of the first rule that holds; its support is the antecedent and its translation.
        """
        resolutions = resolutions_of(document)
        found: dict[tuple[int, tuple[int, ...]], Occurrence] = {}
        for segment in range(len(document.source)):
            for _, verdict in self._verdicts(document, segment, resolutions):
                if verdict.occurrence is not None:
                    found.setdefault((segment, verdict.occurrence.target_tokens), verdict.occurrence)
        return list(found.values())

    def verdicts(self, document: AnnotatedDocument, segment: int) -> dict[str, Verdict]:
        """Return for each rule what it says of a segment: the pair of words with which its check came furthest."""
        by_label: dict[str, list[Verdict]] = {case.label: [] for case in self._cases.cases}
        for pair, verdict in self._verdicts(document, segment, resolutions_of(document)):
            by_label[pair.case.label].append(verdict)
        return {label: furthest(some, Reason.NO_PAIR) for label, some in by_label.items()}

    def _verdicts(
        self, document: AnnotatedDocument, segment: int, resolutions: Resolutions
    ) -> Iterator[tuple[Pair, Verdict]]:
        for pair in self._cases.pairs(document, segment):
            yield pair, self._verdict(document, pair, resolutions)

    def _verdict(self, document: AnnotatedDocument, pair: Pair, resolutions: Resolutions) -> Verdict:
        if pair.reason is not Reason.HIT:
            return Verdict(pair.reason)
        form = normal(document.target[pair.segment].tokens[pair.target[-1]].form)
        unsure = form in pair.case.table.unsure
        unmarked = unsure or pair.case.words[0][-1] in self._unmarked
        if unmarked and (pair.expletive or self._stands_for_nothing(document, pair)):
            return Verdict(Reason.EXPLETIVE)
        if unmarked and pair.case.case == "Nom" and has_preposition(document.source[pair.segment], pair.source):
            return Verdict(Reason.SOURCE_CASE)
        if may_be_of_other(document, pair):
            return Verdict(Reason.NO_PAIR)
        if pair.case.table.antecedent == "possessed":
            reason, support = by_possessed(document, pair, self._window)
        else:
            resolution = resolutions.get((pair.segment, pair.source))
            if unmarked and resolution is not None and resolution.non_referential >= _EMPTY:
                return Verdict(Reason.EXPLETIVE)
            belief = self._surer[unsure] if unmarked else self._marked
            barred = self._not_for.get(normal(document.source[pair.segment].tokens[pair.source].form), frozenset[str]())
            possible = partial(self._is_possible, document, pair)
            reason, support = by_coreference(document, pair, resolution, belief, barred, possible)
        if support is None:
            return Verdict(reason)
        return Verdict(
            reason,
            Occurrence(
                document=document.id,
                segment=pair.segment,
                phenomenon=self.phenomenon,
                rule=pair.case.label,
                source_tokens=(pair.source,),
                target_tokens=pair.target,
                expected=span_text(document.target[pair.segment], pair.target),
                support=support,
            ),
        )

    def _is_possible(self, document: AnnotatedDocument, pair: Pair, segment: int, head: int) -> bool:
        """Tell whether a noun may be what the pronoun stands for: no noun of a set phrase, none that grammar bars."""
        text = document.source[segment]
        barred = segment == pair.segment and cannot_stand_for(text, pair.source, head)
        return not barred and not self._empty[0].hold(text, head)

    def _stands_for_nothing(self, document: AnnotatedDocument, pair: Pair) -> bool:
        """Tell whether the words beside the pronoun on either side say so."""
        sides = (document.source[pair.segment], pair.source), (document.target[pair.segment], pair.target[-1])
        return any(rules.hold(*side) for rules, side in zip(self._empty, sides, strict=True))


def make_tagger(setup: TaggerSetup) -> GenderTagger:
    """Return the tagger of gender."""
    options = setup.options
    return GenderTagger(setup.target, options.antecedent, options.antecedent_unmarked, english=setup.source)


ANIMACY_SHARE = 0.5
"""Least share of the probability of all nouns; with that of gender, fewer published items are found, hardly more of
them with the published antecedent."""

MARKED = 0.7
"""Part of the threshold that suffices for a form that shows that there is a noun."""

ANY_NAMES = 1.1
"""However likely names are: they are no reason against a noun."""


class AnimacyTagger:
    """Finds English pronouns of things whose source pronoun does not tell them from persons.

    Args:
        unmarked: the same for forms that also stand for nothing or for what was said.
        english: rules of English, which say where its pronouns stand for nothing; by default the package's.
    """

    phenomenon = "animacy"

    def __init__(
        self,
        rules: LanguageRules,
        threshold: float = 0.5,
        unmarked: float = 0.7,
        english: LanguageRules | None = None,
    ) -> None:
        self._gender = GenderTagger(
            rules, threshold, unmarked, english=english, share=ANIMACY_SHARE, marked=MARKED, names=ANY_NAMES
        )

    @property
    def signature(self) -> str:
        """That of gender in the source language."""
        return self._gender.signature

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the document's occurrences, ordered by segment, then target token."""
        found = [
            swap_occurrence(occurrence, document, self.phenomenon)
            for occurrence in self._gender.tag(swap_sides(document))
        ]
        return sorted(found, key=lambda occurrence: (occurrence.segment, occurrence.target_tokens))

    def verdicts(self, document: AnnotatedDocument, segment: int) -> dict[str, Verdict]:
        """Return for each rule what it says of a segment: the pair of words with which its check came furthest."""
        found = self._gender.verdicts(swap_sides(document), segment)
        return {
            label: Verdict(
                verdict.reason,
                verdict.occurrence and swap_occurrence(verdict.occurrence, document, self.phenomenon),
            )
            for label, verdict in found.items()
        }


def make_animacy_tagger(setup: TaggerSetup) -> AnimacyTagger:
    """Return the tagger of animacy."""
    options = setup.options
    return AnimacyTagger(setup.source, options.antecedent, options.antecedent_unmarked, setup.target)
