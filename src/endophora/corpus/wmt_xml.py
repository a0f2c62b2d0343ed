"""WMT's XML (2021 and later): documents with their sources, references by translator and outputs by system."""

from __future__ import annotations

from collections.abc import Iterator

from endophora.corpus.codes import bare_language
from endophora.corpus.lines import PathLike, display_name
from endophora.corpus.streams import ReadOptions, Row, StreamLog
from endophora.corpus.xml import Element, elements

OTHER = "documents of WMT's XML in other languages, or without a translation, were left out"


def wmt_xml_rows(path: PathLike, options: ReadOptions, log: StreamLog) -> Iterator[Row]:
    """Yield the segments of a test set as WMT publishes it; a reference without a translator is called ``ref``.

    Faults: those of :func:`~endophora.corpus.xml.elements`; a translation lacks a segment of its source (E257).
    """
    file = display_name(path)
    for document in elements(path, log, root=("dataset",), built=("doc",)):
        source = next((one for one in document.all("src") if _is_in(one, options.languages[0])), None)
        texts: dict[str, dict[str, Element]] = {}
        for kind, attribute, default in (("ref", "translator", "ref"), ("hyp", "system", "hyp")):
            for one in document.all(kind):
                if _is_in(one, options.languages[1]):
                    part = "reference" if kind == "ref" else "system"
                    texts[f"{part} {one.attributes.get(attribute, default)}"] = _segments(one)
        if source is None or not (texts or options.references == ()):
            log.notes[OTHER] += 1
            continue
        for number, segment in _segments(source).items():
            if lacking := [name for name, held in texts.items() if number not in held]:
                cause = f"{', '.join(lacking)} of “{document.attributes.get('id')}” has no segment {number}"
                log.add("E257", cause, "take the file as WMT publishes it", file, segment.line)
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


def _segments(element: Element) -> dict[str, Element]:
    """Return the segments of all paragraphs by their ids."""
    found: dict[str, Element] = {}
    for part in element.content:
        if isinstance(part, Element):
            found |= {part.attributes.get("id", ""): part} if part.name == "seg" else _segments(part)
    return found
