"""What a sense inventory is: for a source word its senses, each with the target words that say it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from endophora.registry import Registry

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
        gloss: what it means, for people; may be empty.
        words: its lexicalisations in the target language.
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

        Args:
            words: all that are asked for, so that a service or a large file is asked once.

        Raises:
            InputError: what it is read from is not in its format (E225), or a service refuses (E227).
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
        "babelnet": "endophora.suites.senses.babelnet:open_babelnet",
        "tsv": "endophora.suites.senses.tables:open_tsv",
    },
)
"""Inventories by name."""


def open_inventory(name: str, source_language: str, target_language: str) -> Inventory:
    """Open an inventory.

    Args:
        name: a name of :data:`INVENTORIES`, with a colon and an argument where it takes one: ``wiktionary``,
            ``wordnet:FILE,FILE`` or ``wordnet:LEXICON,LEXICON`` (source, target), ``babelnet``, ``tsv:FILE``.
        source_language: ISO 639-1 code.
        target_language: ISO 639-1 code.

    Raises:
        InputError: there is none of this name (E090), or what it is read from is not in its format (E225).
        MissingModelError: it is not installed (E226).
    """
    kind, _, argument = name.partition(":")
    return INVENTORIES.get(kind)(argument, source_language, target_language)


def folded(word: str) -> str:
    """Return a word as inventories are asked for it: in lower case, with single blanks for underscores."""
    return " ".join(word.lower().replace("_", " ").split())
