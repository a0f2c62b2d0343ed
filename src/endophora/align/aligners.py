"""The aligners by name, the one way to load one, and the cards of the priors that ship."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel

from endophora.align.compact import CompactAligner
from endophora.align.priors import PRIORS, priors_path, read_priors, shipped_priors
from endophora.align.records import RULES, Aligner, Symmetrisation
from endophora.errors import Fault, refuse
from endophora.languages import LanguageRules, language_codes, load_language
from endophora.record import Fixed
from endophora.registry import Registry

CARDS = "card.json"
"""Name of the file next to the priors."""


class QualityReading(Fixed):
    """What one reader judged of sampled content words (``docs/quality/alignment-XX.tsv``)."""

    words: int
    precision: float  # per cent of the linked ones that are linked to their counterparts and to nothing else
    recall: float  # per cent of those with a counterpart that are so linked


class CardFile(Fixed):
    """What ``card.json`` holds of a pair.

    Attributes:
        error_rate: alignment error rate in per cent on the gold alignments, documents of 50 segments, if there are any.
    """

    licence: str
    sources: dict[str, int]  # collection → sentence pairs or list entries learned from
    error_rate: float | None = None
    gold: str | None = None
    reading: QualityReading | None = None


class AlignmentCard(CardFile):
    """The priors of a pair in short, both directions served; ``pair`` is as ``("en", "de")``, ``size`` in bytes."""

    pair: tuple[str, str]
    size: int


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
    return AlignmentCard(**dict(card), pair=(first, second), size=found[0].stat().st_size)


Builder = Callable[[str, str, str, str, float], Aligner]
"""(argument, source language, target language, symmetrisation, threshold) → aligner.

The argument is what stands after the colon in a name such as ``neural:bert-base-multilingual-cased``; without a colon
it is empty.
"""


def build_compact(
    argument: str, source_language: str, target_language: str, symmetrisation: str, threshold: float
) -> Aligner:
    """Build the compact aligner; an argument names a priors file to be used instead of the shipped one."""
    priors = read_priors(Path(argument)) if argument else shipped_priors(source_language, target_language)
    grammar = pronoun_pairs(source_language, target_language)
    return CompactAligner(priors, Symmetrisation(symmetrisation, threshold), grammar=grammar)


def pronoun_pairs(
    source_language: str, target_language: str, rules: Mapping[str, LanguageRules] | None = None
) -> frozenset[tuple[str, str]]:
    """Return the pronouns that translate each other by the target language's rules, such as *it* and *sie*.

    Text has too few of the rarer ones to learn from. The rules are of English pronouns, so either language may be
    English; without rules there are no pairs. ``rules`` take the place of the package's, by language.
    """
    own = rules or {}
    pairs: set[tuple[str, str]] = set()
    for code, swap in ((target_language, False), (source_language, True)):
        known = own.get(code) or (load_language(code) if code in language_codes() else None)
        for rule in (one for one in known.pronouns if one.aligned) if known else ():
            forms = [
                (source, form) for source in rule.source_forms for some in rule.alternatives.values() for form in some
            ]
            pairs.update((other, one) if swap else (one, other) for one, other in forms)
    return frozenset(pairs)


ALIGNERS: Registry[Builder] = Registry(
    "aligner",
    {
        "compact": build_compact,
        "eflomal": "endophora.align.external:build_eflomal",
        "neural": "endophora.align.external:build_neural",
    },
)


def load_aligner(
    name: str | None,
    source_language: str,
    target_language: str,
    *,
    symmetrisation: str = "grow-diag-final-and",
    threshold: float = 0.2,
    rules: Mapping[str, LanguageRules] | None = None,
) -> Aligner:
    """Load an aligner of :data:`ALIGNERS`, by default ``compact`` with the shipped priors.

    A name may have an argument after a colon: ``compact`` a priors file, ``neural`` the name or folder of a model. The
    threshold is for the symmetrisation of that name; ``rules`` take the place of the package's, by language.
    """
    faults: list[Fault] = []
    if symmetrisation not in RULES:
        faults.append(Fault("E053", f"unknown symmetrisation “{symmetrisation}”", f"known: {', '.join(RULES)}"))
    if not 0 <= threshold <= 1:
        faults.append(Fault("E054", f"the threshold {threshold:g} is not between 0 and 1", "give such a number"))
    refuse(faults)
    kind, _, argument = (name or "compact").partition(":")
    aligner = ALIGNERS.get(kind)(argument, source_language, target_language, symmetrisation, threshold)
    if rules and isinstance(aligner, CompactAligner):
        return aligner.with_grammar(pronoun_pairs(source_language, target_language, rules))
    return aligner
