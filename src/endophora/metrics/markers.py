"""Discourse markers of annotated texts: runs of tokens, and endings of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from endophora.annotate.records import AnnotatedText, Token
from endophora.languages.discourse import MarkerSense
from endophora.metrics.memo import Memo

_NONE, _LOOK = -1, -2


class MarkerTable:
    """Finds discourse markers: runs of tokens whose text, lower case and with single blanks, is one; and endings."""

    def __init__(self, senses: Sequence[MarkerSense], numbers: Mapping[str, int]) -> None:
        self._senses: dict[str, tuple[int, frozenset[str]]] = {}
        for sense in senses:
            for marker in sense.markers:
                form, upos = (marker, frozenset[str]()) if isinstance(marker, str) else (marker.form, marker.upos)
                self._senses[form] = (numbers[sense.sense], upos)
        self._endings = [(ending, numbers[sense.sense]) for sense in senses for ending in sense.endings]
        # Only tokens with which a marker begins are looked at, and only as long as it goes on.
        goes_on = {form[:length] for form in self._senses for length in range(1, len(form))}
        self._beginnings = goes_on | self._senses.keys()
        # A word that is a marker whatever follows has its sense at once.
        self._begins = dict.fromkeys(goes_on, _LOOK) | {
            form: _LOOK if upos or form in goes_on else sense for form, (sense, upos) in self._senses.items()
        }
        self._ending = Memo(self._find_ending)

    def find(
        self, texts: Sequence[AnnotatedText], lower: Sequence[str], items: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return for each token the number of the sense of the marker that begins with it, or -1.

        Of markers that begin with the same token the longest counts, and none within another.
        """
        found = np.array([self._begins.get(form, _NONE) for form in lower], np.int64)[items]
        looks = np.flatnonzero(found == _LOOK)
        # After a text's last word stands the first one of the next: that makes a look in vain, never a marker.
        pairs = zip(map(int, items[looks]), map(int, np.append(items[1:], 0)[looks]), strict=True)
        worth = looks[[self._worth_a_look(lower[word], lower[following]) for word, following in pairs]]
        found[looks] = _NONE
        starts = np.cumsum([0, *(len(text.tokens) for text in texts)])
        rows = np.searchsorted(starts, worth, side="right") - 1
        after = 0
        for index, row in zip(map(int, worth), map(int, rows), strict=True):
            if index >= after:
                sense, length = self._longest_at(texts[row], index - int(starts[row]))
                after = index + length
                found[index:after] = _NONE
                found[index] = sense
        return found

    def find_endings(self, tokens: Sequence[Token]) -> npt.NDArray[np.int64]:
        """Return for each token the number of the sense of its ending, or -1; nothing where endings have no sense."""
        if not self._endings:
            return np.empty(0, np.int64)
        return np.array([self._ending[token.form, token.upos] for token in tokens], np.int64)

    def _worth_a_look(self, form: str, following: str) -> bool:
        """Tell whether a word is a marker, or one may begin with it and the next one, apart or written together."""
        known = self._beginnings
        return form in self._senses or f"{form} {following}" in known or form + following in known

    def _longest_at(self, text: AnnotatedText, index: int) -> tuple[int, int]:
        """Return the sense of the longest marker that begins with a token, and of how many tokens it is."""
        first = text.tokens[index]
        sense, length = _NONE, 1
        for place, token in enumerate(text.tokens[index:], start=1):
            span = text.text[first.start : token.end].lower()
            if span not in self._beginnings:
                span = " ".join(span.split())
                if span not in self._beginnings:
                    break
            known = self._senses.get(span)
            if known is not None and (not known[1] or first.upos in known[1]):
                sense, length = known[0], place
        return sense, length

    def _find_ending(self, word: tuple[str, str]) -> int:
        form, upos = word[0].lower(), word[1]
        return next((sense for ending, sense in self._endings if ending.ends(form, upos)), _NONE)
