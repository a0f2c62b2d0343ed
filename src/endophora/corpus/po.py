"""PO, the catalogues of gettext: a message a segment, and a plural form one more.

The document of a message is the file in which the program first uses it, by its reference (``#: FILE:LINE``). Messages
that are fuzzy or not translated have no translation, obsolete ones do not count; all are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from endophora.corpus.codes import bare_language
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.corpus.records import Corpus
from endophora.corpus.streams import ReadOptions, Row, translated
from endophora.corpus.tmx import TARGET
from endophora.corpus.writing import check_writable, only_translation, text_of, write_lines
from endophora.errors import Fault, InputError

OBSOLETE = "obsolete messages were left out"
FUZZY = "fuzzy messages count as not translated"
BACK = "times the references come back to a file: what follows counts as a document of its own"
FORMS = "plural forms between the singular and the last one were left out"

_LINE = re.compile(r'(?:(msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?)\s*)?"((?:[^"\\]|\\.)*)"\s*')
_ESCAPE = re.compile(r"((?:\\x[0-9a-fA-F]{1,2}|\\[0-7]{1,3})+)|\\(.)")
_BYTE = re.compile(r"\\(?:x([0-9a-fA-F]+)|([0-7]+))")
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_REFERENCE = re.compile("\u2068([^\u2069]*)\u2069|(\\S+)")


@dataclass(slots=True)
class _Message:
    """A message as it is read: its texts by keyword with their first and last lines, its first reference, its flags.

    ``fuzzy`` is the line that says so, or 0.
    """

    line: int = 0
    texts: dict[str, str] = field(default_factory=dict[str, str])
    places: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    file: str | None = None
    fuzzy: int = 0

    def translations(self) -> list[str]:
        """Return the plural forms of the translation, or the only one."""
        return [text for key, text in self.texts.items() if key.startswith("msgstr")]


def po_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the messages of a PO file, gzipped or not.

    Faults: E001–E007, a line is none of PO (E236), the catalogue is of another language (E232).
    """
    return translated(_rows(path, options, log), options, log)


def _rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    file = display_name(path)
    document: str | None = None
    seen: dict[str, int] = {}
    for message in _messages(path, log):
        if not message.texts["msgid"]:
            _check_header(message, options.languages[1], file, log)
            continue
        if document is None or document.rpartition("#")[0] != (message.file or ""):
            name = message.file or ""
            seen[name] = seen.get(name, 0) + 1
            log.notes.update([BACK] if seen[name] == 2 else [])
            document = f"{name}#{seen[name]}"
        log.notes.update([FUZZY] if message.fuzzy else [])
        label = document.removesuffix("#1") or Path(file).name
        for name, source, target in _pairs(message, log):
            yield Row(label, source, {TARGET: "" if message.fuzzy else target}, {}, file, message.line, id=name)


def _pairs(message: _Message, log: FaultLog) -> Iterator[tuple[str, str, str]]:
    """Yield id, source and translation: of the singular, and of the plural that all or many have."""
    texts, forms = message.texts, message.translations()
    name = f"{texts['msgctxt']} | {texts['msgid']}" if "msgctxt" in texts else texts["msgid"]
    if "msgid_plural" not in texts:
        yield name, texts["msgid"], forms[0]
        return
    if len(forms) > 1:
        yield name, texts["msgid"], forms[0]
    yield f"{name} [plural]", texts["msgid_plural"], forms[-1]
    log.notes.update([FORMS] * max(0, len(forms) - 2))


def _check_header(message: _Message, language: str, file: str, log: FaultLog) -> None:
    found = re.search(r"^Language:[^\S\n]*(\S+)", message.translations()[0], re.MULTILINE)
    if found and bare_language(found[1]) != language:
        cause = f"the catalogue is in {found[1]}, not in {language}"
        log.add("E232", cause, "name its language: --languages", file, message.line)


def _messages(path: PathLike, log: FaultLog) -> Iterator[_Message]:
    """Yield the messages that are not obsolete."""
    file = display_name(path)
    message, key, line = _Message(), "", 0
    for line, text in each_line(path, log):
        if text is None:
            continue
        if text.startswith("#~"):
            log.notes.update([OBSOLETE] if re.match(r"#~\s*msgid\s", text) else [])
            continue
        if not text.strip() or text.startswith("#") or (key.startswith("msgstr") and re.match(r"msg(ctxt|id)\s", text)):
            if message.texts:
                yield from _whole(message, file, line, log)
                message, key = _Message(), ""
            if text.startswith("#"):
                if text.startswith("#:") and message.file is None and (found := _REFERENCE.search(text[2:])):
                    message.file = found[1] or re.sub(r":\d+$", "", found[2])
                message.fuzzy = message.fuzzy or (line if text.startswith("#,") and "fuzzy" in text else 0)
                continue
        if not text.strip():
            continue
        found = _LINE.fullmatch(text)
        if found is None or not (found[1] or key) or (found[1] and found[1] in message.texts):
            cause = f"this is no line of a PO file, or not in its place: “{text.strip()[:60]}”"
            log.add("E236", cause, "msgfmt --check says what is wrong", file, line)
            continue
        key = found[1] or key
        message.line = message.line or line
        message.places[key] = message.places.get(key, (line, line))[0], line
        try:
            message.texts[key] = message.texts.get(key, "") + _ESCAPE.sub(_unescaped, found[2])
        except UnicodeDecodeError:
            message.texts.setdefault(key, "")
            log.add("E236", "an escape (\\x) is no UTF-8", "write the character itself", file, line)
    if message.texts:
        yield from _whole(message, file, line, log)


