"""XML of unknown origin as a stream: what programs for translators write, in constant memory and without surprises.

Only the elements that are asked for are built, one after the other, with the line on which each begins. A file that
declares entities, or asks for some, is refused, as is one that nests deeply or has megabytes without such an element;
a document type definition is neither fetched nor read. Names of elements are as written, less the prefix of the root's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, noting, opened
from endophora.corpus.records import Code

_CHUNK = 1 << 16
_MOST_BETWEEN = 1 << 24
"""Bytes of XML that may come without an element that is asked for; what is read meanwhile is kept in memory."""

_DEEPEST = 64
"""Elements within elements that a file may have."""

LANGUAGE = "xml:lang"
_LAYOUT = re.compile(r"(?<![ \t])[ \t]*\n\s*")


@dataclass(slots=True)
class Element:
    """An element: its name, attributes and line, and what it holds, texts and elements in order.

    ``span`` are the bytes of the file at which its start tag and its end tag begin; an empty element begins and ends.
    """

    name: str
    attributes: dict[str, str]
    line: int
    content: list[Element | str] = field(default_factory=list["Element | str"])
    span: tuple[int, int] = (0, 0)

    def all(self, name: str) -> list[Element]:
        """Return the elements of a name that it holds itself."""
        return [each for each in self.content if isinstance(each, Element) and each.name == name]

    def first(self, name: str) -> Element | None:
        """Return the first element of a name that it holds itself."""
        return next(iter(self.all(name)), None)

    def text(self) -> str:
        """Return all text in it."""
        return "".join(each if isinstance(each, str) else each.text() for each in self.content)

    def joined(self) -> Element:
        """Return it without the line ends and indents that a program has put in for the eye alone."""
        parts = [_LAYOUT.sub(" ", each) if isinstance(each, str) else each.joined() for each in self.content]
        return Element(self.name, self.attributes, self.line, parts, self.span)

    def stripped(self) -> Element:
        """Return it without blanks at its ends."""
        parts = self.content.copy()
        if parts and isinstance(parts[0], str):
            parts[0] = parts[0].lstrip()
        if parts and isinstance(parts[-1], str):
            parts[-1] = parts[-1].rstrip()
        return Element(self.name, self.attributes, self.line, parts, self.span)

    def opening(self) -> str:
        """Return its start tag; attributes with a prefix are left out, since nothing declares it elsewhere."""
        kept = {name: text for name, text in self.attributes.items() if ":" not in name or name.startswith("xml:")}
        return f"<{self.name}{''.join(f' {name}={quoteattr(text)}' for name, text in kept.items())}>"

    def written(self) -> str:
        """Return it as XML."""
        inner = "".join(written_text(each) if isinstance(each, str) else each.written() for each in self.content)
        return f"{self.opening()}{inner}</{self.name}>" if inner else f"{self.opening()[:-1]}/>"


class _RefusedError(Exception):
    """The file is XML, and more than text."""


def elements(
    path: PathLike,
    log: FaultLog,
    *,
    root: Sequence[str],
    built: Sequence[str],
    opened_only: Sequence[str] = (),
    advice: str = "say what it is: --input-format",
) -> Iterator[Element]:
    """Yield the elements of some names, each when it ends; those of ``opened_only`` when they begin, without content.

    Of elements within one another only the outermost is yielded. Faults: those of opening (E001–E004, E346), what is no
    such XML or would do harm (E230), another root (E231, with ``advice``).
    """
    reader = _Reader(root, {*built}, {*opened_only})
    file = display_name(path)
    with noting(path, log, reader.line), opened(path) as stream:
        try:
            between, more = 0, True
            while more:
                chunk = stream.read1(_CHUNK)
                more = bool(chunk)
                reader.parse(chunk)
                between = 0 if reader.found else between + len(chunk)
                if between > _MOST_BETWEEN:
                    raise _RefusedError(f"{_MOST_BETWEEN >> 20} MiB without an element {' or '.join(built)}")
                yield from reader.taken()
        except expat.ExpatError as error:
            yield from reader.taken()
            cause = f"malformed XML at column {error.offset + 1}: {expat.ErrorString(error.code)}"
            log.add("E230", cause, "was it written to its end? export it again", file, error.lineno)
        except _RefusedError as error:
            yield from reader.taken()
            log.add("E230", str(error), "export it again, as plain XML", file, reader.line())
        except (ValueError, LookupError) as error:
            # An encoding that expat does not know.
            log.add("E230", f"the XML cannot be read ({error})", "write it as UTF-8", file, 1)
        if reader.strange:
            cause = f"the root is “{reader.strange}”, where “{' or '.join(root)}” is expected"
            log.add("E231", cause, advice, file, reader.line())


class _Reader:
    """Builds elements of what expat reports."""

    def __init__(self, roots: Sequence[str], built: set[str], begun: set[str]) -> None:
        self._roots, self._built, self._begun = roots, built, begun
        self._parser = cast("Any", expat.ParserCreate())
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._refuse
        self._parser.SkippedEntityHandler = self._refuse
        self._stack: list[Element] = []
        self._prefix = ""
        self._depth = 0
        self.found: list[Element] = []
        self.strange = ""

    def line(self) -> int:
        """Return the line up to which all is read."""
        return int(self._parser.CurrentLineNumber)

    def parse(self, chunk: bytes) -> None:
        """Read some bytes; none at the end."""
        if not self.strange:
            self._parser.Parse(chunk, not chunk)

    def taken(self) -> list[Element]:
        """Return what has been found since the last call."""
        found, self.found = self.found, []
        return found

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._depth:
            self._prefix, _, bare = name.rpartition(":")
            if bare not in self._roots:
                self.strange = name
                self._built, self._begun = set[str](), set[str]()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _RefusedError(f"elements are nested more than {_DEEPEST} deep")
        name = name.removeprefix(f"{self._prefix}:") if self._prefix else name
        if not self._stack and name not in self._built and name not in self._begun:
            return
        at = int(self._parser.CurrentByteIndex)
        element = Element(name, attributes, self.line(), span=(at, at))
        if self._stack:
            self._stack[-1].content.append(element)
        elif name in self._begun:
            self.found.append(element)
            return
        self._stack.append(element)

    def _end(self, _: str) -> None:
        self._depth -= 1
        if self._stack:
            element = self._stack.pop()
            element.span = element.span[0], int(self._parser.CurrentByteIndex)
            if not self._stack:
                self.found.append(element)

    def _characters(self, text: str) -> None:
        if self._stack:
            self._stack[-1].content.append(text)

    def _refuse(self, name: str, *_: object) -> None:
        raise _RefusedError(f"the file has an entity of its own, “{name}”, which could stand for anything")


FORBIDDEN = "".join(map(chr, (*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF)))
"""Characters that no XML may hold."""


def written_text(text: str) -> str:
    """Return a text as XML has it; a carriage return would else be read as a line end."""
    return escape(text, {"\r": "&#13;"})


def with_codes(text: str, codes: Sequence[Code], form: str) -> str:
    """Return a text as XML with its inline markup put back; that of other forms means nothing in this one."""
    parts: list[str] = []
    at = 0
    for code in codes:
        if code.form != form:
            continue
        parts += [written_text(text[at : code.start]), code.written]
        at = code.end
    return "".join([*parts, written_text(text[at:])])


_TAG = re.compile(rb"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")


def tag_at(raw: bytes, place: int) -> bytes:
    """Return the tag that begins at a byte of a file."""
    found = _TAG.match(raw, place)
    return found[0] if found else b""


def attribute(text: str) -> str:
    """Return an attribute's value in quotes."""
    return quoteattr(text, {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})


