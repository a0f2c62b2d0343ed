"""Finds the antecedents of pronouns: which noun, how probably, how many segments back, or none.

Use :func:`load_resolver`; the records it yields are in :mod:`endophora.corefer.records`.
"""

from __future__ import annotations

from endophora.corefer.records import mention_chains
from endophora.corefer.resolvers import RESOLVERS, load_resolver

__all__ = ["RESOLVERS", "load_resolver", "mention_chains"]
