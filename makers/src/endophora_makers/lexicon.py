"""A morphological dictionary as a table of frequent forms, for :class:`~endophora.annotate.forms.LabelLexicon`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, cast

from endophora.annotate.agreement import POS
from endophora.annotate.annotator import parse_features
from endophora.annotate.forms import NAME, WORD, LabelLexicon
from endophora.errors import Fault, MissingModelError
from endophora.record import Fixed
from endophora_makers.morph_analyses import Analyses, Dictionary, TagTable
from endophora_makers.tables import Endings, Table, Tables, inflected

if TYPE_CHECKING:
    from collections.abc import Callable

    from endophora_makers.conllu import Word
    from endophora_makers.labelling import Facts

_RECIPES = Path(__file__).parent / "recipes"
_FREQUENCIES = "wordfreq"


class LexiconSource(Fixed):
    """Which dictionary, and which of its forms.

    Attributes:
        tags: the table of its tags, next to the recipes.
        most: how many of the list's forms are looked up, the most frequent first.
        tables: tables of forms that are the dictionary, if no library is.
        names: whether the dictionary has names, so that what it says of a small word holds with a capital, too.
        seen: whether a form may also have the labels that it has in the training text, for a dictionary with gaps.
        open: features that a form need not bear if it has readings that differ in them alone (epicene adjectives).
        attached: endings of the most frequent words → further forms to look up, which no list has (Spanish enclitics).
        hosts: how many words have such forms looked up.
    """

    tags: str
    language: str
    wordlist: str = "large"
    most: int = 300_000
    tables: tuple[Table, ...] = ()
    names: bool = True
    seen: bool = False
    open: tuple[str, ...] = ()
    attached: tuple[Endings, ...] = ()
    hosts: int = 0

    def table(self, labels: Sequence[str], base: Path, words: Iterable[Word] = ()) -> LabelLexicon:
        """Look the forms up.

        Raises:
            MissingModelError: dictionary or list is not installed (E085).
            InputError: an archive cannot be read (E081).
        """
        tags = TagTable.read(_RECIPES / self.tags)
        analyse = Tables(self.tables, base).analyses if self.tables else Dictionary(tags).analyses
        frequents = frequent(self.language, self.wordlist, self.most)
        further = (form for word in frequents[: self.hosts] for form, _ in inflected(word, self.attached))
        frequents = list(dict.fromkeys([*frequents, *further]))
        entries = fitting(frequents, tags, analyse, labels, self.open)
        if self.seen:
            entries = with_seen(entries, words, labels)
        lexicon = LabelLexicon.of(entries, len(labels))
        lexicon.names = self.names
        return lexicon


def frequent(language: str, wordlist: str, most: int) -> list[str]:
    """Return the most frequent words of a language in lower case.

    Raises:
        MissingModelError: the package that lists them is not installed (E085).
    """
    if find_spec(_FREQUENCIES) is None:
        advice = f"install it: pip install {_FREQUENCIES}"
        raise MissingModelError(Fault("E085", f"the word list “{_FREQUENCIES}” is missing", advice))
    words = import_module(_FREQUENCIES).iter_wordlist(language, wordlist)
    return [word for word, _ in zip(cast("Iterable[str]", words), range(most), strict=False)]


def fitting(
    words: Iterable[str],
    table: TagTable,
    analyse: Callable[[str], Analyses],
    labels: Sequence[str],
    undecided: Sequence[str] = (),
) -> dict[str, frozenset[int]]:
    """Return which labels fit each word that a dictionary has: those that some reading would change least.

    Args:
        words: words in lower case; their capitalised form is a separate entry where the dictionary says another.
        analyse: returns the lemma and the tag of each reading of a form.
        undecided: features that a form need not bear if it has readings that differ in them alone.
    """
    known = [parse_features(label) for label in labels]

    @cache
    def numbers(analyses: frozenset[tuple[str, str]]) -> frozenset[int]:
        """Return the labels that agree best with what a dictionary says of a form."""
        readings = table.readings(sorted(analyses))
        readings += tuple(each for name in undecided for each in _without(name, readings))
        costs = {index: cost for index, values in enumerate(known) for cost in _cost(values, readings)}
        least = min(costs.values(), default=0)
        return frozenset(index for index, cost in costs.items() if cost == least)

    entries: dict[str, frozenset[int]] = {}
    for word in words:
        found = {mark + form: numbers(_tags(analyse(form))) for mark, form in _forms(word)}
        name, low = found.get(NAME + word.capitalize()), found.get(WORD + word)
        entries |= {entry: each for entry, each in found.items() if each and (entry[:2] == WORD or name != low)}
    return entries


def with_seen(
    entries: Mapping[str, frozenset[int]], words: Iterable[Word], labels: Sequence[str]
) -> dict[str, frozenset[int]]:
    """Return entries, with the labels that their forms have in some text added.

    Args:
        entries: marked form → numbers of labels.
    """
    number = {_key(parse_features(label)): index for index, label in enumerate(labels)}
    seen: dict[str, set[int]] = defaultdict(set)
    for word in words:
        index = number.get(_key({**parse_features(word.features), POS: word.upos}))
        if index is not None:
            seen[WORD + word.form.lower()].add(index)
    return {form: each.union(seen.get(form, ())) for form, each in entries.items()}


def _key(values: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset(values.items())


def _without(name: str, readings: Sequence[Facts]) -> Iterator[Facts]:
    """Yield readings without a feature in which alone several differ."""
    values: dict[tuple[object, ...], set[str | None]] = defaultdict(set)
    bare = [replace(each, sets={**each.sets, name: None}) for each in readings]
    for each, less in zip(readings, bare, strict=True):
        values[less.key].add(each.sets.get(name))
    yield from (less for less in bare if len(values[less.key]) > 1)


def _forms(word: str) -> Iterator[tuple[str, str]]:
    yield WORD, word
    if word.capitalize() != word:
        yield NAME, word.capitalize()


def _tags(analyses: Analyses) -> frozenset[tuple[str, str]]:
    """Return readings without their lemmas, of which only the capital counts, so that most words share theirs."""
    return frozenset(("X" if lemma[:1].isupper() else "x", tag) for lemma, tag in analyses)


def _cost(label: Mapping[str, str], readings: Sequence[Facts]) -> Iterator[int]:
    """Yield how many features of a label the nearest reading would change, if one allows its part of speech."""
    changes = [
        sum(label.get(name) != value for name, value in reading.sets.items())
        for reading in readings
        if label.get(POS, "") in reading.upos
    ]
    if changes:
        yield min(changes)