@dataclass(frozen=True, slots=True)
class Inline:
    """The inline elements of a form: those that enclose text of the segment; all others hold a program's codes."""

    form: str
    enclosing: frozenset[str]
    breaks: frozenset[str] = frozenset({"lb", "xlf:lb", "x-lb", "x-br"})

    def split(self, element: Element, raw: bytes = b"") -> tuple[str, tuple[Code, ...]]:
        """Return the text of an element without markup, and the markup as codes; as in ``raw``, the file, if given."""
        texts: list[str] = []
        codes: list[Code] = []
        self._walk(element, 0, texts, codes, raw)
        return "".join(texts), tuple(codes)

    def _walk(self, element: Element, at: int, texts: list[str], codes: list[Code], raw: bytes) -> int:
        """Add texts and codes of an element behind ``at`` characters, and return how many there are then."""
        for part in element.content:
            if isinstance(part, str):
                texts.append(part)
                at += len(part)
            elif part.name in self.enclosing:
                opening, closing = part.opening(), f"</{part.name}>"
                if raw:
                    opening = tag_at(raw, part.span[0]).decode()
                    closing = "" if opening.endswith("/>") else tag_at(raw, part.span[1]).decode()
                codes.append(Code(at, at, self.form, opening))
                at = self._walk(part, at, texts, codes, raw)
                codes += [Code(at, at, self.form, closing)] if closing else []
            else:
                written = part.written()
                if raw:
                    (start, end), tag = part.span, tag_at(raw, part.span[0])
                    written = (tag if tag.endswith(b"/>") else raw[start : end + len(tag_at(raw, end))]).decode()
                kinds = {part.attributes.get(name, "") for name in ("ctype", "type", "subType")}
                is_break = self.breaks & kinds or part.text().strip() in ("\\n", "<br>", "<br/>", "<br />")
                if is_break and at and not texts[-1].endswith((" ", "\n")):
                    texts.append(" ")
                    codes.append(Code(at, at + 1, self.form, written))
                    at += 1
                else:
                    codes.append(Code(at, at, self.form, written))
        return at
