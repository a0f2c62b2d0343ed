"""The last sentence of a text, by the very rule with which ctxpro's scores were made (Wicks & Post, 2023, §4.1).

The splitter of Koehn & Schroeder (Europarl), as sentence-splitter 1.4 has it. A sentence begins at a blank before a
capital or a letter of a script without capitals, opening quotes and brackets aside, and

1. after ``?``, ``!`` or two full stops;
2. after one of ``.?!`` with closing quotes or brackets;
3. after one of ``.?!``, if something is opened between;
4. after a full stop at all, unless it belongs to an abbreviation or an acronym; there a digit may begin too.

Blanks are U+0020 alone. Rules are seen on the *shape* of a text: as long as it, with one character a class. The
abbreviations are those of the installed sentence-splitter (LGPL-3.0), an extra: no list of it is part of this package.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from endophora.corpus.lines import need_library
from endophora.suites.matching import Abbreviations, abbreviations


class _Shape(dict[int, str]):
    """The class of each character: ``A`` begins a sentence, ``0`` is a digit, ``a`` another word character.

    ``(`` opens, ``)`` closes, ``"`` may do both; marks, hyphens and blanks stay, all else is ``#``.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = shape = _shape(character)
        return shape


def _shape(character: str) -> str:
    if character in ".?! -%":
        return character
    category = unicodedata.category(character)
    if character in "'\"[" or category == "Pi":
        return '"' if character in "'\"" else "["
    if character in ")]" or category == "Pf":
        return ")"
    if character in "(¿¡":
        return "(" if character == "(" else "["
    if category in ("Lu", "Lo"):
        return "A"
    if character in "0123456789":
        return "0"
    # U+200C and U+200D join: word characters of Unicode's definition, as are letters in circles and not digits in them.
    word = category[0] in "LM" or category in ("Nd", "Nl", "Pc") or character in "\u200c\u200d"
    return "a" if word or "\u24b6" <= character <= "\u24e9" else "#"


_SHAPES = _Shape()
_BLANKS = re.compile(" +")
_CLOSED = re.compile(r"""([?!.] ?[")]+) (?=["[(]* ?A)""")
_OPENED = re.compile(r"""(?:(?<=[?!]) |(?<=\.\.) )(?=["[(]*A)|(?<=[?!.]) (?=["[]+ ?A)""")
_STOPPED = re.compile(r"""\. (?=["[(]*[A0])""")
_WORD = re.compile(r"""([Aa0.\-]*)([")%]*)\.+$""")
_ACRONYM = re.compile(r"\.[A\-]+\.+$")


@cache
def published_abbreviations(language: str) -> Abbreviations:
    """Return a language's abbreviations in sentence-splitter (E150 without it); ours, where it has none."""
    need_library("sentence_splitter", "the published rule", "--match ascii", "ctxpro")
    path = files("sentence_splitter") / "non_breaking_prefixes" / f"{language}.txt"
    if not path.is_file():
        return abbreviations(language)
    lines = path.read_text(encoding="utf-8").splitlines()
    numeric = {word: "#NUMERIC_ONLY#" in line for line in lines if (word := line.partition("#")[0].strip())}
    always, number = (frozenset(word for word, only in numeric.items() if only == kind) for kind in (False, True))
    return Abbreviations(always, number, ordinals=False)


def last_sentences(texts: Iterable[str], language: str) -> list[str]:
    """Return the last sentence of each text, its words joined by single spaces."""
    return [" ".join(_last(text, language).split()) for text in texts]


def _last(text: str, language: str) -> str:
    text = _BLANKS.sub(" ", text.replace("\n", " ").strip())
    # Each rule finds the boundaries of those before it in place of the blanks.
    shape = _OPENED.sub("\n", _CLOSED.sub("\\1\n", text.translate(_SHAPES)))
    start = shape.rfind("\n") + 1
    for found in reversed(list(_STOPPED.finditer(shape, start))):
        word = shape.rfind(" ", start, found.start()) + 1 or start
        if _ends(text[word : found.start() + 1], shape[word : found.end()].rstrip(), shape[found.end()], language):
            return text[found.end() :]
    return text[start:]


def _ends(word: str, shape: str, following: str, language: str) -> bool:
    """Return whether a sentence ends after a word that ends in a full stop."""
    always, number, _ = published_abbreviations(language)
    found = _WORD.search(shape)
    prefix = word[found.start(1) : found.end(1)] if found else ""
    bare = found is not None and not found[2]
    if (bare and prefix in always) or _ACRONYM.search(shape):
        return False
    return not (bare and prefix in number and following == "0")
