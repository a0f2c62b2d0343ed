"""The embedded inventory: the English Wiktionary's translation tables, which are by sense.

The file has a line a sense: English headword, part of speech, gloss, and ``CODE=word|word`` for each language. From
English the senses of a word are its lines; into English they are all lines that have it as a translation; between two
other languages English is the pivot. It is offered under CC BY-SA 3.0; NOTICE has the credit.
"""

from __future__ import annotations

import lzma
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from endophora.errors import Fault, InputError
from endophora.suites.senses.inventory import Sense, SourceWord, folded

DATA = Path(__file__).parent / "data" / "wiktionary.tsv.xz"
PIVOT = "en"
"""The language of the headwords."""


class Wiktionary:
    """Senses from the compact file."""

    def __init__(self, path: Path, source_language: str, target_language: str) -> None:
        self.name, self._path = f"wiktionary-{_digest(path)}", path
        self._source, self._target = source_language, target_language

    def senses(self, words: Iterable[SourceWord]) -> dict[SourceWord, tuple[Sense, ...]]:
        """Return the senses of words; see :class:`~endophora.suites.senses.inventory.Inventory`.

        A sense's signs are its words in all languages but the source's, so that senses of like meaning share some.
        """
        wanted: dict[str, list[SourceWord]] = {}
        for word in words:
            wanted.setdefault(plain(word.lemma), []).append(word)
        found: dict[SourceWord, list[Sense]] = {}
        for number, (headword, upos, gloss, table) in enumerate(_rows(self._path)):
            asked = {plain(word) for word in table.get(self._source, ())} & wanted.keys()
            targets = table.get(self._target, ())
            if not asked or not targets:
                continue
            signs = frozenset(
                f"{code}:{plain(word)}" for code, words in table.items() if code != self._source for word in words
            )
            sense = Sense(f"{headword}.{upos}.{number}", f"{headword}: {gloss}", targets, signs)
            for word in (word for lemma in asked for word in wanted[lemma]):
                if word.upos in ("", upos):
                    found.setdefault(word, []).append(sense)
        return {word: tuple(senses) for word, senses in found.items()}


def open_wiktionary(argument: str, source_language: str, target_language: str) -> Wiktionary:
    """Open the embedded file, or the one that the argument names."""
    path = Path(argument) if argument else DATA
    if not path.is_file():
        raise InputError(Fault("E225", "there is no such file", "see docs/senses.md for how it is made", str(path)))
    known = _languages(path)
    missing = [code for code in (source_language, target_language) if code not in known]
    if missing:
        advice = f"it has {', '.join(sorted(known))}; name another inventory"
        raise InputError(Fault("E225", f"it has no words of “{missing[0]}”", advice, str(path)))
    return Wiktionary(path, source_language, target_language)


def plain(word: str) -> str:
    """Return a word as it is compared: folded, without vowel points, which dictionaries write and texts do not."""
    text = folded(word)
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFC", text) if unicodedata.category(c) != "Mn")


_Row = tuple[str, str, str, dict[str, tuple[str, ...]]]


def _rows(path: Path) -> Iterator[_Row]:
    for number, line in enumerate(_lines(path), start=1):
        headword, *fields = line.split("\t")
        if len(fields) < 3 or not all("=" in field for field in fields[2:]):
            cause = "the line is no sense: headword, class, gloss, CODE=word|word …"
            raise InputError(Fault("E225", cause, "make the file anew", str(path), number))
        table = {code: tuple(words.split("|")) for code, _, words in (field.partition("=") for field in fields[2:])}
        table[PIVOT] = (headword,)
        yield headword, fields[0], fields[1], table


@cache
def _lines(path: Path) -> tuple[str, ...]:
    try:
        return tuple(lzma.decompress(path.read_bytes()).decode("utf-8").splitlines())
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise InputError(Fault("E225", f"it cannot be read ({error})", "copy it again", str(path))) from error


@cache
def _languages(path: Path) -> frozenset[str]:
    return frozenset(code for row in _rows(path) for code in row[3])


@cache
def _digest(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()[:8]
