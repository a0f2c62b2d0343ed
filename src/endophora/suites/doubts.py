"""Doubts about what systems gave for a suite: blank or foreign outputs, and scores whose sign is the wrong way round.

What is found stands among the warnings of the suite, and so of every result on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from endophora.corpus.meaning import Text, check_meaning
from endophora.errors import Fault
from endophora.suites.columns import column
from endophora.suites.records import Item, Suite

STANDARD_ERRORS = 4.0
"""How far below chance an accuracy lies that cannot be chance: one of 30,000 suites of coin flips does."""

SHARE_OF_CHANCE = 0.5
"""How much of chance it reaches at most, whatever the sign of the scores. Models without context that always choose the
commonest form stay above: on ContraPro they reach 1.1 to 1.4 times chance."""


def doubt_outputs(suite: Suite, outputs: Mapping[str, Sequence[str]]) -> Suite:
    """Return a suite with doubts about outputs among its warnings.

    Args:
        suite: the items.
        outputs: system → one output an item.
    """
    found: list[str] = []
    for name, lines in outputs.items():
        if blank := [index for index, line in enumerate(lines) if not line.strip()]:
            shown = ", ".join(str(index + 1) for index in blank[:5]) + (", …" if len(blank) > 5 else "")
            cause = f"{len(blank)} of {len(lines)} outputs are blank, and count as they are: lines {shown}"
            found.append(str(Fault("E387", cause, "check that the system wrote a line for every item", name)))
    source: Sequence[str] = column(suite.items, "source")
    references: Sequence[str] = column(suite.items, "reference")
    target = suite.target_language or ""
    found += check_meaning(
        Text("source", "", suite.source_language or "", suite.name, source),
        [Text("reference", "reference", target, suite.name, references)],
        [Text("system", name, target, name, lines) for name, lines in outputs.items()],
    )
    return replace(suite, warnings=(*suite.warnings, *found))


def doubt_scores(suite: Suite, scores: Mapping[str, Sequence[float]], *, higher_is_better: bool) -> Suite:
    """Return a suite with doubts about the direction of scores among its warnings.

    Args:
        suite: the items, with their wrong translations.
        scores: system → one score a translation.
        higher_is_better: false for losses.
    """
    cause = "the right translations score worse than the wrong ones, far more often than by chance"
    advice = "give --lower-is-better for losses, and leave it out for log-probabilities"
    found = [
        str(Fault("E389", cause, advice, name))
        for name, values in scores.items()
        if _far_below_chance(suite.items, values, sign=1 if higher_is_better else -1)
    ]
    return replace(suite, warnings=(*suite.warnings, *found))


def _far_below_chance(items: Sequence[Item], scores: Sequence[float], *, sign: int) -> bool:
    """Tell whether the right translation wins far less often than chance has it, and more often if turned round."""
    right = turned = 0
    chance = variance = 0.0
    start = 0
    for item in items:
        group = [sign * value for value in scores[start : start + 1 + len(item.variants)]]
        start += len(group)
        own = group.pop(item.correct)
        if group:
            chance += 1 / (1 + len(group))
            variance += len(group) / (1 + len(group)) ** 2
            right += own >= max(group)
            turned += own < min(group)
    if right > chance - STANDARD_ERRORS * math.sqrt(variance) or turned <= chance:
        return False
    # Log-probabilities are never above 0, and losses never below: the other sign says more than the accuracy.
    return right < SHARE_OF_CHANCE * chance or all(sign * value >= 0 for value in scores)
