"""Recognises what is no plain text: subtitles, markup and tables whose lines are not segments."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from endophora.corpus.faults import FaultLog

HEAD = 200
"""How many lines from the top are looked at."""

_TIME = re.compile(r"\s*(\d+:)?\d\d:\d\d[,.]\d{3} --> (\d+:)?\d\d:\d\d[,.]\d{3}(\s.*)?$")
_MARKUP = re.compile(r"\s*<(\?xml|!DOCTYPE|html|tmx|xliff|mteval|srcset|refset|tstset|dataset|text|body|tt)[\s>]", re.I)
_FORMS = {"tmx": "TMX", "xliff": "XLIFF", "html": "HTML"}
_COLUMNS = re.compile(
    r"\"?(id|source|target|reference|translation|document|segment|text|src|tgt|ref|hyp|output|system|doc)\w*\"?", re.I
)


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file is instead of plain text.

    Attributes:
        form: its format.
        index: index of the line that shows it.
        advice: what to do.
    """

    form: str
    index: int
    advice: str


def recognise(lines: Sequence[str]) -> Recognised | None:
    """Return what lines are, if they are clearly no plain text of one segment a line.

    A tag, a time or a brace in a text is text: markup has to begin the file, and structure has to repeat.
    """
    head = lines[:HEAD]
    filled = [index for index, line in enumerate(head) if line.strip()]
    if not filled:
        return None
    return next((found for check in _CHECKS if (found := check(head, filled))), None)


def check_plain(lines: Sequence[str], file: str, log: FaultLog) -> None:
    """Note a fault (E385) if lines are clearly no plain text."""
    if found := recognise(lines):
        shown = lines[found.index].strip()[:60]
        log.add("E385", f"this is {found.form}, no plain text: “{shown}”", found.advice, file, found.index + 1)


def _subtitles(head: Sequence[str], filled: Sequence[int]) -> Recognised | None:
    first = head[filled[0]].strip()
    if first == "[Script Info]":
        return Recognised("ASS subtitles", filled[0], _EXPORT)
    times = [index for index in filled if _TIME.match(head[index])]
    if times and first.startswith("WEBVTT"):
        return Recognised("VTT subtitles", filled[0], _EXPORT)
    numbered = [index for index in times if index and head[index - 1].strip().isdecimal()]
    if numbered and (len(numbered) > 1 or numbered[0] == filled[0] + 1):
        return Recognised("SRT subtitles", numbered[0], _EXPORT)
    return None


def _markup(head: Sequence[str], filled: Sequence[int]) -> Recognised | None:
    if not (begun := _MARKUP.match(head[filled[0]])):
        return None
    tagged = sum(head[index].lstrip().startswith("<") for index in filled)
    # A text about XML may begin so; its other lines do not.
    if tagged < 0.5 * len(filled) and not head[filled[-1]].rstrip().endswith(">"):
        return None
    if len(filled) == 1 and not re.search(r"</\w+>\s*$", head[filled[0]]):
        return None
    start = " ".join(head[index] for index in filled[:20]).lower()
    form = next((form for tag, form in _FORMS.items() if f"<{tag}" in start), "")
    return Recognised(form or ("XML" if begun[1].lower() != "!doctype" else "HTML"), filled[0], _EXPORT)


def _messages(head: Sequence[str], filled: Sequence[int]) -> Recognised | None:
    begun = [index for index in filled if re.match(r'msgid\s+"', head[index])]
    answered = any(re.match(r'msgstr(\[\d\])?\s+"', head[index]) for index in filled)
    return Recognised("a PO file", begun[0], _EXPORT) if begun and answered else None


def _objects(head: Sequence[str], filled: Sequence[int]) -> Recognised | None:
    first = head[filled[0]].strip()
    if not first.startswith(("{", "[")):
        return None
    if all(_is_record(head[index]) for index in filled[:5]):
        return Recognised("JSON Lines", filled[0], "give it with --input FILE --input-format jsonl")
    second = head[filled[1]].strip() if len(filled) > 1 else ""
    if first in ("{", "[") and second.startswith(('"', "{", "[")):
        return Recognised("JSON", filled[0], _EXPORT)
    return None


def _is_record(text: str) -> bool:
    if not text.lstrip().startswith(("{", "[{")):
        return False
    try:
        return bool(json.loads(text))
    except (ValueError, RecursionError):
        return False


def _table(head: Sequence[str], filled: Sequence[int]) -> Recognised | None:
    first = head[filled[0]]
    for separator, form, advice in _SEPARATORS:
        names = first.split(separator)
        if len(names) > 1 and all(_COLUMNS.fullmatch(name.strip()) for name in names):
            return Recognised(form, filled[0], advice)
    tabs = {head[index].count("\t") for index in filled[:20]}
    if len(filled) >= 3 and len(tabs) == 1 and tabs != {0}:
        return Recognised("tab-separated values", filled[0], _SEPARATORS[0][2])
    return None


_EXPORT = "extract its text first: one segment a line, the same number of lines in every file"
_SEPARATORS = (
    ("\t", "tab-separated values", "give it with --input FILE --input-format tsv, or take one column: cut -f 1"),
    (",", "comma-separated values", _EXPORT),
    (";", "semicolon-separated values", _EXPORT),
)
_CHECKS: tuple[Callable[[Sequence[str], Sequence[int]], Recognised | None], ...] = (
    _subtitles,
    _markup,
    _messages,
    _objects,
    _table,
)
