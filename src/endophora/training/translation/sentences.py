"""Sentences of paired paragraphs, where both sides divide alike."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from endophora.training.parallel import TextPair

_END = re.compile(r"""(?<=[.!?…。！？])(["”’»“)\]]*)\s+(?=["“‘«„»(\[]*[^\W\d_a-zß-öø-ÿа-я])""")
"""Between a sentence's last sign and a capital letter, or one of a script without capitals."""

_MOST = 1.1
"""Difference of the logarithms of two lengths (each with ten more characters) above which sentences are no pair."""


def sentence_pairs(pair: TextPair) -> Iterator[TextPair]:
    """Yield a paragraph's sentences in pairs; the paragraph whole where its sides have not as many sentences.

    Abbreviations end no sentence, but look so: numbers or lengths then differ, and the paragraph stays whole.
    """
    sides = [_END.sub(r"\1\n", text).split("\n") for text in (pair.source, pair.target)]
    alike = len(sides[0]) == len(sides[1]) and all(
        abs(math.log((len(source) + 10) / (len(target) + 10))) < _MOST for source, target in zip(*sides, strict=True)
    )
    if not alike:
        yield pair
        return
    for source, target in zip(*sides, strict=True):
        yield TextPair(pair.collection, source, target)
