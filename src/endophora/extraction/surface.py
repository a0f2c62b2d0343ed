"""What the surface of a segment tells without a parse: whether it has the words without which no rule holds.

Whole corpora go through here, so the forms of a table are one regular expression that begins with a letter: where no
form has that letter, the search goes on without asking what stands before it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any, cast

from endophora.annotate.annotator import SpacyAnnotator, encodable
from endophora.annotate.records import Annotator
from endophora.languages.extraction import ExtractionRules, PronounTable
from endophora.phenomena.pronoun_cases import normal

KNOWN_WORDS = 50_000
"""How many pieces of text are remembered, of which it is known whether they hold an auxiliary."""

_LETTER = r"[^\W\d_]"
_STRESS = "\u0301"


class Texts:
    """The texts of a document, and how forms are looked for in them."""

    def __init__(self, written: Sequence[str], written_target: Sequence[str]) -> None:
        self.written = written
        self._written_target = written_target

    @cached_property
    def source(self) -> list[str]:
        """The source texts, as :func:`surface_text` has them."""
        return [surface_text(text) for text in self.written]

    @cached_property
    def target(self) -> list[str]:
        """The target texts, likewise."""
        return [surface_text(text) for text in self._written_target]


def surface_text(text: str) -> str:
    """Return a text as the tables' forms are looked for in it.

    That is in lower case and without stress marks; a text with such marks stands there twice, the second time with
    blanks in their place, since a tokenizer may cut a word at them.
    """
    once = normal(text)
    return f"{once} {normal(text.replace(_STRESS, ' '))}" if _STRESS in text else once


class PronounSurface:
    """Finds segments with an English pronoun of a table and a form of the other language of one of its rules."""

    def __init__(self, tables: Iterable[PronounTable], *, reverse: bool = False) -> None:
        self._reverse = reverse
        forms: dict[str, set[str]] = {}
        for table in tables:
            for case in table.cases():
                for english in case.english:
                    # An ending needs no word of its own; it is written with a hyphen or mark before it, or as it is.
                    forms.setdefault(english, set()).update(
                        f"…{words[-1].lstrip('-')}" if table.endings else words[-1] for words in case.words
                    )
        self._pairs = [(_starting([english]), _standing(others)) for english, others in sorted(forms.items())]
        self._any = _starting(forms) if forms else None

    def __call__(self, texts: Texts) -> list[int]:
        """Return the indices of the candidate segments."""
        english, other = (texts.target, texts.source) if self._reverse else (texts.source, texts.target)
        if self._any is None:
            return []
        found = [index for index, text in enumerate(english) if self._any.search(text)]
        return [
            index
            for index in found
            if any(one.search(english[index]) and form.search(other[index]) for one, form in self._pairs)
        ]


class AuxiliarySurface:
    """Finds source segments with a form of an auxiliary.

    Args:
        rules: rules of the target language, which name the lemmas.
        english: rules of English, which have their forms.
        tokenize: cuts a piece of text without blanks into the words that the annotator will have, where that is known
            beforehand; many words end like a clitic.
    """

    def __init__(
        self, rules: ExtractionRules, english: ExtractionRules, tokenize: Callable[[str], Iterable[str]] | None = None
    ) -> None:
        lemmas = {rule.lemma for rule in rules.auxiliary}
        forms = {normal(form) for lemma in lemmas for form in (lemma, *english.auxiliary_forms.get(lemma, ()))}
        self._forms = frozenset(forms)
        self._pattern = _anywhere(forms) if forms else None
        self._tokenize = tokenize
        # Most words have been met before, and then they cost less than any look at their letters.
        self._holds = lru_cache(KNOWN_WORDS)(self._has_form)

    def __call__(self, texts: Texts) -> list[int]:
        """Return the indices of the candidate segments."""
        pattern, holds = self._pattern, self._holds
        if pattern is None:
            return []
        if self._tokenize is None:
            return [index for index, text in enumerate(texts.source) if pattern.search(text)]
        return [index for index, text in enumerate(texts.written) if any(map(holds, text.split()))]

    def _has_form(self, piece: str) -> bool:
        assert self._pattern is not None and self._tokenize is not None  # noqa: PT018, S101
        return bool(self._pattern.search(surface_text(piece))) and not self._forms.isdisjoint(self._tokenize(piece))


def tokenizer_of(annotator: Annotator) -> Callable[[str], Iterable[str]] | None:
    """Return what cuts pieces without blanks as an annotator does, if it is a pipeline that cuts at blanks."""
    if not isinstance(annotator, SpacyAnnotator):
        return None
    # Imported when used: the process that hands out the work has no pipeline, and not the memory that spaCy takes.
    if type(annotator.nlp.tokenizer) is not cast("Any", import_module("spacy.tokenizer")).Tokenizer:
        return None
    cut = annotator.nlp.make_doc
    return lambda text: (normal(token.text) for token in cut(encodable(text)))


def _starting(forms: Iterable[str]) -> re.Pattern[str]:
    """Match forms where a word begins: tokenizers cut clitics off its end (*itll*), and nothing off its beginning."""
    return re.compile("|".join(_branches(forms, begins=True)))


def _standing(forms: Iterable[str]) -> re.Pattern[str]:
    """Match forms that are whole words, and where “…” stands before them, ends of words.

    A word without its vowel ends in an apostrophe, which the next word follows at once (*je t'aime*).
    """
    groups: defaultdict[tuple[bool, bool], list[str]] = defaultdict(list)
    for form in forms:
        groups[not form.startswith("…"), form[-1].isalpha()].append(form.removeprefix("…"))
    found = (_branches(some, begins=begins, ends=ends) for (begins, ends), some in sorted(groups.items()))
    return re.compile("|".join(branch for branches in found for branch in branches))


def _anywhere(forms: Iterable[str]) -> re.Pattern[str]:
    """Match forms of auxiliaries: a clitic wherever it stands, a word where a word begins."""
    words, clitics = list[str](), list[str]()
    for form in forms:
        (clitics if len(form) < _SHORT or not form[0].isalpha() else words).append(form)
    return re.compile("|".join([*_branches(clitics, ends=True), *_branches(words, begins=True)]))


_SHORT = 3
"""Length from which a form is no clitic."""


def _branches(forms: Iterable[str], *, begins: bool = False, ends: bool = False) -> list[str]:
    """Return alternatives, one for each first letter.

    What stands before is asked after that letter: a search can look for a letter, and not for the absence of one.
    """
    rests: defaultdict[str, list[str]] = defaultdict(list)
    for form in sorted(forms):
        rests[re.escape(form[0])].append(re.escape(form[1:]))
    found: list[str] = []
    for first, some in rests.items():
        before = rf"(?<!{_LETTER}{first})" if begins else ""
        after = rf"(?!{_LETTER})" if ends else ""
        found.append(f"{first}{before}(?:{'|'.join(some)}){after}")
    return found
