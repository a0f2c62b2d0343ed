"""Places where a text says something else than its source, or nothing at all: garbled and broken-off segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from endophora.align.priors import Priors
from endophora.judgments.records import UNSAID, Choice
from endophora.judgments.translations import known_translations, may_translate, word_of
from endophora.phenomena.records import AnnotatedDocument, targets_of

_CONTENT = frozenset({"VERB", "NOUN", "ADJ", "ADV"})
_WORDS = 8
"""Content words, of which enough is known, from which a segment tells anything."""
_SHARE, _NEAR_SHARE = 0.3, 1 / 3
"""Part of a segment's content words that are translated by a known translation, at most, and of those near a word."""
_NEAR = 8
"""Tokens on either side of a word that are near it."""


def garbled(document: AnnotatedDocument, priors: Priors) -> Iterator[Choice]:
    """Yield the source words of each segment in whose place a text says nothing that is known to translate it.

    Few of the segment's content words, and few of those near the word, are translated by any known translation.
    """
    for segment, source in enumerate(document.source):
        content = [index for index, token in enumerate(source.tokens) if token.upos in _CONTENT]
        said = _said(document, segment, content, priors) if len(content) >= _WORDS else {}
        if len(said) < _WORDS or sum(said.values()) > _SHARE * len(said):
            continue
        lost = tuple(index for index in range(len(source.tokens)) if _is_lost(index, said))
        if lost:
            yield Choice(UNSAID, segment, lost, (), "")


def _said(document: AnnotatedDocument, segment: int, content: Sequence[int], priors: Priors) -> dict[int, bool]:
    """Return which of some source words are translated by a known translation; those of which too little is known not.

    Nothing as soon as enough of them are.
    """
    found, said, enough = dict[int, bool](), 0, _SHARE * len(content)
    source, target, links = document.source[segment].tokens, document.target[segment].tokens, document.links[segment]
    for index in content:
        word = word_of(source[index])
        if known_translations(priors, word):
            found[index] = any(may_translate(priors, word, word_of(target[at])) for at in targets_of(index, links))
            said += found[index]
            if said > enough:
                return {}
    return found


def _is_lost(index: int, said: dict[int, bool]) -> bool:
    near = [known for at, known in said.items() if abs(at - index) <= _NEAR]
    return sum(near) <= _NEAR_SHARE * len(near)
