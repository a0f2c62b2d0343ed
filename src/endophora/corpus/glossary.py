"""Glossaries: terms of the source with the translations that are wanted, as a table or as TBX.

A table has a source term and a target term a line, with a tab between; a third field is a comment, and so is a line
that begins with ``#``. TBX is ISO 30042 in both its forms: entries of ``martif`` (2008) and of ``tbx`` (2019).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from endophora.corpus.codes import bare_language
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, bare_name, display_name, each_line
from endophora.corpus.xml import LANGUAGE, Element, elements
from endophora.signature import digest_of

_HEADERS = frozenset({("source", "target"), ("source term", "target term")})
_XML = frozenset({".tbx", ".xml"})
_REFUSED = ("deprecated", "superseded")
"""How TBX begins the status of a term that should not be used."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the source, and its translations that are accepted."""

    source: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Glossary:
    """The terms of a file, each source term once."""

    file: str
    terms: tuple[Term, ...]

    @property
    def signature(self) -> str:
        """What the terms are, whatever the file is called."""
        return digest_of([[term.source, *term.targets] for term in self.terms])[:8]


def read_glossary(path: PathLike, languages: tuple[str, str]) -> Glossary:
    """Read a glossary of a language pair; a ``.tbx`` or ``.xml`` file, gzipped or not, is TBX, others are tables.

    Faults: the file cannot be read (E001–E007, E345, E346), is no such XML or has entities (E230, E231), a line is no
    pair of terms (E027), or no entry has terms of both languages (E028).
    """
    log, file = FaultLog(), display_name(path)
    xml = Path(bare_name(path)).suffix in _XML
    found: dict[str, dict[str, None]] = {}
    for source, target in _tbx(path, languages, log) if xml else _table(path, languages, log):
        found.setdefault(source, {})[target] = None
    if not found and not log:
        cause = f"no entry has a term in {' and one in '.join(languages)}"
        log.add("E028", cause, "check --languages, and that the glossary is of this pair", file)
    log.check()
    return Glossary(file, tuple(Term(source, tuple(targets)) for source, targets in found.items()))


def _table(path: PathLike, languages: tuple[str, str], log: FaultLog) -> Iterator[tuple[str, str]]:
    file, first = display_name(path), True
    for number, line in each_line(path, log):
        text = line or ""
        if not text.strip() or text.startswith("#"):
            continue
        fields = [field.strip() for field in text.split("\t")]
        names = tuple(field.casefold() for field in fields[:2])
        if first and (names in _HEADERS or tuple(map(bare_language, names)) == languages):
            first = False
            continue
        first = False
        if len(fields) in {2, 3} and all(fields[:2]):
            yield fields[0], fields[1]
        else:
            cause = f"{len(fields)} fields" if len(fields) not in {2, 3} else "a term is empty"
            advice = "write source term, tab, target term; a third field is a comment"
            log.add("E027", f"the line is no pair of terms: {cause}", advice, file, number)


def _tbx(path: PathLike, languages: tuple[str, str], log: FaultLog) -> Iterator[tuple[str, str]]:
    advice = "give the glossary as TBX, or as a table of source and target terms"
    for entry in elements(path, log, root=("martif", "tbx"), built=("termEntry", "conceptEntry"), advice=advice):
        sides: dict[str, list[str]] = {language: [] for language in languages}
        for part in (*entry.all("langSet"), *entry.all("langSec")):
            language = bare_language(part.attributes.get(LANGUAGE, ""))
            if language in sides:
                # A term that should not be used is still looked for in the source.
                sides[language] += [text for text, use in _terms(part) if use or language == languages[0]]
        yield from ((source, target) for source in sides[languages[0]] for target in sides[languages[1]])


def _terms(part: Element) -> Iterator[tuple[str, bool]]:
    """Yield the terms of a language in an entry, and whether each may be used."""
    for group in (*part.all("tig"), *part.all("ntig"), *part.all("termSec")):
        holders = [group, *group.all("termGrp")]
        notes = [
            each.text() for held in holders for name in ("termNote", "administrativeStatus") for each in held.all(name)
        ]
        for held in holders:
            for term in held.all("term"):
                if text := " ".join(term.text().split()):
                    yield text, not any(note.strip().startswith(_REFUSED) for note in notes)
