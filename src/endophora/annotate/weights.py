"""Pipelines on disk in half precision, in memory in single precision."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import srsly
from spacy.pipeline import EditTreeLemmatizer

from endophora.annotate import chinese as _chinese
from endophora.annotate import genders as _genders
from endophora.annotate import lemmatizer as _lemmatizer
from endophora.annotate import morphologizer as _morphologizer
from endophora.annotate.layers import use_fast_ops

if TYPE_CHECKING:
    from spacy.language import Language
    from thinc.model import Model


COMPONENTS = (
    _lemmatizer.CaseLemmatizer,
    _genders.NounGenders,
    _morphologizer.AgreeingMorphologizer,
    _chinese.ChineseTokenizer,
)
"""Our own components and tokenizers; importing this module makes them known to spaCy."""


def models(nlp: Language) -> Iterator[Model[Any, Any]]:
    """Yield the network of each component that has one."""
    for _, pipe in nlp.pipeline:
        model = cast("Model[Any, Any] | None", getattr(pipe, "model", None))
        if model is not None:
            yield model


def cast_weights(nlp: Language, kind: str) -> None:
    """Cast all weights of a pipeline in place.

    Args:
        nlp: the pipeline.
        kind: a numpy float type, ``"float16"`` or ``"float32"``.
    """
    for model in models(nlp):
        for node in cast("Any", model).walk():
            for name in node.param_names:
                if node.has_param(name):
                    node.set_param(name, np.asarray(node.get_param(name), dtype=kind))


def load_pipeline(path: Path) -> Language:
    """Load a pipeline that :func:`save_pipeline` wrote; its weights become single precision."""
    import spacy

    nlp = spacy.load(path)
    cast_weights(nlp, "float32")
    for model in models(nlp):
        use_fast_ops(model)
    return nlp


def save_pipeline(nlp: Language, path: Path) -> None:
    """Write a pipeline with its weights in half precision; the one in memory is rounded to the same values.

    Of the vocabulary only the strings are written that the labels and the lemmatizer's trees refer to.
    """
    cast_weights(nlp, "float16")
    nlp.to_disk(path)
    cast_weights(nlp, "float32")
    strings = json.dumps(sorted(_strings(nlp)), ensure_ascii=False)
    (path / "vocab" / "strings.json").write_text(strings, encoding="utf-8")


def _strings(nlp: Language) -> set[str]:
    """Return the strings by which the components' labels and edit trees are known."""
    found: set[str] = set()
    for _, pipe in nlp.pipeline:
        labels = cast("Any", getattr(pipe, "labels", ()))
        found.update(str(label) for label in labels if isinstance(label, str))
        found.update(part for label in tuple(found) for part in label.split("|"))
        if isinstance(pipe, EditTreeLemmatizer):
            table = cast("Any", srsly).msgpack_loads(cast("Any", pipe).trees.to_bytes())
            hashes = (tree[side] for tree in table["trees"] for side in ("orig", "subst") if side in tree)
            lookup = cast("Any", nlp.vocab.strings)
            found.update(str(lookup[value]) for value in hashes)
    return found
