"""Pronouns that stand for nothing, by the words beside them, and forms as the tables of rules have them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from endophora.annotate.records import AnnotatedText
from endophora.languages.extraction import Impersonal, Part

_QUOTES = re.compile(r"[«»“”„\"]")


def normal(form: str) -> str:
    """Return a form as tables have it: lower case, a straight apostrophe, no stress mark, no hyphen before a clitic."""
    lower = normal_text(form)
    return lower.lstrip("-") or lower


def normal_text(text: str) -> str:
    """Return a text in lower case, with straight apostrophes, without stress marks."""
    return text.lower().replace("’", "'").replace("\u0301", "")


class ImpersonalPronouns:
    """A language's rules for pronouns that stand for nothing, and for nouns of set phrases, which do not either."""

    def __init__(self, rules: Iterable[Impersonal]) -> None:
        self._rules: dict[str, list[tuple[re.Pattern[str], re.Pattern[str], float]]] = {}
        for rule in rules:
            before = re.compile(rf"{_sequence(rule.before)}[\s-]*\Z" if rule.before else "")
            after = re.compile(_sequence(rule.after))
            for form in sorted(rule.forms):
                self._rules.setdefault(form, []).append((before, after, rule.unless_likely or math.inf))

    def hold(self, text: AnnotatedText, index: int, likely: float = 0) -> bool:
        """Return whether a pronoun stands for nothing by a rule; ``likely``: what the most probable noun has."""
        token = text.tokens[index]
        rules = self._rules.get(normal(token.form), ())
        if not rules:
            return False
        sides = text.text[: token.start], text.text[token.end :]
        before, after = (_QUOTES.sub(" ", normal_text(side)) for side in sides)
        return any(likely < most and one.search(before) and other.match(after) for one, other, most in rules)


def _sequence(parts: Sequence[Part]) -> str:
    """Return the regular expression of parts that follow each other: each of whole words, spaces apart."""
    found: list[str] = []
    for part in parts:
        choice = f"(?:{part if isinstance(part, str) else '|'.join(part)})"
        missing = "?" if re.fullmatch(choice, "") else ""
        found.append(rf"(?:\s*(?<!\w){choice}(?!\w)){missing}")
    return "".join(found)
