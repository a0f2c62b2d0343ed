"""Pronouns that stand for nothing, told by the words beside them: *it is recommended to*, *il s'agit de*."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from endophora.annotate.records import AnnotatedText
from endophora.languages.extraction import Impersonal, Part
from endophora.phenomena.pronoun_cases import normal, normal_text

_QUOTES = re.compile(r"[«»“”„\"]")


class ImpersonalPronouns:
    """A language's rules for pronouns that stand for nothing, and for nouns of set phrases, which do not either."""

    def __init__(self, rules: Iterable[Impersonal]) -> None:
        self._rules: dict[str, list[tuple[re.Pattern[str], re.Pattern[str]]]] = {}
        for rule in rules:
            before = re.compile(rf"{_sequence(rule.before)}[\s-]*\Z" if rule.before else "")
            after = re.compile(_sequence(rule.after))
            for form in sorted(rule.forms):
                self._rules.setdefault(form, []).append((before, after))

    def hold(self, text: AnnotatedText, index: int) -> bool:
        """Tell whether a rule has it that a pronoun stands for nothing."""
        token = text.tokens[index]
        rules = self._rules.get(normal(token.form), ())
        if not rules:
            return False
        before, after = (
            _QUOTES.sub(" ", normal_text(part)) for part in (text.text[: token.start], text.text[token.end :])
        )
        return any(one.search(before) and other.match(after) for one, other in rules)


def _sequence(parts: Sequence[Part]) -> str:
    """Return the regular expression of parts that follow each other: each of whole words, spaces apart."""
    found: list[str] = []
    for part in parts:
        choice = f"(?:{part if isinstance(part, str) else '|'.join(part)})"
        missing = "?" if re.fullmatch(choice, "") else ""
        found.append(rf"(?:\s*(?<!\w){choice}(?!\w)){missing}")
    return "".join(found)
