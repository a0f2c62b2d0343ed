"""A spaCy ``Language`` as an :class:`Annotator`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from endophora.annotate.records import AnnotatedText
from endophora.annotate.tokens import DocReader

if TYPE_CHECKING:
    from spacy.language import Language

_BATCH = 128
_NAMERS = frozenset({"ner", "entity_ruler", "span_ruler"})
_SURROGATE = re.compile("[\ud800-\udfff]")


class SpacyAnnotator:
    """Annotates with any spaCy pipeline; what it does not predict stays empty.

    Args:
        nlp: the pipeline. Texts of any length are accepted, whatever its ``max_length``.
        language: ISO 639-1 code.
        signature: name, version and weights hash.
        convert: brings a text whose labels are not those of Universal Dependencies to them.
    """

    def __init__(
        self,
        nlp: Language,
        language: str,
        signature: str,
        convert: Callable[[AnnotatedText], AnnotatedText] | None = None,
    ) -> None:
        nlp.max_length = sys.maxsize
        self.nlp = nlp
        self._language = language
        self._signature = signature
        self._reader = DocReader(nlp.vocab.strings.__getitem__)
        self._convert = convert

    @property
    def language(self) -> str:
        """ISO 639-1 code of the language."""
        return self._language

    @property
    def signature(self) -> str:
        """Name, version and weights hash: what makes two annotations the same."""
        return self._signature

    @property
    def entities(self) -> bool:
        """Whether it names entities."""
        return any(name in _NAMERS for name in self.nlp.pipe_names)

    def annotate(self, texts: Iterable[str]) -> Iterator[AnnotatedText]:
        """Annotate texts, in order, one result a text."""
        pairs = ((encodable(text), text) for text in texts)
        for doc, text in self.nlp.pipe(pairs, as_tuples=True, batch_size=_BATCH):
            found = self._reader.read(doc, text)
            yield found if self._convert is None else self._convert(found)


def encodable(text: str) -> str:
    """Return a text of the same length that UTF-8 can hold: spaCy fails on lone surrogates."""
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
