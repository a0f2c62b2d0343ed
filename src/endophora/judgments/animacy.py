"""Whether English pronouns of a text stand for a thing or a person."""

from __future__ import annotations

from collections.abc import Iterator

from endophora.judgments.records import Choice
from endophora.phenomena.records import AnnotatedDocument, sources_of

_ANY = "Fem,Masc,Neut"
"""What an English plural shows: it stands for persons and things alike."""

_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "DET"})


def english_pronouns(document: AnnotatedDocument) -> Iterator[Choice]:
    """Yield the pronouns of the third person, and demonstratives, which stand for a thing.

    The source tokens are the linked words that may stand for a thing or a person themselves; a pronoun without any
    stands where the source says no more than its verb.
    """
    for segment, (target, links) in enumerate(zip(document.target, document.links, strict=True)):
        source = document.source[segment].tokens
        for index, token in enumerate(target.tokens):
            number, gender = token.features.get("Number", ""), token.features.get("Gender", "")
            linked = tuple(sorted(place for place in sources_of(index, links) if source[place].upos in _NOMINAL))
            pointing = token.features.get("PronType") == "Dem" and bool(linked)  # *that's why* stands for nothing
            if token.upos == "PRON" and number and (token.features.get("Person") == "3" or pointing):
                shown = _ANY if number == "Plur" else gender or "Neut"
                yield Choice("animacy", segment, linked, (index,), shown, number)
