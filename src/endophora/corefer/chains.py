"""Joins resolutions to mention chains."""

from __future__ import annotations

from collections.abc import Iterable

from endophora.corefer.records import Resolution

Place = tuple[int, tuple[int, ...]]


def mention_chains(resolutions: Iterable[Resolution], threshold: float = 0.5) -> list[list[Place]]:
    """Return the mention chains that resolutions make: each noun with the pronouns that stand for it.

    Returns:
        One list a chain, in the order of the chains' first mentions; each mention is its segment and its tokens'
        indices in that segment, in the order of the text.
    """
    chains: dict[Place, list[Place]] = {}
    for resolution in resolutions:
        antecedent = resolution.antecedent(threshold)
        if antecedent is not None:
            noun = (antecedent.segment, antecedent.tokens)
            chains.setdefault(noun, [noun]).append((resolution.segment, (resolution.token,)))
    return sorted((sorted(chain) for chain in chains.values()), key=lambda chain: chain[0])
