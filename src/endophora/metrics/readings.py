"""What document-level metrics read of an annotated text: its words, classes of words, names and content lemmas.

A reading is made once of every text, right after its annotation, and kept; all document-level metrics count in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from endophora.annotate.records import AnnotatedText, Token
from endophora.languages.base import matches
from endophora.languages.discourse import SENSES, MarkerSense, TokenClass, discourse_defaults
from endophora.languages.schema import LanguageRules

Key = TypeVar("Key")
Value = TypeVar("Value")

PERSON, OTHER_NAME, NAME = "person", "other", "name"
"""Kinds of names: a person's, another's, and, where the annotator does not tell, a span of proper nouns."""

TENSE, PRONOUN, ENTITY, MARKER = "tense", "pronoun", "entity", "dm"
_POSSESSIVES = ("’s", "'s", "’", "'")


class Reading(NamedTuple):
    """What document-level metrics know of one text; a tuple, since corpora have many.

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
        upos, stop = rules.content_words.upos, rules.content_words.stop_lemmas
        self._content = _Memo[str, "_Memo[str, tuple[str, str] | None] | None"](
            lambda tag: _content_lemmas(tag, stop) if tag in upos else None
        )
        self._hash = rules.hash
        self._verb = _Classifier(TENSE, self.tenses.classes)
        self._pronoun = _Classifier(PRONOUN, self.pronouns.classes)
        self._markers = _MarkerTable(discourse.markers if discourse is not None else ())

    @property
    def signature(self) -> str:
        """What decides a reading besides the annotation."""
        return f"reading 1|{self._hash}|{'typed' if self._typed else 'proper nouns'}"

    def read(self, text: AnnotatedText) -> Reading:
        """Return what is known of a text."""
        tokens = text.tokens
        if not tokens:
            return Reading(text.text, ())
        # Every column is read by itself: a text has more columns than are asked for.
        forms = tuple([token.form for token in tokens])
        classes = self._verb.find(tokens, forms)
        classes += self._pronoun.find(tokens, forms)
        classes += self._markers.find(text, forms)
        names = self._entities(tokens) if self._typed else proper_names(text)
        content = self._content
        lemmas = [
            pair for token in tokens if (known := content[token.upos]) is not None and (pair := known[token.lemma])
        ]
        return Reading(text.text, forms, tuple(classes), tuple(names), tuple(lemmas))

    def _entities(self, tokens: Sequence[Token]) -> list[tuple[str, str]]:
        """Return the entities that the annotator found and that are of a type that counts."""
        found: list[tuple[str, str]] = []
        if not [token for token in tokens if token.entity]:
            return found
        for start, end in _entity_spans(tokens):
            kind = self._kinds.get(tokens[start].entity[2:])
            if kind is not None:
                found.append((kind, clean_name(_join(tokens[start:end]))))
        return found


class _Memo(dict[Key, Value]):
    """A function of what is asked for again and again: looked up without a call once it is known."""

    def __init__(self, function: Callable[[Key], Value]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: Key) -> Value:
        value = self[key] = self._function(key)
        return value


def _content_lemmas(upos: str, stop: Collection[str]) -> _Memo[str, tuple[str, str] | None]:
    """Return what tells of a lemma of a part of speech whether it is a content word: lower case, or ``None``."""
    return _Memo(lambda lemma: (lower, upos) if (lower := lemma.lower()) not in stop else None)


class _Classifier:
    """Sorts words into the classes of one category; what decides of a word is remembered."""

    def __init__(self, category: str, classes: Sequence[TokenClass]) -> None:
        self._category = category
        self._classes = classes
        self._by_lemma = any(each.lemmas for each in classes)
        self._by_form = any(each.forms for each in classes)
        tagged = any(each.xpos for each in classes)
        more = self._by_lemma or any(each.upos or each.features for each in classes)
        self._only_forms = self._by_form and not more and not tagged
        self._only_tags = tagged and not more and not self._by_form
        self._upos = frozenset[str]().union(*(each.upos for each in classes)) if all(e.upos for e in classes) else None
        # Where a form or a tag alone decides, the first class that has it.
        deciding = {
            key: (category, each.label) for each in reversed(classes) for key in (each.forms | each.xpos) if not more
        }
        self._alone = _Memo[str, tuple[str, str] | None](
            lambda key: deciding.get(key.lower() if self._only_forms else key)
        )
        self._known: dict[tuple[object, ...], tuple[str, str] | None] = {}

    def find(self, tokens: Sequence[Token], forms: Sequence[str]) -> list[tuple[str, str]]:
        """Return (category, class) of every word that is in a class; ``forms`` are the tokens'."""
        alone = self._alone
        if self._only_forms:
            return [label for form in forms if (label := alone[form])]
        if self._only_tags:
            return [label for token in tokens if (label := alone[token.xpos])]
        upos = self._upos
        if upos is not None:
            tokens = [token for token in tokens if token.upos in upos]
        return [label for token in tokens if (label := self._label(token))]

    def _label(self, token: Token) -> tuple[str, str] | None:
        key = (
            token.form if self._by_form else "",
            token.lemma if self._by_lemma else "",
            token.upos,
            token.xpos,
            *token.features.items(),
        )
        if key not in self._known:
            self._known[key] = self._classify(token)
        return self._known[key]

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


