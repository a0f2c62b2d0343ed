"""Senses from a table of the user's: an inventory, or a gold clustering by which the threshold is chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import each_line
from endophora.suites.senses.inventory import Sense, SourceWord, folded
from endophora.suites.senses.mucow_json import read_mucow_json
from endophora.suites.senses.words import sense_of

Gold = Mapping[str, tuple[frozenset[str], ...]]
"""Word, folded → the words of each of its senses, folded."""


class TableInventory:
    """Senses from a table; see :func:`read_table`.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._senses = read_table(path)

    @property
    def name(self) -> str:
        """The file's name."""
        return f"tsv-{self._path.name}"

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
    """Read senses, one a line: word, part of speech (may be empty), name of the sense, target words between ``|``.

    Raises:
        InputError: with all faults: the file cannot be read (E001 and following), or a line is not in this form (E225).
    """
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
    """Read a gold clustering: a table as above, or a suite of MuCoW's or ContraWSD's, in JSON.

    Raises:
        InputError: see :func:`read_table` and :func:`~endophora.suites.senses.mucow_json.read_mucow_json`.
    """
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
