"""Direct speech: which words of a text are said in one conversation, by quotation marks alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import count

from endophora.annotate.records import AnnotatedText
from endophora.corpus.scripts import unspaced
from endophora.phenomena.records import AnnotatedDocument, remembered

_MARKS = frozenset('"“”„‟«»「」『』')
"""Quotation marks; single ones look like apostrophes and are left alone."""

_MARK = re.compile(f"[{''.join(sorted(_MARKS))}]")

_OPENING = frozenset("“«「『")
"""Marks that open a quotation where the spaces around them do not tell."""

_BEFORE = frozenset("([—–-¿¡")
_REACH = 5
"""Segments over which a quotation that is not closed may go on."""

_Mark = tuple[int, bool]
"""Where a quotation mark stands, and whether it opens a quotation."""


@partial(remembered, most=2_000)
def conversations(texts: Sequence[AnnotatedText]) -> list[list[int]]:
    """Return, for each token of each segment, the number of the conversation that it belongs to.

    What is outside of quotation marks is number 0. Quotations of one depth are one conversation where they are in
    one segment or in neighbouring ones; one within another is a conversation of its own, and so is a single word
    between quotation marks, which is named and not said.
    """
    marks = [_marks(text.text) for text in texts]
    last: dict[int, tuple[int, int]] = {}  # depth → the segment that had it last, and its number
    numbers, found, carried = count(1), list[list[int]](), 0
    for at, text in enumerate(texts):
        if not carried and not marks[at]:
            found.append([0] * len(text.tokens))
            continue
        here = [*marks[at], (len(text.text), False)]
        depth, place, row = carried, 0, list[int]()
        if depth and here[0][1] and not text.text[: here[0][0]].strip():
            depth = 0  # a quotation that continues is opened again at the beginning of a paragraph
        for token in text.tokens:
            while here[place][0] < token.start:
                depth, place = max(0, depth + (1 if here[place][1] else -1)), place + 1
            if depth and last.get(depth, (-2, 0))[0] < at - 1:
                last[depth] = at, next(numbers)
            named = {text.text[token.start - 1 : token.start], text.text[token.end : token.end + 1]} <= _MARKS
            last |= {depth: (at, last[depth][1])} if depth else {}
            row.append(0 if not depth else next(numbers) if named else last[depth][1])
        for _, opens in here[place:-1]:
            depth = max(0, depth + (1 if opens else -1))
        following = next((some for some in marks[at + 1 : at + 1 + _REACH] if some), ())
        carried = depth if following and not following[0][1] else 0
        found.append(row)
    return found


def translated_conversations(document: AnnotatedDocument, source: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the conversations of a target text; those of its source where it has no quotation marks and that has.

    A word without a link is in the conversation of the linked word before it, or else of the next one.
    """
    if any(_MARK.search(text.text) for text in document.target) or not any(map(any, source)):
        return conversations(document.target)
    found: list[list[int]] = []
    for text, links, numbers in zip(document.target, document.links, source, strict=True):
        known = {link.target: numbers[link.source] for link in sorted(links, key=lambda link: link.confidence)}
        row: list[int] = []
        at = next(iter(numbers), 0) if not known else known[min(known)]
        for index in range(len(text.tokens)):
            at = known.get(index, at)
            row.append(at)
        found.append(row)
    return found


def _marks(text: str) -> list[_Mark]:
    found: list[_Mark] = []
    for mark in _MARK.finditer(text):
        index = mark.start()
        before, after = text[max(0, index - 1) : index], text[index + 1 : index + 2]
        free = not before or before.isspace() or before in _BEFORE or found[-1:] == [(index - 1, True)]
        closed = not after or after.isspace()
        found.append((index, mark[0] in _OPENING if unspaced(before + after) or (free and closed) else free))
    return found
