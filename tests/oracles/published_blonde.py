"""The published BlonDe tool itself, on texts that are annotated already, for ``benchmarks/blonde.py``.

The tool is not part of this repository: its package ``blonde`` 0.1.4 (MIT) is unpacked into a folder, which the
benchmark is given. What it asks of its spaCy model is answered with our annotation, so that only its own work is timed.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from endophora.annotate.records import AnnotatedText


class _Word(NamedTuple):
    """A token, by spaCy's names."""

    text: str
    tag_: str


class _Entity(NamedTuple):
    """A named entity, by spaCy's names."""

    text: str
    label_: str
    start: int
    end: int


class _Document(list[_Word]):
    """A text, by spaCy's names."""

    def __init__(self, text: AnnotatedText) -> None:
        super().__init__(_Word(token.form, token.xpos) for token in text.tokens)
        self.text = text.text
        self.ents = list(_entities(text))


class PublishedBlonDe:
    """The published tool, which finds texts annotated.

    Args:
        folder: where the package ``blonde`` is.
        texts: every text that it will be asked for.
    """

    def __init__(self, folder: Path, texts: Iterable[AnnotatedText]) -> None:
        self._documents = {text.text: _Document(text) for text in texts}
        model = ModuleType("en_core_web_sm")
        model.load = lambda: self  # pyright: ignore[reportAttributeAccessIssue]
        sys.modules["en_core_web_sm"] = model
        sys.path.insert(0, str(folder))
        self._tool: Any = importlib.import_module("blonde")

    def pipe(self, texts: Sequence[str], **_: object) -> Iterator[_Document]:
        """Return the annotated texts, as a spaCy pipeline does."""
        return map(self._documents.__getitem__, texts)

    def times(
        self, reference: Sequence[AnnotatedText], systems: Sequence[Sequence[AnnotatedText]]
    ) -> tuple[float, float, float]:
        """Return the seconds for the reference and for a system, and the last system's F1."""
        start = time.process_time()
        metric = self._tool.BLONDE(references=[[[text.text for text in reference]]])
        first = time.process_time() - start
        start = time.process_time()
        scores = [metric.corpus_score([[text.text for text in system]]) for system in systems]
        return first, (time.process_time() - start) / len(systems), 100 * float(scores[-1].F1)


def _entities(text: AnnotatedText) -> Iterator[_Entity]:
    marks = [token.entity for token in text.tokens]
    for start, mark in enumerate(marks):
        if mark.startswith("B-"):
            end = start + 1
            while end < len(marks) and marks[end].startswith("I-"):
                end += 1
            words = text.text[text.tokens[start].start : text.tokens[end - 1].end]
            yield _Entity(words, mark[2:], start, end)
