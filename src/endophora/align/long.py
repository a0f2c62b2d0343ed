"""Long texts sentence by sentence, in memory and time that grow with their length: in windows about a coarse alignment.

Runs of sentences are aligned first, as if each were a sentence (of a very long text runs of runs). A window goes from
where the last one was cut to a margin beyond the next border of the coarse alignment, and is cut at the last place
before that border where beads about it have both sides; what the window's forced end does to beads is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence

from endophora.align.sentences import Bead, SentenceAligner

WHOLE = 700
"""Sentences of the longer side up to which a text is aligned at once."""
RUN = 10
"""Sentences of a run."""
WINDOW, MARGIN = 400, 60
"""Sentences of the source in a window, and how many more of either side, at most."""
_SURE = 3
"""Beads with both sides in a row that a cut lies between."""


def align_long(tool: SentenceAligner, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
    """Return the beads of texts of any length, as :meth:`SentenceAligner.align`."""
    if max(len(source), len(target)) <= WHOLE:
        return tool.align(source, target)
    runs = [[" ".join(text[at : at + RUN]) for at in range(0, len(text), RUN)] for text in (source, target)]
    coarse = align_long(tool, runs[0], runs[1])
    found = list[Bead]()
    a = b = 0
    for end, other in (*_borders(coarse), (len(source), len(target))):
        last = end >= len(source)
        if not last and end - a < WINDOW:
            continue
        stop, ceased = (len(source), len(target)) if last else (end + MARGIN, other + MARGIN)
        beads = _moved(tool.align(source[a:stop], target[b:ceased]), a, b)
        kept = beads if last else beads[: _cut(beads, end)]
        found += kept
        a, b = (kept[-1][0].stop, kept[-1][1].stop) if kept else (a, b)
    return found


def _borders(coarse: Sequence[Bead]) -> list[tuple[int, int]]:
    """Return the numbers of sentences of both sides before the end of each coarse bead, but the last."""
    return [(one.stop * RUN, other.stop * RUN) for one, other in coarse[:-1] if len(one) and len(other)]


def _moved(beads: Sequence[Bead], a: int, b: int) -> list[Bead]:
    return [(range(one.start + a, one.stop + a), range(other.start + b, other.stop + b)) for one, other in beads]


def _cut(beads: Sequence[Bead], end: int) -> int:
    """Return how many beads lie before the last sure cut up to a sentence of the source; 0 if there is none."""
    sound = [len(one) > 0 and len(other) > 0 for one, other in beads]
    places = (at for at in range(len(beads) - _SURE, _SURE, -1) if beads[at][0].start <= end)
    return next((at for at in places if all(sound[at - _SURE : at + _SURE])), 0)
