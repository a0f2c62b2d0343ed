"""Occurrences and tags as files: JSON Lines, MuDA's JSON, and compare-mt's labels.

- ``jsonl``: one occurrence a line, all its fields; nothing is lost.
- ``muda``: documents, segments, tokens, each token with its tags.
- ``compare-mt``: as many labels as tokens, one segment a line; several tags of a token are joined by ``+``, and a
  token without a tag is ``other``. The tokens go into another file (:func:`token_lines`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from endophora.phenomena.records import AnnotatedDocument, Occurrence, by_segment
from endophora.phenomena.tagging import PHENOMENA

NO_TAG = "other"
"""The label of a token without a tag."""

SHORT_NAMES = {"lexical_cohesion": "lexical"}
"""Phenomena that MuDA's files call otherwise."""


@dataclass(frozen=True, slots=True)
class Tagging:
    """A tagged target text: for each segment the forms of its target tokens, and the occurrences."""

    document: str
    segments: tuple[tuple[str, ...], ...]
    occurrences: tuple[Occurrence, ...]

    @classmethod
    def of(cls, document: AnnotatedDocument, occurrences: Iterable[Occurrence]) -> Tagging:
        """Return the tagging of an annotated document."""
        segments = tuple(tuple(token.form for token in text.tokens) for text in document.target)
        return cls(document.id, segments, tuple(occurrences))

    def tags(self) -> list[list[tuple[str, ...]]]:
        """Return for each segment, for each token, its phenomena in the order of :data:`PHENOMENA`."""
        order = {name: place for place, name in enumerate(PHENOMENA)}
        tags: list[list[tuple[str, ...]]] = []
        for tokens, found in zip(self.segments, by_segment(self.occurrences, len(self.segments)), strict=True):
            names: list[set[str]] = [set() for _ in tokens]
            for occurrence in found:
                for index in occurrence.target_tokens:
                    names[index].add(occurrence.phenomenon)
            tags.append([tuple(sorted(some, key=lambda name: (order.get(name, len(order)), name))) for some in names])
        return tags


def occurrence_lines(occurrences: Iterable[Occurrence]) -> Iterator[str]:
    """Yield occurrences as JSON Lines, each with its line end."""
    for occurrence in occurrences:
        yield json.dumps(asdict(occurrence), ensure_ascii=False) + "\n"


def write_jsonl(occurrences: Iterable[Occurrence], path: Path) -> None:
    """Write occurrences into a file, as JSON Lines."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(occurrence_lines(occurrences))


def muda_text(taggings: Sequence[Tagging]) -> str:
    """Return tagged documents as MuDA's JSON: documents → segments → tokens with their tags."""
    tree = [
        [
            [
                {"token": form, "tags": [SHORT_NAMES.get(name, name) for name in names]}
                for form, names in zip(forms, tags, strict=True)
            ]
            for forms, tags in zip(tagging.segments, tagging.tags(), strict=True)
        ]
        for tagging in taggings
    ]
    return json.dumps(tree, ensure_ascii=False, indent=1) + "\n"


def token_lines(tagging: Tagging) -> Iterator[str]:
    """Yield the tokens of a tagged document as compare-mt reads them, one segment a line.

    Blanks inside a token are written as ``_``, so that there are as many words as labels.
    """
    for forms in tagging.segments:
        yield " ".join("_".join(form.split()) or "_" for form in forms) + "\n"


def label_lines(tagging: Tagging) -> Iterator[str]:
    """Yield the labels of a tagged document as compare-mt reads them, one segment a line."""
    for tags in tagging.tags():
        yield " ".join("+".join(SHORT_NAMES.get(name, name) for name in names) or NO_TAG for names in tags) + "\n"


WRITERS: Mapping[str, Callable[[Sequence[Tagging], TextIO], None]] = {
    "jsonl": lambda taggings, stream: stream.writelines(
        line for tagging in taggings for line in occurrence_lines(tagging.occurrences)
    ),
    "muda": lambda taggings, stream: print(muda_text(taggings), end="", file=stream),
    "compare-mt": lambda taggings, stream: stream.writelines(
        line for tagging in taggings for line in label_lines(tagging)
    ),
}
"""Format → what writes tagged documents into a stream."""
