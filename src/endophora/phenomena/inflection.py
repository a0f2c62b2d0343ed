"""Inflection: a noun without a verb, whose case an earlier sentence decides (Wicks and Post 2023, §2.2.2 and §3)."""

from __future__ import annotations

from collections.abc import Iterator

from endophora.annotate.records import AnnotatedText, Token
from endophora.languages.extraction import ExtractionRules, InflectionRule
from endophora.languages.schema import LanguageRules
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Support, sources_of
from endophora.phenomena.tagging import TaggerSetup, rules_signature
from endophora.phenomena.verdicts import Reason, Verdict

LOOK_BACK = 10
"""How many segments back a noun of the same case may stand, the published tool's window."""

_VERBS = frozenset({"VERB", "AUX"})


class InflectionTagger:
    """Finds nouns in segments without a verb, and the nearest earlier noun in the same case."""

    phenomenon = "inflection"

    def __init__(self, rules: LanguageRules, window: int = LOOK_BACK) -> None:
        self._rules = (rules.extraction or ExtractionRules()).inflection
        self._window = window
        self._files = rules_signature(rules)

    @property
    def signature(self) -> str:
        """Window and the rule file."""
        return f"{self._window},{self._files}"

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the document's occurrences, ordered by segment, then target token.

        Returns:
            One occurrence a segment, its last noun linked to a noun; its support is the earlier noun and what it
            translates.
        """
        found: list[Occurrence] = []
        for segment in range(1, len(document.source)):
            if _has_verb(document.source[segment]) or _has_verb(document.target[segment]):
                continue
            verdicts = self.verdicts(document, segment).values()
            found.extend(verdict.occurrence for verdict in verdicts if verdict.occurrence is not None)
        return found

    def verdicts(self, document: AnnotatedDocument, segment: int) -> dict[str, Verdict]:
        """Return for each rule what it says of a segment."""
        return {rule.label: self._verdict(rule, document, segment) for rule in self._rules}

    def _verdict(self, rule: InflectionRule, document: AnnotatedDocument, segment: int) -> Verdict:
        source, target, links = document.source[segment], document.target[segment], document.links[segment]
        if _has_verb(source):
            return Verdict(Reason.SOURCE_VERB)
        if _has_verb(target):
            return Verdict(Reason.TARGET_VERB)
        nouns = [index for index, token in enumerate(target.tokens) if _is_noun_in(token, rule.case)]
        if not nouns or any(not _may_be(token, rule.case) for token in target.tokens):
            return Verdict(Reason.OTHER_CASE)
        earlier = next(self._nouns_before(document, segment, rule.case), None)
        if earlier is None:
            return Verdict(Reason.CASE_NOT_EARLIER)
        pairs = [
            (index, noun) for index in nouns for noun in sources_of(index, links) if source.tokens[noun].upos == "NOUN"
        ]
        if not pairs:
            return Verdict(Reason.NOUN_NOT_LINKED)
        index, noun = pairs[-1]
        before, other = earlier
        linked = sources_of(other, document.links[before])[:1]
        occurrence = Occurrence(
            document=document.id,
            segment=segment,
            phenomenon=self.phenomenon,
            rule=rule.label,
            source_tokens=(noun,),
            target_tokens=(index,),
            expected=target.tokens[index].form,
            support=Support(tuple((before, word) for word in linked), ((before, other),), segment - before),
        )
        return Verdict(Reason.HIT, occurrence)

    def _nouns_before(self, document: AnnotatedDocument, segment: int, case: str) -> Iterator[tuple[int, int]]:
        """Yield (segment, token) of earlier target nouns in a case: nearest segment first, left to right within."""
        for before in range(segment - 1, max(-1, segment - self._window - 1), -1):
            for index, token in enumerate(document.target[before].tokens):
                if _is_noun_in(token, case):
                    yield before, index


def _has_verb(text: AnnotatedText) -> bool:
    return any(token.upos in _VERBS for token in text.tokens)


def _is_noun_in(token: Token, case: str) -> bool:
    return token.upos == "NOUN" and case in token.features.get("Case", "").split(",")


def _may_be(token: Token, case: str) -> bool:
    """Tell whether a token has no case or may be in the one given; a preposition's Case is the one it asks for."""
    return token.upos == "ADP" or case in token.features.get("Case", case).split(",")


def make_tagger(setup: TaggerSetup) -> InflectionTagger:
    """Return the tagger of inflection."""
    return InflectionTagger(setup.target)
