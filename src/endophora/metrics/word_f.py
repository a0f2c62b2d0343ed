"""Word F-measure per tag: are the words that need context the reference's words?

Yin et al. (“When Does Translation Require Context?”, §5) score the tagged words with compare-mt; the tagger's own
code has another measure. Both are here under a name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from endophora.errors import Fault, InputError
from endophora.metrics.records import FloatArray, Level, TaggedTokens, check_sizes, ratio
from endophora.phenomena.records import Occurrence, by_segment
from endophora.signature import format_signature
from endophora.version import __version__

VARIANTS = ("paper", "muda")
OTHER = "other"
"""Name under which the tokens without any tag are counted, if it is among the tags asked for."""

_EDGES = re.compile(r"^\W+|\W+$")

_NONE: frozenset[str] = frozenset()


def normalise(form: str) -> str:
    """Return a word in lower case without what is not a letter, digit or underscore at its ends."""
    return _EDGES.sub("", form.lower())


def tag_tokens(segments: Sequence[Sequence[str]], occurrences: Iterable[Occurrence]) -> list[TaggedTokens]:
    """Return tokens with the phenomena of their occurrences as tags.

    ``segments`` are the forms of the target tokens of each segment of a document.
    """
    tagged: list[TaggedTokens] = []
    for forms, found in zip(segments, by_segment(occurrences, len(segments)), strict=True):
        tags = [_NONE] * len(forms)
        for occurrence in found:
            for token in occurrence.target_tokens:
                tags[token] |= {occurrence.phenomenon}
        tagged.append(TaggedTokens(tuple(forms), tuple(tags)))
    return tagged


class WordF:
    """Word F-measure per tag, between 0 and 1.

    ``paper``: a hypothesis token matches the first equal reference token of the segment that is still free. A matched
    pair counts under the reference token's tags, an unmatched token on either side under its own.

    ``muda``: words are normalised; the k-th occurrence of a word in the hypothesis is set against its k-th in the
    reference, and counts as matched under the tags that both carry. Every token counts under its own tags.

    ``tags``: the tags to score, in the order of the results; ``other`` stands for tokens without a tag.
    """

    name = "word F"
    higher_is_better = True
    maximum = 1.0
    level: Level = "segment"
    columns = ("matched", "reference", "hypothesis")

    def __init__(self, tags: Sequence[str], variant: str = "paper") -> None:
        if variant not in VARIANTS:
            cause = f"unknown variant of the word F-measure “{variant}”"
            raise InputError(Fault("E071", cause, f"choose {' or '.join(VARIANTS)}"))
        self.tags, self.variant = tuple(tags), variant
        self._index = {tag: index for index, tag in enumerate(self.tags)}
        self._known: dict[frozenset[str], tuple[int, ...]] = {}

    def signature(self, *, references: int = 1, short: bool = False) -> str:
        """Return references, variant and version."""
        items = (("nrefs", "#", references), ("variant", "va", self.variant), ("version", "v", __version__))
        return format_signature(items, short=short)

    def statistics(self, hypotheses: Sequence[TaggedTokens], references: Sequence[TaggedTokens]) -> FloatArray:
        """Count one system's tagged words, (segments, tags, 3): matched, in the reference, in the hypothesis."""
        check_sizes(hypotheses, [references])
        nothing = [[0, 0, 0]] * len(self.tags)
        counts = [
            self._count(hypothesis, reference) if self._counts(hypothesis) or self._counts(reference) else nothing
            for hypothesis, reference in zip(hypotheses, references, strict=True)
        ]
        return np.array(counts, dtype=np.float64).reshape(len(references), len(self.tags), 3)

    def score(self, sums: FloatArray) -> FloatArray:
        """Return F = 2 · matched / (reference + hypothesis), (..., 3) → (...); NaN where neither has the tag."""
        return ratio(2 * sums[..., 0], sums[..., 1] + sums[..., 2])

    def precision(self, sums: FloatArray) -> FloatArray:
        """Return matched / hypothesis, (..., 3) → (...); NaN where the hypothesis has no word of the tag."""
        return ratio(sums[..., 0], sums[..., 2])

    def recall(self, sums: FloatArray) -> FloatArray:
        """Return matched / reference, (..., 3) → (...); NaN where the reference has no word of the tag."""
        return ratio(sums[..., 0], sums[..., 1])

    def _counts(self, tokens: TaggedTokens) -> bool:
        """Return whether a segment has a token that may count: most have none."""
        return OTHER in self._index or any(tokens.tags)

    def _rows(self, tags: frozenset[str]) -> tuple[int, ...]:
        """Return the indices of those tags that are scored; of ``other`` if there are no tags at all."""
        rows = self._known.get(tags)
        if rows is None:
            rows = tuple(self._index[tag] for tag in (tags or (OTHER,)) if tag in self._index)
            self._known[tags] = rows
        return rows

    def _count(self, hypothesis: TaggedTokens, reference: TaggedTokens) -> list[list[int]]:
        counts = [[0, 0, 0] for _ in self.tags]
        for tags in reference.tags:
            for row in self._rows(tags):
                counts[row][1] += 1
        plain = self.variant == "paper"
        forms = ([form if plain else normalise(form) for form in tokens.forms] for tokens in (hypothesis, reference))
        matches = dict(matched_pairs(*forms))
        for index, tags in enumerate(hypothesis.tags):
            match = matches.get(index)
            wanted = () if match is None else self._rows(reference.tags[match])
            for row in wanted if plain and match is not None else self._rows(tags):
                counts[row][0] += row in wanted
                counts[row][2] += 1
        return counts


def matched_pairs(hypothesis: Sequence[str], reference: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield (hypothesis index, reference index) of equal forms, the k-th occurrence with the k-th."""
    free: dict[str, list[int]] = defaultdict(list)
    for index in reversed(range(len(reference))):
        free[reference[index]].append(index)
    for index, form in enumerate(hypothesis):
        if free.get(form):
            yield index, free[form].pop()
