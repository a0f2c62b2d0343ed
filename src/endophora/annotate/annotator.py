"""A spaCy ``Language`` as an :class:`Annotator`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from endophora.annotate.records import AnnotatedText
from endophora.annotate.tokenisation import look_at_ends
from endophora.annotate.tokens import DocReader

if TYPE_CHECKING:
    from spacy.language import Language

_BATCH = 128
_MOST_WORDS = 50_000
_NAMERS = frozenset({"ner", "entity_ruler", "span_ruler"})
_SURROGATE = re.compile("[\ud800-\udfff]")


class SpacyAnnotator:
    """Annotates with any spaCy pipeline; what it does not predict stays empty.

    Args:
        nlp: the pipeline, or what opens it: a second run reads its annotations from the store, and needs none. Texts of
            any length are accepted, whatever its ``max_length``.
        convert: brings a text whose labels are not those of Universal Dependencies to them.
        components: names of the pipeline's components, where they are known before it is opened.
    """

    def __init__(
        self,
        nlp: Language | Callable[[], Language],
        language: str,
        signature: str,
        convert: Callable[[AnnotatedText], AnnotatedText] | None = None,
        components: Sequence[str] | None = None,
    ) -> None:
        self._pipeline = nlp
        self._language = language
        self._signature = signature
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
        return not _NAMERS.isdisjoint(self.nlp.pipe_names if self._components is None else self._components)

    def annotate(self, texts: Iterable[str]) -> Iterator[AnnotatedText]:
        """Annotate texts, in order, one result a text."""
        pairs = ((encodable(text), text) for text in texts)
        for doc, text in self.nlp.pipe(pairs, as_tuples=True, batch_size=_BATCH):
            found = self._reader.read(doc, text)
            yield found if self._convert is None else self._convert(found)

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


def _renew(vocab: Any) -> None:
    """Build the tables of a vocabulary anew, with the words in them that it has not forgotten.

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
