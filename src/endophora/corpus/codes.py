"""Language codes: ISO 639-1, two letters, and what to say to a code that is none."""

from __future__ import annotations

import difflib
from functools import cache
from importlib.resources import files

from endophora.corpus.faults import FaultLog


@cache
def language_names() -> dict[str, str]:
    """Return the English name of each language by its ISO 639-1 code."""
    return {code: name for code, _, name in _table()}


def check_languages(languages: tuple[str, str], log: FaultLog) -> None:
    """Note a fault (E014) for each code of a pair that is no ISO 639-1 code."""
    for code in languages:
        if code not in language_names():
            log.add("E014", f"unknown language “{code}”", _advice(code), "languages")


def parse_languages(pair: str) -> tuple[str, str]:
    """Read a language pair such as ``en-de``: source, then target, in either case (E014)."""
    source, dash, target = pair.lower().partition("-")
    log = FaultLog()
    if not dash:
        log.add("E014", f"“{pair}” is no language pair", "write source-target, as in en-de", "languages")
        log.check()
    check_languages((source, target), log)
    log.check()
    return source, target


@cache
def bare_language(tag: str) -> str:
    """Return the two-letter code of a language tag, in any form that programs write: ``de-AT``, ``DE_de``, ``deu``."""
    first = tag.strip().lower().replace("_", "-").partition("-")[0]
    return next((code for code, three, _ in _table() if three == first), first)


@cache
def _table() -> list[tuple[str, str, str]]:
    """Return two-letter code, three-letter code and name of each language."""
    text = (files("endophora.corpus") / "data" / "iso-639-1.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    return [(code, three, name) for code, three, name in rows]


def _advice(wrong: str) -> str:
    """Say which code may have been meant."""
    lowered = wrong.lower().replace("_", "-")
    by_other = {other.lower(): code for code, three, name in _table() for other in (code, three, name)}
    near = by_other.get(lowered) or by_other.get(lowered.split("-")[0])
    if near is None:
        names = difflib.get_close_matches(lowered, by_other, n=1)
        near = by_other[names[0]] if names else None
    hint = f"did you mean {near} ({language_names()[near]})?" if near else "use an ISO 639-1 code, such as en or de"
    return f"{hint} two letters, lower case"
