"""Lemmas for words that have none yet, from the tables of the package ``simplemma``.

A table knows no part of speech, so a lemma counts only if it looks like one of the word's own: Spanish *habla* stays
without lemma as a verb, since *habla* is no infinitive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, cast

from endophora.errors import Fault, MissingModelError
from endophora_makers.conllu import Word

_PACKAGE = "simplemma"


class LemmaTable:
    """Lemmas by form.

    Args:
        shapes: part of speech → what its lemmas look like, a regular expression; words of others get none.
        enclitics: forms that are a verb with something behind it, a regular expression; the table lists few of them.

    Raises:
        MissingModelError: the package is not installed (E085).
    """

    def __init__(self, language: str, shapes: Mapping[str, str], enclitics: str = "") -> None:
        if find_spec(_PACKAGE) is None:
            raise MissingModelError(
                Fault("E085", f"the lemma tables “{_PACKAGE}” are missing", f"install them: pip install {_PACKAGE}")
            )
        self._lemmatizer: Any = __import__(_PACKAGE)
        self._language = language
        self._shapes = {upos: re.compile(shape) for upos, shape in shapes.items()}
        self._enclitics = re.compile(enclitics)

    def is_verb(self, form: str) -> bool:
        """Return whether a form in lower case has the lemma of a verb, and is none itself."""
        known = self._lemmatizer.is_known(form, lang=self._language) or self._enclitics.fullmatch(form)
        lemma = cast("str", self._lemmatizer.lemmatize(form, lang=self._language)) if known else form
        return lemma != form and "VERB" in self._shapes and bool(self._shapes["VERB"].fullmatch(lemma))

    def lemmatised(self, words: tuple[Word, ...]) -> tuple[Word, ...]:
        """Return words with the lemmas of those that have none, where known."""
        return tuple(self._lemmatised(word) for word in words)

    def _lemmatised(self, word: Word) -> Word:
        shape = self._shapes.get(word.upos)
        form = word.form.lower()
        if shape is None or word.lemma != "_" or not self._lemmatizer.is_known(form, lang=self._language):
            return word
        lemma = cast("str", self._lemmatizer.lemmatize(form, lang=self._language))
        return replace(word, lemma=lemma) if shape.fullmatch(lemma) else word
