"""What the tests of rule files ask of them."""

from __future__ import annotations

from endophora.languages import load_language


def levels(code: str) -> dict[str, set[str]]:
    """Return the words of each formality level, lower case."""
    found: dict[str, set[str]] = {}
    for rule in load_language(code).formality:
        found.setdefault(rule.level, set()).update(form.lower() for form in rule.forms)
    return found


def choices(code: str) -> set[tuple[str, str]]:
    """Return all pairs of a source pronoun and a target form that may translate it."""
    return {
        (source, form)
        for rule in load_language(code).pronouns
        for source in rule.source_forms
        for forms in rule.alternatives.values()
        for form in forms
    }
