"""Pipelines on disk in half precision, in memory in single precision."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from spacy.language import Language
    from thinc.model import Model


def cast_weights(nlp: Language, kind: str) -> None:
    """Cast all weights of a pipeline in place.

    Args:
        nlp: the pipeline.
        kind: a numpy float type, ``"float16"`` or ``"float32"``.
    """
    for _, pipe in nlp.pipeline:
        model = cast("Model[Any, Any] | None", getattr(pipe, "model", None))
        if model is None:
            continue
        for node in model.walk():
            for name in node.param_names:
                if node.has_param(name):
                    node.set_param(name, np.asarray(node.get_param(name), dtype=kind))


def load_pipeline(path: Path) -> Language:
    """Load a pipeline that :func:`save_pipeline` wrote; its weights become single precision."""
    import spacy

    nlp = spacy.load(path)
    cast_weights(nlp, "float32")
    return nlp


def save_pipeline(nlp: Language, path: Path) -> None:
    """Write a pipeline with its weights in half precision; the one in memory is rounded to the same values.

    The vocabulary's lookup tables and vectors, which no component uses, are left out.
    """
    cast_weights(nlp, "float16")
    nlp.to_disk(path)
    cast_weights(nlp, "float32")
