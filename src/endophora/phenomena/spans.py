"""Word links of one word, and spans of an annotated text: their head, their text, what they are translated by."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText, Token
from endophora.phenomena.records import AnnotatedDocument, Support


def mutual_links(links: Sequence[Link]) -> dict[int, int]:
    """Return the bidirectional links of a segment: those where each word is the other's most confident.

    Returns:
        Target token → source token; one to one. Of equal links, the first counts.
    """
    by_source: dict[int, Link] = {}
    by_target: dict[int, Link] = {}
    for link in links:
        best = by_source.get(link.source)
        if best is None or link.confidence > best.confidence:
            by_source[link.source] = link
        best = by_target.get(link.target)
        if best is None or link.confidence > best.confidence:
            by_target[link.target] = link
    return {target: link.source for target, link in by_target.items() if by_source[link.source] is link}


def best_targets(links: Sequence[Link]) -> dict[int, int]:
    """Return the most confident target token of each linked source token.

    Returns:
        Source token → target token.
    """
    best: dict[int, Link] = {}
    for link in links:
        known = best.get(link.source)
        if known is None or link.confidence > known.confidence:
            best[link.source] = link
    return {source: link.target for source, link in best.items()}


def sources_of(target: int, links: Sequence[Link]) -> list[int]:
    """Return the source tokens linked to a target token, the most confident first."""
    found = [link for link in links if link.target == target]
    return [link.source for link in sorted(found, key=_doubt)]


def targets_of(source: int, links: Sequence[Link]) -> list[int]:
    """Return the target tokens linked to a source token, the most confident first."""
    found = [link for link in links if link.source == source]
    return [link.target for link in sorted(found, key=_doubt)]


def _doubt(link: Link) -> float:
    return -link.confidence


def heads_of(tokens: Sequence[Token], span: Sequence[int]) -> list[int]:
    """Return the tokens of a span whose head stands outside it."""
    inside = frozenset(span)
    return [index for index in span if tokens[index].head not in inside or tokens[index].head == index]


def span_text(text: AnnotatedText, span: Sequence[int]) -> str:
    """Return what is written from the first token of a span to its last."""
    return text.text[text.tokens[span[0]].start : text.tokens[span[-1]].end]


def translated_span(head: int, span: Sequence[int], links: Sequence[Link]) -> tuple[int, ...]:
    """Return the run of target tokens that a source span is linked to; empty if there is none.

    It is the run with the surest translation of the head, or else the longest.
    """
    wanted = frozenset(span)
    linked = sorted({link.target for link in links if link.source in wanted})
    if not linked:
        return ()
    runs: list[list[int]] = [[linked[0]]]
    for before, index in pairwise(linked):
        if index == before + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    direct = targets_of(head, links)[:1]
    return tuple(next((run for run in runs if direct and direct[0] in run), max(runs, key=len)))


def translated_head(source_head: int, span: Sequence[int], text: AnnotatedText, links: Sequence[Link]) -> int | None:
    """Return the head of an antecedent's translation.

    It is the one head of the span; where the span has several, because links go astray or the phrase was parted, the
    surest link of the source head decides, if it leads to one of them.
    """
    heads = heads_of(text.tokens, span)
    if len(heads) == 1:
        return heads[0]
    direct = targets_of(source_head, links)[:1]
    return direct[0] if direct and direct[0] in heads else None


def mention_head(text: AnnotatedText, span: Sequence[int]) -> int:
    """Return the head of a mention: the first of its tokens whose head stands outside it."""
    return heads_of(text.tokens, span)[0]


def support_heads(document: AnnotatedDocument, support: Support) -> tuple[int, int, int | None]:
    """Return what an occurrence agrees with: the antecedent's segment, its head, and the head of its translation.

    Args:
        support: the support of an occurrence of gender, with the antecedent's tokens and those of its translation.
    """
    segment = support.source_tokens[0][0]
    source_head = mention_head(document.source[segment], [token for _, token in support.source_tokens])
    span = [token for _, token in support.target_tokens]
    head = translated_head(source_head, span, document.target[segment], document.links[segment]) if span else None
    return segment, source_head, head


def group_of(tokens: Sequence[Token], index: int) -> int:
    """Return the head of the verb group that a word belongs to: of an auxiliary or copula its predicate."""
    token = tokens[index]
    return token.head if token.head >= 0 and token.relation.startswith(("aux", "cop")) else index


def verb_group(tokens: Sequence[Token], index: int) -> list[int]:
    """Return the verb group that a word belongs to, in order: a predicate, its auxiliaries and its copula."""
    head = group_of(tokens, index)
    return [
        other
        for other, token in enumerate(tokens)
        if other == head or (token.head == head and token.relation.startswith(("aux", "cop")))
    ]
