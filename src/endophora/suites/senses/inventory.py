"""What a sense inventory is: for a source word its senses, each with the target words that say it.

Here are also the inventory that is a table of the user's, and gold clusterings by which the threshold is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import each_line
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
    """One sense of a source word.

    Attributes:
        id: names it in its inventory; embeddings may be by it.
        signs: what it shares with senses of like meaning, such as its words in all languages; may be empty.
    """

    id: str
    gloss: str
    words: tuple[str, ...]
    signs: frozenset[str] = frozenset()


class Inventory(Protocol):
    """Gives the senses of words."""

    @property
    def name(self) -> str:
        """Name and version, for signatures."""
        ...

    def senses(self, words: Iterable[SourceWord]) -> dict[SourceWord, tuple[Sense, ...]]:
        """Return the senses of words, in the inventory's order; words that it does not have are left out.

        Raises: InputError: what it is read from is not in its format (E225), or a service refuses (E227).
        MissingModelError: it is not installed (E226).
        """
        ...


Opener = Callable[[str, str, str], Inventory]
"""(argument, source language, target language) → inventory; the argument is what stands after the colon of its name."""

INVENTORIES: Registry[Opener] = Registry(
    "inventory",
    {
        "wiktionary": "endophora.suites.senses.wiktionary:open_wiktionary",
        "wordnet": "endophora.suites.senses.wordnets:open_wordnets",
        "babelnet": "endophora.suites.senses.wordnets:open_babelnet",
        "tsv": "endophora.suites.senses.inventory:open_tsv",
    },
)
"""Inventories by name."""


def open_inventory(name: str, source_language: str, target_language: str) -> Inventory:
    """Open an inventory.

    Args:
        name: a name of :data:`INVENTORIES`, with a colon and an argument where it takes one: ``wiktionary``,
            ``wordnet:FILE,FILE`` or ``wordnet:LEXICON,LEXICON`` (source, target), ``babelnet``, ``tsv:FILE``.

    Raises: InputError: there is none of this name (E090), or what it is read from is not in its format (E225).
    MissingModelError: it is not installed (E226).
    """
    kind, _, argument = name.partition(":")
    return INVENTORIES.get(kind)(argument, source_language, target_language)


def folded(word: str) -> str:
    """Return a word as inventories are asked for it: in lower case, with single blanks for underscores."""
    return " ".join(word.lower().replace("_", " ").split())


Gold = Mapping[str, tuple[frozenset[str], ...]]
"""Word, folded → the words of each of its senses, folded."""


class TableInventory:
    """Senses from a table; see :func:`read_table`."""

    def __init__(self, path: Path) -> None:
        self.name = f"tsv-{path.name}"
        self._senses = read_table(path)

    def senses(self, words: Iterable[SourceWord]) -> dict[SourceWord, tuple[Sense, ...]]:
        """Return the senses of words; see :class:`~endophora.suites.senses.inventory.Inventory`."""
        found: dict[SourceWord, tuple[Sense, ...]] = {}
        for word in words:
            lemma = folded(word.lemma)
            keys = [SourceWord(lemma, word.upos), SourceWord(lemma)] if word.upos else [SourceWord(lemma)]
            senses = next((self._senses[key] for key in keys if key in self._senses), ())
            if senses:
                found[word] = senses
        return found


def open_tsv(argument: str, source_language: str, target_language: str) -> TableInventory:
    """Open the table that the argument names; the languages are the user's to know."""
    del source_language, target_language
    return TableInventory(Path(argument))


def read_table(path: Path) -> dict[SourceWord, tuple[Sense, ...]]:
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
    senses: dict[str, dict[str, set[str]]] = {}
    if path.name.removesuffix(".gz").endswith(".json"):
        for item in read_mucow_json(path).items:
            by_name = senses.setdefault(folded(item.source_lemma), {})
            by_name.setdefault(sense_of(item), set()).update(map(folded, item.expected))
    else:
        for word, listed in read_table(path).items():
            by_name = senses.setdefault(word.lemma, {})
            for sense in listed:
                by_name.setdefault(sense.id, set()).update(map(folded, sense.words))
    return {word: tuple(map(frozenset, found.values())) for word, found in senses.items()}
