"""What has occurred in a document so far, as the supporting context of what comes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from endophora.phenomena.options import SUPPORT_SIZE
from endophora.phenomena.records import Support


@dataclass(frozen=True, slots=True)
class _Seen:
    """One earlier occurrence: its segment and tokens."""

    segment: int
    source: tuple[int, ...]
    target: tuple[int, ...]


@dataclass(slots=True)
class Memory:
    """Earlier occurrences of one thing in a document (a pair of lemmas, a formality level, a verb form)."""

    count: int = 0
    _nearest: deque[_Seen] = field(default_factory=lambda: deque(maxlen=SUPPORT_SIZE))

    def add(self, segment: int, source: Sequence[int], target: Sequence[int]) -> None:
        """Remember an occurrence."""
        self.count += 1
        self._nearest.append(_Seen(segment, tuple(source), tuple(target)))

    def support(self, segment: int) -> Support:
        """Return the nearest earlier occurrences as the supporting context of one in ``segment``.

        Args:
            segment: index of the segment of the new occurrence; there must be an earlier one.
        """
        return Support(
            source_tokens=tuple((seen.segment, token) for seen in self._nearest for token in seen.source),
            target_tokens=tuple((seen.segment, token) for seen in self._nearest for token in seen.target),
            distance=segment - self._nearest[-1].segment,
        )
