"""Test sets as WMT publishes them: XML since 2021, SGML (``srcset``, ``refset``, ``tstset``) before, as IWSLT's XML.

SGML comes one file a text (``newstest2018-ende-src.en.sgm``, ``…-ref.de.sgm``, outputs), or with all in one. Segments
are matched by document and id, never by their order. Such files are often no well-formed SGML: what counts are the tags
of sets, documents and segments, wherever they stand; a document type is never looked up.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from endophora.corpus.codes import bare_language
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, bare_name, begins_with, display_name, each_line
from endophora.corpus.parallel import Files, plain_lines, select
from endophora.corpus.streams import ReadOptions, Row
from endophora.corpus.xml import Element, elements

SURPLUS = "segments of translations that the source does not have were left out"
AS_PUBLISHED = "take the file as it was published"
WITH_IDS = "every segment of the source needs one, with its docid and id"
_NAMED = 3
"""Documents that a message names."""

_KINDS = {"srcset": "source", "refset": "reference", "tstset": "system"}
_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^<>]*)>", re.IGNORECASE)
# Names begin at their first letter, or a long one would be tried from each of its letters.
_ATTRIBUTE = re.compile(r"(?<![\w.:-])([\w.:-]++)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_ENTITY = re.compile(r"&#?\w{1,10};")
_MARKS = (b"<mteval", b"<srcset", b"<refset", b"<tstset")

_Segments = dict[tuple[str, str], tuple[str, int]]
"""Document and id of a segment → its text and line."""


@dataclass(slots=True)
class _Sets:
    """The texts of a file: those of each kind by name, of the translator or the system."""

    file: str
    held: dict[str, dict[str, _Segments]] = field(default_factory=lambda: {kind: {} for kind in _KINDS.values()})

    def one_of(self, name: str, log: FaultLog) -> _Segments:
        """Return the only translation, or that of a name (E235)."""
        found = {**self.held["reference"], **self.held["system"]}
        if name not in found and len(found) != 1:
            known = ", ".join(found) or "none"
            cause = f"which text is meant is not known; there are: {known}"
            log.add("E235", cause, "name one of them: NAME=FILE", self.file)
            return {}
        return found.get(name) or next(iter(found.values()))


def is_sgm(path: PathLike) -> bool:
    """Return whether a file is such SGML or XML, by its name and what it begins with."""
    name = bare_name(path)
    return name.endswith((".sgm", ".sgml")) or (name.endswith(".xml") and begins_with(path, *_MARKS))


def sgm_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the segments of a file that has source and translations (E001–E007, E230, E257)."""
    sets = _read(path, log)
    references = select(sets.held["reference"], options.references, "reference", log)
    systems = select(sets.held["system"], options.systems, "system", log)
    named = (("reference", references), ("system", systems))
    parts = {f"{kind} {name}": (sets.file, held) for kind, own in named for name, held in own.items()}
    yield from _rows(sets, parts, log)


def sgm_file_rows(files: Files, log: FaultLog) -> Iterator[Row]:
    """Yield the segments of a file a text; references and outputs may also be plain text, one segment a line.

    Faults: those of the files, a file of several translations (E235), plain text of another length (E008), a
    translation that lacks a segment (E257).
    """
    source = _read(files.source, log)
    order = list(source.held["source"].get("", {}))
    parts: dict[str, tuple[str, _Segments]] = {}
    for part, path in files.parts().items():
        name = part.partition(" ")[2]
        if part != "source" and is_sgm(path):
            parts[part] = display_name(path), _read(path, log).one_of(name, log)
        elif part != "source":
            lines = plain_lines(path, len(order), source.file, log)
            placed = zip(lines.texts, range(1, len(lines.texts) + 1), strict=True)
            parts[part] = lines.file, dict(zip(order, placed, strict=False))
    if not log:
        yield from _rows(source, parts, log)


def _rows(source: _Sets, parts: Mapping[str, tuple[str, _Segments]], log: FaultLog) -> Iterator[Row]:
    """Yield the segments of a source with the translations."""
    texts = source.held["source"].get("", {})
    if not texts and not log:
        advice = "give a file a text: --source, --reference, --system NAME=FILE"
        log.add("E230", "there is no source in it (srcset)", advice, source.file)
    for part, (file, held) in parts.items():
        log.notes.update([SURPLUS] * len(held.keys() - texts.keys()))
        _add_lacking(texts, part, file, held, log)
    for (document, number), (text, line) in texts.items():
        if any((document, number) not in held for _, held in parts.values()):
            continue
        here = {part: (file, *held[document, number]) for part, (file, held) in parts.items()}
        yield Row(
            document,
            text,
            {part[len("reference ") :]: found[1] for part, found in here.items() if part.startswith("reference ")},
            {part[len("system ") :]: found[1] for part, found in here.items() if part.startswith("system ")},
            source.file,
            line,
            elsewhere={part: (file, place - line) for part, (file, _, place) in here.items()},
            id=number,
        )


def _add_lacking(texts: _Segments, part: str, file: str, held: _Segments, log: FaultLog) -> None:
    """Note the documents that a translation lacks, and the segments of those that it has, after which they would be."""
    own = dict.fromkeys(document for document, _ in held)
    for document in dict.fromkeys(document for document, _ in texts if document not in own):
        known = f"; it has {', '.join(f'“{one}”' for one in islice(own, _NAMED))}" if own else ""
        log.add("E257", f"{part} has no document “{document}”{known}", WITH_IDS, file)
    line: int | None = None
    for document, number in texts:
        if (document, number) in held:
            line = held[document, number][1]
        elif document in own:
            log.add("E257", f"{part} has no segment {number} of “{document}”", WITH_IDS, file, line)


