"""Which words of an item are in an output: first among its words, then, where none is, among its lemmas.

As published (Raganato et al., 2019, §5) the output is tokenised and in lower case, and a translation counts as wrong
if any wrong word is in it. Other than there, an entry of several words is found, wherever they follow one another.
Lemmas are an annotator's, or a file's: lines of lemmas between spaces, or CoNLL-U with a sentence an output.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias

from endophora.annotate.loading import load_annotator
from endophora.annotate.records import AnnotatedText, Annotator
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, read_lines
from endophora.errors import InputError, MissingModelError
from endophora.suites.records import Item, Suite

RIGHT, WRONG, MISSING = 1, 0, -1
"""The outcomes of an item; nothing is found where it is missing."""

Entry: TypeAlias = tuple[str, ...]
"""The words of an entry, in lower case."""


class TextWords:
    """A text to look in: at each place the words, in lower case, that stand for it, such as a form and its lemma."""

    __slots__ = ("_all", "_places")

    def __init__(self, places: Sequence[tuple[str, ...]]) -> None:
        self._places = places
        self._all = frozenset(word for place in places for word in place)

    def has(self, entry: Entry) -> bool:
        """Return whether the words of an entry follow one another here."""
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


class Finding(NamedTuple):
    """What was found for an item."""

    outcome: int
    by_lemma: bool
    wrong: tuple[str, ...]


@lru_cache(maxsize=4)
def _tokenizer(language: str) -> Annotator:
    """Return the tokenizer of a language; the last few stay: to make one takes a while, and nothing changes it."""
    return load_annotator(language, "blank")


class Tokens:
    """Splits texts of a language into words, and remembers entries."""

    def __init__(self, language: str) -> None:
        self._annotator = _tokenizer(language)
        self.signature = self._annotator.signature
        self._entries: dict[str, tuple[Entry, ...]] = {}

    def texts(self, lines: Iterable[str]) -> list[TextWords]:
        """Return the words of lines."""
        return [TextWords([(token.form.lower(),) for token in text.tokens]) for text in self._annotator.annotate(lines)]

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


def lemmatise(language: str, lines: Iterable[str], name: str | None = None) -> tuple[list[TextWords], str]:
    """Return the lemmas of lines, each with its form, and the signature of the annotator."""
    annotator = load_annotator(language, name)
    texts = [
        TextWords([(token.lemma.lower(), token.form.lower()) for token in text.tokens])
        for text in annotator.annotate(lines)
    ]
    return texts, annotator.signature


def given_lemmas(lines: Iterable[Sequence[str]]) -> list[TextWords]:
    """Return texts of lemmas that a file gave."""
    return [TextWords([(lemma.lower(),) for lemma in line]) for line in lines]


def find(item: Item, texts: Sequence[TextWords], entries: Mapping[str, tuple[Entry, ...]]) -> Finding:
    """Return what is found for an item in its output: the forms and, where there is a back-off, the lemmas."""
    for place, text in enumerate(texts):
        wrong = tuple(word for word in item.forbidden if any(map(text.has, entries[word])))
        if wrong:
            return Finding(WRONG, place > 0, wrong)
        if any(any(map(text.has, entries[word])) for word in item.expected):
            return Finding(RIGHT, place > 0, ())
    return Finding(MISSING, False, ())


Marks: TypeAlias = list[tuple[int, int]]
"""Start and end of each stretch, in characters, in their order; none overlaps another."""


def mark_words(
    language: str, texts: Sequence[str], words: Sequence[Sequence[str]], annotator: str | None = None
) -> list[Marks]:
    """Return for each text where any of its words stands; texts without one in the given form are lemmatised."""
    found: list[Marks] = [[] for _ in texts]
    if not language:
        return found
    try:
        tokens = Tokens(language)
        tokens.learn(chain.from_iterable(words))
        for lemmas in (False, True):
            rest = [at for at, marks in enumerate(found) if words[at] and not marks]
            if not rest:
                break
            annotates = load_annotator(language, annotator) if lemmas else _tokenizer(language)
            for at, text in zip(rest, annotates.annotate([texts[at] for at in rest]), strict=True):
                found[at] = _marks(text, words[at], tokens, lemmas=lemmas)
    except (InputError, MissingModelError):
        pass  # the figures do not need this tool, and a text without marks can be read
    return found


def _marks(text: AnnotatedText, words: Sequence[str], tokens: Tokens, *, lemmas: bool) -> Marks:
    shown = TextWords([(one.form.lower(), one.lemma.lower()) if lemmas else (one.form.lower(),) for one in text.tokens])
    places = {place for word in words for entry in tokens.entry(word) for place in shown.places(entry)}
    marks: Marks = []
    for place in sorted(places, key=lambda place: (place.start, -place.stop)):
        start, end = text.tokens[place.start].start, text.tokens[place.stop - 1].end
        if not marks or start >= marks[-1][1]:
            marks.append((start, end))
    return marks


_CONLLU_FIELDS = 10


def read_lemmas(suite: Suite, paths: Mapping[str, PathLike]) -> dict[str, list[TextWords]]:
    """Read the lemmas of systems' outputs."""
    log, found = FaultLog(), dict[str, list[TextWords]]()
    for name, path in paths.items():
        lines = read_lines(path, log)
        rows = _sentences(lines.texts) if _is_conllu(lines.texts) else [line.split() for line in lines.texts]
        if lines.readable and len(rows) != len(suite):
            cause = f"lemmas of {len(rows)} outputs for {len(suite)} items"
            log.add("E173", cause, "give a line, or a sentence of CoNLL-U, an item", lines.file)
        found[name] = given_lemmas(rows)
    log.check()
    return found


def _is_conllu(lines: Sequence[str]) -> bool:
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return first.count("\t") == _CONLLU_FIELDS - 1


def _sentences(lines: Sequence[str]) -> list[list[str]]:
    """Return the lemmas of each sentence; of words in several parts those of the parts."""
    found, current = list[list[str]](), list[str]()
    for line in (*lines, ""):
        fields = line.split("\t")
        if not line.strip():
            if current:
                found.append(current)
            current = []
        elif not line.startswith("#") and len(fields) == _CONLLU_FIELDS and fields[0].isdecimal():
            current.append(fields[2])
    return found
