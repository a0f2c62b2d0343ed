"""Translations put into a file of the user's own, XLIFF or PO, in which nothing else changes.

Tags of the source's inline markup are put into the translation as the file has them, where a placer says. Targets that
are there are replaced, but not by empty translations; a state that says that a translation is needed becomes
``translated``, and a message is no longer fuzzy. What is not to be translated (``translate="no"``) stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, opened
from endophora.corpus.po import fill_po
from endophora.corpus.records import Code
from endophora.corpus.streams import ReadOptions
from endophora.corpus.writing import write_lines, writing_faults
from endophora.corpus.xliff import INLINE, UNDONE, segments_of, units_of
from endophora.corpus.xml import Element, tag_at, with_codes
from endophora.errors import Fault, InputError


class Marked(NamedTuple):
    """A source text with its markup, and its translation, which has none yet."""

    source: str
    codes: tuple[Code, ...]
    translation: str


Placer = Callable[[Sequence[Marked]], Sequence[tuple[Code, ...]]]
"""Returns where the markup of each goes in its translation."""

_Edit = tuple[int, int, bytes]
"""Bytes of a file from one place to another, and what stands there instead."""

_STATE = re.compile(rb"(\bstate\s*=\s*[\"'])(?:%s)([\"'])" % "|".join((*UNDONE, "initial")).encode())
_ENCODING = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:-]+)")


_PARTS = re.compile(
    rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<(/?)(?:[\w.-]+:)?(?:file|group|trans-unit|unit)(?=[\s/>])[^>]*?(/?)>", re.DOTALL
)
_TRANSLATE = re.compile(rb"\stranslate\s*=\s*[\"'](yes|no)[\"']")


def fill(path: PathLike, to: PathLike, form: str, texts: Sequence[str], options: ReadOptions, placer: Placer) -> int:
    """Write an XLIFF or PO file again with translations, one for each segment that is read of it with a source.

    Returns how many segments were left as they are, since the file says that they are not to be translated.

    Faults: no such format is filled (E015), XML in another encoding than UTF-8 (E230), it cannot be written (E026).
    """
    log, wanted, left = FaultLog(), iter(texts), 0
    if form == "po":
        write_lines(to, fill_po(path, wanted, log))
    elif form in ("xliff", "xliff2"):
        with opened(path) as stream:
            raw = stream.read()
        encoding = _ENCODING.match(raw.removeprefix(b"\xef\xbb\xbf"))
        if (encoding and encoding[1].lower() not in (b"utf-8", b"us-ascii")) or raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise InputError(Fault("E230", "only files in UTF-8 are filled", "write it as UTF-8", display_name(path)))
        found, left = _edits(path, raw, wanted, options, placer)
        edits, at = sorted(found), 0
        with writing_faults(to), open(to, "wb") as stream:  # noqa: PTH123 (the path may be a device)
            for start, end, new in edits:
                stream.write(raw[at:start] + new)
                at = end
            stream.write(raw[at:])
    else:
        raise InputError(Fault("E015", f"{form} is not filled", "filled are: xliff, xliff2, po", display_name(path)))
    return left


def _kept(raw: bytes) -> set[int]:
    """Return where the units begin that are not to be translated, by what they say or else what holds them."""
    kept: set[int] = set()
    within = [False]
    for found in _PARTS.finditer(raw):
        if found[1] is None:
            continue
        if found[1]:
            within = within[:-1] or [False]
            continue
        told = _TRANSLATE.search(found[0])
        within.append(told[1] == b"no" if told else within[-1])
        if within[-1]:
            kept.add(found.start())
        if found[2]:
            within.pop()
    return kept


def _edits(
    path: PathLike, raw: bytes, texts: Iterator[str], options: ReadOptions, placer: Placer
) -> tuple[list[_Edit], int]:
    """Return what changes in an XLIFF file, and how many segments are not to be translated."""
    kept_units, left = _kept(raw), 0
    jobs: list[tuple[Element, Element, Element | None, str]] = []
    marked: list[Marked] = []
    for unit, _, version, kept in units_of(path, options, FaultLog()):
        for _, source, target in segments_of(unit):
            shown = source if kept or source.attributes.get("xml:space") == "preserve" else source.joined().stripped()
            text, codes = INLINE[version].split(shown, raw)
            if not text.strip() or not (translation := next(texts)).strip():
                continue
            if unit.span[0] in kept_units:
                left += 1
            else:
                jobs.append((unit, source, target, INLINE[version].form))
                marked.append(Marked(text, codes, translation))
    edits: list[_Edit] = []
    new: dict[int, tuple[Element, list[bytes]]] = {}
    for (unit, source, target, form), one, codes in zip(jobs, marked, placer(marked), strict=True):
        content = with_codes(one.translation, codes, form).encode()
        holder = next((each for each in unit.all("segment") if each.first("source") is source), unit)
        edits += _state(holder, raw) if holder is not unit else []
        if target is not None:
            edits += _content(target, raw, content)
            # A part of a target: the state is that of the whole.
            edits += _state(unit.first("target") or target, raw) if target.name == "mrk" else []
        elif source.name == "mrk":
            tag = tag_at(raw, source.span[0])
            whole = tag if not tag.endswith(b"/>") else tag[:-2] + b">"
            new.setdefault(id(unit), (unit, []))[1].append(whole + content + b"</" + _name(tag) + b">")
        else:
            edits.append(_after(holder, raw, content))
    for unit, parts in new.values():
        target = unit.first("target")
        if target is None:
            edits.append(_after(unit, raw, b" ".join(parts)))
        elif target.all("mrk"):
            edits.append((target.span[1], target.span[1], b" " + b" ".join(parts)))
        else:
            edits += _content(target, raw, b" ".join(parts))
    return list(dict.fromkeys(edits)), left


def _name(tag: bytes) -> bytes:
    return re.split(rb"[\s/>]", tag[1:], maxsplit=1)[0]


def _after(holder: Element, raw: bytes, content: bytes) -> _Edit:
    """Return a target that is new, behind the source."""
    source = holder.first("seg-source") or holder.first("source")
    assert source is not None  # noqa: S101 (it has been read)
    place = source.span[1] + len(tag_at(raw, source.span[1]))
    prefix = _name(tag_at(raw, source.span[0])).rpartition(b":")
    name = b"".join(prefix[:2]) + b"target"
    return place, place, b"<" + name + b">" + content + b"</" + name + b">"


def _state(element: Element, raw: bytes) -> list[_Edit]:
    tag = tag_at(raw, element.span[0])
    new = _STATE.sub(rb"\1translated\2", tag)
    return [(element.span[0], element.span[0] + len(tag), new)] if new != tag else []


def _content(element: Element, raw: bytes, content: bytes) -> list[_Edit]:
    """Return what makes this the content of an element."""
    start, end = element.span
    tag = tag_at(raw, start)
    new = _STATE.sub(rb"\1translated\2", tag)
    if tag.endswith(b"/>"):
        return [(start, start + len(tag), new[:-2].rstrip() + b">" + content + b"</" + _name(tag) + b">")]
    return [*_state(element, raw), (start + len(tag), end, content)]
