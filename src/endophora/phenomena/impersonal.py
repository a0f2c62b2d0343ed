"""Pronouns that stand for nothing, by the words beside them, and forms as the tables of rules have them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from endophora.annotate.records import VERBS, AnnotatedText, Token
from endophora.languages.extraction import Impersonal, Part
from endophora.phenomena.records import verb_group

_OPENING = frozenset({"PUNCT", "CCONJ"})
"""Classes of what may stand before the first word of a main clause."""
_NOMINALS = frozenset({"nsubj", "obj"})
"""Relations of a noun after the verb: parsers take many a subject there for an object."""

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
        self._opening: set[str] = set()
        for rule in rules:
            if rule.subject_after:
                self._opening |= rule.forms
                continue
            before = re.compile(rf"{_sequence(rule.before)}[\s-]*\Z" if rule.before else "")
            after = re.compile(_sequence(rule.after))
            for form in sorted(rule.forms):
                self._rules.setdefault(form, []).append((before, after, rule.unless_likely or math.inf))
        # Tags and judgments ask, and of a source pronoun all targets.
        self._most = lru_cache(maxsize=1 << 13)(self._least)

    def hold(self, text: AnnotatedText, index: int, likely: float = 0) -> bool:
        """Return whether a pronoun stands for nothing by a rule; ``likely``: what the most probable noun has."""
        token = text.tokens[index]
        form = normal(token.form)
        if form in self._opening and _has_subject_after(text, index):
            return True
        return form in self._rules and likely < self._most(form, text.text, token.start, token.end)

    def _least(self, form: str, text: str, start: int, end: int) -> float:
        """Return below which probability of a noun some rule holds for the word at a place; 0 if none does."""
        before, after = (_QUOTES.sub(" ", normal_text(side)) for side in (text[:start], text[end:]))
        held = (most for one, other, most in self._rules[form] if one.search(before) and other.match(after))
        return max(held, default=0.0)


def _sequence(parts: Sequence[Part]) -> str:
    """Return the regular expression of parts that follow each other: each of whole words, spaces apart."""
    found: list[str] = []
    for part in parts:
        choice = f"(?:{part if isinstance(part, str) else '|'.join(part)})"
        missing = "?" if re.fullmatch(choice, "") else ""
        found.append(rf"(?:\s*(?<!\w){choice}(?!\w)){missing}")
    return "".join(found)


def _has_subject_after(text: AnnotatedText, index: int) -> bool:
    """Return whether a pronoun opens a main clause whose subject is another word, after the verb.

    What shows a subject: a plural verb beside a plural, a nominative that is no other case, or a predicate that has no
    object, since it has a copula or is a passive.
    """
    tokens = text.tokens
    verb = index + 1
    opens = index in (0, *text.sentences) or tokens[index - 1].upos in _OPENING
    if not opens or verb >= len(tokens) or tokens[verb].upos not in VERBS:
        return False
    group = verb_group(tokens, verb)
    plural = tokens[verb].features.get("Number") == "Plur"
    bare = any(tokens[at].relation.startswith(("cop", "aux:pass")) for at in group)
    for at, token in enumerate(tokens[verb + 1 :], verb + 1):
        relation = token.relation.partition(":")[0]
        own = [one for one in tokens if one.head == at]
        if token.head not in group or relation not in _NOMINALS or any(one.relation == "case" for one in own):
            continue
        several = token.features.get("Number") == "Plur" or any(one.relation == "conj" for one in own)
        if (plural and several) or (bare and relation == "nsubj") or _is_nominative(token):
            return True
    return False


def _is_nominative(token: Token) -> bool:
    """Return whether a word is a nominative that no accusative looks like: a masculine singular (*ein Brief*)."""
    features = token.features
    return [features.get(name) for name in ("Case", "Number", "Gender")] == ["Nom", "Sing", "Masc"]
