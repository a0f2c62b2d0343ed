"""What document-level metrics read of an annotated text: its words, classes of words, names and content lemmas.

A reading is made once of every text, right after its annotation, and kept; all document-level metrics count in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, pairwise, repeat
from operator import itemgetter
from typing import TypeVar, cast, overload

import numpy as np

from endophora.annotate.records import AnnotatedText, Token
from endophora.languages.base import Features, matches
from endophora.languages.discourse import SENSES, MarkerSense, TokenClass, discourse_defaults
from endophora.languages.schema import LanguageRules
from endophora.metrics.ngrams import Flat, flatten, index_items
from endophora.metrics.records import IntArray, Label, Reading

Item = TypeVar("Item")
Key = TypeVar("Key")
Value = TypeVar("Value")

PERSON, OTHER_NAME, NAME = "person", "other", "name"
"""Kinds of names: a person's, another's, and, where the annotator does not tell, a span of proper nouns."""

TENSE, PRONOUN, ENTITY, MARKER = "tense", "pronoun", "entity", "dm"
_POSSESSIVES = ("’s", "'s", "’", "'")
_NONE, _LOOK = -1, -2
_FORM, _XPOS, _ENTITY = (itemgetter(Token._fields.index(name)) for name in ("form", "xpos", "entity"))


class Memo(dict[Key, Value]):
    """A function of what is asked for again and again: looked up without a call once it is known."""

    def __init__(self, function: Callable[[Key], Value]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: Key) -> Value:
        value = self[key] = self._function(key)
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """What BlonDe counts in texts, text after text."""

    tokens: Flat
    labels: Sequence[Label]  # (category, class) of the numbers in ``classes``
    classes: IntArray
    class_rows: IntArray
    names: Sequence[Label]  # (kind, name) of every named entity
    name_rows: IntArray


class Readings(Sequence[Reading]):
    """Readings of texts that are kept as columns, in which BlonDe counts; other metrics read them one by one."""

    def __init__(
        self, texts: Sequence[AnnotatedText], columns: Columns, lemmas: Callable[[AnnotatedText], tuple[Label, ...]]
    ) -> None:
        self._texts = texts
        self.columns = columns
        self._lemmas = lemmas

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[Reading]:
        return iter(self._rows)

    @overload
    def __getitem__(self, index: int) -> Reading: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Reading]: ...
    def __getitem__(self, index: int | slice) -> Reading | Sequence[Reading]:
        return self._rows[index]

    @cached_property
    def _rows(self) -> list[Reading]:
        columns, tokens, size = self.columns, self.columns.tokens, len(self)
        order = np.argsort(columns.class_rows, kind="stable")
        classes = [columns.labels[int(number)] for number in columns.classes[order]]
        rows = zip(
            self._texts,
            _split([tokens.vocabulary[place] for place in cast("list[int]", tokens.items.tolist())], tokens.lengths),
            _split(classes, np.bincount(columns.class_rows, minlength=size)),
            _split(columns.names, np.bincount(columns.name_rows, minlength=size)),
            strict=True,
        )
        return [Reading(text.text, forms, found, names, self._lemmas(text)) for text, forms, found, names in rows]


def as_columns(readings: Sequence[Reading]) -> Columns:
    """Return what BlonDe counts in texts."""
    if isinstance(readings, Readings):
        return readings.columns
    found = list(chain.from_iterable([each.classes for each in readings]))
    numbers = {label: number for number, label in enumerate(dict.fromkeys(found))}
    rows = np.arange(len(readings))
    return Columns(
        flatten([each.tokens for each in readings]),
        list(numbers),
        np.array([numbers[label] for label in found], np.int64),
        np.repeat(rows, [len(each.classes) for each in readings]),
        list(chain.from_iterable([each.names for each in readings])),
        np.repeat(rows, [len(each.names) for each in readings]),
    )


class TextReader:
    """Reads annotated texts of a language by its rules; spans of proper nouns are names unless these are ``typed``."""

    def __init__(self, rules: LanguageRules, typed: bool = False) -> None:
        defaults = discourse_defaults()
        discourse = rules.discourse
        self.tenses = (discourse and discourse.tenses) or defaults.tenses
        self.pronouns = (discourse and discourse.pronouns) or defaults.pronouns
        self.senses = SENSES if discourse else ()
        self._typed = typed
        self._kinds = dict.fromkeys(defaults.entities.other, OTHER_NAME) | dict.fromkeys(
            defaults.entities.person, PERSON
        )
        upos, stop = rules.content_words.upos, rules.content_words.stop_lemmas
        self._content = Memo[str, "Memo[str, Label | None] | None"](
            lambda tag: _content_lemmas(tag, stop) if tag in upos else None
        )
        self._hash = rules.hash
        markers = discourse.markers if discourse is not None else ()
        self._labels = list(
            dict.fromkeys(
                [(TENSE, each.label) for each in self.tenses.classes]
                + [(PRONOUN, each.label) for each in self.pronouns.classes]
                + [(MARKER, each.sense) for each in markers]
            )
        )
        numbers = {label: number for number, label in enumerate(self._labels)}
        self._verb = _Classifier(TENSE, self.tenses.classes, numbers)
        self._pronoun = _Classifier(PRONOUN, self.pronouns.classes, numbers)
        self._markers = MarkerTable(markers, {each.sense: numbers[MARKER, each.sense] for each in markers})

    @property
    def signature(self) -> str:
        """What decides a reading besides the annotation."""
        return f"reading 1|{self._hash}|{'typed' if self._typed else 'proper nouns'}"

    def read(self, text: AnnotatedText) -> Reading:
        """Return what is known of a text; :meth:`read_all` takes less time for many."""
        return self.read_all([text])[0]

    def read_all(self, texts: Sequence[AnnotatedText]) -> Readings:
        """Return what is known of texts."""
        # Column by column over all texts: a token has more columns than are asked for.
        tokens = list(chain.from_iterable([text.tokens for text in texts]))
        words = index_items(list(map(_FORM, tokens)), np.array([len(text.tokens) for text in texts], np.int64))
        lower = [word.lower() for word in words.vocabulary]
        rows = np.repeat(np.arange(len(texts)), words.lengths)
        found = (
            self._verb.find(tokens, lower, words.items),
            self._pronoun.find(tokens, lower, words.items),
            self._markers.find(texts, lower, words.items),
            self._markers.find_endings(tokens),
        )
        places = [np.flatnonzero(numbers >= 0) for numbers in found]
        classes = np.concatenate([numbers[where] for numbers, where in zip(found, places, strict=True)])
        if self._typed:
            names, name_rows = self._entities(tokens, rows)
        else:
            spans = [proper_names(text) for text in texts]
            names = list(chain.from_iterable(spans))
            name_rows = np.repeat(np.arange(len(texts)), list(map(len, spans)))
        columns = Columns(words, self._labels, classes, rows[np.concatenate(places)], names, name_rows)
        return Readings(texts, columns, self._lemmas)

    def _lemmas(self, text: AnnotatedText) -> tuple[Label, ...]:
        content = self._content
        known = [(content[token.upos], token.lemma) for token in text.tokens]
        return tuple([pair for lemmas, lemma in known if lemmas is not None and (pair := lemmas[lemma])])

    def _entities(self, tokens: Sequence[Token], rows: IntArray) -> tuple[list[Label], IntArray]:
        """Return the entities that the annotator found and that are of a type that counts, and the text of each."""
        named = list(compress(range(len(tokens)), map(_ENTITY, tokens)))
        spans = [
            (kind, start, end)
            for start, end in _entity_spans(tokens, zip(named, rows[named].tolist(), strict=True))
            if (kind := self._kinds.get(tokens[start].entity[2:])) is not None
        ]
        found = [(kind, clean_name(_join(tokens[start:end]))) for kind, start, end in spans]
        return found, rows[[start for _, start, _ in spans]]


def _content_lemmas(upos: str, stop: Collection[str]) -> Memo[str, Label | None]:
    """Return what says of a lemma of a part of speech whether it is a content word: lower case, or ``None``."""
    return Memo(lambda lemma: (lower, upos) if (lower := lemma.lower()) not in stop else None)


class _Classifier:
    """Sorts words into the classes of one category; what decides of a word is remembered."""

    def __init__(self, category: str, classes: Sequence[TokenClass], numbers: Mapping[Label, int]) -> None:
        self._classes = [(each, numbers[category, each.label]) for each in classes]
        self._by_lemma = any(each.lemmas for each in classes)
        self._by_form = any(each.forms for each in classes)
        tagged = any(each.xpos for each in classes)
        more = self._by_lemma or any(each.upos or each.features for each in classes)
        self._only_forms = self._by_form and not more and not tagged
        self._only_tags = tagged and not more and not self._by_form
        self._upos = frozenset[str]().union(*(each.upos for each in classes)) if all(e.upos for e in classes) else None
        # Where a form or a tag alone decides, the first class that has it.
        self._alone = {key: number for each, number in reversed(self._classes) for key in each.forms | each.xpos}
        self._known: dict[tuple[str, str, str, str], list[tuple[Features, int]]] = {}

    def find(self, tokens: Sequence[Token], lower: Sequence[str], items: IntArray) -> IntArray:
        """Return the number of each token's class, -1 for one in none."""
        if self._only_forms:
            return np.array([self._alone.get(form, _NONE) for form in lower], np.int64)[items]
        if self._only_tags:
            found = map(self._alone.get, map(_XPOS, tokens), repeat(_NONE))
            return np.fromiter(found, np.int64, len(tokens))
        upos = self._upos
        return np.array(
            [self._label(token) if upos is None or token.upos in upos else _NONE for token in tokens], np.int64
        )

    def _label(self, token: Token) -> int:
        key = token.form if self._by_form else "", token.lemma if self._by_lemma else "", token.upos, token.xpos
        known = self._known.get(key)
        if known is None:
            known = [(each.features, number) for each, number in self._classes if _may_be(token, each)]
            self._known[key] = known
        for features, number in known:
            if matches(token.features, features):
                return number
        return _NONE