class _Beginning(NamedTuple):
    """What begins with a word: a marker that is this word alone, or one that may go on.

    Attributes:
        form: the word, lower case.
        marker: whether the word may be a marker by itself.
        sense: (category, sense) of the word, if it is a marker whatever follows and whatever its part of speech.
    """

    form: str
    marker: bool
    sense: tuple[str, str] | None = None


class _MarkerTable:
    """Finds discourse markers: runs of tokens whose text, lower case and with single blanks, is one; and endings."""

    def __init__(self, senses: Sequence[MarkerSense]) -> None:
        self._senses: dict[str, tuple[tuple[str, str], frozenset[str]]] = {}
        for sense in senses:
            for marker in sense.markers:
                form, upos = (marker, frozenset[str]()) if isinstance(marker, str) else (marker.form, marker.upos)
                self._senses[form] = ((MARKER, sense.sense), upos)
        self._endings = [(ending, (MARKER, sense.sense)) for sense in senses for ending in sense.endings]
        # Only tokens with which a marker begins are looked at, and only as long as it goes on.
        self._beginnings = {form[:length] for form in self._senses for length in range(1, len(form) + 1)}
        self._begins = _Memo[str, "_Beginning | None"](self._beginning)
        self._ending = _Memo[tuple[str, str], "tuple[str, str] | None"](self._find_ending)

    def find(self, text: AnnotatedText, forms: tuple[str, ...]) -> list[tuple[str, str]]:
        """Return (category, sense) of every marker of a text; the longest counts, and none within another."""
        begins = self._begins
        found: list[tuple[str, str]] = []
        after = 0
        for index, known in [(index, known) for index, form in enumerate(forms) if (known := begins[form])]:
            if index < after:
                continue
            sense = known.sense
            if sense is None and (known.marker or self._may_go_on(known.form, forms[index + 1 : index + 2])):
                sense, after = self._longest_at(text, index)
            if sense is not None:
                found.append(sense)
        if self._endings:
            ending = self._ending
            found += [sense for token in text.tokens if (sense := ending[token.form, token.upos])]
        return found

    def _beginning(self, form: str) -> _Beginning | None:
        """Return what a marker that begins with this word may be."""
        form = form.lower()
        if form not in self._beginnings:
            return None
        known = self._senses.get(form)
        if known is None:
            return _Beginning(form, marker=False)
        alone = not known[1] and not any(other != form and other.startswith(form) for other in self._senses)
        return _Beginning(form, marker=True, sense=known[0] if alone else None)

    def _may_go_on(self, form: str, following: tuple[str, ...]) -> bool:
        """Tell whether a marker may begin with a word, lower case, and the next one, apart or written together."""
        for word in following:
            word = word.lower()
            return f"{form} {word}" in self._beginnings or form + word in self._beginnings
        return False

    def _longest_at(self, text: AnnotatedText, index: int) -> tuple[tuple[str, str] | None, int]:
        """Return the sense of the longest marker that begins with a token, and the token after it."""
        first = text.tokens[index]
        sense, after = None, index + 1
        for place, token in enumerate(text.tokens[index:], start=index + 1):
            span = text.text[first.start : token.end].lower()
            if span not in self._beginnings:
                span = " ".join(span.split())
                if span not in self._beginnings:
                    break
            known = self._senses.get(span)
            if known is not None and (not known[1] or first.upos in known[1]):
                sense, after = known[0], place
        return sense, after

    def _find_ending(self, word: tuple[str, str]) -> tuple[str, str] | None:
        form, upos = word[0].lower(), word[1]
        return next((sense for ending, sense in self._endings if ending.ends(form, upos)), None)


def proper_names(text: AnnotatedText) -> list[tuple[str, str]]:
    """Return the spans of proper nouns that hang together in the parse, as names of no known kind.

    Proper nouns side by side are one name where one heads the other or both have one head; without a parse, where
    they stand side by side.
    """
    found: list[tuple[str, str]] = []
    tokens = text.tokens
    start = before = -1
    for index in [index for index, token in enumerate(tokens) if token.upos == "PROPN"]:
        if index == before + 1 and start >= 0 and _hang_together(tokens, start, index):
            found[-1] = (NAME, clean_name(_join(tokens[start : index + 1])))
        else:
            start = index
            found.append((NAME, clean_name(tokens[index].form)))
        before = index
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
