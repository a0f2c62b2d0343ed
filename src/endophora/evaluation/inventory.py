"""What is there for each language: rules, phenomena, annotator with its scores, aligner priors."""

from __future__ import annotations

from endophora.align.priors import pairs_with_priors
from endophora.annotate import embedded_card, embedded_languages
from endophora.languages import language_codes, load_language


def language_inventory() -> list[dict[str, object]]:
    """Return one row a language, in the order of the codes; values are text, lists of text, figures or None."""
    pairs = pairs_with_priors()
    rows: list[dict[str, object]] = []
    for code in sorted({*language_codes(), *embedded_languages()}):
        rules = load_language(code) if code in language_codes() else None
        card = embedded_card(code) if code in embedded_languages() else None
        rows.append(
            {
                "language": code,
                "rules": "–" if rules is None else rules.name,
                "phenomena": [] if rules is None else list(rules.phenomena),
                "annotator": None if card is None else f"embedded, {card.licence}",
                "UPOS": None if card is None else card.scores.get("UPOS"),
                "lemma": None if card is None else card.scores.get("lemma"),
                "LAS": None if card is None else card.scores.get("LAS"),
                "aligned with": sorted({a if b == code else b for a, b in pairs if code in (a, b)}),
            }
        )
    return rows
