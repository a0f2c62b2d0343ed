"""Whether a text uses the terms of a glossary: found in the source by their lemmas, looked for in the target.

A term is matched word for word, each in any inflection. Case counts where it tells words apart: *May* is no *may*. In
scripts without spaces a term is also found as a piece of the text, since words may be divided otherwise there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from endophora.annotate.records import NOUNS, AnnotatedText, Token
from endophora.corpus.scripts import unspaced
from endophora.judgments.records import Judgment

_NAMED = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "X", "SYM"})
"""What a capital is of, where it is at the beginning of a sentence and so shows nothing."""

_THINGS = _NAMED - {"ADJ"}
_EMPTY = frozenset({"PUNCT", "DET", "ADP", "CCONJ", "SCONJ", "PART", "AUX", "INTJ"})
_PRONOUN = "PRON"

_STEM, _ENDING = 4, 3
"""Words of one stem have so many letters in common from their beginning, and endings no longer than that."""

_PART, _WITHIN = 4, 6
"""Letters of a term that is found at either end of a compound, and anywhere in it."""

Link = tuple[int, int]
_Same = Callable[[Token, Token, bool, bool], bool]


@dataclass(frozen=True, slots=True)
class Entry:
    """A term of the source, annotated by itself, and its translations alike."""

    source: AnnotatedText
    targets: tuple[AnnotatedText, ...]

    @property
    def is_thing(self) -> bool:
        """Whether all its translations are nouns: then *flat*, a home, is not found in *a flat tyre*."""
        return all(len(each.tokens) == 1 and each.tokens[0].upos in NOUNS for each in self.targets)


def find_terms(text: AnnotatedText, entries: Sequence[Entry]) -> list[tuple[int, tuple[int, ...]]]:
    """Return the number of each entry that occurs, with its source tokens; of terms that overlap the longest."""
    found = [
        (number, place)
        for number, entry in enumerate(entries)
        for place in _places(text, entry.source, _is_source_word)
        if len(place) > 1 or not entry.is_thing or {text.tokens[at].upos for at in place} <= _THINGS
    ]
    taken: set[int] = set()
    kept: list[tuple[int, tuple[int, ...]]] = []
    for number, place in sorted(found, key=lambda one: (-len(one[1]), one[1], one[0])):
        if taken.isdisjoint(place):
            taken.update(place)
            kept.append((number, place))
    return sorted(kept, key=lambda one: one[1])


def judge_terms(
    found: Sequence[tuple[int, tuple[int, ...]]], entries: Sequence[Entry], text: AnnotatedText, links: Sequence[Link]
) -> list[Judgment]:
    """Return the judgment on each term that :func:`find_terms` found in the source of a segment.

    Terms that stand where the links lead are taken first, then those that stand anywhere and are no other's.
    """
    taken: set[int] = set()
    right: dict[int, tuple[int, ...]] = {}
    linked = [{target for source, target in links if source in place} for _, place in found]
    for near in (True, False):
        for at, (number, _) in enumerate(found):
            if at in right:
                continue
            for place in _targets(text, entries[number], linked[at] if near else set()):
                if taken.isdisjoint(place) and (not near or not linked[at].isdisjoint(place)):
                    taken.update(place)
                    right[at] = place
                    break
    shared = {target: found[at][0] for at, place in right.items() for target in place}
    return [
        _judgment(
            text,
            " | ".join(target.text for target in entries[number].targets),
            right.get(at),
            {target for target in linked[at] if shared.get(target) != number},
            once=any(shared.get(target) == number for target in linked[at]),
        )
        for at, (number, _) in enumerate(found)
    ]


def _judgment(
    text: AnnotatedText, asked: str, place: tuple[int, ...] | None, linked: set[int], *, once: bool
) -> Judgment:
    def shown(tokens: Sequence[int]) -> str:
        return " ".join(text.tokens[token].form for token in tokens)

    if place is not None:
        return Judgment("right", asked, shown(place), place, why="the term is used")
    kinds = {token: text.tokens[token].upos for token in sorted(linked)}
    words = tuple(token for token, upos in kinds.items() if upos not in _EMPTY and upos != _PRONOUN)
    if words:
        return Judgment("wrong", asked, shown(words), words, why="other words are in its place")
    pronouns = tuple(token for token, upos in kinds.items() if upos == _PRONOUN)
    if pronouns:
        return Judgment("other", asked, shown(pronouns), pronouns, why="said by a pronoun")
    if once:
        return Judgment("other", asked, why="said once for two uses of the term")
    return Judgment("missing", asked, why="no word is in its place")


def _targets(text: AnnotatedText, entry: Entry, linked: set[int]) -> Iterator[tuple[int, ...]]:
    """Yield where a translation of a term stands; where the links lead, also as part of a compound."""
    for target in entry.targets:
        yield from _places(text, target, _is_word)
    for target in entry.targets:
        if len(target.tokens) == 1:
            yield from ((token,) for token in sorted(linked) if _is_part(text.tokens[token], target.tokens[0]))


def _places(text: AnnotatedText, term: AnnotatedText, same: _Same) -> Iterator[tuple[int, ...]]:
    words, tokens = term.tokens, text.tokens
    if not words:
        return
    # A capital says nothing at the beginning of a sentence, and of a quotation.
    starts = {0, *text.sentences, *(at + 1 for at, token in enumerate(tokens) if token.upos == "PUNCT")}
    for start in range(len(tokens) - len(words) + 1):
        pairs = zip(tokens[start:], words, strict=False)
        if all(same(token, word, start + at in starts, len(words) == 1) for at, (token, word) in enumerate(pairs)):
            yield tuple(range(start, start + len(words)))
    if len(term.text) > 1 and all(map(unspaced, term.text)):
        yield from _pieces(text, term.text)


def _pieces(text: AnnotatedText, term: str) -> Iterator[tuple[int, ...]]:
    """Yield the tokens over which a term stands as a piece of the text, wherever their bounds are."""
    at = text.text.find(term)
    while at >= 0:
        end = at + len(term)
        if tokens := tuple(index for index, token in enumerate(text.tokens) if token.start < end and token.end > at):
            yield tokens  # none where it is in a placeholder, which is blank to annotators
        at = text.text.find(term, end)


def _is_source_word(token: Token, word: Token, first: bool, alone: bool) -> bool:
    """Return whether a token of the source is a word of a term, with the case that the glossary has."""
    shouted = len(token.form) > 1 and token.form.isupper()
    if word.form != word.form.lower():
        if not token.form[:1].isupper() or (word.form.isupper() and len(word.form) > 1 and not shouted):
            return False
        if alone and (first or (shouted and not word.form.isupper())) and token.upos not in _NAMED:
            return False
    elif token.form != token.form.lower() and token.upos == "PROPN" and not shouted:
        return False
    forms = {token.form.casefold(), token.lemma.casefold()}
    form, lemma = word.form.casefold(), word.lemma.casefold()
    # The lemma of a word by itself is a guess: that of “saw”, the tool, may be “see”.
    return form in forms or (lemma in forms and _common(form, lemma) >= min(3, len(lemma)))


def _is_word(token: Token, word: Token, first: bool, alone: bool) -> bool:  # noqa: ARG001 - as for the source
    """Return whether a token of the target is a word of a term, in any inflection."""
    one, other = ({each.form.casefold(), each.lemma.casefold()} for each in (token, word))
    return not one.isdisjoint(other) or _is_one_stem(token.form.casefold(), word.form.casefold())


def _is_one_stem(one: str, other: str) -> bool:
    """Return whether two forms differ in their endings alone: lemmas of rare words are often wrong."""
    stem = _common(one, other)
    shorter, longer = sorted((len(one), len(other)))
    return stem >= _STEM and shorter - stem <= 1 and longer - stem <= _ENDING


def _common(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _is_part(token: Token, word: Token) -> bool:
    form, parts = token.form.casefold(), {word.form.casefold(), word.lemma.casefold()}
    return any(
        (len(part) >= _PART and (form.startswith(part) or form.endswith(part)))
        or (len(part) >= _WITHIN and part in form)
        for part in parts
    )
