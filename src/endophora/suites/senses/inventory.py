"""Sense inventories: for a source word its senses, each with the target words that say it.

- Wiktionary, embedded: the English Wiktionary's translation tables, which are by sense. A row is an English
  headword, its part of speech, a gloss, and ``word|word`` for each language that has it; the file has a line a column,
  in an eighth fewer bytes than a line a row. From English the senses of a word are its rows; into English they are all
  rows that have it as a translation; between two other languages English is the pivot. The file is offered under
  CC BY-SA 3.0; NOTICE has the credit.
- Wordnets: the synsets that a source word and its translations share. Tables of the Open Multilingual Wordnet
  (``.tab``) have the ids of Princeton's synsets; files of WN-LMF and the lexicons of the library ``wn`` are joined by
  the interlingual index; BabelNet is asked through its HTTP interface with the user's key.
- A table of the user's. Tables and suites are also gold clusterings, by which the threshold is chosen.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import each_line
from endophora.errors import Fault, InputError, MissingModelError
from endophora.metrics.wordnet import read_tab
from endophora.registry import Registry
from endophora.suites.senses.items import sense_of
from endophora.suites.senses.mucow import read_mucow_json

NOUN, VERB, ADJECTIVE, ADVERB = "NOUN", "VERB", "ADJ", "ADV"
CLASSES = (NOUN, VERB, ADJECTIVE, ADVERB)
"""The parts of speech that inventories have."""


@dataclass(frozen=True, slots=True)
class SourceWord:
    """A word of the source language: its lemma and universal part of speech (empty if it does not matter)."""

    lemma: str
    upos: str = ""

    def __str__(self) -> str:
        """Return the word as tables show it."""
        return f"{self.lemma}.{self.upos}" if self.upos else self.lemma


@dataclass(frozen=True, slots=True)
class Sense:
    """One sense of a source word."""

    id: str
    gloss: str
    words: tuple[str, ...]
    signs: frozenset[str] = (
        frozenset()
    )  # what it shares with senses of like meaning, such as its words in all languages


Senses = dict[SourceWord, tuple[Sense, ...]]


class Inventory(Protocol):
    """Gives the senses of words."""

    @property
    def name(self) -> str:
        """Name and version, for signatures."""
        ...

    def senses(self, words: Iterable[SourceWord]) -> Senses:
        """Return the senses of words, in the inventory's order; words that it does not have are left out.

        Raises: InputError: what it is read from is not in its format (E225), or a service refuses (E227).
        MissingModelError: it is not installed (E226).
        """
        ...


Gold = Mapping[str, tuple[frozenset[str], ...]]
"""Word, folded → the words of each of its senses, folded."""


def folded(word: str) -> str:
    """Return a word as inventories are asked for it: in lower case, with single blanks for underscores."""
    return " ".join(word.lower().replace("_", " ").split())


def plain(word: str) -> str:
    """Return a word as it is compared: folded, without vowel points, which dictionaries write and texts do not."""
    text = folded(word)
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFC", text) if unicodedata.category(c) != "Mn")


class _WordByWord(ABC):
    """An inventory that is asked for each word by itself."""

    name: str

    def senses(self, words: Iterable[SourceWord]) -> Senses:
        """Return the senses of words; see :class:`Inventory`."""
        return {word: found for word in words if (found := self._senses_of(word))}

    @abstractmethod
    def _senses_of(self, word: SourceWord) -> tuple[Sense, ...]: ...


# Tables.


class _Table(_WordByWord):
    def __init__(self, path: Path) -> None:
        self.name = f"tsv-{path.name}"
        self._senses = read_table(path)

    def _senses_of(self, word: SourceWord) -> tuple[Sense, ...]:
        lemma = folded(word.lemma)
        return self._senses.get(SourceWord(lemma, word.upos)) or self._senses.get(SourceWord(lemma), ())


def open_tsv(argument: str, source_language: str, target_language: str) -> Inventory:
    """Open the table that the argument names; the languages are the user's to know."""
    del source_language, target_language
    return _Table(Path(argument))


