"""From treebank sentences to spaCy training examples: segments of several sentences, varied in case and punctuation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, cast

from spacy.tokens import Doc
from spacy.training import Example

from endophora_makers.conllu import Sentence, Word
from endophora_makers.recipe import Augment

if TYPE_CHECKING:
    from spacy.vocab import Vocab

_LENGTHS = (1, 1, 1, 2, 2, 3, 4, 6)
_LONGEST = 150
_TYPOGRAPHIC = str.maketrans({"'": "’", '"': "”", "`": "‘"})
_TOKENS = {"``": "“", "''": "”", "--": "–", "...": "…"}


def segments(sentences: Sequence[Sentence], random: Random) -> Iterator[tuple[Word, ...]]:
    """Join runs of consecutive sentences of one document into segments, so that the parser learns where one ends.

    Args:
        random: decides how many (one to six, at most 150 words unless one sentence is longer).
    """
    current: list[Word] = []
    document, left = "", 0
    for sentence in sentences:
        full = len(current) + len(sentence.words) > _LONGEST
        if current and (left == 0 or full or sentence.document != document):
            yield tuple(current)
            current, left = [], 0
        if not current:
            left = random.choice(_LENGTHS)
        offset = len(current)
        if current:
            current[-1] = replace(current[-1], space=True)
        current.extend(sentence.words)
        if offset:
            current[offset:] = [_moved(word, offset) for word in current[offset:]]
        document, left = sentence.document, left - 1
    if current:
        yield tuple(current)


def _moved(word: Word, offset: int) -> Word:
    return word if word.head is None or word.head < 0 else replace(word, head=word.head + offset)


def varied(words: tuple[Word, ...], how: Augment, random: Random) -> tuple[Word, ...]:
    """Return the words with, sometimes, other case, other quotation marks or no last mark.

    A word whose case changes loses its lemma label: the change is no rule of the language.
    """
    if (
        random.random() < how.unpunctuated
        and len(words) > 1
        and words[-1].upos == "PUNCT"
        and not _heads(words[-1], words)
    ):
        words = words[:-1]
    if random.random() < how.typographic:
        words = tuple(replace(w, form=_TOKENS.get(w.form, w.form.translate(_TYPOGRAPHIC))) for w in words)
    if how.spelling and random.random() < how.spelling:
        letters = str.maketrans(how.spellings)
        words = tuple(replace(w, form=w.form.translate(letters)) for w in words)
    chance = random.random()
    if chance < how.lower:
        return tuple(w if w.form.islower() else replace(w, form=w.form.lower(), lemma="_") for w in words)
    if chance < how.lower + how.upper:
        return tuple(w if w.form.isupper() else replace(w, form=w.form.upper(), lemma="_") for w in words)
    return words


def _heads(word: Word, words: Sequence[Word]) -> bool:
    return any(w.head == len(words) - 1 for w in words) or word.head == -1


def make_doc(vocab: Vocab, words: Sequence[Word], entities: Mapping[str, str]) -> Doc:
    """Return the gold-standard doc of a segment; what is not annotated stays missing.

    Args:
        entities: treebank's entity type → ours; others become no entity.
    """
    parsed = all(word.head is not None for word in words)
    named = any(word.entity != "_" for word in words)
    doc = Doc(
        vocab,
        words=[word.form for word in words],
        spaces=[word.space for word in words],
        pos=[word.upos if word.upos != "_" else "" for word in words],
        tags=[word.xpos if word.xpos != "_" else "" for word in words],
        lemmas=[word.lemma if word.lemma != "_" else "" for word in words],
        heads=[i if w.head is None or w.head < 0 else w.head for i, w in enumerate(words)] if parsed else None,
        deps=[_relation(word) for word in words] if parsed else None,
        ents=cast("Any", _entities(words, entities)) if named else None,
    )
    for token, word in zip(doc, words, strict=True):
        if word.upos != "_":  # features set to nothing are a label, and differ from features not set
            cast("Any", token).set_morph(word.features if word.features != "_" else "")
    return doc


def _relation(word: Word) -> str:
    return "ROOT" if word.head == -1 else word.relation


def _entities(words: Sequence[Word], types: Mapping[str, str]) -> list[str | None]:
    tags: list[str | None] = []
    for word in words:
        place, _, kind = word.entity.partition("-")
        name = types.get(kind)
        if word.entity == "_":
            tags.append(None)
        elif place not in ("B", "I") or name is None:
            tags.append("O")
        else:
            follows = place == "I" and tags and tags[-1] in (f"B-{name}", f"I-{name}")
            tags.append(f"{'I' if follows else 'B'}-{name}")
    return tags


def make_example(vocab: Vocab, words: Sequence[Word], entities: Mapping[str, str]) -> Example:
    """Return a training example with gold tokens."""
    plain = Doc(vocab, words=[word.form for word in words], spaces=[word.space for word in words])
    return Example(plain, make_doc(vocab, words, entities))


def batches(segments_: Iterable[tuple[Word, ...]], size: int) -> Iterator[list[tuple[Word, ...]]]:
    """Group segments into batches of about ``size`` words."""
    batch: list[tuple[Word, ...]] = []
    words = 0
    for segment in segments_:
        batch.append(segment)
        words += len(segment)
        if words >= size:
            yield batch
            batch, words = [], 0
    if batch:
        yield batch