def _whole(message: _Message, file: str, line: int, log: FaultLog) -> Iterator[_Message]:
    """Yield a message if it has what it needs (E236)."""
    if "msgid" in message.texts and message.translations():
        yield message
    else:
        log.add("E236", "the message has no msgid or no msgstr", "msgfmt --check says what is wrong", file, line)


def _unescaped(found: re.Match[str]) -> str:
    if found[1] is None:
        return _PLAIN.get(found[2], found[2])
    codes = (int(one[1], 16) if one[1] else int(one[2], 8) & 0xFF for one in _BYTE.finditer(found[1]))
    return bytes(codes).decode("utf-8")


_HEADER = "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"
_WRITTEN = str.maketrans({"\\": "\\\\", '"': '\\"', "\t": "\\t", "\r": "\\r", "\n": "\\n"})


def _entry(keyword: str, text: str) -> Iterator[str]:
    """Yield the lines of a keyword and its text, with a line of the file for each of the text, as gettext does."""
    parts = ["", *text.splitlines(keepends=True)] if "\n" in text.rstrip("\n") else [text]
    lines = [f'"{part.translate(_WRITTEN)}"' for part in parts]
    yield f"{keyword} {lines[0]}"
    yield from lines[1:]


def write_po(corpus: Corpus, path: PathLike) -> None:
    """Write a corpus with one translation as a PO file, the documents as references (E022, E026).

    A source that comes again gets its number as context, since a catalogue has each message once.
    """
    check_writable(corpus, "PO", forbidden="")
    for document in corpus.documents:
        if re.search("[\n\u2068\u2069]", document.id):
            cause = f"the document id “{document.id}” has a line end or an isolate, which PO cannot hold"
            raise InputError(Fault("E022", cause, "write JSON Lines, or give it another id", "PO"))
    write_lines(path, _lines(corpus, only_translation(corpus, "PO")))


def _lines(corpus: Corpus, part: str | None) -> Iterator[str]:
    head = f"Language: {corpus.target_language}\n{_HEADER}"
    yield from (*_entry("msgid", ""), *_entry("msgstr", head))
    seen = Counter[str]()
    for document in corpus.documents:
        name = f"\u2068{document.id}\u2069" if re.search(r"\s", document.id) else document.id
        for number, segment in enumerate(document.segments, start=1):
            seen[segment.source] += 1
            yield from ("", f"#: {name}:{number}")
            yield from _entry("msgctxt", str(seen[segment.source])) if seen[segment.source] > 1 else ()
            yield from _entry("msgid", segment.source)
            yield from _entry("msgstr", "" if part is None else text_of(segment, part))


def fill_po(path: PathLike, texts: Iterator[str], log: FaultLog) -> Iterator[str]:
    """Yield the lines of a PO file with new translations, one for each row that it has; empty ones change nothing.

    Of plural forms, the first is the translation of the singular, and all others are that of the plural.
    """
    changes: dict[int, tuple[int, Sequence[str]]] = {}
    lines = [text or "" for _, text in each_line(path, log)]
    for message in _messages(path, log):
        if not message.texts["msgid"]:
            continue
        keys = [key for key in message.texts if key.startswith("msgstr")]
        several = "msgid_plural" in message.texts and len(keys) > 1
        sources = (source for _, source, _ in _pairs(message, FaultLog()))
        for source, group in zip(sources, [keys[:1], keys[1:]] if several else [keys], strict=True):
            if not source.strip() or not (text := next(texts)):
                continue
            for key in group:
                first, last = message.places[key]
                changes[first] = last, list(_entry(key, text))
            if message.fuzzy:
                flags = [flag for flag in lines[message.fuzzy - 1][2:].split(",") if flag.strip() != "fuzzy"]
                changes[message.fuzzy] = message.fuzzy, [f"#,{','.join(flags)}"] if flags else []
    number = 1
    while number <= len(lines):
        last, new = changes.get(number, (number, lines[number - 1 : number]))
        yield from new
        number = last + 1
