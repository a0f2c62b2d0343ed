"""Text for aligner priors: LibreOffice's help and messages, Wiktionary's lists, WordNet; and what is kept out of it.

All readers yield :class:`~endophora.training.parallel.TextPair`. What is evaluated on is kept out by :func:`keep_out`.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from endophora.errors import Fault, InputError
from endophora.training.parallel import TextPair, letters_and_digits, read_help_pages, read_messages

_BRACKETS = re.compile(r"\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|/[^/]*/")
_MARKUP = re.compile(r"\[p\].*?\[/p\]|\[/?[a-z0-9 ]+\]|\\")
_MNEMONICS = re.compile(r"[~_](?=\w)")


def read_help(folder: Path, source: str, target: str) -> Iterator[TextPair]:
    """Read LibreOffice's help in two languages: paragraphs of the same page and id.

    Raises:
        InputError: a language's folder is missing (E081).
    """
    for _, pairs in read_help_pages(folder, source, target):
        yield from pairs


def read_wiktionary(path: Path) -> Iterator[TextPair]:
    """Read a list of translations made from Wiktionary, each headword with each of its translations.

    Args:
        path: ``.txt.gz`` with lines ``headword {class} (gloss) :: translation {gender}, …``, or ``.dsl.dz``.
    """
    lines = _dictionary_lines(path) if ".dsl" in path.name else _list_lines(path)
    for headword, translations in lines:
        for translation in translations.split(","):
            text = _BRACKETS.sub(" ", translation).strip(" ;-")
            if text and "SEE:" not in translation:
                yield TextPair("wiktionary", headword, " ".join(text.split()))


def read_wordnet(path: Path, folder: Path) -> Iterator[TextPair]:
    """Read translations by synset, each of the synset's English words with each of its translations.

    Args:
        path: a table of the Open Multilingual Wordnet, ``.tab`` or ``.tab.gz``: ``00005205-a``, ``est:lemma``, lemma.

    Raises:
        InputError: the folder has no such files (E081).
    """
    english: dict[str, list[str]] = {}
    for kind, name in _WORDNET.items():
        file = folder / f"data.{name}"
        if not file.is_file():
            raise InputError(Fault("E081", "there is no such file", "install or unpack WordNet 3.0", str(file)))
        for line in _text_lines(file):
            if line[0] != " ":
                offset, _, _, count, *rest = line.split(" ")
                words = rest[: 2 * int(count, 16) : 2]
                english[f"{offset}-{kind}"] = [word.partition("(")[0].replace("_", " ") for word in words]
    for line in _text_lines(path):
        synset, _, lemma = line.partition("\t")
        if not line.startswith("#"):
            for word in english.get(synset, ()):
                yield TextPair("wordnet", word, lemma.rpartition("\t")[2])


_WORDNET = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


def read_catalogues(folder: Path) -> Iterator[TextPair]:
    """Read the compiled message catalogues (``.mo``) of a folder: English messages and their translations.

    Raises:
        InputError: there is no catalogue (E081).
    """
    catalogues = sorted(folder.rglob("*.mo"))
    if not catalogues:
        raise InputError(Fault("E081", "there is no .mo file in it", "unpack a translation package", str(folder)))
    for path in catalogues:
        for message, translation in read_messages(path):
            if message:
                yield TextPair("messages", _MNEMONICS.sub("", message), _MNEMONICS.sub("", translation))


def keep_out(pairs: Iterable[TextPair], texts: Iterable[str]) -> Iterator[TextPair]:
    """Yield each pair once, and none with a side that is also among ``texts``, punctuation and case aside."""
    barred = {letters_and_digits(text) for text in texts} - {""}
    seen: set[tuple[str, str]] = set()
    for pair in pairs:
        key = (letters_and_digits(pair.source), letters_and_digits(pair.target))
        if key in seen or key[0] in barred or key[1] in barred:
            continue
        seen.add(key)
        yield pair


def _list_lines(path: Path) -> Iterator[tuple[str, str]]:
    for line in _text_lines(path):
        head, mark, translations = line.partition("::")
        if mark and "SEE:" not in head:
            yield re.split(r"[{(/]", head, maxsplit=1)[0].strip(), translations


def _dictionary_lines(path: Path) -> Iterator[tuple[str, str]]:
    headword = ""
    for line in _text_lines(path, "utf-16"):
        if line and not line[0].isspace() and not line.startswith("#"):
            headword = line.strip()
        elif line.strip().startswith("[m"):
            yield headword, _MARKUP.sub("", line)


def _text_lines(path: Path, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of a text file, plain or compressed (``.gz``, ``.dz``)."""
    data = path.read_bytes()
    if path.suffix in (".gz", ".dz"):
        data = gzip.decompress(data)
    yield from data.decode(encoding).removesuffix("\n").split("\n")
