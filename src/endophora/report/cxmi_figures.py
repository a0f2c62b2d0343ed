"""How the figures of CXMI are written, in a terminal and on a page alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from endophora.context.context_read import ContextCounts
from endophora.context.cxmi_result import CxmiResult, GroupFigure, GroupKind
from endophora.record import Interval
from endophora.report.context_read import ReadTable


def heading(result: CxmiResult) -> str:
    """Return what was measured in a few words: the language pair, or that it is a task."""
    corpus = result.corpus
    if corpus.kind == "documents":
        return f"CXMI {corpus.source_language} → {corpus.target_language}"
    return f"CXMI of a task{f' in {corpus.target_language}' if corpus.target_language else ''}"


def facts(result: CxmiResult) -> list[str]:
    """Return how much was measured, in counts."""
    corpus = result.corpus
    one = "segment" if corpus.kind == "documents" else "line"
    counted = (
        (corpus.documents, "document"),
        (corpus.samples, one),
        (corpus.words, "word"),
        (corpus.pieces, "sub-word"),
    )
    return [f"{count:,} {name}{'s' * (count != 1)}" for count, name in counted]


def read_table(result: CxmiResult) -> ReadTable:
    """Return how much context the model read, and CXMI over the segments of whose context it read anything."""
    rows: list[tuple[str, ContextCounts, list[str]]] = []
    for condition in result.conditions:
        kept = result.kept_figure(condition.name)
        figures = ["", "", "", ""]
        if kept is not None:
            helped, harmed = share(kept.helped, kept.samples), share(kept.harmed, kept.samples)
            figures = [nats(kept.value), interval(kept.interval), helped, harmed]
        rows.append((condition.name, condition.context, figures))
    return ReadTable("context read", ("CXMI", "interval", "helped", "harmed"), rows)


def groups(result: CxmiResult, condition: str, kind: GroupKind) -> list[GroupFigure]:
    """Return the groups of a kind under a condition, in the order of the result."""
    return [one for one in result.groups if one.condition == condition and one.kind == kind]


def nats(value: float) -> str:
    """Return a figure in nats, three decimals, with a proper minus."""
    text = f"{value:.3f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def side_by_side(first: Sequence[str], second: Sequence[str]) -> list[tuple[str, str]]:
    """Return the sentences of two contexts in pairs, their last ones together; the shorter one begins with nothing."""
    pairs = list(zip_longest(reversed(first), reversed(second), fillvalue=""))
    return pairs[::-1]


def interval(bounds: Interval | None) -> str:
    """Return an interval in brackets; empty where there is none."""
    return "" if bounds is None else f"[{nats(bounds.low)}, {nats(bounds.high)}]"


def share(part: int, whole: int) -> str:
    """Return a share in per cent."""
    return f"{100 * part / whole:.0f} %" if whole else "–"


def p_text(value: float) -> str:
    """Return a p-value, three decimals; smaller ones as less than the smallest so written."""
    return "< .001" if value < 0.001 else f"{value:.3f}".replace("0.", ".", 1)


def legend(result: CxmiResult) -> str:
    """Return what the figures are, in a few sentences."""
    settings = result.settings
    main = next(one for one in result.conditions if one.name == settings.main)
    given = f"{main.samples:,} of {result.corpus.samples:,}"
    read = f"and the model read it, or a part of it, for {main.context.kept:,}"
    words = [
        f"Nats, with context less without; {100 * settings.confidence:g} % intervals over {settings.units}.",
        f"{settings.main} gives {given} any context, {read}: the second table is of those.",
        f"Below the two: {settings.main}.",
    ]
    if result.contrasts:
        words.append(f"* differs from words without a tag: bootstrap, Holm, p ≤ {settings.alpha:g}.")
    if result.items:
        least = f"{settings.minimum} or more occurrences ({result.items_found:,})"
        words.append(f"Items of {least}; {shrinkage(result)}.")
    return " ".join(words)


def shrinkage(result: CxmiResult) -> str:
    """Return how far the means of rare items are drawn to the mean of all."""
    drawn = result.shrinkage
    if drawn.pseudo_count is None:
        return "items do not differ by more than chance: all are shrunk to the mean of all"
    how = "empirical Bayes" if drawn.estimated else "as set"
    return f"shrunk to the mean of all, {nats(drawn.mean)}, as if by {drawn.pseudo_count:.1f} more occurrences ({how})"