def is_of(token: Token, given: TokenClass) -> bool:
    """Return whether a token meets all conditions of a class."""
    return _may_be(token, given) and matches(token.features, given.features)


def _may_be(token: Token, given: TokenClass) -> bool:
    """Return whether a token meets all conditions of a class that are not of its features."""
    return (
        (not given.forms or token.form.lower() in given.forms)
        and (not given.lemmas or token.lemma.lower() in given.lemmas)
        and (not given.upos or token.upos in given.upos)
        and (not given.xpos or token.xpos in given.xpos)
    )


class MarkerTable:
    """Finds discourse markers: runs of tokens whose text, lower case and with single blanks, is one; and endings."""

    def __init__(self, senses: Sequence[MarkerSense], numbers: Mapping[str, int]) -> None:
        self._senses: dict[str, tuple[int, frozenset[str]]] = {}
        for sense in senses:
            for marker in sense.markers:
                form, upos = (marker, frozenset[str]()) if isinstance(marker, str) else (marker.form, marker.upos)
                self._senses[form] = (numbers[sense.sense], upos)
        self._endings = [(ending, numbers[sense.sense]) for sense in senses for ending in sense.endings]
        # Only tokens with which a marker begins are looked at, and only as long as it continues.
        goes_on = {form[:length] for form in self._senses for length in range(1, len(form))}
        self._beginnings = goes_on | self._senses.keys()
        # A word that is a marker with any next word has its sense at once.
        self._begins = dict.fromkeys(goes_on, _LOOK) | {
            form: _LOOK if upos or form in goes_on else sense for form, (sense, upos) in self._senses.items()
        }
        self._ending = Memo(self._find_ending)

    def find(self, texts: Sequence[AnnotatedText], lower: Sequence[str], items: IntArray) -> IntArray:
        """Return for each token the number of the sense of the marker that begins with it, or -1.

        Of markers that begin with the same token the longest counts, and none within another.
        """
        found = np.array([self._begins.get(form, _NONE) for form in lower], np.int64)[items]
        looks = np.flatnonzero(found == _LOOK)
        # After a text's last word stands the first one of the next: that makes a look in vain, never a marker.
        pairs = zip(map(int, items[looks]), map(int, np.append(items[1:], 0)[looks]), strict=True)
        worth = looks[[self._worth_a_look(lower[word], lower[following]) for word, following in pairs]]
        found[looks] = _NONE
        starts = np.cumsum([0, *(len(text.tokens) for text in texts)])
        rows = np.searchsorted(starts, worth, side="right") - 1
        after = 0
        for index, row in zip(map(int, worth), map(int, rows), strict=True):
            if index >= after:
                sense, length = self._longest_at(texts[row], index - int(starts[row]))
                after = index + length
                found[index:after] = _NONE
                found[index] = sense
        return found

    def find_endings(self, tokens: Sequence[Token]) -> IntArray:
        """Return for each token the number of the sense of its ending, or -1; nothing where endings have no sense."""
        if not self._endings:
            return np.empty(0, np.int64)
        return np.array([self._ending[token.form, token.upos] for token in tokens], np.int64)

    def _worth_a_look(self, form: str, following: str) -> bool:
        """Return whether a word is a marker, or one may begin with it and the next one, apart or written together."""
        known = self._beginnings
        return form in self._senses or f"{form} {following}" in known or form + following in known

    def _longest_at(self, text: AnnotatedText, index: int) -> tuple[int, int]:
        """Return the sense of the longest marker that begins with a token, and of how many tokens it is."""
        first = text.tokens[index]
        sense, length = _NONE, 1
        for place, token in enumerate(text.tokens[index:], start=1):
            span = text.text[first.start : token.end].lower()
            if span not in self._beginnings:
                span = " ".join(span.split())
                if span not in self._beginnings:
                    break
            known = self._senses.get(span)
            if known is not None and (not known[1] or first.upos in known[1]):
                sense, length = known[0], place
        return sense, length

    def _find_ending(self, word: tuple[str, str]) -> int:
        form, upos = word[0].lower(), word[1]
        return next((sense for ending, sense in self._endings if ending.ends(form, upos)), _NONE)


