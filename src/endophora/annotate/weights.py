"""Pipelines on disk in eight bits, in memory in single precision."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import srsly
from spacy.pipeline import EditTreeLemmatizer

from endophora.annotate.chinese import ChineseTokenizer
from endophora.annotate.components import AgreeingMorphologizer, CaseLemmatizer, NounGenders, use_fast_ops

if TYPE_CHECKING:
    from spacy.language import Language
    from thinc.model import Model

FloatArray = npt.NDArray[np.float32]

STEPS = "steps.npz"
"""Of a pipeline's directory: of each matrix the step of each row, by which its eight-bit numbers are multiplied."""

LEVELS, EMBEDDING_LEVELS = 127, 63
# Embeddings are two thirds of a pipeline and bear more rounding: the row of a word is a sum over several tables.
_SHORTEST = 16
# Shorter rows are the biases of a unit's pieces.

COMPONENTS = (CaseLemmatizer, NounGenders, AgreeingMorphologizer, ChineseTokenizer)
"""Our own components and tokenizers; importing this module makes them known to spaCy."""


def models(nlp: Language) -> Iterator[Model[Any, Any]]:
    """Yield the network of each component that has one."""
    for _, pipe in nlp.pipeline:
        model = cast("Model[Any, Any] | None", getattr(pipe, "model", None))
        if model is not None:
            yield model


def load_pipeline(path: Path) -> Language:
    """Load a pipeline that :func:`save_pipeline` wrote, or any of spaCy's; its weights become single precision."""
    import spacy

    nlp = spacy.load(path)
    steps = path / STEPS
    if steps.is_file():
        with np.load(steps) as file:
            _restore(nlp, dict(file))
    else:
        _restore(nlp, {})
    for model in models(nlp):
        use_fast_ops(model)
    return nlp


def save_pipeline(nlp: Language, path: Path, embedding_levels: int = EMBEDDING_LEVELS) -> None:
    """Write a pipeline with its matrices in eight bits; the one in memory is rounded to the same values.

    Of the vocabulary only the strings are written that the labels and the lemmatizer's trees refer to, and of what
    spaCy says of a pipeline not its labels, which components have too. A weight of an embedding has one of
    ``embedding_levels`` values of either sign, up to 127.
    """
    steps = _quantise(nlp, embedding_levels)
    nlp.to_disk(path)
    np.savez(path / STEPS, allow_pickle=False, **steps)
    _restore(nlp, steps)
    strings = json.dumps(sorted(_strings(nlp)), ensure_ascii=False)
    (path / "vocab" / "strings.json").write_text(strings, encoding="utf-8")
    about = path / "meta.json"
    said = json.loads(about.read_text("utf-8"))
    del said["labels"]
    about.write_text(json.dumps(said, indent=2, ensure_ascii=False), encoding="utf-8")


def _weights(nlp: Language) -> Iterator[tuple[str, Any, str, FloatArray]]:
    """Yield each array of weights with a key that is the same on saving and loading, its layer and its name."""
    for index, model in enumerate(models(nlp)):
        for place, layer in enumerate(cast("Any", model).walk()):
            for name in layer.param_names:
                if layer.has_param(name):
                    yield f"{index}.{place}.{name}", layer, name, layer.get_param(name)


def _quantise(nlp: Language, embedding_levels: int) -> dict[str, npt.NDArray[np.float16]]:
    """Turn matrices into whole numbers of eight bits, in place, and return the step of each of their rows.

    Biases and norms are few and are added to everything: they keep half precision.
    """
    steps: dict[str, npt.NDArray[np.float16]] = {}
    for key, layer, name, values in _weights(nlp):
        if values.ndim < 2 or values.shape[-1] < _SHORTEST:
            layer.set_param(name, values.astype(np.float16))
            continue
        steps[key] = row_steps(values, embedding_levels if layer.name == "hashembed" else LEVELS)
        whole = np.rint(values.astype(np.float32) / steps[key].astype(np.float32)[..., None])
        layer.set_param(name, whole.astype(np.int8))
    return steps


def row_steps(values: FloatArray, levels: int) -> npt.NDArray[np.float16]:
    """Return the step of each row, by which its largest weight is ``levels``."""
    step = np.abs(values).max(axis=-1) / levels
    # Rounded up, so that no weight is cut, but not where it is exact: saving what was loaded changes nothing.
    rounded = step.astype(np.float16)
    rounded[rounded < step] = np.nextafter(rounded, np.float16(np.inf))[rounded < step]
    # A step under the smallest normal number would lose its own precision.
    return np.maximum(rounded, np.finfo(np.float16).smallest_normal)


def _restore(nlp: Language, steps: Mapping[str, npt.NDArray[np.float16]]) -> None:
    """Turn all weights into single precision, in place; rows that have a step are multiplied by it."""
    for key, layer, name, values in _weights(nlp):
        restored = values.astype(np.float32)
        if key in steps:
            restored *= steps[key].astype(np.float32)[..., None]
        layer.set_param(name, restored)


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
