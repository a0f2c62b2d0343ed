"""What annotation yields: a text as Universal Dependencies tokens, whichever model made them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

VERBS = frozenset({"VERB", "AUX"})
NOUNS = frozenset({"NOUN", "PROPN"})
"""Parts of speech (UPOS): verbs with auxiliaries; nouns with names."""


class Token(NamedTuple):
    """One token of a text, in the terms of Universal Dependencies; a tuple, since texts make hundreds of thousands."""

    form: str  # as written in the text
    lemma: str  # the form where the model gives none
    upos: str
    xpos: str  # the language's own tag; empty if the model has none
    features: Mapping[str, str]
    head: int  # index among the text's tokens; -1 for a root
    relation: str  # to the head, lower case with subtype (nsubj:pass); empty if unparsed
    entity: str
    start: int  # offset of the first character in the text
    end: int


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """One segment's text, its tokens, and the index of each sentence's first token; an empty text has none."""

    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[int, ...] = field(default=())


class Annotator(Protocol):
    """Turns texts of one language into annotated texts."""

    @property
    def language(self) -> str:
        """ISO 639-1 code of the language."""
        ...

    @property
    def signature(self) -> str:
        """Name, version and weights hash: what makes two annotations the same."""
        ...

    def annotate(self, texts: Iterable[str]) -> Iterator[AnnotatedText]:
        """Annotate texts, in order, one result a text."""
        ...


def names_entities(annotator: Annotator) -> bool:
    """Return whether an annotator names entities; one that does not say does not."""
    return bool(getattr(annotator, "entities", False))