def read_table(path: Path) -> Senses:
    """Read senses, one a line: word, part of speech (may be empty), name of the sense, target words between ``|``."""
    log, found = FaultLog(), dict[SourceWord, list[Sense]]()
    for number, line in each_line(path, log):
        if line is None or not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        words = tuple(word for part in fields[-1].split("|") if (word := part.strip()))
        if len(fields) != 4 or not fields[0].strip() or not words:
            advice = "word, part of speech, sense, words between | – with tabs between"
            log.add("E225", "this is no sense", advice, str(path), number)
            continue
        key = SourceWord(folded(fields[0]), fields[1].strip())
        found.setdefault(key, []).append(Sense(fields[2].strip() or str(number), fields[2].strip(), words))
    log.check()
    return {word: tuple(senses) for word, senses in found.items()}


def read_gold(path: Path) -> Gold:
    """Read a gold clustering: a table as above, or a suite of MuCoW's or ContraWSD's, in JSON."""
    if path.name.removesuffix(".gz").endswith(".json"):
        suite = read_mucow_json(path)
        listed = [(folded(item.source_lemma), sense_of(item), item.expected) for item in suite.items]
    else:
        table = read_table(path)
        listed = [(word.lemma, sense.id, sense.words) for word, senses in table.items() for sense in senses]
    found: dict[str, dict[str, set[str]]] = {}
    for word, name, words in listed:
        found.setdefault(word, {}).setdefault(name, set()).update(map(folded, words))
    return {word: tuple(map(frozenset, senses.values())) for word, senses in found.items()}


# Wiktionary.

DATA = Path(__file__).parent / "data" / "wiktionary.tsv.xz"
PIVOT = "en"
"""The language of the headwords."""
COLUMNS = ("headword", "class", "gloss")
"""The first columns of the file; the others are languages."""


class _Wiktionary:
    def __init__(self, path: Path, source_language: str, target_language: str) -> None:
        self.name, self._path = f"wiktionary-{_digest(path)}", path
        self._source, self._target = source_language, target_language

    def senses(self, words: Iterable[SourceWord]) -> Senses:
        """Return the senses of words; their signs are their words in all languages but the source's."""
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


def open_wiktionary(argument: str, source_language: str, target_language: str) -> Inventory:
    """Open the embedded file, or the one that the argument names."""
    path = Path(argument) if argument else DATA
    if not path.is_file():
        raise InputError(Fault("E225", "there is no such file", "see docs/senses.md for how it is made", str(path)))
    known = _languages(path)
    missing = [code for code in (source_language, target_language) if code not in known]
    if missing:
        advice = f"it has {', '.join(sorted(known))}; name another inventory"
        raise InputError(Fault("E225", f"it has no words of “{missing[0]}”", advice, str(path)))
    return _Wiktionary(path, source_language, target_language)


def _rows(path: Path) -> Iterator[tuple[str, str, str, dict[str, tuple[str, ...]]]]:
    columns = _columns(path)
    codes = tuple(columns)[len(COLUMNS) :]
    for headword, upos, gloss, *cells in zip(*columns.values(), strict=True):
        table = {code: tuple(cell.split("|")) for code, cell in zip(codes, cells, strict=True) if cell}
        table[PIVOT] = (headword,)
        yield headword, upos, gloss, table


@cache
def _columns(path: Path) -> dict[str, list[str]]:
    try:
        lines = lzma.decompress(path.read_bytes()).decode("utf-8").splitlines()
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise InputError(Fault("E225", f"it cannot be read ({error})", "copy it again", str(path))) from error
    columns = {name: cells for name, *cells in (line.split("\t") for line in lines)}
    lengths = [len(cells) for cells in columns.values()]
    wrong = next((n for n, length in enumerate(lengths, start=1) if length != lengths[0]), 0)
    if wrong or tuple(columns)[: len(COLUMNS)] != COLUMNS:
        cause = f"it is no table of senses: a line a column, of one length, {', '.join(COLUMNS)}, then languages"
        raise InputError(Fault("E225", cause, "make the file again", str(path), wrong or 1))
    return columns


def _languages(path: Path) -> frozenset[str]:
    return frozenset(_columns(path)) - set(COLUMNS) | {PIVOT}


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:8]


# Wordnets.

