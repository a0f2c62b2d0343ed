"""Where words stand in texts, among their forms or else their lemmas. For showing only; no figure needs it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TypeAlias

from endophora.annotate import load_annotator
from endophora.annotate.records import AnnotatedText
from endophora.errors import InputError, MissingModelError
from endophora.suites.senses.matching import Text, Tokens

Marks: TypeAlias = list[tuple[int, int]]
"""Start and end of each stretch, in characters, in their order; none overlaps another."""


def mark_words(
    language: str, texts: Sequence[str], words: Sequence[Sequence[str]], annotator: str | None = None
) -> list[Marks]:
    """Return for each text where any of its words stands.

    Args:
        language: ISO 639-1 code; where it is empty or has no tokenizer nothing is marked.
        texts: what to look in.
        words: of each text, those to look for; one may be of several words.
        annotator: what lemmatises the texts that have none of the words as they are; by default the language's own.
            Without one these stay unmarked.
    """
    found: list[Marks] = [[] for _ in texts]
    if not language:
        return found
    try:
        tokens = Tokens(language)
        tokens.learn(chain.from_iterable(words))
        for lemmas, name in ((False, "blank"), (True, annotator)):
            rest = [at for at, marks in enumerate(found) if words[at] and not marks]
            annotated = load_annotator(language, name).annotate([texts[at] for at in rest]) if rest else ()
            for at, text in zip(rest, annotated, strict=True):
                found[at] = _marks(text, words[at], tokens, lemmas=lemmas)
    except (InputError, MissingModelError):
        pass  # the figures do not need this tool, and a text without marks can be read
    return found


def _marks(text: AnnotatedText, words: Sequence[str], tokens: Tokens, *, lemmas: bool) -> Marks:
    shown = Text([(one.form.lower(), one.lemma.lower()) if lemmas else (one.form.lower(),) for one in text.tokens])
    places = {place for word in words for entry in tokens.entry(word) for place in shown.places(entry)}
    marks: Marks = []
    for place in sorted(places, key=lambda place: (place.start, -place.stop)):
        start, end = text.tokens[place.start].start, text.tokens[place.stop - 1].end
        if not marks or start >= marks[-1][1]:
            marks.append((start, end))
    return marks
