"""Make the compact file of senses from lists of Wiktionary's translation tables.

    python -m endophora_makers.wiktionary ../shared/lexicons/wiktionary wiktionary.tsv.xz

The lists are one a language, ``en-de.txt.gz`` (``headword {class} (gloss) :: translation {gender}, …``) or
``en-fi.dsl.dz`` of the same in another form; Matthias Buchmeier made them from the English Wiktionary.
:mod:`endophora.suites.senses.inventory` describes the file.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from endophora.suites.senses.inventory import ADJECTIVE, ADVERB, COLUMNS, NOUN, VERB

PARTS = {"n": NOUN, "v": VERB, "adj": ADJECTIVE, "adv": ADVERB}
"""The lists' parts of speech → universal ones; entries of others are left out."""

CODES = {"arb": "ar", "cmn": "zh"}
"""Codes in file names that are not of ISO 639-1."""

_TEXT_HEAD = re.compile(r"(?P<word>[^{]+?) \{(?P<part>[a-z]+)[^}]*\}(?P<rest>.*)$")
_DSL_HEAD = re.compile(r".*?\[p\]<(?P<part>[a-z]+)[^>]*>\[/p\](?P<rest>.*)$")
_MARKUP = re.compile(r"\[c [^\]]*\].*?\[/c\]|\[p\].*?\[/p\]|\[/?[a-z0-9 ]+\]|\\")
_NOTES = re.compile(r"\{[^}]*\}|\[[^\]]*\]|\([^()]*\)")
_SOUNDS = re.compile(r"(?:^|\s)/[^/]*/")
_SEE = "SEE:"


class Row(NamedTuple):
    """One sense: an English headword, its part of speech, a gloss, and its translations into one language."""

    word: str
    upos: str
    gloss: str
    words: tuple[str, ...]


def read_list(path: Path) -> Iterator[Row]:
    """Yield the senses of a list."""
    data = gzip.decompress(path.read_bytes())
    if ".dsl" in path.name:
        yield from _dsl_rows(data.decode("utf-16").splitlines())
        return
    for line in data.decode("utf-8").splitlines():
        head, mark, body = line.partition(" ::")
        found = _TEXT_HEAD.match(head)
        if mark and found and not line.startswith("#") and _SEE not in line:
            yield from _row(found["word"], found["part"], found["rest"], body)


def _dsl_rows(lines: list[str]) -> Iterator[Row]:
    word, head = "", None
    for line in lines:
        if line and not line[0].isspace():
            word = line.strip().replace("\\", "")
        elif "[m1]" in line and head and _SEE not in line:
            yield from _row(word, head["part"], _MARKUP.sub("", head["rest"]), _MARKUP.sub("", _noted(line)))
        elif line.strip():
            head = _DSL_HEAD.match(line)


def _noted(line: str) -> str:
    r"""Return a line whose notes, ``\[archaic\]``, are in braces, so that they are not read as markup."""
    return line.replace("\\[", "{").replace("\\]", "}")


def _row(word: str, part: str, rest: str, body: str) -> Iterator[Row]:
    cleaned = map(_clean, _split(_SOUNDS.sub(" ", body)))
    words = tuple(dict.fromkeys(word for word in cleaned if word))
    if part in PARTS and words:
        gloss = rest[rest.find("(") + 1 : rest.rfind(")")] if "(" in rest and ")" in rest else ""
        yield Row(" ".join(word.split()), PARTS[part], " ".join(gloss.split()), words)


def _clean(word: str) -> str:
    text = word
    while (less := _NOTES.sub(" ", text)) != text:
        text = less
    return " ".join(re.sub(r"[|=\t;]", " ", text).split()).strip(" -/")


def _split(body: str) -> Iterator[str]:
    """Yield what stands between commas that are in no bracket."""
    depth, start = 0, 0
    for at, character in enumerate(body):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth = max(0, depth - 1)
        elif character == "," and not depth:
            yield body[start:at]
            start = at + 1
    yield body[start:]


def compact(folder: Path) -> list[str]:
    """Return the lines of the compact file, a column each, of all lists in a folder; headwords are in order."""
    table: dict[tuple[str, str, str], dict[str, tuple[str, ...]]] = {}
    for path in sorted(folder.glob("en-*.*z")):
        code = path.name.partition(".")[0].removeprefix("en-")
        for row in read_list(path):
            table.setdefault(row[:3], {})[CODES.get(code, code)] = row.words
    keys = sorted(table)
    codes = sorted({code for words in table.values() for code in words})
    columns = [(name, *(key[place] for key in keys)) for place, name in enumerate(COLUMNS)]
    columns += [(code, *("|".join(table[key].get(code, ())) for key in keys)) for code in codes]
    return ["\t".join(column) for column in columns]


def write_compact(lines: list[str], path: Path) -> None:
    """Write the lines, compressed; the same lines give the same bytes."""
    body = "".join(f"{line}\n" for line in lines).encode()
    text = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "pb": 0, "nice_len": 273}
    path.write_bytes(lzma.compress(body, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, filters=[text]))


def main() -> None:
    """Make the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    lines = compact(arguments.folder)
    write_compact(lines, arguments.output)
    print(f"{lines[0].count(chr(9))} senses, {arguments.output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
