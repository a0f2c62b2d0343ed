"""The records that all else is made of: a corpus is documents, a document is aligned segments in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Code(NamedTuple):
    """Inline markup of a file format, kept out of a text: what that form has for the characters ``start:end`` of it.

    Markup that the text shows nothing of has ``start == end``; a line break that it shows as a blank takes that one.
    """

    start: int
    end: int
    form: str
    written: str


Codes = Mapping[str, tuple[Code, ...]]
"""The codes of a segment's texts: ``source``, ``reference NAME``, ``system NAME`` → codes in order."""

NO_CODES: Codes = {}


@dataclass(frozen=True, slots=True)
class Location:
    """Where a segment is: a file (or ``<stdin>``) and its line, from 1."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Segment:
    """One aligned unit of text.

    Attributes:
        references: reference name → text; never empty text.
        outputs: system name → text; may be empty text, which is scored as such.
        location: where the source of this segment is.
        id: what the format calls the segment; empty where it has no name.
        codes: inline markup that is kept out of the texts.
    """

    source: str
    references: Mapping[str, str]
    outputs: Mapping[str, str]
    location: Location
    id: str = ""
    codes: Codes = field(default_factory=lambda: NO_CODES)

    def text_of(self, name: str) -> str:
        """Return the output of a system or, where there is none of the name, the reference."""
        return self.outputs[name] if name in self.outputs else self.references[name]


@dataclass(frozen=True, slots=True)
class Document:
    """A document: an id and its segments, in order."""

    id: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Realigned:
    """What was cut of an output whose lines were not the source's; see :mod:`endophora.align.outputs`.

    Attributes:
        lines: of the output as it came.
        by_document: whether its documents were kept apart.
        segments, omitted: of the source; those that got no text.
        characters, added: of the output; those without source, which stay with the segment before them.
        reference: name of the reference that helped; empty if none did.
        signature: of the words and weights that cuts depend on.
    """

    system: str
    lines: int
    by_document: bool
    segments: int
    omitted: int
    characters: int
    added: int
    reference: str
    signature: str


@dataclass(frozen=True, slots=True, repr=False)
class Corpus:
    """Documents in two languages, with references and the outputs of systems.

    Attributes:
        source_language, target_language: ISO 639-1 codes.
        documents: in the order of the files. Two documents may not share an id.
        references: names of the references, in the order given; every segment has all of them.
        systems: names of the systems, in the order given; every segment has all of them.
        warnings: what the reader noticed and the user should know, each one sentence.
        realigned: outputs whose segments were cut by the package.
    """

    source_language: str
    target_language: str
    documents: tuple[Document, ...]
    references: tuple[str, ...]
    systems: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    realigned: tuple[Realigned, ...] = ()

    def __repr__(self) -> str:
        """Return what the corpus is, in a line: the whole would be all its texts."""
        languages = f"{self.source_language}-{self.target_language}"
        sizes = f"{len(self.documents):,} documents, {len(self):,} segments"
        named = (("references", self.references), ("systems", self.systems))
        names = (f"{kind} {', '.join(found)}" for kind, found in named if found)
        return f"<Corpus {languages}: {', '.join((sizes, *names))}>"

    def __len__(self) -> int:
        """Return the number of segments."""
        return sum(len(document.segments) for document in self.documents)