_POS = {"n": NOUN, "v": VERB, "a": ADJECTIVE, "s": ADJECTIVE, "r": ADVERB}
_Entries = Iterator[tuple[str, str, str]]
"""Lemma, universal part of speech, id of a synset."""


class _Wordnets(_WordByWord):
    def __init__(self, source: _Entries, target: _Entries, name: str) -> None:
        self.name = name
        self._synsets: dict[SourceWord, list[str]] = {}
        for lemma, upos, synset in source:
            self._synsets.setdefault(SourceWord(folded(lemma), upos), []).append(synset)
        self._words: dict[str, list[str]] = {}
        for lemma, _, synset in target:
            self._words.setdefault(synset, []).append(lemma.replace("_", " "))

    def _senses_of(self, word: SourceWord) -> tuple[Sense, ...]:
        classes = [word.upos] if word.upos else sorted(CLASSES)
        synsets = (id for upos in classes for id in self._synsets.get(SourceWord(folded(word.lemma), upos), ()))
        known = (id for id in dict.fromkeys(synsets) if id in self._words)
        return tuple(Sense(id, "", tuple(dict.fromkeys(self._words[id]))) for id in known)


def open_wordnets(argument: str, source_language: str, target_language: str) -> Inventory:
    """Open two wordnets, source and target with a comma between.

    They are files (``.tab``, ``.tab.gz``, ``.xml``), or lexicons installed in the library ``wn`` (``oewn:2024``).
    """
    del source_language, target_language
    names = argument.split(",")
    if len(names) != 2 or not all(names):
        advice = "wordnet:SOURCE,TARGET, files or lexicons of the library wn"
        raise InputError(Fault("E220", f"“{argument}” names not two wordnets", advice, "--inventory"))
    source, target = map(_entries, names)
    return _Wordnets(source, target, f"wordnet-{Path(names[0]).name}+{Path(names[1]).name}")


def _entries(name: str) -> _Entries:
    if name.endswith((".tab", ".tab.gz")):
        return _table_entries(Path(name))
    return _lmf_entries(Path(name)) if name.endswith(".xml") else _lexicon_entries(name)


def _table_entries(path: Path) -> _Entries:
    for lemma, classes in read_tab(path).lemmas.items():
        for pos, synsets in classes.items():
            for synset in sorted(synsets):
                yield lemma, _POS[pos], synset


def _library() -> Any:
    try:
        import wn

        import_module("wn.lmf")
    except ImportError as error:
        advice = "install it with: pip install 'endophora[wordnet]'"
        raise MissingModelError(Fault("E226", "wordnets need the library wn", advice)) from error
    return wn


def _lmf_entries(path: Path) -> _Entries:
    library = _library()
    if not path.is_file():
        raise InputError(Fault("E001", "no such file", "check the path", str(path)))
    try:
        resource = library.lmf.load(path)
    except Exception as error:  # the library raises many kinds, and its parser's own
        raise InputError(
            Fault("E225", f"it is no WN-LMF ({error})", "give a file of that format", str(path))
        ) from error
    for lexicon in resource["lexicons"]:
        index = {synset["id"]: synset.get("ili") or synset["id"] for synset in lexicon["synsets"]}
        for entry in lexicon["entries"]:
            lemma = entry["lemma"]
            for sense in entry.get("senses", ()):
                if lemma["partOfSpeech"] in _POS and sense["synset"] in index:
                    yield lemma["writtenForm"], _POS[lemma["partOfSpeech"]], index[sense["synset"]]


def _lexicon_entries(name: str) -> _Entries:
    library = _library()
    try:
        lexicon = library.Wordnet(name, expand="")
        words = lexicon.words()
    except library.Error as error:
        advice = f"python -m wn download {name}"
        raise MissingModelError(Fault("E226", f"the lexicon “{name}” is not installed", advice)) from error
    for word in words:
        for synset in word.synsets():
            ili = synset.ili
            if word.pos in _POS:
                yield word.lemma(), _POS[word.pos], str(getattr(ili, "id", ili) or synset.id)


# BabelNet.

