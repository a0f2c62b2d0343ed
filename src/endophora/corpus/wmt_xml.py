"""WMT's XML (2021 and later): documents with their sources, references by translator and outputs by system."""

from __future__ import annotations

from collections.abc import Iterator

from endophora.corpus.codes import bare_language
from endophora.corpus.lines import PathLike, display_name
from endophora.corpus.sgm import AS_PUBLISHED, SURPLUS
from endophora.corpus.streams import ReadOptions, Row, StreamLog
from endophora.corpus.xml import Element, elements

OTHER = "documents of WMT's XML in other languages, or without a translation, were left out"


def wmt_xml_rows(path: PathLike, options: ReadOptions, log: StreamLog) -> Iterator[Row]:
    """Yield the segments of a test set as WMT publishes it; a reference without a translator is called ``ref``.

    Faults: those of :func:`~endophora.corpus.xml.elements`; a translation lacks a segment of its source, and a
    segment or a translation is there twice (E257).
    """
    file = display_name(path)
    for document in elements(path, log, root=("dataset",), built=("doc",)):
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
        segments = _segments(source, file, log)
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


def _is_in(element: Element, language: str) -> bool:
    return bare_language(element.attributes.get("lang") or element.attributes.get("language", "")) == language


def _segments(element: Element, file: str, log: StreamLog) -> dict[str, Element]:
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
