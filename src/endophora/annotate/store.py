"""The annotation store: a text is annotated once, however many systems, runs and processes need it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from sys import intern
from typing import Any, cast

from endophora.annotate.annotator import parse_features
from endophora.annotate.records import AnnotatedText, Annotator, Token
from endophora.corpus.placeholders import masked
from endophora.signature import Keys, keyed
from endophora.store import Store

_BATCH = 2_000

_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


@keyed()
@dataclass(frozen=True, slots=True)
class _Annotation:
    """What the annotation of a text depends on besides the text."""

    annotator: Annotator


class AnnotationStore:
    """Annotates what is not in a store yet, and reads the rest from it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def annotate(
        self, annotator: Annotator, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[AnnotatedText]:
        """Return the annotation of each text, in order; every distinct text is annotated once."""
        key = Keys(_Annotation(annotator))
        # What a program puts into a text has no part in its annotation.
        keys = {text: key(masked(text)) for text in dict.fromkeys(texts)}
        known = self._store.get_many(list(keys.values()))
        done = {text: decode_text(text, known[key]) for text, key in keys.items() if key in known}
        # Texts of like length go together: batches are even, and so is progress.
        missing = sorted((text for text in keys if text not in done), key=len, reverse=True)
        # What is annotated is written batch by batch: an interrupted run continues where it stopped.
        annotated = annotate_words(annotator, missing) if missing else iter(())
        while batch := list(islice(annotated, _BATCH)):
            self._store.put_many({keys[text.text]: encode_text(text) for text in batch}, "annotations")
            done.update((text.text, text) for text in batch)
            if progress is not None:
                progress(len(batch))
        return [done[text] for text in texts]


def annotate_words(annotator: Annotator, texts: Sequence[str]) -> Iterator[AnnotatedText]:
    """Annotate the words of texts: placeholders and markup, such as ``{0}`` or ``<b>``, are blanks to the annotator."""
    for text, found in zip(texts, annotator.annotate(map(masked, texts)), strict=True):
        yield found if found.text == text else replace(found, text=text)


def encode_text(text: AnnotatedText) -> bytes:
    """Return an annotation as bytes, column by column; the text itself is not in them."""
    forms, lemmas, upos, xpos, features, heads, relations, entities, starts, ends = (
        map(list, zip(*text.tokens, strict=True)) if text.tokens else ([],) * len(Token._fields)
    )
    columns = (
        starts,
        ends,
        ["" if lemma == form else lemma for lemma, form in zip(lemmas, forms, strict=True)],
        upos,
        xpos,
        ["|".join(f"{name}={value}" for name, value in each.items()) for each in features],
        heads,
        relations,
        entities,
        text.sentences,
    )
    return zlib.compress(_ENCODER.encode(columns).encode("utf-8", "surrogatepass"), 1)


def decode_text(text: str, data: bytes) -> AnnotatedText:
    """Return the annotation of a text from the bytes that :func:`encode_text` made."""
    *columns, sentences = cast("list[list[Any]]", json.loads(zlib.decompress(data)))
    tokens: list[Token] = []
    for start, end, lemma, upos, xpos, features, head, relation, entity in zip(*columns, strict=True):
        form = text[start:end]
        tokens.append(
            Token(
                form,
                lemma or form,
                intern(upos),
                intern(xpos),
                _split(features),
                head,
                intern(relation),
                entity,
                start,
                end,
            )
        )
    return AnnotatedText(text, tuple(tokens), tuple(sentences))


@lru_cache(maxsize=10_000)
def _split(features: str) -> Mapping[str, str]:
    return parse_features(features)
