"""Several segments in one text with markers between them, and the answer cut at the markers again.

A service that takes no context, or is to see the context as text of its own, is sent the context and the current
segment together. Each segment stands behind a numbered marker, so that an answer in which segments were joined, split,
dropped or moved is told from a right one by the numbers, and never shifts a line in silence.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

_SALT = "x"


class Markers(BaseModel):
    """How markers are written for a service and found in its answers.

    Attributes:
        read: regular expression that finds one whatever the service has made of it, with ``{salt}`` and one group, the
            number.
        markup: whether the text is sent as markup, with markers as elements; all else in it is then escaped.
        thought: regular expression of what a model writes before its answer and is no part of it; empty for none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    write: str
    read: str
    markup: bool = False
    thought: str = ""

    def marker(self, number: int, salt: str = "") -> str:
        """Return the marker of a segment, counted from 1."""
        return self.write.replace("{salt}", salt).replace("{number}", str(number))

    def pattern(self, salt: str = "") -> re.Pattern[str]:
        """Return what finds the markers of a text."""
        return re.compile(self.read.replace("{salt}", re.escape(salt)), re.IGNORECASE)

    def answer(self, text: str, sent: str) -> str:
        """Return a text without what its model thought before; as it is where what was sent looks like a thought."""
        if not self.thought or re.search(self.thought, sent, re.DOTALL | re.IGNORECASE):
            return text
        return re.sub(self.thought, "", text, flags=re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Resegmented:
    """An answer cut into segments.

    Attributes:
        segments: as many as were asked for if ``fault`` is empty; else what there is.
        fault: why they are not the segments that were asked for; empty if they are.
        remark: what came besides them and was left out; empty if nothing.
    """

    segments: tuple[str, ...]
    fault: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    """Segments in one text.

    Attributes:
        salt: letters in each marker that keep it apart from what stands in the segments.
    """

    text: str
    filled: tuple[bool, ...]
    markers: Markers
    salt: str = ""

    def split(self, answer: str) -> Resegmented:
        """Cut an answer into segments; blanks around them are dropped.

        An answer is right if its markers are numbered as those that were sent, in that order, and no segment is blank
        that was not; what stands before the first marker is left out. Where a single segment was sent, an answer
        without markers is right.
        """
        parts = self.markers.pattern(self.salt).split(self.markers.answer(answer, self.text))
        segments = tuple(self._plain(part) for part in (parts[2::2] if len(parts) > 1 else parts))
        numbers = [int(number) for number in parts[1::2]]
        expected = len(self.filled)
        if not numbers and expected == 1:
            return Resegmented(segments, "" if segments[0] or not self.filled[0] else "the answer is blank")
        if numbers != list(range(1, expected + 1)):
            cause = (
                "in another order" if sorted(numbers) == list(range(1, expected + 1)) else f"{len(numbers)} came back"
            )
            return Resegmented(segments, f"of {_segments(expected)} {cause}")
        blank = [number for number, (is_filled, text) in enumerate(zip(self.filled, segments, strict=True), 1)
                 if is_filled and not text]  # fmt: skip
        if blank:
            return Resegmented(segments, f"of {_segments(expected)} number {blank[0]} came back blank")
        return Resegmented(segments, remark="text before the first segment was left out" if parts[0].strip() else "")

    def _plain(self, part: str) -> str:
        return (html.unescape(part) if self.markers.markup else part).strip()


def join_segments(segments: Sequence[str], markers: Markers) -> Joined:
    """Put segments into one text, each behind its marker.

    If something in a segment would be taken for a marker, letters are added to all markers until nothing is.
    """
    texts = [html.escape(segment, quote=False) if markers.markup else segment for segment in segments]
    salt = ""
    while any(markers.pattern(salt).search(text) for text in texts):
        salt += _SALT
    lines = [f"{markers.marker(number, salt)} {text}" for number, text in enumerate(texts, 1)]
    return Joined("\n".join(lines), tuple(bool(segment.strip()) for segment in segments), markers, salt)


def _segments(count: int) -> str:
    return "1 segment" if count == 1 else f"{count} segments"