KEY = "ENDOPHORA_BABELNET_KEY"
"""The environment variable that has the key."""
ADDRESS = "https://babelnet.io/v9"
TIMEOUT = 30.0
"""Seconds until a request fails."""


class _BabelNet(_WordByWord):
    """Senses from BabelNet; an answer is asked for once."""

    def __init__(self, address: str, key: str, source_language: str, target_language: str) -> None:
        self._address, self._key = address.rstrip("/"), key
        self.name = f"babelnet-{self._address.rpartition('/')[2]}"
        self._source, self._target = source_language.upper(), target_language.upper()
        self._synsets: dict[str, Sense | None] = {}

    def _senses_of(self, word: SourceWord) -> tuple[Sense, ...]:
        query = {"lemma": word.lemma, "searchLang": self._source, "targetLang": self._target}
        rows = self._ask("getSynsetIds", query | ({"pos": word.upos} if word.upos else {}))
        ids = [str(row.get("id", "")) for row in cast("list[dict[str, Any]]", rows)]
        return tuple(sense for id in dict.fromkeys(ids) if id and (sense := self._synset(id)))

    def _synset(self, id: str) -> Sense | None:
        if id not in self._synsets:
            body = cast("dict[str, Any]", self._ask("getSynset", {"id": id, "targetLang": self._target}))
            properties = [sense.get("properties", {}) for sense in body.get("senses", ())]
            words = [
                str(one.get("simpleLemma") or one.get("fullLemma", "")).replace("_", " ")
                for one in properties
                if one.get("language") == self._target
            ]
            glosses = [str(gloss.get("gloss", "")) for gloss in body.get("glosses", ())]
            kept = tuple(dict.fromkeys(filter(None, words)))
            self._synsets[id] = Sense(id, next(iter(glosses), ""), kept) if kept else None
        return self._synsets[id]

    def _ask(self, method: str, query: dict[str, str]) -> list[Any] | dict[str, Any]:
        place = f"{self._address}/{method}"
        address = f"{place}?{urlencode(query | {'key': self._key})}"
        request = Request(address, headers={"Accept": "application/json"})  # noqa: S310
        refused = "is the key right, and its daily limit not used up?"
        try:
            with urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
                body = json.loads(answer.read())
        except HTTPError as error:
            raise InputError(Fault("E227", f"BabelNet answered {error.code} {error.reason}", refused, place)) from error
        except (URLError, OSError, ValueError) as error:
            raise InputError(Fault("E227", f"BabelNet gave no answer ({error})", "try again later", place)) from error
        if isinstance(body, dict) and "message" in body:
            raise InputError(Fault("E227", f"BabelNet says: {body['message']}", refused, place))
        if not isinstance(body, list | dict):
            raise InputError(Fault("E227", "BabelNet's answer is not in its form", "try again later", place))
        return cast("list[Any] | dict[str, Any]", body)


def open_babelnet(argument: str, source_language: str, target_language: str) -> Inventory:
    """Open BabelNet, at the address that the argument names or its own."""
    key, address = os.environ.get(KEY, ""), argument or ADDRESS
    if not key:
        raise InputError(Fault("E227", "BabelNet needs a key", f"set {KEY} to yours", "--inventory"))
    if not address.startswith(("http://", "https://")):
        raise InputError(Fault("E227", f"“{address}” is no address", "give one of HTTP", "--inventory"))
    return _BabelNet(address, key, source_language, target_language)


Opener = Callable[[str, str, str], Inventory]
"""(argument, source language, target language) → inventory; the argument is what stands after the colon of its name."""

INVENTORIES: Registry[Opener] = Registry(
    "inventory", {"wiktionary": open_wiktionary, "wordnet": open_wordnets, "babelnet": open_babelnet, "tsv": open_tsv}
)
"""Inventories by name; ``wiktionary``, ``wordnet:FILE,FILE`` or ``wordnet:LEXICON,LEXICON``, ``tsv:FILE``."""


def open_inventory(name: str, source_language: str, target_language: str) -> Inventory:
    """Open an inventory: a name of :data:`INVENTORIES`, with a colon and an argument where it takes one."""
    kind, _, argument = name.partition(":")
    return INVENTORIES.get(kind)(argument, source_language, target_language)
