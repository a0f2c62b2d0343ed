"""TMX 1.4, the exchange format of translation memories: a translation unit a segment, a variant a language.

The variants of the pair's languages are read, whatever their region. A unit may name its document in a property, as
OmegaT and memoQ do. Variants that this package writes name their reference or system in a property as well; of others
the first of the target language is the reference ``target``.
"""

from __future__ import annotations

from collections.abc import Iterator

from endophora.corpus.codes import bare_language
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name
from endophora.corpus.records import Code, Corpus, Segment
from endophora.corpus.streams import ReadOptions, Row, translated
from endophora.corpus.writing import check_writable, write_lines
from endophora.corpus.xml import (
    FORBIDDEN,
    LANGUAGE,
    Element,
    Inline,
    attribute,
    elements,
    with_codes,
    written_text,
)
from endophora.errors import Fault
from endophora.version import __version__

DOCUMENT = ("x-document", "x-endophora:document", "document", "file", "x-file", "x-filename", "x-source-file")
"""The types of properties that name a unit's document; the first that a unit has counts."""

TARGET = "target"
"""The name of a reference that has none."""

_SORTED, _RISING = 8, 0.85
"""Units from which on their order is looked at, and the share that follows its predecessor in the alphabet: programs
sort differently. Of the orders of 8, fewer than 1 in 100 have so many by chance, and of more far fewer."""

_NAMED = "x-endophora:"
_INLINE = Inline("tmx", frozenset({"hi"}))


def tmx_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the translation units of a TMX file that have both languages.

    Faults: those of :func:`~endophora.corpus.xml.elements`; no unit has the languages (E232).
    """
    file = display_name(path)
    seen: dict[str, None] = {}
    units = elements(path, log, root=("tmx",), built=("tu",))
    number, last, rising = 0, "", 0
    for row in translated(_rows(units, options.languages, file, seen, log), options, log):
        number += 1
        here = row.source.casefold()
        rising, last = rising + (row.document is None and last <= here), here
        yield row
    if rising >= _RISING * number and number >= _SORTED:
        effect = "no text reads so, and there is no context in it"
        advice = "read the translated files instead, or give the memory as --system NAME=FILE with --input FILE of them"
        log.remarks.append(str(Fault("E233", f"the units are in the order of the alphabet: {effect}", advice, file)))
    if seen and not number:
        cause = f"no unit has text in {' and '.join(options.languages)}; there are: {', '.join(list(seen)[:10])}"
        log.add("E232", cause, "name the languages of the file: --languages", file)


def _rows(
    units: Iterator[Element], languages: tuple[str, str], file: str, seen: dict[str, None], log: FaultLog
) -> Iterator[Row]:
    for unit in units:
        variants: tuple[list[Element], list[Element]] = [], []
        for variant in unit.all("tuv"):
            code = variant.attributes.get(LANGUAGE) or variant.attributes.get("lang", "")
            seen.setdefault(code)
            for language, held in zip(languages, variants, strict=True):
                if bare_language(code) == language:
                    held.append(variant)
        sources, targets = variants
        if sources:
            yield _row(unit, sources, targets, file, log)
        else:
            log.notes["translation units without the source language were left out"] += 1


def _row(unit: Element, sources: list[Element], targets: list[Element], file: str, log: FaultLog) -> Row:
    texts: dict[str, tuple[str, tuple[Code, ...]]] = {"source": _INLINE.split(sources[0].first("seg") or sources[0])}
    if len(sources) > 1:
        log.notes["further variants of a unit in the source language were left out"] += len(sources) - 1
    for variant in targets:
        name = next((f"{kind} {text}" for kind, text in _properties(variant) if kind in _KINDS), f"reference {TARGET}")
        if name in texts:
            log.notes["further variants of a unit in the target language were left out"] += 1
        else:
            texts[name] = _INLINE.split(variant.first("seg") or variant)
    if len(texts) == 1:
        texts[f"reference {TARGET}"] = "", ()
    properties = dict(_properties(unit))
    document = next((properties[kind] for kind in ("document", *DOCUMENT) if kind in properties), None)
    return Row(
        document,
        texts["source"][0],
        {name[len("reference ") :]: text for name, (text, _) in texts.items() if name.startswith("reference ")},
        {name[len("system ") :]: text for name, (text, _) in texts.items() if name.startswith("system ")},
        file,
        unit.line,
        id=unit.attributes.get("tuid", ""),
        codes={name: codes for name, (_, codes) in texts.items() if codes},
    )


_KINDS = ("reference", "system")


def _properties(element: Element) -> Iterator[tuple[str, str]]:
    for one in element.all("prop"):
        yield one.attributes.get("type", "").removeprefix(_NAMED), one.text()


def write_tmx(corpus: Corpus, path: PathLike) -> None:
    """Write a corpus as TMX 1.4 (E022, E026): a unit a segment, with its document, references and outputs by name."""
    check_writable(corpus, "TMX", forbidden=FORBIDDEN)
    write_lines(path, _lines(corpus))


def _lines(corpus: Corpus) -> Iterator[str]:
    source, target = corpus.source_language, corpus.target_language
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'
    yield '<tmx version="1.4">'
    about = f'creationtool="endophora" creationtoolversion="{__version__}" segtype="sentence" o-tmf="endophora"'
    yield f'<header {about} adminlang="en" srclang="{source}" datatype="plaintext"/>'
    yield "<body>"
    for document in corpus.documents:
        for segment in document.segments:
            yield f"<tu tuid={attribute(segment.id)}>" if segment.id else "<tu>"
            yield f'<prop type="{DOCUMENT[0]}">{written_text(document.id)}</prop>'
            yield _variant(segment, source, "source", segment.source)
            for name in corpus.references:
                yield _variant(segment, target, f"reference {name}", segment.references[name])
            for name in corpus.systems:
                yield _variant(segment, target, f"system {name}", segment.outputs[name])
            yield "</tu>"
    yield "</body></tmx>"


def _variant(segment: Segment, language: str, part: str, text: str) -> str:
    kind, _, name = part.partition(" ")
    alone = part in ("source", f"reference {TARGET}")
    named = "" if alone else f'<prop type="{_NAMED}{kind}">{written_text(name)}</prop>'
    written = with_codes(text, segment.codes.get(part, ()), _INLINE.form)
    return f'<tuv {LANGUAGE}="{language}">{named}<seg>{written}</seg></tuv>'
