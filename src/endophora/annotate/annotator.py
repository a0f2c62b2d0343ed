"""A spaCy pipeline as an annotator, and a spaCy document as an annotated text."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from endophora.annotate.records import AnnotatedText, Token
from endophora.annotate.tokenisation import look_at_ends
from endophora.annotate.words import Words, rules_version

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from spacy.language import Language
    from spacy.tokens import Doc


_ATTRIBUTES = ["IDX", "LENGTH", "LEMMA", "POS", "TAG", "MORPH", "HEAD", "DEP", "ENT_IOB", "ENT_TYPE", "SENT_START"]
_INSIDE, _BEGIN = 1, 3
_Value = TypeVar("_Value")
_MOST = 20_000
"""Strings that a reader keeps; lemmas of names are without number."""


def parse_features(text: str) -> dict[str, str]:
    """Return FEATS (``"Case=Nom|Number=Sing"``, ``"_"`` or empty) as a mapping."""
    if text in ("", "_"):
        return {}
    parts = (pair.partition("=") for pair in text.split("|"))
    return {name: value for name, _, value in parts}


class _Kept(dict[int, _Value]):
    """Number of a string → what is read of it, so many at most."""

    def __init__(self, read: Callable[[int], _Value]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, key: int) -> _Value:
        if len(self) > _MOST:
            self.clear()
        value = self[key] = self._read(key)
        return value


class DocReader:
    """Makes annotated texts of the docs of one vocabulary; equal strings and features are one object."""

    def __init__(self, lookup: Callable[[int], str]) -> None:
        self._strings = _Kept[str](lambda key: lookup(key) if key else "")
        self._relations = _Kept[str](lambda key: self._strings[key].lower())
        self._features = _Kept[dict[str, str]](lambda key: parse_features(self._strings[key]))
        self._entities: dict[tuple[int, int], str] = {}

    def read(self, doc: Doc, text: str | None = None) -> AnnotatedText:
        """Return a doc's annotation; tokens of white space are dropped, their dependents go to their head.

        ``text`` has the same length, where the doc is of a copy that UTF-8 can hold.
        """
        text = doc.text if text is None else text
        # Column by column: texts make hundreds of thousands of tokens.
        table = cast("NDArray[np.uint64]", cast("Any", doc).to_array(_ATTRIBUTES))
        rows = table.astype(np.int64)
        ends = rows[:, 0] + rows[:, 1]
        forms = [text[start:end] for start, end in zip(rows[:, 0].tolist(), ends.tolist(), strict=True)]
        kept = [index for index, form in enumerate(forms) if not form.isspace()]
        opens = rows[:, 10] == 1
        if len(kept) == len(forms):
            opens[:1] = True
            heads = np.where(rows[:, 6] == 0, -1, rows[:, 6] + np.arange(len(rows))).tolist()
        else:
            # A sentence may start with white space, which is dropped.
            opens = np.diff(np.cumsum(opens)[kept], prepend=-1) > 0
            heads = _heads(rows[:, 6].tolist(), kept)
            forms, table, rows, ends = [forms[index] for index in kept], table[kept], rows[kept], ends[kept]
        string = self._strings.__getitem__
        lemmas, upos, xpos, morphs, relations, iob, entities = (table[:, at].tolist() for at in (2, 3, 4, 5, 7, 8, 9))
        columns = (
            forms,
            [lemma or form for lemma, form in zip(map(string, lemmas), forms, strict=True)],
            map(string, upos),
            map(string, xpos),
            map(self._features.__getitem__, morphs),
            heads,
            map(self._relations.__getitem__, relations),
            map(self._entity, iob, entities),
            rows[:, 0].tolist(),
            ends.tolist(),
        )
        tokens = tuple(map(Token._make, zip(*columns, strict=True)))
        return AnnotatedText(text, tokens, tuple(np.flatnonzero(opens).tolist()))

    def _entity(self, iob: int, kind: int) -> str:
        if iob not in (_INSIDE, _BEGIN):
            return ""
        value = self._entities.get((iob, kind))
        if value is None:
            value = self._entities[iob, kind] = ("I-" if iob == _INSIDE else "B-") + self._strings[kind]
        return value


def _heads(steps: Sequence[int], kept: Sequence[int]) -> list[int]:
    """Return the head of each kept token among the kept ones; -1 for a root or where nothing is parsed.

    ``steps`` are from each token to its head.
    """
    place = {index: position for position, index in enumerate(kept)}
    heads: list[int] = []
    for index in kept:
        head, last = index + steps[index], index
        while head != last and head not in place:
            head, last = head + steps[head], head
        heads.append(-1 if head in (last, index) else place[head])
    return heads


_BATCH, _CHARACTERS = 128, 25_000
"""Texts, and characters of them, that the network sees at once: what it makes of long texts takes much memory."""
_MOST_WORDS = 50_000
_NAMERS = frozenset({"ner", "entity_ruler", "span_ruler"})
_SURROGATE = re.compile("[\ud800-\udfff]")


class SpacyAnnotator:
    """Annotates with any spaCy pipeline; what it does not predict stays empty.

    ``nlp`` is the pipeline, or what opens it: a second run reads its annotations from the store, and needs none.
    ``convert`` brings other labels to Universal Dependencies. ``components`` are the pipeline's, where they are known
    before it is opened; ``own`` says that it is one of ours, to which the language's rules for words apply. Texts of
    any length are accepted, even beyond its ``max_length``.
    """

    def __init__(
        self,
        nlp: Language | Callable[[], Language],
        language: str,
        signature: str,
        convert: Callable[[AnnotatedText], AnnotatedText] | None = None,
        components: Sequence[str] | None = None,
        *,
        own: bool = False,
    ) -> None:
        self._pipeline = nlp
        self.language = language
        self.signature = f"{signature}-words-{rules_version()}"
        self._words = Words(language, own=own)
        self._convert = convert
        self._components = components

    @cached_property
    def nlp(self) -> Language:
        """The pipeline."""
        # A pipeline can be called as well: its methods tell it from what opens one.
        opened = hasattr(self._pipeline, "pipe")
        nlp = cast("Language", self._pipeline) if opened else cast("Callable[[], Language]", self._pipeline)()
        nlp.max_length = sys.maxsize
        look_at_ends(nlp.tokenizer)
        return nlp

    @cached_property
    def _reader(self) -> DocReader:
        return DocReader(self.nlp.vocab.strings.__getitem__)

    @property
    def entities(self) -> bool:
        """Whether it names entities."""
        return not _NAMERS.isdisjoint(self.nlp.pipe_names if self._components is None else self._components)

    def annotate(self, texts: Iterable[str]) -> Iterator[AnnotatedText]:
        """Annotate texts, in order, one result a text."""
        for batch in _batches(texts):
            pairs = ((encodable(text), text) for text in batch)
            for doc, text in self.nlp.pipe(pairs, as_tuples=True, batch_size=_BATCH):
                yield self.read(doc, text)

    def read(self, doc: Doc, text: str | None = None) -> AnnotatedText:
        """Return the annotation of a doc that the pipeline has made; ``text`` as in :class:`DocReader`."""
        found = self._reader.read(doc, text)
        return self._words.correct(found if self._convert is None else self._convert(found))

    @contextmanager
    def forgetting(self) -> Generator[None, None, None]:
        """Open a block after which the pipeline forgets the words that it met in it: names are without number.

        No ``Doc`` of the pipeline may be used afterwards; annotated texts may.
        """
        nlp = cast("Any", self.nlp)
        with nlp.memory_zone():
            yield
        if len(nlp.vocab) > _MOST_WORDS:
            _renew(nlp.vocab)


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield texts, in order, as many together as are annotated at once."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if len(batch) == _BATCH or size >= _CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _renew(vocab: Any) -> None:
    """Build the tables of a vocabulary again, with the words in them that it has not forgotten.

    A word that is forgotten leaves a mark in its place in the tables, and they double when words and marks fill them:
    without this they grow with every word that was ever met.
    """
    getters = dict(vocab.lex_attr_getters)
    apart = ["vectors", "lookups"]
    vocab.from_bytes(vocab.to_bytes(exclude=apart), exclude=apart)
    # Reading wraps the getter of norms into another one, each time.
    vocab.lex_attr_getters = getters


def encodable(text: str) -> str:
    """Return a text of the same length that UTF-8 can hold: spaCy fails on lone surrogates."""
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
