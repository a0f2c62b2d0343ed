"""What a word's form alone decides, whichever model labelled it: signs, numbers, and forms of ``words.yaml``.

A model of a small treebank takes a mark that it has seldom met for a word. Here a token of punctuation is PUNCT, one
of signs SYM, one of digits NUM, by Unicode's categories, in every language and of every annotator; then come the
language's own rules for forms that no text of a treebank taught.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from ruamel.yaml import YAML

from endophora.annotate.records import AnnotatedText, Token
from endophora.record import Fixed

_FILE = Path(__file__).with_suffix(".yaml")
_MOST = 50_000
PUNCT, SYM, NUM = "PUNCT", "SYM", "NUM"
_PLACEHOLDER = "&"
"""Begins the lemmas that a treebank gives to numbers and signs which it has taken out of its texts."""
_PLAIN: Mapping[str, str] = {}


_FATHATAN = "\N{ARABIC FATHATAN}"
_VOWELS = re.compile("[\u0640\u064b-\u0655\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]")
"""Vowel signs of Arabic and Hebrew, which most texts leave out, and the stroke that stretches an Arabic word."""


def unvowelled(form: str, keep: str = "") -> str:
    """Return a form without the signs for vowels of Arabic and Hebrew, save one of them."""
    return form if form.isascii() else _VOWELS.sub(lambda sign: sign[0] if sign[0] == keep else "", form)


class Signs(Fixed):
    """Which characters are what; ``words.yaml`` says what the fields mean."""

    symbols: str
    marks: str
    joining: str
    open: dict[str, tuple[str, ...]]
    number: str
    numbers: dict[str, tuple[str, ...]]
    number_features: dict[str, dict[str, str]]


Analysis = tuple[str, Mapping[str, str]]
"""A form's lemma, empty if the rule leaves it open, and the features that its ending gives."""


class FormRule(Fixed):
    """Forms that are something else than what a model takes them for; what is empty is not asked."""

    forms: frozenset[str] = frozenset()
    pattern: str = ""
    stem: str = ""
    stems: dict[str, str] = {}
    prefixes: dict[str, str] = {}
    endings: dict[str, dict[str, str]] = {}
    upos: frozenset[str] = frozenset()
    unless_upos: frozenset[str] = frozenset()
    features: dict[str, str] = {}
    before: str = ""
    after: str = ""
    to: str = ""
    lemma: str = ""
    gives: dict[str, str] = {}
    drops: frozenset[str] = frozenset()
    relations: dict[str, str] = {}
    xpos: dict[str, str] = {}
    source: str

    def analysis(self, form: str) -> Analysis | None:
        """Return lemma and features of a form in lower case, if it is one of the rule's; the lemma may be open."""
        if form in self.forms:
            return self.lemma, {}
        if self.pattern and (found := _compiled(self.pattern).fullmatch(form)):
            return found.expand(self.lemma), {}
        for ending, gives in self.endings.items():
            if form.endswith(ending) and (lemma := self._lemma(form.removesuffix(ending))) is not None:
                return lemma, gives
        return None

    def _lemma(self, stem: str) -> str | None:
        for prefix, written in (("", ""), *self.prefixes.items()):
            if stem.startswith(prefix) and (lemma := self.stems.get(stem.removeprefix(prefix))):
                return written + lemma
        found = _compiled(self.stem).fullmatch(stem) if self.stem else None
        return found.expand(self.lemma) if found else None

    def holds(self, tokens: Sequence[Token], index: int) -> bool:
        """Return whether one of the rule's forms is labelled, and stands, as the rule says."""
        token = tokens[index]
        return (
            (not self.upos or token.upos in self.upos)
            and token.upos not in self.unless_upos
            and all(token.features.get(name, "") in value.split("|") for name, value in self.features.items())
            and (not self.before or _beside(self.before, tokens, index + 1))
            and (not self.after or _beside(self.after, tokens, index - 1))
        )

    def apply(self, token: Token, analysis: Analysis) -> Token:
        """Return the word as the rule has it."""
        lemma, gives = analysis
        features = token.features
        if self.gives or self.drops or gives:
            kept = {name: value for name, value in features.items() if name not in self.drops}
            features = dict(sorted({**kept, **self.gives, **gives}.items()))
        return token._replace(
            upos=self.to or token.upos,
            xpos=self.xpos.get(token.xpos, token.xpos),
            relation=self.relations.get(token.relation, token.relation),
            lemma=lemma or token.lemma,
            features=features,
        )


def _beside(pattern: str, tokens: Sequence[Token], index: int) -> bool:
    form = tokens[index].form.lower() if 0 <= index < len(tokens) else ""
    return _compiled(pattern).fullmatch(form) is not None


@lru_cache(maxsize=1_000)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class WordRules(Fixed):
    """What ``words.yaml`` holds: signs, and the rules of each language's own pipelines."""

    signs: Signs
    languages: dict[str, tuple[FormRule, ...]]


