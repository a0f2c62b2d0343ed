"""Several segments of a document in one request, and the answer: which text is surely whose, and what is left over.

A marker vouches for its text only where nothing speaks against it. If markers are missing, come twice or in another
order, or if a segment is blank, text may stand behind a marker that is not its own: then the segments beside count as
left over too, and are asked for again or cut out by their words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from endophora.corpus.scripts import in_one_line
from endophora.models.records import Decoding
from endophora.signature import keyed

if TYPE_CHECKING:
    from endophora.models.services.records import Joined


@keyed()
@dataclass(frozen=True, slots=True)
class Chunk:
    """Segments of a document that are translated in one request, none of them blank or of more than a line.

    Attributes:
        source_context, target_context: segments before them, oldest first, and their translations.
        marked: whether each segment is to stand behind a marker; otherwise they are lines of one text.
    """

    sources: tuple[str, ...]
    source_context: tuple[str, ...] = ()
    target_context: tuple[str, ...] = ()
    marked: bool = True

    @property
    def segments(self) -> Sequence[str]:
        """What stands behind markers: without those of segments, the whole text, and nothing behind its end."""
        return self.sources if self.marked else ("\n".join(self.sources), "")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answers to a chunk.

    Attributes:
        joined: how the text that was sent was marked: each segment, or the text as the first of two; ``None`` for no
            markers.
        cut_off: the answer came to its greatest length before its end.
        sent: whether the model was asked; if not, the chunk is too long for it.
        note: what else the model says is wrong with it; empty if nothing.
    """

    text: str
    joined: Joined | None = None
    cut_off: bool = False
    sent: bool = True
    note: str = ""

    @property
    def short(self) -> bool:
        """Whether the end is missing, for lack of room."""
        return self.cut_off or not self.sent


@runtime_checkable
class ChunkTranslator(Protocol):
    """A translator that takes several segments in one request."""

    def translate_chunks(self, chunks: Sequence[Chunk], decoding: Decoding | None = None) -> list[Reply]:
        """Translate each chunk; one reply for each, in their order."""
        ...


@dataclass(slots=True)
class ReadReply:
    """An answer, read.

    Attributes:
        texts: place of a segment in the chunk → the translation that its marker vouches for, in one line.
        left: runs of the other segments, first and end, each with the stretch of the answer that theirs is in.
        preamble, behind: whether there was text before the first segment, or behind the last one, that is left out.
        marked: whether any marker came back.
        folded: places of segments whose translations had several lines, which are one now.
    """

    texts: dict[int, str] = field(default_factory=dict[int, str])
    left: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    preamble: bool = False
    behind: bool = False
    marked: bool = False
    folded: list[int] = field(default_factory=list[int])


_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)[\w-]*[^\S\n]*$", re.MULTILINE)
_GAP = re.compile(r"\n[^\S\n]*\n")


def read_reply(chunk: Chunk, reply: Reply) -> ReadReply:
    """Read an answer; every segment of the chunk is in ``texts``, or in one run of ``left``."""
    count, joined, found = len(chunk.sources), reply.joined, ReadReply()
    text = _unfenced(found, chunk, reply)
    if joined is None:
        found.left.append((0, count, text.strip()))
        return found
    before, parts = joined.parts(text)
    if not chunk.marked:
        return _read_whole(found, before, parts, count)
    found.marked = bool(parts)
    if count == 1:
        # Nothing else was asked for: there is no place to be wrong in.
        return _read_alone(found, before, parts)
    numbers = [number - 1 for number, _ in parts]
    ordered = numbers == sorted(set(numbers)) and bool(numbers) and numbers[0] >= 0 and numbers[-1] < count
    if not ordered or not (numbers[-1] == count - 1 or reply.cut_off):
        # A model that ends early may have started to count again at any number.
        found.left.append((0, count, "\n".join([before, *(part for _, part in parts)]).strip()))
        return found
    texts = dict(zip(numbers, (part for _, part in parts), strict=True))
    if count - 1 in texts:
        texts[count - 1], more = _without_end(texts[count - 1])
        found.behind |= more
    _vouch(found, texts, count, cut_off=reply.cut_off)
    first = numbers[0] == 0
    found.preamble |= first and bool(before)
    for start, stop in _runs([place for place in range(count) if place not in found.texts]):
        pieces = [texts[place] for place in range(start, stop) if place in texts]
        found.left.append((start, stop, "\n".join([before, *pieces] if not (start or first) else pieces)))
    return found


def _vouch(found: ReadReply, texts: dict[int, str], count: int, *, cut_off: bool) -> None:
    """Take the texts whose markers stand between those of their neighbours, all with text behind them."""
    sound = {place for place, text in texts.items() if text}
    if cut_off:
        sound.discard(max(texts))
    for place in sorted(sound):
        after = place + 1 in sound or place + 1 == count or (cut_off and place + 1 == max(texts))
        if after and (place == 0 or place - 1 in sound):
            found.texts[place] = in_one_line(texts[place])
            found.folded += [place] * ("\n" in texts[place])


def _read_alone(found: ReadReply, before: str, parts: Sequence[tuple[int, str]]) -> ReadReply:
    """Take the answer for a single segment, which may have no marker, or several; blank is lost."""
    kept = next((part for _, part in reversed(parts) if part), "") or before
    found.preamble |= bool(parts and before and kept != before)
    kept, more = _without_end(kept) if parts else (kept, False)
    found.behind |= more
    if parts and kept:
        found.texts[0] = in_one_line(kept)
        found.folded = [0] * ("\n" in kept)
    else:
        found.left.append((0, 1, kept))
    return found


def _read_whole(found: ReadReply, before: str, parts: Sequence[tuple[int, str]], count: int) -> ReadReply:
    """Take what is between two markers; without them, all."""
    inside = "\n".join(part for number, part in parts if number == 1) or before
    found.behind |= any(part for number, part in parts if number != 1)
    found.preamble |= bool(parts and before and inside != before)
    found.left.append((0, count, inside))
    return found


def _unfenced(found: ReadReply, chunk: Chunk, reply: Reply) -> str:
    """Return an answer without the fence of a block of code; what is around a block is no answer, unless marked."""
    text = reply.text.replace("\r\n", "\n")
    if any(map(_FENCE.search, chunk.sources)):
        return text
    before, *inside = _FENCE.split(text)
    if len(inside) < 2 or (reply.joined and any(reply.joined.parts(one)[1] for one in (before, inside[-1]))):
        return _FENCE.sub("\n", text)
    after = inside.pop()
    found.preamble, found.behind = bool(before.strip()), bool(after.strip())
    return "\n".join(inside)


def _without_end(text: str) -> tuple[str, bool]:
    """Return a text up to its first blank line, and whether there was more."""
    kept, *more = _GAP.split(text, maxsplit=1)
    return kept.strip(), bool(more)


def _runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """Return first and end of each run of neighbours."""
    ends = [at for at, (a, b) in enumerate(pairwise(places), 1) if b != a + 1]
    return [(places[a], places[b - 1] + 1) for a, b in pairwise([0, *ends, len(places)]) if a < b]
