"""What ellipsis is found by: the words of a language, and a sentence with its words and its parse."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise, takewhile
from typing import Annotated, Any, cast

from pydantic import BeforeValidator
from ruamel.yaml import YAML

from endophora.annotate.records import AnnotatedText, Token
from endophora.errors import Fault, InputError
from endophora.record import Fixed

_DATA = files("endophora.phenomena") / "data"


def _phrases(values: list[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(value.split()) for value in values)


Words = frozenset[str]
Phrases = Annotated[frozenset[tuple[str, ...]], BeforeValidator(_phrases)]


class Auxiliaries(Fixed):
    """Forms of the auxiliary verbs, contracted ones left out: they cannot be stranded."""

    modal: Words
    do: Words
    have: Words
    be: Words


class Infinitive(Fixed):
    """The particle of the infinitive, and lemmas of the words after which it can be left alone."""

    particle: str
    licensing: Words


class Sluicing(Fixed):
    """Question words, what may follow them, and lemmas of the words that take a question."""

    words: Words
    tails: Words
    licensing: Words
    fixed: Phrases
    alone: Words


class Gapping(Fixed):
    """Words that join clauses, and pronouns that can only be subjects."""

    coordinators: Words
    contrasts: Words
    subjects: Words
    longest: int


class Fragment(Fixed):
    """Answers and afterthoughts without a verb."""

    longest: int
    causes: Words
    replies: Words
    opening: Words
    interjections: Words
    formulas: Phrases


class EllipsisRules(Fixed):
    """All words of a language; the file says what each list is for."""

    language: str
    auxiliaries: Auxiliaries
    negation: Words
    closing: Words
    pro_forms: Words
    expletives: Words
    doubtful: Words
    inverters: Words
    comparative: Words
    time_comparison: Words
    imagined: Words
    fronting: Words
    predicate_words: Words
    extracted: Words
    fixed_verb_phrases: Phrases
    infinitive: Infinitive
    possessives: Words
    quantifiers: Words
    generic_quantifiers: Words
    generic_verbs: Words
    ordinals: Words
    dates: Words
    adjectives: Words
    determiners: Words
    adverbial_before: Words
    time_prepositions: Words
    completing: Words
    fixed_noun_phrases: Phrases
    measures: Words
    other_numerals: Words
    floating: Words
    genitive: Words
    place_prepositions: Words
    question_words: Words
    sluicing: Sluicing
    gapping: Gapping
    fragment: Fragment
    hash: str

    def group(self, word: str) -> str | None:
        """Return which auxiliary a word is a form of."""
        return next((name for name, words in self.auxiliaries if word in words), None)


@lru_cache(maxsize=8)
def load_ellipsis_rules(language: str) -> EllipsisRules:
    """Return the ellipsis rules of a language; E066 if there are none."""
    path = _DATA / f"ellipsis.{language}.yaml"
    if not path.is_file():
        advice = "leave the phenomenon out by naming others with --phenomenon; none gives text metrics alone"
        raise InputError(Fault("E066", f"no rules for ellipsis in “{language}”", advice))
    data = path.read_bytes()
    loaded = cast("Any", YAML(typ="safe", pure=True)).load(data)
    return EllipsisRules.model_validate({**loaded, "hash": hashlib.blake2b(data, digest_size=4).hexdigest()})


_QUOTES = frozenset("\"'“”‘’«»„`")
_STRONG = frozenset(".?!;:…—–")
_ENDING = _STRONG | frozenset(",)-")


@dataclass(frozen=True, slots=True)
class EllipsisSite:
    """One place in a text where words are left out that the context supplies.

    ``kind`` is ``verb_phrase``, ``comparative``, ``pseudogapping``, ``infinitive``, ``noun_phrase``, ``sluicing``,
    ``gapping`` or ``fragment``; ``sentence`` if only the sentence is known. ``tokens`` are left without what they need
    (*won't*, *to*, *mine*, *why*); ``licensor`` lets it be left out (*want* in *want to*), if it is known.
    """

    kind: str
    tokens: tuple[int, ...]
    licensor: int | None = None


@lru_cache(maxsize=32)
def _places(phrases: frozenset[tuple[str, ...]]) -> Mapping[str, list[tuple[tuple[str, ...], int]]]:
    """Return for each word the phrases that have it, and its place in them."""
    places: defaultdict[str, list[tuple[tuple[str, ...], int]]] = defaultdict(list)
    for phrase in sorted(phrases):
        for place, word in enumerate(phrase):
            places[word].append((phrase, place))
    return places


class Sentence:
    """One sentence of a text; ``doubtful`` words are often tagged as conjunctions where they are pronouns."""

    def __init__(self, text: AnnotatedText, start: int, end: int, doubtful: frozenset[str] = frozenset()) -> None:
        self._doubtful = doubtful
        self.tokens = text.tokens
        self.start, self.end = start, end
        self.words = [token.form.lower().replace("’", "'") for token in text.tokens]
        self._children: defaultdict[int, list[int]] = defaultdict(list)
        for index in range(start, end):
            self._children[text.tokens[index].head].append(index)

    def __iter__(self) -> Iterator[tuple[int, str, Token]]:
        """Iterate over index, lower-case word and token."""
        return ((index, self.words[index], self.tokens[index]) for index in range(self.start, self.end))

    def word(self, index: int) -> str:
        """Return the lower-case word at an index; like part of speech and lemma, nothing outside the sentence."""
        return self.words[index] if self.start <= index < self.end else ""

    def upos(self, index: int) -> str:
        """Return the part of speech at an index."""
        return self.tokens[index].upos if self.start <= index < self.end else ""

    def lemma(self, index: int) -> str:
        """Return the lemma at an index in lower case."""
        return self.tokens[index].lemma.lower() if self.start <= index < self.end else ""

    def children(self, index: int) -> list[int]:
        """Return the dependents of a token."""
        return self._children.get(index, [])

    def is_break(self, index: int) -> bool:
        """Return whether a clause surely ends before this token."""
        return index >= self.end or (self.tokens[index].upos == "PUNCT" and self.word(index)[:1] in _STRONG)

    def is_end(self, index: int) -> bool:
        """Return whether a clause may end before this token: punctuation, or a word that joins clauses."""
        if index >= self.end or self.tokens[index].upos == "CCONJ":
            return True
        mark = self.word(index)[:1]
        if self.tokens[index].upos == "PUNCT":
            if mark == "-" and self._is_hyphen(index):
                return False
            # A quotation mark ends a clause only if something else does: it may as well open what is missing.
            return mark in _ENDING or (mark in _QUOTES and self.upos(index + 1) in ("", "PUNCT", "CCONJ"))
        return self.is_subordinator(index)

    def _is_hyphen(self, index: int) -> bool:
        """Return whether a mark joins two words (*long-term*)."""
        if not self.start < index < self.end - 1:
            return False
        before, mark, after = self.tokens[index - 1 : index + 2]
        return before.end == mark.start and mark.end == after.start

    def is_subordinator(self, index: int) -> bool:
        """Return whether a word opens a dependent clause."""
        return self.upos(index) == "SCONJ" and self.word(index) not in self._doubtful

    def left(self, index: int) -> list[int]:
        """Return the tokens of the clause to the left of a token, nearest first."""
        before = range(index - 1, self.start - 1, -1)
        return list(takewhile(lambda other: self.tokens[other].upos not in ("PUNCT", "CCONJ"), before))

    def right(self, index: int) -> list[int]:
        """Return the tokens after a token up to the end of its clause."""
        return list(takewhile(lambda other: not self.is_end(other), range(index + 1, self.end)))

    def past(self, index: int, words: frozenset[str]) -> int:
        """Return the index of the first token from ``index`` on that is none of the words."""
        while self.word(index) in words:
            index += 1
        return index

    def in_phrase(self, index: int, phrases: frozenset[tuple[str, ...]]) -> bool:
        """Return whether a token is part of one of the phrases."""
        return any(
            index - place >= self.start and tuple(self.words[index - place : index - place + len(phrase)]) == phrase
            for phrase, place in _places(phrases).get(self.words[index], ())
        )


def sentences(text: AnnotatedText, doubtful: frozenset[str] = frozenset()) -> list[Sentence]:
    """Split an annotated text into its sentences; for ``doubtful`` see :class:`Sentence`."""
    starts = [start for start in text.sentences if start]
    bounds = [0, *starts, len(text.tokens)]
    return [Sentence(text, start, end, doubtful) for start, end in pairwise(bounds) if end > start]


def modal_of_pro_verb(sentence: Sentence, index: int, after: int, rules: EllipsisRules) -> int | None:
    """Return the modal after which *do* stands for a verb (*I should do.*), and takes up no *what* or *all*."""
    modal = index - 2 if sentence.word(index - 1) in rules.negation else index - 1
    left = sentence.left(modal)
    free = not any(
        sentence.tokens[at].xpos.startswith("W") or sentence.word(at) in rules.extracted | rules.expletives
        for at in left
    )
    plain = sentence.word(index) == "do" and sentence.tokens[index].relation != "acl:relcl"
    ends = sentence.is_break(sentence.past(after, rules.closing))
    return modal if free and plain and ends and rules.group(sentence.word(modal)) == "modal" else None
