"""Text → annotated tokens: a spaCy ``Language``, whichever model is behind it; the annotation store."""

from endophora.annotate.loading import (
    ANNOTATORS,
    Card,
    Loader,
    default_card,
    default_name,
    embedded_card,
    embedded_languages,
    load_annotator,
)
from endophora.annotate.records import AnnotatedText, Annotator, Token, names_entities
from endophora.annotate.store import AnnotationStore

__all__ = [
    "ANNOTATORS",
    "AnnotatedText",
    "AnnotationStore",
    "Annotator",
    "Card",
    "Loader",
    "Token",
    "default_card",
    "default_name",
    "embedded_card",
    "embedded_languages",
    "load_annotator",
    "names_entities",
]
