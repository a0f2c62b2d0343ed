"""Where the inline markup of a source goes in its translation: around the words that those it encloses are linked to.

Words are linked by the compact aligner with its priors, on plain tokens. A pair of tags encloses the links of what it
encloses in the source, a tag alone stands before the links of the word behind it; where there is no link, a place is in
proportion. Pairs stay within those that they are in, and never cross.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from endophora.align.aligners import load_aligner
from endophora.annotate.loading import load_blank
from endophora.annotate.records import AnnotatedText
from endophora.corpus.filling import Marked
from endophora.corpus.records import Code

_NAME = re.compile(r"<(/?)(?:[\w.-]+:)?([\w.-]+)")
_PAIRED, _OPENING, _CLOSING = ("g", "mrk", "pc", "hi"), ("bpt", "bx", "sc"), ("ept", "ex", "ec")
_DEEPEST = 64
"""Pairs of tags within one another; what is deeper stands alone."""


@dataclass(slots=True)
class _Tag:
    """A tag or a pair of tags, the characters of the source that it encloses, and the tags within it."""

    codes: list[Code]
    start: int
    end: int
    inner: list[_Tag] = field(default_factory=lambda: list[_Tag]())


def place_markup(marked: Sequence[Marked], source_language: str, target_language: str) -> list[tuple[Code, ...]]:
    """Return the markup of each source at its places in the translation."""
    wanted = [one for one in marked if one.codes]
    sources = list(load_blank(source_language).annotate([one.source for one in wanted]))
    targets = list(load_blank(target_language).annotate([one.translation for one in wanted]))
    links = load_aligner(None, source_language, target_language).align(sources, targets) if wanted else []
    found = (
        placed(one, source, target, {(link.source, link.target) for link in here})
        for one, source, target, here in zip(wanted, sources, targets, links, strict=True)
    )
    return [next(found) if one.codes else () for one in marked]


def placed(
    one: Marked, source: AnnotatedText, target: AnnotatedText, links: Collection[tuple[int, int]]
) -> tuple[Code, ...]:
    """Return the markup of a source at its places in the translation, by links of their tokens."""
    return tuple(_Places(source, target, links).within(_nested(one), 0, len(target.text)))


def _nested(one: Marked) -> list[_Tag]:
    """Return the tags of a source as a tree; what closes nothing stands alone, and so does what is never closed."""
    stack = [_Tag([], 0, len(one.source))]
    for code in one.codes:
        found = _NAME.match(code.written)
        end, name = (found[1], found[2]) if found else ("", "")
        begins = name in _OPENING or (name in _PAIRED and not end and not code.written.endswith("/>"))
        if begins and len(stack) < _DEEPEST:
            stack.append(_Tag([code], code.start, code.start))
        elif (end or name in _CLOSING) and len(stack) > 1:
            tag = stack.pop()
            tag.codes.append(code)
            tag.end = code.start
            stack[-1].inner.append(tag)
        else:
            stack[-1].inner.append(_Tag([code], code.start, code.end))
    while len(stack) > 1:
        tag = stack.pop()
        stack[-1].inner += [tag, *tag.inner]
        tag.inner = []
    return stack[0].inner


class _Places:
    """Places of a source in its translation."""

    def __init__(self, source: AnnotatedText, target: AnnotatedText, links: Collection[tuple[int, int]]) -> None:
        self._source, self._target, self._links = source, target, links
        self._length = len(target.text)

    def within(self, tags: Sequence[_Tag], start: int, end: int) -> list[Code]:
        """Return the codes of tags in the order of the translation, all between two places of it."""
        codes: list[Code] = []
        at = start
        for tag, (first, last) in sorted(((tag, self._span(tag)) for tag in tags), key=lambda each: each[1]):
            first, last = (min(max(place, at), end) for place in (first, last))
            codes.append(tag.codes[0]._replace(start=first, end=first))
            codes += self.within(tag.inner, first, last)
            codes += [code._replace(start=last, end=last) for code in tag.codes[1:]]
            at = last
        return codes

    def _span(self, tag: _Tag) -> tuple[int, int]:
        """Return where what a tag encloses is in the translation; a tag alone encloses nothing."""
        words = [place for place, token in enumerate(self._source.tokens) if tag.start <= token.start < tag.end]
        if len(tag.codes) > 1 and (linked := self._linked(words)):
            begins, ends = words[0] == 0, words[-1] == len(self._source.tokens) - 1
            first, last = self._target.tokens[linked[0]].start, self._target.tokens[linked[-1]].end
            return (0, self._length) if begins and ends else (first, last)
        first = self._point(tag.start)
        return first, first if len(tag.codes) == 1 else max(first, self._point(tag.end))

    def _linked(self, words: Sequence[int]) -> list[int]:
        return sorted({other for one, other in self._links if one in words})

    def _point(self, place: int) -> int:
        """Return the place in the translation for a place of the source between words."""
        tokens = self._source.tokens
        if place >= max((token.end for token in tokens), default=0):
            return self._length
        behind = bisect_left(tokens, place, key=lambda token: token.start)
        if behind == 0:
            return 0
        if linked := self._linked([behind] if behind < len(tokens) else []):
            return self._target.tokens[linked[0]].start
        if linked := self._linked([behind - 1]):
            return self._target.tokens[linked[-1]].end
        borders = [token.start for token in self._target.tokens] or [0]
        wanted = place / max(1, len(self._source.text)) * self._length
        return min(borders, key=lambda border: abs(border - wanted))
