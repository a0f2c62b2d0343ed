"""Why a rule does not hold: the reasons for refusal, one enumeration for all rules of extraction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from endophora.phenomena.records import Occurrence


class Reason(Enum):
    """What the check of a rule ended with; the value says it in words."""

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
    OTHER_VERB = "there is another verb beside the auxiliary"
    NO_VERB = "no verb translates the auxiliary"
    FORBIDDEN = "the translation is that of the auxiliary itself"
    NOT_EARLIER = "the verb does not occur earlier"
    NO_SOURCE_VERB = "no earlier use of the verb translates another verb"
    SOURCE_VERB = "the source has a verb"
    TARGET_VERB = "the target has a verb"
    OTHER_CASE = "no noun is in the case, or a word is in another"
    CASE_NOT_EARLIER = "no earlier noun is in the case"
    NOUN_NOT_LINKED = "no noun in the case is linked to a noun"


_ORDER = {reason: place for place, reason in enumerate(Reason)}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule says of a segment, or of a pair of words in it.

    Attributes:
        reason: why it does not hold, or that it does.
    """

    reason: Reason
    occurrence: Occurrence | None = None

    @property
    def rank(self) -> int:
        """How far the check came; a hit comes furthest."""
        return len(_ORDER) if self.reason is Reason.HIT else _ORDER[self.reason]


def furthest(verdicts: Iterable[Verdict], otherwise: Reason) -> Verdict:
    """Return the verdict that came furthest."""
    return max(verdicts, key=lambda verdict: verdict.rank, default=Verdict(otherwise))