def _read(path: PathLike, log: FaultLog) -> _Sets:
    """Read a file; what is no segment of a set is passed over."""
    sets, kind, name, document = _Sets(display_name(path)), "", "", ""
    begun: tuple[str, int] | None = None
    texts: list[str] = []
    for line, text in each_line(path, log):
        if "<!ENTITY" in (text or "").upper():
            cause = "the file has an entity of its own, which could stand for anything"
            log.add("E230", cause, AS_PUBLISHED, sets.file, line)
            return sets
        at = 0
        for tag in _TAG.finditer(text or ""):
            texts.append((text or "")[at : tag.start()])
            at, what = tag.end(), tag[2].lower()
            about = {one[1].lower(): one[2] or one[3] or one[4] or "" for one in _ATTRIBUTE.finditer(tag[3])}
            if what == "seg" and not tag[1]:
                begun, texts = (about.get("id", ""), line), []
            elif what == "seg" and begun:
                written = _ENTITY.sub(lambda found: html.unescape(found[0]), " ".join("".join(texts).split()))
                _add(sets, (kind, name), (document, begun[0]), (written, begun[1]), log)
                begun = None
            elif not tag[1] and what == "doc":
                # In files of several translators or systems, documents tell whose they are.
                document, name = about.get("docid", ""), about.get("sysid", name)
            elif not tag[1]:
                kind, name = _KINDS[what], about.get("sysid") or about.get("refid") or _KINDS[what][:3]
            if what != "seg" and begun:
                log.add("E230", f"the segment “{begun[0]}” has no end", AS_PUBLISHED, sets.file, begun[1])
                begun = None
        texts.append(f"{(text or '')[at:]} ")
        if begun is None:
            texts = []
    if begun:
        log.add("E230", f"the segment “{begun[0]}” has no end", AS_PUBLISHED, sets.file, begun[1])
    return sets


def _add(sets: _Sets, owner: tuple[str, str], key: tuple[str, str], segment: tuple[str, int], log: FaultLog) -> None:
    kind, name = owner
    if not kind:
        log.add("E230", "a segment is in no srcset, refset or tstset", AS_PUBLISHED, sets.file, segment[1])
        return
    held = sets.held[kind].setdefault("" if kind == "source" else name, {})
    if key in held:
        log.add("E257", f"segment “{key[1]}” of “{key[0]}” is there twice", AS_PUBLISHED, sets.file, segment[1])
    held.setdefault(key, segment)


OTHER = "documents of WMT's XML in other languages, or without a translation, were left out"


def wmt_xml_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the segments of a test set as WMT publishes it; a reference without a translator is called ``ref``.

    Faults: those of :func:`~endophora.corpus.xml.elements`; a translation lacks a segment of its source, and a
    segment or a translation is there twice (E257).
    """
    file, found_any, seen = display_name(path), False, dict[str, None]()
    for document in elements(path, log, root=("dataset",), built=("doc",)):
        seen |= dict.fromkeys(_pairs(document))
        source = next((one for one in document.all("src") if _is_in(one, options.languages[0])), None)
        texts: dict[str, dict[str, Element]] = {}
        for kind, attribute, default in (("ref", "translator", "ref"), ("hyp", "system", "hyp")):
            for one in document.all(kind):
                if _is_in(one, options.languages[1]):
                    part = "reference" if kind == "ref" else "system"
                    name = f"{part} {one.attributes.get(attribute, default)}"
                    if name in texts:
                        cause = f"“{document.attributes.get('id')}” has two translations “{name}”"
                        log.add("E257", cause, "name them apart", file, one.line)
                    texts[name] = _segments(one, file, log)
        if source is None or not (texts or options.references == ()):
            log.notes[OTHER] += 1
            continue
        found_any, segments = True, _segments(source, file, log)
        for held in texts.values():
            log.notes.update([SURPLUS] * len(held.keys() - segments.keys()))
        for number, segment in segments.items():
            if lacking := [name for name, held in texts.items() if number not in held]:
                cause = f"{', '.join(lacking)} of “{document.attributes.get('id')}” has no segment {number}"
                log.add("E257", cause, AS_PUBLISHED, file, segment.line)
                continue
            found = {name: held[number].text() for name, held in texts.items()}
            yield Row(
                document.attributes.get("id", ""),
                segment.text(),
                {name.partition(" ")[2]: text for name, text in found.items() if name.startswith("reference ")},
                {name.partition(" ")[2]: text for name, text in found.items() if name.startswith("system ")},
                file,
                segment.line,
                id=number,
            )
    if seen and not found_any:
        cause = f"no document is in {options.languages[0]} and {options.languages[1]}; there are: {', '.join(seen)}"
        log.add("E232", cause, "name the languages of the file: --languages", file)


def _pairs(document: Element) -> Iterator[str]:
    """Yield the pairs of languages of a document's source and translations, as ``--languages`` has them."""
    for source in document.all("src"):
        for one in (*document.all("ref"), *document.all("hyp")):
            yield f"{_language(source)}-{_language(one)}"


def _is_in(element: Element, language: str) -> bool:
    return _language(element) == language


def _language(element: Element) -> str:
    return bare_language(element.attributes.get("lang") or element.attributes.get("language", ""))


def _segments(element: Element, file: str, log: FaultLog) -> dict[str, Element]:
    """Return the segments of all paragraphs by their ids."""
    found: dict[str, Element] = {}
    for segment in _each_segment(element):
        number = segment.attributes.get("id", "")
        if number in found:
            log.add("E257", f"segment “{number}” is there twice", AS_PUBLISHED, file, segment.line)
        found[number] = segment
    return found


def _each_segment(element: Element) -> Iterator[Element]:
    for part in element.content:
        if isinstance(part, Element):
            yield from [part] if part.name == "seg" else _each_segment(part)