def proper_names(text: AnnotatedText) -> list[Label]:
    """Return the spans of proper nouns that hang together in the parse, as names of no known kind."""
    return [(NAME, clean_name(_join(text.tokens[span.start : span.stop]))) for span in name_spans(text)]


def name_spans(text: AnnotatedText) -> list[range]:
    """Return the tokens of each name.

    Proper nouns side by side are one name where one heads the other or both have one head; without a parse, where
    they stand side by side.
    """
    found: list[range] = []
    for index in [index for index, token in enumerate(text.tokens) if token.upos == "PROPN"]:
        if found and index == found[-1].stop and _hang_together(text.tokens, found[-1].start, index):
            found[-1] = range(found[-1].start, index + 1)
        else:
            found.append(range(index, index + 1))
    return found


def clean_name(name: str) -> str:
    """Return a name without a possessive ending: *Qiao Lian’s* is *Qiao Lian*."""
    for ending in _POSSESSIVES:
        if name.endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name


def _join(tokens: Sequence[Token]) -> str:
    """Return the text of adjacent tokens, with one blank where there is white space between them."""
    parts = [tokens[0].form]
    for before, token in pairwise(tokens):
        parts.append(("" if before.end == token.start else " ") + token.form)
    return "".join(parts)


def _entity_spans(tokens: Sequence[Token], named: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return first token and the one after the last of every entity, of its tokens' places and texts."""
    found: list[tuple[int, int]] = []
    last = -1
    for index, row in named:
        entity = tokens[index].entity
        if entity.startswith("B-"):
            found.append((index, index + 1))
            last = row
        elif found and found[-1][1] == index and last == row and entity.startswith("I-"):
            found[-1] = (found[-1][0], index + 1)
    return found


def _split(items: Sequence[Item], lengths: IntArray) -> list[tuple[Item, ...]]:
    """Return runs of items of these lengths."""
    return [tuple(items[start:end]) for start, end in pairwise([0, *np.cumsum(lengths).tolist()])]


def _hang_together(tokens: Sequence[Token], start: int, index: int) -> bool:
    """Return whether a proper noun belongs to the span of those right before it."""
    token = tokens[index]
    if tokens[index - 1].end + 1 < token.start:
        return False
    if not token.relation:
        return True
    heads = [tokens[other].head for other in range(start, index)]
    return start <= token.head < index or (token.head >= 0 and any(head in (index, token.head) for head in heads))
