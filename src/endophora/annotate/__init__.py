"""Text → annotated tokens: a spaCy ``Language``, whichever model is behind it; the annotation store."""

from endophora.annotate.cards import Card, embedded_card
from endophora.annotate.loading import ANNOTATORS, Loader, embedded_languages, load_annotator
from endophora.annotate.records import AnnotatedText, Annotator, Token
from endophora.annotate.store import AnnotationStore

__all__ = [
    "ANNOTATORS",
    "AnnotatedText",
    "AnnotationStore",
    "Annotator",
    "Card",
    "Loader",
    "Token",
    "embedded_card",
    "embedded_languages",
    "load_annotator",
]
