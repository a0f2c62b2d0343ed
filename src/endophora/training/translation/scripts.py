"""Parallel documents from programs that speak to people: what their scripts mark for translation, in order.

A game's scene is a script whose speeches are marked as gettext asks, ``_ "Who goes there?"``, ``_("…")``, ``_([[…]])``.
The translations lie in compiled catalogues (``.mo``). A catalogue alone has no order; with a script it is a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from endophora.errors import Fault, InputError
from endophora.training.parallel import TextPair, read_messages

_DOUBLED = re.compile(r'\b_\s*\(?\s*"((?:[^"]|"")*)"')
"""A marked text of Wesnoth's markup: a quotation mark in it is doubled."""

_ESCAPED = re.compile(
    r"""\b_\s*\(?\s*(?:\[\[(?P<long>.*?)\]\]|"(?P<double>(?:\\.|[^"\\])*)"|'(?P<single>(?:\\.|[^'\\])*)')""", re.DOTALL
)
"""A marked text of Lua, Python, JavaScript or C: a sign in it is escaped."""

_SIGNS = {"n": "\n", "t": "\t"}
_MARKS = re.compile(r"<[^<>]*>|#[a-zA-Z0]\b")
"""Marks of colour and style within a text."""


def marked_texts(script: str, doubled: bool) -> Iterator[str]:
    """Yield the texts that a script marks for translation, in order, as a catalogue has them.

    Args:
        doubled: a quotation mark in a text is doubled, as in Wesnoth's markup, and not escaped.
    """
    if doubled:
        for found in _DOUBLED.finditer(script):
            yield found[1].replace('""', '"')
        return
    for found in _ESCAPED.finditer(script):
        text = found["long"]
        if text is not None:
            yield text.removeprefix("\n")
        else:
            yield re.sub(r"\\(.)", lambda sign: _SIGNS.get(sign[1], sign[1]), found["double"] or found["single"] or "")


def read_scripts(collection: str, folder: Path, language: str) -> Iterator[tuple[str, list[TextPair]]]:
    """Read a program's scripts: the collection and the script's path, and its marked texts with their translations.

    Args:
        folder: it holds scripts (``.cfg`` of Wesnoth; ``.lua``, ``.py``, ``.js``) and catalogues
            (``LANGUAGE/LC_MESSAGES/*.mo``) at any depth.

    Raises: InputError: there is no catalogue of the language (E081), or no script with a text that one has (E344).
    """
    catalogues = sorted(folder.rglob(f"{language}/LC_MESSAGES/*.mo"))
    if not catalogues:
        cause = f"there is no {language}/LC_MESSAGES/….mo in it"
        raise InputError(Fault("E081", cause, "unpack the program's translations there", str(folder)))
    translations = {message: text for path in catalogues for message, text in read_messages(path) if text}
    number = 0
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES and path.is_file()):
        texts = marked_texts(path.read_text("utf-8", "replace"), path.suffix == ".cfg")
        # What a text is about may stand before it: "female^Guard".
        pairs = [
            TextPair(collection, _plain(text.rpartition("^")[2]), _plain(translations[text]))
            for text in texts
            if text in translations
        ]
        if pairs:
            number += 1
            yield f"{collection}/{path.relative_to(folder).as_posix()}", pairs
    if not number:
        raise InputError(
            Fault("E344", "no script has a text of the catalogues", "unpack the program's data there", str(folder))
        )


_SUFFIXES = (".cfg", ".lua", ".py", ".js")


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split())
