"""Vectors of sentences, by an encoder that the user names: further evidence of which sentences translate each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from endophora.corpus.lines import need_library
from endophora.errors import Fault, InputError, MissingModelError
from endophora.registry import Registry
from endophora.signature import digest_of_name

Floats = NDArray[np.float64]


class Encoder(Protocol):
    """Makes vectors of texts in any language; those of translations are alike."""

    @property
    def signature(self) -> str:
        """What the vectors depend on."""
        ...

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return a vector of each text, (texts, numbers)."""
        ...


class SentenceTransformer:
    """A model that the library sentence-transformers reads, by its name or folder (Reimers and Gurevych 2019)."""

    def __init__(self, name: str) -> None:
        need_library("sentence_transformers", "--vectors", name, "vectors")
        library: Any = import_module("sentence_transformers")

        self.signature = f"{library.__version__}:{digest_of_name(name)}"
        try:
            self._model: Any = library.SentenceTransformer(name, device="cpu")
        except (OSError, ValueError) as error:
            advice = "name a folder, or a model of the Hub that is stored here or can be fetched"
            raise MissingModelError(Fault("E335", f"sentence-transformers reads no “{name}”", advice)) from error

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return a vector of each text, (texts, numbers)."""
        return np.asarray(self._model.encode(list(texts), show_progress_bar=False), dtype=np.float64)


ENCODERS: Registry[Callable[[str], Encoder]] = Registry("encoder", {"sentence-transformers": SentenceTransformer})


def load_encoder(name: str) -> Encoder:
    """Load an encoder of :data:`ENCODERS` with its argument, as ``sentence-transformers:FOLDER`` (E090, E040, E335)."""
    kind, _, argument = name.partition(":")
    if not argument:
        advice = "name its model: sentence-transformers:NAME, or a folder in place of the name"
        raise InputError(Fault("E335", f"“{name}” names no model of sentences", advice, "--vectors"))
    return ENCODERS.get(kind)(argument)


class Vectors:
    """The vectors of some texts, each made once, of length 1."""

    def __init__(self, encoder: Encoder, texts: Sequence[str]) -> None:
        self._rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        made = encoder.encode(list(self._rows)) if self._rows else np.zeros((0, 1))
        self._made: Floats = made / np.maximum(1e-12, np.linalg.norm(made, axis=1, keepdims=True))

    def alike(self, texts: Sequence[str], others: Sequence[str]) -> Floats:
        """Return by how much the cosine of each text with each other one is above its mean, (texts, others)."""
        one, other = (self._made[[self._rows[text] for text in some]] for some in (texts, others))
        cosines = one @ other.T
        return cosines - cosines.mean(axis=1, keepdims=True)
