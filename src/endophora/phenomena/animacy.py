"""Animacy: the English pronoun for one that also stands for a person (Wicks and Post 2023, §2.1.2 and §3).

It is gender the other way round: French *elle* is *she* or *it*, and an antecedent tells. The rules are those of
gender in the source language; antecedents are looked for on the English side, which is the target.
"""

from __future__ import annotations

from endophora.languages.schema import LanguageRules
from endophora.phenomena.gender import GenderTagger
from endophora.phenomena.options import TaggerSetup
from endophora.phenomena.reasons import Verdict
from endophora.phenomena.records import AnnotatedDocument, Occurrence
from endophora.phenomena.reversal import reverse, reverse_occurrence

SHARE = 0.5
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
            rules, threshold, unmarked, english=english, share=SHARE, marked=MARKED, names=ANY_NAMES
        )

    @property
    def signature(self) -> str:
        """That of gender in the source language."""
        return self._gender.signature

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the document's occurrences, ordered by segment, then target token."""
        found = [
            reverse_occurrence(occurrence, document, self.phenomenon)
            for occurrence in self._gender.tag(reverse(document))
        ]
        return sorted(found, key=lambda occurrence: (occurrence.segment, occurrence.target_tokens))

    def verdicts(self, document: AnnotatedDocument, segment: int) -> dict[str, Verdict]:
        """Return for each rule what it says of a segment: the pair of words with which its check came furthest."""
        found = self._gender.verdicts(reverse(document), segment)
        return {
            label: Verdict(
                verdict.reason,
                verdict.occurrence and reverse_occurrence(verdict.occurrence, document, self.phenomenon),
            )
            for label, verdict in found.items()
        }


def make_tagger(setup: TaggerSetup) -> AnimacyTagger:
    """Return the tagger of animacy."""
    options = setup.options
    return AnimacyTagger(setup.source, options.antecedent, options.antecedent_unmarked, setup.target)
