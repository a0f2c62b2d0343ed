"""A small corpus with what is known of it written out, so that no model is loaded.

Six documents of two segments each. The source is “we met Anna / we saw her”; in the second segment a reference has a
verb in the past, which the segment before asks for. System *good* has the past everywhere, *bad* the present.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from endophora.annotate.records import AnnotatedText, Token
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.evaluation.tagging import DocumentTexts, TaggedDocument, encode_document
from endophora.judgments.records import Choice, Choices
from endophora.metrics.records import Reading
from endophora.phenomena.records import Occurrence, Support
from endophora.store import Store

SOURCE = ("we met Anna", "we saw her")
TEXTS = {
    "ref": ("wir trafen Anna", "wir sahen sie"),
    "good": ("wir trafen Anna", "wir erblickten sie"),
    "bad": ("wir trafen Anna", "wir sehen sie"),
}
SHOWN = {"ref": "Past", "good": "Past", "bad": "Ind.Pres"}
BEFORE = Support(((0, 1),), ((0, 1),), 1)


def spans(text: str) -> list[tuple[int, int]]:
    """Where words that a space divides stand."""
    found: list[tuple[int, int]] = []
    start = 0
    for word in text.split(" "):
        found.append((start, start + len(word)))
        start += len(word) + 1
    return found


def occurrence(support: Support | None = BEFORE, *, document: str = "d0", segment: int = 1) -> Occurrence:
    return Occurrence(document, segment, "verb_form", "Past", (1,), (1,), "sahen", support)


def document(
    name: str,
    texts: Sequence[str],
    choices: Sequence[Choice] = (),
    occurrences: Sequence[Occurrence] = (),
    *,
    source: Sequence[str] = SOURCE,
    links: Sequence[Sequence[tuple[int, int]]] | None = None,
    readings: Sequence[Reading] = (),
) -> TaggedDocument:
    """Each source word is linked to the target word of the same place, if nothing else is said."""
    diagonal = [[(at, at) for at in range(len(text.split(" ")))] for text in source]
    data = encode_document(
        list(map(spans, source)),
        list(map(spans, texts)),
        diagonal if links is None else links,
        occurrences,
        readings,
        Choices(tuple(choices)),
    )
    return TaggedDocument(name, texts, data)


def tagged(side: str, documents: int = 6) -> list[TaggedDocument]:
    """What is known of the reference or of a system."""
    made = [Choice("verb_form", 1, (1,), (1,), SHOWN[side])]
    return [
        document(f"d{at}", TEXTS[side], made, [occurrence(document=f"d{at}")] if side == "ref" else [])
        for at in range(documents)
    ]


def corpus(
    documents: int = 6, systems: tuple[str, ...] = ("good", "bad"), references: tuple[str, ...] = ("ref",)
) -> Corpus:
    return Corpus(
        "en",
        "de",
        tuple(
            Document(
                f"d{at}",
                tuple(
                    Segment(
                        text,
                        dict.fromkeys(references, TEXTS["ref"][number]),
                        {name: TEXTS[name][number] for name in systems},
                        Location("memory", 2 * at + number + 1),
                    )
                    for number, text in enumerate(SOURCE)
                ),
            )
            for at in range(documents)
        ),
        references,
        systems,
    )


def sides(texts: Sequence[Sequence[DocumentTexts]]) -> list[list[TaggedDocument]]:
    """Stand in for the tagging of target texts: which side it is, its verb says."""
    names = {verbs[1]: name for name, verbs in TEXTS.items()}
    return [tagged(names[side[0].target[1]], len(side)) for side in texts]


class Words:
    """An annotator of words that a space divides, all of them nouns."""

    language = "xx"
    signature = "words"

    def annotate(self, texts: Iterable[str]) -> Iterator[AnnotatedText]:
        """Annotate texts."""
        for text in texts:
            tokens = tuple(
                Token(text[start:end], text[start:end].lower(), "NOUN", "", {}, -1, "", "", start, end)
                for start, end in spans(text)
            )
            yield AnnotatedText(text, tokens, (0,) if tokens else ())


def tools(**more: Any) -> Any:
    """Loaded tools that annotate by spaces."""
    annotations = SimpleNamespace(annotate=lambda annotator, texts: list(annotator.annotate(texts)))
    known = {
        "store": Store(None),
        "loaded": "tools",
        "signature": "pair:en-de",
        "annotations": annotations,
        "source_annotator": Words(),
        "target_annotator": Words(),
    }
    return SimpleNamespace(**(known | more))
