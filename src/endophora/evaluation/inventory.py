"""What is there: for each language its rules and models, for each model its size, licence and training text."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from endophora.align.priors import pairs_with_priors
from endophora.annotate import embedded_card, embedded_languages
from endophora.languages import language_codes, load_language

_PRIORS_LICENCE = "CC BY-SA 3.0"
_RESOLVER_LICENCE = "CC BY-SA 4.0"


def language_inventory() -> list[dict[str, object]]:
    """Return one row a language, in the order of the codes; values are text, lists of text, figures or None."""
    pairs = pairs_with_priors()
    rows: list[dict[str, object]] = []
    for code in sorted({*language_codes(), *embedded_languages()}):
        rules = load_language(code) if code in language_codes() else None
        card = embedded_card(code) if code in embedded_languages() else None
        scores = dict[str, float]() if card is None else card.scores
        rows.append(
            {
                "language": code,
                "name": None if rules is None else rules.name,
                "phenomena": [] if rules is None else list(rules.phenomena),
                "annotator": None if card is None else f"embedded, {card.licence}",
                "UPOS": scores.get("UPOS"),
                "lemma": scores.get("LEMMA"),
                "LAS": scores.get("LAS"),
                "aligned with": sorted(
                    {one if other == code else other for one, other in pairs if code in (one, other)}
                ),
            }
        )
    return rows


def model_inventory() -> list[dict[str, str]]:
    """Return one row an embedded model: kind, name, size, licence, and what it was trained on."""
    rows: list[dict[str, str]] = []
    for code in embedded_languages():
        card = embedded_card(code)
        rows.append(_row("annotator", code, card.size, card.licence, card.trained_on))
    notice = "see NOTICE and docs/models/aligner.md"
    for pair in map("-".join, pairs_with_priors()):
        size = _size("endophora.align", f"{pair}.priors")
        rows.append(_row("aligner priors", pair, size, _PRIORS_LICENCE, notice))
    trained_on = "GUM's training documents of open licence and EWT; see docs/models/resolver.md"
    rows.append(_row("resolver", "en", _size("endophora.corefer", "en-weights.json"), _RESOLVER_LICENCE, trained_on))
    return rows


def _row(kind: str, name: str, size: int, licence: str, trained_on: str) -> dict[str, str]:
    return {"kind": kind, "name": name, "size": f"{size / 1e6:.1f} MB", "licence": licence, "trained on": trained_on}


def _size(package: str, name: str) -> int:
    return Path(str(files(package) / "data" / name)).stat().st_size
