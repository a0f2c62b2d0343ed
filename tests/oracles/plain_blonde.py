"""BlonDe's arithmetic written out plainly, sentence by sentence and count by count, as the published tool does it.

It is what ``benchmarks/blonde.py`` measures against, and a second opinion on every category for the tests.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from endophora.annotate.records import AnnotatedText
from endophora.languages.schema import LanguageRules

Counts = dict[str, list[Counter[str]]]
CATEGORIES = ("tense", "pronoun", "entity", "dm", "1", "2", "3", "4")


def count(text: AnnotatedText, rules: LanguageRules) -> Counts:
    """Return the counts of one sentence: category → one counter a kind of what is counted."""
    discourse = rules.discourse
    if discourse is None or discourse.pronouns is None or discourse.tenses is None:
        raise ValueError("the rules name no pronouns or tenses of their own")
    forms = [token.form for token in text.tokens]
    tags = {tag: entry.label for entry in discourse.tenses.classes for tag in entry.xpos}
    tense: Counter[str] = Counter()
    for token in text.tokens:
        if token.xpos in tags:
            tense[tags[token.xpos]] += 1
    pronoun: Counter[str] = Counter()
    for form in forms:
        for entry in discourse.pronouns.classes:
            if form.lower() in entry.forms:
                pronoun[entry.label] += 1
    names: Counter[str] = Counter()
    span: list[str] = []
    for token in [*text.tokens, None]:
        if span and (token is None or not token.entity.startswith("I-")):
            names[" ".join(span)] += 1
            span = []
        if token is not None and (token.entity == "B-PERSON" or (span and token.entity.startswith("I-"))):
            span.append(token.form)
    lower = [form.lower() for form in forms]
    markers: Counter[str] = Counter()
    for sense in discourse.markers:
        for marker in sense.markers:
            words = (marker if isinstance(marker, str) else marker.form).split(" ")
            markers[sense.sense] += sum(lower[i : i + len(words)] == words for i in range(len(lower)))
    grams = [Counter(" ".join(forms[i : i + n]) for i in range(len(forms) - n + 1)) for n in range(1, 5)]
    return {"tense": [tense], "pronoun": [pronoun], "entity": [names], "dm": [markers]} | {
        str(n): [each] for n, each in enumerate(grams, start=1)
    }


def score(
    hypotheses: Sequence[Counts], references: Sequence[Counts], weights: Mapping[tuple[str, str], float]
) -> dict[str, tuple[float, float]]:
    """Return (recall, precision) of every category and, under ``BlonDe``, of the whole.

    Args:
        hypotheses: counts of each sentence of a system.
        references: of the reference.
        weights: (category, kind) → weight, 1 for those left out.
    """
    found: dict[str, tuple[float, float]] = {}
    for category in CATEGORIES:
        matched = below = above = 0.0
        for hypothesis, reference in zip(hypotheses, references, strict=True):
            for h, r in zip(hypothesis[category], reference[category], strict=True):
                for item in set(h) | set(r):
                    weight = weights.get((category, item), 1.0)
                    matched += weight * min(h[item], r[item])
                    below += weight * r[item]
                    above += weight * h[item]
        found[category] = (matched / below if below else math.nan, matched / above if above else math.nan)
    means: list[float] = []
    for side in (0, 1):
        values = [max(pair[side], 1e-5) for pair in found.values() if not math.isnan(pair[side])]
        means.append(math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan)
    return found | {"BlonDe": (means[0], means[1])}
