"""XLIFF 1.2 and 2.x, what translators are handed and hand back: a file a document, a unit or its segments a segment.

The target is the reference ``target``. One whose state says that it needs a translation is none, and so is one that
repeats the source in the first state of XLIFF 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count

from endophora.corpus.codes import bare_language
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name
from endophora.corpus.records import Corpus, Document
from endophora.corpus.streams import ReadOptions, Row, translated
from endophora.corpus.tmx import TARGET
from endophora.corpus.writing import check_writable, only_translation, text_of, write_lines
from endophora.corpus.xml import FORBIDDEN, Element, Inline, attribute, elements, with_codes

INLINE = {"1": Inline("xliff", frozenset({"g", "mrk"})), "2": Inline("xliff2", frozenset({"pc", "mrk"}))}
"""The inline elements of each version."""

UNDONE = ("new", "needs-translation")
_SPACE = "xml:space"
_HEADER = "x-gettext-domain-header"


def xliff_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the segments of an XLIFF file.

    Faults: those of :func:`~endophora.corpus.xml.elements`; a file in it is of other languages (E232).
    """
    return translated(_rows(path, options, log), options, log)


def _rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    for unit, document, version, kept in units_of(path, options, log):
        for identifier, source, target in segments_of(unit):
            if not kept and source.attributes.get(_SPACE) != "preserve":
                source, target = source.joined().stripped(), target and target.joined().stripped()
            yield _row(identifier, source, target, document, display_name(path), INLINE[version])


def units_of(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[tuple[Element, str, str, bool]]:
    """Yield the units with document and version, and whether blanks are kept in them."""
    file, document, version = display_name(path), "", "1"
    languages: list[str | None] = [None, None]
    spaced: str | None = None
    for element in elements(path, log, root=("xliff",), built=("trans-unit", "unit"), opened_only=("xliff", "file")):
        about = element.attributes
        if element.name == "xliff":
            version = "2" if about.get("version", "1").startswith("2") else "1"
            languages = [about.get("srcLang"), about.get("trgLang")]
        elif element.name == "file":
            spaced = about.get(_SPACE)
            document = about.get("original") or about.get("id") or ""
            named = about.get("source-language", languages[0]), about.get("target-language", languages[1])
            for wanted, code in zip(options.languages, named, strict=True):
                if code and bare_language(code) != wanted:
                    advice = "name the languages of the file: --languages"
                    log.add("E232", f"“{document}” is in {code}, not in {wanted}", advice, file, element.line)
                    return
        elif about.get("restype") != _HEADER:
            yield element, document, version, "preserve" in (about.get(_SPACE), spaced)


def segments_of(unit: Element) -> Iterator[tuple[str, Element, Element | None]]:
    """Yield id, source and target of the segments of a unit, of either version."""
    name = unit.attributes.get("id", "")
    if unit.name == "unit":
        for number, segment in enumerate(unit.all("segment"), start=1):
            if source := segment.first("source"):
                target = segment.first("target")
                if target is not None:
                    target.attributes.setdefault("state", segment.attributes.get("state", ""))
                yield f"{name}/{segment.attributes.get('id', number)}", source, target
        return
    target, parts = unit.first("target"), _marked(unit.first("seg-source"))
    translations = _marked(target)
    # A translation that is not marked is that of the whole unit.
    if parts and (translations or target is None or not target.text().strip()):
        for mid, part in parts.items():
            yield f"{name}/{mid}", part, translations.get(mid)
    elif source := unit.first("source"):
        yield name, source, target


def _marked(element: Element | None) -> dict[str, Element]:
    """Return the segments that are marked in a source or target of XLIFF 1.2, by their ids; each counts."""
    found: dict[str, Element] = {}
    if element is not None:
        for part in _marks(element):
            part.attributes.setdefault("state", element.attributes.get("state", ""))
            name = part.attributes.get("mid", "")
            found[f"{name}+{len(found)}" if name in found else name] = part
    return found


def _marks(element: Element) -> Iterator[Element]:
    for part in element.content:
        if isinstance(part, Element):
            is_segment = part.name == "mrk" and part.attributes.get("mtype") == "seg"
            yield from [part] if is_segment else _marks(part)


def _row(name: str, source: Element, target: Element | None, document: str, file: str, inline: Inline) -> Row:
    text, codes = inline.split(source)
    written, marks = inline.split(target) if target is not None else ("", ())
    state = "" if target is None else target.attributes.get("state", "")
    if state in UNDONE or (state == "initial" and written == text):
        written, marks = "", ()
    held = {"source": codes, f"reference {TARGET}": marks}
    held = {part: found for part, found in held.items() if found}
    return Row(document, text, {TARGET: written}, {}, file, source.line, id=name, codes=held)


def write_xliff(corpus: Corpus, path: PathLike, *, version: str = "1") -> None:
    """Write a corpus with one translation as XLIFF 1.2 or 2.0 (E022, E026); segments without ids get numbers."""
    form = "XLIFF"
    check_writable(corpus, form, forbidden=FORBIDDEN)
    only_translation(corpus, form)
    write_lines(path, _lines_1(corpus) if version == "1" else _lines_2(corpus))


write_xliff_2 = partial(write_xliff, version="2")


def _lines_1(corpus: Corpus) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">'
    about = f'source-language="{corpus.source_language}" target-language="{corpus.target_language}"'
    for document in corpus.documents:
        yield f'<file original={attribute(document.id)} {about} datatype="plaintext"><body>'
        for name, source, target in _texts(corpus, document, INLINE["1"].form):
            yield f'<trans-unit id={attribute(name)} xml:space="preserve">{source}{target}</trans-unit>'
        yield "</body></file>"
    yield "</xliff>"


def _lines_2(corpus: Corpus) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    about = f'srcLang="{corpus.source_language}" trgLang="{corpus.target_language}"'
    yield f'<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" {about}>'
    for number, document in enumerate(corpus.documents, start=1):
        yield f'<file id="f{number}" original={attribute(document.id)}>'
        unit = None
        for name, source, target in _texts(corpus, document, INLINE["2"].form):
            whole, slash, part = name.rpartition("/")
            if unit != (whole or name):
                yield from ["</unit>"] if unit is not None else []
                unit = whole or name
                yield f'<unit id={attribute(unit)} xml:space="preserve">'
            identifier = f" id={attribute(part)}" if slash else ""
            yield f"<segment{identifier}>{source}{target}</segment>"
        yield from ["</unit>"] if unit is not None else []
        yield "</file>"
    yield "</xliff>"


def _texts(corpus: Corpus, document: Document, form: str) -> Iterator[tuple[str, str, str]]:
    """Yield id, source and target of each segment, both as elements; the target is empty where there is none."""
    numbers = map(str, count(1))
    part = only_translation(corpus, form)
    for segment in document.segments:
        number = next(numbers)
        source = f"<source>{with_codes(segment.source, segment.codes.get('source', ()), form)}</source>"
        target = (
            ""
            if part is None
            else f"<target>{with_codes(text_of(segment, part), segment.codes.get(part, ()), form)}</target>"
        )
        yield segment.id or number, source, target
