"""What is known of the priors that ship: what they were learned from, their size, and how well they align."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from endophora.align.priors import PRIORS, priors_path

CARDS = "card.json"
"""Name of the file beside the priors."""


class Reading(BaseModel):
    """What one reader judged of sampled content words (``docs/quality/alignment-XX.tsv``).

    Attributes:
        precision: per cent of the linked ones that are linked to their counterparts and to nothing else.
        recall: per cent of those with a counterpart that are so linked.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: int
    precision: float
    recall: float


class CardFile(BaseModel):
    """What ``card.json`` holds of a pair.

    Attributes:
        sources: collection → sentence pairs or list entries learned from.
        error_rate: alignment error rate in per cent on the gold alignments, documents of 50 segments, if there are any.
        gold: what the gold alignments are of.
        reading: what a reader judged, if one did.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    licence: str
    sources: dict[str, int]
    error_rate: float | None = None
    gold: str | None = None
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class AlignmentCard:
    """The priors of a pair in short.

    Attributes:
        pair: ISO 639-1 codes of both languages, as ``("en", "de")``; both directions are served.
        sources: collection → sentence pairs or list entries learned from.
        error_rate: alignment error rate in per cent, documents of 50 segments; ``None`` without gold alignments.
        gold: what the gold alignments are of.
        reading: what one reader judged of sampled content words; ``None`` if none did.
    """

    pair: tuple[str, str]
    licence: str
    sources: Mapping[str, int]
    size: int
    error_rate: float | None
    gold: str | None
    reading: Reading | None


@lru_cache(maxsize=1)
def _files() -> dict[str, CardFile]:
    class Cards(BaseModel):
        """What the file holds."""

        pairs: dict[str, CardFile]

    return Cards.model_validate_json((PRIORS / CARDS).read_text("utf-8")).pairs


def alignment_card(source_language: str, target_language: str) -> AlignmentCard | None:
    """Return the card of the priors that serve a pair, in either direction; ``None`` if none ship."""
    found = priors_path(source_language, target_language)
    if found is None:
        return None
    first, _, second = found[0].stem.partition("-")
    card = _files()[found[0].stem]
    size = found[0].stat().st_size
    return AlignmentCard((first, second), card.licence, card.sources, size, card.error_rate, card.gold, card.reading)
