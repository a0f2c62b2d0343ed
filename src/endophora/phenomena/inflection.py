"""Inflection: a noun without a verb, whose case an earlier sentence decides (Wicks and Post 2023, §2.2.2 and §3)."""

from __future__ import annotations

from endophora.annotate.records import VERBS, AnnotatedText, Token
from endophora.languages.extraction import InflectionRule
from endophora.languages.schema import LanguageRules
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Support, sources_of
from endophora.phenomena.tagging import RulesAs, TaggerSetup, rules_signature
from endophora.phenomena.verdicts import LOOK_BACK, Reason, SegmentTagger, Verdict


class InflectionTagger(SegmentTagger[InflectionRule]):
    """Finds nouns in segments without a verb, and the nearest earlier noun in the same case.

    Of a segment it is the last noun linked to a noun; its support is the earlier noun and what that translates. Rules
    ``published`` take any word with a case for a noun, pronouns, names and adjectives too, linked to any word.
    """

    phenomenon = "inflection"

    def __init__(self, rules: LanguageRules, window: int = LOOK_BACK, rules_as: RulesAs = "corrected") -> None:
        variant = f"{rules_as}," if rules_as != "corrected" else ""
        super().__init__(rules.extracted.inflection, f"{variant}{window},{rules_signature(rules)}", window)
        self._any = rules_as == "published"

    def _verdict(self, rule: InflectionRule, document: AnnotatedDocument, segment: int) -> Verdict:
        source, target, links = document.source[segment], document.target[segment], document.links[segment]
        if _has_verb(source):
            return Verdict(Reason.SOURCE_VERB)
        if _has_verb(target):
            return Verdict(Reason.TARGET_VERB)
        nouns = [index for index, token in enumerate(target.tokens) if self._is_in(token, rule.case)]
        # A preposition's Case is the one it asks for.
        words = [token for token in target.tokens if token.upos != "ADP"]
        if not nouns or any(rule.case not in token.features.get("Case", rule.case).split(",") for token in words):
            return Verdict(Reason.OTHER_CASE)
        before = self._words_before(document, segment)
        earlier = next((place[:2] for place in before if self._is_in(place[2], rule.case)), None)
        if earlier is None:
            return Verdict(Reason.CASE_NOT_EARLIER)
        pairs = [
            (index, noun)
            for index in nouns
            for noun in sources_of(index, links)
            if self._any or source.tokens[noun].upos == "NOUN"
        ]
        if not pairs:
            return Verdict(Reason.NOUN_NOT_LINKED)
        index, noun = pairs[-1]
        before, other = earlier
        linked = sources_of(other, document.links[before])[:1]
        support = Support(tuple((before, word) for word in linked), ((before, other),), segment - before)
        place = document.id, segment, self.phenomenon, rule.label
        return Verdict(Reason.HIT, Occurrence(*place, (noun,), (index,), target.tokens[index].form, support))

    def _is_in(self, token: Token, case: str) -> bool:
        """Return whether a word is a noun, or what the rules take for one, in a case; prepositions only ask for one."""
        known = token.upos != "ADP" if self._any else token.upos == "NOUN"
        return known and case in token.features.get("Case", "").split(",")


def _has_verb(text: AnnotatedText) -> bool:
    return any(token.upos in VERBS for token in text.tokens)


def make_tagger(setup: TaggerSetup) -> InflectionTagger:
    """Return the tagger of inflection."""
    return InflectionTagger(setup.target, rules_as=setup.options.rules_as)
