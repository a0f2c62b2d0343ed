"""Formality by case (Wicks and Post 2023, §2.1.3 and §3): every *you* whose translation shows a form of address.

That asks for no earlier word of the level, looks at pronouns only, and its rules are cases (``ACC.INFORM.SING``), so
that test sets can be balanced by form; formality by level may be asked for at once.
"""

from __future__ import annotations

from endophora.languages.schema import LanguageRules
from endophora.phenomena.pronoun_cases import PairTagger
from endophora.phenomena.tagging import RulesAs, TaggerSetup, rules_signature


class FormalityCaseTagger(PairTagger):
    """Finds the translations of *you* that show a form of address; they have no support, since none is one word."""

    phenomenon = "formality_cases"

    def __init__(self, rules: LanguageRules, rules_as: RulesAs = "corrected") -> None:
        published = rules_as == "published"
        variant = f"{rules_as}," if published else ""
        cases = rules.extracted.cases("formality", published=published)
        super().__init__(cases, f"{variant}{rules_signature(rules)}")


def make_tagger(setup: TaggerSetup) -> FormalityCaseTagger:
    """Return the tagger of formality by case."""
    return FormalityCaseTagger(setup.target, setup.options.rules_as)
