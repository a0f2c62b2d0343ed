"""Why a rule of extraction does not hold, and the taggers that ask each of their rules for each segment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from endophora.annotate.records import Token
from endophora.languages.extraction import AuxiliaryRule, InflectionRule
from endophora.phenomena.records import AnnotatedDocument, Occurrence

R = TypeVar("R", bound=AuxiliaryRule | InflectionRule)

LOOK_BACK = 10
"""How many segments back what decides a form may stand, the published tool's window."""


class Reason(Enum):
    """What the check of a rule ended with, in the order in which checks are made, the hit apart."""

    HIT = "the rule holds"
    NO_PAIR = "no word of the rule is linked to a form of the rule"
    EXPLETIVE = "the pronoun stands for nothing"
    SOURCE_CASE = "the English pronoun is in another case"
    TARGET_CASE = "the form is in another case"
    VERB_NUMBER = "the verb of the form has another number"
    NO_CHAIN = "no antecedent is believed"
    NO_NOUN = "the antecedent is no common noun"
    NO_LINK = "the antecedent has no translation with one head"
    HEAD_UPOS = "the head of the antecedent's translation is no common noun"
    HEAD_GENDER = "the head of the antecedent's translation has another gender"
    HEAD_NUMBER = "the head of the antecedent's translation has another number"
    NO_AUXILIARY = "the auxiliary is not there"
    OTHER_VERB = "there is another verb next to the auxiliary"
    NO_VERB = "no verb translates the auxiliary"
    FORBIDDEN = "the translation is that of the auxiliary itself"
    NOT_EARLIER = "the verb does not occur earlier"
    NO_SOURCE_VERB = "no earlier use of the verb translates another verb"
    SOURCE_VERB = "the source has a verb"
    TARGET_VERB = "the target has a verb"
    OTHER_CASE = "no noun is in the case, or a word is in another"
    CASE_NOT_EARLIER = "no earlier noun is in the case"
    NOUN_NOT_LINKED = "no noun in the case is linked to a noun"


_RANKS = {reason: rank for rank, reason in enumerate(Reason)} | {Reason.HIT: len(Reason)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule says of a segment, or of a pair of words in it."""

    reason: Reason
    occurrence: Occurrence | None = None


def furthest(verdicts: Iterable[Verdict], otherwise: Reason) -> Verdict:
    """Return the verdict whose check came furthest; a hit comes furthest of all."""
    return max(verdicts, key=lambda verdict: _RANKS[verdict.reason], default=Verdict(otherwise))


class SegmentTagger(ABC, Generic[R]):
    """A tagger that asks each of its rules once for each segment."""

    phenomenon: str

    def __init__(self, rules: Sequence[R], signature: str, window: int) -> None:
        self.signature = signature
        self._rules = rules
        self._window = window

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return an occurrence for each rule that holds; there is nothing before the first segment to support it."""
        verdicts = (one for place in range(1, len(document.source)) for one in self.verdicts(document, place).values())
        found = [verdict.occurrence for verdict in verdicts if verdict.occurrence is not None]
        return sorted(found, key=lambda occurrence: (occurrence.segment, occurrence.target_tokens))

    def verdicts(self, document: AnnotatedDocument, segment: int) -> dict[str, Verdict]:
        """Return for each rule what it says of a segment."""
        return {rule.label: self._verdict(rule, document, segment) for rule in self._rules}

    @abstractmethod
    def _verdict(self, rule: R, document: AnnotatedDocument, segment: int) -> Verdict: ...

    def _words_before(self, document: AnnotatedDocument, segment: int) -> Iterator[tuple[int, int, Token]]:
        """Yield segment, index and token of the target words in the window: nearest segment first, left to right."""
        for before in range(segment - 1, max(-1, segment - self._window - 1), -1):
            for index, token in enumerate(document.target[before].tokens):
                yield before, index, token
