"""Which words of an item are in an output: first among its words, then, where none is, among its lemmas.

As published (Raganato et al., 2019, §5) the output is tokenised and in lower case, and a translation counts as wrong
if any wrong word is in it. Other than there, an entry of several words is found, wherever they follow one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from endophora.annotate import load_annotator
from endophora.suites.records import Item

RIGHT, WRONG, MISSING = 1, 0, -1
"""The outcomes of an item; nothing is found where it is missing."""

Entry: TypeAlias = tuple[str, ...]
"""The words of an entry, in lower case."""


class Text:
    """A text to look in: at each place the words, in lower case, that stand for it.

    Args:
        places: alternatives at each place, such as a form and its lemma.
    """

    __slots__ = ("_all", "_places")

    def __init__(self, places: Sequence[tuple[str, ...]]) -> None:
        self._places = places
        self._all = frozenset(word for place in places for word in place)

    def has_any(self, writings: Iterable[Entry]) -> bool:
        """Tell whether the words of an entry, in one of its writings, follow one another here."""
        return any(map(self.has, writings))

    def has(self, entry: Entry) -> bool:
        """Tell whether the words of an entry follow one another here."""
        if not self._all.issuperset(entry) or not entry:
            return False
        if len(entry) == 1:
            return True
        return bool(self.places(entry))

    def places(self, entry: Entry) -> list[range]:
        """Return the places where the words of an entry follow one another here."""
        last = len(self._places) - len(entry)
        return [
            range(start, start + len(entry))
            for start in range(last + 1 if entry else 0)
            if all(word in self._places[start + place] for place, word in enumerate(entry))
        ]


@dataclass(frozen=True, slots=True)
class SystemText:
    """What is looked at of one system.

    Attributes:
        forms: each output's words.
        lemmas: each output's lemmas; empty if there is no back-off.
    """

    forms: Sequence[Text]
    lemmas: Sequence[Text] = ()


class Finding(NamedTuple):
    """What was found for an item.

    Attributes:
        outcome: :data:`RIGHT`, :data:`WRONG` or :data:`MISSING`.
        by_lemma: whether only the lemmas had it.
        wrong: the wrong words found.
    """

    outcome: int
    by_lemma: bool
    wrong: tuple[str, ...]


class Tokens:
    """Splits texts of a language into words, and remembers entries.

    Args:
        language: ISO 639-1 code of the target language.

    Raises:
        InputError: there is no tokenizer for the language (E042).
        MissingModelError: it needs a library (E040).
    """

    def __init__(self, language: str) -> None:
        self._annotator = load_annotator(language, "blank")
        self._entries: dict[str, tuple[Entry, ...]] = {}

    @property
    def signature(self) -> str:
        """Name and version of the tokenizer."""
        return self._annotator.signature

    def texts(self, lines: Iterable[str]) -> list[Text]:
        """Return the words of lines."""
        return [Text([(token.form.lower(),) for token in text.tokens]) for text in self._annotator.annotate(lines)]

    def learn(self, entries: Iterable[str]) -> None:
        """Split entries, all at once: one by one would be slow."""
        new = [entry for entry in dict.fromkeys(entries) if entry not in self._entries]
        for entry, text in zip(new, self._annotator.annotate(new), strict=True):
            # As the tokenizer splits it, and as it stands: given lemmas may be split in another way.
            writings = (tuple(token.form.lower() for token in text.tokens), tuple(entry.lower().split()))
            self._entries[entry] = tuple(dict.fromkeys(writings))

    def entry(self, entry: str) -> tuple[Entry, ...]:
        """Return the words of an entry, in one writing or two."""
        if entry not in self._entries:
            self.learn([entry])
        return self._entries[entry]


def lemmatise(language: str, lines: Iterable[str], name: str | None = None) -> tuple[list[Text], str]:
    """Return the lemmas of lines, each beside its form, and the signature of the annotator.

    Args:
        language: ISO 639-1 code.
        lines: the outputs.
        name: of an annotator, by default the language's.

    Raises:
        MissingModelError: there is no annotator (E040).
    """
    annotator = load_annotator(language, name)
    texts = [
        Text([(token.lemma.lower(), token.form.lower()) for token in text.tokens]) for text in annotator.annotate(lines)
    ]
    return texts, annotator.signature


def given_lemmas(lines: Iterable[Sequence[str]]) -> list[Text]:
    """Return texts of lemmas that a file gave."""
    return [Text([(lemma.lower(),) for lemma in line]) for line in lines]


def find(item: Item, index: int, system: SystemText, entries: Mapping[str, tuple[Entry, ...]]) -> Finding:
    """Return what is found for an item.

    Args:
        item: the words sought.
        index: its place in the suite.
        system: the output.
        entries: the words of each entry, in its writings.
    """
    for by_lemma, texts in enumerate((system.forms, system.lemmas)):
        if not texts:
            continue
        text = texts[index]
        wrong = tuple(word for word in item.forbidden if text.has_any(entries[word]))
        if wrong:
            return Finding(WRONG, bool(by_lemma), wrong)
        if any(text.has_any(entries[word]) for word in item.expected):
            return Finding(RIGHT, bool(by_lemma), ())
    return Finding(MISSING, False, ())
