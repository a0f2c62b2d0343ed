"""A small measurement of CXMI for tests: documents about *sie*, with gains that are given."""

from __future__ import annotations

from fake_scorer import FakeScorer

from endophora.context.cxmi import CxmiOptions, Measurement, measure_cxmi
from endophora.context.samples import Material, Sample, Word, plain_words
from endophora.models.records import contextual_inputs

GAINS = {"sie": 0.5, "kom": 0.25, "men": 0.5, "Sie": -0.125, "</s>": 0.0625}
LABELS = {"sie": ("PRON", "PRON.3"), "Sie": ("PRON",), "kommen": ("VERB",), "geht": ("VERB",)}
TAGS = {"sie": ("formality", "pronouns"), "Sie": ("formality",)}
HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    "[bold red]markup[/bold red] \x1b[31mred\x1b[0m",
    "abc\u202egnp.exe",
    "=HYPERLINK(1) 😀 sie kommen",
    "{{ 7*7 }} \\input{x} & % $",
)


def labelled(text: str) -> tuple[Word, ...]:
    """Return the plain words of a text with the labels and tags of this module."""
    return tuple(
        Word(word.start, word.end, word.form, word.form.lower(), LABELS.get(word.form, ()), TAGS.get(word.form, ()))
        for word in plain_words(text)
    )


def document(name: str, targets: list[str], size: int = 2) -> list[Sample]:
    """Return the samples of a document."""
    sources = [f"source {number}" for number in range(len(targets))]
    inputs = contextual_inputs(sources, targets, size)
    return [
        Sample(name, number, whole, target, labelled(target))
        for number, (whole, target) in enumerate(zip(inputs, targets, strict=True))
    ]


def measurement(documents: int, *, hostile: bool = False) -> Measurement:
    """Return a measurement of equal documents; hostile texts come into each."""
    targets = ["wir", "sie kommen", "geht", "Sie", *(HOSTILE if hostile else ())]
    samples = [
        sample
        for number in range(documents)
        for sample in document(f"{HOSTILE[0]}{number}" if hostile else str(number), targets)
    ]
    material = Material("documents", ("en", "de"), tuple(samples), ("pronouns", "formality"), "words")
    return measure_cxmi(material, FakeScorer(GAINS), CxmiOptions(size=2, minimum=2, resamples=100))
