"""The numbers that the published extractor returns for the reasons; those that it does not know have none."""

from __future__ import annotations

from collections.abc import Mapping

from endophora.phenomena.verdicts import Reason

PRONOUN_CODES: Mapping[Reason, int] = {
    Reason.HIT: 0,
    Reason.NO_PAIR: 1,
    Reason.SOURCE_CASE: 2,
    Reason.TARGET_CASE: 10,
    Reason.NO_CHAIN: 3,
    Reason.NO_NOUN: 4,
    Reason.NO_LINK: 6,
    Reason.HEAD_UPOS: 7,
    Reason.HEAD_GENDER: 8,
    Reason.HEAD_NUMBER: 9,
}
"""Reasons of gender, animacy and formality, in the order of the checks, with the published numbers.

The published extractor has 9 in its text only: a slip leaves the number of the check before. It gives 10 to an
antecedent phrase without one head, too.
"""

AUXILIARY_CODES: Mapping[Reason, int] = {
    Reason.HIT: 0,
    Reason.NO_AUXILIARY: 1,
    Reason.OTHER_VERB: 2,
    Reason.NO_VERB: 3,
    Reason.FORBIDDEN: 4,
    Reason.NOT_EARLIER: 5,
    Reason.NO_SOURCE_VERB: 6,
}
"""Reasons of auxiliaries, with the published numbers."""

INFLECTION_CODES: Mapping[Reason, int] = {
    Reason.HIT: 0,
    Reason.SOURCE_VERB: 1,
    Reason.TARGET_VERB: 2,
    Reason.OTHER_CASE: 3,
    Reason.CASE_NOT_EARLIER: 4,
    Reason.NOUN_NOT_LINKED: 5,
}
"""Reasons of inflection, with the published numbers."""