@lru_cache(maxsize=1)
def word_rules() -> WordRules:
    """Return the rules that ship."""
    return WordRules.model_validate(cast("Any", YAML(typ="safe")).load(_FILE.read_text("utf-8")))


@lru_cache(maxsize=1)
def rules_version() -> str:
    """Return a short hash of the rules and of what applies them, for signatures."""
    return hashlib.blake2b(_FILE.read_bytes() + Path(__file__).read_bytes(), digest_size=3).hexdigest()


@dataclass(frozen=True, slots=True)
class _Known:
    """What a form decides: the parts of speech that it may have, the first if the model says another; its rules."""

    allowed: tuple[str, ...] = ()
    rules: tuple[tuple[FormRule, Analysis], ...] = ()


_ORDINARY = _Known()


class Words:
    """Corrects annotated texts of a language; the language's own rules are for our own pipelines (``own``)."""

    def __init__(self, language: str, *, own: bool = False) -> None:
        table = word_rules()
        self._signs = table.signs
        self._rules = table.languages.get(language, ()) if own else ()
        self._numbers = (NUM, *table.signs.numbers.get(language, ()))
        features = table.signs.number_features
        self._number_features = features.get(language, features[""])
        self._known: dict[str, _Known] = {}

    def correct(self, text: AnnotatedText) -> AnnotatedText:
        """Return a text whose words are what their forms say; a text without parts of speech is as it was."""
        known = self._known
        if len(known) > _MOST:
            known.clear()
        tokens = text.tokens
        forms = [token.form for token in tokens]
        for form in set(forms).difference(known):
            known[form] = self._look(form)
        changed: dict[int, Token] = {}
        for index, found in enumerate(map(known.__getitem__, forms)):
            if found is not _ORDINARY and tokens[index].upos:
                new = self._decide(found, tokens, index)
                if new is not tokens[index]:
                    changed[index] = new
        if not changed:
            return text
        tokens = tuple([changed.get(index, token) for index, token in enumerate(tokens)])
        return replace(text, tokens=_hung(tokens, {i for i, token in changed.items() if token.upos == PUNCT}))

    def _decide(self, found: _Known, tokens: Sequence[Token], index: int) -> Token:
        token = tokens[index]
        if found.allowed and token.upos not in found.allowed:
            upos = found.allowed[0]
            features = dict(self._number_features) if upos == NUM else _PLAIN
            return token._replace(upos=upos, lemma=token.form, features=features)
        if found.allowed and token.lemma.startswith(_PLACEHOLDER) and not token.form.startswith(_PLACEHOLDER):
            return token._replace(lemma=token.form)
        rule = next(((rule, said) for rule, said in found.rules if rule.holds(tokens, index)), None)
        return token if rule is None else rule[0].apply(token, rule[1])

    def _look(self, form: str) -> _Known:
        allowed = self._allowed(form)
        low = unvowelled(form.lower(), keep=_FATHATAN)
        rules = tuple((rule, said) for rule in self._rules if (said := rule.analysis(low)) is not None)
        return _Known(allowed, rules) if allowed or rules else _ORDINARY

    def _allowed(self, form: str) -> tuple[str, ...]:
        """Return the parts of speech that a form of signs or digits may have; none for a word."""
        signs = self._signs
        if any(map(str.isalpha, form)):
            return ()
        if form in signs.open:
            return signs.open[form]
        if _compiled(signs.number).fullmatch(form):
            return self._numbers
        kinds = {kind for char in form for kind in [_kind(char)] if kind[0] not in "MC"}
        if not kinds or not all(kind[0] in "PS" for kind in kinds):
            return ()
        if "Sc" in kinds or any(char in signs.symbols for char in form):
            return (SYM,)
        if any(_kind(char)[0] == "S" and char not in signs.marks for char in form):
            return (SYM, PUNCT)
        smiles = len(form) > 1 and not kinds.isdisjoint({"Ps", "Pe"})
        return (PUNCT, SYM) if smiles or any(char in signs.joining for char in form) else (PUNCT,)


def _kind(char: str) -> str:
    return unicodedata.category(char)


def _hung(tokens: tuple[Token, ...], marks: set[int]) -> tuple[Token, ...]:
    """Return words of which these, now punctuation, are so in the tree: ``punct``, what hung on them on their head."""
    if not marks or not any(token.relation for token in tokens):
        return tokens
    marks = {index for index in marks if tokens[index].head >= 0}
    result: list[Token] = []
    for index, token in enumerate(tokens):
        head = token.head
        while head in marks and tokens[head].head not in (index, head):
            head = tokens[head].head
        if index in marks:
            token = token._replace(relation="punct")
        result.append(token if head == token.head else token._replace(head=head))
    return tuple(result)
