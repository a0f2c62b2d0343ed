"""PO, the catalogues of gettext: a message a segment, and a plural form one more.

The document of a message is the file in which the program first uses it, by its reference (``#: FILE:LINE``). Messages
that are fuzzy or not translated have no translation, obsolete ones do not count; all are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from endophora.corpus.codes import bare_language
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.corpus.streams import ReadOptions, Row, StreamLog, translated
from endophora.corpus.tmx import TARGET

OBSOLETE = "obsolete messages were left out"
FUZZY = "fuzzy messages count as not translated"
BACK = "times the references come back to a file: what follows counts as a document of its own"
FORMS = "plural forms between the singular and the last one were left out"

_LINE = re.compile(r'(?:(msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?)\s*)?"((?:[^"\\]|\\.)*)"\s*')
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)")
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_REFERENCE = re.compile("\u2068([^\u2069]*)\u2069|(\\S+)")


@dataclass(slots=True)
class _Message:
    """A message as it is read: its texts by keyword, its first reference, and whether it is fuzzy."""

    line: int = 0
    texts: dict[str, str] = field(default_factory=dict[str, str])
    file: str | None = None
    fuzzy: bool = False

    def translations(self) -> list[str]:
        """Return the plural forms of the translation, or the only one."""
        return [text for key, text in self.texts.items() if key.startswith("msgstr")]


def po_rows(path: PathLike, options: ReadOptions, log: StreamLog) -> Iterator[Row]:
    """Yield the messages of a PO file, gzipped or not.

    Faults: E001–E007, a line is none of PO (E236), the catalogue is of another language (E232).
    """
    return translated(_rows(path, options, log), options, log)


def _rows(path: PathLike, options: ReadOptions, log: StreamLog) -> Iterator[Row]:
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


def _pairs(message: _Message, log: StreamLog) -> Iterator[tuple[str, str, str]]:
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


def _check_header(message: _Message, language: str, file: str, log: StreamLog) -> None:
    found = re.search(r"^Language:\s*(\S+)", message.translations()[0], re.MULTILINE)
    if found and bare_language(found[1]) != language:
        cause = f"the catalogue is in {found[1]}, not in {language}"
        log.add("E232", cause, "name its language: --languages", file, message.line)


def _messages(path: PathLike, log: StreamLog) -> Iterator[_Message]:
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
                _comment(text, message)
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
        message.texts[key] = message.texts.get(key, "") + _ESCAPE.sub(_unescaped, found[2])
    if message.texts:
        yield from _whole(message, file, line, log)


def _comment(text: str, message: _Message) -> None:
    if text.startswith("#:") and message.file is None and (found := _REFERENCE.search(text[2:])):
        message.file = re.sub(r":\d+$", "", found[1] or found[2])
    message.fuzzy = message.fuzzy or (text.startswith("#,") and "fuzzy" in text)


def _whole(message: _Message, file: str, line: int, log: StreamLog) -> Iterator[_Message]:
    """Yield a message if it has what it needs (E236)."""
    if "msgid" in message.texts and message.translations():
        yield message
    else:
        log.add("E236", "the message has no msgid or no msgstr", "msgfmt --check says what is wrong", file, line)


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    return chr(int(code, 8)) if code[0] in "01234567" else _PLAIN.get(code, code)
