"""What document-level metrics read of an annotated text: its words, classes of words, names and content lemmas.

A reading is made once of every text, right after its annotation, and kept; all document-level metrics count in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from endophora.annotate.records import AnnotatedText, Token
from endophora.languages.base import matches
from endophora.languages.discourse import SENSES, Marker, TokenClass, discourse_defaults
from endophora.languages.schema import LanguageRules

PERSON, OTHER_NAME, NAME = "person", "other", "name"
"""Kinds of names: a person's, another's, and, where the annotator does not tell, a span of proper nouns."""

TENSE, PRONOUN, ENTITY, MARKER = "tense", "pronoun", "entity", "dm"
_NOMINAL = ("PRON", "DET")
_POSSESSIVES = ("’s", "'s", "’", "'")


@dataclass(frozen=True, slots=True)
class Reading:
    """What document-level metrics know of one text.

    Attributes:
        text: the text.
        tokens: its words as they stand there.
        classes: (category, class) of every verb form, pronoun and discourse marker: ``("tense", "VBD")``.
        names: (kind, name) of every named entity.
        lemmas: lemmas of the content words, lower case, each with its universal part of speech.
    """

    text: str
    tokens: tuple[str, ...]
    classes: tuple[tuple[str, str], ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    lemmas: tuple[tuple[str, str], ...] = ()


class TextReader:
    """Reads annotated texts of a language by its rules.

    Args:
        rules: rules of the language; without a section ``discourse`` no discourse marker is found.
        typed: whether the annotator names entities; spans of proper nouns are taken if not.
    """

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
        self._content = rules.content_words
        self._hash = rules.hash
        self._verb = _Classifier(TENSE, self.tenses.classes)
        self._pronoun = _Classifier(PRONOUN, self.pronouns.classes)
        self._markers = _MarkerTable(
            {sense.sense: sense.markers for sense in discourse.markers} if discourse is not None else {}
        )

    @property
    def signature(self) -> str:
        """What decides a reading besides the annotation."""
        return f"reading 1|{self._hash}|{'typed' if self._typed else 'proper nouns'}"

    def read(self, text: AnnotatedText) -> Reading:
        """Return what is known of a text."""
        tokens = text.tokens
        forms = tuple([token.form for token in tokens])
        classes = self._verb.find(tokens)
        classes += self._pronoun.find(tokens)
        classes += [(MARKER, sense) for sense in self._markers.find(text)]
        names = self._entities(tokens) if self._typed else proper_names(text)
        upos, stop = self._content.upos, self._content.stop_lemmas
        lemmas = [
            (lemma, token.upos) for token in tokens if token.upos in upos and (lemma := token.lemma.lower()) not in stop
        ]
        return Reading(text.text, forms, tuple(classes), tuple(names), tuple(lemmas))

    def _entities(self, tokens: Sequence[Token]) -> list[tuple[str, str]]:
        """Return the entities that the annotator found and that are of a type that counts."""
        found: list[tuple[str, str]] = []
        for start, end in _entity_spans(tokens):
            kind = self._kinds.get(tokens[start].entity[2:])
            if kind is not None:
                found.append((kind, clean_name(_join(tokens[start:end]))))
        return found


class _Classifier:
    """Sorts words into the classes of one category; what decides of a word is remembered."""

    def __init__(self, category: str, classes: Sequence[TokenClass]) -> None:
        self._by_form = any(each.forms for each in classes)
        self._by_lemma = any(each.lemmas for each in classes)
        self._by_features = any(each.features for each in classes)
        self._category = category
        self._classes = classes
        self._known: dict[tuple[str, ...], dict[tuple[tuple[str, str], ...], tuple[str, str] | None]] = {}
        limits = [each.upos for each in classes]
        self._upos = frozenset[str]().union(*limits) if limits and all(limits) else None

    def find(self, tokens: Iterable[Token]) -> list[tuple[str, str]]:
        """Return (category, class) of every word that is in a class."""
        if self._upos is not None:
            upos = self._upos
            tokens = [token for token in tokens if token.upos in upos]
        found: list[tuple[str, str]] = []
        for token in tokens:
            key = (
                token.form if self._by_form else "",
                token.lemma if self._by_lemma else "",
                token.upos,
                token.xpos,
            )
            by_features = self._known.get(key)
            if by_features is None:
                by_features = self._known[key] = {}
            features = tuple(token.features.items()) if self._by_features else ()
            if features in by_features:
                label = by_features[features]
            else:
                label = by_features[features] = self._classify(token)
            if label is not None:
                found.append(label)
        return found

    def _classify(self, token: Token) -> tuple[str, str] | None:
        form, lemma = token.form.lower(), token.lemma.lower()
        for each in self._classes:
            if (
                (not each.forms or form in each.forms)
                and (not each.lemmas or lemma in each.lemmas)
                and (not each.upos or token.upos in each.upos)
                and (not each.xpos or token.xpos in each.xpos)
                and matches(token.features, each.features)
            ):
                return self._category, each.label
        return None


class _MarkerTable:
    """Finds discourse markers: runs of tokens whose text, lower case and with single blanks, is one."""

    def __init__(self, senses: Mapping[str, Sequence[str | Marker]]) -> None:
        self._senses: dict[str, tuple[str, frozenset[str]]] = {}
        for sense, markers in senses.items():
            for marker in markers:
                form, upos = (marker, frozenset[str]()) if isinstance(marker, str) else (marker.form, marker.upos)
                self._senses[form] = (sense, upos)
        self._longest = max(map(len, self._senses), default=0)
        # A marker begins within a token or goes on after it: only tokens that begin one are looked at.
        self._beginnings = {form[:length] for form in self._senses for length in range(1, len(form) + 1)}

    def find(self, text: AnnotatedText) -> Iterator[str]:
        """Yield the sense of every marker in a text, in order; markers may overlap."""
        beginnings, tokens = self._beginnings, text.tokens
        lower = text.text.lower()
        if len(lower) != len(text.text):
            lower = "".join(char.lower() if len(char.lower()) == 1 else char for char in text.text)
        for index, token in enumerate(tokens):
            if lower[token.start : token.end] not in beginnings:
                continue
            for last in range(index, len(tokens)):
                span = lower[token.start : tokens[last].end]
                if span not in beginnings:
                    span = " ".join(span.split())
                    if len(span) > self._longest or span not in beginnings:
                        break
                known = self._senses.get(span)
                if known is not None and (not known[1] or token.upos in known[1]):
                    yield known[0]


def proper_names(text: AnnotatedText) -> list[tuple[str, str]]:
    """Return the spans of proper nouns that hang together in the parse, as names of no known kind.

    Proper nouns side by side are one name where one heads the other or both have one head; without a parse, where
    they stand side by side.
    """
    found: list[tuple[str, str]] = []
    tokens = text.tokens
    start = -1
    for index, token in enumerate(tokens):
        if token.upos != "PROPN":
            start = -1
            continue
        if start >= 0 and _hang_together(tokens, start, index):
            found[-1] = (NAME, clean_name(_join(tokens[start : index + 1])))
        else:
            start = index
            found.append((NAME, clean_name(token.form)))
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


def _entity_spans(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    start = -1
    for index, token in enumerate(tokens):
        if start >= 0 and not token.entity.startswith("I-"):
            yield start, index
            start = -1
        if token.entity.startswith("B-"):
            start = index
    if start >= 0:
        yield start, len(tokens)


def _hang_together(tokens: Sequence[Token], start: int, index: int) -> bool:
    """Tell whether a proper noun belongs to the span of those right before it."""
    token = tokens[index]
    if tokens[index - 1].end + 1 < token.start:
        return False
    if not token.relation:
        return True
    inside = range(start, index)
    return token.head in inside or any(
        tokens[other].head in (index, token.head) and token.head >= 0 for other in inside
    )
