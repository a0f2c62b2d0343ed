"""What can be chosen of the taggers: which phenomena, which variants, which thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from endophora.languages.schema import PHENOMENA, LanguageRules
from endophora.signature import keyed, unkeyed

REVERSED = frozenset({"animacy"})
"""Phenomena of pairs into English, whose rules and worked examples stand in the file of the source language."""

SUPPORT_SIZE = 8
"""How many earlier occurrences, the nearest ones, the supporting context of an occurrence names."""


@keyed()
@dataclass(frozen=True, slots=True)
class TaggerOptions:
    """Variants and thresholds of the taggers; the defaults are those of ``docs/phenomena.md``.

    Attributes:
        phenomena: names of the phenomena to tag.
        lexical_cohesion: ``lemma`` counts pairs of lemmas of content words over mutual links; ``surface`` counts
            pairs of forms, case-sensitive, over the best link of each source word.
        repetitions: how often a pair must have occurred in earlier segments.
        formality: ``verbs`` tags pronouns, possessives and verbs; ``words`` pronouns and possessives only.
        pronouns: ``window`` asks for an antecedent in an earlier sentence; ``sentence`` for none in the same sentence.
        antecedent: probability from which the antecedent of a possessive is believed.
        antecedent_unmarked: the same for personal pronouns that also stand for nothing or for what was said (*es*,
            *il*), and for the others the share of what agrees with them that must stand in earlier sentences.
        verb_form: ``features`` reads tense, mood and auxiliaries; ``tense`` the feature ``Tense`` alone.
        ellipsis: ``local`` asks whether the source has an ellipsis, and that the word stands beside the translation
            of what is left over; ``classifier``, as in the paper, asks the first only; ``unaligned`` asks neither.
        ellipsis_classifier: folder of a classifier that ``endophora train ellipsis`` has made, which tells instead of
            the rules whether the source has an ellipsis; it does not tell where, so that ``local`` is ``classifier``.
        auxiliary: ``segment`` asks that the auxiliary be the only verb of the segment; ``sentence`` of its sentence.
    """

    phenomena: tuple[str, ...] = PHENOMENA
    lexical_cohesion: Literal["lemma", "surface"] = "lemma"
    repetitions: int = 3
    formality: Literal["verbs", "words"] = "verbs"
    pronouns: Literal["window", "sentence"] = "window"
    antecedent: float = 0.5
    antecedent_unmarked: float = 0.7
    verb_form: Literal["features", "tense"] = "features"
    ellipsis: Literal["local", "classifier", "unaligned"] = "local"
    ellipsis_classifier: Path | None = None
    auxiliary: Literal["segment", "sentence"] = "segment"


@unkeyed("the taggers that are made from it count, by their signatures and their options")
@dataclass(frozen=True, slots=True)
class TaggerSetup:
    """What a tagger is made from."""

    source: LanguageRules
    target: LanguageRules
    options: TaggerOptions


def rules_signature(*rules: LanguageRules) -> str:
    """Return the codes and hashes of rule files, for a tagger's signature."""
    return ",".join(f"{each.language}-{each.hash}" for each in rules)
