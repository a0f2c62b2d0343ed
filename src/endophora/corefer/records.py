"""What resolution yields, each pronoun with its antecedents, and how resolutions become mention chains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText


@dataclass(frozen=True, slots=True)
class Antecedent:
    """A noun that a pronoun may stand for: its head and all its tokens, in their segment.

    ``distance`` counts the segments between the two, 0 for the same one. ``probability`` is that of the thing spoken
    of: where a noun is repeated, it is given to one mention, and the other mentions have 0.
    """

    segment: int
    head: int
    tokens: tuple[int, ...]
    distance: int
    probability: float


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is known of one pronoun.

    Attributes:
        antecedents: candidates, most probable first; their probabilities, ``non_referential`` and ``outside`` sum
            to at most 1.
        non_referential: probability that it refers to nothing (*it rains*).
        outside: probability that its antecedent is not a noun in the window.
    """

    segment: int
    token: int
    antecedents: tuple[Antecedent, ...]
    non_referential: float
    outside: float

    def antecedent(self, threshold: float) -> Antecedent | None:
        """Return the most probable antecedent, or ``None`` if its probability is below ``threshold``."""
        best = self.antecedents[0] if self.antecedents else None
        return best if best is not None and best.probability >= threshold else None


class Resolver(Protocol):
    """Finds the antecedents of pronouns in the documents of one language."""

    @property
    def signature(self) -> str:
        """Name, version, weights hash and window: what makes two resolutions the same."""
        ...

    def resolve(
        self,
        source: Sequence[AnnotatedText],
        target: Sequence[AnnotatedText] | None = None,
        links: Sequence[Sequence[Link]] | None = None,
    ) -> list[Resolution]:
        """Resolve the pronouns of one document; a linked target side is evidence (gender and number)."""
        ...


MentionTokens = tuple[int, tuple[int, ...]]


def mention_chains(resolutions: Iterable[Resolution], threshold: float = 0.5) -> list[list[MentionTokens]]:
    """Return the mention chains that resolutions make: each noun with the pronouns that stand for it, in text order.

    A mention is its segment and its tokens' indices there.
    """
    chains: dict[MentionTokens, list[MentionTokens]] = {}
    for resolution in resolutions:
        antecedent = resolution.antecedent(threshold)
        if antecedent is not None:
            noun = (antecedent.segment, antecedent.tokens)
            chains.setdefault(noun, [noun]).append((resolution.segment, (resolution.token,)))
    return sorted((sorted(chain) for chain in chains.values()), key=lambda chain: chain[0])
